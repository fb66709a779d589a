"""The record that a draft and the lines that joined it make."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent

from rootproof.logs.draft import Draft
from rootproof.logs.formats_rare import finish_event_text
from rootproof.logs.read_blocks import read_indented_journal
from rootproof.logs.record import NO_METRICS, LogRecord
from rootproof.logs.timestamps import Clock, epoch_instant

MAX_MESSAGE_CHARS = 512 << 10
"""A longer message is cut here and says by how much."""

_REPEATED = re.compile(r"(?:last )?message repeated (\d{1,9}) times?\b")
_SLOW_NUMBERS = re.compile(r"(Query_time|Lock_time|Rows_sent|Rows_examined|Rows_affected|Bytes_sent): (\d+(?:\.\d+)?)")
_SLOW_EPOCH = re.compile(r"SET timestamp=(\d{10})")


def finish(
    draft: Draft, more: list[str], clock: Clock, inner: Callable[[str], Draft], *, line: int, lines: int
) -> LogRecord:
    """The record of `draft` with `more` lines, which begins at `line` and takes `lines` physical ones."""
    if more:
        draft = _joined(draft, more, clock, inner)
    message = draft.message
    if "\r" in message:
        message = message.replace("\r\n", "\n").replace("\r", "\n")
    if len(message) > MAX_MESSAGE_CHARS:
        message = f"{message[:MAX_MESSAGE_CHARS]} ...[{len(message) - MAX_MESSAGE_CHARS} characters cut]"
    message = message.strip("\n").rstrip()
    repeated = _REPEATED.match(message) if "repeated" in message else None
    return LogRecord(
        message,
        draft.instant,
        draft.level,
        draft.service,
        draft.logger,
        draft.instance,
        draft.metrics or NO_METRICS,
        draft.beside,
        line,
        lines,
        int(repeated[1]) if repeated else 1,
    )


def _joined(draft: Draft, more: list[str], clock: Clock, inner: Callable[[str], Draft]) -> Draft:
    if draft.form == "slow-query":
        return _slow_query(draft, more)
    if draft.form == "event-text":
        return finish_event_text(draft, more, clock)
    if draft.form == "header" and draft.level is None and more[0].lstrip()[:1].isupper():
        entry = read_indented_journal(draft, more, clock, inner)
        if entry is not None:
            return entry
    head = draft.message
    if head[:2] == "[[" or head[-3:] == " [[":  # `[[` and `]]` around a message of several lines
        more[-1] = more[-1].removesuffix("]]")
        head = head.removesuffix("[[").rstrip()
    draft.message = "\n".join([head, *more]) if head else dedent("\n".join(more))
    return draft


def _slow_query(draft: Draft, more: list[str]) -> Draft:
    text = "\n".join(more)
    draft.metrics = {name.lower(): float(value) for name, value in _SLOW_NUMBERS.findall(text)}
    if draft.instant is None and (epoch := _SLOW_EPOCH.search(text)):
        draft.instant = epoch_instant(int(epoch[1]))
    statement = [line for line in more if not line.startswith(("#", "SET timestamp="))]
    draft.message = "\n".join(statement) or text
    return draft
