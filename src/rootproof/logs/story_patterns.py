"""Patterns by level and service: how often, since when, what changed over the time, and which of them to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest

from rootproof.logs.record import Level, LogRecord, severity
from rootproof.logs.story_words import Told
from rootproof.logs.templates import OTHER, Mined

_WARN = severity("WARN")
_LAST_PART = 2 / 3
"""What begins behind this share of the time is new; what ends before it may have stopped."""
_MANY = 10
_MISSED = 5.0
"""A pattern has stopped when so many more records were to be expected from how often it came before."""
_BURST_PARTS = 20
_COMMON = 2
_LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Group:
    """Records of one level, service and pattern."""

    level: Level | None
    service: str | None
    template: str | None
    """None for the records that have no pattern, since there are too many shapes."""
    records: tuple[int, ...]
    """Their indexes, in the order given."""
    first: datetime | None
    last: datetime | None
    mark: str = ""
    """`new`, `burst`, `stopped`, or two of them; empty where the time tells nothing."""

    @property
    def count(self) -> int:
        """How many records it has."""
        return len(self.records)

    @property
    def serious(self) -> bool:
        """WARN or above."""
        return severity(self.level) >= _WARN


def grouped(records: Sequence[LogRecord], mined: Mined, indexes: Iterable[int]) -> list[Group]:
    """The groups of the records at `indexes`: most severe first, then by first time, without a time last."""
    members: dict[tuple[Level | None, str | None, int], list[int]] = {}
    for index in indexes:
        record = records[index]
        members.setdefault((record.level, record.service, mined.assignment[index]), []).append(index)
    times = [record.timestamp for record in records if record.timestamp is not None]
    span = (min(times), max(times)) if times else None
    found = []
    for (level, service, number), own in members.items():
        template = None if number == OTHER else mined.templates[number]
        seen = [time for time in (records[index].timestamp for index in own) if time is not None]
        group = Group(level, service, template, tuple(own), min(seen, default=None), max(seen, default=None))
        found.append(replace(group, mark=_mark(group, seen, span)))
    return sorted(found, key=lambda group: (-_rank(group.level), group.first or _LATEST))


def _rank(level: Level | None) -> int:
    """A record without a level stands with the INFO ones."""
    return severity(level or "INFO")


def _mark(group: Group, times: Sequence[datetime], span: tuple[datetime, datetime] | None) -> str:
    if span is None or group.first is None or group.last is None or group.count < 2 or span[0] == span[1]:
        return ""
    begin, end = span
    late = begin + (end - begin) * _LAST_PART
    marks = ["new"] if group.first >= late else []
    if group.count >= _MANY:
        if group.last < late and _expected_after(group, end) >= _MISSED:
            marks.append("stopped")
        elif _is_burst(times, begin, end):
            marks.append("burst")
    return " ".join(marks)


def _expected_after(group: Group, end: datetime) -> float:
    """How many records were still to come, had it gone on as it was."""
    if group.first is None or group.last is None:
        return 0.0
    lasted = max(group.last - group.first, timedelta(microseconds=1))
    return group.count * ((end - group.last) / lasted) if group.last > group.first else 0.0


def _is_burst(times: Sequence[datetime], begin: datetime, end: datetime) -> bool:
    """Whether half of the records lie in a small part of the time."""
    part = (end - begin) / _BURST_PARTS
    fullest = Counter((time - begin) // part for time in times).most_common(1)
    return bool(fullest) and fullest[0][1] * 2 >= len(times)


def choose(groups: Sequence[Group], limit: int, story: Sequence[Told]) -> list[tuple[Group, int]]:
    """The groups to show, in the order of `groups`, each with its place: the lowest places must not be lost.

    Loudness alone never decides. Serious ones take at most half of the room: in turns the first to appear, the most
    surprising and the loudest. The two commonest calm ones say what is normal; the rest is for surprising calm ones.
    """
    places: dict[int, int] = {}
    for group in _by_place(groups, limit, story):
        if len(places) >= limit:
            break
        places.setdefault(id(group), len(places))
    return [(group, places[id(group)]) for group in groups if id(group) in places]


def _by_place(groups: Sequence[Group], limit: int, story: Sequence[Told]) -> Iterator[Group]:
    telling = _telling(groups, story)
    serious = [group for group in groups if group.serious]
    calm = [group for group in groups if not group.serious]
    common = _each_pattern_once(sorted(calm, key=lambda group: -group.count))[:_COMMON]
    by_first = sorted(serious, key=lambda group: group.first or _LATEST)
    loud = sorted(serious, key=lambda group: -group.count)
    odd = [group for group in telling if group.serious]
    in_turns = [group for turn in zip_longest(by_first, odd, loud) for group in turn if group is not None]
    first = _each_pattern_once(list({id(group): group for group in in_turns}.values()))
    quota = max(limit // 2, limit - len(calm))
    yield from _mixed(first[:quota], [group for group in telling if not group.serious], common)
    yield from first[quota:]
    yield from sorted(calm, key=lambda group: group.count)


def _each_pattern_once(groups: Sequence[Group]) -> list[Group]:
    """The groups, those that say what one before them says behind the others."""
    seen: set[str | None] = set()
    again: list[Group] = []
    found: list[Group] = []
    for group in groups:
        (again if group.template in seen else found).append(group)
        seen.add(group.template)
    return found + again


def _mixed(serious: list[Group], odd: list[Group], common: list[Group]) -> Iterator[Group]:
    """Serious and odd ones in turns; the common ones come behind the first few of each."""
    for at, pair in enumerate(zip_longest(serious, odd)):
        if at == _MANY // 3:
            yield from common
        yield from (group for group in pair if group is not None)
    yield from common


def _telling(groups: Sequence[Group], story: Sequence[Told]) -> list[Group]:
    """The groups that a surprising thing stands for by itself, the most surprising first."""
    group_of = {index: group for group in groups for index in group.records}
    found: dict[int, Group] = {}
    for told in story:
        group = group_of.get(told.records[0])
        if group is not None and group.template is not None and len(told.records) * 2 >= group.count:
            found.setdefault(id(group), group)
    return list(found.values())
