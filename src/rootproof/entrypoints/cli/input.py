"""Reading what a user points at, with errors that name it."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from rootproof.errors import UsageError

MAX_INPUT_BYTES = 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"


def read_bytes(path: Path, *, limit: int = MAX_INPUT_BYTES) -> bytes:
    """The content of a file, or of stdin for `-`. Raises: UsageError."""
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with path.open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise UsageError(f"{path} is larger than {limit} bytes; give a smaller file")
    return data


def files_below(path: Path) -> list[Path]:
    """The file itself, or the regular files below a folder by name. Raises: UsageError."""
    if str(path) == "-" or path.is_file():
        return [path]
    if path.is_dir():
        return sorted(item for item in path.rglob("*") if item.is_file() and not item.is_symlink())
    raise UsageError(f"{path} is neither a file nor a folder")


def open_lines(path: Path) -> Iterator[bytes]:
    """The physical lines of a file, of a gzip file, or of stdin for `-`, without their line ends; streaming.

    Raises: UsageError.
    """
    try:
        with _opened(path) as plain:
            packed = plain.peek(2)[:2] == _GZIP
            lines: Iterable[bytes] = gzip.GzipFile(fileobj=plain) if packed else plain
            yield from (line.rstrip(b"\n") for line in lines)
    except (OSError, EOFError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{path} cannot be read: {why}") from error


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader[Any]]:
    if str(path) != "-":
        with path.open("rb") as file:
            yield file
        return
    stdin = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer))  # any binary stream will do
    try:
        yield stdin
    finally:
        stdin.detach()
