"""Which records tell the story: a small, deterministic sample in time order.

First the onset, the last record and the first of each level; then the first record of each pattern, rare and severe
ones before the rest, so that one odd line among a hundred thousand is kept; then where errors come back after a pause,
and the last of each error pattern; what room is left is spread over the whole time. No rule looks for particular words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rootproof.logs.patterns import mine
from rootproof.logs.record import LogRecord, severity
from rootproof.logs.templates import Mined

_ERROR = severity("ERROR")
_WARN = severity("WARN")
_START_SHARE = 0.02
"""Rare lines within the first two hundredths are usually the start-up's: they rank below rare lines that come later."""
_RECURS_AFTER = 10
"""Errors that come back after at least this many records without one are a new episode."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A choice of records."""

    indexes: tuple[int, ...]
    """Positions in the input, in time order; records without a time stand last, in file order."""
    left_out: int
    """How many records are not in the sample."""
    patterns_left_out: int
    """How many patterns have no record in the sample."""


def sample(records: Sequence[LogRecord], limit: int, *, mined: Mined | None = None) -> Sample:
    """At most `limit` of `records`; `mined` are their patterns where the caller has them already."""
    if mined is None:
        mined = mine([record.message for record in records])
    order = sorted(range(len(records)), key=lambda index: _when(records[index], index))
    if len(records) <= limit:
        return Sample(tuple(order), 0, 0)
    chosen: set[int] = set()
    for index in _by_importance(records, order, mined):
        if len(chosen) >= limit:
            break
        chosen.add(index)
    shown = {mined.assignment[index] for index in chosen}
    kept = tuple(index for index in order if index in chosen)
    return Sample(kept, len(records) - len(kept), len(mined.templates) - len(shown))


def _when(record: LogRecord, index: int) -> tuple[bool, float, int]:
    moment: datetime | None = record.timestamp
    return (moment is None, moment.timestamp() if moment is not None else 0.0, index)


def _by_importance(records: Sequence[LogRecord], order: list[int], mined: Mined) -> Iterator[int]:
    """All records worth showing, the most important first; the same record may come twice."""
    if not order:
        return
    firsts = list(_first_of_patterns(records, order, mined))
    levels = list(_first_of_levels(records, order))
    worst = [index for index in levels if severity(records[index].level) >= _WARN]
    yield from worst[:2]
    yield order[0]
    yield order[-1]
    yield from _alternate(firsts, levels)
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
