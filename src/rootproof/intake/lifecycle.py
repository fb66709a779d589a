"""What a delivery does to an incident, and when its next run is due. Pure: every store applies the same rules.

- One open run an incident: what arrives while it is open attaches to the incident.
- After a run's end nothing begins another within the cool-down, unless the severity rose above what it looked at.
- The last firing alert's end resolves the incident; one that fires again reopens it, and a new run becomes due.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from rootproof.domain.alert import Alert, AlertStatus
from rootproof.domain.ids import new_session_id
from rootproof.domain.incident import (
    MAX_ALERTS_KEPT,
    AlertGroup,
    Effect,
    Incident,
    IncidentAlert,
    IncidentStatus,
    IntakePolicy,
    new_incident_id,
)
from rootproof.intake.grouping import rank, worst

STARTING = "its run is being started"
COOLING = "its last run ended less than the cool-down ago"
RUNNING = "its last run is still open"
_NEVER_RAN = "resolved before a run began"


@dataclass(frozen=True, slots=True)
class LastRun:
    """What matters of an incident's newest run."""

    exists: bool
    """False between the claim and the creation of its row."""
    is_open: bool
    severity: str | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownAlert:
    """What matters of an alert that is kept."""

    status: AlertStatus
    count: int
    first_at: datetime


@dataclass(frozen=True, slots=True)
class Kept:
    """What matters of the alerts that are kept: those of the delivery one by one, the others by number."""

    known: Mapping[str, KnownAlert]
    """By fingerprint: those that the delivery names again."""
    firing: int
    """How many of all are firing."""
    total: int
    """How many there are."""

    def missing_room(self, group: AlertGroup) -> int:
        """How many must go for those that are new."""
        return max(0, self.total + len(self.fresh(group)) - MAX_ALERTS_KEPT)

    def fresh(self, group: AlertGroup) -> list[str]:
        """Fingerprints that fire and are not kept yet."""
        states = group.states
        return [key for key, status in states.items() if key not in self.known and status is AlertStatus.FIRING]


@dataclass(frozen=True, slots=True)
class Absorbed:
    """An incident after a delivery, and the rows of its alerts that change."""

    incident: Incident
    effect: Effect
    written: tuple[IncidentAlert, ...]


def opened_by(group: AlertGroup, *, owner: str, now: datetime) -> Incident:
    """The incident before its first alert is counted."""
    return Incident(
        incident_id=new_incident_id(),
        owner=owner,
        group_key=group.group_key,
        vendor=group.vendor,
        title=group.title,
        severity=None,
        status=IncidentStatus.OPEN,
        session_id=new_session_id(),
        run_id=None,
        alert_count=0,
        run_count=0,
        reopen_count=0,
        opened_at=now,
        last_alert_at=now,
    )


def absorb(
    incident: Incident,
    kept: Kept,
    group: AlertGroup,
    last: LastRun | None,
    policy: IntakePolicy,
    now: datetime,
) -> Absorbed:
    """The incident with the group's alerts taken in; resolved alerts have made room before, where there were any."""
    written = _merged(incident.incident_id, kept, group, now)
    others = kept.firing - sum(1 for alert in kept.known.values() if alert.status is AlertStatus.FIRING)
    # Alerts beyond the kept ones have no row: the incident is open while they are delivered as firing.
    firing = others > 0 or group.fires
    effect = _effect(incident, firing=firing)
    before = None if effect in (Effect.OPENED, Effect.REOPENED) else incident.severity
    found = (alert.severity for alert in group.alerts if alert.status is AlertStatus.FIRING)
    changed = replace(
        incident,
        severity=worst((before, *found)) if firing else incident.severity,
        status=IncidentStatus.OPEN if firing else IncidentStatus.RESOLVED,
        alert_count=incident.alert_count + len(group.alerts),
        reopen_count=incident.reopen_count + (effect is Effect.REOPENED),
        last_alert_at=max(now, incident.last_alert_at),
        resolved_at=None if firing else incident.resolved_at or now,
    )
    next_run_at, reason = _next_run(changed, effect, last, policy, now)
    return Absorbed(replace(changed, next_run_at=next_run_at, status_reason=reason), effect, written)


def resolved_by_hand(incident: Incident, last: LastRun | None, now: datetime) -> Incident:
    """The incident, resolved; a run that was due is due no more."""
    closed = replace(incident, status=IncidentStatus.RESOLVED, resolved_at=incident.resolved_at or now)
    if _is_starting(incident, last):
        return closed
    return replace(closed, next_run_at=None, status_reason="resolved by hand")


def postponed(
    incident: Incident, last: LastRun | None, policy: IntakePolicy, now: datetime
) -> tuple[datetime, str] | None:
    """When an incident whose run is due may be looked at again, and why not now; None when its run may begin."""
    if last is None or not last.exists:
        return None
    if last.is_open:
        return now + _pause(policy), RUNNING
    earliest = _earliest(last, policy)
    if earliest is not None and now < earliest and not _rose(incident, last):
        return earliest, COOLING
    return None


def _effect(incident: Incident, *, firing: bool) -> Effect:
    if not firing:
        return Effect.RESOLVED if incident.status is IncidentStatus.OPEN else Effect.CLOSED
    if incident.alert_count == 0:
        return Effect.OPENED
    return Effect.REOPENED if incident.status is IncidentStatus.RESOLVED else Effect.ATTACHED


def _next_run(
    incident: Incident, effect: Effect, last: LastRun | None, policy: IntakePolicy, now: datetime
) -> tuple[datetime | None, str | None]:
    due, reason = incident.next_run_at, incident.status_reason
    settled = now + timedelta(seconds=policy.settle_s)
    if _is_starting(incident, last):
        return due, reason
    if effect in (Effect.RESOLVED, Effect.CLOSED):
        return None, (_NEVER_RAN if due is not None else reason)
    if last is not None and last.exists and last.is_open:
        return (now + _pause(policy), RUNNING) if effect is Effect.REOPENED else (due, reason)
    earliest = _earliest(last, policy)
    free = earliest is None or now >= earliest or (last is not None and _rose(incident, last))
    if due is not None:
        return (min(due, settled), None) if reason == COOLING and free else (due, reason)
    if free:
        return settled, None
    return (max(settled, earliest or settled), COOLING) if effect is Effect.REOPENED else (None, None)


def _is_starting(incident: Incident, last: LastRun | None) -> bool:
    """A worker has the claim and has not yet made the run, which will hold what arrives until then."""
    return incident.status_reason == STARTING and last is not None and not last.exists


def _earliest(last: LastRun | None, policy: IntakePolicy) -> datetime | None:
    if last is None or last.ended_at is None:
        return None
    return last.ended_at + timedelta(seconds=policy.cool_down_s)


def _rose(incident: Incident, last: LastRun) -> bool:
    return rank(incident.severity) > rank(last.severity)


def _pause(policy: IntakePolicy) -> timedelta:
    return timedelta(seconds=max(1, policy.settle_s))


def _merged(incident_id: str, kept: Kept, group: AlertGroup, now: datetime) -> tuple[IncidentAlert, ...]:
    """Rows to write, one a fingerprint."""
    counts: dict[str, int] = {}
    newest: dict[str, Alert] = {}
    for alert in group.alerts:
        key = alert.fingerprint or ""
        counts[key] = counts.get(key, 0) + 1
        newest[key] = alert
    room = max(0, MAX_ALERTS_KEPT - kept.total)
    keys = [key for key in newest if key in kept.known] + kept.fresh(group)[:room]
    return tuple(_row(incident_id, key, newest[key], counts[key], kept.known.get(key), now) for key in keys)


def _row(
    incident_id: str, fingerprint: str, alert: Alert, count: int, known: KnownAlert | None, now: datetime
) -> IncidentAlert:
    return IncidentAlert(
        incident_id=incident_id,
        fingerprint=fingerprint,
        status=(alert.status or AlertStatus.FIRING).value,
        alert=alert,
        count=count + (known.count if known else 0),
        first_at=known.first_at if known else now,
        last_at=now,
    )
