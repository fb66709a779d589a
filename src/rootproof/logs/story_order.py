"""Which of the surprising things to tell first, so that one noisy moment or one loud message does not crowd out others.

Things that say the same pattern again, and things that come close together in time (a start-up, a flood), count less
the more of them were told already. Two orders take turns: by all words together, and by the single oddest word, which
alone may tell a line of routine from one that is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, zip_longest

from rootproof.logs.record import LogRecord
from rootproof.logs.story_words import Told
from rootproof.logs.templates import Mined

_CONSIDERED = 600
_MOMENTS = 50
"""Parts of the time that the records span; what lies in one of them comes close together."""
_CROWDED = 0.12
"""How much less each thing counts for one that was told already of the same moment."""
_REPEATED = 0.5
"""The same for one of the same pattern."""


def story(told: Sequence[Told], records: Sequence[LogRecord], mined: Mined) -> list[Told]:
    """The most telling of `told`, the first to be told first.

    Shape: at most `2 * _CONSIDERED`; each once.
    """
    moments = _moments(records)
    by_all = _spread(sorted(told, key=lambda one: -one.bits)[:_CONSIDERED], mined, moments, "bits")
    by_peak = _spread(sorted(told, key=lambda one: -one.peak)[:_CONSIDERED], mined, moments, "peak")
    pairs = [by_all[at : at + 2] for at in range(0, len(by_all), 2)]
    turns = chain.from_iterable(zip_longest(pairs, ([one] for one in by_peak), fillvalue=[]))
    return list({one.records: one for group in turns for one in group}.values())


def _spread(told: Sequence[Told], mined: Mined, moments: Sequence[int], by: str) -> list[Told]:
    patterns: Counter[int] = Counter()
    crowd: Counter[int] = Counter()
    weighed: list[tuple[float, int, Told]] = []
    for place, one in enumerate(told):
        first = one.records[0]
        pattern, moment = mined.assignment[first], moments[first]
        bits = getattr(one, by)
        less = 1 + _REPEATED * (patterns[pattern] if pattern >= 0 else 0) + _CROWDED * crowd[moment]
        weighed.append((-bits / less if bits > 0 else -bits, place, one))
        patterns[pattern] += 1
        crowd[moment] += 1
    return [one for _, _, one in sorted(weighed, key=lambda entry: entry[:2])]


def _moments(records: Sequence[LogRecord]) -> list[int]:
    """For each record the part of the whole time it lies in; -1 where it has no time."""
    times = [record.timestamp.timestamp() if record.timestamp else None for record in records]
    known = [time for time in times if time is not None]
    begin = min(known, default=0.0)
    length = (max(known, default=0.0) - begin) / _MOMENTS or 1.0
    return [-1 if time is None else int((time - begin) / length) for time in times]
