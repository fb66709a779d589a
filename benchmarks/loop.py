"""Our own overhead a step, beside pydantic-ai's `Agent` with the same script in one process.

Both run a model that answers from a script at once: ten tool calls, one a turn, then the answer. Ours runs the whole
product path on memory stores (fold, decide, boundary, ledger, projection, grounding); the peer runs its agent loop with
one typed tool. The figure is wall time divided by the turns.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from datetime import UTC, datetime
from typing import Any

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.clock import SystemClock
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.scripted_model import ScriptedModel, calls
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.services import Services
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.run import RunStatus
from rootproof.domain.step import Agent
from rootproof.ports.sources import AlertQuery, Sources
from rootproof.skills.catalog import Catalog

TURNS = 10
ROUNDS = 40
NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)


class OneAlert:
    """A source that answers at once with one alert."""

    name, kind = "bench", "MOCK"
    answer = (
        '{"success": true, "total": 1, "alerts": [{"name": "A", "state": "firing", "labels": {}, "annotations": {}}]}'
    )

    async def fetch(self, query: AlertQuery, *, deadline_s: float) -> str:  # noqa: ARG002 - answers at once
        """The same answer for every query."""
        return self.answer


def script() -> ScriptedModel:
    """Ten different calls, then a report."""
    looks = [calls(("query_alerts", {"contains": [f"word-{turn}"]})) for turn in range(TURNS)]
    end = calls(("submit_report", {"summary": "s", "claims": []}))
    plan = calls(("submit_plan", {"intent": "INCIDENT"}))
    verdicts = calls(("submit_verdicts", {"lower": []}))
    return ScriptedModel({Agent.PLANNER: [plan], Agent.EXECUTOR: [*looks, end], Agent.VERIFIER: [verdicts]})


class Timed:
    """A store that adds up the time spent in it: persistence is not the loop's own overhead."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return await method(*args, **kwargs)
            finally:
                self.seconds += time.perf_counter() - started

        return timed


async def ours() -> tuple[float, float]:
    """Milliseconds a turn, without and with the time in the memory stores."""
    model = script()
    runs, canonical = Timed(InMemoryRunStore()), Timed(InMemoryCanonicalStore())
    services = Services(runs, canonical, SystemClock(), lambda _spec, _skills: model)
    run = await start_run(services, RunRequest("what?", reasoner="scripted", now=NOW))
    stored_s = runs.seconds
    started = time.perf_counter()
    rows = await drive_run(services, run.run_id, Sources(alerts=OneAlert()), Catalog([]))
    elapsed = time.perf_counter() - started
    assert rows.run.status is RunStatus.COMPLETED
    assert len(rows.invocations) == TURNS
    stored_s = runs.seconds + canonical.seconds - stored_s
    return (elapsed - stored_s) * 1000 / (TURNS + 3), elapsed * 1000 / (TURNS + 3)


def peer() -> Any:
    """pydantic-ai's agent with the same script."""
    from pydantic_ai import Agent as PeerAgent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def play(messages: list[Any], _info: Any) -> ModelResponse:
        turn = sum(message.kind == "response" for message in messages)
        if turn < TURNS:
            return ModelResponse([ToolCallPart("query_alerts", {"contains": [f"word-{turn}"]})])
        return ModelResponse([TextPart("done")])

    agent = PeerAgent(FunctionModel(play))

    @agent.tool_plain
    def query_alerts(contains: list[str]) -> str:  # noqa: ARG001 - the peer's twin of our source
        """Read alerts."""
        return OneAlert.answer

    return agent


async def theirs(agent: Any) -> float:
    """Milliseconds a turn."""
    started = time.perf_counter()
    await agent.run("what?")
    return (time.perf_counter() - started) * 1000 / (TURNS + 1)


async def main() -> None:
    """Measure alternately, so that a noisy machine is noisy for both."""
    agent = peer()
    await ours()
    await theirs(agent)
    mine: list[tuple[float, float]] = []
    other: list[float] = []
    for _ in range(ROUNDS):
        mine.append(await ours())
        other.append(await theirs(agent))
    ours_ms, theirs_ms = statistics.median(own for own, _ in mine), statistics.median(other)
    whole_ms = statistics.median(whole for _, whole in mine)
    print(f"rootproof            {ours_ms:.3f} ms a step (median of {ROUNDS} runs, {TURNS + 3} model turns each)")
    print(f"  with memory stores {whole_ms:.3f} ms a step")
    print(f"pydantic-ai Agent    {theirs_ms:.3f} ms a step")
    print(f"ratio                {theirs_ms / ours_ms:.1f}x less")


if __name__ == "__main__":
    asyncio.run(main())
