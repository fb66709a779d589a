"""`/metrics`: this process's counters, and how much is waiting in the store, for Prometheus."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Response

from rootproof.diagnosis.backend import Backend
from rootproof.domain.outgoing import OutboxStatus
from rootproof.domain.run import RunStatus
from rootproof.entrypoints.http.deps import BackendDep, Reader, SettingsDep
from rootproof.errors import StoreError
from rootproof.telemetry import INCIDENTS_WAITING, OUTBOX_WAITING, QUEUE_ROOM, RUNS_OPEN

router = APIRouter(tags=["operations"])
log = logging.getLogger("rootproof.http")
_PLAIN = "text/plain; version=0.0.4; charset=utf-8"


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    description="Counters and histograms of this process, and gauges read from the store: runs that have not ended, "
    "room in the queue, incidents and reports that wait. Where the store does not answer the gauges keep their value.",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(backend: BackendDep, settings: SettingsDep, _: Reader) -> Response:
    """The exposition."""
    try:
        await _measure_store(backend, settings.worker.max_queued)
    except StoreError:
        log.warning("the store did not answer: /metrics shows its gauges as they were")
    return Response(backend.telemetry.exposition(), media_type=_PLAIN)


async def _measure_store(backend: Backend, max_queued: int) -> None:
    telemetry = backend.telemetry
    runs = await backend.directory.counts()
    for status in (RunStatus.QUEUED, RunStatus.RUNNING):
        telemetry.set(RUNS_OPEN, {"status": status.value}, runs.get(status, 0))
    telemetry.set(QUEUE_ROOM, {}, max(0, max_queued - runs.get(RunStatus.QUEUED, 0)))
    telemetry.set(INCIDENTS_WAITING, {}, (await backend.incidents.counts()).waiting)
    telemetry.set(OUTBOX_WAITING, {}, (await backend.outbox.counts()).get(OutboxStatus.PENDING, 0))
