"""Chunks become blocks of whole lines: nothing is lost uncounted, nothing grows with a line that has no end."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs import fast_blocks
from rootproof.logs.decode import decode, split_lines
from rootproof.logs.fast_blocks import text_blocks, whole_lines


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200), st.integers(1, 40))
def test_blocks_hold_all_bytes_and_whole_lines(data: bytes, size: int) -> None:
    blocks = list(whole_lines(cut(data, size)))
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 130), max_size=12), st.integers(1, 50))
def test_giant_lines_are_cut_and_counted_wherever_the_chunks_end(lengths: list[int], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_blocks, "MAX_LINE_BYTES", 40)
        patch.setattr(fast_blocks, "_KEPT_BYTES", 8)
        data = b"".join(b"x" * length + b"\n" for length in lengths)
        lines = b"".join(whole_lines(cut(data, size))).split(b"\n")[:-1]
    expected = [b"x" * n if n <= 40 else b"xxxxxxxx ...[%d bytes cut]" % (n - 8) for n in lengths]
    assert lines == expected


def test_half_a_character_is_not_kept() -> None:
    line = "é".encode() * fast_blocks.MAX_LINE_BYTES
    (block,) = text_blocks([b"x" + line])
    text = block.decode()
    assert "\ufffd" not in text
    kept = text.split(" ...[")[0].encode()
    assert f"[{len(line) + 1 - len(kept)} bytes cut]" in text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030"])
@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_any_encoding_in_any_chunks_is_the_text_as_decode_gives_it(encoding: str, size: int) -> None:
    text = "".join(f"2026-05-04 10:00:{n % 60:02d} ERROR 数据库连接失败 {n}\n" for n in range(40))
    data = text.encode(encoding)
    assert b"".join(text_blocks(cut(data, size))).decode() == text == decode(data)


def test_bytes_that_are_no_text_and_nuls_stay_visible() -> None:
    (block,) = text_blocks([b"good \xc3\xa9\nbad \xff byte\nnul \0 here\n"])
    assert split_lines(block.decode()) == ["good é", "bad \ufffd byte", "nul \u2400 here"]


def test_a_mark_of_the_byte_order_is_no_part_of_the_text() -> None:
    assert b"".join(text_blocks([codecs.BOM_UTF8 + b"a\n"])) == b"a\n"
