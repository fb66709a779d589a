"""What a series did, in a few numbers: never its raw points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

Trend = Literal["rising", "falling", "flat", "varying"]

_FLAT_SPREAD = 0.12
"""A series whose values stay within this fraction around their mean is flat."""
_MONOTONE = 0.8
_MIN_POINTS = 6
_MIN_GAIN = 0.6
"""A change point must explain this share of the variance."""
_MIN_SHIFT = 0.25
"""... and move the mean by this fraction of the larger side."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change point: the mean before and from `at` on."""

    at: datetime
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Shape:
    """A series in a few numbers."""

    points: int
    first: float
    first_at: datetime
    last: float
    last_at: datetime
    low: float
    low_at: datetime
    high: float
    high_at: datetime
    mean: float
    trend: Trend
    change: Change | None

    @property
    def deviation(self) -> float:
        """How far the series left its own start, for ranking: 0 for flat ones."""
        if self.trend == "flat":
            return 0.0
        scale = max(abs(self.low), abs(self.high)) or 1.0
        return (self.high - self.low) / scale + (1.0 if self.change else 0.0)


def shape(points: Sequence[tuple[float, float]]) -> Shape:
    """Describe `points`, (epoch seconds, value) in time order and not empty."""
    values = [value for _, value in points]
    low = min(range(len(values)), key=values.__getitem__)
    high = max(range(len(values)), key=values.__getitem__)
    mean = math.fsum(values) / len(values)
    change = _change_point(points)
    return Shape(
        points=len(points),
        first=values[0],
        first_at=_at(points[0][0]),
        last=values[-1],
        last_at=_at(points[-1][0]),
        low=values[low],
        low_at=_at(points[low][0]),
        high=values[high],
        high_at=_at(points[high][0]),
        mean=mean,
        trend=_trend(values, mean),
        change=change,
    )


def _trend(values: Sequence[float], mean: float) -> Trend:
    spread = max(values) - min(values)
    if spread <= 2 * _FLAT_SPREAD * abs(mean) and not _monotone(values, spread):
        return "flat"
    if spread == 0:
        return "flat"
    third = max(1, len(values) // 3)
    start, end = _mean(values[:third]), _mean(values[-third:])
    if abs(end - start) < 0.4 * spread:
        return "varying"
    return "rising" if end > start else "falling"


def _monotone(values: Sequence[float], spread: float) -> bool:
    """Whether nearly all of the movement goes one way: a slow leak is a trend however small it is."""
    if len(values) < _MIN_POINTS or spread == 0:
        return False
    travel = math.fsum(abs(b - a) for a, b in pairwise(values))
    return abs(values[-1] - values[0]) >= _MONOTONE * travel


def _change_point(points: Sequence[tuple[float, float]]) -> Change | None:
    """The split that explains most of the variance, if it explains enough of it. One pass, prefix sums."""
    count = len(points)
    if count < _MIN_POINTS:
        return None
    values = [value for _, value in points]
    total = math.fsum(values)
    variance = math.fsum((value - total / count) ** 2 for value in values)
    if variance == 0:
        return None
    best, best_gain, left = 0, 0.0, 0.0
    for split in range(1, count):
        left += values[split - 1]
        gap = left / split - (total - left) / (count - split)
        gain = gap * gap * split * (count - split) / count
        if gain > best_gain:
            best, best_gain = split, gain
    before, after = _mean(values[:best]), _mean(values[best:])
    scale = max(abs(before), abs(after))
    if best_gain < _MIN_GAIN * variance or abs(after - before) < _MIN_SHIFT * scale:
        return None
    return Change(_at(points[best][0]), before, after)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _at(epoch_s: float) -> datetime:
    return datetime.fromtimestamp(epoch_s, UTC)
