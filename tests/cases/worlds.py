"""Runs of a shipped scenario on stores in memory, with and without past cases."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from rootproof.adapters.index.cases import with_cases
from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.cases import InMemoryCaseStore
from rootproof.adapters.memory.feedback import InMemoryFeedbackStore
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.bootstrap import SourceSpec, open_inputs
from rootproof.diagnosis.cases import known_cases
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.give_feedback import BoundRun, Said, give_feedback
from rootproof.diagnosis.services import Services
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.case import Case, new_case_id
from rootproof.domain.feedback import FeedbackVerdict, ResolvedBy
from rootproof.ports.model import Model
from rootproof.ports.run_store import RunRows
from rootproof.scenarios import scenario_path
from rootproof.settings import Settings
from tests.contracts.conftest import T0, TickingClock
from tests.fakes.builtin_playbook import BUILTIN

HELPFUL = Said(FeedbackVerdict.HELPFUL)


@dataclass
class CaseWorld:
    """Stores in memory, and what happens on them."""

    clock: TickingClock = field(default_factory=TickingClock)
    model: Model = field(default_factory=lambda: PlaybookModel(BUILTIN))

    def __post_init__(self) -> None:
        self.runs = InMemoryRunStore(self.clock)
        self.canonical = InMemoryCanonicalStore()
        self.feedback = InMemoryFeedbackStore(self.runs, self.clock)
        self.cases = InMemoryCaseStore(self.clock)

    @property
    def services(self) -> Services:
        return Services(self.runs, self.canonical, self.clock, lambda _spec, _skills: self.model)

    async def diagnose(self, scenario: str = "order-pool-leak", *, owner: str = "ana", question: str = "") -> RunRows:
        """A run of the scenario, with the owner's cases in its memory."""
        spec = SourceSpec(bundle=str(scenario_path(scenario)))
        inputs = open_inputs(Settings(), spec)
        sources = with_cases(inputs.sources, await known_cases(self.cases, owner), store=self.cases)
        request = RunRequest(
            question=question or inputs.question,
            has_payload=bool(sources.payload) and not question,
            owner=owner,
            now=inputs.now,
            reasoner=self.model.name,
            sources=spec.as_json(),
        )
        run = await start_run(self.services, request)
        if question:
            sources = replace(sources, payload=())
        return await drive_run(self.services, run.run_id, sources, inputs.skills)

    async def say(self, rows: RunRows, said: Said = HELPFUL) -> None:
        """Feedback on a run that is over."""
        await give_feedback(self.feedback, BoundRun(rows, ResolvedBy.RUN_ID), said)

    async def remember(self, **changes: Any) -> Case:
        """A case that was made some other time."""
        return await self.cases.add(a_case(**changes))


def a_case(**changes: Any) -> Case:
    """A case of the pool leak, told by somebody else's run."""
    case = Case(
        case_id=new_case_id(),
        diagnosis_id="run-of-last-year",
        owner="ana",
        title="OrderIntakeHighErrorRate: a connection leak in order-intake",
        symptom="order-intake answers 5xx, requests wait for a database connection",
        root_cause="order-intake leaks database connections",
        solution="Roll back the deploy.",
        cause_id="connection_leak",
        objects=("app/order-intake",),
        service="order-intake",
        alert_name="OrderIntakeHighErrorRate",
        created_at=T0,
    )
    return replace(case, **changes)
