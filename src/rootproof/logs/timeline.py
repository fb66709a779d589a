"""Which records tell the story: a small, deterministic sample in time order.

First where it gets serious, then the most surprising things, the onset, the last record and the first of each level;
then the first record of each pattern, rare and severe ones before the rest; then where errors come back after a pause,
and the last of each error pattern; what room is left is spread over the whole time. No rule looks for particular words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rootproof.logs.patterns import mine
from rootproof.logs.record import LogRecord, severity
from rootproof.logs.story_order import story
from rootproof.logs.story_words import Told, in_time_order, surprises
from rootproof.logs.templates import Mined

_ERROR = severity("ERROR")
_WARN = severity("WARN")
_START_SHARE = 0.02
"""Rare lines within the first two hundredths are usually the start-up's: they rank below rare lines that come later."""
_ALWAYS = 2
"""The first records stand in the sample even where they were told elsewhere: without them there is no onset."""
_TOLD_FIRST = 8
"""Surprising things that come before the rest."""
_RECURS_AFTER = 10
"""Errors that come back after at least this many records without one are a new episode."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A choice of records."""

    indexes: tuple[int, ...]
    """Positions in the input, in time order; records without a time stand last, in file order."""
    places: tuple[int, ...]
    """How important each of them is, 0 the most: where not all can be shown, the highest go first."""
    left_out: int
    """How many records are not in the sample."""
    patterns_left_out: int
    """How many patterns have no record in the sample."""


def sample(
    records: Sequence[LogRecord],
    limit: int,
    *,
    mined: Mined | None = None,
    told: Sequence[Told] | None = None,
    shown: frozenset[int] = frozenset(),
) -> Sample:
    """At most `limit` of `records`, the same whatever the order of records of one time.

    `mined` and `told` (a `story`) may be given where the caller has them; what stands in `shown` has been told
    elsewhere and comes last.
    """
    if mined is None:
        mined = mine([record.message for record in records])
    if told is None:
        told = story(surprises(records), records, mined)
    order = in_time_order(records)
    places: dict[int, int] = {}
    later: list[int] = []
    for index in _by_importance(records, order, mined, told):
        if len(places) >= limit:
            break
        if index in shown and len(places) >= _ALWAYS:
            later.append(index)
        else:
            places.setdefault(index, len(places))
    for index in later:
        if len(places) < limit:
            places.setdefault(index, len(places))
    patterns = {mined.assignment[index] for index in places}
    kept = tuple(index for index in order if index in places)
    return Sample(
        kept,
        tuple(places[index] for index in kept),
        len(records) - len(kept),
        len(set(mined.assignment)) - len(patterns),
    )


def _by_importance(records: Sequence[LogRecord], order: list[int], mined: Mined, told: Sequence[Told]) -> Iterator[int]:
    """All records worth showing, the most important first; the same record may come twice."""
    if not order:
        return
    firsts = list(_first_of_patterns(records, order, mined))
    levels = list(_first_of_levels(records, order))
    odd = [one.records[0] for one in told]
    worst = [index for index in levels if severity(records[index].level) >= _WARN]
    yield from worst[:2]
    yield from odd[:_TOLD_FIRST]
    yield order[0]
    yield order[-1]
    yield from _alternate(odd[_TOLD_FIRST : 3 * _TOLD_FIRST], levels)
    yield from firsts
    yield from _episodes(records, order)
    yield from _last_of_errors(records, order, mined)
    yield from _spread(order)


def _alternate(firsts: list[int], others: list[int]) -> Iterator[int]:
    """Three of `firsts`, one of `others`, and so on, so that neither starves."""
    rest = iter(others)
    for place, index in enumerate(firsts, start=1):
        yield index
        if place % 3 == 0:
            yield from (extra for extra in [next(rest, None)] if extra is not None)
    yield from rest


def _first_of_patterns(records: Sequence[LogRecord], order: list[int], mined: Mined) -> Iterator[int]:
    """The first record of each pattern, by how telling it is."""
    counts = mined.counts()
    place: dict[int, int] = {}
    for position, index in enumerate(order):
        place.setdefault(mined.assignment[index], position)
    total = len(order)

    def telling(pattern: int) -> tuple[float, int]:
        position = place[pattern]
        level = severity(records[order[position]].level)
        rarity = math.log10(total / counts[pattern])
        score = rarity + (2.0 if level >= _ERROR else 1.0 if level >= _WARN else 0.0)
        if position < total * _START_SHARE and level < _WARN:
            score -= 1.0
        return (-score, position)

    for pattern in sorted(place, key=telling):
        yield order[place[pattern]]


def _first_of_levels(records: Sequence[LogRecord], order: list[int]) -> Iterator[int]:
    """The first record of each level and service, most severe first."""
    seen: dict[tuple[int, str | None], int] = {}
    for position, index in enumerate(order):
        seen.setdefault((severity(records[index].level), records[index].service), position)
    for (_level, _service), position in sorted(seen.items(), key=lambda item: (-item[0][0], item[1])):
        yield order[position]


def _episodes(records: Sequence[LogRecord], order: list[int]) -> Iterator[int]:
    """Where errors begin again after a pause, and the first record after an episode."""
    quiet = _RECURS_AFTER
    for index in order:
        if severity(records[index].level) >= _ERROR:
            if quiet >= _RECURS_AFTER:
                yield index
            quiet = 0
        else:
            quiet += 1
            if quiet == 1:
                yield index


def _last_of_errors(records: Sequence[LogRecord], order: list[int], mined: Mined) -> Iterator[int]:
    last: dict[int, int] = {}
    for index in order:
        if severity(records[index].level) >= _ERROR:
            last[mined.assignment[index]] = index
    yield from last.values()


def _spread(order: list[int]) -> Iterator[int]:
    """All records, in an order that covers the whole time again and again, ever more finely."""
    total = len(order)
    step = total
    while step > 1:
        step = max(1, step // 2)
        for position in range(step // 2, total, step):
            yield order[position]
    yield from order
