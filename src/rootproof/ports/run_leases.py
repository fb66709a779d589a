"""Who works on a run. A claim is a lease with a fencing number: a worker that lost its lease cannot write any more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rootproof.domain.context import ExecutionContext
from rootproof.domain.run import Run


class RunLeases(Protocol):
    """Claims on runs, in the same rows as the runs. Raises StoreError."""

    async def claim(self, run_id: str, worker: str, *, now: datetime, until: datetime) -> Run | None:
        """The run under a new `lease_epoch`; None when it is over, absent, or leased at `now`, by whomever.

        Every write of an older epoch is refused with StaleWrite from here on.
        """
        ...

    async def renew(self, context: ExecutionContext, *, until: datetime) -> Run | None:
        """The run, its lease prolonged (`cancel_requested_at` says whether to stop); None when the lease is lost or
        the run is over. A lease whose time has run out is prolonged all the same while nobody else has claimed."""
        ...

    async def release(self, context: ExecutionContext) -> Run | None:
        """The unfinished run given back, so that another worker can take it at once; None when the lease is lost.

        It has a new epoch: whatever the caller still tries to write is stale.
        """
        ...

    async def request_cancel(self, run_id: str, *, owner: str, now: datetime) -> Run | None:
        """The run, its cancellation asked for: whoever holds it or claims it next ends it as CANCELLED. None when there
        is none or it is another owner's. A run that is over stays as it is."""
        ...

    async def claimable(self, *, now: datetime, limit: int = 100) -> Sequence[tuple[str, int]]:
        """(run id, lease epoch) of runs that are not over and that nobody holds at `now`, oldest first."""
        ...
