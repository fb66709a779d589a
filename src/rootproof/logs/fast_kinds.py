"""Kinds of lines: all lines of one kind are read alike, so the parser is asked about one of them.

A form is a line with its digits made zero, so lines of one form have the same length and the same words. Forms that
agree in their coarse text, in the words of their head (runs of digits and hexadecimal ids made one sign) and in whether
their clock tells a time are of one kind. What the parser reads from a line follows from these, from the values that a
kind names (`Span`), and from nothing else; a line about which this cannot be said is left to the parser (`kind.fast`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from rootproof.logs.draft import Draft
from rootproof.logs.fast_stamps import Layout
from rootproof.logs.joining import continues
from rootproof.logs.lines import read_line
from rootproof.logs.read_blocks import opened_by
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock

_ABSORBING = frozenset({"jul", "category", "slow-query"})
"""Forms of records that may take the next line, whatever it is."""
_HEAD = re.compile(r"(?:[^ \t]+[ \t]+)*")
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class Kind:
    """What the parser says of a kind of line."""

    fast: bool
    """Whether each such line is a record by itself wherever it stands, and the rest of this holds for it."""
    words: int = 0
    """Words before the message."""
    glued: str = ""
    """What stands directly before the message in its first word."""
    stream: str = ""
    level: Level | None = None
    service: str | None = None
    timed: bool = False


SLOW = Kind(fast=False)


def kind_of(line: str, clock: Clock, instant: datetime | None, layout: Layout | None) -> Kind:
    """The kind of `line`, whose time was found to be `instant` by the clock that stands where `layout` says."""
    if instant is None and _may_tell_time(line, clock, layout):
        return SLOW
    drafts = read_line(line, clock)
    draft = drafts[0]
    if len(drafts) != 1 or draft.partial or draft.takes_plain or draft.form in _ABSORBING or draft.instant != instant:
        return SLOW
    message = draft.message.strip("\r\n").rstrip()
    text = line.rstrip()
    if (
        not message
        or message[0].isspace()
        or not text.endswith(message)
        or not _alone(draft, line)
        or _holds_digit(draft.service)
    ):
        return SLOW
    head = text[: len(text) - len(message)]
    match = _HEAD.match(head)
    words = head[: match.end()] if match else ""
    glued = head[len(words) :]
    if _DIGIT.search(glued):
        return SLOW
    return Kind(
        fast=True,
        words=len(words.split()),
        glued=glued,
        stream=draft.stream,
        level=draft.level,
        service=draft.service,
        timed=instant is not None,
    )


def _may_tell_time(line: str, clock: Clock, layout: Layout | None) -> bool:
    """Whether a line of that form could have a time that is not told by the clock at `layout`: ones are a date."""
    ones = _DIGIT.sub("1", line)
    if layout is not None:
        ones = layout.at(ones, "999999", "1" * layout.fraction_chars)
    return read_line(ones, clock)[0].instant is not None


def _holds_digit(text: str | None) -> bool:
    return text is not None and _DIGIT.search(text) is not None


_LASTS = (("x", False), ("\tat x", True), ("^", True))
"""Last lines of a record that a line may follow, and whether it is not its first."""
_NEXT = Draft("x"), Draft("X: x")


def _alone(draft: Draft, line: str) -> bool:
    """Whether the line begins a record after any line of a kind that is `fast`, and leaves the next one alone."""
    if opened_by(line, 1, None) is not None:
        return False
    if any(continues(draft, draft.message, after.message, after, grown=False) for after in _NEXT):
        return False
    before = (Draft("x"), Draft("x", level="ERROR", form="header"), Draft("x", level="ERROR", form=draft.form),
              Draft("x", form=draft.form, bare=True))  # fmt: skip
    return not any(continues(each, last, line, draft, grown=grown) for each in before for last, grown in _LASTS)
