"""The instants of payloads, in every spelling that vendors use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.intake.times import parse_time

NOON = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-01T12:00:00Z", NOON),
        ("2026-05-01T14:00:00+02:00", NOON),
        ("2026-05-01T14:00:00.000+0200", NOON),
        ("2026-05-01 12:00:00.570000+00:00", NOON.replace(microsecond=570_000)),
        ("2026-05-01T12:00:00.123456789Z", NOON.replace(microsecond=123_456)),
        ("2026-05-01 12:00:00.5 +0000 UTC", NOON.replace(microsecond=500_000)),
        ("2026.05.01 12:00:00", NOON),
        ("2026/05/01 12:00", NOON),
        ("Fri, 01 May 2026 12:00:00 GMT", NOON),
        (1_777_636_800, NOON),
        (1_777_636_800.25, NOON.replace(microsecond=250_000)),
        ("1777636800", NOON),
        ("1777636800000", NOON),
        (1_777_636_800_000_000, NOON),
        ("1777636800000000173", NOON),
    ],
)
def test_an_instant_is_read_in_utc(value, expected):
    assert parse_time(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0, "0", 5, True, None, "", "soon", "2026-13-01T00:00:00Z", [],
        {}, float("nan"), float("inf"), "9" * 40, "Fri, 99 May 2026 12:00:00 GMT", "0001-01-01T00:00:00+14:00",
    ],
)  # fmt: skip
def test_what_is_no_instant_is_none(value):
    assert parse_time(value) is None


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1)), st.sampled_from([1, 1e3, 1e6]))  # noqa: DTZ001
def test_epochs_of_any_scale_agree_to_the_millisecond(naive, scale):
    instant = naive.replace(tzinfo=UTC, microsecond=0)
    assert parse_time(int(instant.timestamp() * scale)) == instant
    assert parse_time(instant.isoformat()) == instant


@given(st.text(max_size=70))
def test_any_text_is_an_instant_or_none(text):
    found = parse_time(text)
    assert found is None or found.tzinfo is UTC
