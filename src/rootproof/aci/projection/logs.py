"""The query-log projection: patterns with exact counts, a sampled timeline, totals; never raw lines, never pod names.

Patterns are mined from the raw messages, which never leave this module; every text that does is redacted first.

`instance` and `metrics` of the raw records stay out of the view (seed); the instance is only used to recognise pod
and host names in the text, the metrics' allow-listed keys go into the verifier's facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Projection, clip, encode, finish, size_of
from rootproof.aci.projection.logs_items import LogItems, event_items, pattern_items
from rootproof.aci.projection.logs_reading import TOTALS, metric_facts, read_records, totals, unread
from rootproof.aci.projection.logs_scope import LogQueryScope, part_of, rate, seen_before, selected
from rootproof.aci.projection.raw import count_of, instant, objects, read_success
from rootproof.aci.projection.statements import statement_items
from rootproof.aci.requests import LogTopic, QueryLogsRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from rootproof.logs.record import LogRecord
from rootproof.logs.story_mining import mined_of
from rootproof.logs.story_order import story
from rootproof.logs.story_patterns import Group, choose, grouped
from rootproof.logs.story_words import Told, surprises
from rootproof.logs.templates import OTHER, Mined
from rootproof.logs.timeline import sample

__all__ = ["LogQueryScope", "QueryLogsProjector"]

TOOL = "query_logs"
_NOT_READ = 5
"""Files that were not read as a whole and are named."""
_NOT_READ_CHARS = 200
_TAIL_ROOM = 260
"""Bytes for what `finish` adds: totals of what was left out, and the sections' names."""


@dataclass(frozen=True, slots=True)
class QueryLogsProjector:
    """Turns raw log answers into projections for one run."""

    identifiers: IdentifierMap
    numbering: EvidenceNumbering
    limits: ToolProjectionLimits

    def project(
        self, request: QueryLogsRequest, tool_call_id: str, scope: LogQueryScope, raw: str
    ) -> ProjectedToolResult:
        """The bounded view of `raw` for this request. Raises: ProjectionError."""
        body = read_success(raw, TOOL)
        logs = objects(body, "logs", TOOL)
        records, metrics = read_records(logs, self.identifiers, TOOL)
        scanned = count_of(body, "scanned", len(records))
        matched = count_of(body, "total", len(records))
        if matched < len(records):
            raise ProjectionError(f"{TOOL}: the source counts {matched} records and sent {len(records)}")
        view = _view(scope, records)
        not_whole = unread(body)
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head=self._head(scope, view, scanned, matched),
            sections={},
            omitted={
                "records": matched - len(records),
                "unread": len(not_whole) or int(body.get("more") is True and matched == len(records)),
                "services": max(0, len({record.service for record in view.records}) - TOTALS),
            },
            scanned=scanned,
            shown_by="patterns",
            counted_as={"timeline": "events"},
        )
        if not records and instant(body.get("oldest")) and instant(body.get("newest")):
            # Nothing in the window is not nothing at all: say where the records lie, so that the next call finds them.
            projection.head["records_lie_between"] = [body["oldest"], body["newest"]]
        if not_whole:
            projection.head["not_read"] = self._not_read(not_whole)
        source = f"{scope.source_kind} {request.topic.value}"
        if request.topic is LogTopic.DATABASE_SLOW_QUERY:
            self._fill_statements(projection, view, logs, source)
        self._fill(projection, view, source)
        told = (*projection.sections.get("statements", ()), *projection.sections["patterns"])
        projection.facts = (*(item.text for item in told), *metric_facts(metrics))
        return finish(projection, self.limits, self.numbering)

    def _head(self, scope: LogQueryScope, view: _View, scanned: int, matched: int) -> dict[str, Any]:
        head: dict[str, Any] = {
            "scope": self.identifiers.redact_structure(scope.as_fields()),
            "scanned": scanned,
            "matched": matched,
        }
        if scope.narrowed:
            head["selected"] = len(view.records)
        head["levels"] = totals(record.level or "UNKNOWN" for record in view.records)
        head["services"] = totals(record.service or "unknown" for record in view.records)
        if view.note:
            head["note"] = view.note
        if scope.narrowed and (found := rate(view.records)):
            head["rate"] = found
        return head

    def _fill_statements(
        self, projection: Projection, view: _View, logs: Sequence[dict[str, Any]], source: str
    ) -> None:
        """Put slow statements in before everything else, where the records tell of some."""
        found = statement_items(
            view.records,
            logs,
            self.identifiers.redact,
            source=source,
            longest=self.limits.max_message_chars,
            room=self._room(projection),
        )
        if found.items:
            projection.head["statement_totals"] = found.totals
            projection.sections["statements"] = found.items
            projection.omitted["statements"] = found.left_out

    def _room(self, projection: Projection) -> int:
        """The bytes that the head and the sections so far leave."""
        taken = sum(map(size_of, projection.items))
        return self.limits.max_bytes - len(encode(projection.head).encode()) - _TAIL_ROOM - taken

    def _fill(self, projection: Projection, view: _View, source: str) -> None:
        """Put the sections in: patterns first, then of the timeline what they leave room for."""
        limits = self.limits
        room = self._room(projection)
        chosen = choose(view.groups, limits.max_patterns, view.told)
        focus = {index: one.focus for one in view.told for index in one.records[:1]}
        make = LogItems(self.identifiers, view.records, focus, source)
        patterns = pattern_items(make, chosen, limits.max_message_chars, room)
        alone = frozenset(group.records[0] for group, _ in chosen if group.count == 1)
        events = sample(view.records, limits.max_events, mined=view.mined, told=view.told, shown=alone)
        left = room - sum(map(size_of, patterns))
        projection.sections |= {
            "patterns": patterns,
            "timeline": event_items(make, events.indexes, events.places, limits.max_message_chars, left),
        }
        projection.omitted |= {"patterns": len(view.groups) - len(chosen), "events": events.left_out}

    def _not_read(self, unread: Sequence[str]) -> list[str]:
        """The files that are missing or cut, each with how much of it was read; bounded."""
        named = [clip(" ".join(self.identifiers.redact(line).split()), _NOT_READ_CHARS) for line in unread[:_NOT_READ]]
        more = len(unread) - len(named)
        return [*named, f"and {more} more files"] if more else named


@dataclass(frozen=True, slots=True)
class _View:
    """The records that are shown, and what is known of them."""

    records: Sequence[LogRecord]
    mined: Mined
    told: Sequence[Told]
    groups: Sequence[Group]
    note: str = ""


def _view(scope: LogQueryScope, records: Sequence[LogRecord]) -> _View:
    """Patterns and surprises are those of everything that was searched, so that an id means the same in every view."""
    everything = surprises(records)
    mined = mined_of(records, everything)
    shown = selected(scope, records, mined)
    told = story(everything, records, mined)
    if not scope.narrowed:
        return _View(records, mined, told, grouped(records, mined, range(len(records))))
    part, part_mined, part_told = part_of(records, mined, told, shown.indexes)
    groups = grouped(part, part_mined, range(len(part)))
    before = seen_before(scope, records, mined)
    if before is not None and scope.pattern_id is None:
        groups = [_marked(group, part_mined, before) for group in groups]
    return _View(part, part_mined, part_told, groups, shown.note)


def _marked(group: Group, mined: Mined, before: frozenset[int]) -> Group:
    """The group of a window, called new where its pattern was not seen before the window and nowhere else."""
    marks = [mark for mark in group.mark.split() if mark != "new"]
    number = mined.assignment[group.records[0]]
    if number != OTHER and number not in before:
        marks.insert(0, "new")
    return replace(group, mark=" ".join(marks))
