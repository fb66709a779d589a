"""Outputs that come from nodes and debug pods: `systemctl status`, `nc -zv`, and lineage trees."""

from __future__ import annotations

import re

from rootproof.cluster.model import Pod, Workload
from rootproof.cluster.observations import Connectivity, NodeService
from rootproof.cluster.reading.commands import WORKLOAD_KINDS, Command, canonical_kind
from rootproof.domain.cutting import within

_MAX_CHARS = 100_000
"""More than any status or connection test writes."""
_ACTIVE = re.compile(r"(?m)^\s*Active:\s*(?P<state>[a-z-]+(?: \((?!Result:)[^)]{1,40}\))?)(?P<rest>[^\n]*)")
_UNIT = re.compile(r"(?m)^\s*(?:Status:\s*)?[●○×*]?\s*(?P<unit>[A-Za-z0-9@_.-]+)\.service\b")
_NODE_LINE = re.compile(r"(?m)^Node:\s*(\S+)")
_LOG_LINE = re.compile(r"[A-Z][a-z]{2} \d{2} \d{2}:\d{2}:\d{2} ")
_NOT_FOUND = re.compile(r"(?m)Unit (\S+?)(?:\.service)? could not be found")
_FROM = re.compile(r"(?:deployed on|from)\s+(?:node\s+)?(?P<place>[A-Za-z0-9][A-Za-z0-9.-]*)\s*:", re.IGNORECASE)
_CONNECTED = re.compile(r"succeeded|\bopen\b|connected to", re.IGNORECASE)
_REFUSED = re.compile(
    r"failed|refused|timed out|timeout|unreachable|bad address|no route|could not resolve", re.IGNORECASE
)
_TREE = re.compile(r"^[\s│├└─|`+-]*(?P<kind>[A-Z][A-Za-z]+)/(?P<name>\S+)\s+(?P<rest>.*)$")


def unit_status(command: Command, text: str) -> NodeService | None:
    """The systemd unit of a `systemctl status` output; None when the text is none."""
    text = within(text, _MAX_CHARS)
    missing = _NOT_FOUND.search(text)
    node = _NODE_LINE.search(text)
    where = node[1] if node is not None else command.node or ""
    if missing is not None:
        return NodeService(node=where, unit=missing[1], active="not-found")
    active = _ACTIVE.search(text)
    if active is None:
        return None
    unit = _UNIT.search(text)
    name = unit["unit"] if unit is not None else next(iter(command.arguments), "").removesuffix(".service")
    result = re.search(r"\(Result: ([a-z-]+)\)", active["rest"])
    lines = [line.strip() for line in text.splitlines() if _LOG_LINE.match(line.strip())]
    return NodeService(
        node=where,
        unit=name,
        active=active["state"],
        since_text=active["rest"].strip(" ;").removeprefix("since ").strip() or None,
        result=result[1] if result is not None else None,
        last_lines=tuple(within(line, 400) for line in lines[-5:]),
    )


def connectivity(command: Command, text: str) -> Connectivity | None:
    """The connection test of an `nc -zv HOST PORT` output; None when host or port are missing."""
    plain = [word for word in command.arguments if not word.startswith("-")]
    if len(plain) < 2 or not plain[-1].isdigit() or len(plain[-1]) > 5:
        return None
    outcomes: list[tuple[str | None, bool | None]] = []
    place: str | None = None
    outcome: bool | None = None
    seen = False
    for line in within(text, _MAX_CHARS).splitlines():
        match = _FROM.search(line)
        if match is not None:
            if seen:
                outcomes.append((place, outcome))
            place, outcome, seen = match["place"], None, True
        verdict = _verdict(line[match.end() :] if match is not None else line)
        if verdict is not None:
            # "Connection Failed" is the last word of a test, whatever the lines before it said.
            outcome, seen = verdict, True
    if seen:
        outcomes.append((place, outcome))
    return Connectivity(host=plain[-2], port=int(plain[-1]), outcomes=tuple(outcomes)) if outcomes else None


def _verdict(line: str) -> bool | None:
    if _REFUSED.search(line):
        return False
    return True if _CONNECTED.search(line) else None


def lineage(text: str, namespace: str | None) -> list[object] | None:
    """The workloads and pods of an ownership tree; None when the text is none.

    A child of a workload knows its owner, so that pods can be counted for it.
    """
    found: list[object] = []
    owners: list[tuple[int, str, str]] = []
    where = namespace or "default"
    seen = False
    for line in text.splitlines():
        match = _TREE.match(line)
        if match is None:
            continue
        seen = True
        depth, kind = match.start("kind"), canonical_kind(match["kind"])
        while owners and owners[-1][0] >= depth:
            owners.pop()
        owner = owners[-1] if owners else None
        owners.append((depth, kind, match["name"]))
        found.extend(_tree_object(kind, match["name"], match["rest"], where, owner))
    return found if seen else None


def _tree_object(kind: str, name: str, rest: str, namespace: str, owner: tuple[int, str, str] | None) -> list[object]:
    cells = re.split(r"\s{2,}", rest.strip())
    ratio = re.fullmatch(r"(\d{1,6})/(\d{1,6})", cells[0]) if cells else None
    ready = int(ratio[1]) if ratio else None
    total = int(ratio[2]) if ratio else None
    owner_kind, owner_name = (owner[1], owner[2]) if owner is not None and owner[1] in WORKLOAD_KINDS else (None, None)
    if kind == "pod":
        status = cells[1] if len(cells) > 2 else None
        return [
            Pod(
                name,
                namespace,
                status=status,
                ready_containers=ready,
                total_containers=total,
                owner_kind=owner_kind,
                owner_name=owner_name,
            )
        ]
    if kind in WORKLOAD_KINDS:
        return [
            Workload(kind, name, namespace, desired=total, ready=ready, owner_kind=owner_kind, owner_name=owner_name)
        ]
    return []
