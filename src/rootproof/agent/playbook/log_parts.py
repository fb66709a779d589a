"""The parts of log lines that are read as values: peers, names, commands, numbers with their limits, durations."""

from __future__ import annotations

import re

_HOST = r"[ :='\"(]+(?:https?://|tcp://|[a-z]+://)?([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)"
_PEERS = tuple(
    re.compile(rf"(?:{cue}){_HOST}")
    for cue in (
        "ENOTFOUND|EAI_AGAIN|UnknownHostException",
        r"\b[Ss]erver on",
        r"\bto node -?\d+|\b[Cc]onnection refused(?=: [\w.-]+/)",
        r"\b[Ll]ookup|\b[Rr]esolve(?: host(?:name)?)?",
        r"\b[Cc]onnect(?:ing|ion)? to(?: server(?: at)?)?",
        r"\b[Dd]ial tcp|\b[Hh]ost(?:name)?",
    )
)
_NAMED = re.compile(
    r"(?:\b[Rr]each|\bfrom|\bto|\bupstream|\bcalling) (?:https?://)?([A-Za-z]\w*(?:[.-]\w+)+|[A-Za-z]\w+(?=:\d))"
)
"""After a common word only what is written like a host or a service counts."""
_URL = re.compile(r"(?:https?|grpcs?|tcp|amqps?|rediss?|postgres(?:ql)?|mysql|mongodb|kafka|nats)://(?:[^\s/@]{1,80}@)?"
                  r"([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)")  # fmt: skip
"""The host of the address that was called."""
_CLUSTER_NAME = re.compile(r"\b([a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.svc)\b")
_NOT_PEERS = frozenset(
    [
        "failed",
        "error",
        "failure",
        "timeout",
        "localhost",
        "the",
        "a",
        "an",
        "connect",
        "connection",
        "server",
        "database",
        "db",
        "host",
        "upstream",
        "service",
        "server's",
        "tcp",
        "dial",
        "lookup",
        "on",
        "is",
        "was",
        "its",
    ]
)


TOLD_BY_PEER = re.compile(r"remote error|\balert \w+ ?certificate|received (?:fatal )?alert", re.IGNORECASE)
"""The other side of a handshake complains: whose certificate it is, the line does not say."""


def peer(text: str) -> str | None:
    """The host or service that a failing call names, most specific cue first."""
    # A proxy's line ends in the host that its own client asked for.
    text = text.split(', host: "', maxsplit=1)[0] if 'upstream: "' in text else text
    for pattern in (*_PEERS, _NAMED, _URL, _CLUSTER_NAME):
        for found in pattern.finditer(text):
            if found.group(1).lower() not in _NOT_PEERS:
                return found.group(1)
    return None


_CERTIFICATE_FLAWS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), flaw)
    for pattern, flaw in (
        (r"not yet valid: current time \S{1,40} is before|notyetvalid", "is not yet valid"),
        (r"expired|not ?after", "has expired"),
        (r"not yet valid", "is not yet valid"),
        (r"unknown authority|self[- ]signed|not trusted|issuer certificate|path building|untrusted", "is not trusted"),
        (r"doesn't match|not match|mismatch", "does not match the name"),
        (r"not valid for|is valid for", "is valid for another name"),
        (r"revoked", "is revoked"),
    )
)


def certificate_flaw(text: str) -> str | None:
    """What a line says is wrong with a certificate; None where it does not say."""
    return next((flaw for pattern, flaw in _CERTIFICATE_FLAWS if pattern.search(text)), None)


ENV_NAME = re.compile(r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b")
COMMAND = re.compile(
    r"exec: \\?\"?([A-Za-z0-9_./-]+)\\?\"?: (?:executable file )?not found|([A-Za-z0-9_./-]+): (?:command )?not found"
)
OF_LIMIT = re.compile(r"\b(\d[\d,]*) (?:of|out of|/) (\d[\d,]*)\b")
MAXIMUM = re.compile(r"(?:maximum|max_connections|max|limit)(?: of| is| =|=|:)? ?(\d[\d,]*)", re.IGNORECASE)
CURRENTLY = re.compile(r"(?:has|count at|count is|connections:?|count:) ?(\d[\d,]*)(?: connections)?", re.IGNORECASE)
REMAINING = re.compile(
    r"(\d+(?:\.\d+)?) ?([KMGT]i?B) (?:free|remaining|left|available) of (\d+(?:\.\d+)?) ?([KMGT]i?B)", re.IGNORECASE
)
DURATION = re.compile(
    r"\b(?:completed|complete|finished|took|rendered|elapsed|duration|responded|returned|processed|executed"
    r"|latency|(?:response|request)_?time|time_?taken)\W{1,3}(?:in |after )?"
    r"(\d+(?:\.\d+)?) ?(s|sec|secs|seconds|ms|millis|milliseconds|min|minutes)\b",
    re.IGNORECASE,
)
