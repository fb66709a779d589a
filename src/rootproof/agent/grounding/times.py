"""Instants as people and systems write them, and when a claimed one is the seen one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.text import Kind, Token

MAX_TIMES = 40
ROUND_S = 600.0
"""How far `shortly before midnight` may be from a full or half hour."""
MINUTE_S = 60.0
"""The step of HH:MM: people cut the seconds off, or round them."""


class Edge(StrEnum):
    """Which end of what happened a claimed time names, where its words say so."""

    START = "start"
    END = "end"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time in a claim; `day` is None where only a clock time is written, `clock_s` is None for a date alone."""

    text: str
    start: int
    end: int
    day: date | None
    clock_s: float | None
    """Seconds since midnight UTC."""
    step_s: float
    """60 for HH:MM, 1 for HH:MM:SS, less with a fraction."""
    approximate: bool = False
    side: int = 0
    """-1: the claim says before or by it, 1: after it, 0: at it."""
    edge: Edge = Edge.ANY


_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?(?:Z| ?([AaPp])\.?[Mm])?")
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}


def parse_instant(text: str) -> datetime | None:
    """The aware UTC instant of an RFC 3339 text (naive is UTC), or None where it is none."""
    try:
        found = datetime.fromisoformat(text.replace(" Z", "Z").replace("Z", "+00:00").replace(" ", "T", 1))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def instants(tokens: Sequence[Token]) -> list[tuple[int, datetime]]:
    """The full instants of an evidence text with their token positions, at most MAX_TIMES."""
    found: list[tuple[int, datetime]] = []
    for position, token in enumerate(tokens):
        if token.kind is Kind.TIME and (instant := parse_instant(token.text)) is not None:
            found.append((position, instant))
            if len(found) >= MAX_TIMES:
                break
    return found


def mentions(tokens: Sequence[Token]) -> list[TimeMention]:
    """The times a claim names, in order, at most MAX_TIMES."""
    found: list[TimeMention] = []
    for position, token in enumerate(tokens):
        mention = _mention(tokens, position, token)
        if mention is not None:
            found.append(mention)
            if len(found) >= MAX_TIMES:
                break
    return found


def _mention(tokens: Sequence[Token], position: int, token: Token) -> TimeMention | None:
    day: date | None = None
    clock: float | None = None
    step = 86400.0
    end = position + 1
    match token.kind:
        case Kind.TIME:
            instant = parse_instant(token.text)
            if instant is None:
                return TimeMention(token.text, position, end, None, None, 0.0)
            day, clock = instant.date(), _seconds(instant)
            step = (
                1e-3
                if "." in token.text
                else (1.0 if token.text.count(":") >= 2 + (token.text[-3] == ":" and "+" in token.text[10:]) else 60.0)
            )
        case Kind.CLOCK:
            parsed = _clock(token.text)
            if parsed is None:
                return None
            clock, step = parsed
        case Kind.DATE:
            try:
                day = date.fromisoformat(token.text)
            except ValueError:
                return TimeMention(token.text, position, end, None, None, 0.0)
        case Kind.WORD if token.lower in {"midnight", "noon"}:
            clock, step = (0.0 if token.lower == "midnight" else 43200.0), 60.0
        case Kind.WORD if token.lower in _MONTHS:
            return _month_day(tokens, position)
        case _:
            return None
    approximate, side = _approach(tokens, position)
    return TimeMention(token.text, position, end, day, clock, step, approximate, side, _edge(tokens, position))


def _seconds(instant: datetime) -> float:
    return instant.hour * 3600 + instant.minute * 60 + instant.second + instant.microsecond / 1e6


def _clock(text: str) -> tuple[float, float] | None:
    matched = _CLOCK.fullmatch(text)
    if matched is None:
        return None
    hour, minute, second = int(matched[1]), int(matched[2]), int(matched[3] or 0)
    if matched[5]:
        hour = hour % 12 + (12 if matched[5] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = float(matched[4]) if matched[4] else 0.0
    step = 1e-3 if matched[4] else (1.0 if matched[3] else 60.0)
    return hour * 3600 + minute * 60 + second + fraction, step


def _month_day(tokens: Sequence[Token], position: int) -> TimeMention | None:
    """`26 March`, `March 26`: a date without a year, kept as text of the day and month (year 4 stands for any)."""
    for neighbour in (position - 1, position + 1):
        if 0 <= neighbour < len(tokens):
            digits = re.fullmatch(r"([0-9]{1,2})(?:st|nd|rd|th)?", tokens[neighbour].lower)
            if digits and 1 <= int(digits[1]) <= 31:
                try:
                    day = date(4, _MONTHS[tokens[position].lower], int(digits[1]))
                except ValueError:
                    return None
                first = min(neighbour, position)
                day, end = _with_year(tokens, day, first + 2)
                text = " ".join(token.text for token in tokens[first:end])
                return TimeMention(text, first, end, day, None, 86400.0)
    return None


def _with_year(tokens: Sequence[Token], day: date, end: int) -> tuple[date, int]:
    """The date with the year behind it (`12 May 2026`, `May 12, 2026`) and the position after it."""
    at = end + (end < len(tokens) and tokens[end].text == ",")
    year = tokens[at].text if at < len(tokens) else ""
    if not re.fullmatch(r"(?:19|20)[0-9]{2}", year):
        return day, end
    try:
        return day.replace(year=int(year)), at + 1
    except ValueError:
        return day, end


def _approach(tokens: Sequence[Token], position: int) -> tuple[bool, int]:
    approximate, side = False, 0
    for token in reversed(tokens[max(0, position - 3) : position]):
        word = token.lower
        if word in signs.APPROXIMATE or word in {"shortly", "just", "soon"}:
            approximate = True
        elif word in {"after", "past"}:
            side = side or 1
        elif word in {"before", "by", "until", "till"}:
            side = side or -1
        elif token.kind is not Kind.WORD or word not in {"at", "the", "minute", "utc", "time"}:
            break
    return approximate, side


_TO: Final = frozenset({"to", "-", "until", "till", "through"})


def _edge(tokens: Sequence[Token], position: int) -> Edge:
    """START or END where the words right before the time, or its place in a range, say so."""
    times = {Kind.TIME, Kind.CLOCK}
    before = tokens[max(0, position - 4) : position]
    after = tokens[position + 1 : position + 3]
    if before and before[-1].lower in _TO | {"and"} and len(before) >= 2 and before[-2].kind in times:
        return Edge.END
    if len(after) == 2 and after[0].lower in _TO | {"and"} and after[1].kind in times:
        return Edge.START
    for index, token in enumerate(reversed(before)):
        if token.lower == "since" and _not_since(tokens, position - 1 - index):
            return Edge.END
        if token.lower == "between" or token.lower in signs.START_WORDS:
            return Edge.START
        if token.lower in signs.END_WORDS:
            return Edge.END
        if token.kind is not Kind.WORD or token.lower not in {
            "from",
            "at",
            "around",
            "about",
            "seen",
            "the",
            "shortly",
            "just",
            "by",
            "was",
            "is",
            "after",
            "before",
            "in",
            "on",
        }:
            break
    return Edge.ANY


def _not_since(tokens: Sequence[Token], position: int) -> bool:
    """Whether `not seen since` is written: the time is then the last one."""
    lead = [token.lower for token in tokens[max(0, position - 3) : position]]
    return bool({"not", "never", "nothing", "none"} & set(lead)) or lead[-2:-1] == ["longer"]


def dates(tokens: Sequence[Token]) -> list[date]:
    """The dates without a time of an evidence text."""
    found: list[date] = []
    for token in tokens:
        if token.kind is Kind.DATE and len(found) < MAX_TIMES:
            try:
                found.append(date.fromisoformat(token.text))
            except ValueError:
                continue
    return found


def matches(mention: TimeMention, instant: datetime) -> bool:
    """Whether `instant` is the time that `mention` names, within the precision in which it is written."""
    if mention.day is not None:
        same_day = mention.day == instant.date() or (
            mention.day.year == 4 and (mention.day.month, mention.day.day) == (instant.month, instant.day)
        )
        if not same_day:
            return False
    if mention.clock_s is None:
        return mention.day is not None
    gap = _seconds(instant) - mention.clock_s
    if mention.day is None:
        gap = (gap + 43200) % 86400 - 43200
    rounding = 30.0 if mention.step_s == MINUTE_S else 1e-3
    if -rounding <= gap < mention.step_s - 1e-6 or (mention.step_s < 1 and abs(gap) < 2e-3):
        return True
    if mention.approximate:
        if mention.side and mention.clock_s % 1800 == 0 and 0 <= gap * mention.side <= ROUND_S:
            return True
        width = 180.0 if mention.clock_s % 300 == 0 else 90.0
        return abs(gap) <= width
    if mention.step_s < 60:
        return False
    if mention.side > 0:
        return 0 <= gap <= 119
    if mention.side < 0:
        return -60 <= gap <= 0
    return False


def any_match(mention: TimeMention, candidates: Iterable[datetime]) -> bool:
    """Whether one of `candidates` is the time."""
    return any(matches(mention, instant) for instant in candidates)


def within(mention: TimeMention, first: datetime | None, last: datetime | None) -> bool:
    """Whether the time lies inside [first, last]."""
    if first is None or last is None or mention.clock_s is None:
        return False
    day = mention.day or first.date()
    if day.year == 4:
        day = date(first.year, day.month, day.day)
    try:
        instant = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=mention.clock_s)
    except (ValueError, OverflowError):
        return False
    return first <= instant <= last
