"""One call of one tool through adapter and boundary: the view and the query that reached the source."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from rootproof.aci.result import ToolBoundaryResult
from rootproof.aci.toolset import ToolSet
from rootproof.domain.context import ToolEnvelope
from rootproof.ports.model import ToolCall
from rootproof.ports.sources import Sources
from tests.aci.boundary_case import CONTEXT, Case
from tests.fakes.driving import NOW
from tests.fakes.sources import FakeKnowledge, FakeLogs, FakeMetrics, log


class Tools:
    """A run's tools on sources that remember what they were asked."""

    def __init__(self, case: Case, **sources: Any) -> None:
        self.case = case
        self.sources = replace(
            Sources(logs=FakeLogs([log("pool is full")]), metrics=FakeMetrics(), knowledge=FakeKnowledge()), **sources
        )
        self._step = 0

    async def call(self, name: str, arguments: dict[str, Any] | str) -> ToolBoundaryResult:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self._step += 1
        envelope = ToolEnvelope(CONTEXT, "call_0", self._step, 0, 5.0)
        tools = ToolSet(self.case.boundary, self.sources, NOW)
        return await tools.call(envelope, ToolCall("call_0", name, text))


async def run_tool(name: str, arguments: dict[str, Any], **sources: Any) -> tuple[dict[str, Any], Any]:
    """The model's view and the source's last query."""
    tools = Tools(await Case().ready(), **sources)
    result = await tools.call(name, arguments)
    source = {"query_logs": tools.sources.logs, "query_metrics": tools.sources.metrics}.get(name) or (
        tools.sources.knowledge
    )
    return json.loads(result.text), source.queries[-1]  # type: ignore[union-attr]
