"""Where evidence comes from. Every source answers with raw JSON text: it is stored whole and projected by the ACI.

All `fetch` methods raise SourceUnavailable, SourceTimeout, SourceDenied, QueryRejected or SourceGarbled, with the
outside system's own words. "No data" is an answer, never an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from rootproof.domain.alert import Alert
from rootproof.domain.window import TimeWindow


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What the query-log adapter asks of a log source."""

    topic: str
    """`application-logs`, `database-slow-query` or `system-events`."""
    region: str
    window: TimeWindow
    limit: int
    """Most records to return; the newest are kept when there are more."""
    services: tuple[str, ...] = ()
    """Empty means all. A service matches case-insensitively by name or as the stem of a pod name."""
    level: str | None = None
    """Lowest level wanted (`ERROR` also gives FATAL); None means all."""
    contains: str | None = None
    """Case-insensitive substring of the message."""


class LogSource(Protocol):
    """Logs.

    Raw: `{"success": true, "total": matched, "scanned": looked_at, "more": bool, "files": [...], "logs":
    [{"timestamp": RFC 3339 or null, "level", "service", "instance", "message", "metrics": {...}, "lines": n}]}`,
    oldest first, records without a time last and in file order; or `{"success": false, "message": why}`. `more` is true
    when anything was left out or not read, `files` says what. `reading`, where a source gives it, says it in numbers:
    `[{"file", "bytes_read", "bytes_total" or null, "whole", "problem" or null}]`. When nothing matched, `oldest` and
    `newest` may say what times the topic's records have. The record of a slow statement may have `beside`: who ran it
    where, as `user=... host=... database=...`.
    """

    name: str
    kind: str
    """`source_kind`: `BUNDLE`, `FILES`, `MOCK`, ..."""

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as in the class docstring."""
        ...


@dataclass(frozen=True, slots=True)
class MetricQuery:
    """Which series are wanted."""

    window: TimeWindow
    contains: tuple[str, ...] = ()
    """Case-insensitive words; a series matches when any occurs in its name or labels. Empty means all."""
    limit: int = 200
    """Most series to return."""


class MetricSource(Protocol):
    """Metrics.

    Raw: `{"success": true, "total": matched_series, "series": [{"name", "labels": {...}, "unit": str or null,
    "values": [[epoch_s, number], ...]}]}`, values in time order.
    """

    name: str
    kind: str

    async def fetch(self, query: MetricQuery, *, deadline_s: float) -> str:
        """The raw answer, as in the class docstring."""
        ...


@dataclass(frozen=True, slots=True)
class AlertQuery:
    """Which alerts are wanted of the monitoring system."""

    state: str | None = None
    """`firing`, `pending`, `inactive`; None means all."""
    contains: tuple[str, ...] = ()
    limit: int = 200


class AlertSource(Protocol):
    """The monitoring system's own view of its alerts.

    Raw: `{"success": true, "total": n, "alerts": [{"name", "state", "severity", "labels": {}, "annotations": {},
    "activeAt": RFC 3339 or null, "value": str or null}]}`.
    """

    name: str
    kind: str

    async def fetch(self, query: AlertQuery, *, deadline_s: float) -> str:
        """The raw answer, as in the class docstring."""
        ...


@dataclass(frozen=True, slots=True)
class ClusterQuery:
    """Which part of the cluster state is wanted."""

    view: str
    """`overview`, `list`, `describe`, `events`, `yaml`, `node_services`, `connectivity`, `changes`, `topology`,
    `manifests`."""
    kind: str | None = None
    """Object kind, singular lower case: `pod`, `node`, `deployment`, `service`, `pvc`, ... None means all."""
    name: str | None = None
    namespace: str | None = None


class ClusterSource(Protocol):
    """Cluster state.

    Raw: `{"success": true, "outputs": [{"command": text, "text": its output}], "objects": {"pods": [...],
    "deployments": [...], "nodes": [...]}, "manifests": [{"file", "text"}], "topology": {"calls": [[a, b]]} or null,
    "changes": [...]}` holding what the view asks for; `overview` gives everything needed to judge the whole state.
    """

    name: str
    kind: str

    async def fetch(self, query: ClusterQuery, *, deadline_s: float) -> str:
        """The raw answer, as in the class docstring."""
        ...


class KnowledgeSource(Protocol):
    """Runbooks and past cases.

    Raw: the seed's shape `{"evidenceBlocks": [{"source", "title", "breadcrumb", "content", "score", ...}],
    "contextPack": {...}, "queryTransform": {...}, "retrievalTrace": {...}, "rerankTrace": {...},
    "fallbackReason": str or null, "documents": n}`.
    """

    name: str
    kind: str

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        """The raw answer, as in the class docstring."""
        ...


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one run; None (or empty) means that this kind was never available."""

    logs: LogSource | None = None
    metrics: MetricSource | None = None
    alerts: AlertSource | None = None
    cluster: ClusterSource | None = None
    knowledge: KnowledgeSource | None = None
    payload: tuple[Alert, ...] = ()
    """The triggering alerts, where the sources came with some (a bundle's `alert.json`)."""
    notes: tuple[str, ...] = field(default=())
    """What was found and could not be used, for the coverage block."""
