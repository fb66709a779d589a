"""One session after the other on stores of a test: ask, drive, remember, as a worker does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from rootproof.adapters.memory.scripted_model import Reply, ScriptedModel
from rootproof.adapters.memory.session_context import InMemorySessionContext
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.history import SessionRecall, remember
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.model import ModelRequest, UserMessage
from rootproof.ports.run_store import RunRows
from rootproof.ports.session_context import SessionContextStore
from rootproof.ports.sources import Sources
from tests.fakes.driving import World, scripted


@dataclass
class Talk:
    """A session of one owner; every question may have a model of its own."""

    world: World
    session: str = "ses-talk"
    owner: str = "ana"
    sessions: SessionContextStore | None = field(default_factory=InMemorySessionContext)

    async def ask(self, question: str, executor: Iterable[Reply] | None = None, **more: Any) -> RunRows:
        """The finished run; without `executor` the playbook reasoner answers."""
        run_id = await self.begin(question, executor, **more)
        return await self.drive(run_id)

    async def begin(self, question: str, executor: Iterable[Reply] | None = None, **more: Any) -> str:
        """A queued run."""
        model = scripted(executor) if executor is not None else ScriptedModel({}, name="playbook")
        self.world = replace(self.world, model=model)
        return await self.world.start(question, session_id=self.session, owner=self.owner, **more)

    async def drive(self, run_id: str) -> RunRows:
        """The run driven to its end by the model that was begun last, and remembered."""
        services, world = self.world.services, self.world

        async def at_end(rows: RunRows) -> None:
            if self.sessions is not None:
                await remember(self.sessions, rows, ttl=services.session_ttl)

        recall = SessionRecall(services.runs, self.sessions)
        return await drive_run(services, run_id, world.sources, world.skills, at_end=at_end, history=recall)

    def beside(self, **more: Any) -> Talk:
        """Another session or owner on the same stores."""
        return replace(self, **more)

    @property
    def requests(self) -> list[ModelRequest]:
        """What the last model was asked."""
        assert isinstance(self.world.model, ScriptedModel)
        return self.world.model.requests


def talk(sources: Sources, **more: Any) -> Talk:
    """A session on fresh stores in memory."""
    return Talk(World(model=scripted(()), sources=sources), **more)


def first_message(requests: Iterable[ModelRequest], agent: Agent) -> UserMessage:
    """The first message of the agent's first request."""
    request = next(each for each in requests if each.agent is agent)
    message = request.messages[0]
    assert isinstance(message, UserMessage)
    return message


def shown(message: UserMessage, origin: str) -> str:
    """What stands in the message's fence of this origin; empty where there is none."""
    return next((part.content for part in message.data if part.origin == origin), "")


def briefing_of(rows: RunRows) -> Step:
    """The BRIEFING step."""
    return next(step for step in rows.steps if step.kind is StepKind.BRIEFING)
