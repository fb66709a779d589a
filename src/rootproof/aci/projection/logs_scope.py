"""What a log query searched, and what of it is shown: everything, one pattern, or one window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from rootproof.aci.requests import LogTopic
from rootproof.domain.window import TimeWindow, iso
from rootproof.logs.record import LogRecord
from rootproof.logs.story_words import Told
from rootproof.logs.templates import OTHER, Mined, pattern_id

_RATE_PARTS = 12


@dataclass(frozen=True, slots=True)
class LogQueryScope:
    """What was searched: the logical request on the adapter's clock, and the kind of source that answered."""

    topic: LogTopic
    window: TimeWindow
    source_kind: str
    services: tuple[str, ...] = ()
    level: str | None = None
    contains: str | None = None
    pattern_id: str | None = None
    after: datetime | None = None
    before: datetime | None = None

    @property
    def narrowed(self) -> bool:
        """Whether only a pattern or a part of the window is to be shown."""
        return self.pattern_id is not None or self.windowed

    @property
    def windowed(self) -> bool:
        """Whether only a part of the window is to be shown."""
        return self.after is not None or self.before is not None

    def as_fields(self) -> dict[str, Any]:
        """For the result's head."""
        fields = {
            "topic": self.topic.value,
            "services": list(self.services),
            "level": self.level,
            "contains": self.contains,
            "start_time": iso(self.window.start),
            "end_time": iso(self.window.end),
            "source_kind": self.source_kind,
        }
        handles = {
            "pattern_id": self.pattern_id,
            "after": iso(self.after) if self.after else None,
            "before": iso(self.before) if self.before else None,
        }
        return fields | {name: value for name, value in handles.items() if value is not None}

    def covers(self, time: datetime | None) -> bool:
        """Whether a record of this time is to be shown; one without a time lies in no part of the window."""
        if time is None:
            return not self.windowed
        return (self.after is None or time >= self.after) and (self.before is None or time < self.before)


@dataclass(frozen=True, slots=True)
class Shown:
    """The records that a scope shows, with what is known of them from all that were searched."""

    indexes: tuple[int, ...]
    note: str = ""
    """Why nothing is shown, for the model."""


def selected(scope: LogQueryScope, records: Sequence[LogRecord], mined: Mined) -> Shown:
    """Which of `records` the scope shows."""
    if not scope.narrowed:
        return Shown(tuple(range(len(records))))
    inside = [index for index, record in enumerate(records) if scope.covers(record.timestamp)]
    if scope.pattern_id is None:
        return Shown(tuple(inside), "" if inside or not records else "no record lies between after and before")
    wanted = {n for n, template in enumerate(mined.templates) if pattern_id(template) == scope.pattern_id}
    if not wanted:
        return Shown(
            (),
            f"{scope.pattern_id} is not among the {len(mined.templates)} patterns of this search; use the topic, "
            "services, level, contains and lookback_minutes of the call that showed it",
        )
    found = tuple(index for index in inside if mined.assignment[index] in wanted)
    return Shown(found, "" if found else "the pattern has no record between after and before")


def part_of(
    records: Sequence[LogRecord], mined: Mined, told: Sequence[Told], indexes: Sequence[int]
) -> tuple[list[LogRecord], Mined, list[Told]]:
    """The records at `indexes` by themselves, with their patterns and what was surprising of them among all."""
    place = {index: at for at, index in enumerate(indexes)}
    kept = [
        replace(one, records=tuple(place[index] for index in one.records if index in place))
        for one in told
        if any(index in place for index in one.records)
    ]
    assignment = [mined.assignment[index] for index in indexes]
    return [records[index] for index in indexes], Mined(mined.templates, assignment), kept


def rate(records: Sequence[LogRecord]) -> dict[str, Any] | None:
    """How many of `records` fall into each part of the shown time; None where none has a time or all have the same."""
    times = [record.timestamp for record in records if record.timestamp is not None]
    if not times or min(times) == max(times):
        return None
    begin = min(times)
    part = (max(times) - begin) / _RATE_PARTS
    counts = [0] * _RATE_PARTS
    for time in times:
        counts[min(_RATE_PARTS - 1, int((time - begin) / part))] += 1
    return {"from": iso(begin), "every_s": round(part.total_seconds(), 3), "counts": counts}


def seen_before(scope: LogQueryScope, records: Sequence[LogRecord], mined: Mined) -> frozenset[int] | None:
    """The patterns of the records before the shown window; None where it begins with the search or has none before."""
    if scope.after is None:
        return None
    found = {
        mined.assignment[index]
        for index, record in enumerate(records)
        if record.timestamp is not None and record.timestamp < scope.after
    }
    return frozenset(found - {OTHER}) if found else None
