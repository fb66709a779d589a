"""Tables of patterns: how often, since when, at which level, with one line as it was written.

Invariant: the counts of all rows and `other` add up to the records seen. Records are read once and not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from rootproof.logs.masking import ShapeReader
from rootproof.logs.patterns import MAX_SHAPES, OTHER, pattern_id, templates_of
from rootproof.logs.record import Level, LogRecord, severity

_EXAMPLE_CHARS = 500


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One pattern, within one level and service or over all of them."""

    id: str
    """Depends on the message only: rows of one pattern at two levels have one id."""
    pattern: str
    count: int
    level: Level | None
    """The commonest level; the more severe of two that are as common."""
    service: str | None
    """The service, when all its records have the same."""
    first: datetime | None
    last: datetime | None
    example: str
    """The first record's message, cut to `_EXAMPLE_CHARS`."""
    levels: dict[str, int]
    """Records per level, those without one left out."""
    first_index: int
    """The position of the first record among those seen, from 0."""


@dataclass(frozen=True, slots=True)
class PatternTable:
    """All patterns of some records. `sum(row.count) + other == scanned`."""

    scanned: int
    unparsed: int
    """Records with neither a time nor a level: lines in no known format."""
    rows: tuple[PatternRow, ...]
    """Most severe first, then the most frequent."""
    other: int


class _Key(NamedTuple):
    erased: tuple[tuple[str, ...], ...]
    level: Level | None
    service: str | None


@dataclass(slots=True)
class _Tally:
    count: int = 0
    first: datetime | None = None
    last: datetime | None = None
    example: str = ""
    index: int = 0

    def add(self, record: LogRecord, index: int) -> None:
        if self.count == 0:
            self.example, self.index = record.message, index
        self.count += 1
        self._see(record.timestamp, record.timestamp)

    def absorb(self, other: _Tally) -> None:
        if self.count == 0 or other.index < self.index:
            self.example, self.index = other.example, other.index
        self.count += other.count
        self._see(other.first, other.last)

    def _see(self, first: datetime | None, last: datetime | None) -> None:
        if first is not None and (self.first is None or first < self.first):
            self.first = first
        if last is not None and (self.last is None or last > self.last):
            self.last = last


@dataclass(slots=True)
class _Tallies:
    """What was counted so far, by shape, level and service; bounded by `MAX_SHAPES` keys."""

    scanned: int = 0
    unparsed: int = 0
    other: int = 0
    found: dict[_Key, _Tally] = field(default_factory=dict)

    def read(self, records: Iterable[LogRecord]) -> None:
        reader = ShapeReader()
        for index, record in enumerate(records):
            self.scanned += 1
            self.unparsed += record.timestamp is None and record.level is None
            key = _Key(reader.erased(record.message), record.level, record.service)
            tally = self.found.get(key)
            if tally is None:
                if len(self.found) >= MAX_SHAPES:
                    self.other += 1
                    continue
                tally = self.found[key] = _Tally()
            tally.add(record, index)


def tabulate(records: Iterable[LogRecord]) -> PatternTable:
    """The patterns of `records`, one row each."""
    return _table(records, split=False)


def tabulate_by_level_and_service(records: Iterable[LogRecord]) -> PatternTable:
    """The patterns of `records`, one row for each pattern, level and service: what the query-log projection shows."""
    return _table(records, split=True)


def _table(records: Iterable[LogRecord], *, split: bool) -> PatternTable:
    tallies = _Tallies()
    tallies.read(records)
    mined = templates_of([(tally.example, tally.count) for tally in tallies.found.values()])
    groups: dict[tuple[object, ...], list[tuple[_Key, _Tally]]] = {}
    for (key, tally), index in zip(tallies.found.items(), mined.assignment, strict=True):
        if index == OTHER:
            tallies.other += tally.count
            continue
        group = (index, key.level, key.service) if split else (index,)
        groups.setdefault(group, []).append((key, tally))
    rows = [_row(mined.templates[int(str(group[0]))], members) for group, members in groups.items()]
    rows.sort(key=lambda row: (-severity(row.level), -row.count, row.first_index))
    return PatternTable(tallies.scanned, tallies.unparsed, tuple(rows), tallies.other)


def _row(template: str, members: list[tuple[_Key, _Tally]]) -> PatternRow:
    total = _Tally()
    levels: Counter[str] = Counter()
    plain = 0
    for key, tally in members:
        total.absorb(tally)
        if key.level is None:
            plain += tally.count
        else:
            levels[key.level] += tally.count
    services = {key.service for key, _ in members}
    commonest = max(levels, key=lambda level: (levels[level], severity(level)), default=None)
    return PatternRow(
        id=pattern_id(template),
        pattern=template,
        count=total.count,
        level=commonest if commonest and levels[commonest] >= plain else None,  # type: ignore[arg-type]
        service=services.pop() if len(services) == 1 else None,
        first=total.first,
        last=total.last,
        example=total.example[:_EXAMPLE_CHARS],
        levels={level: levels[level] for level in sorted(levels, key=severity, reverse=True)},
        first_index=total.index,
    )
