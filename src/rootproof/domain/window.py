"""Time windows: half-open and in UTC, so that two neighbours never share or miss an instant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The instants t with `start <= t < end`, both aware and in UTC."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("a TimeWindow needs aware datetimes")
        object.__setattr__(self, "start", self.start.astimezone(UTC))
        object.__setattr__(self, "end", self.end.astimezone(UTC))
        if self.end < self.start:
            raise ValueError(f"a TimeWindow ends before it starts: {self.start.isoformat()} > {self.end.isoformat()}")

    @classmethod
    def lookback(cls, end: datetime, minutes: int) -> TimeWindow:
        """The `minutes` before `end`, with `end` itself included to the microsecond."""
        return cls(end - timedelta(minutes=minutes), end + timedelta(microseconds=1))

    def __contains__(self, instant: datetime) -> bool:
        return self.start <= instant < self.end

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return (self.end - self.start).total_seconds()


def iso(instant: datetime) -> str:
    """`instant` as RFC 3339 in UTC with a `Z`; fractions only where there are any.

    Milliseconds are enough for people and models: finer fractions are cut, never rounded up.
    """
    utc = instant.astimezone(UTC)
    if utc.microsecond < 1000:
        return utc.strftime("%Y-%m-%dT%H:%M:%SZ")
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"
