"""The bytes of one log file: its end, unpacked, within bounds, and an account of what of it was not read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rootproof.adapters.sources.deadline import Deadline
from rootproof.errors import SourceDenied, SourceGarbled, SourceUnavailable
from rootproof.logs.unpack import HEAD_BYTES, Damaged, foreign_packing_of, is_binary, packing_of, unpacked

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of one file, unpacked; the end of a longer one is read, since it is the newest."""
_SAMPLE_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Tail:
    """What was read of a file."""

    content: bytes
    size: int
    """Bytes of the whole file, unpacked as far as it could be."""
    damage: str = ""
    """Why a packed file ended early, in the unpacker's words."""

    @property
    def whole(self) -> bool:
        """Whether nothing of the file is missing."""
        return len(self.content) == self.size and not self.damage

    def last(self, most: int) -> Tail:
        """The part of it that is not longer than `most` bytes and begins with a line."""
        if len(self.content) <= most:
            return self
        return Tail(from_line(self.content[-most:]), self.size, self.damage)


@dataclass(frozen=True, slots=True)
class Reading:
    """The account of one file: how much of it was read, or why nothing was."""

    file: str
    bytes_read: int
    bytes_total: int | None
    """None where the file could not be opened."""
    whole: bool
    problem: str = ""
    """Why it is not whole, for people; empty when it is."""

    def as_json(self) -> dict[str, Any]:
        """For the raw answer."""
        return {
            "file": self.file,
            "bytes_read": self.bytes_read,
            "bytes_total": self.bytes_total,
            "whole": self.whole,
            "problem": self.problem or None,
        }


def account_of(label: str, tail: Tail, kept: Tail) -> Reading:
    """The account of a file of which `kept` was taken out of `tail`, the rest for want of time."""
    read, total = len(kept.content), tail.size
    if kept.whole:
        return Reading(label, read, total, whole=True)
    why = []
    if read < total:
        limit = "the time of a call allows no more" if read < len(tail.content) else "the limit of one file"
        why.append(f"the last {size_words(read)} of {size_words(total)} were read ({limit})")
    if tail.damage:
        why.append(f"it is damaged behind its first {size_words(total)}: {tail.damage}")
    return Reading(label, read, total, whole=False, problem="; ".join(why))


def size_words(size: int) -> str:
    """A number of bytes for people: `512 bytes`, `1.8 MiB`."""
    if size < 1024:
        return f"{size} bytes"
    value = size / 1024
    for unit in ("KiB", "MiB"):
        if value < 1023.95:
            return f"{value:.1f}".removesuffix(".0") + f" {unit}"
        value /= 1024
    return f"{value:.1f}".removesuffix(".0") + " GiB"


def read_tail(path: Path, label: str, deadline: Deadline, *, most: int | None = None) -> Tail:
    """The last `most` bytes (MAX_FILE_BYTES if None) of a file from a line on, unpacked if it is packed.

    A packed file that breaks off gives what stands before the break. Raises: SourceDenied or SourceUnavailable with the
    system's words; SourceGarbled for what is no text; SourceTimeout.
    """
    most = MAX_FILE_BYTES if most is None else most
    try:
        with path.open("rb") as raw:
            head = raw.read(HEAD_BYTES)
            if name := foreign_packing_of(head):
                raise SourceUnavailable(f"{label}: packed as {name}, which is not read. Unpack it first.")
            raw.seek(0)
            packing = packing_of(head)
            tail = _packed_end(unpacked(raw.read, packing), most, deadline) if packing else _plain_end(raw, most)
    except PermissionError as error:
        raise SourceDenied(f"{label}: {error.strerror}. Give the user that runs this read access.") from error
    except (OSError, Damaged) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise SourceUnavailable(f"{label}: {words}. Check that the file is there and whole.") from error
    _refuse_binary(tail.content, label)
    return tail


def _plain_end(raw: IO[bytes], most: int) -> Tail:
    size = raw.seek(0, 2)
    raw.seek(max(0, size - most))
    content = raw.read(most)
    return Tail(content, len(content)) if size <= most else Tail(from_line(content), size)


def _packed_end(pieces: Iterator[bytes], most: int, deadline: Deadline) -> Tail:
    chunks: deque[bytes] = deque()
    kept = size = 0
    damage = ""
    try:
        for chunk in pieces:
            deadline.check()
            chunks.append(chunk)
            size += len(chunk)
            kept += len(chunk)
            while kept - len(chunks[0]) >= most:
                kept -= len(chunks.popleft())
    except Damaged as error:
        if not size:
            raise
        damage = str(error)
    content = b"".join(chunks)
    return Tail(content if kept == size else from_line(content), size, damage)


def from_line(content: bytes) -> bytes:
    """Without the first line, which is most likely a piece of one."""
    return content[content.find(b"\n") + 1 :]


_HOLE = b"\0" * 8


def without_hole(content: bytes) -> bytes:
    """Without the NULs that a log begins with when it was emptied while its writer kept its place."""
    return content.lstrip(b"\0") if content.startswith(_HOLE) else content


def _refuse_binary(content: bytes, label: str) -> None:
    """Raises: SourceGarbled where the bytes are no text in any encoding: NULs only, or full of control characters."""
    if not content:
        return
    sample = content[:_SAMPLE_BYTES] + content[-_SAMPLE_BYTES:]
    if not content.strip(b"\0"):
        size = size_words(len(content))
        raise SourceGarbled(f"{label}: holds nothing but {size} of NUL. Restore or remove the file.")
    if is_binary(sample):
        raise SourceGarbled(f"{label}: not text but binary data. Give the log as text or JSON lines.")
