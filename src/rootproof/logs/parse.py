"""Lines in, records out: any format, found line by line, one pass, constant memory.

Invariant: every line that is not blank belongs to exactly one record, and blank lines count in the record before them.
No input raises: what cannot be read is a plain record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from textwrap import dedent

from rootproof.logs.decode import NUL_SIGN, decode, encoding_of, split_lines
from rootproof.logs.draft import Draft
from rootproof.logs.joining import continues
from rootproof.logs.lines import read_csv_row, read_line, read_w3c_row, without_ansi
from rootproof.logs.record import NO_METRICS, LogRecord
from rootproof.logs.timestamps import Clock

__all__ = ["decode", "encoding_of", "parse", "split_lines"]

MAX_LINE_CHARS = 64 << 10
"""A longer line is cut here and says by how much."""
MAX_RECORD_LINES = 512
"""A record takes no more lines than this; the next line begins another one."""


def parse(
    lines: Iterable[str], *, default_year_from: datetime | None = None, timezone: tzinfo = UTC
) -> Iterator[LogRecord]:
    """The records of `lines`, in the order in which they begin.

    `default_year_from` is about when the file was written and gives the year to times without one; without it such
    times are None. `timezone` is for times without a zone.
    """
    joiner = _Joiner(Clock(timezone, default_year_from))
    number_of_line = 0
    for number_of_line, line in enumerate(lines, start=1):
        yield from joiner.feed(line, number_of_line)
    yield from joiner.finish()


@dataclass(slots=True)
class _Open:
    """A record that may still grow."""

    draft: Draft
    line: int
    lines: int = 1
    more: list[str] = field(default_factory=list)
    last: str = ""


class _Joiner:
    """Holds at most one open record a stream and the partial line of each runtime stream."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, _Open] = {}
        self._latest: _Open | None = None
        self._csv_header: list[str] | None = None
        self._w3c: list[str] = []
        self._blank_before = 0

    def feed(self, raw: str, number_of_line: int) -> Sequence[LogRecord]:
        """Take one physical line; give back the records that it completes."""
        text = _clean(raw)
        if not text.strip():
            if self._latest is None:
                self._blank_before += 1
            else:
                self._latest.lines += 1
            return ()
        if text.startswith("#Fields: "):
            self._w3c = text.split()[1:]
        if number_of_line - self._blank_before == 1 and (header := _csv_header(text)):
            self._csv_header = header
        drafts = self._read(text)
        first = drafts[0]
        current = self._open.get(first.stream)
        if current is not None and self._extend(current, first, text):
            self._latest = current
            return ()
        return self._begin(drafts, number_of_line)

    def _read(self, text: str) -> list[Draft]:
        if self._csv_header is not None and (row := read_csv_row(self._csv_header, text, self._clock)):
            return [row]
        if self._w3c and (row := read_w3c_row(self._w3c, text, self._clock)):
            return [row]
        return read_line(text, self._clock)

    def _extend(self, current: _Open, line: Draft, text: str) -> bool:
        if current.draft.partial:
            current.draft.message += line.message if line.stream else text
            current.draft.partial = line.partial and current.lines < MAX_RECORD_LINES
            current.lines += 1
            return True
        if current.draft.form == "jul" and line.form == "header" and line.instant is None and not current.more:
            current.draft.level, current.draft.message, current.draft.form = line.level, line.message, "header"
            current.lines += 1
            return True
        if line.form == "header" or current.lines >= MAX_RECORD_LINES or not self._goes_on(current, line, text):
            return False
        body = line.message if line.recognised else text
        current.more.append(body.rstrip())
        current.last = body
        current.lines += 1
        return True

    @staticmethod
    def _goes_on(current: _Open, line: Draft, text: str) -> bool:
        return continues(current.draft, current.last, text, line, grown=bool(current.more))

    def _begin(self, drafts: list[Draft], number_of_line: int) -> list[LogRecord]:
        stream = drafts[0].stream
        before = self._open.pop(stream, None)
        done = [] if before is None else [_record(before)]
        if not stream and self._open:
            done += self._flush()
        for index, draft in enumerate(drafts):
            opened = _Open(draft, number_of_line, 1 if index == 0 else 0, [], draft.message)
            if self._blank_before:
                opened.lines, self._blank_before = opened.lines + self._blank_before, 0
            if index < len(drafts) - 1:
                done.append(_record(opened))
                continue
            self._open[stream] = self._latest = opened
        return done

    def _flush(self) -> Iterator[LogRecord]:
        waiting = sorted(self._open.values(), key=lambda opened: opened.line)
        self._open.clear()
        for opened in waiting:
            yield _record(opened)

    def finish(self) -> Iterator[LogRecord]:
        """The records still open at the end of the input."""
        yield from self._flush()


def _clean(raw: str) -> str:
    text = without_ansi(raw.rstrip("\r\n"))
    if "\x00" in text:
        text = text.replace("\x00", NUL_SIGN)
    if text[:1] == "\ufeff":
        text = text[1:]
    if len(text) > MAX_LINE_CHARS:
        text = f"{text[:MAX_LINE_CHARS]} ...[{len(text) - MAX_LINE_CHARS} characters cut]"
    return text


_REPEATED = re.compile(r"message repeated \d+ times: \[ ?(.*?)\]?$", re.DOTALL)
_SLOW_NUMBERS = re.compile(r"(Query_time|Lock_time|Rows_sent|Rows_examined|Rows_affected|Bytes_sent): (\d+(?:\.\d+)?)")


def _record(opened: _Open) -> LogRecord:
    draft = opened.draft
    message = "\n".join([draft.message, *opened.more]) if opened.more else draft.message
    metrics = draft.metrics
    if draft.form == "slow-query":
        metrics = {name.lower(): float(value) for name, value in _SLOW_NUMBERS.findall(message)}
        message = "\n".join(line for line in opened.more if not line.startswith(("#", "SET timestamp="))) or message
    elif opened.more and not draft.message:
        message = dedent("\n".join(opened.more)).strip("\n")
    return LogRecord(
        message=message.strip("\r\n").rstrip(),
        timestamp=draft.instant,
        level=draft.level,
        service=draft.service,
        logger=draft.logger,
        instance=draft.instance,
        metrics=metrics or NO_METRICS,
        beside=draft.beside,
        line=opened.line,
        lines=opened.lines,
    )


_CSV_TIME = frozenset({"timestamp", "time", "date", "datetime", "ts", "@timestamp", "timegenerated", "timeunixnano"})
_CSV_TEXT = frozenset({"message", "msg", "log", "body", "text", "content", "description"})


def _csv_header(text: str) -> list[str] | None:
    """The columns of a CSV header that names a time and a message."""
    if "," not in text or len(text) > 2_000 or text[:1] == "{":
        return None
    columns = [column.strip().strip('"').strip() for column in text.split(",")]
    names = {column.lower() for column in columns}
    return columns if names & _CSV_TIME and names & _CSV_TEXT else None
