"""The five evidence tools. Each adapter is the only place that knows how its source is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol

from rootproof.aci.boundary import BoundaryRequest, ToolBoundary
from rootproof.aci.projection.alerts import AlertScope, AlertsProjector
from rootproof.aci.projection.cluster import ClusterProjector
from rootproof.aci.projection.knowledge import KnowledgeProjector
from rootproof.aci.projection.logs import LogQueryScope, QueryLogsProjector
from rootproof.aci.projection.metrics import MetricScope, MetricsProjector
from rootproof.aci.requests import (
    LogTopic,
    QueryAlertsRequest,
    QueryClusterRequest,
    QueryLogsRequest,
    QueryMetricsRequest,
    RagToolRequest,
    ToolRequest,
)
from rootproof.aci.result import ProjectedToolResult, ToolBoundaryResult
from rootproof.aci.tools.parse import typed
from rootproof.domain.context import ToolEnvelope
from rootproof.domain.window import TimeWindow
from rootproof.ports.sources import (
    AlertQuery,
    AlertSource,
    ClusterQuery,
    ClusterSource,
    KnowledgeSource,
    LogQuery,
    LogSource,
    MetricQuery,
    MetricSource,
)

SOURCE_TOPIC = {
    LogTopic.APPLICATION: "application-logs",
    LogTopic.DATABASE_SLOW_QUERY: "database-slow-query",
    LogTopic.SYSTEM_EVENTS: "system-events",
}
DEFAULT_REGION = "default"
SOURCE_LIMIT = 200_000
"""Most log records that one call reads from a source: never a model's choice, never in a result."""


class EvidenceTool(Protocol):
    """An adapter: a name and description for the model, and `run`."""

    name: ClassVar[str]
    description: ClassVar[str]
    request: ClassVar[type[ToolRequest]]

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """Parse, call through the boundary, hand on. Raises: InvalidRequest before anything is called."""
        ...


async def _execute(
    boundary: ToolBoundary,
    envelope: ToolEnvelope,
    tool: str,
    request: ToolRequest,
    source: str,
    call: Callable[[], Awaitable[str]],
    project: Callable[[str], ProjectedToolResult],
) -> ToolBoundaryResult:
    shown = BoundaryRequest(tool, request.model_dump(mode="json"), source)
    return await boundary.execute(envelope, shown, call, project)


@dataclass(frozen=True, slots=True)
class QueryLogsToolAdapter:
    """`query_logs`."""

    name: ClassVar[str] = "query_logs"
    description: ClassVar[str] = (
        "Search logs. Returns patterns with exact counts and first/last times, a sampled timeline, and how much was "
        "scanned and left out. Ask per topic; narrow with services, level or contains."
    )
    request: ClassVar[type[ToolRequest]] = QueryLogsRequest
    boundary: ToolBoundary
    source: LogSource
    projector: QueryLogsProjector
    now: datetime

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """See EvidenceTool."""
        request = typed(QueryLogsRequest, arguments)
        real = typed(QueryLogsRequest, self.projector.identifiers.resolve_structure(arguments))
        window = TimeWindow.lookback(self.now, request.lookback_minutes)
        scope = LogQueryScope(
            request.topic, window, self.source.kind, request.services, request.level, request.contains
        )
        query = LogQuery(
            topic=SOURCE_TOPIC[request.topic],
            region=DEFAULT_REGION,
            window=window,
            limit=SOURCE_LIMIT,
            services=real.services,
            level=request.level,
            contains=real.contains,
        )
        return await _execute(
            self.boundary,
            envelope,
            self.name,
            request,
            f"{self.source.name} {request.topic.value}",
            lambda: self.source.fetch(query, deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(request, envelope.tool_call_id, scope, raw),
        )


@dataclass(frozen=True, slots=True)
class QueryMetricsToolAdapter:
    """`query_metrics`."""

    name: ClassVar[str] = "query_metrics"
    description: ClassVar[str] = (
        "Read metric series. Returns per series first, last, min, max, mean, trend and change point with times and "
        "unit, the most changed series first."
    )
    request: ClassVar[type[ToolRequest]] = QueryMetricsRequest
    boundary: ToolBoundary
    source: MetricSource
    projector: MetricsProjector
    now: datetime

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """See EvidenceTool."""
        request = typed(QueryMetricsRequest, arguments)
        real = typed(QueryMetricsRequest, self.projector.identifiers.resolve_structure(arguments))
        window = TimeWindow.lookback(self.now, request.lookback_minutes)
        scope = MetricScope(window, request.contains, self.source.kind)
        return await _execute(
            self.boundary,
            envelope,
            self.name,
            request,
            self.source.name,
            lambda: self.source.fetch(MetricQuery(window, real.contains), deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(envelope.tool_call_id, scope, raw),
        )


@dataclass(frozen=True, slots=True)
class QueryAlertsToolAdapter:
    """`query_alerts`."""

    name: ClassVar[str] = "query_alerts"
    description: ClassVar[str] = (
        "Read the monitoring system's alerts with their states. Alerts that are inactive tell what is not wrong."
    )
    request: ClassVar[type[ToolRequest]] = QueryAlertsRequest
    boundary: ToolBoundary
    source: AlertSource
    projector: AlertsProjector

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """See EvidenceTool."""
        request = typed(QueryAlertsRequest, arguments)
        real = typed(QueryAlertsRequest, self.projector.identifiers.resolve_structure(arguments))
        scope = AlertScope(request.state, request.contains, self.source.kind)
        query = AlertQuery(request.state, real.contains)
        return await _execute(
            self.boundary,
            envelope,
            self.name,
            request,
            self.source.name,
            lambda: self.source.fetch(query, deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(envelope.tool_call_id, scope, raw),
        )


@dataclass(frozen=True, slots=True)
class QueryClusterToolAdapter:
    """`query_cluster`."""

    name: ClassVar[str] = "query_cluster"
    description: ClassVar[str] = (
        "Read cluster state as facts: pods, nodes, workloads, services, volumes, quotas, events, what is declared "
        "against what is. Abnormal and current facts first."
    )
    request: ClassVar[type[ToolRequest]] = QueryClusterRequest
    boundary: ToolBoundary
    source: ClusterSource
    projector: ClusterProjector
    now: datetime

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """See EvidenceTool."""
        request = typed(QueryClusterRequest, arguments)
        real = typed(QueryClusterRequest, self.projector.identifiers.resolve_structure(arguments))
        query = ClusterQuery(real.view, real.kind, real.name, real.namespace)
        return await _execute(
            self.boundary,
            envelope,
            self.name,
            request,
            self.source.name,
            lambda: self.source.fetch(query, deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(real, envelope.tool_call_id, self.source.kind, self.now, raw),
        )


@dataclass(frozen=True, slots=True)
class RagToolAdapter:
    """`lookup_knowledge`."""

    name: ClassVar[str] = "lookup_knowledge"
    description: ClassVar[str] = (
        "Search runbooks and past cases. What they say is guidance on where to look and what to do: it never proves "
        "what happened."
    )
    request: ClassVar[type[ToolRequest]] = RagToolRequest
    boundary: ToolBoundary
    source: KnowledgeSource
    projector: KnowledgeProjector

    async def run(self, envelope: ToolEnvelope, arguments: dict[str, Any]) -> ToolBoundaryResult:
        """See EvidenceTool."""
        request = typed(RagToolRequest, arguments)
        query = self.projector.identifiers.resolve(request.query)
        return await _execute(
            self.boundary,
            envelope,
            self.name,
            request,
            self.source.name,
            lambda: self.source.search(query, top_k=request.top_k, deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(request, envelope.tool_call_id, raw),
        )
