"""What a detector gives back, and which of several overlapping finds wins.

Invariant: findings of one text are ordered, do not overlap, never cover a placeholder of ours, and never hold a value.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

Span = tuple[int, int, str]
"""A candidate: start, end (code points, half-open) and kind."""

SECRET: Final = "secret:"  # noqa: S105 -- the name of a kind
"""Every credential kind starts with this."""

VOLATILE_KINDS: Final = frozenset({"sql", "stack", "addr"})
"""Noise that says nothing about the cause: SQL literals, stack frames, memory addresses."""

PLACEHOLDER: Final = re.compile(
    r"<(?:secret:[a-z][a-z0-9-]{0,31}:\d{1,9}"
    r"|(?:ip|mac|email|host|node|pid|card|iban|phone|pod|addr|sql|stack):\d{1,9}"
    r"|pod:[a-z0-9][a-z0-9.-]{0,252}-\d{1,9}"
    r"|stack|addr)>"
)
"""Our own placeholders. Nothing inside one is ever a finding, so redacting twice changes nothing."""


class FindingClass(StrEnum):
    """Why a piece of text is replaced, which decides whether it may ever be shown again."""

    CREDENTIAL = "CREDENTIAL"
    """Never shown again, anywhere."""
    IDENTIFIER = "IDENTIFIER"
    """The owner may see it again; a model may not."""
    VOLATILE = "VOLATILE"
    """Not sensitive by itself; replaced because it varies without meaning or may hold user data."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of a text that must be replaced. It never holds the value."""

    kind: str
    """`secret:<type>`, or one of ip, mac, email, host, pod, node, pid, card, iban, phone, sql, stack, addr."""
    start: int
    """Offset of the first code point."""
    end: int
    """Offset behind the last code point."""
    cls: FindingClass


def class_of(kind: str) -> FindingClass:
    """Return the class that a kind belongs to."""
    if kind.startswith(SECRET):
        return FindingClass.CREDENTIAL
    return FindingClass.VOLATILE if kind in VOLATILE_KINDS else FindingClass.IDENTIFIER


def findings_of(spans: list[Span]) -> list[Finding]:
    """Return the spans as findings."""
    return [Finding(kind, start, end, class_of(kind)) for start, end, kind in spans]


def resolve(text: str, candidates: Iterable[Span]) -> list[Span]:
    """Return what remains of `candidates`, in order.

    Credentials that overlap become one finding over both (no tail of either stays readable). Whatever overlaps a
    credential gives way. Among the rest the longest wins, and the first of equals.
    """
    secrets: list[Span] = []
    others: list[Span] = []
    for span in candidates:
        (secrets if span[2].startswith(SECRET) else others).append(span)
    if not secrets and not others:
        return []
    taken = _merged(secrets)
    blocked = taken
    if "<" in text:
        holes = [(m.start(), m.end(), "") for m in PLACEHOLDER.finditer(text)]
        if holes:
            taken = [piece for span in taken for piece in _subtract(text, span, holes)]
            blocked = sorted([*taken, *holes])
    accepted = _longest_first(text, others, blocked) if others else []
    if not accepted or not taken:
        return accepted or taken
    return sorted([*taken, *accepted])


def _merged(spans: list[Span]) -> list[Span]:
    """Return the unions of overlapping spans, in order; each is named after its longest member."""
    if len(spans) < 2:
        return spans
    ordered = sorted(spans, key=lambda span: span[0])
    out: list[Span] = []
    start, end, kind = ordered[0]
    longest = end - start
    for next_start, next_end, next_kind in ordered[1:]:
        if next_start >= end:
            out.append((start, end, kind))
            start, end, kind = next_start, next_end, next_kind
            longest = end - start
            continue
        if next_end - next_start > longest:
            longest, kind = next_end - next_start, next_kind
        end = max(end, next_end)
    out.append((start, end, kind))
    return out


def _subtract(text: str, span: Span, holes: list[Span]) -> list[Span]:
    """Return what is left of `span` outside the ordered `holes`; pieces without a letter or digit are dropped."""
    start, end, kind = span
    pieces: list[Span] = []
    index = max(bisect_left(holes, (start, 0, "")) - 1, 0)
    position = start
    while index < len(holes) and holes[index][0] < end:
        hole_start, hole_end, _ = holes[index]
        if hole_end > position:
            if hole_start > position:
                pieces.append((position, hole_start, kind))
            position = hole_end
        index += 1
    if position < end:
        pieces.append((position, end, kind))
    if len(pieces) == 1 and pieces[0] == span:
        return pieces
    return [piece for piece in pieces if any(map(str.isalnum, text[piece[0] : piece[1]]))]


def _longest_first(text: str, spans: list[Span], blocked: list[Span]) -> list[Span]:
    """Return the accepted ones of `spans`, in order; a volatile one that holds a blocked piece keeps the rest."""
    ordered = sorted(spans)
    if not blocked and all(map(_is_before, ordered, ordered[1:])):
        return ordered
    accepted: list[Span] = []
    contested: list[Span] = []
    crowd = sorted([*((span, False) for span in spans), *((span, True) for span in blocked)], key=_bounds)
    reach = -1
    for index, (span, is_blocked) in enumerate(crowd):
        lonely = span[0] >= reach and (index + 1 == len(crowd) or crowd[index + 1][0][0] >= span[1])
        reach = max(reach, span[1])
        if not is_blocked:
            (accepted if lonely else contested).append(span)
    if contested:
        accepted = sorted([*accepted, *_contest(text, contested, blocked)])
    return accepted


def _is_before(first: Span, second: Span) -> bool:
    return first[1] <= second[0]


def _bounds(item: tuple[Span, bool]) -> tuple[int, int]:
    return item[0][:2]


def _contest(text: str, spans: list[Span], blocked: list[Span]) -> list[Span]:
    """Return the winners among spans that overlap each other or a blocked one."""
    taken = list(blocked)
    accepted: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if _free(span, taken):
            insort(taken, span)
            accepted.append(span)
        elif span[2] in VOLATILE_KINDS:
            for piece in _subtract(text, span, taken):
                insort(taken, piece)
                accepted.append(piece)
    return accepted


def _free(span: Span, taken: list[Span]) -> bool:
    index = bisect_left(taken, (span[0], 0, ""))
    if index < len(taken) and taken[index][0] < span[1]:
        return False
    return index == 0 or taken[index - 1][1] <= span[0]
