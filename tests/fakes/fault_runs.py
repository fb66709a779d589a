"""One fault, one run: on memory stores, over HTTP with the real provider adapter or with a scripted model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rootproof.adapters.memory.clock import SystemClock
from rootproof.adapters.memory.scripted_model import ScriptedModel
from rootproof.bootstrap import SourceSpec, open_inputs
from rootproof.diagnosis.present import RunView, run_view
from rootproof.domain.limits import RunLimits
from rootproof.domain.step import Agent
from rootproof.ports.model import AssistantMessage, FinishReason, Model, ModelReply, ModelRequest, ToolCall
from rootproof.ports.run_store import RunRows
from rootproof.settings import Settings
from tests.fakes.driving import World
from tests.fakes.provider_faults import Entry, Fault


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it."""

    rows: RunRows
    view: RunView
    requests: list[tuple[str, int]]
    """Agent and point of each request that the model got."""


async def play(model: Model, bundle: Path, **limits: Any) -> tuple[RunRows, RunView]:
    """A run of `bundle` with `model`."""
    inputs = open_inputs(Settings(), SourceSpec(bundle=str(bundle)))
    bounds = RunLimits(**limits)
    world = World(model, inputs.sources, inputs.skills, limits=bounds, clock=SystemClock())  # type: ignore[arg-type]
    rows = await world.diagnose(inputs.question)
    return rows, run_view(rows)


async def play_scripted(fault: Fault, bundle: Path, **limits: Any) -> Played:
    """The fault without a provider: its entries as a model's replies."""
    model = _Endless(fault)
    rows, view = await play(model, bundle, **limits)
    points = [(request.agent.value.lower(), _point(request)) for request in model.requests]
    return Played(rows, view, points)


class _Endless(ScriptedModel):
    """A scripted model that goes on with the fault's last entries."""

    def __init__(self, fault: Fault) -> None:
        super().__init__({})
        self._parts = {Agent.PLANNER: fault.planner, Agent.EXECUTOR: fault.executor, Agent.VERIFIER: fault.verifier}
        self._period = fault.period

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        self.requests.append(request)
        entries, point = self._parts[request.agent], _point(request)
        if point >= len(entries):
            point = len(entries) - self._period + (point - len(entries)) % self._period
        return reply_of(entries[point])


def _point(request: ModelRequest) -> int:
    return sum(isinstance(message, AssistantMessage) for message in request.messages)


def reply_of(entry: Entry) -> ModelReply:
    """An entry as the adapter would hand it on."""
    wanted = entry.get("calls", [])
    ids = entry.get("ids", [f"call_{number}" for number in range(len(wanted))])
    calls = tuple(
        ToolCall(ids[number % len(ids)], name, value if isinstance(value, str) else json.dumps(value))
        for number, (name, value) in enumerate(wanted)
    )
    reasons = {"length": FinishReason.LENGTH}
    reason = FinishReason.REFUSAL if "refusal" in entry else reasons.get(entry.get("finish_reason", ""))
    text = (entry.get("text") or "") + "word " * (entry.get("fill_chars", 0) // 5)
    return ModelReply(text, calls, reason or FinishReason.STOP, input_tokens=321, output_tokens=45)
