"""The record that a draft and the lines that joined it make."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent

from rootproof.logs.draft import Draft
from rootproof.logs.formats_rare import finish_event_text
from rootproof.logs.read_blocks import read_indented_journal
from rootproof.logs.record import NO_METRICS, LogRecord
from rootproof.logs.statements_slowlog import read_entry
from rootproof.logs.timestamps import Clock

MAX_MESSAGE_CHARS = 512 << 10
"""A longer message is cut here and says by how much."""

_REPEATED = re.compile(r"(?:last )?message repeated (\d{1,9}) times?\b")


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
        return _slow_query(draft, more, clock)
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


def _slow_query(draft: Draft, more: list[str], clock: Clock) -> Draft:
    lines = [draft.message, *more]
    entry = read_entry(lines, clock)
    if entry is None or not entry.message:
        draft.message = "\n".join(lines)
        return draft
    draft.message, draft.instant, draft.beside = entry.message, entry.timestamp, entry.beside
    draft.metrics = dict(entry.metrics)
    return draft
