"""The statistics that a metric item's text gives: first, last, least, most, mean, and the change it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from rootproof.agent.grounding.quantities import quantities
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import Kind, Token, parts
from rootproof.agent.grounding.times import instants
from rootproof.agent.grounding.units import Dimension, series_unit
from rootproof.agent.grounding.wordlists import words


@dataclass(frozen=True, slots=True)
class Series:
    """The statistics of a metric item, by role: first, last, min, max, mean, before, after."""

    values: dict[str, Quantity]
    times: dict[str, datetime]
    """When: first, last, min, max, change."""
    trend: str | None
    statistic: str | None = None
    """The role that every point has in its own minute: `mean` of a series of averages."""

    def value(self, role: str) -> float | None:
        """The number of a role, or None."""
        found = self.values.get(role)
        return None if found is None else found.value


_ROLES = {
    "first": "first",
    "last": "last",
    "min": "min",
    "max": "max",
    "mean": "mean",
    "minimum": "min",
    "maximum": "max",
    "avg": "mean",
    "average": "mean",
}


STATISTICS = re.compile(r"\b(?:first|last|min|max|mean|average|avg|minimum|maximum) [0-9.]")


_PARENTHESES = re.compile(r"\(([^()]{0,80})\)")


def read_series(text: str, tokens: Sequence[Token]) -> Series | None:
    """The statistics in a metric item's text, or None where it has fewer than two of them."""
    values: dict[str, Quantity] = {}
    at: dict[str, int] = {}
    numbers = {quantity.start: quantity for quantity in quantities(tokens, claim=False)}
    trend: str | None = None
    for position, token in enumerate(tokens):
        role = _ROLES.get(token.lower)
        if role is not None and role not in values and position + 1 in numbers:
            values[role] = numbers[position + 1]
            at[role] = position + 1
        elif token.lower in {"rising", "falling", "flat", "varying"} and values:
            trend = token.lower
        elif token.lower == "changed" and values:
            _read_change(tokens, position, numbers, values, at)
    if len(values) < 2:
        return None
    stamps = dict(instants(tokens))
    times: dict[str, datetime] = {}
    for role, position in at.items():
        for offset in (1, 2, 3):
            if position + offset in stamps:
                times[role] = stamps[position + offset]
                break
            if position + offset < len(tokens) and tokens[position + offset].text == ",":
                break
    unit_text = _PARENTHESES.search(text)
    pieces = [piece.strip().lower() for piece in unit_text.group(1).split(",")] if unit_text else []
    values = _in_unit(values, text, unit_text.group(1).split(",") if unit_text else ())
    return Series(values, times, trend, next((_ROLES[piece] for piece in pieces[1:] if piece in _ROLES), None))


def _in_unit(values: dict[str, Quantity], text: str, pieces: Sequence[str]) -> dict[str, Quantity]:
    """`values` in the unit that the parentheses, or the name, give the series."""
    known = next(filter(None, map(series_unit, pieces)), None)
    if known is None and _is_ratio(text, values):
        known = series_unit("ratio")
    if known is None:
        return values
    factor = known.factors[0]
    return {
        role: replace(each, values=(each.value * factor,), step=each.step * factor, dimension=known.dimension)
        if each.dimension is Dimension.NONE
        else each
        for role, each in values.items()
    }


_OUTCOMES: Final = words("success successful error errors failure failures hit miss availability")
_SHARES: Final = words("ratio fraction share availability")


def _is_ratio(text: str, values: Mapping[str, Quantity]) -> bool:
    """Whether a series without a unit is a share by its name (`success_rate`, `hit_ratio`) and stays within 0 and 1."""
    named = set(parts(text[:120].partition(" of ")[0].partition(":")[0]))
    is_share = bool(named & _SHARES) or ("rate" in named and bool(named & _OUTCOMES))
    plain = all(each.dimension is Dimension.NONE and 0 <= each.value <= 1 for each in values.values())
    return is_share and plain and not named & {"per", "second", "seconds", "minute"}


def _read_change(
    tokens: Sequence[Token],
    position: int,
    numbers: dict[int, Quantity],
    values: dict[str, Quantity],
    at: dict[str, int],
) -> None:
    """Take `changed at TIME from about A to about B` into `values` (before, after) and `at` (change)."""
    at.setdefault("change", position)
    role = "before"
    for index in range(position + 1, min(position + 14, len(tokens))):
        word = tokens[index].lower
        if word == "to":
            role = "after"
        elif index in numbers and role not in values and tokens[index].kind is not Kind.TIME:
            values[role] = numbers[index]
