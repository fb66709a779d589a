"""Lines in, records out: any format, found line by line, one pass, constant memory.

Invariant: every line that is not blank belongs to exactly one record, and blank lines count in the record before them.
No input raises: what cannot be read is a plain record. Nothing is dropped unsaid: a line or message that is cut says by
how many characters, and a record that is full is followed by another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from rootproof.logs.decode import NUL_SIGN, decode, encoding_of, split_lines
from rootproof.logs.draft import Draft
from rootproof.logs.joining import continues
from rootproof.logs.lines import MAX_JSON_CHARS, read_inner, read_line, without_ansi
from rootproof.logs.read_blocks import Block, opened_by
from rootproof.logs.read_record import finish
from rootproof.logs.read_tables import Header, header_of, read_row
from rootproof.logs.record import LogRecord
from rootproof.logs.statements_slowlog import in_header
from rootproof.logs.timestamps import Clock

__all__ = ["decode", "encoding_of", "parse", "split_lines"]

MAX_LINE_CHARS = 64 << 10
"""A longer line is cut here and says by how much; JSON is read whole first, and then its message is cut."""
MAX_RECORD_LINES = 512
"""A record takes no more lines than this; the next line begins another one."""
MAX_RECORD_CHARS = 256 << 10
"""The same for characters."""


def parse(
    lines: Iterable[str], *, default_year_from: datetime | None = None, timezone: tzinfo = UTC
) -> Iterator[LogRecord]:
    """The records of `lines`, in the order in which they begin; times may go back, as the lines' own do.

    `default_year_from` is about when the file was written and gives the year to times without one; without it such
    times are None. `timezone` is for times without a zone.
    """
    joiner = _Joiner(Clock(timezone, default_year_from))
    feed = joiner.feed
    for number_of_line, line in enumerate(lines, start=1):
        if done := feed(line, number_of_line):
            yield from done
    yield from joiner.finish()


@dataclass(slots=True)
class _Open:
    """A record that may still grow."""

    draft: Draft
    line: int
    lines: int = 1
    more: list[str] = field(default_factory=list)
    last: str = ""
    chars: int = 0

    @property
    def full(self) -> bool:
        return self.lines >= MAX_RECORD_LINES or self.chars >= MAX_RECORD_CHARS


class _Joiner:
    """Holds at most one open record a stream, the partial line of each runtime stream and one block of lines."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, _Open] = {}
        self._latest: _Open | None = None
        self._header: Header | None = None
        self._block: Block | None = None
        self._blank_before = 0

    def feed(self, raw: str, number_of_line: int) -> Sequence[LogRecord]:
        """Take one physical line; give back the records that it completes."""
        text = _clean(raw)
        if self._block is not None:
            return self._feed_block(self._block, text, raw)
        if not text or text.isspace():
            self._count_blank()
            return ()
        first = text[0]
        if first == "#" or number_of_line - self._blank_before == 1:
            self._header = header_of(text, first=first != "#") or self._header
        if first in _BLOCKS_BEGIN or self._header is not None or ',"' in text[:64]:
            block = opened_by(text, number_of_line, self._header)
            if block is not None:
                self._block = block
                block.add(text, raw)
                return ()
        return self._take(text, number_of_line)

    def _count_blank(self) -> None:
        if self._latest is None:
            self._blank_before += 1
        else:
            self._latest.lines += 1

    def _take(self, text: str, number_of_line: int) -> Sequence[LogRecord]:
        drafts = self._read(text)
        line = drafts[0]
        current = self._open.get(line.stream)
        if current is not None and self._extend(current, line, text):
            self._latest = current
            return ()
        return self._begin(drafts, number_of_line)

    def _read(self, text: str) -> list[Draft]:
        if self._header is not None and (row := read_row(self._header, text, self._clock, self._inner)):
            return [row]
        return read_line(text, self._clock)

    def _inner(self, text: str) -> Draft:
        return read_inner(text, self._clock, 0)

    def _feed_block(self, block: Block, text: str, raw: str) -> Sequence[LogRecord]:
        ended = block.add(text, raw)
        if not ended and not block.too_long:
            return ()
        self._block = None
        drafts = self._whole(block) if ended else []
        if drafts:
            return self._begin(drafts, block.line, len(block.raw))
        return self._replay(block)

    def _whole(self, block: Block) -> list[Draft]:
        return block.read(self._clock, lambda text: read_line(text, self._clock), self._inner)

    def _replay(self, block: Block) -> list[LogRecord]:
        """The records of lines that only looked like the beginning of a block."""
        done: list[LogRecord] = []
        for number, raw in enumerate(block.raw, start=block.line):
            text = _clean(raw)
            if not text or text.isspace():
                self._count_blank()
            else:
                done += self._take(text, number)
        return done

    def _extend(self, current: _Open, line: Draft, text: str) -> bool:
        if current.draft.partial:
            return self._complete(current, line, text)
        if current.draft.form == "jul" and line.form == "header" and line.instant is None and not current.more:
            current.draft.level, current.draft.message, current.draft.form = line.level, line.message, "header"
            current.last = line.message
            current.lines += 1
            return True
        if line.form == "header" or current.full or not self._goes_on(current, line, text):
            return False
        body = line.message if line.recognised and line.form != "slow-query" else text
        current.more.append(body.rstrip())
        if body:
            current.last = body
        current.lines += 1
        current.chars += len(body)
        return True

    def _complete(self, current: _Open, line: Draft, text: str) -> bool:
        """Go on with a line that the runtime cut; when it is whole, it is read as the line it was."""
        if current.full:
            current.draft.partial = False
            return False
        outer = current.draft
        body = line.message if line.stream else text
        outer.message += body
        current.chars += len(body)
        current.lines += 1
        outer.partial = line.partial and not current.full
        if not outer.partial and len(outer.message) <= MAX_JSON_CHARS and outer.message[:1] not in (" ", "\t"):
            inner = self._inner(outer.message)
            if inner.says_more():
                inner.form, inner.open = outer.form, outer.open and inner.open
                current.draft = inner.inside(outer)
        current.last = current.draft.message
        return True

    @staticmethod
    def _goes_on(current: _Open, line: Draft, text: str) -> bool:
        if line.form == "slow-query":
            return current.draft.form == "slow-query" and in_header((current.draft.message, *current.more))
        return continues(current.draft, current.last, text, line, grown=bool(current.more))

    def _begin(self, drafts: list[Draft], number_of_line: int, lines: int = 1) -> list[LogRecord]:
        stream = drafts[0].stream
        before = self._open.pop(stream, None)
        done = [] if before is None else [self._finished(before)]
        if not stream and self._open:
            done += self._flush()
        if self._blank_before:
            lines, self._blank_before = lines + self._blank_before, 0
        draft = drafts[-1]
        for several in drafts[:-1]:  # only a line of OTLP holds several
            done.append(self._finished(_Open(several, number_of_line, lines)))
            lines = 0
        self._open[stream] = self._latest = _Open(draft, number_of_line, lines, [], draft.message, len(draft.message))
        return done

    def _finished(self, opened: _Open) -> LogRecord:
        return finish(opened.draft, opened.more, self._clock, self._inner, line=opened.line, lines=opened.lines)

    def _flush(self) -> Iterator[LogRecord]:
        waiting = sorted(self._open.values(), key=lambda opened: opened.line)
        self._open.clear()
        for opened in waiting:
            yield self._finished(opened)

    def finish(self) -> Iterator[LogRecord]:
        """The records still open at the end of the input."""
        if self._block is not None:
            block, self._block = self._block, None
            drafts = self._whole(block) if block.kind == "journal" else []
            yield from self._begin(drafts, block.line, len(block.raw)) if drafts else self._replay(block)
        yield from self._flush()


_BLOCKS_BEGIN = frozenset("{<_")


def _clean(raw: str) -> str:
    """The line without its end, colours, byte order mark and NULs, cut when it is too long."""
    text = raw.rstrip("\r\n")
    if "\x1b" in text:
        text = without_ansi(text)
    if "\x00" in text:
        text = text.replace("\x00", NUL_SIGN)
    if text[:1] == "\ufeff":
        text = text.lstrip("\ufeff")
    if len(text) > MAX_LINE_CHARS and not (text[0] == "{" and len(text) <= MAX_JSON_CHARS):
        text = f"{text[:MAX_LINE_CHARS]} ...[{len(text) - MAX_LINE_CHARS} characters cut]"
    return text
