"""Quantities, ages and names: the small readers that everything else trusts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.cluster.ages import age_seconds, instant, sighting, span_text
from rootproof.cluster.names import replica_set_stem, stem_of, workload_of
from rootproof.cluster.quantities import amount_text, bytes_text, cores_text, quantity


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("250m", 0.25),
        ("2", 2.0),
        ("64Mi", 64 * 2**20),
        ("1.5Gi", 1.5 * 2**30),
        ("15978548Ki", 15978548 * 1024),
        ("5G", 5e9),
        ("128974848", 128974848),
        ("1e3", 1000.0),
        ("100n", 1e-7),
        (0.5, 0.5),
        ("", None),
        ("<none>", None),
        ("12 apples", None),
        (True, None),
        (None, None),
    ],
)
def test_a_quantity_is_a_number_in_base_units(text: object, number: float | None) -> None:
    assert quantity(text) == pytest.approx(number) if number is not None else quantity(text) is None


@given(st.integers(1, 2**40), st.sampled_from(["Ki", "Mi", "Gi"]))
def test_binary_amounts_read_back_as_written(number: int, suffix: str) -> None:
    factor = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}[suffix]
    assert quantity(f"{number}{suffix}") == pytest.approx(number * factor)


@given(st.integers(1, 10_000_000))
def test_cores_survive_their_text(millis: int) -> None:
    assert quantity(cores_text(millis / 1000)) == pytest.approx(millis / 1000, rel=1e-5)


@given(st.text(max_size=40))
def test_no_text_breaks_a_reader(text: str) -> None:
    quantity(text)
    age_seconds(text)
    sighting(text)
    instant(text)
    stem_of(text)


def test_amounts_are_told_in_the_unit_people_use() -> None:
    assert cores_text(0.1) == "100m"
    assert cores_text(2) == "2"
    assert bytes_text(64 * 2**20) == "64Mi"
    assert amount_text("requests.memory", 3 * 2**30) == "3Gi"
    assert amount_text("limits.cpu", 0.5) == "500m"
    assert amount_text("pods", 12) == "12"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("114s", 114), ("2m12s", 132), ("2d20h", 2 * 86400 + 20 * 3600), ("3h37m ago", 13020), ("5y", 5 * 31536000)],
)
def test_an_age_is_seconds(text: str, seconds: float) -> None:
    assert age_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "<unknown>", "yesterday", "12", None])
def test_other_words_are_no_age(text: str | None) -> None:
    assert age_seconds(text) is None


def test_a_repeated_event_has_a_first_and_a_last_age() -> None:
    seen = sighting("2m12s (x42 over 12m)")
    assert (seen.last_age_s, seen.first_age_s, seen.count) == (132, 720, 42)
    once = sighting("48m")
    assert (once.last_age_s, once.first_age_s, once.count) == (2880, 2880, 1)


@given(st.floats(0, 1e7))
def test_a_span_is_read_back_within_its_second_unit(seconds: float) -> None:
    back = age_seconds(span_text(seconds))
    assert back is not None
    assert abs(back - seconds) <= max(1.0, seconds * 0.05)


def test_times_become_utc_and_the_zero_time_is_no_time() -> None:
    assert instant("Sun, 04 May 2031 14:20:00 +0200") == datetime(2031, 5, 4, 12, 20, tzinfo=UTC)
    assert instant("2031-05-04T12:20:00Z") == datetime(2031, 5, 4, 12, 20, tzinfo=UTC)
    assert instant("Thu, 01 Jan 1970 01:00:00 +0100") is None
    assert instant("2031-05-04 12:20:00") is None


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("star-catalog-7d9f8c6b5d-x2x4z", "star-catalog"),
        ("dome-agent-x2x4z", "dome-agent"),
        ("archive-db-0", "archive-db"),
        ("nightly-index-28765440-x2x4z", "nightly-index"),
        ("red-cache", None),
        ("frontend-service", None),
    ],
)
def test_a_generated_name_ends_in_its_workload(name: str, stem: str | None) -> None:
    assert stem_of(name) == stem


def test_the_owner_wins_over_labels_and_labels_over_nothing() -> None:
    owned = workload_of("a-b-c", owner_kind="replicaset", owner_name="star-catalog-7d9f8c6b5d", labels={"app": "other"})
    assert owned == "star-catalog"
    assert workload_of("x", owner_kind="statefulset", owner_name="archive-db") == "archive-db"
    assert workload_of("x", owner_kind="job", owner_name="nightly-28765440") == "nightly"
    assert workload_of("bare", labels={"app": "telescope"}) == "telescope"
    assert workload_of("bare") is None
    assert replica_set_stem("no-hash-here") == "no-hash-here"
