"""Records that only several lines together make: pretty-printed JSON, XML events, journal exports, quoted CSV cells.

A block is opened by its first line and read as a whole when its last line is there. One that never ends, or that is no
record, is given back line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rootproof.logs.draft import Draft
from rootproof.logs.fields import from_fields
from rootproof.logs.formats import read_windows_event
from rootproof.logs.read_tables import Header, read_csv_levelled, read_row
from rootproof.logs.timestamps import Clock

MAX_BLOCK_LINES = 512
MAX_BLOCK_CHARS = 256 << 10

Inner = Callable[[str], Draft]


@dataclass(slots=True)
class Block:
    """The lines of one block so far."""

    kind: str
    line: int
    """The number of its first line."""
    header: Header | None = None
    lines: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    """The same lines as they came, blank ones included."""
    _chars: int = 0
    _open_quote: bool = False

    def add(self, text: str, raw: str) -> bool:
        """Take a line; whether it is the last one of the block."""
        self.raw.append(raw)
        self._chars += len(text)
        if text.strip():
            self.lines.append(text)
        if self.kind == "json":
            return text[:1] in ("}", "]")
        if self.kind == "xml":
            return "</Event>" in text
        if self.kind == "journal":
            return not text.strip()
        self._open_quote ^= text.count('"') % 2 == 1
        return not self._open_quote

    @property
    def too_long(self) -> bool:
        return len(self.raw) >= MAX_BLOCK_LINES or self._chars >= MAX_BLOCK_CHARS

    def read(self, clock: Clock, read_line: Callable[[str], list[Draft]], inner: Inner) -> list[Draft]:
        """What the block says; empty when it is no record of a log."""
        text = "\n".join(self.lines)
        if self.kind == "json":
            drafts = read_line(text.rstrip(",]") if text[:1] == "{" else text)
            told = [
                draft for draft in drafts if draft.form != "plain" and (draft.named or draft.instant or draft.level)
            ]
            return told if len(told) == len(drafts) else []
        if self.kind == "xml":
            event = read_windows_event(text, clock)
            return [event] if event is not None else []
        if self.kind == "journal":
            return [_journal(self.lines, clock, inner)]
        if self.header is not None:
            row = read_row(self.header, text, clock, inner)
            return [row] if row is not None else []
        levelled = read_csv_levelled(text, clock)
        return [levelled] if levelled is not None else []


def opened_by(text: str, number: int, header: Header | None) -> Block | None:
    """The block whose first line `text` is, or None."""
    first = text[:1]
    if first == "{":
        return Block("json", number) if text.rstrip() == "{" else None
    if first == "<":
        return Block("xml", number) if text.startswith(("<Event ", "<Event>")) and "</Event>" not in text else None
    if first == "_":
        return Block("journal", number) if text.startswith("__CURSOR=") else None
    if header is not None and header.quoted:
        return Block("csv", number, header) if text.count('"') % 2 else None
    if first.isdigit() and ',"' in text[:64] and text.count('"') % 2:
        return Block("csv", number)
    return None


_KEY = re.compile(r"\s*([A-Z_][A-Z0-9_]{0,63})=(.*)", re.DOTALL)


def _journal(lines: list[str], clock: Clock, inner: Inner) -> Draft:
    fields: dict[str, str] = {}
    for line in lines:
        if match := _KEY.match(line):
            fields.setdefault(match[1], match[2])
    return from_fields(fields, clock, inner, whole="\n".join(lines), form="journal")


def read_indented_journal(heading: Draft, lines: list[str], clock: Clock, inner: Inner) -> Draft | None:
    """The journal entry that a time and lines of `    KEY=value` make, or None."""
    if not all(_KEY.match(line) for line in lines):
        return None
    draft = _journal(lines, clock, inner)
    draft.instant = heading.instant or draft.instant
    return draft if draft.named else None
