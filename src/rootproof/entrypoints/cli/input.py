"""Reading what a user points at, with errors that name it."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO

from rootproof.errors import UsageError

MAX_INPUT_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1 << 20
_SAMPLE_BYTES = 64 << 10
_STDIN = Path("-")


def read_bytes(path: Path, *, limit: int = MAX_INPUT_BYTES) -> bytes:
    """The content of a file, or of stdin for `-`. Raises: UsageError."""
    try:
        if path == _STDIN:
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with path.open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > limit:
        raise UsageError(f"{path} is larger than {limit} bytes; give a smaller file")
    return data


MAX_LINE_BYTES = 8 << 20
"""Of one line that is looked at as a whole."""


def files_below(path: Path) -> list[Path]:
    """The file itself, or the regular files below a folder by name. Raises: UsageError."""
    if path == _STDIN or path.is_file():
        return [path]
    if path.is_dir():
        return sorted(item for item in path.rglob("*") if item.is_file() and not item.is_symlink())
    raise UsageError(f"{path} is neither a file nor a folder")


def open_lines(path: Path) -> Iterator[bytes]:
    """The physical lines of a file, packed or not, or of stdin for `-`, without their line ends; streaming.

    Raises: UsageError, for a damaged file after the lines before the break, and for a line over `MAX_LINE_BYTES`.
    """
    file = InputFile(path)
    tail = b""
    number = 1
    for chunk in file.chunks():
        *lines, tail = (tail + chunk).split(b"\n")
        yield from lines
        number += len(lines)
        if len(tail) > MAX_LINE_BYTES:
            raise UsageError(f"{path}: line {number} is longer than {MAX_LINE_BYTES >> 20} MiB; break it first")
    if tail:
        yield tail
    if file.damage:
        raise UsageError(f"{path} cannot be read further: {file.damage}")


class InputFile:
    """One input, unpacked as it is read; `-` is stdin. It can be read again if `again` is set, stdin from a copy."""

    def __init__(self, path: Path, *, again: bool = False) -> None:
        self.path = path
        self.damage = ""
        """Why a packed file ended early, after it was read."""
        self._again = again
        self._copy: Path | None = None
        self._end: int | None = None
        """Where a file that is read again ended the first time: it may grow meanwhile."""

    @property
    def written(self) -> datetime:
        """About when it was written last."""
        return datetime.now(UTC) if self.path == _STDIN else datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, unpacked. Raises: UsageError where nothing can be read of it."""
        from rootproof.logs.unpack import Damaged, foreign_packing_of, packing_of, unpacked

        size = 0
        self.damage = ""
        try:
            with self._opened() as file:
                reader = _Reader(file, self._first_end(file))
                if foreign := foreign_packing_of(reader.head):
                    raise UsageError(f"{self.path} is packed as {foreign}, which is not read; unpack it first")
                packing = packing_of(reader.head)
                pieces = unpacked(reader.read, packing) if packing else iter(lambda: reader.read(_CHUNK_BYTES), b"")
                for piece in pieces:
                    size += len(piece)
                    yield piece
        except OSError as error:
            raise _unreadable(self.path, error) from error
        except Damaged as error:
            if not size:
                raise UsageError(f"{self.path} cannot be unpacked: {error}") from error
            self.damage = f"it is damaged behind its first {size} bytes unpacked: {error}"

    def blocks(self, *, prompt: bool = False) -> Iterator[bytes]:
        """Its text in blocks of whole lines of UTF-8, `prompt`: as soon as they are there.

        Raises: UsageError, also for what is no text.
        """
        from rootproof.logs.fast_blocks import BLOCK_BYTES, text_blocks
        from rootproof.logs.unpack import is_binary

        chunks = self.chunks()
        sample = b""
        while len(sample) < _SAMPLE_BYTES and (chunk := next(chunks, b"")):
            sample += chunk
        if is_binary(sample[:_SAMPLE_BYTES]):
            raise UsageError(f"{self.path} is binary data and not text; give a log as text or JSON lines")
        return text_blocks(chain([sample], chunks), least=0 if prompt else BLOCK_BYTES)

    def no_log(self) -> str:
        """Why nothing of it can be read as a log; empty where something can."""
        try:
            next(self.blocks(prompt=True), b"")
        except UsageError as error:
            return str(error)
        return ""

    def _first_end(self, file: IO[bytes]) -> int | None:
        if self._again and self._end is None:
            self._end = os.fstat(file.fileno()).st_size or None
        return self._end

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self.path != _STDIN:
            with self.path.open("rb") as file:
                yield file
            return
        if not self._again:
            yield sys.stdin.buffer
            return
        if self._copy is None:
            with tempfile.NamedTemporaryFile(delete=False) as copy:
                self._copy = Path(copy.name)
                atexit.register(self._copy.unlink, missing_ok=True)
                shutil.copyfileobj(sys.stdin.buffer, copy, _CHUNK_BYTES)
        with self._copy.open("rb") as file:
            yield file


class _Reader:
    """A file whose first bytes were looked at. A read gives what is there, so that a slow pipe is not waited for."""

    def __init__(self, file: IO[bytes], end: int | None = None) -> None:
        from rootproof.logs.unpack import HEAD_BYTES

        self._read_some = getattr(file, "read1", file.read)
        self._to_come = end
        self.head = b""
        while len(self.head) < HEAD_BYTES and b"\n" not in self.head and (more := self._read(HEAD_BYTES)):
            self.head += more
        self._left = self.head

    def _read(self, size: int) -> bytes:
        """What the file has, up to its end where one is set."""
        if self._to_come is None:
            found: bytes = self._read_some(size)
            return found
        found = self._read_some(min(size, self._to_come))
        self._to_come -= len(found)
        return found

    def read(self, size: int) -> bytes:
        """At most `size` bytes and the head; empty at the end."""
        if self._left:
            data, self._left = self._left, b""
            return data
        return self._read(size)


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be read: {error.strerror or error}")
