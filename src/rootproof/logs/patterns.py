"""Patterns of log messages: the templates of all of them, whatever their number."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

from rootproof.logs.patterns_fast import coarse_groups
from rootproof.logs.templates import OTHER, Mined, templates_of

_FAST_PATH_FROM = 20_000


def mine(messages: Sequence[str]) -> Mined:
    """The templates of `messages`.

    Source: masking first, then merging of the few shapes that are left (see `masking` and `merging`).
    """
    if len(messages) >= _FAST_PATH_FROM:
        return _mine_distinct(messages)
    return _mine_in_python(messages)


def _mine_distinct(messages: Sequence[str]) -> Mined:
    """Mine the distinct coarse forms found by polars instead of every message."""
    groups, members = coarse_groups(messages)
    mined = templates_of([(group.example, group.count) for group in groups])
    return _in_order_of_appearance(mined, array("i", [mined.assignment[member] for member in members]))


def _mine_in_python(messages: Sequence[str]) -> Mined:
    distinct = Counter(messages)
    order = {message: index for index, message in enumerate(distinct)}
    mined = templates_of(list(distinct.items()))
    return _in_order_of_appearance(mined, array("i", [mined.assignment[order[message]] for message in messages]))


def _in_order_of_appearance(mined: Mined, assignment: Sequence[int]) -> Mined:
    """Number the templates by their first message, so that equal inputs give equal numbers."""
    renumbered: dict[int, int] = {}
    result = array("i")
    for index in assignment:
        if index == OTHER:
            result.append(OTHER)
            continue
        result.append(renumbered.setdefault(index, len(renumbered)))
    return Mined(tuple(mined.templates[old] for old in renumbered), result)
