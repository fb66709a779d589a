"""Which numbers of an item a claimed number may be: equal, within its limit, both ends of a range."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees, readings, rounded
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.labels import numbers_of, opposite_state
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words

_NOW: Final = words("now remain remains remained remaining left currently still only")


_LESS: Final = words("less fewer lower smaller shorter younger earlier")


_LIMIT_KEYS: Final = words("limit threshold max maximum quota timeout capacity deadline cap")


def matching(quantity: Quantity, item: Item) -> list[Quantity]:
    """The numbers of an item that the claimed one may be; for a range or `A of B`, both ends must be there."""
    if quantity.high is not None:
        return _range(quantity, item)
    if quantity.bound is not Bound.EXACT and item.series is not None and not quantity.approximate:
        return _bounded_series(quantity, item, remains=bool(set(quantity.after) & _NOW or set(quantity.before) & _NOW))
    found = [
        seen
        for seen in numbers_of(item)
        if (agrees(quantity, seen) or (item.series is not None and rounded(quantity, seen)))
        and not (quantity.bound is not Bound.EXACT and _compared(seen))
    ]
    if not found and quantity.bound in {Bound.ABOVE, Bound.BELOW}:
        found = [seen for seen in numbers_of(item) if _same_value(quantity, seen) and _same_comparison(quantity, seen)]
    if quantity.whole is not None:
        whole = quantity.whole
        written = [seen for seen in item.quantities if seen.whole is not None and agrees(whole, seen.whole)]
        if written:
            denied = _denies_state(quantity)
            parts = [seen for seen in written if _is_rest(quantity, seen) or (agrees(quantity, seen) and not denied)]
            return parts or [seen for seen in item.quantities if agrees(quantity, seen) and _of_them(seen, item)]
        wholes = [seen for seen in numbers_of(item) if agrees(quantity.whole, seen)]
        found = [seen for seen in found if not opposite_state(quantity, seen)]
        return [seen for seen in found if any(whole is not seen or whole.value == seen.value for whole in wholes)]
    return found


def _denies_state(quantity: Quantity) -> bool:
    """Whether `two of five are not ready` is written."""
    return any(left == "not" and right in {"ready", "available"} for left, right in pairwise(quantity.tail))


def _of_them(seen: Quantity, item: Item) -> bool:
    """Whether a number is told as a part of the one before: `300 in use, 280 of them idle`."""
    following = [token.lower for token in item.tokens[seen.end : seen.end + 2]]
    return seen.whole is None and following in (["of", "them"], ["of", "which"], ["of", "these"])


def _is_rest(quantity: Quantity, seen: Quantity) -> bool:
    """Whether `one of four is not ready` is what `3/4 ready` leaves."""
    return (
        seen.whole is not None
        and bool(set(quantity.tail) & {"not", "missing", "down", "unavailable", "unready", "fail", "failing"})
        and seen.whole.value - seen.value == quantity.value
    )


def _compared(seen: Quantity) -> bool:
    return bool(set(seen.before[:1]) & (signs.ABOVE | signs.BELOW | {"than"}))


def _same_value(quantity: Quantity, seen: Quantity) -> bool:
    return any(abs(mine - theirs) <= quantity.step / 2 for mine, theirs in readings(quantity, seen))


def _same_comparison(quantity: Quantity, seen: Quantity) -> bool:
    """Whether the evidence compares with the same number in the same way, or the number is a limit that was passed."""
    own = signs.ABOVE if quantity.bound is Bound.ABOVE else signs.BELOW
    if seen.before[:1] in {("within",), ("after",)} and seen.dimension is Dimension.TIME:
        return quantity.bound in {Bound.ABOVE, Bound.AT_LEAST}
    if seen.before[:1] == ("than",) and len(seen.before) > 1:
        return (seen.before[1] in _LESS) is (quantity.bound is Bound.BELOW)
    if set(seen.before[:2]) & own or (quantity.bound is Bound.ABOVE and {"than", "more"} <= set(seen.before[:3])):
        return True
    return quantity.bound is Bound.ABOVE and _is_limit(seen)


def _is_limit(seen: Quantity) -> bool:
    return any(
        part in _LIMIT_KEYS for part in (*seen.before[:2], *seen.after[:1], *(seen.key or "").lower().split("_"))
    )


def _range(quantity: Quantity, item: Item) -> list[Quantity]:
    high = quantity.high
    if high is None:
        return []
    if item.series is None or "min" not in item.series.values or "max" not in item.series.values:
        lows = [seen for seen in item.quantities if agrees(quantity, seen)]
        return lows if any(agrees(high, seen) for seen in item.quantities) else []
    low_seen, high_seen = item.series.values["min"], item.series.values["max"]
    if low_seen.dimension is not quantity.dimension and quantity.dimension is not Dimension.NONE:
        return []
    if agrees(quantity, low_seen) and agrees(high, high_seen):
        return [low_seen]
    inside = (
        0 <= low_seen.value - quantity.value <= quantity.loose_step
        and 0 <= high.value - high_seen.value <= high.loose_step
    )
    return [low_seen] if inside else []


def _bounded_series(quantity: Quantity, item: Item, *, remains: bool = False) -> list[Quantity]:
    """For `above N`: the values it may speak of; for `below N`: the highest one, or the lowest where it fell."""
    values = item.series.values if item.series is not None else {}
    roles: tuple[str, ...]
    if "from" in quantity.before[:3]:
        roles = ("first", "before", "min", "mean")
    elif quantity.bound in {Bound.ABOVE, Bound.AT_LEAST}:
        roles = (
            ("min",)
            if {"never", "not", "throughout", "always", "constantly"} & {*quantity.before, *quantity.after}
            or quantity.after[:2] == ("all", "time")
            else ("max", "last", "after", "mean", "first", "min")
        )
    else:
        roles = (
            ("max",)
            if not _fell(quantity) and not remains
            else ("last", "after")
            if remains
            else ("last", "min", "after")
        )
    found = [values[role] for role in roles if role in values and agrees(quantity, values[role])]
    if (
        quantity.bound is Bound.ABOVE
        and not found
        and "max" in values
        and values["max"].dimension is quantity.dimension
    ):
        threshold = [
            seen
            for seen in item.quantities
            if seen not in values.values() and _is_limit(seen) and seen.value == quantity.value
        ]
        found = threshold if values["max"].value > quantity.value else []
    return found


def _fell(quantity: Quantity) -> bool:
    return any(word in signs.DOWN for word in quantity.before)
