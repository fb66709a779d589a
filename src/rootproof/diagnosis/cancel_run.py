"""End a run on request: at once where nobody works on it, else through whoever does."""

from __future__ import annotations

import secrets
from datetime import timedelta
from functools import partial

from rootproof.diagnosis.after_run import after_run
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.drive_run import CANCELLED, end_run
from rootproof.diagnosis.hold_run import cancel_topic
from rootproof.domain.run import Run, RunStatus, StatusReason, is_terminal
from rootproof.errors import StaleWrite

_LEASE = timedelta(seconds=30)


async def cancel_run(backend: Backend, run_id: str, *, owner: str) -> Run | None:
    """The run, CANCELLED or about to be; one that is over stays as it is. None: there is none of this owner.

    A repeat changes nothing. Raises: StoreError.
    """
    services = backend.services
    now = services.clock.now()
    run = await backend.leases.request_cancel(run_id, owner=owner, now=now)
    if run is None or is_terminal(run.status):
        return run
    claimed = await backend.leases.claim(run_id, f"cancel:{secrets.token_hex(8)}", now=now, until=now + _LEASE)
    if claimed is None:
        await backend.bus.publish(cancel_topic(run_id))
        return run
    at_end = partial(after_run, backend)
    try:
        rows = await end_run(services, claimed, RunStatus.CANCELLED, StatusReason.CANCELLED, CANCELLED, at_end=at_end)
    except StaleWrite:  # a worker took it just now: it sees the request
        return run
    return rows.run
