"""The five evidence tools. Each adapter is the only place that knows how its source is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol, TypeVar

from rootproof.aci.boundary import BoundaryRequest, PlannedCall, ToolBoundary
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
from rootproof.aci.result import ProjectedToolResult
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


RequestT_contra = TypeVar("RequestT_contra", bound=ToolRequest, contravariant=True)


@dataclass(frozen=True, slots=True)
class Binding:
    """One request bound to its source and its projector: what the boundary runs."""

    source: str
    """The source's name, for the row and the coverage."""
    call: Callable[[], Awaitable[str]]
    project: Callable[[str], ProjectedToolResult]


class EvidenceTool(Protocol[RequestT_contra]):
    """An adapter: a name and description for the model, its request, and how a request is bound."""

    name: ClassVar[str]
    description: ClassVar[str]
    request: ClassVar[type[ToolRequest]]

    def bind(self, request: RequestT_contra, real: RequestT_contra, envelope: ToolEnvelope) -> Binding:
        """How to answer a request; `request` has the model's placeholders, `real` what they stand for."""
        ...


def planned(
    tool: EvidenceTool[Any], boundary: ToolBoundary, envelope: ToolEnvelope, arguments: dict[str, Any]
) -> PlannedCall:
    """The call, parsed and bound, for the boundary to run. Raises: InvalidRequest."""
    request = typed(tool.request, arguments)
    real = typed(tool.request, boundary.ledger.identifiers.resolve_structure(arguments))
    binding = tool.bind(request, real, envelope)
    shown = BoundaryRequest(tool.name, request.model_dump(mode="json"), binding.source)
    return PlannedCall(envelope, shown, binding.call, binding.project)


@dataclass(frozen=True, slots=True)
class QueryLogsToolAdapter:
    """`query_logs`."""

    name: ClassVar[str] = "query_logs"
    description: ClassVar[str] = (
        "Search logs. Returns patterns with exact counts and first/last times, a sampled timeline, and how much was "
        "scanned and left out. Ask per topic; narrow with services, level or contains. For more of one pattern, repeat "
        "the call with its id as pattern_id; for more of one time, with after and before."
    )
    request: ClassVar[type[ToolRequest]] = QueryLogsRequest
    source: LogSource
    projector: QueryLogsProjector
    now: datetime

    def bind(self, request: QueryLogsRequest, real: QueryLogsRequest, envelope: ToolEnvelope) -> Binding:
        """See EvidenceTool."""
        window = TimeWindow.lookback(self.now, request.lookback_minutes)
        scope = LogQueryScope(
            topic=request.topic,
            window=window,
            source_kind=self.source.kind,
            services=request.services,
            level=request.level,
            contains=request.contains,
            pattern_id=request.pattern_id,
            after=request.after,
            before=request.before,
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
        return Binding(
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
    source: MetricSource
    projector: MetricsProjector
    now: datetime

    def bind(self, request: QueryMetricsRequest, real: QueryMetricsRequest, envelope: ToolEnvelope) -> Binding:
        """See EvidenceTool."""
        window = TimeWindow.lookback(self.now, request.lookback_minutes)
        scope = MetricScope(window, request.contains, self.source.kind)
        return Binding(
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
    source: AlertSource
    projector: AlertsProjector

    def bind(self, request: QueryAlertsRequest, real: QueryAlertsRequest, envelope: ToolEnvelope) -> Binding:
        """See EvidenceTool."""
        scope = AlertScope(request.state, request.contains, self.source.kind)
        query = AlertQuery(request.state, real.contains)
        return Binding(
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
    source: ClusterSource
    projector: ClusterProjector
    now: datetime

    def bind(self, request: QueryClusterRequest, real: QueryClusterRequest, envelope: ToolEnvelope) -> Binding:  # noqa: ARG002 - one signature for all tools
        """See EvidenceTool."""
        query = ClusterQuery(real.view, real.kind, real.name, real.namespace)
        return Binding(
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
    source: KnowledgeSource
    projector: KnowledgeProjector

    def bind(self, request: RagToolRequest, real: RagToolRequest, envelope: ToolEnvelope) -> Binding:
        """See EvidenceTool."""
        return Binding(
            self.source.name,
            lambda: self.source.search(real.query, top_k=request.top_k, deadline_s=envelope.deadline_s),
            lambda raw: self.projector.project(request, envelope.tool_call_id, raw),
        )
