"""Packed bytes come out in bounded pieces, all of them, and a break is told after what stands before it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.logreading import read_tail
from rootproof.logs.unpack import Damaged, is_binary, packing_of, unpacked

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
each_packing = pytest.mark.parametrize("packing", sorted(PACKINGS))
TEXT = b"".join(b"berth %d of %d taken\n" % (n, n * n * 7919 % 1_000_003) for n in range(50_000))


def pieces_of(packed: bytes, packing: str) -> tuple[list[bytes], str]:
    """The pieces, and the reason where they break off."""
    pieces: list[bytes] = []
    try:
        pieces.extend(unpacked(io.BytesIO(packed).read, packing))  # what came before a break stays in the list
    except Damaged as error:
        return pieces, str(error)
    return pieces, ""


@each_packing
def test_several_members_are_one_text(packing: str) -> None:
    pack = PACKINGS[packing]
    packed = pack(TEXT) + pack(b"") + pack(b"the end\n")
    assert packing_of(packed) == packing
    assert b"".join(pieces_of(packed, packing)[0]) == TEXT + b"the end\n"


@each_packing
def test_a_break_is_told_behind_what_was_read(packing: str) -> None:
    packed = PACKINGS[packing](TEXT)
    pieces, why = pieces_of(packed[: len(packed) * 3 // 4], packing)
    assert "ends in the middle" in why
    assert TEXT.startswith(b"".join(pieces))
    assert len(b"".join(pieces)) > len(TEXT) // 10


@each_packing
def test_what_follows_and_is_not_packed_is_no_end(packing: str) -> None:
    pieces, why = pieces_of(PACKINGS[packing](b"berth\n") + b"not packed any more", packing)
    assert b"".join(pieces) == b"berth\n"
    assert "follows the packed data" in why


@each_packing
def test_a_bomb_comes_in_bounded_pieces(packing: str) -> None:
    pieces, why = pieces_of(PACKINGS[packing](bytes(96 << 20)), packing)
    assert not why
    assert sum(map(len, pieces)) == 96 << 20
    assert max(map(len, pieces)) <= 33 << 20


def test_padding_behind_a_member_is_no_damage() -> None:
    assert pieces_of(gzip.compress(b"a\n") + bytes(100_000) + gzip.compress(b"b\n"), "gzip") == ([b"a\n", b"b\n"], "")


@each_packing
def test_a_source_reads_it_too(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(PACKINGS[packing](TEXT))
    assert read_tail(path, "packed", Deadline(60, "logs")).content == TEXT


def test_text_in_any_encoding_is_not_binary() -> None:
    text = "2026-05-04 10:00:00 ERROR 数据库 failed\n" * 50
    for encoding in ("utf-8", "utf-16", "utf-16-le", "gb18030"):
        assert not is_binary(text.encode(encoding))
    assert not is_binary(b"\x1b[31mred\x1b[0m\n" * 50)
    assert is_binary(bytes(range(1, 32)) * 50)
