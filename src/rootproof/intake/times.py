"""The instants of alert payloads: RFC 3339 and its relatives, and epoch numbers in s, ms, us or ns."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

_STAMP = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)?"
    r"\s*(Z|z|UTC|GMT|[+-]\d{2}:?\d{2})?(?:\s+[A-Z]{1,5})?"
)
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,12})?")
_RFC_2822 = re.compile(r"[A-Za-z]{3}, \d{1,2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} \S{1,6}")
_SCALES = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))
"""Epoch numbers under the bound are in this many parts of a second: 1e11 s is the year 5138, 1e11 ms is 1973."""


def parse_time(value: Any) -> datetime | None:
    """`value` as an instant in UTC, or None where it is none or a zero time (0001-01-01, epoch 0).

    A text without a zone is taken as UTC, which is what the vendors that leave it out mean.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value))
    if not isinstance(value, str):
        return None
    source = value.strip()
    if len(source) > 64:
        return None
    if _NUMBER.fullmatch(source):
        return _from_epoch(float(source))
    if _RFC_2822.fullmatch(source):
        return _from_mail_date(source)
    match = _STAMP.fullmatch(source)
    return _from_parts(match) if match else None


def _from_epoch(number: float) -> datetime | None:
    if not math.isfinite(number) or number < 1e8:
        return None  # before 1973: a duration or a zero time, not the start of an alert
    scale = next(parts for bound, parts in _SCALES if number < bound)
    try:
        return datetime.fromtimestamp(round(number / scale, 6), UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _from_mail_date(source: str) -> datetime | None:
    try:
        instant = parsedate_to_datetime(source)
    except ValueError:
        return None
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)


def _from_parts(match: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    if int(year) <= 1970 and (int(month), int(day)) == (1, 1):
        return None
    try:
        instant = datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            int((fraction or "0")[:6].ljust(6, "0")),
            tzinfo=_zone(zone),
        )
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(mark: str | None) -> timezone:
    if not mark or mark[0] not in "+-":
        return UTC
    digits = mark[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if mark[0] == "-" else offset)
