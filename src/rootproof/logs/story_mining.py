"""The patterns of the records of one answer, in bounded time: mining costs by the number of different things told.

Where there are many, what differs from others in rare words only (a name, a key) is mined by some of its kind; the rest
takes their pattern where they all have the same one. What is left without a pattern is counted as such.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence

from rootproof.logs.patterns import mine
from rootproof.logs.record import LogRecord, severity
from rootproof.logs.story_traces import outline
from rootproof.logs.story_words import Told
from rootproof.logs.templates import OTHER, Mined

MAX_MINED = 4_000
"""Different things that are mined at most."""
_OF_A_KIND = 24
_ENOUGH_OF_A_KIND = 8
_SURPRISING = 1_000
_WARN = severity("WARN")


def mined_of(records: Sequence[LogRecord], told: Sequence[Told]) -> Mined:
    """The patterns of `records`; `told` is everything they tell, the most surprising first.

    A long message has the pattern of its outline. The same records have the same patterns in any order.
    """
    if len(told) <= MAX_MINED:
        return mine([outline(record.message) for record in records])
    picked = _picked(records, told)
    indexes = [index for one in picked for index in one.records]
    mined = mine([outline(records[index].message) for index in indexes])
    assignment = array("i", [OTHER]) * len(records)
    for index, number in zip(indexes, mined.assignment, strict=True):
        assignment[index] = number
    kinds = _patterns_of_kinds(picked, assignment)
    for one in told:
        number = kinds.get(one.kin, OTHER)
        for index in one.records:
            if assignment[index] == OTHER:
                assignment[index] = number
    return Mined(mined.templates, assignment)


def _picked(records: Sequence[LogRecord], told: Sequence[Told]) -> list[Told]:
    """What is mined: surprising, serious and common things before the others, and not too many of one kind."""

    def order(place: int) -> tuple[bool, bool, int, str]:
        one = told[place]
        first = records[one.records[0]]
        return (place >= _SURPRISING, severity(first.level) < _WARN, -len(one.records), first.message)

    kinds: Counter[int] = Counter()
    picked = []
    for place in sorted(range(len(told)), key=order):
        one = told[place]
        if kinds[one.kin] < _OF_A_KIND:
            kinds[one.kin] += 1
            picked.append(one)
            if len(picked) == MAX_MINED:
                break
    return picked


def _patterns_of_kinds(picked: Sequence[Told], assignment: Sequence[int]) -> dict[int, int]:
    """The pattern of each kind whose mined members, enough of them, have one and the same."""
    seen: defaultdict[int, list[int]] = defaultdict(list)
    for one in picked:
        seen[one.kin] += [assignment[index] for index in one.records[:1]]
    return {
        kin: numbers[0] for kin, numbers in seen.items() if len(numbers) >= _ENOUGH_OF_A_KIND and len(set(numbers)) == 1
    }
