"""Incidents in dicts. `take` and `claim_due` read runs first and then change rows without awaiting in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.stored_form import stored_form
from rootproof.domain.alert import AlertStatus
from rootproof.domain.incident import (
    AlertGroup,
    Claim,
    Delivery,
    Incident,
    IncidentAlert,
    IncidentCounts,
    IncidentStatus,
    IntakePolicy,
    Taken,
    TakenGroup,
    check_delivery,
    incident_run_id,
)
from rootproof.domain.run import is_terminal
from rootproof.intake.lifecycle import (
    STARTING,
    Kept,
    KnownAlert,
    LastRun,
    absorb,
    opened_by,
    postponed,
    resolved_by_hand,
)
from rootproof.ports.run_store import RunStore

_LEASE = timedelta(seconds=30)
_DAY = timedelta(days=1)


class InMemoryIncidentStore:
    """The IncidentStore of tests and demos; gone with the process."""

    def __init__(self, runs: RunStore | None = None) -> None:
        self._runs = runs if runs is not None else InMemoryRunStore()
        self._incidents: dict[str, Incident] = {}
        """In the order of insertion: the `id` of the SQL row."""
        self._groups: dict[tuple[str, str], str] = {}
        self._alerts: dict[str, dict[str, IncidentAlert]] = {}
        self._deliveries: dict[tuple[str, str], tuple[datetime, str | None]] = {}

    async def take(self, delivery: Delivery, policy: IntakePolicy) -> Taken:
        """What became of the delivery. One whose key was seen changes nothing."""
        check_delivery(delivery)
        last = {incident_id: await self._last_run(row) for incident_id, row in list(self._incidents.items())}
        if delivery.key is not None and (seen := self._deliveries.get((delivery.owner, delivery.key))) is not None:
            return Taken(repeat=True, incident_id=seen[1])
        groups: list[TakenGroup] = []
        ignored = 0
        for group in delivery.groups:
            found = self._take_group(delivery, group, last, policy)
            if found is None:
                ignored += len(group.alerts)
            else:
                groups.append(found)
        if delivery.key is not None:
            first = groups[0].incident.incident_id if groups else None
            self._deliveries[delivery.owner, delivery.key] = (delivery.received_at, first)
        return Taken(tuple(groups), ignored)

    def _take_group(
        self, delivery: Delivery, group: AlertGroup, last: dict[str, LastRun | None], policy: IntakePolicy
    ) -> TakenGroup | None:
        key = (delivery.owner, group.group_hash)
        if key not in self._groups:
            if not group.fires:
                return None
            opened = stored_form(opened_by(group, owner=delivery.owner, now=delivery.received_at), where="incident")
            self._groups[key] = opened.incident_id
            self._incidents[opened.incident_id] = opened
            self._alerts[opened.incident_id] = {}
        incident_id = self._groups[key]
        rows = self._alerts[incident_id]
        now = delivery.received_at.astimezone(UTC)
        kept = _kept(rows, group)
        found = absorb(self._incidents[incident_id], kept, group, last.get(incident_id), policy, now)
        for row in found.written:
            rows[row.fingerprint] = stored_form(row, where="incident_alert")
        self._incidents[incident_id] = found.incident
        return TakenGroup(found.incident, found.effect)

    async def claim_due(self, policy: IntakePolicy, *, now: datetime, limit: int = 20) -> Sequence[Claim]:
        """Incidents whose run the caller must create now; the others get a reason why they wait."""
        last = {incident_id: await self._last_run(row) for incident_id, row in list(self._incidents.items())}
        runs = await self._runs.list_runs(limit=1_000_000)
        ours = [run for run in runs if run.incident_id is not None]
        starting = sum(
            1
            for incident_id, row in self._incidents.items()
            if row.next_run_at is not None and row.next_run_at > now and _is_starting(row, last.get(incident_id))
        )
        open_ = sum(1 for run in ours if not is_terminal(run.status)) + starting
        today = sum(1 for run in ours if run.created_at is not None and run.created_at > now - _DAY) + starting
        left_today, left_open = policy.daily_runs - today, policy.max_open_runs - open_
        why = (
            f"the daily budget of {policy.daily_runs} runs is spent"
            if left_today <= left_open
            else f"{policy.max_open_runs} runs of alerts are open, as many as are allowed"
        )
        room = min(max(0, min(left_today, left_open)), limit)
        due = [row for row in self._incidents.values() if row.next_run_at is not None and row.next_run_at <= now]
        claims: list[Claim] = []
        for row in sorted(due, key=lambda item: item.next_run_at or now)[:100]:
            changed = _claimed(row, last.get(row.incident_id), policy, now, free=len(claims) < room, why=why)
            self._incidents[row.incident_id] = changed
            if changed.status_reason == STARTING and changed.run_id is not None:
                claims.append(Claim(changed, changed.run_id, now + _LEASE))
        return tuple(claims)

    async def started(self, claim: Claim) -> None:
        """Note that the claim's run exists; nothing when the incident has moved on."""
        row = self._incidents.get(claim.incident.incident_id)
        if (
            row is not None
            and (row.run_id, row.next_run_at) == (claim.run_id, claim.lease_until)
            and row.status_reason == STARTING
        ):
            self._incidents[row.incident_id] = replace(row, next_run_at=None, status_reason=None)

    async def find(self, incident_id: str, *, owner: str) -> Incident | None:
        """The incident; None when there is none or it is another owner's."""
        row = self._incidents.get(incident_id)
        return row if row is not None and row.owner == owner else None

    async def incidents(
        self,
        owner: str,
        *,
        status: IncidentStatus | None = None,
        backlog: bool | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Incident]:
        """Incidents by `last_alert_at DESC, id DESC`, from the one after `before`."""
        numbers = {incident_id: number for number, incident_id in enumerate(self._incidents, 1)}
        found = [
            row
            for row in self._incidents.values()
            if row.owner == owner
            and (status is None or row.status is status)
            and (backlog is None or (row.next_run_at is not None) is backlog)
        ]
        if before is not None:
            known = before[1] in self._incidents and self._incidents[before[1]].owner == owner
            seen = (before[0].astimezone(UTC), numbers[before[1]] if known else 0)
            found = [row for row in found if (row.last_alert_at, numbers[row.incident_id]) < seen]
        found.sort(key=lambda row: (row.last_alert_at, numbers[row.incident_id]), reverse=True)
        return tuple(found[: max(0, limit)])

    async def alerts(self, incident_id: str) -> Sequence[IncidentAlert]:
        """Its alerts in the order of arrival."""
        return tuple(self._alerts.get(incident_id, {}).values())

    async def resolve(self, incident_id: str, *, owner: str, now: datetime) -> Incident | None:
        """The incident, resolved by hand with all its alerts; None when there is none or it is another owner's."""
        row = await self.find(incident_id, owner=owner)
        if row is None or row.status is IncidentStatus.RESOLVED:
            return row
        last = await self._last_run(row)
        self._incidents[incident_id] = closed = resolved_by_hand(row, last, now.astimezone(UTC))
        rows = self._alerts[incident_id]
        self._alerts[incident_id] = {
            key: replace(alert, status=AlertStatus.RESOLVED.value) for key, alert in rows.items()
        }
        return closed

    async def counts(self) -> IncidentCounts:
        """The backlog in numbers, over all owners."""
        open_ = [row for row in self._incidents.values() if row.status is IncidentStatus.OPEN]
        due = [row for row in open_ if row.next_run_at is not None]
        return IncidentCounts(len(open_), len(due), sum(1 for row in due if row.status_reason != STARTING))

    async def forget_deliveries(self, *, before: datetime) -> int:
        """Forget keys of deliveries that arrived before; how many they were."""
        old = [key for key, (at, _) in self._deliveries.items() if at < before]
        for key in old:
            del self._deliveries[key]
        return len(old)

    async def _last_run(self, row: Incident) -> LastRun | None:
        if row.run_id is None:
            return None
        rows = await self._runs.load(row.run_id)
        if rows is None:
            return LastRun(False, True, None, None) if row.status_reason == STARTING else None
        if not is_terminal(rows.run.status):
            return LastRun(True, True, rows.run.severity, None)
        ended = max((step.created_at for step in rows.steps if step.created_at is not None), default=None)
        return LastRun(True, False, rows.run.severity, ended or rows.run.created_at)


def _kept(rows: dict[str, IncidentAlert], group: AlertGroup) -> Kept:
    """What is kept of the alerts, after resolved ones made room for those that are new."""
    named = group.states
    kept = Kept(
        known={
            key: KnownAlert(AlertStatus(rows[key].status), rows[key].count, rows[key].first_at)
            for key in named
            if key in rows
        },
        firing=sum(1 for row in rows.values() if row.status == AlertStatus.FIRING.value),
        total=len(rows),
    )
    spare = [key for key, row in rows.items() if row.status == AlertStatus.RESOLVED.value and key not in named]
    spare.sort(key=lambda key: rows[key].last_at)
    for key in spare[: kept.missing_room(group)]:
        del rows[key]
    return replace(kept, total=len(rows))


def _is_starting(row: Incident, last: LastRun | None) -> bool:
    return row.status_reason == STARTING and last is not None and not last.exists


def _claimed(
    row: Incident, last: LastRun | None, policy: IntakePolicy, now: datetime, *, free: bool, why: str
) -> Incident:
    """The incident after a look at it: claimed (STARTING), postponed, waiting, or done."""
    if row.status_reason == STARTING and last is not None and last.exists:
        return replace(row, next_run_at=None, status_reason=None)
    again = row.status_reason == STARTING and row.run_id is not None
    if not again and (later := postponed(row, last, policy, now)) is not None:
        return replace(row, next_run_at=later[0], status_reason=later[1])
    if not free and not again:
        return replace(row, status_reason=why)
    number = row.run_count if again else row.run_count + 1
    run_id = incident_run_id(row.incident_id, number)
    return replace(row, run_id=run_id, run_count=number, next_run_at=now + _LEASE, status_reason=STARTING)
