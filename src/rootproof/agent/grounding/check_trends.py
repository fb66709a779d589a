"""Directions: rose, fell, stayed flat, doubled: checked against the statistics of the series the clause is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.atoms import Direction, Way
from rootproof.agent.grounding.complements import is_complement
from rootproof.agent.grounding.derived import factor_fits
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, joined
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.series import Series
from rootproof.agent.grounding.text import Kind, reads
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.words import stem

FLAT_SPREAD = 0.15
"""A series that stays within this share of its mean may be called flat."""
MOVE = 0.05
"""A change of less than this share of the start is no rise and no fall."""

_TOWARDS = frozenset({"to", "about", "roughly", "around", "nearly", "almost"})


def check_trends(ground: Ground) -> Iterator[Finding]:
    """One finding for each direction word that speaks of a measured thing; others are left to the topic."""
    yield from _recovery(ground)
    for direction in ground.parsed.directions:
        finding = _from_to(direction, ground) or _check(direction, ground)
        if finding is not None:
            yield finding


_RECOVERED = frozenset({"recovered", "recovering", "recovers", "normalised", "normalized"})


_BACK: Final = (
    ("catching", "up"),
    ("caught", "up"),
    *(
        ("back", "to", *middle, usual)
        for middle in ((), ("its",), ("their",), ("the",))
        for usual in ("normal", "usual", "baseline", "previous")
    ),
)


def _recovery(ground: Ground) -> Iterator[Finding]:
    """For `recovered` said of series only: one must have come back from where it went, `fully` to where it began."""
    tokens = ground.parsed.tokens
    for position, token in enumerate(tokens):
        lead = {each.lower for each in tokens[max(0, position - 3) : position]}
        back = reads(tokens, position, _BACK)
        if (token.lower not in _RECOVERED and not back) or lead & {"not", "never", "no", "has not"}:
            continue
        series = [item for item in ground.bound_items(position, position + 1)[1] if item.series is not None]
        if not series or len(series) < len(ground.items):
            continue
        least = 0.5 if back and token.lower != "catching" else 0.25
        least = 0.9 if lead & {"fully", "completely", "entirely"} else least
        if not any(_came_back(item.series) >= least for item in series if item.series is not None):
            yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {series[0].id} shows {_shown(series[0])}.")


def _came_back(series: Series) -> float:
    """How much of the way from its first value to its furthest a series has come back by its last."""
    first, last = series.value("first"), series.value("last")
    low, high = series.value("min"), series.value("max")
    if first is None or last is None or low is None or high is None:
        return 1.0
    furthest = high if high - first >= first - low else low
    return 1.0 - abs(last - first) / abs(furthest - first) if furthest != first else 1.0


def _from_to(direction: Direction, ground: Ground) -> Finding | None:
    """CONTRADICTED where the claim's own `from A to B` goes the other way than its verb."""
    tokens = ground.parsed.tokens
    near = [q for q in ground.parsed.quantities if direction.at < q.start <= direction.at + 8]
    for left, right in pairwise(near):
        lead = tokens[left.start - 1].lower, {token.lower for token in tokens[left.end : right.start]}
        backwards = "from" in lead[1] and lead[0] in _TOWARDS
        forwards = lead[0] in {"from", "about", "roughly", "around"} and "to" in lead[1] and "from" not in lead[1]
        start, end = (right, left) if backwards else (left, right)
        if (backwards or forwards) and start.dimension is end.dimension and not direction.negated:
            went = Way.UP if end.value > start.value else Way.DOWN if end.value < start.value else Way.FLAT
            if direction.way is not went and Way.FLAT not in {went, direction.way}:
                return Finding(
                    State.CONTRADICTED,
                    f"From {start.text} to {end.text} is not what {direction.word} says ({ground.ids}).",
                )
    return None


def _check(direction: Direction, ground: Ground) -> Finding | None:
    if direction.negated and any(
        q.bound is not Bound.EXACT and 0 < q.start - direction.at <= 4 for q in ground.parsed.quantities
    ):
        return None  # `never fell below 70%`: the number decides.
    _, wanted = ground.bound_items(direction.at, direction.at + 1)
    named = [item for item in ground.items if item.series is not None and stem(direction.word) in _head_stems(item)]
    if named:
        return _counted(direction, named)
    series = [item for item in wanted if item.series is not None]
    if direction.word in signs.SLOWER | signs.FASTER:
        series = [item for item in series if _is_duration(item)]
        if not series:
            return None
    if not series:
        return _in_words(direction, ground)
    if direction.word in signs.AMBIGUOUS and any(
        _says(item, direction.word) for item in ground.items if item.series is None
    ):
        return None
    ids = joined([item.id for item in series])
    if {t.lower for t in ground.parsed.tokens[direction.at + 1 : direction.at + 2]} & {"better", "worse"}:
        direction = _by_worth(direction, series[0])
    # What fills up has more used and less free: the direction depends on which of the two a series counts.
    filling = direction.word.startswith("filling")
    clause = ground.parsed.clauses[direction.at]
    lowers = [t.lower for t, at in zip(ground.parsed.tokens, ground.parsed.clauses, strict=True) if at == clause]
    outcomes = [_judge(_as_told(direction, item, lowers, filling=filling), item, ground) for item in series]
    if State.FOUND in outcomes:
        return Finding(State.FOUND, f"{ids} shows that it {_said(direction)}.")
    if (
        any(direction.way in _from_to_of(item) for item in ground.items if item.series is None)
        and not direction.negated
    ):
        return Finding(State.FOUND, f"{ground.ids} says that it {_said(direction)}.")
    if State.CONTRADICTED in outcomes:
        item = series[outcomes.index(State.CONTRADICTED)]
        return Finding(State.CONTRADICTED, f"The claim says {_said(direction)}; {item.id} shows {_shown(item)}.")
    return Finding(State.MISSING, f"{ids} does not show that it {_said(direction)}.")


def _counted(direction: Direction, named: Sequence[Item]) -> Finding | None:
    """For `dropped` where a series counts drops: CONTRADICTED where it is denied of drops, or said of none."""
    seen = any(item.series is not None and item.series.value("max") for item in named)
    if bool(seen) is direction.negated:
        return Finding(State.CONTRADICTED, f"The claim says {_said(direction)}; {named[0].id} counts otherwise.")
    return None


def _head_stems(item: Item) -> set[str]:
    return {stem(piece) for piece in item.head}


_GOOD_WHEN_HIGH = frozenset({"free", "freeable", "available", "idle", "hit", "hits", "success", "ready", "throughput"})


def _by_worth(direction: Direction, item: Item) -> Direction:
    """`getting worse` is up for a lag and down for a hit ratio."""
    if not _GOOD_WHEN_HIGH & item.head:
        return direction
    return replace(direction, way=Way.DOWN if direction.way is Way.UP else Way.UP)


def _as_told(direction: Direction, item: Item, lowers: Sequence[str], *, filling: bool) -> Direction:
    """The direction that the series takes where the claim tells its other side: misses rise as a hit ratio falls."""
    if is_complement(lowers, item):
        return replace(direction, way={Way.UP: Way.DOWN, Way.DOWN: Way.UP}.get(direction.way, direction.way))
    return _by_worth(direction, item) if filling else direction


def _is_duration(item: Item) -> bool:
    return item.series is not None and any(value.dimension is Dimension.TIME for value in item.series.values.values())


def _said(direction: Direction) -> str:
    return f"did not ({direction.word})" if direction.negated else direction.word


def _shown(item: Item) -> str:
    series = item.series
    if series is None:
        return "no series"
    ends = [f"{role} {series.values[role].text}" for role in ("first", "last") if role in series.values]
    return ", ".join([*ends, *([series.trend] if series.trend else [])])


def _judge(direction: Direction, item: Item, ground: Ground) -> State:
    series = item.series
    if series is None:
        return State.MISSING
    ways = ways_of(series)
    if (
        direction.factor is not None
        and not direction.negated
        and not factor_fits(item, direction.factor, _room(direction, ground))
    ):
        return State.CONTRADICTED
    if direction.negated:
        if direction.way not in ways:
            return State.FOUND
        certain = direction.way is Way.FLAT or _overall(series) is direction.way
        return State.CONTRADICTED if certain else State.MISSING
    target = _target(direction, ground)
    if target is not None and direction.way is not Way.FLAT:
        verdict = _reaches(direction.way, target, series)
        if verdict is not None:
            return verdict
    if direction.way in ways:
        return State.FOUND
    return State.CONTRADICTED if ways else State.MISSING


def _room(direction: Direction, ground: Ground) -> tuple[float, float]:
    """How far the true factor may lie below and above the word, as shares of it."""
    lead = {token.lower for token in ground.parsed.tokens[max(0, direction.at - 2) : direction.at]}
    if {"more", "than"} <= lead:
        return (0.8, 0.0) if (direction.factor or 1.0) < 1 else (0.0, 0.8)
    if {"less", "than"} <= lead:
        return (0.0, 0.8) if (direction.factor or 1.0) < 1 else (0.8, 0.0)
    return (0.2, 0.0) if lead & signs.NEARLY else (0.2, 0.2)


def _target(direction: Direction, ground: Ground) -> Quantity | None:
    """The number that the direction leads `to`."""
    for quantity in ground.parsed.quantities:
        lead = ground.parsed.tokens[direction.at + 1 : quantity.start]
        if 0 < len(lead) <= 7 and not any(
            token.text in {",", ";"} or (token.kind is Kind.WORD and token.lower in {"and", "at", "by"})
            for token in lead
        ):
            words = [token.lower for token in lead]
            if "to" in words[-3:]:
                return quantity
    return None


def _reaches(way: Way, target: Quantity, series: Series) -> State | None:
    """Whether the series can rise (fall) to `target`: something seen before it must be lower (higher)."""
    roles = [role for role, value in series.values.items() if agrees(target, value)]
    if not roles:
        return None
    reached = series.values[roles[0]].value
    if "first" in roles and all(series.times.get(role) == series.times.get("first") for role in roles):
        return State.CONTRADICTED
    starts = [
        value
        for role in ("first", "before", "mean", *(("min",) if way is Way.UP else ("max",)))
        if role not in roles and (value := series.value(role)) is not None
    ]
    if way is Way.DOWN and roles == ["max"]:
        return State.CONTRADICTED
    if way is Way.UP and roles == ["min"]:
        return State.CONTRADICTED
    if set(roles) & {"last", "after"} and "first" not in roles:
        starts = [value for role in ("first", "before") if (value := series.value(role)) is not None]
        ended = series.times.get("last" if "last" in roles else "change")
        extreme = "max" if way is Way.DOWN else "min"
        extreme_at = series.times.get(extreme)
        if extreme not in roles and extreme_at is not None and ended is not None and extreme_at < ended:
            starts += [value for value in (series.value(extreme),) if value is not None]
    room = MOVE * abs(reached)
    moved = any(value < reached - room if way is Way.UP else value > reached + room for value in starts)
    return State.FOUND if moved else State.CONTRADICTED


def _overall(series: Series) -> Way:
    first, last = series.value("first"), series.value("last")
    if first is None or last is None or abs(last - first) <= MOVE * max(abs(first), abs(last)):
        return Way.FLAT
    return Way.UP if last > first else Way.DOWN


def ways_of(series: Series) -> frozenset[Way]:
    """The directions in which a series may honestly be said to have gone."""
    found: set[Way] = set()
    first, last, low, high = (series.value(role) for role in ("first", "last", "min", "max"))
    before, after = series.value("before"), series.value("after")
    if series.trend == "rising":
        found.add(Way.UP)
    elif series.trend == "falling":
        found.add(Way.DOWN)
    elif series.trend == "flat":
        found.add(Way.FLAT)
    overall = _overall(series)
    if overall is not Way.FLAT and series.trend != "flat":
        found.add(overall)
    if before is not None and after is not None and before != after:
        found.add(Way.UP if after > before else Way.DOWN)
    if series.trend in {None, "varying"} and first is not None and last is not None:
        if high is not None and high > first + MOVE * abs(first) and _spread(series) > FLAT_SPREAD:
            found.add(Way.UP)
        if low is not None and low < first - MOVE * abs(first) and _spread(series) > FLAT_SPREAD:
            found.add(Way.DOWN)
        if high is not None and last < high - MOVE * abs(high) and _spread(series) > FLAT_SPREAD:
            found.add(Way.DOWN)
    if series.trend in {"rising", "falling"}:
        pass
    elif _spread(series) <= FLAT_SPREAD:
        found.add(Way.FLAT)
    return frozenset(found)


def _spread(series: Series) -> float:
    low, high = series.value("min"), series.value("max")
    middle = series.value("mean")
    if low is None or high is None:
        low, high = series.value("first") or 0.0, series.value("last") or 0.0
    scale = abs(middle) if middle else max(abs(low), abs(high))
    return abs(high - low) / scale if scale else 0.0


def _says(item: Item, word: str) -> bool:
    return stem(word) in item.words[0]


def _from_to_of(item: Item) -> set[Way]:
    """The way of a written `from A to B` or `set to B (was A)`."""
    found: set[Way] = set()
    for left, right in pairwise(item.quantities):
        if not (left.end and right.end and left.dimension is right.dimension):
            continue
        lead_left, lead_right = item.tokens[left.start - 1].lower, item.tokens[right.start - 1].lower
        if lead_left == "from" and lead_right == "to":
            found.add(Way.UP if right.value > left.value else Way.DOWN)
        elif lead_left == "to" and lead_right in {"was", "from", "previously"}:
            found.add(Way.UP if left.value > right.value else Way.DOWN)
    return found


def _ways_in_words(ground: Ground) -> set[Way]:
    """The ways that the words of the items say, and those of their `from A to B`."""
    own: set[Way] = set()
    for item in ground.items:
        for token in item.tokens:
            word = token.lower
            if word in signs.UP:
                own.add(Way.UP)
            elif word in signs.DOWN or word in {"low", "lowest"}:
                own.add(Way.DOWN)
            elif word in {"high", "highest"}:
                own.add(Way.UP)
            elif word in signs.FLAT:
                own.add(Way.FLAT)
        own |= _from_to_of(item)
    return own


def _in_words(direction: Direction, ground: Ground) -> Finding | None:
    """Without a series: the evidence's own direction words decide; a flat claim or a clear verb needs one."""
    own = _ways_in_words(ground)
    if (direction.word in signs.AMBIGUOUS or direction.way is Way.FLAT) and not own:
        return None
    changed = set().union(*(_from_to_of(item) for item in ground.items))
    if direction.way in own and direction.negated:
        return Finding(State.CONTRADICTED, f"The claim says that it {_said(direction)}; {ground.ids} says that it did.")
    if changed and direction.way not in changed and direction.way is not Way.FLAT and not direction.negated:
        return Finding(
            State.CONTRADICTED, f"The claim says {direction.word}; the numbers in {ground.ids} go the other way."
        )
    if direction.way in own:
        return Finding(State.FOUND, f"{ground.ids} says that it {_said(direction)}.", soft=True)
    if own and direction.word not in signs.AMBIGUOUS:
        return Finding(State.CONTRADICTED, f"The claim says {_said(direction)}; {ground.ids} says otherwise.")
    if any(_says(item, direction.word) for item in ground.items) or direction.word in signs.AMBIGUOUS:
        return None
    return Finding(State.MISSING, f"{ground.ids} holds no measurement that shows it {_said(direction)}.")
