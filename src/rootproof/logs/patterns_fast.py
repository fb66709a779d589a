"""The vectorised path for big inputs: polars masks the digit-holding words of whole blocks and groups what is equal.

Lines come as blocks of bytes, so memory does not grow with the input, bytes that are not UTF-8 do no harm, and any
opener (a file, a pipe, a decompressor) can feed it. `mine_paths` is the one function of this package that opens files:
it reads them twice when an assignment is wanted, and nothing else in `logs` does.

Invariant: two lines of one coarse group have one shape, so mining the groups gives the partition of mining the lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rootproof.logs.masking import COARSE_PATTERN, MARK, MAX_MESSAGE_CHARS, pattern_text
from rootproof.logs.templates import OTHER, Mined, pattern_id, templates_of

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 16 << 20
MAX_GROUPS = 400_000
"""Distinct coarse lines kept in memory at once; lines that would need more are counted as "other"."""


@dataclass(frozen=True, slots=True)
class CoarseGroup:
    """Lines that are equal once their digit-holding words are gone."""

    example: str
    """The smallest of them, so that no order of the input can change it."""
    count: int


@dataclass(frozen=True, slots=True)
class MinedLines:
    """The patterns of physical lines. `sum(counts) + other == scanned`."""

    scanned: int
    other: int
    templates: tuple[str, ...]
    counts: tuple[int, ...]
    examples: tuple[str, ...]
    """For each template, in the same order, one line as it was written."""


def coarse_groups(messages: Sequence[str]) -> tuple[list[CoarseGroup], list[int]]:
    """The coarse groups of `messages`, and for each message the group it is in."""
    import polars as pl

    lines = [pattern_text(message) for message in messages]
    frame = pl.DataFrame({"line": pl.Series(lines, dtype=pl.String)}).with_columns(_key().alias("key"))
    grouped = frame.group_by("key", maintain_order=True).agg(pl.len().alias("n"), pl.col("line").min().alias("example"))
    grouped = grouped.with_row_index("group")
    members = frame.join(grouped.select("key", "group"), on="key", how="left", maintain_order="left")["group"].to_list()
    groups = [CoarseGroup(example, count) for example, count in grouped.select("example", "n").iter_rows()]
    return groups, members


def mine_blocks(blocks: Iterable[bytes]) -> tuple[MinedLines, dict[str, str]]:
    """The patterns of the lines in `blocks` (whole lines each), and the pattern id of each coarse line.

    Shape: templates by falling count.
    """
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    other = scanned = 0
    for block in blocks:
        for key, count, example in _grouped(block):
            scanned += count
            if key in counts:
                counts[key] += count
                examples[key] = min(examples[key], example)
            elif len(counts) < MAX_GROUPS:
                counts[key], examples[key] = count, example
            else:
                other += count
    keys = list(counts)
    mined = templates_of([(examples[key], counts[key]) for key in keys])
    ids = [pattern_id(template) for template in mined.templates]
    lines = _totals(mined, [counts[key] for key in keys], [examples[key] for key in keys], scanned, other)
    of_key = {key: "other" if index == OTHER else ids[index] for key, index in zip(keys, mined.assignment, strict=True)}
    return lines, of_key


def _totals(mined: Mined, counts: list[int], examples: list[str], scanned: int, other: int) -> MinedLines:
    totals: Counter[int] = Counter()
    shown: dict[int, str] = {}
    for index, count, example in zip(mined.assignment, counts, examples, strict=True):
        totals[index] += count
        shown[index] = min(shown.get(index, example), example)
    other += totals.pop(OTHER, 0)
    ranked = sorted(totals, key=lambda index: (-totals[index], mined.templates[index]))
    return MinedLines(
        scanned,
        other,
        tuple(mined.templates[index] for index in ranked),
        tuple(totals[index] for index in ranked),
        tuple(shown[index] for index in ranked),
    )


def mine_paths(paths: Sequence[Path], *, assign: Path | None = None) -> MinedLines:
    """The patterns of the physical lines of `paths`; with `assign`, a CSV of `file,line,patternId` is written for all.

    Raises: OSError as it comes from opening, reading or writing.
    """
    lines, of_key = mine_blocks(block for path in paths for block in blocks_of(path))
    if assign is not None:
        with assign.open("wb") as out:
            out.write(b"file,line,patternId\n")
            for path in paths:
                write_assignment(out, str(path), blocks_of(path), of_key)
    return lines


def blocks_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole lines."""
    with path.open("rb") as file:
        yield from whole_lines(iter(lambda: file.read(BLOCK_BYTES), b""))


def whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """`chunks` cut anew so that each block ends at the end of a line, or is one line longer than a block."""
    tail = b""
    for chunk in chunks:
        block = tail + chunk if tail else chunk
        cut = block.rfind(b"\n") + 1
        if cut:
            yield block[:cut]
        tail = block[cut:]
    if tail:
        yield tail


def write_assignment(out: IO[bytes], name: str, blocks: Iterable[bytes], of_key: dict[str, str]) -> None:
    """Append a CSV row `name,line,patternId` for every line of `blocks`, lines numbered from 1."""
    import polars as pl

    known = pl.DataFrame(
        {"key": list(of_key), "patternId": list(of_key.values())}, schema={"key": pl.String, "patternId": pl.String}
    )
    first = 1
    for block in blocks:
        frame = (
            _scan(block)
            .select(_key().alias("key"))
            .collect(engine="streaming")
            .with_row_index("line", offset=first)
            .join(known, on="key", how="left", maintain_order="left")
            .select(pl.lit(name).alias("file"), "line", pl.col("patternId").fill_null("other"))
        )
        first += frame.height
        frame.write_csv(out, include_header=False)


def _key() -> pl.Expr:
    import polars as pl

    line = pl.col("line").str.head(MAX_MESSAGE_CHARS)
    return line.str.replace_all(COARSE_PATTERN, MARK)


def _scan(block: bytes) -> pl.LazyFrame:
    import polars as pl

    try:
        block.decode()
    except UnicodeDecodeError:
        block = block.decode("utf-8", "replace").encode()
    return pl.scan_lines(block, name="line")


def _grouped(block: bytes) -> list[tuple[str, int, str]]:
    import polars as pl

    frame = (
        _scan(block)
        .select("line", _key().alias("key"))
        .group_by("key")
        .agg(pl.len().alias("n"), pl.col("line").min().alias("example"))
        .collect(engine="streaming")
    )
    return sorted(frame.select("key", "n", "example").iter_rows())
