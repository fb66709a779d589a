"""Addresses in free text: which hosts and ports a configuration points at, without user names, passwords or paths."""

from __future__ import annotations

import re

from rootproof.domain.cutting import within

_URL = re.compile(
    r"\b(?:https?|grpc|tcp|redis|amqp|mysql|jdbc:[a-z]{1,20}|postgres(?:ql)?|mongodb|kafka|lb)://(?:[^@/\s\"']{1,200}@)?"
    r"(?P<host>[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)(?::(?P<port>\d{1,5}))?(?=[/\s\"',;?]|$)",
    re.IGNORECASE,
)
_MAX_CHARS = 200_000
_MAX_FOUND = 200


def addresses_in(text: str) -> tuple[tuple[str, int | None], ...]:
    """Host and port of every URL in the text, each once, at most 200."""
    found: dict[tuple[str, int | None], None] = {}
    for match in _URL.finditer(within(text, _MAX_CHARS)):
        found[match["host"].lower(), int(match["port"]) if match["port"] else None] = None
        if len(found) >= _MAX_FOUND:
            break
    return tuple(found)


def inside_cluster(host: str) -> bool:
    """Whether a host name is one that only the cluster's own DNS knows: a bare name, or one below `svc`."""
    labels = host.split(".")
    if host.replace(".", "").isdigit() or host in {"localhost", "kubernetes"}:
        return False
    return len(labels) == 1 or host.endswith(".cluster.local") or (len(labels) == 3 and labels[2] == "svc")
