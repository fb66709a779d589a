"""Times in the forms that logs use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs.timestamps import Clock, epoch_instant, stamp_at, time_field

CLOCK = Clock(near=datetime(2026, 5, 20, tzinfo=UTC))
AT = datetime(2026, 5, 4, 9, 15, 30, tzinfo=UTC)
_INSTANTS = st.integers(700_000_000_000_000, 4_000_000_000_000_000).map(
    lambda micros: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-04T09:15:30Z",
        "2026-05-04T09:15:30.000000000Z",
        "2026-05-04 09:15:30,000",
        "2026-05-04 11:15:30 +0200",
        "2026-05-04T11:15:30+02:00",
        "2026-05-04 11:15:30 CEST",
        "2026/05/04 09:15:30",
        "2026.05.04 09:15:30",
        "2026-05-04_09:15:30",
        "20260504T091530Z",
        "20260504 09:15:30",
        "260504 09:15:30",
        "260504 091530",
        "26/05/04 09:15:30",
        "2026-124T09:15:30",
        "2026-05-04-09.15.30.000000",
        "04/May/2026:09:15:30 +0000",
        "04-May-2026 09:15:30.000",
        "4 May 2026 09:15:30",
        "4 May 09:15:30",
        "May  4 09:15:30",
        "May 4 2026 09:15:30",
        "May 4, 2026 9:15:30 AM",
        "Mon May  4 09:15:30 2026",
        "Mon May 04 09:15:30.000000 2026",
        "Mon May  4 09:15:30 UTC 2026",
        "Mon, 04 May 2026 09:15:30 GMT",
        "05/04/2026 09:15:30",
        "05/04/2026 9:15:30 AM",
        "04.05.2026 09:15:30",
        "05-04 09:15:30",
        "2026-05-04 9:15:30 AM",
        "2026-05-04 11:15:30+02",
        "2026-05-04 11:15:30 Europe/Berlin",
        "2026-05-04 05:15:30 America/New_York",
        "2026-05-04T09:15:30,000+0000",
        "2026/05/04 - 09:15:30",
        "2026-05-04, 09:15:30",
        "20260504-9:15:30",
        "20260504:091530",
        "2026-05-04-09.15.30.000000+000",
        "4-May-2026::09:15:30",
        "May-04 09:15:30",
        "Mon 2026-05-04 09:15:30 UTC",
        "May  4, 2026, 9:15:30 AM UTC",
        "5/4/26 9:15:30:000 UTC",
        "05/04/26 9:15:30 AM",
        "13/05/2026 09:15:30",
        "05/04-09:15:30",
        "05-04|09:15:30",
        "0504/091530",
        "09:15:30 2026-05-04",
        "1.77788613e+09",
        "1777886130",
        "1777886130000",
        "1777886130000000",
        "1777886130000000000",
        "1777886130.000",
        "@4000000069f863bc00000000",
    ],
)
def test_forms(text: str) -> None:
    stamp = stamp_at(text, 0, CLOCK)
    assert stamp is not None
    assert stamp.instant == (AT.replace(day=13) if text.startswith("13/") else AT)
    assert stamp.end == len(text)
    assert time_field(text, CLOCK) == stamp.instant


@pytest.mark.parametrize(
    "text", ["2026-02-30 09:15:30", "2026-05-04 25:15:30", "12345", "99999999999999", "rope", "", "1.5"]
)
def test_what_is_no_time(text: str) -> None:
    stamp = stamp_at(text, 0, CLOCK)
    assert stamp is None or stamp.instant is None
    assert time_field(text, CLOCK) is None


@pytest.mark.parametrize("fraction", ["25", "250", "250000", "250000000"])
@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("rest", ["", " CRIT x", " [x]", ": x", "Z", "+0000", " UTC", " EST5"])
def test_fractions(mark: str, fraction: str, rest: str) -> None:
    stamp = stamp_at(f"2026-05-04 09:15:30{mark}{fraction}{rest}", 0, CLOCK)
    assert stamp is not None
    assert stamp.instant == AT.replace(microsecond=250_000)


def test_times_that_the_clocks_skip_or_show_twice() -> None:
    berlin = Clock(zone=ZoneInfo("Europe/Berlin"))
    skipped, twice = stamp_at("2026-03-29 02:30:00", 0, berlin), stamp_at("2026-10-25 02:30:00", 0, berlin)
    assert skipped is not None
    assert twice is not None
    assert skipped.instant == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert twice.instant == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Nowhere/Land", "Europe/Nowhere", "Europe/../../etc/passwd", "America/"])
def test_an_unknown_place_is_no_zone(name: str) -> None:
    stamp = stamp_at(f"2026-05-04 09:15:30 {name}", 0, CLOCK)
    assert stamp is not None
    assert stamp.instant == AT


def test_an_unknown_zone_is_passed_over() -> None:
    stamp = stamp_at("2026-05-04T09:15:30.250FOO err x", 0, CLOCK)
    assert stamp is not None
    assert stamp.instant == AT.replace(microsecond=250_000)
    assert "2026-05-04T09:15:30.250FOO err x"[stamp.end :] == " err x"


def test_the_first_day_of_the_year_looks_back() -> None:
    clock = Clock(near=datetime(2026, 1, 1, 0, 5, tzinfo=UTC))
    stamp = stamp_at("Dec 31 23:59:00", 0, clock)
    assert stamp is not None
    assert stamp.instant == datetime(2025, 12, 31, 23, 59, tzinfo=UTC)


def test_29_february_needs_a_leap_year() -> None:
    stamp = stamp_at("Feb 29 10:00:00", 0, CLOCK)
    assert stamp is not None
    assert stamp.instant == datetime(2024, 2, 29, 10, tzinfo=UTC)


def test_leap_second_and_local_zone() -> None:
    berlin = Clock(zone=ZoneInfo("Europe/Berlin"))
    stamp = stamp_at("2026-07-01 01:59:60", 0, berlin)
    assert stamp is not None
    assert stamp.instant == datetime(2026, 7, 1, tzinfo=UTC)


@settings(deadline=None)
@given(_INSTANTS, st.integers(-12 * 60, 14 * 60))
def test_rfc3339_round_trip(utc: datetime, offset: int) -> None:
    instant = utc.astimezone(timezone(timedelta(minutes=offset)))
    assert time_field(instant.isoformat(), CLOCK) == instant


@settings(deadline=None)
@given(_INSTANTS)
def test_epoch_round_trip(instant: datetime) -> None:
    micros = (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert epoch_instant(micros) == instant
    assert epoch_instant(micros * 1000) == instant


@settings(deadline=None)
@given(st.one_of(st.text(max_size=40), st.integers(), st.floats(), st.booleans(), st.none(), st.lists(st.integers())))
def test_nothing_raises(value: object) -> None:
    time_field(value, CLOCK)
