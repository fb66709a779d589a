"""Packed logs: gzip, bzip2, xz and zstd, told by their first bytes and unpacked piece by piece.

Members and frames may follow each other in one file. A piece is bounded whatever the file claims to hold, so a file
that unpacks to terabytes costs time and not memory. What stands before a break is given before the break is told.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

HEAD_BYTES = 8
"""So many first bytes tell the packing."""
_PIECE_BYTES = 1 << 20
_READ_BYTES = 64 << 10
_ZSTD_READ_BYTES = 1 << 10
"""zstd takes no bound for what one call gives: at most 32,768 times what it is fed."""
_MOST_MEMORY = 256 << 20
"""Dictionaries and windows beyond this are refused: xz and zstd files can ask for gigabytes."""

_MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_FOREIGN = {b"PK\x03\x04": "zip", b"\x04\x22\x4d\x18": "lz4", b"7z\xbc\xaf": "7z", b"Rar!": "rar"}


class Damaged(Exception):
    """The packed bytes broke off or are not what they claim to be; the text is the unpacker's reason."""


class _Member(Protocol):
    """One gzip member, bzip2 or xz stream, or zstd frame."""

    def decompress(self, data: bytes, most: int, /) -> bytes: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def packing_of(head: bytes) -> str | None:
    """`gzip`, `bzip2`, `xz` or `zstd` for a file that begins with `head`, None where it is not packed so."""
    skippable = head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F  # a frame of zstd that holds no text
    return "zstd" if skippable else next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def foreign_packing_of(head: bytes) -> str | None:
    """The name of a packing that is known and not read: `zip`, `lz4`, `7z`, `rar`."""
    return next((name for mark, name in _FOREIGN.items() if head.startswith(mark)), None)


def unpacked(read: Callable[[int], bytes], packing: str) -> Iterator[bytes]:
    """The bytes inside what `read` gives, in bounded pieces, none empty.

    Raises: Damaged, after the pieces before the break; OSError as `read` raises it.
    """
    begin, reads = _BEGIN[packing], _ZSTD_READ_BYTES if packing == "zstd" else _READ_BYTES
    data = read(reads)
    while data:
        member = begin()
        while not member.eof:
            if member.needs_input and not data and not (data := read(reads)):
                raise Damaged("it ends in the middle of the packed data")
            piece, data = _next_piece(member, data), b""
            if piece:
                yield piece
        data = _behind(member.unused_data, read)
        if data and packing_of(data) != packing:
            raise Damaged(f"something that is not {packing} follows the packed data")


def _behind(data: bytes, read: Callable[[int], bytes]) -> bytes:
    """What follows a member, enough of it to tell its packing; empty at the end. Archivers pad members with NULs."""
    data = data.lstrip(b"\0")
    while len(data) < HEAD_BYTES and (more := read(_ZSTD_READ_BYTES)):
        data = (data + more).lstrip(b"\0")
    return data


def _next_piece(member: _Member, data: bytes) -> bytes:
    try:
        return member.decompress(data, _PIECE_BYTES)
    except (OSError, EOFError, ValueError, MemoryError, zlib.error, lzma.LZMAError) as error:
        raise Damaged(str(error) or type(error).__name__) from error


class _Gzip:
    """A gzip member with the interface that bz2 and lzma have."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self._full = False

    def decompress(self, data: bytes, most: int, /) -> bytes:
        piece = self._inflate.decompress(self._inflate.unconsumed_tail + data, most)
        self._full = len(piece) == most
        return piece

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail and not self._full

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data


class _Zstd:
    """A zstd frame with the same interface; the package is imported for the first file that needs it."""

    needs_input = True

    def __init__(self) -> None:
        import zstandard

        self._failure: type[Exception] = zstandard.ZstdError
        self._frame: Any = zstandard.ZstdDecompressor(max_window_size=_MOST_MEMORY).decompressobj()

    def decompress(self, data: bytes, _most: int, /) -> bytes:
        try:
            piece: bytes = self._frame.decompress(data)
        except self._failure as error:
            raise ValueError(str(error)) from error
        return piece

    @property
    def eof(self) -> bool:
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        rest: bytes = self._frame.unused_data
        return rest


_BEGIN: dict[str, Callable[[], _Member]] = {
    "gzip": _Gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY),
    "zstd": _Zstd,
}


_MOST_CONTROLS = 0.05
"""Share of control characters above which bytes are no text: packed and compiled things have 0.1, logs none."""
_CONTROLS = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LATIN_PAIR = re.compile(rb"[\t\n\r -~]\0|\0[\t\n\r -~]")


def is_binary(sample: bytes) -> bool:
    """Whether bytes are no text in any encoding: full of control characters. NULs do not count: a log may hold them."""
    visible = sample.replace(b"\0", b"")
    if sample.startswith(_WIDE_MARKS) or _is_wide(sample):
        return False
    return len(visible) - len(visible.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(visible)


def _is_wide(sample: bytes) -> bool:
    """Whether most characters are ASCII in two bytes each."""
    return len(_LATIN_PAIR.findall(sample[:4_096])) * 2 > len(sample[:4_096]) * 0.6
