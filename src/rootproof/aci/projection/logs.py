"""The query-log projection: patterns with exact counts, a sampled timeline, totals; never raw lines, never pod names.

Patterns are mined from the raw messages, which never leave this module; every text that does is redacted first.

`instance` and `metrics` of the raw records stay out of the view (seed); the instance is only used to recognise pod
and host names in the text, the metrics' allow-listed keys go into the verifier's facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import count_of, instant, objects, read_success, text_of
from rootproof.aci.requests import LogTopic, QueryLogsRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import TimeWindow, iso
from rootproof.errors import ProjectionError
from rootproof.logs.metrics import metric_name
from rootproof.logs.patterns import mine
from rootproof.logs.record import LEVELS, Level, LogRecord
from rootproof.logs.templates import Mined
from rootproof.logs.timeline import sample
from rootproof.redaction import workload_stem

TOOL = "query_logs"
_SEVERITY = {"FATAL": 0, "ERROR": 1, "WARN": 2, "INFO": 3, None: 3, "DEBUG": 4, "TRACE": 5}
_SERIOUS = 2
_LARGEST = 1e300
_LEVELS: dict[str, Level] = {level: level for level in LEVELS}
_METRIC_KEYS = 6
_SERVICE_CHARS = 80
_TOTALS = 12
"""Services that are counted by name."""
_NOT_READ = 5
"""Files that were not read as a whole and are named."""
_NOT_READ_CHARS = 200


@dataclass(frozen=True, slots=True)
class LogQueryScope:
    """What was searched: the logical request on the adapter's clock, and the kind of source that answered."""

    topic: LogTopic
    window: TimeWindow
    source_kind: str
    services: tuple[str, ...] = ()
    level: str | None = None
    contains: str | None = None

    def as_fields(self) -> dict[str, Any]:
        """For the result's head."""
        return {
            "topic": self.topic.value,
            "services": list(self.services),
            "level": self.level,
            "contains": self.contains,
            "start_time": iso(self.window.start),
            "end_time": iso(self.window.end),
            "source_kind": self.source_kind,
        }


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
        records, metrics = self._read(objects(body, "logs", TOOL))
        scanned = count_of(body, "scanned", len(records))
        matched = count_of(body, "total", len(records))
        if matched < len(records):
            raise ProjectionError(f"{TOOL}: the source counts {matched} records and sent {len(records)}")
        mined = mine([record.message for record in records])
        groups = _group(records, mined)
        patterns = _choose(groups, self.limits.max_patterns)
        events = sample(records, self.limits.max_events, mined=mined)
        source = f"{scope.source_kind} {request.topic.value}"
        unread = _unread(body)
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head={
                "scope": self.identifiers.redact_structure(scope.as_fields()),
                "scanned": scanned,
                "matched": matched,
                "levels": _totals(record.level or "UNKNOWN" for record in records),
                "services": _totals(record.service or "unknown" for record in records),
            },
            sections={
                "patterns": [self._pattern_item(group, source) for group in patterns],
                "timeline": [self._event_item(records[index], source) for index in events.indexes],
            },
            omitted={
                "patterns": len(groups) - len(patterns),
                "events": events.left_out,
                "records": matched - len(records),
                "unread": len(unread) or int(body.get("more") is True and matched == len(records)),
                "services": max(0, len({record.service for record in records}) - _TOTALS),
            },
            scanned=scanned,
            shown_by="patterns",
            counted_as={"timeline": "events"},
        )
        if not records and instant(body.get("oldest")) and instant(body.get("newest")):
            # Nothing in the window is not nothing at all: say where the records lie, so that the next call finds them.
            projection.head["records_lie_between"] = [body["oldest"], body["newest"]]
        if unread:
            projection.head["not_read"] = self._not_read(unread)
        projection.facts = tuple(_facts(projection, metrics))
        return finish(projection, self.limits, self.numbering)

    def _not_read(self, unread: Sequence[str]) -> list[str]:
        """The files that are missing or cut, each with how much of it was read; bounded."""
        named = [clip(" ".join(self.identifiers.redact(line).split()), _NOT_READ_CHARS) for line in unread[:_NOT_READ]]
        more = len(unread) - len(named)
        return [*named, f"and {more} more files"] if more else named

    def _read(self, logs: Sequence[dict[str, Any]]) -> tuple[list[LogRecord], dict[tuple[str, str], list[float]]]:
        records: list[LogRecord] = []
        metrics: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._learn_instances(logs)
        services: dict[str, str | None] = {}
        for number, log in enumerate(logs, start=1):
            message = log.get("message")
            if not isinstance(message, str):
                raise ProjectionError(f"{TOOL}: record {number} of the source's answer has no text `message`")
            named = text_of(log.get("service"))
            if named not in services:
                services[named] = clip(self._clean(named), _SERVICE_CHARS) or None
            service = services[named]
            records.append(
                LogRecord(
                    timestamp=instant(log.get("timestamp")),
                    level=_LEVELS.get(text_of(log.get("level")).upper()),
                    service=service,
                    message=message,
                    line=number,
                )
            )
            for key, value in _numbers(log.get("metrics")):
                metrics[service or "unknown", key].append(value)
        return records, metrics

    def _learn_instances(self, logs: Sequence[dict[str, Any]]) -> None:
        for instance in dict.fromkeys(text_of(log.get("instance")) for log in logs):
            if instance:
                self.identifiers.learn(instance, "pod" if workload_stem(instance) else "host")

    def _clean(self, text: str) -> str:
        """Redacted as a whole, then cut: so no half of a secret survives the cut."""
        return clip(" ".join(self.identifiers.redact(text).split()), self.limits.max_message_chars)

    def _pattern_item(self, group: _Group, source: str) -> Item:
        pattern = self._clean(group.example if group.count == 1 else group.template)
        fields: dict[str, Any] = {
            "level": group.level,
            "service": group.service,
            "pattern": pattern,
            "count": group.count,
            "first": iso(group.first) if group.first else None,
            "last": iso(group.last) if group.last else None,
        }
        text = f"{group.count} x {group.level or 'LOG'} {group.service or 'unknown'}{_span(group)}: {pattern}"
        if group.count > 1 and group.example != group.template and group.serious:
            fields["example"] = self._clean(group.example)
            text += f" (for example: {fields['example']})"
        return Item(fields, text, group.service, source, group.first, group.last, group.count)

    def _event_item(self, record: LogRecord, source: str) -> Item:
        message = self._clean(record.message)
        time = iso(record.timestamp) if record.timestamp else None
        fields = {"time": time, "level": record.level, "service": record.service, "message": message}
        text = f"{time or 'no time'} {record.level or 'LOG'} {record.service or 'unknown'}: {message}"
        return Item(fields, text, record.service, source, record.timestamp, record.timestamp, 1)


@dataclass(frozen=True, slots=True)
class _Group:
    """Records of one level, service and normalised message."""

    level: str | None
    service: str | None
    template: str
    example: str
    count: int
    first: datetime | None
    last: datetime | None

    @property
    def serious(self) -> bool:
        return _SEVERITY[self.level] <= _SERIOUS


def _group(records: Sequence[LogRecord], mined: Mined) -> list[_Group]:
    """Groups by severity, then by first time; records without a time come last."""
    groups: dict[tuple[str | None, str | None, int], _Group] = {}
    for record, template_index in zip(records, mined.assignment, strict=True):
        key = (record.level, record.service, template_index)
        seen = groups.get(key)
        if seen is None:
            template = mined.templates[template_index] if template_index >= 0 else record.message
            groups[key] = _Group(
                record.level, record.service, template, record.message, 1, record.timestamp, record.timestamp
            )
        else:
            groups[key] = replace(
                seen,
                count=seen.count + 1,
                first=_least(seen.first, record.timestamp),
                last=_greatest(seen.last, record.timestamp),
            )
    return sorted(groups.values(), key=_order)


def _order(group: _Group) -> tuple[int, datetime]:
    return _SEVERITY[group.level], group.first or datetime.max.replace(tzinfo=UTC)


def _choose(groups: list[_Group], limit: int) -> list[_Group]:
    """The patterns to show, in the order of `groups`: loudness alone never decides.

    Serious ones in order of first appearance take at most two thirds; the rest goes to the rarest other ones, since
    a fault may be told once at INFO level, and to the two most common, which say what is normal.
    """
    if len(groups) <= limit:
        return groups
    serious = [group for group in groups if group.serious]
    calm = sorted((group for group in groups if not group.serious), key=lambda group: group.count)
    common = calm[-2:]
    rare = calm[: max(0, len(calm) - 2)]
    kept = serious[: max(limit * 2 // 3, limit - len(calm))]
    kept += common + rare[: limit - len(kept) - len(common)]
    chosen = {id(group) for group in kept}
    return [group for group in groups if id(group) in chosen]


def _span(group: _Group) -> str:
    if group.first is None or group.last is None:
        return " (no times)"
    if group.first == group.last:
        return f" at {iso(group.first)}"
    return f" between {iso(group.first)} and {iso(group.last)}"


def _facts(projection: Projection, metrics: dict[tuple[str, str], list[float]]) -> list[str]:
    facts = [item.text for item in projection.sections["patterns"]]
    for (service, key), values in sorted(metrics.items())[:_METRIC_KEYS]:
        facts.append(f"{service} {key}: min {min(values):g}, max {max(values):g} over {len(values)} records")
    return facts


def _numbers(metrics: Any) -> list[tuple[str, float]]:
    """The record's numeric metrics under allow-listed names; the source may have let others through."""
    if not isinstance(metrics, dict):
        return []
    numbers = [(metric_name(str(key)), value) for key, value in metrics.items()]
    return [
        (name, float(value))
        for name, value in numbers
        if name and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST
    ]


def _unread(body: dict[str, Any]) -> list[str]:
    """`FILE: why it is not whole` for each file that the source did not read to its end."""
    listed = body.get("reading")
    readings = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return [
        f"{text_of(item.get('file'))}: {text_of(item.get('problem')) or 'not read as a whole'}"
        for item in readings
        if item.get("whole") is False
    ]


def _totals(words: Any) -> dict[str, int]:
    return dict(Counter(words).most_common(_TOTALS))


def _least(a: datetime | None, b: datetime | None) -> datetime | None:
    return min(a, b) if a and b else a or b


def _greatest(a: datetime | None, b: datetime | None) -> datetime | None:
    return max(a, b) if a and b else a or b
