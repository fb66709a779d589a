"""What every Clock keeps to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from rootproof.adapters.memory.clock import FixedClock, SystemClock
from rootproof.ports.clock import Clock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("clock", [SystemClock(), FixedClock(NOON)], ids=["system", "fixed"])
def test_a_clock_is_aware_and_never_goes_back(clock: Clock) -> None:
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.now() <= clock.now()
    assert clock.monotonic() <= clock.monotonic()


def test_the_system_clock_is_the_machines() -> None:
    before = datetime.now(UTC)
    assert before <= SystemClock().now() <= datetime.now(UTC)


def test_a_fixed_clock_stands_still_while_its_stopwatch_runs() -> None:
    ticks = iter([1.0, 2.5])
    clock = FixedClock(NOON.astimezone(timezone(timedelta(hours=8))), stopwatch=lambda: next(ticks))
    assert clock.now() == clock.now() == NOON
    assert clock.monotonic() == 1.0
    assert clock.monotonic() == 2.5


def test_a_fixed_clock_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="aware"):
        FixedClock(NOON.replace(tzinfo=None))
