"""Tables of patterns: how often, since when, at which level, with one line as it was written.

Invariant: the counts of all rows and `other` add up to the records seen. Records are read once and not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from rootproof.domain.window import iso
from rootproof.logs.masking import ShapeReader, pattern_text
from rootproof.logs.parse import parse
from rootproof.logs.patterns import mine
from rootproof.logs.patterns_fast import MinedLines
from rootproof.logs.record import Level, LogRecord, severity
from rootproof.logs.templates import MAX_SHAPES, OTHER, pattern_id, templates_of

_EXAMPLE_CHARS = 500


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One pattern, over all levels and services."""

    id: str
    """Depends on the message only, never on level or service."""
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
    smallest: str = ""
    """What the template is drawn from: the same choice whatever the order."""

    def add(self, record: LogRecord, index: int) -> None:
        text = pattern_text(record.message)
        if self.count == 0:
            self.example, self.index, self.smallest = record.message, index, text
        elif text < self.smallest:
            self.smallest = text
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
    tallies = _Tallies()
    tallies.read(records)
    mined = templates_of([(tally.smallest, tally.count) for tally in tallies.found.values()])
    groups: dict[int, list[tuple[_Key, _Tally]]] = {}
    for (key, tally), index in zip(tallies.found.items(), mined.assignment, strict=True):
        if index == OTHER:
            tallies.other += tally.count
            continue
        groups.setdefault(index, []).append((key, tally))
    rows = [_row(mined.templates[index], members) for index, members in groups.items()]
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


def of_lines(mined: MinedLines) -> PatternTable:
    """The table of physical lines (`--format plain`): levels as the example lines say them, no service and no times."""
    rows = []
    unparsed = position = 0
    for template, count, example in zip(mined.templates, mined.counts, mined.examples, strict=True):
        record = next(parse([example]), None)
        level = record.level if record else None
        unparsed += count if record is None or (record.timestamp is None and level is None) else 0
        levels: dict[str, int] = {level: count} if level else {}
        shown = example[:_EXAMPLE_CHARS]
        rows.append(PatternRow(pattern_id(template), template, count, level, None, None, None, shown, levels, position))
        position += count
    return PatternTable(mined.scanned, unparsed, tuple(rows), mined.other)


def line_ids(files: Mapping[str, Sequence[LogRecord]]) -> Iterator[tuple[str, int, str]]:
    """(file, line, pattern id) of each physical line of a record, by file and line; ids as in `tabulate`."""
    mined = mine([record.message for records in files.values() for record in records])
    ids = [pattern_id(template) for template in mined.templates]
    indexes = iter(mined.assignment)
    for name, records in files.items():
        found: dict[int, str] = {}
        for record, index in zip(records, indexes, strict=False):
            for line in range(record.line, record.line + record.lines):
                found.setdefault(line, "other" if index == OTHER else ids[index])
        yield from ((name, line, found[line]) for line in sorted(found))


def as_json(table: PatternTable) -> dict[str, Any]:
    """`{scanned, unparsed, patterns: [...], other}`, the body of `logs patterns --json`."""
    return {
        "scanned": table.scanned,
        "unparsed": table.unparsed,
        "patterns": [
            {
                "id": row.id,
                "pattern": row.pattern,
                "level": row.level,
                "service": row.service,
                "count": row.count,
                "firstSeen": iso(row.first) if row.first else None,
                "lastSeen": iso(row.last) if row.last else None,
                "example": row.example,
            }
            for row in table.rows
        ],
        "other": table.other,
    }
