"""The truth about sessions, runs, steps and invocations. Rows are append-only but for their status columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import Invocation
from rootproof.domain.run import Run
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step


@dataclass(frozen=True, slots=True)
class RunRows:
    """Everything stored about one run, steps by `step_no`, invocations by `(step_no, call_index)`."""

    run: Run
    steps: tuple[Step, ...]
    invocations: tuple[Invocation, ...]


class RunStore(Protocol):
    """Every write takes the next `seq` of its run in its own transaction. Raises StoreError; StaleWrite where said."""

    async def create_run(self, session: ChatSession, run: Run) -> Run:
        """Insert the session where it is new (or touch it) and the QUEUED run, in one transaction.

        Raises: StoreError when the session exists and belongs to another owner, or the run id is taken.
        """
        ...

    async def load(self, run_id: str, *, owner: str | None = None) -> RunRows | None:
        """The run's rows, or None when there is no such run or it belongs to another owner (None: any owner)."""
        ...

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """Insert the step; returned with `seq` and `created_at`. Raises StaleWrite when `step_no` is taken."""
        ...

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Insert the row in RECEIVED. An unfinished row of the same `(step_no, call_index)` is taken over (a worker
        died in the call); a finished one raises StaleWrite."""
        ...

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Write the row's new state. Raises StaleWrite when the stored row is already final or does not exist."""
        ...

    async def update_run(self, run: Run) -> Run:
        """Write status, reason, report, evaluation and totals. Raises StaleWrite on a transition that the table in
        `domain.run` does not allow from the stored status."""
        ...

    async def list_runs(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`; `before` is the (created_at, run_id) of the last run already seen."""
        ...

    async def latest_run(self, session_id: str, *, owner: str | None = None) -> Run | None:
        """The session's newest run by `created_at DESC, id DESC`, never by `updated_at`."""
        ...

    async def unfinished(self) -> Sequence[str]:
        """Ids of runs that are not terminal, oldest first."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
