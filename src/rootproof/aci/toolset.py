"""The tools of one run: which exist (their source does), what a model is told of them, and how a call is dispatched."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from rootproof.aci.boundary import PlannedCall, ToolBoundary
from rootproof.aci.projection.alerts import AlertsProjector
from rootproof.aci.projection.cluster import ClusterProjector
from rootproof.aci.projection.knowledge import KnowledgeProjector
from rootproof.aci.projection.logs import QueryLogsProjector
from rootproof.aci.projection.metrics import MetricsProjector
from rootproof.aci.requests import ReadSkillRequest
from rootproof.aci.result import ToolBoundaryResult
from rootproof.aci.tools.evidence_tools import (
    EvidenceTool,
    QueryAlertsToolAdapter,
    QueryClusterToolAdapter,
    QueryLogsToolAdapter,
    QueryMetricsToolAdapter,
    RagToolAdapter,
    planned,
)
from rootproof.aci.tools.parse import InvalidRequest, arguments_object
from rootproof.domain.context import ToolEnvelope
from rootproof.ports.model import ToolCall, ToolSpec
from rootproof.ports.sources import Sources

READ_SKILL = "read_skill"
_ALL: tuple[type[EvidenceTool[Any]], ...] = (
    QueryAlertsToolAdapter,
    QueryMetricsToolAdapter,
    QueryLogsToolAdapter,
    QueryClusterToolAdapter,
    RagToolAdapter,
)
ALL_EVIDENCE_TOOLS = frozenset(tool.name for tool in _ALL)
"""Their names."""


def evidence_tool_names(sources: Sources) -> tuple[str, ...]:
    """The evidence tools whose source exists, in a fixed order."""
    present = {
        QueryAlertsToolAdapter.name: sources.alerts,
        QueryMetricsToolAdapter.name: sources.metrics,
        QueryLogsToolAdapter.name: sources.logs,
        QueryClusterToolAdapter.name: sources.cluster,
        RagToolAdapter.name: sources.knowledge,
    }
    return tuple(tool.name for tool in _ALL if present[tool.name] is not None)


@cache
def tool_specs(names: tuple[str, ...], *, with_skills: bool) -> tuple[ToolSpec, ...]:
    """What a model is told of the evidence tools in `names`, and of `read_skill` where there are skills."""
    specs = [
        ToolSpec(tool.name, tool.description, tool.request.model_json_schema()) for tool in _ALL if tool.name in names
    ]
    if with_skills:
        specs.append(
            ToolSpec(
                READ_SKILL,
                "Read a skill: which evidence to look at in which order, what confirms a cause and what rules it out.",
                ReadSkillRequest.model_json_schema(),
            )
        )
    return tuple(specs)


class ToolSet:
    """The evidence tools of one run."""

    def __init__(self, boundary: ToolBoundary, sources: Sources, now: datetime, focus: str = "") -> None:
        ledger = boundary.ledger
        bounds = (ledger.identifiers, ledger.numbering, ledger.limits.projection)
        self._boundary = boundary
        self._tools: dict[str, EvidenceTool[Any]] = {}
        if sources.alerts is not None:
            self._add(QueryAlertsToolAdapter(sources.alerts, AlertsProjector(*bounds)))
        if sources.metrics is not None:
            self._add(QueryMetricsToolAdapter(sources.metrics, MetricsProjector(*bounds), now))
        if sources.logs is not None:
            self._add(QueryLogsToolAdapter(sources.logs, QueryLogsProjector(*bounds), now))
        if sources.cluster is not None:
            projector = ClusterProjector(*bounds, focus=focus)
            self._add(QueryClusterToolAdapter(sources.cluster, projector, now))
        if sources.knowledge is not None:
            self._add(RagToolAdapter(sources.knowledge, KnowledgeProjector(*bounds)))

    def _add(self, tool: EvidenceTool[Any]) -> None:
        self._tools[tool.name] = tool

    async def call(self, envelope: ToolEnvelope, call: ToolCall) -> ToolBoundaryResult:
        """The result of one call."""
        return (await self.call_all([(envelope, call)]))[0]

    async def call_all(
        self, calls: Iterable[tuple[ToolEnvelope, ToolCall]], within_s: float | None = None
    ) -> list[ToolBoundaryResult]:
        """The results of the calls of one turn, in their order."""
        return await self._boundary.execute_all([self._planned(*call) for call in calls], within_s)

    def _planned(self, envelope: ToolEnvelope, call: ToolCall) -> PlannedCall:
        """Unknown tools and requests that do not parse are recorded as refused."""
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            why = f"there is no tool of that name here; the tools are: {known}"
            return self._boundary.rejected(envelope, call.name, call.arguments, why)
        try:
            return planned(tool, self._boundary, envelope, arguments_object(call.arguments))
        except InvalidRequest as error:
            return self._boundary.rejected(envelope, call.name, call.arguments, str(error))
