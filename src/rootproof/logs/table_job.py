"""One question about the patterns of some inputs: the table, and what needs a second reading.

Memory does not grow with the inputs: nothing of them is kept but counts. Invariant: the second reading finds the
records of the first, so ids, windows and lines agree with the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Protocol

from rootproof.logs.decode import split_lines
from rootproof.logs.fast_forms import FormTable
from rootproof.logs.fast_records import Batch, RecordBlocks
from rootproof.logs.fast_stamps import micros_of
from rootproof.logs.marks import InWindows
from rootproof.logs.patterns_fast import mine_blocks
from rootproof.logs.patterns_table import PatternIds, PatternRow, PatternTable, of_lines, table_of
from rootproof.logs.table_assign import Ids, ids_of_batches, ids_of_lines
from rootproof.logs.table_grid import Grid
from rootproof.logs.table_tallies import Tallies
from rootproof.logs.timestamps import Clock

_MICROSECOND = timedelta(microseconds=1)
_SHOWN_CHARS = 500


class Input(Protocol):
    """Something that can be read, and read again."""

    @property
    def written(self) -> datetime:
        """About when it was written last."""

    def blocks(self) -> Iterator[bytes]:
        """Its text in blocks of whole lines of UTF-8."""


@dataclass(slots=True)
class PatternJob:
    """The patterns of some inputs."""

    inputs: Sequence[Input]
    zone: tzinfo
    plain: bool = False
    """Whether each physical line is a message."""
    _forms: FormTable = field(default_factory=FormTable)
    _of_key: dict[str, str] = field(default_factory=dict)
    _ids: PatternIds = field(default_factory=lambda: PatternIds({}))

    def table(self) -> PatternTable:
        """Read all inputs once."""
        if self.plain:
            mined, self._of_key = mine_blocks(block for each in self.inputs for block in each.blocks())
            return of_lines(mined)
        table, self._ids = table_of(self._tallies(Grid()))
        return table

    def ids(self, number: int) -> Iterator[Ids]:
        """The pattern id of each line of one input, which was part of `table`."""
        if self.plain:
            return ids_of_lines(self.inputs[number].blocks(), self._of_key)
        return ids_of_batches(self._batches(number), self._forms.kinds, self._ids)

    def windows(self, table: PatternTable, length: timedelta) -> dict[str, InWindows]:
        """Per pattern id, its records in the last `length` of the table's time, and in as long a time before it."""
        last = max((row.last for row in table.rows if row.last is not None), default=None)
        if last is None:
            return {}
        width = length // _MICROSECOND
        origin = micros_of(last) + 1 - 2 * width
        counted, _ = table_of(self._tallies(Grid(width=width, origin=origin, fixed=True)))
        found = {}
        for row in counted.rows:
            before, newest = (*row.buckets, 0, 0)[:2]
            found[row.id] = InWindows(int(row.first is not None and micros_of(row.first) < origin), before, newest)
        return found

    def lines_of(self, name: str) -> Iterator[tuple[int, int, str]]:
        """(input, line, text) of the lines of one pattern, in order."""
        for number, each in enumerate(self.inputs):
            lines = _numbered(each)
            at, text = 0, ""
            for ids in self.ids(number):
                for line, found in enumerate(ids.ids, start=ids.line):
                    while at < line:
                        at, text = next(lines)
                    if found == name and at == line:
                        yield number, line, text

    def contexts(self, rows: Sequence[PatternRow], around: int) -> dict[str, list[tuple[int, str]]]:
        """Per pattern id, the lines around the first line of its first record: (line, text cut to 500 characters)."""
        found: dict[str, list[tuple[int, str]]] = {row.id: [] for row in rows}
        for number, each in enumerate(self.inputs):
            wanted: dict[int, list[str]] = {}
            for row in rows:
                if row.position[0] == number:
                    for line in range(row.position[1] - around, row.position[1] + around + 1):
                        wanted.setdefault(line, []).append(row.id)
            end = max(wanted, default=0)
            for line, text in _numbered(each) if end else ():
                if line > end:
                    break
                for name in wanted.get(line, ()):
                    found[name].append((line, text[:_SHOWN_CHARS]))
        return found

    def _tallies(self, grid: Grid) -> Tallies:
        tallies = Tallies(grid)
        for number in range(len(self.inputs)):
            for batch in self._batches(number):
                tallies.batch(batch, self._forms.kinds, number)
        return tallies

    def _batches(self, number: int) -> Iterator[Batch]:
        each = self.inputs[number]
        return RecordBlocks(self._forms, Clock(self.zone, each.written)).batches(each.blocks())


def _numbered(each: Input) -> Iterator[tuple[int, str]]:
    lines = (line for block in each.blocks() for line in split_lines(block.decode("utf-8", "replace")))
    return enumerate(lines, start=1)
