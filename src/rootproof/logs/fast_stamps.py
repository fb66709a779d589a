"""Times of whole blocks: where the clock stands in lines of one form, and the midnight of each date.

A form is a line with its digits made zero. In lines of one form the clock stands at one place; what stands before it
and a zone behind it decide the day. `read_line` itself is asked once for each distinct day, so every rule about dates,
zones and missing years is its own; the seconds since midnight are arithmetic, which two more questions confirm.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
UNSURE = -(1 << 62)
"""In place of a day's midnight where seconds since then do not give the instant: a change of the zone's offset."""

_TAIL = r"(?:[.,:](?P<frac>0{1,9}))?(?![0:])(?P<zone>\s?(?:UTC|GMT)?[+-]00:?00(?!0))?(?!\s?[AaPp][Mm])"
_DATE_BEHIND = re.compile(
    r"(?:\s?[A-Z][A-Za-z]{2,4})?[ ,]{1,2}(?:0000(?:[-/.]00[-/.]00)?|00[-/. ]\w{2,3}[-/. ]0{2,4})(?!0)"
)
"""A year behind the clock, or the whole date."""
_YEAR_BEFORE = re.compile(r"0000|00[-/]00[-/]00|0{6}|00[-.]00 ")
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!0)0000([-/.])(?P<month>00)\1(?P<day>00)(?:[T_ -]| {2})$",
        r"(?<!0)00([-/])(?P<month>00)\1(?P<day>00) $",
        r"(?<!0)(?:00)?00(?P<month>00)(?P<day>00)(?:[T-]| {0,2})$",
        r"(?:^|[^0-9.-])(?P<month>00)[-.](?P<day>00) $",
        r"(?<!0)(?P<month>)(?P<day>00)[ /-][A-Z][a-z]{2}[ /-]0000[: T]$",
        r"[A-Z][a-z]{2} {1,2}(?P<month>)(?P<day>00) $",
    )
)
"""Dates directly before a clock whose month and day stand where they can be only that."""
_CLOCKS = (
    re.compile(r"(?:(?<![0:])|(?<=[^0]0000:))(?P<clock>00(?P<sep>:)00:00)" + _TAIL),
    re.compile(r"(?<!0)(?:0000000{0,2} {1,2}|00000000[T-]?)(?P<clock>00(?P<sep>)0000)(?!0)" + _TAIL),
    re.compile(r"(?<=-)(?P<clock>00(?P<sep>\.)00\.00)(?!0)" + _TAIL),
)
"""`10:00:00` alone or behind a year, `260504 100000` and `20260504T100000`, `2026-05-04-10.00.00`."""

Instant = Callable[[str], datetime | None]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of a time stand in lines of one form, in characters.

    `step` is the width of a separator of the clock; a part that is not there, or not for certain, has no characters.
    """

    clock: int
    step: int
    fraction: int
    fraction_chars: int
    zone: int
    """A zone, or what else of the date stands behind the clock."""
    zone_chars: int
    month: int
    month_chars: int
    day: int
    day_chars: int
    end: int
    """Where the stamp ends."""

    def at(self, line: str, clock: str, fraction: str) -> str:
        """`line` with another time of day; `clock` is six digits."""
        hour, minute, second = clock[:2], clock[2:4], clock[4:]
        between = line[self.clock + 2 : self.clock + 2 + self.step]
        end = self.clock + 6 + 2 * self.step
        text = f"{line[: self.clock]}{hour}{between}{minute}{between}{second}{line[end:]}"
        if not self.fraction_chars:
            return text
        return text[: self.fraction] + fraction + text[self.fraction + self.fraction_chars :]


def layout_of(form: str) -> Layout | None:
    """The layout of lines whose beginning, its digits made zero, is `form`; None where no clock is seen."""
    match = next((found for clock in _CLOCKS if (found := clock.search(form))), None)
    if match is None:
        return None
    before = form[: match.start("clock")]
    fraction, zone = match.span("frac"), match.span("zone")
    if zone[0] < 0 and not _YEAR_BEFORE.search(before[-16:]) and (behind := _DATE_BEHIND.match(form, match.end())):
        zone = behind.span()
    date = next((found for known in _DATES if (found := known.search(before))), None)
    month, day = (date.span("month"), date.span("day")) if date else ((0, 0), (0, 0))
    return Layout(
        clock=match.start("clock"),
        step=len(match["sep"]),
        fraction=max(fraction[0], 0),
        fraction_chars=fraction[1] - fraction[0],
        zone=max(zone[0], 0),
        zone_chars=zone[1] - zone[0],
        month=month[0],
        month_chars=month[1] - month[0],
        day=day[0],
        day_chars=day[1] - day[0],
        end=max(match.end(), zone[1]),
    )


def midnight(line: str, layout: Layout, instant: Instant) -> int | None:
    """Microseconds since 1970 of the day that `line` tells, at 00:00:00; None where no time follows from its clock.

    `instant` reads the time of a line. The result holds for all lines with this layout, date and zone; it is UNSURE
    where it does not hold for all times of the day.
    """
    zeros, digits = "0" * layout.fraction_chars, "123456789"[: layout.fraction_chars]
    first = instant(layout.at(line, "000000", zeros))
    last = instant(layout.at(line, "235958", digits))
    noon = instant(layout.at(line, "120301", zeros)) if first is not None else None
    if first is None or noon is None or last is None:
        return None if first is last else UNSURE
    micros = timedelta(microseconds=int(digits[:6].ljust(6, "0"))) if digits else timedelta()
    if noon != first + 43_381 * _SECOND or last != first + 86_398 * _SECOND + micros:
        return UNSURE
    return micros_of(first)


def micros_of(instant: datetime) -> int:
    """Microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant_of(micros: int) -> datetime:
    """The instant of so many microseconds since 1970, not before the year 1."""
    return _EPOCH + timedelta(microseconds=max(micros, _FIRST))
