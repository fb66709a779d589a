"""What the bounded results say, as typed items: the only way evidence enters the reasoner.

Everything is read from the JSON that any model sees; an item that does not have the agreed shape is skipped, so a
source that answers strangely costs its own evidence and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from rootproof.ports.model import AssistantMessage, Message, ToolMessage

DAY_MINUTES = 1_445
"""A day, and a little: a window that no question asks for by itself, as `day` is told by it."""


_STEP = 0.72
"""The means before and after a step differ by all of it; those of a climb by about half."""


@dataclass(frozen=True, slots=True)
class LogItem:
    """A log pattern (`count` records) or one dated event of a timeline."""

    evidence_id: str
    topic: str
    level: str
    service: str
    text: str
    count: int
    first: datetime | None
    last: datetime | None
    is_pattern: bool
    example: str = ""
    """One real record of a pattern, where the pattern masks values."""

    @property
    def words(self) -> str:
        """The most telling text that may be quoted."""
        return self.example or self.text


@dataclass(frozen=True, slots=True)
class SeriesItem:
    """A metric series in its bounded form: never raw points."""

    evidence_id: str
    name: str
    labels: Mapping[str, str]
    unit: str
    points: int
    first: float
    last: float
    low: float
    high: float
    mean: float
    trend: str
    first_at: datetime | None
    last_at: datetime | None
    low_at: datetime | None
    high_at: datetime | None
    changed_at: datetime | None = None
    before: float | None = None
    after: float | None = None
    day: bool = False
    """Whether it is the series of a whole day, asked for to compare now with the same time a day before."""

    @property
    def climbs(self) -> bool:
        """Whether it moves steadily from end to end: then no instant is when it changed."""
        moved = abs(self.last - self.first)
        if self.before is None or self.after is None or moved <= 0:
            return False
        return abs(self.after - self.before) <= _STEP * moved and self.high - self.low <= 1.05 * moved


@dataclass(frozen=True, slots=True)
class AlertItem:
    """The monitoring system's own view of one alert."""

    evidence_id: str
    name: str
    state: str
    severity: str
    summary: str
    labels: Mapping[str, str]
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class FactItem:
    """A judged fact about a cluster object."""

    evidence_id: str
    object: str
    app: str | None
    namespace: str | None
    aspect: str
    reason: str
    abnormal: bool
    current: bool
    text: str
    values: Mapping[str, Any]
    first: datetime | None
    last: datetime | None
    count: int


@dataclass(frozen=True, slots=True)
class KnowledgeItem:
    """An excerpt of a document. Guidance: never evidence of a cause."""

    evidence_id: str
    title: str
    breadcrumb: str
    excerpt: str
    source: str


@dataclass(frozen=True, slots=True)
class PastCase:
    """An earlier diagnosis that a look-up found, without its words: which one, and which cause it named."""

    case_id: str
    cause_id: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A tool call of this conversation with its answer; `status` is empty while there is none."""

    tool_call_id: str
    name: str
    arguments: Mapping[str, Any]
    status: str = ""
    message: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    def number(self, key: str) -> int:
        """An integer field of the answer, 0 where there is none."""
        value = self.result.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    @property
    def omitted(self) -> int:
        """How many items of any kind the answer says it left out."""
        left = self.result.get("omitted")
        if not isinstance(left, Mapping):
            return 0
        # Sampled events do not count: the patterns stand for every record.
        counted = {"patterns"} if "patterns" in self.result else left.keys() - {"records"}
        return sum(v for k, v in left.items() if isinstance(v, int) and k in counted)


@dataclass(frozen=True, slots=True)
class Observations:
    """Everything seen so far, without repeats, in the order it came."""

    calls: tuple[CallRecord, ...] = ()
    logs: tuple[LogItem, ...] = ()
    series: tuple[SeriesItem, ...] = ()
    alerts: tuple[AlertItem, ...] = ()
    facts: tuple[FactItem, ...] = ()
    knowledge: tuple[KnowledgeItem, ...] = ()
    past_cases: tuple[PastCase, ...] = ()
    turns: int = 0
    """Model turns so far."""

    def named(self, *names: str) -> tuple[CallRecord, ...]:
        """The calls of these tools."""
        return tuple(call for call in self.calls if call.name in names)

    def latest(self) -> datetime | None:
        """The newest instant that any observation carries."""
        times = [i.last for i in self.logs] + [s.last_at for s in self.series] + [f.last for f in self.facts]
        return max((t for t in times if t is not None), default=None)

    def answered(self) -> bool:
        """Whether any observation source gave at least one item."""
        return bool(self.logs or self.series or self.alerts or self.facts)


def observe(messages: Sequence[Message]) -> Observations:
    """The conversation's tool results as typed items."""
    calls = _calls(messages)
    turns = sum(isinstance(message, AssistantMessage) for message in messages)
    items: dict[type, dict[object, Any]] = {kind: {} for kind in get_args(Item)}
    for call in calls:
        for item in _items(call):
            items[type(item)].setdefault(_identity(item), item)
    return Observations(
        calls=calls,
        logs=tuple(items[LogItem].values()),
        series=tuple(items[SeriesItem].values()),
        alerts=tuple(items[AlertItem].values()),
        facts=tuple(items[FactItem].values()),
        knowledge=tuple(items[KnowledgeItem].values()),
        past_cases=tuple(items[PastCase].values()),
        turns=turns,
    )


def _calls(messages: Sequence[Message]) -> tuple[CallRecord, ...]:
    results = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    records = []
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        for call in message.tool_calls:
            answer = results.get(call.tool_call_id)
            body = _object(answer.content) if answer else {}
            records.append(
                CallRecord(
                    call.tool_call_id,
                    call.name,
                    _object(call.arguments),
                    status=str(body.get("status", "OK" if answer else "")),
                    message=str(body.get("message", "")),
                    result=body,
                )
            )
    return tuple(records)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


Item = LogItem | SeriesItem | AlertItem | FactItem | KnowledgeItem | PastCase


def _items(call: CallRecord) -> Iterator[Item]:
    for key, read in _READERS.get(call.name, ()):
        entries = call.result.get(key)
        if not isinstance(entries, list):
            continue
        for entry in entries:
            if not isinstance(entry, dict) or not isinstance(entry.get("evidence_id"), str):
                continue
            try:
                yield read(entry, call)
            except (KeyError, TypeError, ValueError):
                continue


def _identity(item: Item) -> object:
    match item:
        case LogItem():
            return (item.service, item.text, item.is_pattern, None if item.is_pattern else item.first)
        case SeriesItem():
            return (item.name, tuple(sorted(item.labels.items())), item.day)
        case AlertItem():
            return (item.name, item.summary, item.state)
        case FactItem():
            return (item.object, item.reason, item.text)
        case KnowledgeItem():
            return item.excerpt
        case PastCase():
            return item.case_id


def _pattern(entry: dict[str, Any], call: CallRecord) -> LogItem:
    return LogItem(
        entry["evidence_id"],
        str(call.arguments.get("topic", "")),
        str(entry.get("level") or "").upper(),
        str(entry.get("service") or ""),
        str(entry["pattern"]),
        max(int(entry.get("count") or 1), 1),
        instant(entry.get("first")),
        instant(entry.get("last")),
        is_pattern=True,
        example=str(entry.get("example") or ""),
    )


def _event(entry: dict[str, Any], call: CallRecord) -> LogItem:
    when = instant(entry.get("time"))
    return LogItem(
        entry["evidence_id"],
        str(call.arguments.get("topic", "")),
        str(entry.get("level") or "").upper(),
        str(entry.get("service") or ""),
        str(entry["message"]),
        1,
        when,
        when,
        is_pattern=False,
    )


def _series(entry: dict[str, Any], call: CallRecord) -> SeriesItem:
    stated = entry.get("change")
    change = stated if isinstance(stated, dict) else {}
    return SeriesItem(
        entry["evidence_id"],
        str(entry["name"]),
        _texts(entry.get("labels")),
        str(entry.get("unit") or ""),
        int(entry.get("points") or 0),
        float(entry["first"]),
        float(entry["last"]),
        float(entry["min"]),
        float(entry["max"]),
        float(entry["mean"]),
        str(entry.get("trend") or ""),
        instant(entry.get("first_at")),
        instant(entry.get("last_at")),
        instant(entry.get("min_at")),
        instant(entry.get("max_at")),
        instant(change.get("at")),
        _number(change.get("before")),
        _number(change.get("after")),
        day=bool(call.arguments.get("contains")) and call.arguments.get("lookback_minutes") == DAY_MINUTES,
    )


def _alert(entry: dict[str, Any], call: CallRecord) -> AlertItem:  # noqa: ARG001 - one signature for all readers
    return AlertItem(
        entry["evidence_id"],
        str(entry.get("name") or ""),
        str(entry.get("state") or "").lower(),
        str(entry.get("severity") or "").lower(),
        str(entry.get("summary") or ""),
        _texts(entry.get("labels")),
        instant(entry.get("active_at")),
    )


def _fact(entry: dict[str, Any], call: CallRecord) -> FactItem:  # noqa: ARG001 - one signature for all readers
    values = entry.get("values")
    return FactItem(
        entry["evidence_id"],
        str(entry["object"]),
        _optional(entry.get("app")),
        _optional(entry.get("namespace")),
        str(entry.get("aspect") or ""),
        str(entry.get("reason") or ""),
        bool(entry.get("abnormal")),
        bool(entry.get("current", True)),
        str(entry["text"]),
        values if isinstance(values, dict) else {},
        instant(entry.get("first")),
        instant(entry.get("last")),
        max(int(entry.get("count") or 1), 1),
    )


def _knowledge(entry: dict[str, Any], call: CallRecord) -> KnowledgeItem:  # noqa: ARG001 - one signature
    return KnowledgeItem(
        entry["evidence_id"],
        str(entry.get("title") or ""),
        str(entry.get("breadcrumb") or ""),
        str(entry.get("excerpt") or ""),
        str(entry.get("source") or ""),
    )


def _past_case(entry: dict[str, Any], call: CallRecord) -> PastCase:  # noqa: ARG001 - one signature
    return PastCase(str(entry["case_id"]), str(entry.get("cause_id") or ""))


_READERS: dict[str, tuple[tuple[str, Any], ...]] = {
    "query_logs": (("patterns", _pattern), ("timeline", _event)),
    "query_metrics": (("series", _series),),
    "query_alerts": (("alerts", _alert),),
    "query_cluster": (("facts", _fact),),
    "lookup_knowledge": (("evidence", _knowledge), ("past_cases", _past_case)),
}


def instant(value: object) -> datetime | None:
    """`value` as an aware time, None where it is not one."""
    if not isinstance(value, str) or not value:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _texts(value: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _optional(value: object) -> str | None:
    return str(value) if value else None
