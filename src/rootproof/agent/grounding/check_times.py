"""Times: each must be one of the cited items' instants, at the right end, and of the thing it is said of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.times import Edge, TimeMention, any_match
from rootproof.agent.grounding.wordlists import words
from rootproof.domain.window import iso


def check_times(ground: Ground) -> Iterator[Finding]:
    """One finding for each time of the claim."""
    for mention in ground.parsed.times:
        finding = _check(mention, ground)
        if finding.state is State.FOUND and _is_denied(mention, ground):
            finding = Finding(State.CONTRADICTED, f"The claim denies {mention.text}, which is a time of {ground.ids}.")
        yield finding


_OPEN: Final = signs.BEFORE | signs.AFTER | words("since until till by earlier later than past")


def _is_denied(mention: TimeMention, ground: Ground) -> bool:
    """Whether `not` or `never` covers the time: `is not from 20:07`, but not `has not moved since 20:07`."""
    tokens = ground.parsed.tokens
    if mention.start and tokens[mention.start - 1].lower not in {"at", "from", "on", "around", "about"}:
        return False
    for position in range(mention.start - 1, max(-1, mention.start - 8), -1):
        word = tokens[position].lower
        if word in {"not", "never"}:
            return ground.parsed.clauses[position] == ground.parsed.clauses[mention.start]
        if word in _OPEN or word in {",", "and", "but", "because", "which", "that", "when", "(", '"'}:
            return False
    return False


def _check(mention: TimeMention, ground: Ground) -> Finding:
    if mention.day is None and mention.clock_s is None:
        return Finding(State.MISSING, f"{mention.text} is not a time that could be checked.")
    holding = [item for item in ground.items if any_match(mention, item.times) or _is_date_of(mention, item)]
    name, wanted = ground.bound_items(mention.start, mention.end)
    if not holding:
        item = next((each for each in wanted if each.times), None)
        if item is not None and len(wanted) == 1 and (known := _expected(mention, item, ground)):
            return Finding(State.CONTRADICTED, f"The claim says {mention.text}; {item.id} gives {iso(known[0])}.")
        return Finding(State.MISSING, f"{mention.text} is not among the times of {ground.ids}.")
    belonging = [item for item in holding if item in wanted]
    if not belonging and (
        (name is not None and _joined_by_order(mention, ground))
        or ground.closer(holding, wanted, mention.start, mention.end)
    ):
        belonging = holding
    if (
        not belonging
        and name is not None
        and all(item in ground.holders(name) or _writes(item, name) for item in holding)
    ):
        belonging = holding
    if not belonging:
        return Finding(State.CONTRADICTED, f"{mention.text} is a time of {holding[0].id}, not of {name}.")
    for item in belonging:
        expected = _expected(mention, item, ground)
        if not expected or any_match(mention, expected):
            return Finding(State.FOUND, f"{mention.text} is a time of {item.id}.")
    item = belonging[0]
    return Finding(
        State.CONTRADICTED,
        f"{mention.text} is in {item.id}, but not as the time of that: {iso(_expected(mention, item, ground)[0])}.",
    )


def _is_date_of(mention: TimeMention, item: Item) -> bool:
    """Whether a date of the claim is one that the item writes without a time."""
    day = mention.day
    return (
        day is not None
        and mention.clock_s is None
        and any(each == day or (day.year == 4 and each.replace(year=4) == day) for each in item.dates)
    )


def _writes(item: Item, name: str) -> bool:
    """Whether an item has a name as part of a longer one: page_views in purge-page-views."""
    return len(name) > 4 and name.lower().replace("_", "-") in item.searched.replace("_", "-")


def _joined_by_order(mention: TimeMention, ground: Ground) -> bool:
    """Whether an order word stands before the time: it may then speak of the other event."""
    lead = ground.parsed.tokens[max(0, mention.start - 4) : mention.start]
    return any(token.lower in signs.BEFORE | signs.AFTER | signs.THEN for token in lead)


def _extreme_of(mention: TimeMention, item: Item, ground: Ground) -> Sequence[datetime]:
    """The time of the highest or lowest value where the words right before the time speak of it: `peaked at 08:10`."""
    lead: list[str] = []
    for token in reversed(ground.parsed.tokens[max(0, mention.start - 4) : mention.start]):
        if token.kind is not Kind.WORD:
            break
        lead.append(token.lower)
    role = "max" if set(lead) & _HIGHEST else "min" if set(lead) & _LOWEST else ""
    number = any(mention.start - 4 <= each.start < mention.start for each in ground.parsed.quantities)
    times = item.series.times if item.series is not None else {}
    return [times[role]] if role in times and not number else ()


_HIGHEST: Final = words("peak peaked peaks highest maximum")
_LOWEST: Final = words("lowest minimum bottomed trough")


def _expected(mention: TimeMention, item: Item, ground: Ground) -> Sequence[datetime]:
    """The times the claim may mean by its words: those of the number right before it, or of one end; () for any."""
    if item.series is not None:
        if extreme := _extreme_of(mention, item, ground):
            return extreme
        for quantity in ground.parsed.quantities:
            lead = ground.parsed.tokens[quantity.end : mention.start]
            if any(quantity.end <= other.start < mention.start for other in ground.parsed.quantities) or any(
                token.lower in {"zero", "nothing", "none"} for token in lead
            ):
                continue
            if (
                0 < len(lead) <= 4
                and any(token.lower in {"at", "by"} for token in lead)
                and not any(token.kind is Kind.NUMBER or token.text == "," for token in lead)
            ):
                roles = [role for role, value in item.series.values.items() if agrees(quantity, value)]
                times = [item.series.times[role] for role in roles if role in item.series.times]
                if {"before", "after"} & set(roles) and "change" in item.series.times:
                    times.append(item.series.times["change"])
                return times
    match mention.edge:
        case Edge.START:
            return item.starts
        case Edge.END:
            return item.ends
        case _:
            return ()
