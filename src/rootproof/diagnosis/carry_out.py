"""Carry out a run that this process has claimed: open its inputs, drive it, end it with a reason whatever happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from rootproof.diagnosis.after_run import after_run
from rootproof.diagnosis.backend import Backend, RunInputs
from rootproof.diagnosis.drive_run import CANCELLED, drive_run, end_run
from rootproof.diagnosis.history import SessionRecall
from rootproof.diagnosis.hold_run import Ending, HeldRunStore, Hold
from rootproof.diagnosis.observe import observe_run
from rootproof.diagnosis.services import Progress, Services, Watcher, nobody
from rootproof.domain.run import Run, RunStatus, StatusReason, is_terminal
from rootproof.errors import RootproofError, StaleWrite, StoreError
from rootproof.ports.event_bus import EventBus
from rootproof.ports.run_store import RunRows

_log = logging.getLogger(__name__)

MAX_FRUITLESS_CLAIMS = 10
"""Claims of a run beyond one for each of its rows: it then ends whoever works on it, and is given up."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How one run is carried out."""

    watch: Watcher = nobody
    retried: bool = True
    """Whether somebody claims the run again when the store fails under it."""
    inputs: RunInputs | None = None
    """What the run works with, where it is open already."""


def hold_of(backend: Backend, claimed: Run, lease: timedelta) -> Hold:
    """A hold of a run that was claimed just now."""
    return Hold(backend.leases, backend.bus, backend.services.clock, claimed, lease)


async def carry_out(backend: Backend, claimed: Run, hold: Hold, terms: Terms | None = None) -> RunRows | None:
    """The rows of the run when it is over; None when it was given back, or another worker has it.

    Raises: StoreError; whatever is a defect of ours, after the run was ended for it.
    """
    services = replace(backend.services, runs=HeldRunStore(backend.services.runs, hold))
    at_end = partial(after_run, backend)
    try:
        rows = await hold.during(_attempt(backend, services, claimed, terms or Terms()))
        if rows is None and hold.ending is Ending.CANCELLED:
            rows = await end_run(
                services, claimed, RunStatus.CANCELLED, StatusReason.CANCELLED, CANCELLED, at_end=at_end
            )
    except StaleWrite as error:
        _log.warning("stopped: %s", error)
        rows = None
    if rows is None:
        rows = await services.runs.load(claimed.run_id)
    if rows is None or not is_terminal(rows.run.status):
        return None
    if rows.run.lease_epoch == claimed.lease_epoch:
        _observed(backend, rows)
    return rows


async def _attempt(backend: Backend, services: Services, run: Run, terms: Terms) -> RunRows:
    at_end = partial(after_run, backend)
    ended: Callable[..., Awaitable[RunRows]] = partial(end_run, services, run, at_end=at_end)
    if run.lease_epoch > MAX_FRUITLESS_CLAIMS + run.step_count + run.tool_call_count:
        return await _given_up(services, run, ended)
    if run.cancel_requested_at is not None:
        return await ended(RunStatus.CANCELLED, StatusReason.CANCELLED, CANCELLED)
    try:
        inputs = terms.inputs or await backend.inputs_of(run)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a file holds: the run ends with a reason, not tried for ever
        _log.warning("the inputs could not be opened: %s", type(error).__name__)
        known = isinstance(error, RootproofError)
        said = error if known else RootproofError(f"the inputs are damaged ({type(error).__name__})")
        return await ended(RunStatus.FAILED, StatusReason.INTERNAL_ERROR, said)
    return await drive_run(
        services,
        run.run_id,
        inputs.sources,
        inputs.skills,
        watch=_telling(backend.bus, run.run_id, terms.watch),
        claimed=run,
        at_end=at_end,
        retried=terms.retried,
        history=SessionRecall(services.runs, backend.sessions),
    )


def _telling(bus: EventBus, run_id: str, watch: Watcher) -> Watcher:
    """The watcher, and whoever listens to the run is told whose turn has begun.

    Not what a model says: its words are redacted whole, and a secret may lie across two pieces.
    """
    telling: set[asyncio.Task[None]] = set()

    def tell(progress: Progress) -> None:
        watch(progress)
        if progress.asked is not None:
            said = {"agent": progress.asked.value, "status": "ASKED"}
            task = asyncio.get_running_loop().create_task(bus.publish(run_id, said))
            telling.add(task)
            task.add_done_callback(telling.discard)

    return tell


async def _given_up(services: Services, run: Run, ended: Callable[..., Awaitable[RunRows]]) -> RunRows:
    """The run FAILED; also where its rows are such that not even an END step can be made of them."""
    detail = f"{run.lease_epoch - 1} workers began or went on with this run and did not get anywhere; it is given up"
    _log.error("%s", detail)
    try:
        return await ended(RunStatus.FAILED, StatusReason.INTERNAL_ERROR, detail)
    except StoreError:
        raise
    except Exception as error:  # the rows themselves are what no worker survives
        _log.exception("the run cannot be ended with a report")
        failed = replace(run, status=RunStatus.FAILED, status_reason=StatusReason.INTERNAL_ERROR)
        await services.runs.update_run(failed)
        rows = await services.runs.load(run.run_id)
        if rows is None:
            raise StoreError(f"run {run.run_id} is gone") from error
        return rows


def _observed(backend: Backend, rows: RunRows) -> None:
    try:
        observe_run(backend.telemetry, rows, content=backend.span_content)
    except Exception:  # noqa: BLE001 - what measures must not break what is measured
        _log.exception("the run could not be measured")
