"""Shares told from their other side: misses of a hit ratio, failures of a success rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words

_GOOD: Final = words("success successful succeed succeeds succeeded hit hits availability available")
_BAD: Final = words(
    "fail fails failed failing failure failures miss misses missed error errors unavailable unavailability"
)


def is_complement(lowers: Sequence[str], item: Item) -> bool:
    """Whether the words of a clause are of the other side than a series that is a share of 100 percent."""
    if item.series is None or any(each.dimension is not Dimension.PERCENT for each in item.series.values.values()):
        return False
    said = set(lowers)
    for mine, theirs in ((_GOOD, _BAD), (_BAD, _GOOD)):
        if item.head & theirs and not item.head & mine:
            return bool(said & mine) and not said & theirs
    return False


def rests(item: Item) -> list[Quantity]:
    """What the values of a share leave to 100 percent."""
    values = item.series.values.values() if item.series is not None else ()
    return [replace(each, text=f"100 % less {each.text}", values=(100.0 - each.value,)) for each in values]
