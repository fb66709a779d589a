"""What the sources gave in a stored run, by what they were asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from rootproof.aci.identifiers import IdentifierMap, restore
from rootproof.aci.projection.alerts import AlertsProjector
from rootproof.aci.projection.cluster import ClusterProjector
from rootproof.aci.projection.fit import EvidenceNumbering
from rootproof.aci.projection.knowledge import KnowledgeProjector
from rootproof.aci.projection.logs import QueryLogsProjector
from rootproof.aci.projection.metrics import MetricsProjector
from rootproof.aci.tools.evidence_tools import (
    EvidenceTool,
    QueryAlertsToolAdapter,
    QueryClusterToolAdapter,
    QueryLogsToolAdapter,
    QueryMetricsToolAdapter,
    RagToolAdapter,
)
from rootproof.aci.tools.parse import InvalidRequest, typed
from rootproof.domain.context import ExecutionContext, ToolEnvelope
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.step import Step
from rootproof.errors import SourceDenied, SourceError, SourceTimeout, SourceUnavailable
from rootproof.ports.run_store import RunRows

Answer = str | SourceError | asyncio.CancelledError
Answers = dict[str, dict[str, list[Answer]]]
"""Tool -> query -> what came back, each time it was asked."""


class EchoSource(Protocol):
    """A source of every kind whose raw answer is the query."""

    name: str
    kind: str

    async def fetch(self, query: object, *, deadline_s: float) -> str:
        """The query of logs, metrics, alerts or cluster state as text."""
        ...

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        """The query of knowledge as text."""
        ...


async def recorded_answers(
    rows: RunRows, briefing: Step, calls: list[Invocation], raws: Mapping[tuple[int, int], str | None], echo: EchoSource
) -> Answers:
    """The answers of the run's calls, in their order. Calls that cannot be asked today are left out."""
    known: dict[str, str] = dict(briefing.output.get("identifiers", {}))
    found: Answers = {}
    for step_no in sorted({call.step_no for call in calls}):
        turn = [call for call in calls if call.step_no == step_no]
        for call in turn:
            try:
                query = await _query(call, known, rows.run.now, echo)
            except InvalidRequest:
                continue
            raw = raws.get((call.step_no, call.call_index))
            answer = raw if raw is not None else _error(call, known)
            found.setdefault(call.tool_name, {}).setdefault(query, []).append(answer)
        for call in turn:  # what a turn's calls name was not known when they were bound
            known.update(call.identifiers)
    return found


async def _query(call: Invocation, known: Mapping[str, str], now: datetime, echo: EchoSource) -> str:
    """What the source is asked for this call today. Raises: InvalidRequest."""
    tool = _tools(now, echo).get(call.tool_name)
    if tool is None:
        raise InvalidRequest(f"there is no tool {call.tool_name!r}")
    envelope = ToolEnvelope(ExecutionContext("", "", ""), call.tool_call_id, call.step_no, call.call_index, 1.0)
    request, real = (typed(tool.request, values) for values in (call.request, restore(call.request, known)))
    return await tool.bind(request, real, envelope).call()


def _tools(now: datetime, echo: EchoSource) -> dict[str, EvidenceTool[Any]]:
    unused = (IdentifierMap(), EvidenceNumbering(0), ToolProjectionLimits())
    tools: list[EvidenceTool[Any]] = [
        QueryAlertsToolAdapter(echo, AlertsProjector(*unused)),
        QueryMetricsToolAdapter(echo, MetricsProjector(*unused), now),
        QueryLogsToolAdapter(echo, QueryLogsProjector(*unused), now),
        QueryClusterToolAdapter(echo, ClusterProjector(*unused), now),
        RagToolAdapter(echo, KnowledgeProjector(*unused)),
    ]
    return {tool.name: tool for tool in tools}


def _error(call: Invocation, known: Mapping[str, str]) -> SourceError | asyncio.CancelledError:
    """What came up instead of an answer; with identifiers as they were, so that they get their placeholders again."""
    words = restore(call.error, {**known, **call.identifiers})
    match call.status:
        case InvocationStatus.CANCELLED:
            return asyncio.CancelledError()
        case InvocationStatus.TIMEOUT:
            return SourceTimeout(words)
        case InvocationStatus.DENIED:
            return SourceDenied(words)
        case _:
            return SourceUnavailable(words)
