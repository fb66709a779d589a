"""Timestamps of logs: at the head of a line or in a field, with or without year, zone and fraction.

Every regex is linear: fixed fields, no nested repeats. A value that has the form and is no date gives None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rootproof.logs.wordlists import word_list

_MONTHS = {name: at for at, name in enumerate(word_list("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}
_MONTH = r"(?P<mon>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_CLOCK = r"(?P<h>\d\d?):(?P<mi>\d\d):(?P<s>\d\d)(?:[.,:](?P<frac>\d{1,9}))?"
_ZONE = (
    r"(?P<zone>Z(?![A-Za-z])|[+-]\d\d:?\d\d(?!\d)|(?<=\d)[+-]\d\d(?![\d:])|(?<=\d)[+-]0?\d{3}(?!\d)|"
    r"(?:UTC|GMT)[+-]\d\d?(?::?\d\d)?)"
)
_ZONE_HOURS = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "EET": 2,
    "EEST": 3, "MSK": 3, "TRT": 3, "SAST": 2, "IST": 5.5, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9,
    "ACST": 9.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
    "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "HST": -10, "BRT": -3, "ART": -3,
}  # fmt: skip
_NAMED_ZONE = r"(?P<name>" + "|".join(sorted(_ZONE_HOURS, key=len, reverse=True)) + r")(?![A-Za-z0-9])"
_PLACE_ZONE = r"(?P<place>(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z_/]{2,40})"
_ANY_ZONE = rf"(?:\s?(?:{_ZONE}|{_NAMED_ZONE}|{_PLACE_ZONE}))?"
_ALIEN_ZONE = r"(?:[A-Z]{3,4}(?![A-Za-z0-9]))?"
_EPOCH_MIN, _EPOCH_MAX = 631_152_000, 4_102_444_800  # 1990 and 2100: outside of them a number is no time of a log
_TAI_OFFSET = (1 << 62) + 10  # TAI64 label of the Unix epoch; later leap seconds are beyond what logs promise


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """How to complete a time that says less than an instant. One is made for a file and asked at each line."""

    zone: tzinfo = UTC
    """For times without a zone."""
    near: datetime | None = None
    """About when the file was last written: gives the year to times without one."""


class Stamp(NamedTuple):
    """A timestamp found at the head of a text."""

    instant: datetime | None
    """In UTC; None when the form is known but no date comes of it (a bare time of day, no year to be had)."""
    end: int
    """Where the rest of the text begins."""
    syslog: bool = False
    """`Mon dd HH:MM:SS`, the form of RFC 3164, with or without year."""
    zoned: bool = False
    """A zone stands with it."""
    rfc3339: bool = False
    """Date, `T`, time, zone in one piece."""
    fine_offset: bool = False
    """The same with microseconds and an offset in figures, as syslog daemons write it."""


_NAMES = frozenset(word_list("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun"))
_Reader = Callable[[re.Match[str], Clock], "datetime | None"]


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """One way to write a time."""

    family: str
    pattern: re.Pattern[str]
    reader: _Reader
    zones: tuple[str, ...]
    """The groups of the pattern that may hold a zone."""
    dated: bool
    """Whether a letter or blank between date and time is a group."""
    fraction: bool
    """Whether a group holds the fraction of a second that the clock time says."""


def _form(family: str, pattern: str, reader: _Reader) -> _Form:
    compiled = re.compile(pattern, re.ASCII)
    groups = compiled.groupindex
    zones = tuple(group for group in ("zone", "name", "place") if group in groups)
    fraction = "frac" in groups and reader is not _read_epoch
    return _Form(family, compiled, reader, zones, "t" in groups, fraction)


def _fraction(text: str | None) -> int:
    return int((text or "")[:6].ljust(6, "0")) if text else 0


def _offset(match: re.Match[str]) -> tzinfo | None:
    groups = match.groupdict()
    zone, name = groups.get("zone"), groups.get("name")
    if name:
        return timezone(timedelta(hours=_ZONE_HOURS[name]))
    if place := groups.get("place"):
        return _zone_of_place(place)
    if not zone:
        return None
    if zone == "Z":
        return UTC
    digits = re.sub(r"\D", "", zone)
    if len(digits) == 3:  # minutes, as DB2 writes them: `+060` is one hour
        return timezone((-1 if "-" in zone else 1) * timedelta(minutes=int(digits)))
    hours, minutes = (int(digits[:2]), int(digits[2:] or 0)) if len(digits) != 1 else (int(digits), 0)
    if hours > 23 or minutes > 59:
        return None
    sign = -1 if "-" in zone else 1
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


@lru_cache(maxsize=64)
def _zone_of_place(name: str) -> tzinfo | None:
    """The zone of a name such as `Europe/Berlin`, None for an unknown one: the time counts as one without a zone."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None


def _instant(match: re.Match[str], clock: Clock, date: tuple[int, int, int]) -> datetime | None:
    groups = match.groupdict()
    hour, minute, second = (int(groups.get(key) or 0) for key in ("h", "mi", "s"))
    half = (groups.get("half") or "").lower()
    if half:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    leap = second == 60
    try:
        zone = _offset(match) or clock.zone
        micro = _fraction(groups.get("frac"))
        local = datetime(*date, hour, minute, 59 if leap else second, micro, tzinfo=zone)
        return (local + timedelta(seconds=1 if leap else 0)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_numeric(match: re.Match[str], clock: Clock) -> datetime | None:
    return _instant(match, clock, (int(match["y"]), int(match["m"]), int(match["d"])))


def _read_short_year(match: re.Match[str], clock: Clock) -> datetime | None:
    year = int(match["y"])
    return _instant(match, clock, (year + (1900 if year >= 70 else 2000), int(match["m"]), int(match["d"])))


def _read_day_first_or_month_first(match: re.Match[str], clock: Clock) -> datetime | None:
    """`a/b/yyyy`: month first as it is the commoner form, unless that is no date; with dots the day stands first."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if year < 100:
        year += 1900 if year >= 70 else 2000
    if match["sep"] == "." or first > 12:
        first, second = second, first
    return _instant(match, clock, (year, first, second))


def _read_ordinal(match: re.Match[str], clock: Clock) -> datetime | None:
    try:
        day = datetime(int(match["y"]), 1, 1, tzinfo=UTC) + timedelta(days=int(match["doy"]) - 1)
    except (ValueError, OverflowError):
        return None
    return _instant(match, clock, (day.year, day.month, day.day))


def _read_named_month(match: re.Match[str], clock: Clock) -> datetime | None:
    year = match.groupdict().get("y")
    month, day = _MONTHS[match["mon"][:3].lower()], int(match["d"])
    if year:
        return _instant(match, clock, (int(year), month, day))
    return _yearless(match, clock, month, day)


def _read_month_day(match: re.Match[str], clock: Clock) -> datetime | None:
    return _yearless(match, clock, int(match["m"]), int(match["d"]))


def _yearless(match: re.Match[str], clock: Clock, month: int, day: int) -> datetime | None:
    """The latest such date that is not more than a day after the file was written."""
    if clock.near is None:
        return None
    year = clock.near.astimezone(clock.zone).year
    latest = year + 1 if month == 1 else year  # next year's February is never a day after any time of this year
    for candidate in range(latest, year - 5, -1):
        instant = _instant(match, clock, (candidate, month, day))
        if instant is not None and instant <= clock.near + timedelta(days=1):
            return instant
    return None


def _read_nothing(_match: re.Match[str], _clock: Clock) -> None:
    return None


def epoch_instant(value: float) -> datetime | None:
    """The instant of a count of seconds, milliseconds, microseconds or nanoseconds since 1970, told by its size."""
    for divisor in (1, 1_000, 1_000_000, 1_000_000_000):
        if _EPOCH_MIN <= value / divisor <= _EPOCH_MAX:
            micros = value * 1_000_000 // divisor if isinstance(value, int) else int(value / divisor * 1_000_000)
            return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micros)
    return None


def _read_epoch(match: re.Match[str], _clock: Clock) -> datetime | None:
    if match["power"]:
        return epoch_instant(round(float(match["power"]) * 1_000_000))
    whole = epoch_instant(int(match["epoch"]))
    if whole is None or not match["frac"]:
        return whole
    return whole + timedelta(microseconds=_fraction(match["frac"])) if len(match["epoch"]) == 10 else whole


def _read_tai(match: re.Match[str], _clock: Clock) -> datetime | None:
    seconds = int(match["tai"], 16) - _TAI_OFFSET
    if not _EPOCH_MIN <= seconds <= _EPOCH_MAX:
        return None
    return datetime.fromtimestamp(seconds, UTC) + timedelta(
        microseconds=min(int(match["nano"] or "0", 16) // 1000, 999_999)
    )


_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?\s)"
_YEAR, _YY = r"(?P<y>\d{4})", r"(?P<y>\d\d)"
_MM, _DD = r"(?P<m>\d\d)", r"(?P<d>\d\d)"
_M, _D = r"(?P<m>\d\d?)", r"(?P<d>\d\d?)"
_FRAC = r"(?:[.,](?P<frac>\d{1,9}))?"
_HALF = r"(?:\s?(?P<half>[AaPp][Mm])\b)?"
_DENSE = r"(?P<h>\d\d):?(?P<mi>\d\d):?(?P<s>\d\d)"
_DOTTED = r"(?P<h>\d\d)\.(?P<mi>\d\d)\.(?P<s>\d\d)"
_PLAIN = r"(?P<h>[0-2]\d)(?P<mi>[0-5]\d)(?P<s>[0-5]\d)"
_EITHER = r"(?P<a>\d\d?)(?P<sep>[/.-])(?P<b>\d\d?)(?P=sep)"
_EPOCH = (
    r"(?:(?P<epoch>\d{10}|\d{13}|\d{16}|\d{19})(?:\.(?P<frac>\d{1,9}))?(?![\d.-]|:\S)|"
    r"(?P<power>1\.\d{1,17}e\+?09)(?![\w.]))"
)
_TAI = r"@(?P<tai>[0-9a-f]{16})(?P<nano>[0-9a-f]{8})?(?![0-9a-f])"

_FORMS: tuple[tuple[str, str, _Reader], ...] = (
    (
        "digit",
        rf"{_YEAR}[-/.]{_M}[-/.]{_D}(?P<t>[T_ -]|\s{{1,2}}|,\s?| - ){_CLOCK}{_HALF}{_ANY_ZONE}{_ALIEN_ZONE}",
        _read_numeric,
    ),
    ("digit", rf"{_YEAR}[-.]{_MM}[-.]{_DD}-{_DOTTED}(?:[.:](?P<frac>\d{{1,9}}))?{_ANY_ZONE}", _read_numeric),
    ("digit", rf"{_YEAR}-?(?P<doy>\d{{3}})T{_CLOCK}{_ANY_ZONE}", _read_ordinal),
    ("digit", rf"{_YEAR}-{_MM}-{_DD}[ T](?P<h>\d\d):(?P<mi>\d\d){_ANY_ZONE}(?![\d:])", _read_numeric),
    ("digit", rf"{_YEAR}{_MM}{_DD}[ T-]{_CLOCK}{_ANY_ZONE}(?!\d)", _read_numeric),
    ("digit", rf"{_YEAR}{_MM}{_DD}[T :-]?{_DENSE}{_FRAC}{_ANY_ZONE}(?!\d)", _read_numeric),
    ("digit", rf"{_YY}[/-]{_MM}[/-]{_DD} {_CLOCK}(?!\s?[AaPp][Mm]\b){_ANY_ZONE}(?!\d)", _read_short_year),
    ("digit", rf"{_YY}{_MM}{_DD} {{1,2}}{_CLOCK}(?!\d)", _read_short_year),
    ("digit", rf"{_YY}(?P<m>[01]\d)(?P<d>[0-3]\d) {_PLAIN}(?!\d)", _read_short_year),
    ("digit", rf"{_EITHER}(?P<y>\d{{4}}|\d\d)(?:,? ?| -- ){_CLOCK}{_HALF}{_ANY_ZONE}", _read_day_first_or_month_first),
    ("digit", rf"{_D}[ /-]{_MONTH}[ /-]{_YEAR},?(?:::|[: T]){_CLOCK}{_ANY_ZONE}", _read_named_month),
    ("digit", rf"{_D}[ -]{_MONTH} {_CLOCK}{_ANY_ZONE}", _read_named_month),
    ("digit", rf"{_MM}[-./]{_DD}[ |-]{_CLOCK}(?!\d)", _read_month_day),
    ("digit", rf"{_MM}{_DD}[/ ]{_PLAIN}{_FRAC}(?!\d)", _read_month_day),
    ("digit", _EPOCH, _read_epoch),
    ("digit", rf"{_CLOCK} {_YEAR}-{_MM}-{_DD}(?!\d)", _read_numeric),
    ("digit", rf"{_CLOCK}{_HALF}(?![\d:])", _read_nothing),
    ("digit", r"(?P<h>\d\d?):(?P<mi>\d\d)\s?(?P<half>[AaPp][Mm])\b", _read_nothing),
    ("syslog", rf"{_MONTH}\s{{1,2}}{_D} {_YEAR} {_CLOCK}{_ANY_ZONE}(?!\s?[AaPp][Mm]\b)", _read_named_month),
    ("alpha", rf"{_WEEKDAY}?{_MONTH}\s{{1,2}}{_D},? {_YEAR},? (?:at )?{_CLOCK}{_HALF}{_ANY_ZONE}", _read_named_month),
    ("alpha", rf"{_WEEKDAY}?{_MONTH}\s{{1,2}}{_D} {_CLOCK}(?:\s?{_NAMED_ZONE})? {_YEAR}(?!\d)", _read_named_month),
    ("alpha", rf"{_WEEKDAY}{_D}[ -]{_MONTH}[ -]{_YEAR} {_CLOCK}{_ANY_ZONE}", _read_named_month),
    ("alpha", rf"{_WEEKDAY}{_YEAR}-{_MM}-{_DD} {_CLOCK}{_ANY_ZONE}", _read_numeric),
    ("alpha", rf"{_MONTH}-{_DD} {_CLOCK}{_ANY_ZONE}", _read_named_month),
    ("syslog", rf"{_WEEKDAY}?{_MONTH}\s{{1,2}}{_D} {_CLOCK}{_ANY_ZONE}", _read_named_month),
    ("at", _TAI, _read_tai),
)
_COMPILED = tuple(_form(*form) for form in _FORMS)
_DIGIT_FORMS = tuple(form for form in _COMPILED if form.family == "digit")
_RUNS: tuple[tuple[int, ...], ...] = (
    (4,), (4,), (4, 7), (4,), (8,), (8, 10, 12, 14), (2,), (6,), (6,), (1, 2), (1, 2), (1, 2), (2,), (4,),
    (1, 10, 13, 16, 19), (1, 2), (1, 2), (1, 2),
)  # fmt: skip
"""How many digits a text of each digit form begins with, in the order of the forms."""
_FORMS_BY_RUN = {
    run: tuple(form for form, runs in zip(_DIGIT_FORMS, _RUNS, strict=True) if run in runs) for run in range(1, 20)
}
_RUN = re.compile(r"\d{1,20}", re.ASCII)
_ALPHA_FORMS = tuple(form for form in _COMPILED if form.family in ("alpha", "syslog"))
_AT_FORMS = tuple(form for form in _COMPILED if form.family == "at")
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


_COMMON = re.compile(
    r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:[0-5]\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:\d\d)?"
    r"(?=[\]|;\"')>]|[,:](?!\d)|\t|$|\s(?!UTC|GMT|[AaPp][Mm]\b|[+-]\d|[A-Z]{2,4}T\b|Z\b|MSK|[A-Z][a-z]{2,9}/))",
    re.ASCII,
)
"""The commonest form, complete in itself; anything else after it goes the long way round."""


@lru_cache(maxsize=4096)
def _whole_second(date: str, time: str, zone: str, default: tzinfo) -> datetime | None:
    """The instant of a second that many neighbouring lines share."""
    try:
        local = datetime.fromisoformat(f"{date}T{time}{'+00:00' if zone == 'Z' else zone}")
        return (local if local.tzinfo else local.replace(tzinfo=default)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def _instant_of(form: _Form, matched: str, clock: Clock) -> datetime | None:
    """The instant of a text that the pattern matched as a whole: neighbouring lines share it."""
    match = form.pattern.match(matched)
    return form.reader(match, clock) if match else None


_SYSLOG_STAMP = re.compile(r"[JFMASOND][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?= [^\s\d+-])", re.ASCII)
"""`Mon dd HH:MM:SS` with neither fraction nor zone nor year behind it."""
_NAMED_ZONES = re.compile(rf"{_NAMED_ZONE}|{_PLACE_ZONE}|GMT|UTC")
_MONTHS_BEGIN = frozenset("JFMASOND")
_PLAIN_SYSLOG = next(form for form in _ALPHA_FORMS if form.family == "syslog" and "y" not in form.pattern.groupindex)


def stamp_at(text: str, start: int, clock: Clock) -> Stamp | None:
    """The timestamp that begins at `start` of `text`, or None."""
    common = _COMMON.match(text, start)
    if common is not None:
        date, between, time, fraction, zone = common.groups()
        instant = _whole_second(date, time, zone or "", clock.zone)
        if instant is not None:
            if fraction is not None:
                instant = instant.replace(microsecond=int(fraction[:6].ljust(6, "0")))
            rfc3339 = zone is not None and between == "T"
            fine = rfc3339 and zone != "Z" and fraction is not None and len(fraction) == 6
            return Stamp(instant, common.end(), False, zone is not None, rfc3339, fine)
    if run := _RUN.match(text, start):
        return _first_stamp(_FORMS_BY_RUN.get(run.end() - start, ()), text, start, clock)
    first = text[start : start + 1]
    if first in _MONTHS_BEGIN and (plain := _SYSLOG_STAMP.match(text, start)):
        zone = _NAMED_ZONES.match(text, plain.end() + 1)
        if zone is None and plain[0][:3].lower() in _MONTHS:
            return Stamp(_instant_of(_PLAIN_SYSLOG, plain[0], clock), plain.end(), syslog=True)
    if first.isalpha() and first.isascii() and first.isupper():
        return _named_stamp(text, start, clock)
    return _first_stamp(_AT_FORMS, text, start, clock) if first == "@" else None


@lru_cache(maxsize=4)
def _named_stamp(text: str, start: int, clock: Clock) -> Stamp | None:
    """The stamp with a month's or day's name: several readers ask for that of one line."""
    return _first_stamp(_ALPHA_FORMS, text, start, clock) if text[start : start + 3] in _NAMES else None


def _first_stamp(forms: Sequence[_Form], text: str, start: int, clock: Clock) -> Stamp | None:
    for form in forms:
        match = form.pattern.match(text, start)
        if match is None:
            continue
        instant = _instant_of_match(form, match, clock)
        if instant is None and form.reader not in (_read_nothing, _read_named_month, _read_month_day):
            continue
        return Stamp(
            instant,
            match.end(),
            syslog=form.family == "syslog" and match[0][:3].lower() in _MONTHS,
            zoned=any(match[group] for group in form.zones),
            rfc3339=form.dated and match["t"] == "T" and bool(_RFC3339.match(text, start)),
        )
    return None


def _instant_of_match(form: _Form, match: re.Match[str], clock: Clock) -> datetime | None:
    """The instant of a match; the fraction is set aside, so that the lines of one second share what was worked out."""
    matched = match[0]
    if not form.fraction or match["frac"] is None:
        return _instant_of(form, matched, clock)
    begin, end = match.start("frac") - match.start(), match.end("frac") - match.start()
    whole = _instant_of(form, matched[: begin - 1] + matched[end:], clock)
    return whole.replace(microsecond=_fraction(match["frac"])) if whole is not None else None


def time_field(value: object, clock: Clock) -> datetime | None:
    """The instant that a field called `time` or `timestamp` holds: a text in a known form, or a number since 1970."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return epoch_instant(value) if value == value and abs(value) < 1e20 else None
    if not isinstance(value, str):
        return None
    text = value.strip().strip("[]\"'")
    found = stamp_at(text, 0, clock)
    if found is None or found.end < len(text) - 6:
        return None
    return found.instant
