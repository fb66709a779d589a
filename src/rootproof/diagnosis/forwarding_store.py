"""What the wrappers of a RunStore have in common: reads go through, every write passes one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import Invocation
from rootproof.domain.run import Run
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step
from rootproof.ports.run_store import RunRows, RunStore

T = TypeVar("T")


class ForwardingRunStore:
    """The store inside, as it is. A wrapper says in `_write` what is done around a write."""

    def __init__(self, inside: RunStore) -> None:
        self.inside = inside

    async def _write(self, run_id: str, write: Callable[[], Awaitable[T]]) -> T:  # noqa: ARG002 - for wrappers
        return await write()

    async def create_run(self, session: ChatSession, run: Run) -> Run:
        """See RunStore."""
        return await self._write(run.run_id, lambda: self.inside.create_run(session, run))

    async def load(self, run_id: str, *, owner: str | None = None) -> RunRows | None:
        """See RunStore."""
        return await self.inside.load(run_id, owner=owner)

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """See RunStore."""
        return await self._write(context.run_id, lambda: self.inside.append_step(context, step))

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """See RunStore."""
        return await self._write(context.run_id, lambda: self.inside.open_invocation(context, invocation))

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """See RunStore."""
        return await self._write(context.run_id, lambda: self.inside.update_invocation(context, invocation))

    async def update_run(self, run: Run) -> Run:
        """See RunStore."""
        return await self._write(run.run_id, lambda: self.inside.update_run(run))

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
