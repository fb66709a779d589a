"""Numbers that are not written in the evidence but follow from it by an operation the claim declares."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Ground, joined
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.units import Dimension, unit
from rootproof.agent.grounding.wordlists import words

_TOGETHER: Final = frozenset(["total", "together", "combined", "altogether", "sum", "summed"])
_EVERY: Final = re.compile(r"\*/([0-9]{1,2}) \* \* \*")
_MAX_PAIRS: Final = 40


def derivations(quantity: Quantity, ground: Ground, items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """(where from, number) for each number that may be meant: spans of time, shares, changes, multiples, sums."""
    lead = {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 4) : quantity.start]}
    ends = {"from", "to"} & {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 2) : quantity.start]}
    if lead & (signs.UP | signs.DOWN | {"by", "lost", "gained"}) and not ends:
        yield from _differences(items)
    match quantity.dimension:
        case Dimension.TIME:
            yield from _cron(items)
            yield from _products(quantity, ground)
            if ground.parsed.tokens[quantity.start - 1].lower == "every":
                yield from _rates(items, interval=True)
            yield from _spans(
                ground.items if _between_items(quantity, ground) else items,
                between=_leads_to_order(quantity, ground),
                ending=any(token.lower in signs.END_WORDS | {"within", "both"} for token in ground.parsed.tokens),
            )
        case Dimension.PERCENT:
            yield from _shares(ground.items)
            yield from _shares_across(ground.items)
            behind = {token.lower for token in ground.parsed.tokens[quantity.end : quantity.end + 10]}
            if ends:
                return
            if (
                set(quantity.after[:1]) & _COMPARATIVES
                or (lead | behind) & _LOST
                or any(
                    ground.parsed.clauses[each.at] == ground.parsed.clauses[quantity.start]
                    for each in ground.parsed.directions
                )
            ):
                yield from changes(items)
        case Dimension.RATIO:
            yield from _multiples(items)
            yield from _against(ground.items)
            yield from _times_limit(quantity, ground)
        case Dimension.NONE:
            yield from _counts(quantity, ground, items)
        case _:
            return


def _counts(quantity: Quantity, ground: Ground, items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """The numbers that a bare count may be: rates, products, rests, gaps, multiples, sums."""
    lead = {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 4) : quantity.start]}
    for item in items:
        if (lock := item.lock) is not None:
            yield f"the queue in {item.id}", _number(float(len(lock.waiting)), Dimension.NONE)
    yield from _one_and_more(items)
    yield from _products(quantity, ground)
    yield from _left_over(quantity, ground)
    per = [token.lower for token in ground.parsed.tokens[quantity.end : quantity.end + 4]]
    if {"per", "a", "an", "each", "every"} & set(per) and (known := next(filter(None, map(unit, per)), None)):
        yield from _rates(items, seconds=known.factors[0])
    if quantity.start and ground.parsed.tokens[quantity.start - 1].lower == "of":
        yield from _wholes(items)
    near = [token.lower for token in ground.parsed.tokens[quantity.end : quantity.end + 3]]
    fewer = "than" in near and bool({"less", "fewer"} & set(near)) and bool({"wants", "needs"} & lead)
    if (set(near) & _GAP or quantity.after[:1] == ("more",)) and not fewer:
        yield from _gaps(ground.items)
    if any(word == "times" for word in quantity.after[:1]):
        yield from _multiples(items)
    logs = [item for item in items if item.log is not None]
    if {token.lower for token in ground.parsed.tokens} & _TOGETHER and len(logs) > 1:
        total = sum(float(item.log.count) for item in logs if item.log is not None)
        yield f"{joined([item.id for item in logs])} together", _number(total, Dimension.NONE)


def _number(value: float, dimension: Dimension) -> Quantity:
    return Quantity(f"{value:.6g}", (value,), 1.0, 1.0, dimension, 0, 0)


def _between_items(quantity: Quantity, ground: Ground) -> bool:
    """Whether a span runs from one cited thing to another: `12 seconds from startup to the kill`, `took N to`."""
    tokens = ground.parsed.tokens
    near = {token.lower for token in tokens[max(0, quantity.start - 5) : quantity.end + 3]}
    return bool(ground.parsed.orders) or bool(near & _SPANNING)


_SPANNING: Final = words("when from took takes between to into of within after before later until earlier sooner ahead")


def _leads_to_order(quantity: Quantity, ground: Ground) -> bool:
    """Whether a span is one between two events: `16 minutes before`."""
    following = ground.parsed.tokens[quantity.end : quantity.end + 1]
    return any(token.lower in {"before", "after", "later", "earlier", "ahead"} for token in following)


def _cron(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """The period of a `*/N * * * *` schedule."""
    for item in items:
        found = _EVERY.search(item.text)
        if found:
            yield f"the schedule in {item.id}", _number(60.0 * int(found[1]), Dimension.TIME)


def _spans(items: Sequence[Item], *, ending: bool = False, between: bool = False) -> Iterator[tuple[str, Quantity]]:
    for item in items if not (between and len(items) > 1) else ():
        for first, last in _own_pairs(item):
            yield f"the times in {item.id}", _number(abs(last - first).total_seconds(), Dimension.TIME)
    onsets = [(item, item.onset) for item in items]
    onsets += [
        (item, item.series.times.get("min"))
        for item in items
        if item.series is not None and item.series.value("min") == 0
    ]
    if ending:
        onsets += [(item, max(item.times)) for item in items if item.series is None and len(item.times) > 1]
    pairs = 0
    for index, (left, left_at) in enumerate(onsets):
        for right, right_at in onsets[index + 1 :]:
            pairs += 1
            if left_at is not None and right_at is not None and pairs <= _MAX_PAIRS:
                yield (
                    f"the times in {left.id} and {right.id}",
                    _number(abs(right_at - left_at).total_seconds(), Dimension.TIME),
                )


def _own_pairs(item: Item) -> list[tuple[datetime, datetime]]:
    if item.series is None:
        times = item.times
        return [(min(times), max(times))] if len(times) > 1 and max(times) - min(times) > timedelta(0) else []
    at = item.series.times
    wanted = (
        ("first", "last"),
        ("change", "last"),
        ("first", "change"),
        ("change", "max"),
        ("first", "max"),
        ("min", "max"),
    )
    return [(at[left], at[right]) for left, right in wanted if left in at and right in at and at[left] != at[right]]


def _shares(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    for item in items:
        if item.series is not None:
            continue
        numbers = item.quantities
        for seen in numbers:
            if seen.whole is not None and seen.whole.value > 0:
                yield f"{seen.text} in {item.id}", _number(100 * seen.value / seen.whole.value, Dimension.PERCENT)
        plain = [
            seen
            for seen in numbers
            if seen.dimension in {Dimension.NONE, Dimension.BYTES} and seen.value > 0 and seen.end
        ][:8]
        for left in plain:
            for right in plain:
                if left.value < right.value and left.dimension is right.dimension:
                    yield (
                        f"{left.text} of {right.text} in {item.id}",
                        _number(100 * left.value / right.value, Dimension.PERCENT),
                    )


def _shares_across(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """What one item's bytes are of another's: `14 % of the 2Ti volume`."""
    sizes = [
        (item, seen)
        for item in items
        if item.series is None
        for seen in item.quantities[:8]
        if seen.dimension is Dimension.BYTES and seen.value > 0
    ][:8]
    for (item, left), (other, right) in itertools.permutations(sizes, 2):
        if item is not other and left.value < right.value:
            yield f"{left.text} of {right.text}", _number(100 * left.value / right.value, Dimension.PERCENT)


_PAIRS: Final = (
    ("before", "after"),
    ("first", "last"),
    ("first", "max"),
    ("before", "max"),
    ("mean", "max"),
    ("min", "max"),
    ("max", "last"),
)


def changes(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    for item in items:
        if item.series is None:
            continue
        for left, right in _PAIRS:
            start, end = item.series.value(left), item.series.value(right)
            if start and end is not None:
                yield (
                    f"{left} and {right} in {item.id}",
                    _number(100 * abs(end - start) / abs(start), Dimension.PERCENT),
                )


def _differences(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    for item in items:
        for left, right in _PAIRS if item.series is not None else ():
            start, end = (
                (item.series.values.get(role) for role in (left, right)) if item.series is not None else (None, None)
            )
            if start is not None and end is not None and start.dimension is end.dimension:
                yield f"{left} and {right} in {item.id}", _number(abs(end.value - start.value), start.dimension)


_GAP: Final = words("short below under above shy away off from than")


def _one_and_more(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """One and the N that are said to be the same: `the same for 2 more pods` is 3 pods."""
    for item in items:
        for seen in item.quantities:
            if seen.after[:1] == ("more",) and seen.dimension is Dimension.NONE:
                yield f"{seen.text} more in {item.id}", _number(seen.value + 1, Dimension.NONE)


def _wholes(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """The sum of two counts of one item: `out of 142` where 141 were done and 1 failed."""
    for item in items:
        counts = [seen for seen in item.quantities if seen.dimension is Dimension.NONE and seen.end][:8]
        for left, right in itertools.combinations(counts, 2):
            yield f"{left.text} and {right.text} in {item.id}", _number(left.value + right.value, Dimension.NONE)


_LOST: Final = words("lost loses gained shed cut gone")
_COMPARATIVES: Final = words("fewer less more lower higher slower faster larger smaller longer shorter worse better")


def _rates(items: Sequence[Item], seconds: float = 1.0, *, interval: bool = False) -> Iterator[tuple[str, Quantity]]:
    """How often a log pattern came in a stretch of time, or the time from one to the next."""
    for item in items:
        span = (max(item.times) - min(item.times)).total_seconds() if item.log is not None and item.times else 0.0
        if item.log is not None and span > 0 and item.log.count > 1:
            if interval:
                yield f"count and times of {item.id}", _number(span / item.log.count, Dimension.TIME)
            else:
                yield f"count and times of {item.id}", _number(item.log.count / span * seconds, Dimension.NONE)


def _products(quantity: Quantity, ground: Ground) -> Iterator[tuple[str, Quantity]]:
    """Two other numbers of the claim multiplied, where it says `each`, `every`, `with`: 11 with 3 each are 33."""
    if not {token.lower for token in ground.parsed.tokens} & {"each", "every", "per", "times", "with"}:
        return
    others = [each for each in ground.parsed.quantities if each.start != quantity.start and each.high is None][:6]
    for left, right in itertools.combinations(others, 2):
        dimensions = {left.dimension, right.dimension} - {Dimension.NONE}
        if dimensions <= {quantity.dimension, Dimension.CPU}:
            yield f"{left.text} times {right.text}", _number(left.value * right.value, quantity.dimension)


_LEFT: Final = words("left free unrequested remaining unused spare available short missing more still")


def _left_over(quantity: Quantity, ground: Ground) -> Iterator[tuple[str, Quantity]]:
    """What is missing to a whole (`1 left` of 39 of 40), and how many things the cited items are about."""
    said = {token.lower for token in ground.parsed.tokens[quantity.start - 4 : quantity.end + 5]}
    for item in ground.items if said & _LEFT else ():
        for seen in item.quantities:
            if seen.whole is not None and seen.whole.value > seen.value:
                yield f"{seen.text} in {item.id}", _number(seen.whole.value - seen.value, Dimension.NONE)
    subjects = {item.subject for item in ground.items if item.subject}
    if quantity.after and quantity.after[0].endswith("s") and len(subjects) > 1:
        yield "the number of things that the cited items are about", _number(float(len(subjects)), Dimension.NONE)


def _against(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """How many times one series is another, statistic by statistic: `eight times as many came in as went out`."""
    series = [(item, item.series) for item in items if item.series is not None][:4]
    for (item, left), (other, right) in itertools.permutations(series, 2):
        for role in ("first", "last", "before", "after", "mean", "max", "min"):
            part, whole = left.value(role), right.value(role)
            if part and whole:
                yield f"{role} of {item.id} and {other.id}", _number(part / whole, Dimension.RATIO)


def _times_limit(quantity: Quantity, ground: Ground) -> Iterator[tuple[str, Quantity]]:
    """How many times a number that the claim names (`nine times the threshold of 10,000`) a series is."""
    named = [each for each in ground.parsed.quantities if each.start > quantity.end and each.value > 0][:2]
    for item, other in itertools.product(ground.items, named):
        for role in ("last", "max", "after") if item.series is not None else ():
            value = item.series.values.get(role) if item.series is not None else None
            if value is not None and value.dimension is other.dimension:
                yield f"{role} of {item.id} and {other.text}", _number(value.value / other.value, Dimension.RATIO)


def _gaps(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    """The difference of two counts: `two short of the maximum`."""
    plain = [(item, seen) for item in items for seen in item.quantities if seen.dimension is Dimension.NONE][:16]
    for (item, left), (other, right) in itertools.combinations(plain, 2):
        if left.value != right.value:
            yield (
                f"the numbers in {joined(sorted({item.id, other.id}))}",
                _number(abs(left.value - right.value), Dimension.NONE),
            )


def _multiples(items: Sequence[Item]) -> Iterator[tuple[str, Quantity]]:
    for item in items:
        for start, end in _ends(item):
            if start and end:
                yield f"two numbers of {item.id}", _number(end / start, Dimension.RATIO)
                yield f"two numbers of {item.id}", _number(end / start, Dimension.NONE)


def _ends(item: Item) -> Sequence[tuple[float | None, float | None]]:
    """Pairs of numbers of which one may be told as a multiple of the other."""
    if item.series is not None:
        return [(item.series.value(left), item.series.value(right)) for left, right in _PAIRS]
    return [
        (left.value, right.value)
        for left, right in itertools.pairwise(item.quantities)
        if left.end and right.end and left.dimension is right.dimension
    ][:8]


def factor_fits(item: Item, factor: float, room: tuple[float, float]) -> bool:
    """Whether a series changed by about `factor` (doubled: 2) between two of its statistics."""
    if item.series is None:
        return False
    for left, right in _PAIRS:
        start, end = item.series.value(left), item.series.value(right)
        if "mean" in {left, right} and item.series.value("first") is not None:
            continue
        if start and end is not None and -room[0] * factor <= end / start - factor <= room[1] * factor:
            return True
    return False
