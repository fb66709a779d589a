"""Whole files, block by block."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootproof.logs import patterns_fast
from rootproof.logs.patterns_fast import mine_blocks, mine_paths, whole_lines
from rootproof.logs.templates import pattern_id


def test_counts_ids_and_assignment_agree(tmp_path: Path) -> None:
    one, two = tmp_path / "one.log", tmp_path / "two.log"
    one.write_text("".join(f"berth {n} taken\n" for n in range(50)) + "\nrope torn\n")
    two.write_bytes(b"berth 7 taken\r\nbad \xff byte\nno newline at the end")
    out = tmp_path / "assign.csv"
    mined = mine_paths([one, two], assign=out)
    assert mined.scanned == 55
    assert sum(mined.counts) + mined.other == mined.scanned
    assert (mined.templates[0], mined.counts[0]) == ("berth <num> taken", 51)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 55
    assert [int(row["line"]) for row in rows if row["file"] == str(two)] == [1, 2, 3]
    by_id = dict(zip(map(pattern_id, mined.templates), mined.counts, strict=True))
    for identifier, count in by_id.items():
        assert sum(row["patternId"] == identifier for row in rows) == count


def test_no_file_and_empty_files(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_bytes(b"")
    assert mine_paths([]).scanned == 0
    assert mine_paths([empty]).scanned == 0


def test_more_groups_than_fit_are_counted_as_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_fast, "MAX_GROUPS", 2)
    mined, _ = mine_blocks([b"alpha\nbeta\ngamma\ndelta\nalpha\n"])
    assert mined.other > 0
    assert sum(mined.counts) + mined.other == mined.scanned == 5


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(st.binary(max_size=200), st.integers(1, 40))
def test_blocks_hold_all_bytes_and_whole_lines(data: bytes, size: int) -> None:
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    blocks = list(whole_lines(chunks))
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    mined, _ = mine_blocks(blocks)
    assert sum(mined.counts) + mined.other == mined.scanned
    if b"\r" not in data:
        assert mined.scanned == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def test_the_result_does_not_depend_on_the_blocks() -> None:
    data = b"".join(b"order %d for berth %d\nrope %s torn\n" % (n, n % 7, b"ab"[n % 2 :]) for n in range(300))
    lines = data.splitlines(keepends=True)
    whole, _ = mine_blocks([data])
    pieces, _ = mine_blocks([b"".join(lines[at : at + 13]) for at in range(0, len(lines), 13)])
    assert whole == pieces
