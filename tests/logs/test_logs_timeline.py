"""The sample tells the story, is deterministic, and keeps the one odd line."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs.record import LEVELS, LogRecord
from rootproof.logs.timeline import sample

T0 = datetime(2026, 5, 4, tzinfo=UTC)
LIMIT = 24


def record(message: str, seconds: int | None, level: str | None = "INFO") -> LogRecord:
    when = None if seconds is None else T0 + timedelta(seconds=seconds)
    return LogRecord(message, when, level, "quay")  # type: ignore[arg-type]


def noise(rng: random.Random, n: int) -> str:
    return rng.choice(
        [
            f"GET /berths/{rng.randrange(9999)} 200 {rng.randrange(400)}ms",
            f"order {rng.randrange(10**8)} placed by guest-{rng.randrange(900)}",
            f"winch {rng.randrange(32)} turned {rng.randrange(99)} times",
            f"cache {rng.choice(['hit', 'miss'])} key=session:{rng.randrange(16**8):x}",
            f"beacon ok peer=198.51.100.{rng.randrange(255)} seq={n}",
        ]
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_fault_at_info_level_among_20k_lines_is_kept(seed: int) -> None:
    rng = random.Random(seed)
    records = [record(noise(rng, n), n) for n in range(20_000)]
    place = rng.randrange(len(records))
    fault = rng.choice(["the harbourmaster revoked our mooring paper", "zygote reaped by the memory governor"])
    records[place] = record(fault, place)
    chosen = sample(records, LIMIT)
    assert place in chosen.indexes
    assert len(chosen.indexes) == LIMIT
    assert chosen.left_out == len(records) - LIMIT


def test_onset_end_levels_and_first_of_each_pattern() -> None:
    records = [record(f"tick {n}", n) for n in range(200)]
    records[60] = record("slow rope", 60, "WARN")
    for n in range(90, 150):
        records[n] = record(f"rope {n} torn", n, "ERROR")
    records[120] = record("hull breached", 120, "FATAL")
    chosen = sample(records, 8).indexes
    assert {0, 60, 90, 120, 199} <= set(chosen)
    assert list(chosen) == sorted(chosen)


def test_errors_that_come_back_are_shown() -> None:
    records = [record(f"tick {n}", n) for n in range(300)]
    for n in (*range(50, 60), *range(200, 210)):
        records[n] = record(f"rope {n} torn", n, "ERROR")
    assert {50, 200, 209} <= set(sample(records, 10).indexes)


def test_time_orders_and_records_without_time_stand_last() -> None:
    records = [record("c", 3), record("x", None), record("a", 1)]
    assert sample(records, 5).indexes == (2, 0, 1)


RECORDS = st.lists(
    st.builds(
        record,
        st.sampled_from(["berth 1 taken", "berth 2 taken", "rope torn", "", "hull ok", "hull gone"]),
        st.one_of(st.none(), st.integers(0, 50)),
        st.one_of(st.none(), st.sampled_from(LEVELS)),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(RECORDS, st.integers(0, 20))
def test_a_sample_is_bounded_exact_and_repeatable(records: list[LogRecord], limit: int) -> None:
    chosen = sample(records, limit)
    assert chosen == sample(records, limit)
    assert len(chosen.indexes) == len(set(chosen.indexes)) == min(limit, len(records))
    assert len(chosen.indexes) + chosen.left_out == len(records)
    assert chosen.patterns_left_out >= 0
