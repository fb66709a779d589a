"""When a claimed number is a seen one: in a common unit, within the precision in which it is written."""

from __future__ import annotations

import math
import re

from rootproof.agent.grounding.quantity import STATUSES, Bound, Quantity, to_float
from rootproof.agent.grounding.units import Dimension


def readings(claimed: Quantity, seen: Quantity) -> list[tuple[float, float]]:
    """Pairs (claimed value, seen value) in one common unit; empty where the units cannot be compared."""
    if not all(math.isfinite(value) for value in (*claimed.values, *seen.values)):
        return []
    if seen.dimension is Dimension.NONE and STATUSES.fullmatch(claimed.text):
        return [(claimed.value, seen.value)]
    if claimed.dimension is seen.dimension is Dimension.BYTES:
        return _bytes(claimed, seen)
    if claimed.dimension is seen.dimension:
        return [(mine, theirs) for mine in claimed.values for theirs in seen.values]
    pair = (claimed.dimension, seen.dimension)
    if Dimension.NONE in pair and Dimension.CPU in pair:
        bare = _raw(seen) if claimed.dimension is Dimension.NONE else []
        return [(claimed.value, each) for each in (seen.value, *bare)]
    if pair == (Dimension.TIME, Dimension.CPU) and seen.text.endswith("m"):
        return [(claimed.value, seen.value * 1000 * 60)]
    if pair == (Dimension.CPU, Dimension.TIME) and claimed.text.endswith("m"):
        return [(claimed.value * 1000 * 60, seen.value)]
    if pair == (Dimension.PERCENT, Dimension.NONE) and seen.before[:1] == ("value",):
        return [(claimed.value, seen.value), *([(claimed.value, 100 * seen.value)] if 0 <= seen.value <= 1 else [])]
    if pair == (Dimension.TIME, Dimension.NONE) and seen.before[:1] == ("value",):
        return [(claimed.value, seen.value)]
    if pair == (Dimension.RATIO, Dimension.NONE) and claimed.text.endswith("x") and seen.start == 0:
        return [(claimed.value, seen.value)]
    if claimed.dimension is Dimension.NONE:
        return [(claimed.value, raw) for raw in _raw(seen)]
    return []


def _bytes(claimed: Quantity, seen: Quantity) -> list[tuple[float, float]]:
    """GB is read the same way on both sides; a claim's GB may stand for GiB, but its GiB is no GB."""
    if len(claimed.values) == len(seen.values) > 1:
        return list(zip(claimed.values, seen.values, strict=True))
    if len(seen.values) > 1 and not seen.text.lower().endswith("kb"):
        return [(claimed.value, seen.value)]
    return [(mine, theirs) for mine in claimed.values for theirs in seen.values]


def _raw(seen: Quantity) -> list[float]:
    """The number as it stands, without its unit: a claim may leave the unit out."""
    digits = re.match(r"[0-9.,]+", seen.text)
    number = to_float(digits.group().rstrip(".,")) if digits else math.inf
    return [number] if math.isfinite(number) else []


def agrees(claimed: Quantity, seen: Quantity) -> bool:
    """Whether `seen` is what `claimed` says, within the precision in which it is written."""
    return any(_close(claimed, mine, theirs) for mine, theirs in readings(claimed, seen))


ROUNDING = 0.025
"""A measured value may be this far from the round number that stands for it: 40 ms for 40.8."""


def rounded(claimed: Quantity, seen: Quantity) -> bool:
    """Whether a round number (trailing zeros) is what a measured value would be called in so few digits."""
    if claimed.bound is not Bound.EXACT or claimed.loose_step <= claimed.step:
        return False
    return any(
        abs(mine - theirs) <= min(_loose_of(claimed, mine) / 2, ROUNDING * abs(mine))
        for mine, theirs in readings(claimed, seen)
    )


def _close(claimed: Quantity, mine: float, theirs: float) -> bool:
    step = claimed.step * (mine / claimed.value if claimed.value else 1.0)
    slack = 1e-9 * max(abs(mine), abs(theirs))
    match claimed.bound:
        case Bound.ABOVE:
            return mine < theirs <= max(mine + _loose_of(claimed, mine), 1.5 * mine) + slack
        case Bound.AT_LEAST:
            return mine - slack <= theirs <= max(mine + _loose_of(claimed, mine), 1.5 * mine) + slack
        case Bound.BELOW:
            lowest = 0.9 * mine if claimed.approximate else min(mine - _loose_of(claimed, mine), mine / 1.5)
            return lowest - slack <= theirs < mine
        case Bound.AT_MOST:
            room = step / 2 if step <= 0.02 * abs(mine) or step <= 1e-2 else 0.0
            return mine / 1.25 - slack <= theirs <= mine + room + slack
        case Bound.EXACT:
            if claimed.nearly and mine * 0.9 <= theirs <= mine:
                return True
            if claimed.approximate:
                loose = _loose_of(claimed, mine)
                if claimed.dimension is Dimension.RATIO:
                    loose = max(loose, 0.2 * abs(mine))
                    return abs(mine - theirs) <= loose / 2 + slack
                width = max(step / 2, min(loose / 2, 0.085 * abs(mine)), 0.02 * abs(mine))
                return abs(mine - theirs) <= width + slack
            return abs(mine - theirs) <= step / 2 + slack


def _loose_of(claimed: Quantity, mine: float) -> float:
    return claimed.loose_step * (mine / claimed.value if claimed.value else 1.0)
