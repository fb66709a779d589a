"""Numbers: each must be in a cited item, with its unit and precision, under its own label, and belong to what
it is said of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees, readings, rounded
from rootproof.agent.grounding.check_shares import shown_shares
from rootproof.agent.grounding.derived import derivations
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, joined, same_word
from rootproof.agent.grounding.labels import (
    COUNT_NOUNS,
    GOOD,
    claim_labels,
    has_label,
    label_of,
    mislabelled,
    noun_fits,
    numbers_of,
    opposite_state,
    role_of,
)
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import stem

_NOW: Final = words("now remain remains remained remaining left currently still only")
_LESS: Final = words("less fewer lower smaller shorter younger earlier")
_COMPARING: Final = words("""
    just well far only slightly barely over under above below the its a an more less than greater lower
    higher limit of
""")
_LIMIT_KEYS: Final = words("limit threshold max maximum quota timeout capacity deadline cap")


def check_numbers(ground: Ground) -> Iterator[Finding]:
    """One finding for each number of the claim."""
    previous: Quantity | None = None
    spoken = shown_shares(ground)
    for quantity in ground.parsed.quantities:
        if quantity.start in spoken:
            continue
        yield _own_comparison(previous, quantity, ground) or _check(quantity, ground)
        previous = quantity


def _own_comparison(left: Quantity | None, right: Quantity, ground: Ground) -> Finding | None:
    """CONTRADICTED where the claim's own two numbers do not compare as it says: `66 MB, just over the 64 MB limit`."""
    if (
        left is None
        or right.bound not in {Bound.ABOVE, Bound.BELOW}
        or left.dimension is not right.dimension
        or left.bound is not Bound.EXACT
    ):
        return None
    between = ground.parsed.tokens[left.end : right.start]
    if len(between) > 6 or any(token.kind is Kind.WORD and token.lower not in _COMPARING for token in between):
        return None
    holds = left.value > right.value if right.bound is Bound.ABOVE else left.value < right.value
    return (
        None
        if holds
        else Finding(State.CONTRADICTED, f"{left.text} is not {right.bound.value} {right.text} ({ground.ids}).")
    )


def _check(quantity: Quantity, ground: Ground) -> Finding:
    shown = quantity.text
    if not all(math.isfinite(value) for value in quantity.values):
        return Finding(State.MISSING, f"{shown[:40]} is not a number that could be checked.")
    if (partial := _not_all(quantity, ground)) is not None:
        return partial
    holding = [(item, seen) for item in ground.items for seen in matching(quantity, item)]
    if not holding:
        return _derived(quantity, ground) or _absent(quantity, ground)
    labelled = [pair for pair in holding if not mislabelled(quantity, pair[1], pair[0], ground)]
    if not labelled:
        item, seen = holding[0]
        return Finding(
            State.CONTRADICTED, f"{shown} is in {item.id} as {label_of(seen, item)}, not as what the claim calls it."
        )
    nouned = [pair for pair in labelled if noun_fits(quantity, pair[0], pair[1])]
    if not nouned:
        return Finding(State.MISSING, f"{labelled[0][0].id} has {shown}, but not of {' '.join(quantity.after[:2])}.")
    return _bind(quantity, [item for item, _ in nouned], ground)


def _not_all(quantity: Quantity, ground: Ground) -> Finding | None:
    """CONTRADICTED for `all three` where the items know only of two of three."""
    lead = [token.lower for token in ground.parsed.tokens[max(0, quantity.start - 2) : quantity.start]]
    if quantity.dimension is not Dimension.NONE or not {"all", "both"} & set(lead) or "not" in lead:
        return None
    _, wanted = ground.bound_items(quantity.start, quantity.end)
    following = {token.lower for token in ground.parsed.tokens[quantity.end : quantity.end + 6]}
    fewer = next(
        ((item, seen) for item in wanted for seen in item.quantities if _fewer(seen, quantity) and following & GOOD),
        None,
    )
    if fewer is not None and "not" not in following:
        return Finding(State.CONTRADICTED, f"The claim says all {quantity.text}; {fewer[0].id} says {fewer[1].text}.")
    shares = [
        (item, seen)
        for item in wanted
        for seen in item.quantities
        if seen.whole is not None and seen.whole.value == quantity.value
    ]
    if shares and all(
        seen.whole is not None and (0 < seen.value < seen.whole.value or (seen.value == 0 and following & GOOD))
        for _, seen in shares
    ):
        item, seen = shares[0]
        return Finding(State.CONTRADICTED, f"The claim says all {quantity.text}; {item.id} says {seen.text}.")
    return None


def _fewer(seen: Quantity, quantity: Quantity) -> bool:
    """Whether the evidence counts fewer in a good state (`1 Running and Ready` of `3 pods`)."""
    return (
        seen.dimension is Dimension.NONE
        and seen.whole is None
        and seen.value < quantity.value
        and bool(set(seen.after[:1]) & GOOD)
    )


def _bind(quantity: Quantity, items: Sequence[Item], ground: Ground) -> Finding:
    name, wanted = ground.bound_items(quantity.start, quantity.end)
    belonging = [item for item in items if item in wanted]
    if not belonging and name is not None:
        clause_names = [
            each.text
            for each in ground.parsed.names
            if ground.parsed.clauses[each.at] == ground.parsed.clauses[quantity.start]
        ]
        belonging = [
            item
            for item in items
            if len(clause_names) > 1 and all(item in ground.holders(each) for each in clause_names)
        ]
        belonging = belonging or [
            item for item in items if item in ground.holders(name) and not _has_rival(quantity, wanted)
        ]
    if not belonging and not _comparable(quantity, items, wanted):
        belonging = list(items)
    if not belonging and ground.closer(items, wanted, quantity.start, quantity.end):
        belonging = list(items)
    if belonging:
        return Finding(State.FOUND, f"{quantity.text} is in {belonging[0].id}.")
    ids = joined([item.id for item in wanted])
    return Finding(State.CONTRADICTED, f"{quantity.text} is in {items[0].id}, not in {ids}, which is about {name}.")


def _has_rival(quantity: Quantity, wanted: Sequence[Item]) -> bool:
    return any(seen.dimension is quantity.dimension for item in wanted for seen in item.quantities)


def _comparable(quantity: Quantity, held: Sequence[Item], wanted: Sequence[Item]) -> bool:
    """Whether the items the number should belong to have one of the same sort, so that it was mixed up."""
    nouns = {stem(word) for word in (*quantity.after[:1], *quantity.before[:1])}
    for item in wanted:
        if item.series is not None and any(other.series is not None for other in held):
            return True
        if item.log is not None and any(other.log is not None for other in held):
            return True
        if any(nouns & {stem(word) for word in (*seen.after[:1], *seen.before[:1])} for seen in item.quantities):
            return True
    return False


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
        wholes = [seen for seen in numbers_of(item) if agrees(quantity.whole, seen)]
        found = [seen for seen in found if not opposite_state(quantity, seen)]
        return [seen for seen in found if any(whole is not seen or whole.value == seen.value for whole in wholes)]
    return found


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
            if "never" in quantity.before or "not" in quantity.before
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


def _derived(quantity: Quantity, ground: Ground) -> Finding | None:
    name, wanted = ground.bound_items(quantity.start, quantity.end)
    del name
    if quantity.dimension is Dimension.NONE and quantity.after[:1] == ("times",):
        quantity = replace(quantity, dimension=Dimension.RATIO)
    for source, seen in derivations(quantity, ground, wanted):
        if agrees(quantity, seen):
            return Finding(State.FOUND, f"{quantity.text} follows from {source}.")
    return None


def _absent(quantity: Quantity, ground: Ground) -> Finding:
    """CONTRADICTED where an item gives another number for the same thing, else MISSING."""
    _, wanted = ground.bound_items(quantity.start, quantity.end)
    for item in wanted:
        rival = _rival(quantity, item, ground)
        if rival is not None:
            return Finding(
                State.CONTRADICTED,
                f"The claim says {quantity.text}; {item.id} gives {label_of(rival, item)} {rival.text}.",
            )
    return Finding(State.MISSING, f"{quantity.text} is not in {ground.ids}.")


def _rival(quantity: Quantity, item: Item, ground: Ground) -> Quantity | None:
    if item.series is not None:
        roles = role_of(quantity, ground)
        rivals = [
            item.series.values[role] for role in ("max", "min", "mean") if role in roles and role in item.series.values
        ]
        rivals = [each for each in rivals if each.dimension is quantity.dimension]
        return rivals[0] if len(roles) == 1 and rivals else None
    if (
        item.log is not None
        and item.log.count > 1
        and any(stem(word) in COUNT_NOUNS or same_word(word, "error") for word in quantity.after[:2])
    ):
        return item.quantities[0]
    for label in claim_labels(quantity):
        for seen in numbers_of(item):
            if has_label(seen, label) and seen.dimension is quantity.dimension:
                return seen
    return None
