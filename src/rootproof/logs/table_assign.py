"""The pattern of each physical line, as CSV rows `file,line,patternId`, in the order of the lines.

Blank lines have the pattern of the record before them. Records of several streams (the output and the errors of a
container) are finished out of order: their rows wait for the lines between them, at most `_WAITING` of them; those of a
record that stays open longer are written behind their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from rootproof.logs.patterns_fast import keys_of

if TYPE_CHECKING:
    import polars as pl

    from rootproof.logs.fast_kinds import Kind
    from rootproof.logs.fast_records import Batch
    from rootproof.logs.patterns_table import PatternIds

HEADER = b"file,line,patternId\n"
_WAITING = 50_000


@dataclass(frozen=True, slots=True)
class Ids:
    """The pattern ids of neighbouring lines."""

    line: int
    """The first of them, from 1."""
    ids: pl.Series

    def write(self, out: IO[bytes], name: str) -> None:
        """Append the rows."""
        import polars as pl

        frame = pl.DataFrame({"id": self.ids}).with_row_index("line", offset=self.line)
        frame.select(pl.lit(name).alias("file"), "line", "id").write_csv(out, include_header=False)


def ids_of_lines(blocks: Iterable[bytes], of_key: Mapping[str, str]) -> Iterator[Ids]:
    """The ids of physical lines, `of_key` as `mine_blocks` gave it."""
    import polars as pl

    known = pl.DataFrame({"key": list(of_key), "id": list(of_key.values())}, schema={"key": pl.String, "id": pl.String})
    line = 1
    for block in blocks:
        found = keys_of(block).select("key").join(known, on="key", how="left", maintain_order="left")
        yield Ids(line, found["id"].fill_null("other"))
        line += found.height


def ids_of_batches(batches: Iterable[Batch], kinds: Sequence[Kind], ids: PatternIds) -> Iterator[Ids]:
    """The ids of the lines of records."""
    assigner = _Assigner(kinds, ids)
    for batch in batches:
        assigner.place(batch)
        yield from assigner.until(batch.upto if batch.rows is not None else assigner.settled())
    yield from assigner.until(assigner.highest)


@dataclass(slots=True)
class _Assigner:
    kinds: Sequence[Kind]
    ids: PatternIds
    line: int = 1
    """The first line that was not given yet."""
    last: str | None = None
    highest: int = 0
    """The last line that is known."""
    _waiting: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Line -> the first line and the pattern of its record."""
    _rows: pl.DataFrame | None = None
    _of_kind: dict[int, str] = field(default_factory=dict)

    def place(self, batch: Batch) -> None:
        """Note which lines belong to which pattern."""
        import polars as pl

        for record in batch.records:
            name = self.ids.of(record.message)
            for at in range(record.line, record.line + record.lines):
                if at not in self._waiting or self._waiting[at][0] <= record.line:
                    self._waiting[at] = (record.line, name)
            self.highest = max(self.highest, record.line + record.lines - 1)
        self.highest = max(self.highest, batch.upto)
        self._rows = None
        if batch.rows is None or batch.rows.is_empty():
            return
        for kind, message in batch.rows.select("kind", "message").unique("kind").iter_rows():
            if kind not in self._of_kind:
                self._of_kind[kind] = self.ids.of(message)
        names = pl.DataFrame(
            {"kind": list(self._of_kind), "id": list(self._of_kind.values())},
            schema={"kind": pl.Int32, "id": pl.String},
        )
        self._rows = batch.rows.select("line", "kind").join(names, on="kind", how="left").select("line", "id")

    def settled(self) -> int:
        """The line up to which no open record can still change much: all that are known, but for the last ones."""
        return max(0, self.highest - _WAITING)

    def until(self, end: int) -> Iterator[Ids]:
        """The ids of the lines up to `end`, those first that come late."""
        import polars as pl

        for at in sorted(at for at in self._waiting if at < self.line):
            yield Ids(at, pl.Series([self._waiting.pop(at)[1]]))
        if end < self.line:
            return
        own = [(at, self._waiting.pop(at)[1]) for at in range(self.line, end + 1) if at in self._waiting]
        placed = pl.DataFrame(own, schema={"line": pl.Int64, "id": pl.String}, orient="row")
        if self._rows is not None:
            placed = pl.concat([placed.join(self._rows, on="line", how="anti"), self._rows])
        lines = pl.DataFrame({"line": pl.int_range(self.line, end + 1, dtype=pl.Int64, eager=True)})
        found = lines.join(placed, on="line", how="left", maintain_order="left")["id"].fill_null(strategy="forward")
        if self.last is not None:
            found = found.fill_null(self.last)
        found = found.fill_null(strategy="backward").fill_null("other")
        yield Ids(self.line, found)
        self.line, self.last = end + 1, found[-1]
