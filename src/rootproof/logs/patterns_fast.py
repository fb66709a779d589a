"""The vectorised path for big inputs: polars masks the digit-holding words of whole blocks and groups what is equal.

Lines come as blocks of UTF-8 (see `fast_blocks`), so memory does not grow with the input, and any opener (a file, a
pipe, a decompressor) can feed it.

Invariant: two lines of one coarse group have one shape, so mining the groups gives the partition of mining the lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rootproof.logs.masking import COARSE_PATTERN, MARK, MAX_MESSAGE_CHARS, pattern_text
from rootproof.logs.templates import OTHER, Mined, pattern_id, templates_of

if TYPE_CHECKING:
    import polars as pl

ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
"""Makes the digits of a block zero: far fewer distinct lines, with the same coarse texts."""
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
    frame = pl.DataFrame({"line": pl.Series(lines, dtype=pl.String)}).with_columns(_key("line").alias("key"))
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


def keys_of(block: bytes) -> pl.DataFrame:
    """`row`, `line` and `key`, the coarse text, of each line of a block, in order."""
    frame = _lines(block)
    keys = frame.lazy().select("form").unique().with_columns(_key("form").alias("key")).collect(engine="streaming")
    return frame.with_row_index("row").join(keys, on="form", how="left", maintain_order="left").drop("form")


def _lines(block: bytes) -> pl.DataFrame:
    """`line`, and `form`: the line with its digits made zero."""
    import polars as pl

    frame = pl.scan_lines(block, name="line").collect()
    return frame.hstack(pl.scan_lines(block.translate(ZEROS), name="form").collect())


def _key(column: str) -> pl.Expr:
    import polars as pl

    return pl.col(column).str.head(MAX_MESSAGE_CHARS).str.replace_all(COARSE_PATTERN, MARK)


def _grouped(block: bytes) -> list[tuple[str, int, str]]:
    import polars as pl

    forms = _lines(block).lazy().group_by("form").agg(pl.len().alias("n"), pl.col("line").min().alias("example"))
    keys = forms.with_columns(_key("form").alias("key")).group_by("key").agg(pl.col("n").sum(), pl.col("example").min())
    return sorted(keys.collect(engine="streaming").select("key", "n", "example").iter_rows())
