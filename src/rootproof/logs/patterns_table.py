"""Tables of patterns: how often, since when, at which level, with one line as it was written.

Invariant: the counts of all rows and `other` add up to the records seen. Records are read once and not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rootproof.domain.window import iso
from rootproof.logs.marks import InWindows, in_last_quarter, marks_of
from rootproof.logs.masking import ShapeReader
from rootproof.logs.parse import parse
from rootproof.logs.patterns_fast import MinedLines
from rootproof.logs.record import Level, LogRecord, severity
from rootproof.logs.table_grid import Counts, Grid
from rootproof.logs.table_tallies import Erased, Key, Position, Tallies, Tally
from rootproof.logs.templates import OTHER, pattern_id, templates_of

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
    position: Position
    """The file and line of the first record."""
    buckets: tuple[int, ...] = ()
    """Records with a time in each bucket of the table, in order."""


@dataclass(frozen=True, slots=True)
class PatternTable:
    """All patterns of some records. `sum(row.count) + other == scanned`."""

    scanned: int
    unparsed: int
    """Records with neither a time nor a level: lines in no known format."""
    rows: tuple[PatternRow, ...]
    """Those with the worst records first, the most of them before the rest."""
    other: int
    grid: Grid = field(default_factory=Grid)
    """The buckets of all rows."""


class PatternIds:
    """The pattern id of any message of the records that a table was made of."""

    def __init__(self, ids: Mapping[Erased, str]) -> None:
        self._ids = ids
        self._reader = ShapeReader()

    def of(self, message: str) -> str:
        """The id, or `other` where the message has none."""
        return self._ids.get(self._reader.erased(message), "other")


def tabulate(records: Iterable[LogRecord]) -> PatternTable:
    """The patterns of `records` of one file, one row each."""
    tallies = Tallies()
    for record in records:
        tallies.record(record, 0)
    return table_of(tallies)[0]


def table_of(tallies: Tallies) -> tuple[PatternTable, PatternIds]:
    """The table of what was counted, and the ids of the messages in it."""
    mined = templates_of([(tally.smallest, tally.count) for tally in tallies.found.values()])
    names = [pattern_id(template) for template in mined.templates]
    groups: dict[int, list[tuple[Key, Tally]]] = {}
    ids: dict[Erased, str] = {}
    other = tallies.other
    for (key, tally), index in zip(tallies.found.items(), mined.assignment, strict=True):
        if index == OTHER:
            other += tally.count
            continue
        groups.setdefault(index, []).append((key, tally))
        ids[key.erased] = names[index]
    rows = [_row(mined.templates[index], names[index], members, tallies.grid) for index, members in groups.items()]
    rows.sort(key=_order)
    return PatternTable(tallies.scanned, tallies.unparsed, tuple(rows), other, tallies.grid), PatternIds(ids)


def _order(row: PatternRow) -> tuple[int, int, int, int, tuple[int, int]]:
    """By the worst level that any record has, and by how many have it: a call that fails at times is no calm one."""
    worst, times = next(iter(row.levels.items()), (None, 0))
    return -severity(worst), -times, -severity(row.level), -row.count, row.position


def _row(template: str, name: str, members: list[tuple[Key, Tally]], grid: Grid) -> PatternRow:
    total = Tally(Counts(grid.width, {}))
    levels: Counter[str] = Counter()
    plain = 0
    for key, tally in members:
        total.add(tally.seen())
        total.buckets.absorb(tally.buckets, grid)
        if key.level is None:
            plain += tally.count
        else:
            levels[key.level] += tally.count
    services = {key.service for key, _ in members}
    commonest = max(levels, key=lambda level: (levels[level], severity(level)), default=None)
    return PatternRow(
        id=name,
        pattern=template,
        count=total.count,
        level=commonest if commonest and levels[commonest] >= plain else None,  # type: ignore[arg-type]
        service=services.pop() if len(services) == 1 else None,
        first=total.first,
        last=total.last,
        example=total.example[:_EXAMPLE_CHARS],
        levels={level: levels[level] for level in sorted(levels, key=severity, reverse=True)},
        position=total.position,
        buckets=grid.dense(total.buckets.counts),
    )


def of_lines(mined: MinedLines) -> PatternTable:
    """The table of physical lines (`--format plain`): levels as the example lines say them, no service and no times."""
    rows = []
    unparsed = 0
    for template, count, example in zip(mined.templates, mined.counts, mined.examples, strict=True):
        record = next(parse([example]), None)
        level = record.level if record else None
        unparsed += count if record is None or (record.timestamp is None and level is None) else 0
        levels: dict[str, int] = {level: count} if level else {}
        shown = example[:_EXAMPLE_CHARS]
        rows.append(PatternRow(pattern_id(template), template, count, level, None, None, None, shown, levels, (0, 0)))
    return PatternTable(mined.scanned, unparsed, tuple(rows), mined.other)


def marks(table: PatternTable, windows: Mapping[str, InWindows] | None = None) -> list[tuple[str, ...]]:
    """The marks of each row; `windows` by pattern id, else those of the last quarter of the buckets."""
    return [
        marks_of(
            row.count,
            table.scanned,
            row.buckets,
            in_last_quarter(row.buckets) if windows is None else windows.get(row.id),
        )
        for row in table.rows
    ]


def as_json(table: PatternTable, windows: Mapping[str, InWindows] | None = None) -> dict[str, Any]:
    """`{scanned, unparsed, patterns: [...], other, buckets}`, the body of `logs patterns --json`."""
    start = table.grid.start()
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
                "levels": row.levels,
                "marks": list(found),
                "buckets": list(row.buckets),
            }
            for row, found in zip(table.rows, marks(table, windows), strict=True)
        ],
        "other": table.other,
        "buckets": None if start is None else {"start": iso(start), "seconds": table.grid.width / 1_000_000},
    }
