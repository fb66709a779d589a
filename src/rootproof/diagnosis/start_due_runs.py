"""Runs of incidents that are due: claimed, created, enqueued.

The run's id follows from the incident and its number, so a worker that dies between claim and creation loses nothing
(the claim is given out again) and doubles nothing (the store refuses a second run of that id).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.alert import AlertStatus
from rootproof.domain.incident import Claim, IncidentAlert, IntakePolicy
from rootproof.errors import StoreError, UsageError
from rootproof.intake.grouping import rank

log = logging.getLogger("rootproof.intake")

MAX_PAYLOAD_ALERTS = 20
"""Alerts of an incident that its run is given, the most severe first."""
KEEP_DELIVERIES = timedelta(days=7)
"""How long a delivery is known when it is sent again; what a vendor signs without a time can be replayed after that."""


async def start_due_runs(backend: Backend, policy: IntakePolicy, *, now: datetime) -> tuple[str, ...]:
    """The ids of the runs that were begun now. Several workers may call it at the same time.

    One incident whose run cannot be made does not hold up the others: its claim is given out again later.
    Raises: StoreError when incidents cannot be claimed at all.
    """
    begun: list[str] = []
    for claim in await backend.incidents.claim_due(policy, now=now):
        try:
            await _begin(backend, claim)
            begun.append(claim.run_id)
        except (StoreError, UsageError) as error:
            log.warning("the run of incident %s could not be begun: %s", claim.incident.incident_id, error)
    return tuple(begun)


async def forget_old_deliveries(backend: Backend, *, now: datetime) -> int:
    """How many deliveries were forgotten: one that is sent again later is taken again. Raises: StoreError."""
    return await backend.incidents.forget_deliveries(before=now - KEEP_DELIVERIES)


async def _begin(backend: Backend, claim: Claim) -> None:
    found = claim.incident
    rows = _payload(await backend.incidents.alerts(found.incident_id))
    request = RunRequest(
        payload=tuple(row.alert for row in rows),
        session_id=found.session_id,
        owner=found.owner,
        reasoner=backend.basis.reasoner,
        now=backend.basis.now,
        sources=dict(backend.basis.sources),
        severity=found.severity,
        incident_id=found.incident_id,
        run_id=claim.run_id,
    )
    try:
        await start_run(backend.services, request)
    except StoreError:
        # Another worker made it after this one's claim had run out: it is the same run.
        if await backend.services.runs.load(claim.run_id) is None:
            raise
    await backend.incidents.started(claim)
    await backend.queue.enqueue(claim.run_id)


def _payload(rows: Sequence[IncidentAlert]) -> list[IncidentAlert]:
    """The alerts that a run looks at: firing ones, the most severe and then the first ones first."""
    firing = [row for row in rows if row.status == AlertStatus.FIRING.value] or list(rows)
    firing.sort(key=lambda row: -rank(row.alert.severity))
    return firing[:MAX_PAYLOAD_ALERTS]
