"""Incidents and their alerts in the store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rootproof.domain.incident import (
    Claim,
    Delivery,
    Incident,
    IncidentAlert,
    IncidentCounts,
    IncidentStatus,
    IntakePolicy,
    Taken,
)


class IncidentStore(Protocol):
    """Raises StoreError."""

    async def take(self, delivery: Delivery, policy: IntakePolicy) -> Taken:
        """What became of the delivery, all of it in one transaction: incidents opened, reopened, attached to, resolved.

        Simultaneous deliveries of one group make one incident. A delivery whose key was seen changes nothing.
        """
        ...

    async def claim_due(self, policy: IntakePolicy, *, now: datetime, limit: int = 20) -> Sequence[Claim]:
        """Incidents whose run the caller must create now, most urgent first; budgets and caps hold across workers.

        A claim that is not `started` by its `lease_until` is given out again, with the same run id. Those that must
        wait get a `status_reason`.
        """
        ...

    async def started(self, claim: Claim) -> None:
        """Note that the claim's run exists; nothing when the incident has moved on."""
        ...

    async def find(self, incident_id: str, *, owner: str) -> Incident | None:
        """The incident; None when there is none or it is another owner's."""
        ...

    async def incidents(
        self,
        owner: str,
        *,
        status: IncidentStatus | None = None,
        backlog: bool | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Incident]:
        """Incidents by `last_alert_at DESC, id DESC`, after the (last_alert_at, incident_id) of the last one seen.

        `backlog`: only those with (or without) a run that is due.
        """
        ...

    async def alerts(self, incident_id: str) -> Sequence[IncidentAlert]:
        """Its alerts in the order of arrival, at most `MAX_ALERTS_KEPT`."""
        ...

    async def resolve(self, incident_id: str, *, owner: str, now: datetime) -> Incident | None:
        """The incident, resolved by hand with all its alerts; None when there is none or it is another owner's."""
        ...

    async def counts(self) -> IncidentCounts:
        """The backlog in numbers, over all owners."""
        ...

    async def forget_deliveries(self, *, before: datetime) -> int:
        """Forget keys of deliveries that arrived before; how many they were."""
        ...
