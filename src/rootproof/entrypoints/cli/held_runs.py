"""Runs that the command line carries out itself, under a lease like any worker's: no server takes a live one over, and
one whose process was killed is finished by the next server or worker."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rootproof.errors import StoreError, UsageError

if TYPE_CHECKING:
    from rootproof.diagnosis.backend import Backend, RunInputs
    from rootproof.diagnosis.services import Watcher
    from rootproof.domain.run import Run
    from rootproof.ports.run_store import RunRows
    from rootproof.settings import Settings


async def finish_here(
    settings: Settings,
    backend: Backend,
    run: Run,
    *,
    watch: Watcher | None = None,
    inputs: RunInputs | None = None,
) -> RunRows:
    """The rows of the run when it is over. `inputs`: what it works with, where it is open already.

    Raises: UsageError when another worker holds it; StoreError when another worker took it over meanwhile.
    """
    from rootproof.diagnosis.carry_out import Terms, carry_out, hold_of
    from rootproof.diagnosis.services import nobody
    from rootproof.entrypoints.worker import lease_of, worker_name
    from rootproof.telemetry import log_about

    lease = lease_of(settings)
    now = backend.services.clock.now()
    claimed = await backend.leases.claim(run.run_id, worker_name(), now=now, until=now + lease)
    if claimed is None:
        return await _not_ours(backend, run)
    with log_about(run.session_id, run.run_id):
        terms = Terms(watch or nobody, retried=False, inputs=inputs)
        try:
            rows = await carry_out(backend, claimed, hold_of(backend, claimed, lease), terms)
        except BaseException:
            with suppress(StoreError):  # whoever comes next need not wait for the lease to run out
                await backend.leases.release(claimed.context)
            raise
    if rows is None:
        raise StoreError(
            f"another worker has taken over run {run.run_id}; `rootproof runs show {run.run_id}` shows how it ends"
        )
    return rows


async def resume_here(settings: Settings, run: Run) -> RunRows:
    """The rows of a stored run when it is over. Raises: UsageError when its inputs are gone or another one holds it."""
    from rootproof.bootstrap.backend import open_backend

    backend = await open_backend(settings)
    try:
        # Opened before the claim: inputs that are not here are no reason to end a run that others can go on with.
        inputs = await backend.inputs_of(run)
        return await finish_here(settings, backend, run, inputs=inputs)
    finally:
        await backend.close()


async def _not_ours(backend: Backend, run: Run) -> RunRows:
    """The rows of a run that was over by the time it was asked for. Raises: UsageError: somebody holds it."""
    rows = await backend.services.runs.load(run.run_id)
    if rows is None:
        raise UsageError(f"there is no run {run.run_id!r}; `rootproof runs list` shows what there is")
    held = rows.run
    if held.leased_until is None or held.leased_until <= backend.services.clock.now():
        return rows
    raise UsageError(
        f"run {held.run_id} is being carried out by {held.worker} (its lease is good until "
        f"{held.leased_until:%Y-%m-%d %H:%M:%S} UTC, and is renewed while that process lives); wait for it, or end "
        "that process and try again after that time"
    )
