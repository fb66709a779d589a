"""The queue wakes workers; the rows say what there is to do. Losing a job delays a run, never loses it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol


class RunQueue(Protocol):
    """One job a key, at least once. Nothing here raises for a queue that cannot be reached: the sweep finds the run."""

    async def enqueue(self, run_id: str, *, epoch: int = 0) -> None:
        """Ask for a worker; the key is run id and lease epoch.

        While a job of that key waits or is carried out a repeat changes nothing. Once it is over the same key is a new
        job: a run that is done, or held by somebody, refuses the claim, so this costs one look at its row.
        """
        ...

    async def work(self, handle: Callable[[str], Awaitable[None]], *, concurrency: int) -> None:
        """Take jobs and `await handle(run_id)`, `concurrency` at a time, until cancelled.

        The first cancellation stops the taking; `work` ends when the jobs under way have ended by themselves. A second
        one cancels these too. A `handle` that raises is logged and not called again for that job.
        """
        ...

    async def close(self) -> None:
        """Release connections. `work` is over before."""
        ...
