"""Records of whole blocks: what `parse` gives, for common single-line formats at the speed of polars.

A line of a known kind that is followed by another one is a record by itself and is never seen by the parser. All other
lines, with the line before them that they may belong to, go through `parse` in order, and so does the rest of a file
whose lines mostly do. Invariant: the records are those of `parse`, each once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from rootproof.logs.decode import split_lines
from rootproof.logs.fast_forms import SLOW_KIND, FormTable, forms_of, rows_of
from rootproof.logs.parse import parse
from rootproof.logs.read_blocks import opened_by
from rootproof.logs.read_tables import header_of
from rootproof.logs.record import LogRecord
from rootproof.logs.timestamps import Clock

if TYPE_CHECKING:
    import polars as pl

_MOST_SLOW = 0.3
"""Share of lines for the parser above which the rest of the file goes there."""
_LONGEST_RUN = 2_000
"""Lines for the parser at the end of a block; a record has at most 512."""
_MOST_LINES = 400_000
"""Of a block: lines of ten bytes or so hold no header, and their columns would cost more than their bytes."""
_CHUNK_RECORDS = 4_096
_OPENING = "x"
"""A line before lines out of the middle of a file, so that their first is not taken for the first of the file."""
_HEADER_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records of a file; those of one batch all lie behind those of the batch before it, but for open streams."""

    records: list[LogRecord]
    rows: pl.DataFrame | None = None
    """Single-line records: `line`, `kind` (an index of `FormTable.kinds`), `message`, `micros` since 1970 or null."""
    upto: int = 0
    """All lines up to this one are in this batch or in one before it."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """What one block came to."""

    batch: Batch
    left: bytes = b""
    """The lines at its end that need the next block."""
    lines: int = 0
    """How many lines are done with."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring lines that went through the parser."""

    begin: int
    records: list[LogRecord]
    ended: bool
    """Whether a record that is not of the run follows it, so that its own are whole."""


class RecordBlocks:
    """Reads one file. `forms` may be shared by the files of a job that have one time zone."""

    def __init__(self, forms: FormTable, clock: Clock) -> None:
        self._forms = forms
        self._clock = clock
        self._forms.begin_file()
        self._base = 1
        self._stream: str | None = None

    def batches(self, blocks: Iterable[bytes]) -> Iterator[Batch]:
        """The records of a file in blocks of whole lines of UTF-8."""
        rest = iter(blocks)
        left = b""
        for block in rest:
            cut = self._read(left + block, last=False)
            if cut is None:
                yield from self._parsed(chain([left + block], rest))
                return
            yield cut.batch
            left = cut.left
            self._base += cut.lines
        cut = self._read(left, last=True) if left else None
        if cut is not None:
            yield cut.batch
        elif left:
            yield from self._parsed([left])

    def _parsed(self, blocks: Iterable[bytes]) -> Iterator[Batch]:
        """The rest of the file, by the parser alone."""
        lines = (line for block in blocks for line in split_lines(block.decode("utf-8", "replace")))
        records = self._records(lines)
        while chunk := list(islice(records, _CHUNK_RECORDS)):
            yield Batch(chunk, upto=chunk[-1].line - 1)

    def _records(self, lines: Iterable[str], first: int | None = None) -> Iterator[LogRecord]:
        """The records of lines that begin at the line `first` of the file (at `_base` if None)."""
        first = self._base if first is None else first
        if first == 1:
            yield from parse(lines, default_year_from=self._clock.near, timezone=self._clock.zone)
            return
        opened = parse(chain([_OPENING], lines), default_year_from=self._clock.near, timezone=self._clock.zone)
        shift = first - 2
        yield from (replace(record, line=record.line + shift) for record in islice(opened, 1, None))

    def _read(self, data: bytes, *, last: bool) -> _Cut | None:
        """The records of `data`; None where the parser has to read the file from here on."""
        import polars as pl

        if data.count(b"\n") > _MOST_LINES:
            return None
        forms = forms_of(data, self._forms)
        if forms is None or self._forms.full or (self._base == 1 and _begins_table(data)):
            return None
        rows = rows_of(forms, self._forms, self._clock)
        if not self._one_stream(rows) or (self._base == 1 and rows.is_empty()):
            return None
        slow = self._slow(rows)
        if sum(slow) > _MOST_SLOW * len(slow) + 2 or (not last and _run_at_end(slow) > _LONGEST_RUN):
            return None
        end = forms.lines.len()
        records: list[LogRecord] = []
        for run in self._runs(forms.lines, rows["row"].to_list(), slow):
            if run is None:
                return None
            if run.ended or last:
                records += run.records
            else:
                end = run.begin
        if not last and forms.lines.len() - end > _LONGEST_RUN:
            return None  # blank lines behind a record, without end: they are counted, never held
        keep = rows.filter(~pl.Series(slow, dtype=pl.Boolean))
        keep = keep.select((pl.col("row") + self._base).cast(pl.Int64).alias("line"), "kind", "message", "micros")
        return _Cut(Batch(records, keep, self._base + end - 1), _from_line(data, end, forms.lines.len()), end)

    def _one_stream(self, rows: pl.DataFrame) -> bool:
        """Whether all lines are of the stream that the file began with: records of several streams grow at once."""
        numbers = rows["kind"].unique().to_list()
        streams = {self._forms.kinds[kind].stream for kind in numbers if kind >= 0}
        if self._stream is None and streams:
            self._stream = min(streams)
        if self._stream:
            return streams == {self._stream} and SLOW_KIND not in numbers
        return streams <= {self._stream} and not rows["streams"].any()

    def _slow(self, rows: pl.DataFrame) -> list[bool]:
        """For each line that is not blank, whether the parser must see it."""
        import polars as pl

        fast = pl.col("kind") >= 0
        slow = rows.select(~(fast & fast.shift(-1, fill_value=False)))["kind"].to_list()
        if self._base == 1:
            slow[0] = True
        return slow

    def _runs(self, lines: pl.Series, rows: list[int], slow: list[bool]) -> Iterator[_Run | None]:
        """The runs of slow lines, parsed; None where one cannot be told from what follows it.

        A run that takes lines behind it marks them slow.
        """
        start = _find(slow, 0, value=True)
        while start < len(slow):
            begin = 0 if self._base == 1 and start == 0 else rows[start]
            stop = start
            whole = False
            while not whole:
                stop = _find(slow, stop, value=False)
                ended = stop < len(slow)
                texts = lines[begin : rows[stop] + 1 if ended else lines.len()].to_list()
                if _opens_block(texts):
                    yield None
                    return
                records = list(self._records(texts, self._base + begin))
                whole = not ended or (records[-1].line == self._base + rows[stop] and records[-1].lines == 1)
                if not whole:
                    slow[stop] = True
            yield _Run(begin, records[:-1] if ended else records, ended)
            start = _find(slow, stop, value=True)


def _find(slow: list[bool], start: int, *, value: bool) -> int:
    """The first index from `start` on with that value, or the length."""
    try:
        return slow.index(value, start)
    except ValueError:
        return len(slow)


def _run_at_end(slow: list[bool]) -> int:
    run = 0
    while run < len(slow) and slow[-1 - run]:
        run += 1
    return run


def _from_line(data: bytes, line: int, lines: int) -> bytes:
    """`data` from a line on, that is nearer to its end than to its beginning."""
    at = len(data)
    if data.endswith(b"\n"):
        at -= 1
    for _ in range(lines - line):
        at = data.rfind(b"\n", 0, at)
    return data[at + 1 :] if line < lines else b""


def _begins_table(data: bytes) -> bool:
    """Whether the first line that is not blank is the header of a table."""
    line = data.lstrip()[:_HEADER_BYTES].split(b"\n", 1)[0].decode("utf-8", "replace")
    return header_of(line.rstrip("\r"), first=True) is not None


def _opens_block(lines: Iterable[str]) -> bool:
    """Whether one of the lines may begin a block, which ends nobody knows where."""
    return any(line and opened_by(line, 1, None) is not None for line in lines)
