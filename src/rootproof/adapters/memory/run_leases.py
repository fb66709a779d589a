"""Leases over an InMemoryRunStore. No method awaits between reading and writing, so every call is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.domain.context import ExecutionContext
from rootproof.domain.run import Run, is_terminal
from rootproof.domain.storable import WORKER_LENGTH, is_storable_id
from rootproof.errors import StoreError


class InMemoryRunLeases:
    """The RunLeases of tests, demos and benchmarks."""

    def __init__(self, runs: InMemoryRunStore) -> None:
        self._runs = runs

    async def claim(self, run_id: str, worker: str, *, now: datetime, until: datetime) -> Run | None:
        """The run under a new `lease_epoch`; None when it is over, absent, or leased at `now`."""
        if not is_storable_id(worker, WORKER_LENGTH):
            raise StoreError(f"a worker's name is 1-{WORKER_LENGTH} printable characters, got {worker!r:.80}")
        run = self._runs.current(run_id)
        if run is None or not _free(run, now):
            return None
        return self._runs.keep(replace(run, lease_epoch=run.lease_epoch + 1, worker=worker, leased_until=_utc(until)))

    async def renew(self, context: ExecutionContext, *, until: datetime) -> Run | None:
        """The run, its lease prolonged; None when the lease is lost."""
        run = self._held(context)
        return None if run is None else self._runs.keep(replace(run, leased_until=_utc(until)))

    async def release(self, context: ExecutionContext) -> Run | None:
        """The unfinished run given back, under a new epoch: what the caller still writes is stale. None when lost."""
        run = self._held(context)
        if run is None:
            return None
        return self._runs.keep(replace(run, lease_epoch=run.lease_epoch + 1, worker=None, leased_until=None))

    async def request_cancel(self, run_id: str, *, owner: str, now: datetime) -> Run | None:
        """The run, its cancellation asked for; None when there is none or it is another owner's."""
        run = self._runs.current(run_id)
        if run is None or run.owner != owner:
            return None
        if is_terminal(run.status):
            return run
        return self._runs.keep(replace(run, cancel_requested_at=run.cancel_requested_at or _utc(now)))

    async def claimable(self, *, now: datetime, limit: int = 100) -> Sequence[tuple[str, int]]:
        """(run id, lease epoch) of runs that are not over and that nobody holds at `now`, oldest first."""
        open_runs = [self._runs.current(run_id) for run_id in await self._runs.unfinished()]
        return tuple((run.run_id, run.lease_epoch) for run in open_runs if run is not None and _free(run, now))[:limit]

    def _held(self, context: ExecutionContext) -> Run | None:
        run = self._runs.current(context.run_id)
        if run is None or is_terminal(run.status) or run.leased_until is None:
            return None
        return run if run.context == context and run.lease_epoch == context.lease_epoch else None


def _free(run: Run, now: datetime) -> bool:
    return not (is_terminal(run.status) or run.compatibility) and (run.leased_until is None or run.leased_until <= now)


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise StoreError(f"a lease needs an aware datetime, got {instant.isoformat()}")
    return instant.astimezone(UTC)
