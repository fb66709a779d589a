"""Drive a run on in-memory stores with a scripted model: the shortest way to a finished run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.scripted_model import Reply, ScriptedModel, calls
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.services import Services
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.limits import RunLimits
from rootproof.domain.step import Agent
from rootproof.ports.model import Model
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from rootproof.redaction import HIDE_ALL, Policy
from tests.fakes.builtin_playbook import BUILTIN
from tests.fakes.skills import FakeSkills

NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)

PLAN = calls(("submit_plan", {"intent": "INCIDENT", "skills": ["diagnose-pool"], "steps": ["look"], "reason": "r"}))
NO_LOWERING = calls(("submit_verdicts", {"lower": []}))


def report(*claims: dict[str, Any], summary: str = "See the claims.", **more: Any) -> Any:
    """A turn that submits a report."""
    return calls(("submit_report", {"summary": summary, "claims": list(claims)} | more))


def claim(text: str, *cites: str, kind: str = "SYMPTOM", **more: Any) -> dict[str, Any]:
    """One claim of a report."""
    return {"kind": kind, "text": text, "citations": [{"evidence_id": name} for name in cites]} | more


@dataclass
class World:
    """Stores, clock, a model and sources."""

    model: Model
    sources: Sources = field(default_factory=Sources)
    skills: FakeSkills = field(default_factory=FakeSkills)
    limits: RunLimits = field(default_factory=RunLimits)
    runs: Any = field(default_factory=lambda: InMemoryRunStore(FixedClock(NOW)))
    canonical: Any = field(default_factory=InMemoryCanonicalStore)
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    policy: Policy = HIDE_ALL

    @property
    def services(self) -> Services:
        def open_model(spec: str, _skills: object) -> Model:
            return PlaybookModel(BUILTIN) if spec == "playbook" else self.model

        return Services(self.runs, self.canonical, self.clock, open_model, self.limits, self.policy)

    async def start(self, question: str = "why is billing slow?", **more: Any) -> str:
        request = RunRequest(
            question=question, has_payload=bool(self.sources.payload), reasoner=self.model.name, now=NOW, **more
        )
        return (await start_run(self.services, request)).run_id

    async def drive(self, run_id: str) -> RunRows:
        return await drive_run(self.services, run_id, self.sources, self.skills)

    async def diagnose(self, question: str = "why is billing slow?", **more: Any) -> RunRows:
        return await self.drive(await self.start(question, **more))


def scripted(
    executor: Iterable[Reply], planner: Iterable[Reply] = (PLAN,), verifier: Iterable[Reply] = (NO_LOWERING,)
) -> ScriptedModel:
    """A model whose planner and verifier behave, and whose executor plays `executor`."""
    script: Mapping[Agent, Iterable[Reply]] = {
        Agent.PLANNER: planner,
        Agent.EXECUTOR: executor,
        Agent.VERIFIER: verifier,
    }
    return ScriptedModel(script)
