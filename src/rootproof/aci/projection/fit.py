"""Bounds of a projection: numbered items, an exact byte budget, and an honest account of what was left out.

Trim order (seed single-react-rag-log-projections): the last section loses items first, the one with the highest place
before the others, so a section that a projector lists first is the last to lose anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from rootproof.redaction import hidden_tags

_ID_ROOM = len('"evidence_id":"E999999",')


@dataclass(frozen=True, slots=True)
class Item:
    """One citable thing of a projection, before it has its evidence id."""

    fields: dict[str, Any]
    """What the model sees of it."""
    text: str
    """The same in one line: what claims are checked against."""
    subject: str | None = None
    source: str = ""
    first_at: datetime | None = None
    last_at: datetime | None = None
    count: int | None = None
    cls: EvidenceClass | None = None
    """Where it is another class than the rest of the projection: a past case among documents."""
    place: int = 0
    """How important it is in its section, 0 the most; of those that are equal the last is dropped first."""


@dataclass(slots=True)
class Projection:
    """A projection under construction. `sections` are in order of importance."""

    tool: str
    tool_call_id: str
    cls: EvidenceClass
    head: dict[str, Any]
    """Scope, totals and everything that is not an item."""
    sections: dict[str, list[Item]]
    omitted: dict[str, int] = field(default_factory=dict)
    """How many of each were left out so far; a section's own trimmings are added here."""
    scanned: int | None = None
    shown_by: str | None = None
    """The section whose items stand for records by their counts; None where every item is one thing."""
    facts: tuple[str, ...] = ()
    details: dict[str, Any] | None = None
    counted_as: dict[str, str] = field(default_factory=dict)
    """Where a section's trimmings are counted in `omitted`, if not under its own name."""

    @property
    def shown(self) -> int:
        """How much of what was scanned the items stand for."""
        if self.shown_by is None:
            return len(self.items)
        return sum(item.count or 1 for item in self.sections[self.shown_by])

    @property
    def items(self) -> list[Item]:
        """All items, in the order in which they get their ids."""
        return [item for section in self.sections.values() for item in section]


class EvidenceNumbering:
    """Gives out `E1`, `E2`, ... of one run."""

    def __init__(self, used: int = 0) -> None:
        self._used = used

    def __next__(self) -> str:
        self._used += 1
        return f"E{self._used}"

    def __iter__(self) -> Iterator[str]:
        return self


def encode(value: Any) -> str:
    """Compact JSON that always encodes to UTF-8: a lone surrogate becomes a visible escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def clip(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, the cut marked. Only for text that is already redacted."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def finish(projection: Projection, limits: ToolProjectionLimits, numbering: EvidenceNumbering) -> ProjectedToolResult:
    """Trim to the byte budget, give out evidence ids and serialise.

    Raises: ProjectionError when not even one item fits beside the head.
    """
    total = len(projection.items)
    _trim(projection, limits.max_bytes)
    items = projection.items
    if total and not items:
        raise ProjectionError(
            f"no item of {projection.tool} fits into {limits.max_bytes} bytes beside its own head; narrow the request"
        )
    status = InvocationStatus.OK if items else InvocationStatus.NO_EVIDENCE
    omitted = {name: count for name, count in projection.omitted.items() if count}
    evidence: list[Evidence] = []
    body: dict[str, Any] = {"status": status.value, **projection.head}
    body |= {"shown": projection.shown, "truncated": bool(omitted), "omitted": omitted}
    for name, section in projection.sections.items():
        body[name] = [_numbered(projection, item, next(numbering), evidence) for item in section]
    hidden = sum(hidden_tags(item.text) for item in items)
    if hidden:
        body["hidden_text_taken_out"] = hidden
    text = encode(body)
    if len(text.encode()) > limits.max_bytes:
        raise ProjectionError(
            f"the head of {projection.tool} alone is over {limits.max_bytes} bytes; narrow the request"
        )
    return ProjectedToolResult(
        status=status,
        text=text,
        evidence=tuple(evidence),
        scanned=projection.scanned,
        shown=projection.shown,
        truncated=bool(omitted),
        facts=projection.facts or tuple(item.text for item in items),
        details=projection.details,
    )


def _numbered(projection: Projection, item: Item, evidence_id: str, into: list[Evidence]) -> dict[str, Any]:
    into.append(
        Evidence(
            id=evidence_id,
            cls=item.cls or projection.cls,
            tool=projection.tool,
            tool_call_id=projection.tool_call_id,
            text=item.text,
            source=item.source,
            subject=item.subject,
            first_at=item.first_at,
            last_at=item.last_at,
            count=item.count,
        )
    )
    return {"evidence_id": evidence_id, **item.fields}


def size_of(item: Item) -> int:
    """The bytes that an item takes, its evidence id included."""
    return len(encode(item.fields).encode()) + _ID_ROOM + 1


def _trim(projection: Projection, max_bytes: int) -> None:
    """Drop the least important items, last section first, until the serialised size fits."""
    head = {**projection.head, "omitted": dict.fromkeys([*projection.omitted, *projection.sections], 999_999)}
    size = len(encode(head).encode()) + 120 + sum(len(name) + 6 for name in projection.sections)
    sizes = {name: [size_of(item) for item in section] for name, section in projection.sections.items()}
    size += sum(map(sum, sizes.values()))
    for name in reversed(projection.sections):
        while size > max_bytes and projection.sections[name]:
            section = projection.sections[name]
            least = max(range(len(section)), key=lambda at: (section[at].place, at))
            section.pop(least)
            size -= sizes[name].pop(least)
            left_out = projection.counted_as.get(name, name)
            projection.omitted[left_out] = projection.omitted.get(left_out, 0) + 1
