"""Reading what a user points at, with errors that name it."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

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
        if str(path) == "-":
            yield from (line.rstrip(b"\n") for line in sys.stdin.buffer)
            return
        with path.open("rb") as plain:
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            if packed:
                with gzip.open(plain) as unpacked:
                    yield from (line.rstrip(b"\n") for line in unpacked)
            else:
                yield from (line.rstrip(b"\n") for line in plain)
    except (OSError, EOFError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
