"""Whole files, block by block."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs import patterns_fast
from rootproof.logs.patterns_fast import mine_blocks
from rootproof.logs.table_assign import ids_of_lines
from rootproof.logs.templates import pattern_id


def assigned(blocks: list[bytes], of_key: dict[str, str]) -> list[tuple[int, str]]:
    return [row for ids in ids_of_lines(blocks, of_key) for row in enumerate(ids.ids.to_list(), start=ids.line)]


def test_counts_ids_and_assignment_agree() -> None:
    one = b"".join(b"berth %d taken\n" % n for n in range(50)) + b"\nrope torn\n"
    two = b"berth 7 taken\r\nbad ? byte\nno newline at the end"
    mined, of_key = mine_blocks([one, two])
    assert mined.scanned == 55
    assert sum(mined.counts) + mined.other == mined.scanned
    assert (mined.templates[0], mined.counts[0]) == ("berth <num> taken", 51)
    rows = assigned([one], of_key) + assigned([two], of_key)
    assert [line for line, _ in rows] == [*range(1, 53), 1, 2, 3]
    by_id = dict(zip(map(pattern_id, mined.templates), mined.counts, strict=True))
    for identifier, count in by_id.items():
        assert sum(name == identifier for _, name in rows) == count


def test_no_block_and_empty_blocks() -> None:
    assert mine_blocks([])[0].scanned == 0
    assert mine_blocks([b""])[0].scanned == 0


def test_more_groups_than_fit_are_counted_as_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_fast, "MAX_GROUPS", 2)
    mined, _ = mine_blocks([b"alpha\nbeta\ngamma\ndelta\nalpha\n"])
    assert mined.other > 0
    assert sum(mined.counts) + mined.other == mined.scanned == 5


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text("ab 12\t\u00e9", max_size=8), max_size=20))
def test_every_line_counts_once(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    mined, _ = mine_blocks([data])
    assert sum(mined.counts) + mined.other == mined.scanned == len(lines)


def test_the_result_does_not_depend_on_the_blocks() -> None:
    data = b"".join(b"order %d for berth %d\nrope %s torn\n" % (n, n % 7, b"ab"[n % 2 :]) for n in range(300))
    lines = data.splitlines(keepends=True)
    whole, _ = mine_blocks([data])
    pieces, _ = mine_blocks([b"".join(lines[at : at + 13]) for at in range(0, len(lines), 13)])
    assert whole == pieces
