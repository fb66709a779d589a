"""A number as written: its readings in base units, its precision, its limits and the words beside it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from rootproof.agent.grounding.units import Dimension


class Bound(StrEnum):
    """How a claim limits a number."""

    EXACT = "exact"
    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written. Values are in base units (seconds, bytes, percent points, cores)."""

    text: str
    values: tuple[float, ...]
    """More than one where the unit is used loosely (64 MB) or has two meanings (250m)."""
    step: float
    """One unit in the last written place."""
    loose_step: float
    """The same with trailing zeros not counted: 600 -> 100."""
    dimension: Dimension
    start: int
    end: int
    """Token positions [start, end)."""
    approximate: bool = False
    nearly: bool = False
    bound: Bound = Bound.EXACT
    before: tuple[str, ...] = ()
    """Lower-case words that lead to it, nearest first."""
    after: tuple[str, ...] = ()
    """Lower-case words that follow it, nearest first."""
    tail: tuple[str, ...] = ()
    """The next words after a part of a whole, whatever they are: `two of five replicas are not ready`."""
    key: str | None = None
    """The field it is the value of (`active=10`), as written."""
    high: Quantity | None = None
    """The upper end where it is a range."""
    whole: Quantity | None = None
    """The second number of `A of B` or `A/B`."""

    @property
    def value(self) -> float:
        """The first reading."""
        return self.values[0]


STATUSES = re.compile(r"[1-5][0-9]{2}s")
"""`129 503s`: status codes, not seconds."""


def to_float(digits: str) -> float:
    try:
        return float(digits.replace(",", ""))
    except (ValueError, OverflowError):
        return math.inf
