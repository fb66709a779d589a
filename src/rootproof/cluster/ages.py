"""Ages (`48m`, `2m12s (x42 over 12m)`) and the absolute times of `describe`, YAML and `systemctl`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_PART = re.compile(r"(\d{1,9})\s?(y|d|h|ms|m|s)")
_AGE = re.compile(r"(?:\d{1,9}\s?(?:y|d|h|ms|m|s)\s?){1,6}")
_REPEATED = re.compile(r"(?P<last>\S+)\s+\(x(?P<count>\d{1,9})(?:\s+over\s+(?P<first>\S+?))?\)")
_UNIT_S = {"y": 31_536_000.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_RFC1123 = re.compile(
    r"[A-Z][a-z]{2}, (?P<day>\d{1,2}) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4}) "
    r"(?P<time>\d{2}:\d{2}:\d{2}) (?P<zone>[+-]\d{4})"
)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


@dataclass(frozen=True, slots=True)
class Sighting:
    """When something was seen: seconds before the moment of recording, None where the text does not say."""

    last_age_s: float | None
    first_age_s: float | None
    count: int


def age_seconds(text: str | None) -> float | None:
    """Seconds in an age such as `2d20h`, `114s` or `48m ago`; None when the text is no age."""
    if not text:
        return None
    stripped = text.strip().removesuffix(" ago")
    if _AGE.fullmatch(stripped) is None:
        return None
    return sum(int(number) * _UNIT_S[unit] for number, unit in _PART.findall(stripped))


def sighting(text: str | None) -> Sighting:
    """An event's age column: `2m12s (x42 over 12m)` was last seen 132 s ago, first 720 s ago, 42 times."""
    stripped = (text or "").strip()
    match = _REPEATED.fullmatch(stripped)
    if match is None:
        age = age_seconds(stripped)
        return Sighting(last_age_s=age, first_age_s=age, count=1)
    last = age_seconds(match["last"])
    first = age_seconds(match["first"]) if match["first"] else None
    return Sighting(last_age_s=last, first_age_s=last if first is None else first, count=int(match["count"]))


def instant(text: object) -> datetime | None:
    """An RFC 3339 or `describe` (RFC 1123 with offset) time in UTC; None for anything else, naive times included.

    Times before 1971 are the zero value of a container that never started: None.
    """
    if isinstance(text, datetime):
        parsed = text if text.tzinfo is not None else text.replace(tzinfo=UTC)
    else:
        parsed_or_none = _parse(str(text).strip()) if text else None
        if parsed_or_none is None:
            return None
        parsed = parsed_or_none
    in_utc = parsed.astimezone(UTC)
    return in_utc if in_utc.year > 1970 else None


def _parse(text: str) -> datetime | None:
    if len(text) > 64:
        return None
    match = _RFC1123.fullmatch(text)
    if match is not None:
        # Not strptime: the month names are English whatever the locale.
        month = _MONTHS.find(match["month"]) // 3 + 1
        text = f"{match['year']}-{month:02d}-{int(match['day']):02d}T{match['time']}{match['zone']}"
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo is not None else None


def before(now: datetime, age_s: float | None) -> datetime | None:
    """The instant `age_s` seconds before `now`."""
    if age_s is None or age_s > 3.2e9:
        return None
    return now.astimezone(UTC) - timedelta(seconds=age_s)


def span_text(seconds: float) -> str:
    """A length of time in its two largest units: `45s`, `12m`, `3h37m`, `2d4h`."""
    whole = max(0, round(seconds))
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, secs = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "m"), (secs, "s")]
    shown = [f"{number}{unit}" for number, unit in parts if number]
    return "".join(shown[:2]) or "0s"
