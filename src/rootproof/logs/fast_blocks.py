"""Chunks of bytes as blocks of whole lines in UTF-8: what every reader of big inputs starts from.

Memory: one block and one chunk, whatever the input holds; a line without end is cut and says by how much. Invariant: a
block ends with a line feed, the last one of an input perhaps not, and the line feeds are those of the text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

from rootproof.logs.decode import NUL_SIGN, decode, encoding_of

BLOCK_BYTES = 4 << 20
MAX_LINE_BYTES = 1 << 20
"""Of a longer line the beginning is kept, and the number of bytes that are not."""
_KEPT_BYTES = 48 << 10
"""Short enough for `parse` not to cut it again."""
_SAMPLE_BYTES = 64 << 10
_AS_IT_IS = frozenset({"utf-8", "utf-8-sig", "ascii"})


def text_blocks(chunks: Iterable[bytes], *, least: int = 0) -> Iterator[bytes]:
    """The text of `chunks` in blocks of whole lines of valid UTF-8, each at most a little larger than `BLOCK_BYTES`.

    Chunks are gathered until they hold `least` bytes: large blocks are read faster, small ones come sooner.

    The encoding is told by the first bytes, as `decode` does it. In a file that is UTF-8, lines that are not are read
    one by one. Bytes that are no text become U+FFFD, NULs become U+2400.
    """
    source = iter(chunks)
    head = b""
    while len(head) < _SAMPLE_BYTES and (chunk := next(source, None)) is not None:
        head += chunk
    encoding = encoding_of(head)
    whole: Iterable[bytes] = chain([head], source)
    if encoding in _AS_IT_IS:
        whole = chain([head.removeprefix(codecs.BOM_UTF8)], source)
    else:
        whole = _transcoded(whole, encoding)
    return map(_valid, whole_lines(_gathered(whole, least) if least else whole))


def whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """`chunks` cut anew so that each block ends at the end of a line; lines beyond `MAX_LINE_BYTES` are cut short."""
    tail = b""
    dropped = 0
    for piece in chain.from_iterable(map(_bounded, chunks)):
        if dropped:
            end = piece.find(b"\n")
            if end < 0:
                dropped += len(piece)
                continue
            block, dropped = tail + _cut_sign(dropped + end) + piece[end:], 0
        else:
            block = tail + piece if tail else piece
        cut = block.rfind(b"\n") + 1
        if cut:
            yield _without_giants(block[:cut])
        tail = block[cut:]
        if len(tail) > MAX_LINE_BYTES:
            kept = _beginning(tail)
            dropped, tail = len(tail) - len(kept), kept
    if tail:
        yield tail + _cut_sign(dropped) if dropped else tail


def _gathered(chunks: Iterable[bytes], least: int) -> Iterator[bytes]:
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        if size >= least:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _bounded(chunk: bytes) -> Iterator[bytes]:
    """`chunk` in pieces of a block or less."""
    if len(chunk) <= BLOCK_BYTES:
        yield chunk
        return
    for start in range(0, len(chunk), BLOCK_BYTES):
        yield chunk[start : start + BLOCK_BYTES]


def _cut_sign(dropped: int) -> bytes:
    return b" ...[%d bytes cut]" % dropped


def _beginning(line: bytes) -> bytes:
    """The part of a giant line that is kept, without half a character at its end."""
    end = _KEPT_BYTES
    while end > _KEPT_BYTES - 4 and line[end] & 0xC0 == 0x80:
        end -= 1
    return line[:end]


def _without_giants(block: bytes) -> bytes:
    """`block` with lines beyond `MAX_LINE_BYTES` cut, as they are when they span blocks."""
    half = MAX_LINE_BYTES // 2
    if all(block.find(b"\n", at, at + half) >= 0 for at in range(0, len(block) - MAX_LINE_BYTES, half)):
        return block
    lines = block.split(b"\n")
    for at, line in enumerate(lines):
        if len(line) > MAX_LINE_BYTES:
            kept = _beginning(line)
            lines[at] = kept + _cut_sign(len(line) - len(kept))
    return b"\n".join(lines)


def _transcoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).removeprefix("\ufeff").encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _valid(block: bytes) -> bytes:
    """`block` as UTF-8: the lines that are not are decoded each by itself, as another encoding or with U+FFFD."""
    if b"\0" in block:
        block = block.replace(b"\0", NUL_SIGN.encode())
    try:
        block.decode()
    except UnicodeDecodeError:
        return b"\n".join(_valid_line(line) for line in block.split(b"\n"))
    return block


def _valid_line(line: bytes) -> bytes:
    try:
        line.decode()
    except UnicodeDecodeError:
        return decode(line).encode("utf-8", "replace")
    return line
