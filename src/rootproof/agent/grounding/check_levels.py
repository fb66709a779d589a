"""Levels and states: a value at a named time, a threshold passed or not, up or down, how many are in which state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.check_affirmations import covered_positions
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.times import any_match
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.domain.window import iso

_DOWN: Final = words("down offline dead unavailable unreachable")
_LIMITS: Final = words("threshold limit")
_STATES: Final = words("running pending failed evicted terminating unknown completed waiting succeeded")


def check_levels(ground: Ground) -> Iterator[Finding]:
    """One finding for each level or state that the items have otherwise; FOUND only for a threshold passed as told."""
    yield from _at_time(ground)
    yield from _threshold(ground)
    yield from _not_down(ground)
    yield from _in_state(ground)
    yield from _held(ground)


def _at_time(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `at T it was N` where N is a value of a series at other times, and T the time of another one."""
    parsed = ground.parsed
    for mention in parsed.times:
        lead = parsed.tokens[mention.start - 1].lower if mention.start else ""
        number = next((each for each in parsed.quantities if each.start >= mention.end), None)
        between = parsed.tokens[mention.end : number.start] if number is not None else ()
        crossed = any(mention.end <= other.start for other in parsed.times) and any(
            mention.end <= other.start < (number.start if number else 0) for other in parsed.times
        )
        if lead != "at" or number is None or crossed or len(between) > 8 or number.high is not None:
            continue
        if any(each.lower in _STOPS for each in between):
            continue
        for item in ground.items:
            other = _of_other_time(number, item, [at for at in item.times if any_match(mention, [at])])
            if other is not None:
                yield Finding(State.CONTRADICTED, f"{number.text} is the {other[0]} in {item.id}: {other[1]}.")
                return


_STOPS: Final = words("and but while from to since after before because , ;")


def _of_other_time(number: Quantity, item: Item, at: Sequence[object]) -> tuple[str, str] | None:
    """(role, time) of the value that the number is in a series, where another value is the one at that time."""
    series = item.series
    if series is None or not at:
        return None
    roles = [role for role, value in series.values.items() if agrees(number, value)]
    known = [role for role in roles if role in series.times]
    if not roles or len(known) < len(roles) or any(series.times[role] in at for role in known):
        return None
    taken = any(series.times.get(role) in at and series.values.get(role) for role in ("first", "last", "min", "max"))
    return (known[0], iso(series.times[known[0]])) if taken else None


def _threshold(ground: Ground) -> Iterator[Finding]:
    """For `is above (below) the threshold`: the last value of the series against the threshold that is cited."""
    lowers = [token.lower for token in ground.parsed.tokens]
    skip = covered_positions(ground) | ground.parsed.hypothesis
    for position, word in enumerate(lowers):
        side = 1 if word in {"above", "over"} else -1 if word in {"below", "under"} else 0
        if not side or position in skip or not _LIMITS & set(lowers[position + 1 : position + 5]):
            continue
        if not {"is", "was", "are", "were", "still", "stands", "again", "back"} & set(
            lowers[max(0, position - 4) : position]
        ):
            continue
        found = _against_limit(ground, side)
        if found is not None:
            yield found
            return


def _against_limit(ground: Ground, side: int) -> Finding | None:
    limits = [
        seen
        for item in ground.items
        if item.series is None
        for seen in item.quantities
        if _LIMITS & {*seen.before[:3], *seen.after[:1]} and seen.end
    ]
    for item in ground.items:
        last = item.series.values.get("last") if item.series is not None else None
        same = [each for each in limits if last is not None and each.dimension is last.dimension]
        if last is None or len({each.value for each in same}) != 1:
            continue
        holds = (last.value - same[0].value) * side > 0
        said = f"{last.text} was the last value in {item.id}, with {same[0].text} as the limit"
        return Finding(State.FOUND if holds else State.CONTRADICTED, f"{said}.")
    return None


def _not_down(ground: Ground) -> Iterator[Finding]:
    """Against `X is down`: pods of X that an item counts as ready, or only lines that X itself wrote."""
    tokens, parsed = ground.parsed.tokens, ground.parsed
    skip = covered_positions(ground) | parsed.hypothesis
    for name in parsed.names:
        said = next((at for at in range(name.at + 1, min(name.at + 5, len(tokens))) if tokens[at].lower in _DOWN), None)
        be = {token.lower for token in tokens[name.at + 1 : said]} if said is not None else set()
        if said is None or said in skip or not be & {"is", "was", "are", "were"} or be & {"not", "never", "partly"}:
            continue
        if tokens[said + 1 : said + 2] and tokens[said + 1].lower in {"to", "by"}:
            continue
        whole = not any(each.whole or each.value for each in parsed.quantities if each.start < name.at)
        for item in ground.run.about([name.text]) if ground.run is not None else ():
            if whole and (ready := _all_ready(item)) is not None:
                yield Finding(
                    State.CONTRADICTED, f"The claim says {tokens[said].text}; {item.id} counts {ready} ready."
                )
                return
        if ground.items and all(_works(item, name.text) for item in ground.items):
            yield Finding(
                State.MISSING, f"{ground.ids} was written by {name.text} itself and says nothing of being down."
            )


def _all_ready(item: Item) -> str | None:
    """The count of ready pods where an item counts all as ready."""
    if item.evidence.tool != "query_cluster" or item.series is not None:
        return None
    pods = next((seen for seen in item.quantities if seen.after[:1] in (("pods",), ("pod",))), None)
    for seen in item.quantities:
        ready = "ready" in {token.lower for token in item.tokens[seen.end : seen.end + 3]}
        if ready and seen.whole is not None and 0 < seen.whole.value <= seen.value:
            return seen.text
        if ready and seen.whole is None and pods is not None and 0 < pods.value <= seen.value:
            return seen.text
    return None


def _works(item: Item, name: str) -> bool:
    """Whether an item is what a thing logged itself, at no worse than a warning."""
    if item.log is None or item.log.service != name or item.log.level not in {"INFO", "WARN", "WARNING", "DEBUG"}:
        return False
    return not _DOWN & {token.lower for token in item.tokens} and not {"crash", "kill", "down"} & item.direct


def _in_state(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `two of the pods are in STATE` where an item counts another number in that state."""
    parsed = ground.parsed
    for number in parsed.quantities:
        if number.dimension is not Dimension.NONE or number.high is not None or number.approximate:
            continue
        named = next((t for t in parsed.tokens[number.end : number.end + 8] if _is_state(t.text)), None)
        stop = parsed.tokens[number.end : number.end + 8]
        cut = next(
            (at for at, t in enumerate(stop) if t.kind in {Kind.NUMBER, Kind.PUNCT} or t.lower in signs.NEGATORS), 8
        )
        if (
            named is None
            or stop.index(named) > cut
            or not {"pods", "pod", "replicas", "containers"} & _near(number, ground)
        ):
            continue
        for item in ground.bound_items(number.start, number.end)[1]:
            counts = [seen for seen in item.quantities if seen.after[:1] == (named.lower,) and seen.whole is None]
            if counts and all(seen.value != number.value for seen in counts):
                yield Finding(
                    State.CONTRADICTED, f"The claim says {number.text} {named.text}; {item.id} counts {counts[0].text}."
                )
                return


def _near(number: Quantity, ground: Ground) -> set[str]:
    return {token.lower for token in ground.parsed.tokens[number.end : number.end + 4]}


def _is_state(text: str) -> bool:
    return text.lower() in _STATES or (text.isalpha() and text != text.lower())


def _held(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `N held the lock`, `N blocked M` where an item gives the lock to another one."""
    parsed = ground.parsed
    lowers = [token.lower for token in parsed.tokens]
    for item in ground.items:
        lock = item.lock
        for position, word in enumerate(lowers if lock is not None else ()):
            if (
                lock is None
                or word not in {"held", "holds", "holding", "hold"}
                or "lock" not in lowers[position : position + 5]
            ):
                continue
            lead = [t.text for t in parsed.tokens[max(0, position - 4) : position] if t.text in lock.waiting]
            if lead and lead[-1] not in lock.holders:
                yield Finding(
                    State.CONTRADICTED, f"In {item.id} the lock is held by {lock.holders[0]}, not {lead[-1]}."
                )
                return
