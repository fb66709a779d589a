"""What a table of patterns counts while records go by: bounded, in one pass, from records or from whole batches.

Invariant: the counts of all tallies and `other` add up to `scanned`, and a batch counts as its records would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rootproof.logs.fast_stamps import instant_of, micros_of
from rootproof.logs.masking import ShapeReader, pattern_text
from rootproof.logs.record import Level, LogRecord
from rootproof.logs.table_grid import Counts, Grid
from rootproof.logs.templates import MAX_SHAPES

if TYPE_CHECKING:
    import polars as pl

    from rootproof.logs.fast_kinds import Kind
    from rootproof.logs.fast_records import Batch

Erased = tuple[tuple[str, ...], ...]
Position = tuple[int, int]
"""The number of the file and of the line in it."""


class Key(NamedTuple):
    """What one tally counts."""

    erased: Erased
    level: Level | None
    service: str | None


class Seen(NamedTuple):
    """Some records of one key."""

    records: int
    smallest: str
    """The smallest of their pattern texts."""
    example: str
    """The message of the first of them."""
    position: Position
    first: datetime | None
    last: datetime | None


@dataclass(slots=True)
class Tally:
    """The records of one key so far."""

    buckets: Counts
    count: int = 0
    first: datetime | None = None
    last: datetime | None = None
    example: str = ""
    position: Position = (0, 0)
    smallest: str = ""
    """What the template is drawn from: the same choice whatever the order."""

    def add(self, seen: Seen) -> None:
        """Count some more records."""
        if self.count == 0 or seen.position < self.position:
            self.example, self.position = seen.example, seen.position
        if self.count == 0 or seen.smallest < self.smallest:
            self.smallest = seen.smallest
        self.count += seen.records
        if seen.first is not None and (self.first is None or seen.first < self.first):
            self.first = seen.first
        if seen.last is not None and (self.last is None or seen.last > self.last):
            self.last = seen.last

    def seen(self) -> Seen:
        """All of it, to be added to another one."""
        return Seen(self.count, self.smallest, self.example, self.position, self.first, self.last)


@dataclass(slots=True)
class Tallies:
    """Counts by shape, level and service; at most `MAX_SHAPES` keys."""

    grid: Grid = field(default_factory=Grid)
    scanned: int = 0
    unparsed: int = 0
    other: int = 0
    found: dict[Key, Tally] = field(default_factory=dict)
    _reader: ShapeReader = field(default_factory=ShapeReader)
    _erased: dict[int, Erased] = field(default_factory=dict)

    def record(self, record: LogRecord, file: int) -> None:
        """Count one record."""
        time = record.timestamp
        key = Key(self._reader.erased(record.message), record.level, record.service)
        bucket = None
        if time is not None:
            micros = micros_of(time)
            self.grid.see(micros, micros)
            bucket = self.grid.index(micros)
        text = pattern_text(record.message)
        self._add(key, Seen(1, text, record.message, (file, record.line), time, time), bucket)

    def batch(self, batch: Batch, kinds: Sequence[Kind], file: int) -> None:
        """Count a batch, its rows as their records would be."""
        self._make_room(batch)
        waiting = iter(batch.records)
        record = next(waiting, None)
        for line, key, seen, bucket in self._groups(batch.rows, kinds, file):
            while record is not None and record.line < line:
                self.record(record, file)
                record = next(waiting, None)
            self._add(key, seen, bucket)
        while record is not None:
            self.record(record, file)
            record = next(waiting, None)

    def _make_room(self, batch: Batch) -> None:
        """See the times of a batch before its buckets are numbered."""
        times = [micros_of(record.timestamp) for record in batch.records if record.timestamp is not None]
        if batch.rows is not None:
            micros = batch.rows["micros"]
            times += [found for found in (micros.min(), micros.max()) if isinstance(found, int)]
        if times:
            self.grid.see(min(times), max(times))

    def _groups(
        self, rows: pl.DataFrame | None, kinds: Sequence[Kind], file: int
    ) -> Iterator[tuple[int, Key, Seen, int | None]]:
        """The rows of one kind and bucket together, by their first lines."""
        import polars as pl

        if rows is None or rows.is_empty():
            return
        grouped = (
            rows.lazy()
            .group_by("kind", ((pl.col("micros") - self.grid.origin) // self.grid.width).alias("bucket"))
            .agg(
                pl.col("line").first(),
                pl.len().alias("count"),
                pl.col("message").min().alias("smallest"),
                pl.col("message").first().alias("example"),
                pl.col("micros").min().alias("first"),
                pl.col("micros").max().alias("last"),
            )
            .sort("line")
            .collect()
        )
        for number, bucket, line, count, smallest, example, first, last in grouped.iter_rows():
            kind = kinds[number]
            if number not in self._erased:
                self._erased[number] = self._reader.erased(smallest)
            times = (None, None) if first is None else (instant_of(first), instant_of(last))
            seen = Seen(count, smallest, example, (file, line), *times)
            yield line, Key(self._erased[number], kind.level, kind.service), seen, bucket

    def _add(self, key: Key, seen: Seen, bucket: int | None) -> None:
        self.scanned += seen.records
        if seen.first is None and key.level is None:
            self.unparsed += seen.records
        tally = self.found.get(key)
        if tally is None:
            if len(self.found) >= MAX_SHAPES:
                self.other += seen.records
                return
            tally = self.found[key] = Tally(Counts(self.grid.width, {}))
        tally.add(seen)
        if bucket is not None:
            tally.buckets.add(self.grid, bucket, seen.records)
