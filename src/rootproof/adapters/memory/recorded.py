"""A stored run as model, sources, skills, clock and store of its own replay: nothing outside it is asked.

Invariant: what comes back depends on the stored rows alone, never on the time or the machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import Invocation, is_final
from rootproof.domain.playbook import Playbook
from rootproof.domain.skill import Skill, SkillInfo
from rootproof.domain.step import MODEL_STEPS, Step
from rootproof.errors import ModelError, SourceError, SourceUnavailable, UsageError
from rootproof.ports.model import ModelReply, ModelRequest


@dataclass(slots=True)
class RecordedClock:
    """The run's time by how many of its rows are written: it moves only where the run's course depended on it."""

    instant: datetime
    """The wall clock, for all of the replay."""
    schedule: Sequence[tuple[int, float]]
    """(rows written, what the stopwatch shows from then on), in order."""
    rows: int
    """Rows (steps and finished calls) that the run had before its END step."""
    stop: BaseException | None = None
    """What ended the run early; raised once, at the first look at the stopwatch after the last row."""
    written: int = 0
    _started: bool = False

    def now(self) -> datetime:
        """See ports.clock.Clock."""
        return self.instant

    def monotonic(self) -> float:
        """See ports.clock.Clock; 0 at the first look, which is the start of the replay."""
        if not self._started:
            self._started = True
            return 0.0
        if self.stop is not None and self.written >= self.rows:
            stop, self.stop = self.stop, None
            raise stop
        return next((shown for rows, shown in reversed(self.schedule) if rows <= self.written), 0.0)


class RecordedRunStore(InMemoryRunStore):
    """The store of the replay: it moves the clock on, and keeps what a model said as it was said."""

    def __init__(
        self, clock: RecordedClock, turns: Mapping[int, Step], calls: Mapping[tuple[int, int], Invocation]
    ) -> None:
        super().__init__(clock)
        self._recorded_clock = clock
        self._turns = turns
        self._calls = calls

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """See ports.run_store.RunStore; a model's turn has the stored words, whatever became of them on the way."""
        said = self._turns.get(step.step_no)
        if said is not None and said.agent is step.agent and step.kind in MODEL_STEPS:
            step = replace(said, input_hash=step.input_hash, input_summary=step.input_summary)
        row = await super().append_step(context, step)
        self._recorded_clock.written += 1
        return row

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """See ports.run_store.RunStore; with the stored row in place of one that cannot be made again."""
        if not is_final(invocation.status):
            return await super().update_invocation(context, invocation)
        kept = self._calls.get((invocation.step_no, invocation.call_index), invocation)
        row = await super().update_invocation(context, kept)
        self._recorded_clock.written += 1
        return row


@dataclass(slots=True)
class RecordedModel:
    """Answers every request with the next stored turn, whoever asks. Raises: ModelError, also behind the last."""

    name: str
    turns: list[ModelReply | ModelError]
    """Shared by all models of one replay; taken from the front."""

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:  # noqa: ARG002 - answers at once
        """See ports.model.Model."""
        if not self.turns:
            raise ModelError(f"the stored run holds no further turn for the {request.agent}")
        turn = self.turns.pop(0)
        if isinstance(turn, ModelError):
            raise turn
        return turn


class Echo:
    """Any source that answers with the query: what a stored call asked, in the code's words of today."""

    name = ""
    kind = ""

    async def fetch(self, query: object, *, deadline_s: float) -> str:  # noqa: ARG002 - see ports.sources
        """The query as text."""
        return repr(query)

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:  # noqa: ARG002 - see ports.sources
        """The query as text."""
        return repr((query, top_k))


@dataclass(slots=True)
class RecordedSource:
    """Any source, as its stored answers."""

    name: str
    kind: str
    answers: Mapping[str, list[str | SourceError | asyncio.CancelledError]]
    """Query, as `Echo` writes it -> what came back, each time it was asked."""

    async def fetch(self, query: object, *, deadline_s: float) -> str:
        """See ports.sources. Raises: SourceError as stored; SourceUnavailable where the run did not ask this."""
        return self._answer(await Echo().fetch(query, deadline_s=deadline_s))

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        """See ports.sources.KnowledgeSource."""
        return self._answer(await Echo().search(query, top_k=top_k, deadline_s=deadline_s))

    def _answer(self, query: str) -> str:
        left = self.answers.get(query)
        if not left:
            raise SourceUnavailable("the stored run has no answer to this call")
        answer = left.pop(0)
        if isinstance(answer, str):
            return answer
        raise answer


@dataclass(slots=True)
class RecordedSkills:
    """The skills that the run was told of, and the answers to its reads in their order."""

    known: Sequence[SkillInfo]
    reads: list[Skill | UsageError] = field(default_factory=list)

    def infos(self) -> Sequence[SkillInfo]:
        """See ports.skills.SkillCatalog."""
        return self.known

    def playbooks(self) -> Sequence[Playbook]:
        """None: the reasoner's turns are stored."""
        return ()

    def read(self, name: str) -> Skill:
        """See ports.skills.SkillCatalog."""
        if not self.reads:
            raise UsageError(f"the stored run did not read the skill {name!r}")
        answer = self.reads.pop(0)
        if isinstance(answer, UsageError):
            raise answer
        return answer
