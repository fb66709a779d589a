"""Counts over time in a bounded number of buckets of equal width, without knowing the span beforehand.

Buckets begin at multiples of their width since 1970 and their width doubles when the span needs more of them than
allowed, so the counts do not depend on the order in which times are seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rootproof.logs.fast_stamps import instant_of

MAX_BUCKETS = 32
_SECOND = 1_000_000


@dataclass(slots=True)
class Grid:
    """The buckets of a table. Units: microseconds since 1970."""

    width: int = _SECOND
    origin: int = 0
    fixed: bool = False
    """Whether width and origin were asked for; times outside of the first `MAX_BUCKETS` buckets do not count then."""
    low: int | None = None
    high: int | None = None

    def see(self, low: int, high: int) -> None:
        """Make room for times between `low` and `high`."""
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        while not self.fixed and self.index(self.high) - self.index(self.low) >= MAX_BUCKETS:
            self.width *= 2

    def index(self, micros: int) -> int:
        """The bucket of a time."""
        return (micros - self.origin) // self.width

    def holds(self, index: int) -> bool:
        """Whether a bucket is counted."""
        return not self.fixed or 0 <= index < MAX_BUCKETS

    @property
    def first(self) -> int:
        """The bucket that a row of counts begins with."""
        return 0 if self.fixed or self.low is None else self.index(self.low)

    @property
    def size(self) -> int:
        """How many buckets a row of counts has; 0 without any time."""
        return 0 if self.low is None or self.high is None else max(0, self.index(self.high) - self.first + 1)

    def start(self) -> datetime | None:
        """When the first bucket begins."""
        return None if not self.size else instant_of(self.origin + self.first * self.width)

    def dense(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        """The counts of all buckets in order."""
        return tuple(counts.get(self.first + at, 0) for at in range(self.size))


@dataclass(slots=True)
class Counts:
    """How many records of one pattern fell into each bucket."""

    width: int
    counts: dict[int, int]

    def add(self, grid: Grid, index: int, count: int) -> None:
        """Count into a bucket of `grid` as it is now."""
        self.fit(grid)
        if grid.holds(index):
            self.counts[index] = self.counts.get(index, 0) + count

    def absorb(self, other: Counts, grid: Grid) -> None:
        """Add the counts of another one."""
        other.fit(grid)
        self.fit(grid)
        for index, count in other.counts.items():
            self.counts[index] = self.counts.get(index, 0) + count

    def fit(self, grid: Grid) -> None:
        """Fold the buckets into those of a grid that has widened since."""
        if self.width == grid.width:
            return
        factor = grid.width // self.width
        folded: dict[int, int] = {}
        for index, count in self.counts.items():
            folded[index // factor] = folded.get(index // factor, 0) + count
        self.counts, self.width = folded, grid.width
