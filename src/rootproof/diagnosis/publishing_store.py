"""A RunStore that says on the bus that a run has moved, after every write that was stored."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import Invocation
from rootproof.domain.run import Run
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step
from rootproof.ports.event_bus import EventBus
from rootproof.ports.run_store import RunRows, RunStore

T = TypeVar("T")

_log = logging.getLogger(__name__)


class PublishingRunStore:
    """The store inside, with its writes told to who listens. The bus never makes a write fail."""

    def __init__(self, inside: RunStore, bus: EventBus) -> None:
        self.inside = inside
        self._bus = bus

    async def create_run(self, session: ChatSession, run: Run) -> Run:
        """See RunStore."""
        return await self._told(run.run_id, await self.inside.create_run(session, run))

    async def load(self, run_id: str, *, owner: str | None = None) -> RunRows | None:
        """See RunStore."""
        return await self.inside.load(run_id, owner=owner)

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """See RunStore."""
        return await self._told(context.run_id, await self.inside.append_step(context, step))

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """See RunStore."""
        return await self._told(context.run_id, await self.inside.open_invocation(context, invocation))

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """See RunStore."""
        return await self._told(context.run_id, await self.inside.update_invocation(context, invocation))

    async def update_run(self, run: Run) -> Run:
        """See RunStore."""
        return await self._told(run.run_id, await self.inside.update_run(run))

    async def list_runs(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Run]:
        """See RunStore."""
        return await self.inside.list_runs(owner=owner, session_id=session_id, limit=limit, before=before)

    async def latest_run(self, session_id: str, *, owner: str | None = None) -> Run | None:
        """See RunStore."""
        return await self.inside.latest_run(session_id, owner=owner)

    async def unfinished(self) -> Sequence[str]:
        """See RunStore."""
        return await self.inside.unfinished()

    async def close(self) -> None:
        """See RunStore."""
        await self.inside.close()

    async def _told(self, run_id: str, stored: T) -> T:
        try:
            await self._bus.publish(run_id)
        except Exception as error:  # noqa: BLE001 - the row is stored; a stream that hears later is all that is lost
            _log.warning("a change could not be announced: %s", type(error).__name__)
        return stored
