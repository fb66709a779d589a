"""The clocks: the machine's, and one that stands still."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


class SystemClock:
    """The machine's wall clock and stopwatch."""

    def now(self) -> datetime:
        """The current instant, UTC, microseconds."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds on the machine's monotonic clock."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A wall clock that stands at one instant, for bundles and tests.

    The stopwatch goes on by default: deadlines and durations of a replayed incident are real.
    """

    instant: datetime
    stopwatch: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if self.instant.tzinfo is None:
            raise ValueError(f"a FixedClock needs an aware datetime, got {self.instant.isoformat()}")
        object.__setattr__(self, "instant", self.instant.astimezone(UTC))

    def now(self) -> datetime:
        """The fixed instant, UTC."""
        return self.instant

    def monotonic(self) -> float:
        """What the stopwatch shows, in seconds."""
        return self.stopwatch()
