"""Numbers: each must be in a cited item, with its unit and precision, under its own label, and belong to what
it is said of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.check_shares import shown_shares
from rootproof.agent.grounding.complements import is_complement, rests
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
    role_of,
)
from rootproof.agent.grounding.matching import matching
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose, stem

_COMPARING: Final = words("""
    just well far only slightly barely over under above below the its a an more less than greater lower
    higher limit of
""")


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
    if quantity.dimension is Dimension.PERCENT and (turned := _other_side(quantity, ground)):
        holding = [(item, seen) for item, seen in holding if item not in turned]
        if (
            rest := next((each for each in turned if any(agrees(quantity, seen) for seen in rests(each))), None)
        ) is not None:
            return Finding(State.FOUND, f"{shown} is what {rest.id} leaves to 100 %.")
    if _is_difference(quantity, ground):
        holding = [(item, seen) for item, seen in holding if item.series is None]
    if not holding:
        return (
            _across(quantity, ground)
            or _listed(quantity, ground)
            or _derived(quantity, ground)
            or _absent(quantity, ground)
        )
    labelled = [pair for pair in holding if not mislabelled(quantity, pair[1], pair[0], ground)]
    if role_of(quantity, ground) and any(item.series is not None for item, _ in holding):
        labelled = [pair for pair in labelled if pair[0].series is not None]  # the lowest is none of the limit.
    if not labelled:
        item, seen = holding[0]
        return Finding(
            State.CONTRADICTED, f"{shown} is in {item.id} as {label_of(seen, item)}, not as what the claim calls it."
        )
    stale = [pair for pair in labelled if _is_stale(quantity, pair[0], ground)]
    if len(stale) == len(labelled):
        return Finding(State.CONTRADICTED, f"{shown} is where {stale[0][0].id} began, not where it is.")
    nouned = [
        pair
        for pair in labelled
        if noun_fits(quantity, pair[0], pair[1]) and not _of_another(quantity, pair[0], ground)
    ]
    if not nouned:
        return Finding(State.MISSING, f"{labelled[0][0].id} has {shown}, but not of {' '.join(quantity.after[:2])}.")
    return _bind(quantity, [item for item, _ in nouned], ground)


def _across(quantity: Quantity, ground: Ground) -> Finding | None:
    """FOUND for `11 of the 17 restarts` where one item counts 11 restarts and another 17."""
    whole, nouns = quantity.whole, {stem(word) for word in quantity.after[:1]}
    if whole is None or not nouns:
        return None
    counting = [
        [
            item
            for item in ground.items
            for seen in numbers_of(item)
            if agrees(each, seen) and nouns & set(map(stem, seen.after[:1]))
        ]
        for each in (quantity, whole)
    ]
    pair = next(((part, total) for part in counting[0] for total in counting[1] if part is not total), None)
    return None if pair is None else Finding(State.FOUND, f"{quantity.text} is in {pair[0].id} and {pair[1].id}.")


def _listed(quantity: Quantity, ground: Ground) -> Finding | None:
    """FOUND for `two hosts, A and B` where one item names both."""
    tokens = ground.parsed.tokens
    names = [name for name in ground.parsed.names if quantity.end < name.at <= quantity.end + 2 * quantity.value + 2]
    gaps = [{t.lower for t in tokens[a.at + 1 : b.at]} for a, b in pairwise(names)]
    if quantity.dimension is not Dimension.NONE or len(names) != quantity.value or len(names) < 2:
        return None
    if any(gap - {",", "and"} for gap in gaps):
        return None
    holder = next((item for item in ground.items if all(item in ground.holders(name.text) for name in names)), None)
    return None if holder is None else Finding(State.FOUND, f"{holder.id} names {quantity.text}.")


def _other_side(quantity: Quantity, ground: Ground) -> list[Item]:
    """The cited shares of which the clause tells the other side: `3% of requests fail` beside a success rate."""
    clause = ground.parsed.clauses[quantity.start]
    said = [token.lower for token, at in zip(ground.parsed.tokens, ground.parsed.clauses, strict=True) if at == clause]
    return [item for item in ground.items if is_complement(said, item)]


_AMOUNT: Final = words("lost gained gains loses shed freed added grew rose climbed fell dropped shrank by")
_PLAIN: Final = signs.APPROXIMATE | words("a an the some over more than another nearly just only")


_STANDS: Final = words("is are stands stand sits sit hovers hover keeps runs holds remains stays stayed remained")
_THEN: Final = words(
    "was were had from than to until initial original baseline normal below above usual previous level"
)
_EARLY: Final = frozenset({"first", "before", "min", "max"})


def _is_stale(quantity: Quantity, item: Item, ground: Ground) -> bool:
    """Whether the claim says in the present tense what a series was only before it moved away for good."""
    series = item.series
    if series is None or series.trend not in {"rising", "falling"} or role_of(quantity, ground):
        return False
    lead = {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 7) : quantity.start]}
    if not lead & (_STANDS | {"still", "now", "currently"}) or lead & _THEN:
        return False
    roles = {role for role, value in series.values.items() if agrees(quantity, value)}
    kept = _EARLY - {"max"} if series.trend == "rising" else _EARLY - {"min"}
    return bool(roles) and roles <= kept


def _is_difference(quantity: Quantity, ground: Ground) -> bool:
    """Whether a verb of change has the number right behind it, or `by` leads to it: `lost 2 GiB` is no level."""
    lead = quantity.start - 1
    while lead >= 0 and ground.parsed.tokens[lead].lower in _PLAIN:
        lead -= 1
    return (
        lead >= 0
        and ground.parsed.tokens[lead].lower in _AMOUNT
        and (
            ground.parsed.tokens[lead].lower != "by"
            or any(0 < lead - each.at <= 3 for each in ground.parsed.directions)
        )
    )


def _of_another(quantity: Quantity, item: Item, ground: Ground) -> bool:
    """Whether a log count is said of what only another cited log speaks of: `73 reservations`."""
    lead = [token.lower for token in ground.parsed.tokens[max(0, quantity.start - 2) : quantity.start]]
    if item.log is not None and lead == ["up", "to"] and quantity.after[:1] == ("times",):
        return quantity.value == item.log.count
    if item.log is None or not quantity.after or quantity.dimension is not Dimension.NONE:
        return False
    noun = quantity.after[0]
    if is_prose(noun) or item.shares(noun) or stem(noun) in COUNT_NOUNS:
        return False
    return any(other.log is not None and other.log.count > 1 and stem(noun) in other.words[0] for other in ground.items)


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
    rest = [item for item in ground.items if item not in items]
    if belonging and name is None and rest and ground.closer(rest, belonging, quantity.start, quantity.end):
        rival = next((item for item in rest if _same_sort(quantity, item)), None)
        if rival is not None:
            return Finding(
                State.CONTRADICTED, f"{quantity.text} is in {belonging[0].id}; the words are those of {rival.id}."
            )
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


def _same_sort(quantity: Quantity, item: Item) -> bool:
    """Whether an item has a bare number of the same size, written or named in the same way: a port, an id."""
    return any(
        seen.dimension is quantity.dimension is Dimension.NONE and len(seen.text) == len(quantity.text) > 2
        for seen in item.quantities
    )


def _has_rival(quantity: Quantity, wanted: Sequence[Item]) -> bool:
    return any(seen.dimension is quantity.dimension for item in wanted for seen in item.quantities)


def _comparable(quantity: Quantity, held: Sequence[Item], wanted: Sequence[Item]) -> bool:
    """Whether the items the number should belong to have one of the same sort, so that it was mixed up."""
    nouns = {stem(word) for word in (*quantity.after[:1], *quantity.before[:1])}
    for item in wanted:
        if item.series is not None and any(other.series is not None for other in held):
            if any(value.dimension is quantity.dimension for value in item.series.values.values()):
                return True
            continue
        if item.log is not None and any(other.log is not None for other in held):
            return True
        if any(nouns & {stem(word) for word in (*seen.after[:1], *seen.before[:1])} for seen in item.quantities):
            return True
    return False


def _derived(quantity: Quantity, ground: Ground) -> Finding | None:
    _, wanted = ground.bound_items(quantity.start, quantity.end)
    if quantity.whole is not None and quantity.dimension is Dimension.NONE:
        return None
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
