"""Rows of `incident` and `incident_alert` <-> domain values, and the statements on them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, or_, select, update

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.codec import Row, Values
from rootproof.adapters.sql.service_schema import incident, incident_alert
from rootproof.adapters.sql.stored_text import json_object, json_text, utc
from rootproof.domain.alert import AlertStatus
from rootproof.domain.incident import AlertGroup, Incident, IncidentAlert, IncidentStatus
from rootproof.domain.run import RunStatus, is_terminal
from rootproof.domain.storable import visible
from rootproof.errors import StoreError
from rootproof.intake.lifecycle import STARTING, KnownAlert, LastRun
from rootproof.intake.stored_alert import alert_fields, alert_from_stored

_INCIDENT = incident.c
_ALERT = incident_alert.c
_RUN = schema.diagnosis_run.c
_STEP = schema.agent_step.c

_ITS_RUN = _RUN.run_id == _INCIDENT.run_id
_WITH_RUN = select(
    incident,
    select(_RUN.status).where(_ITS_RUN).scalar_subquery().label("run_status"),
    select(_RUN.severity).where(_ITS_RUN).scalar_subquery().label("run_severity"),
    select(_RUN.created_at).where(_ITS_RUN).scalar_subquery().label("run_created_at"),
    select(func.max(_STEP.created_at)).where(_STEP.run_id == _INCIDENT.run_id).scalar_subquery().label("last_step_at"),
)
"""With its newest run: one statement instead of three in the middle of a delivery."""
LOCK_GROUP = _WITH_RUN.where(
    _INCIDENT.owner == bindparam("of_owner"), _INCIDENT.group_hash == bindparam("hash")
).with_for_update()
BY_ID = select(incident).where(_INCIDENT.incident_id == bindparam("of_incident"))
LOCK_BY_ID = _WITH_RUN.where(_INCIDENT.incident_id == bindparam("of_incident")).with_for_update()
UPDATE = update(incident).where(_INCIDENT.incident_id == bindparam("of_incident"))

KNOWN = select(_ALERT.fingerprint, _ALERT.status, _ALERT.count, _ALERT.first_at).where(
    _ALERT.incident_id == bindparam("of_incident"), _ALERT.fingerprint.in_(bindparam("named", expanding=True))
)
TOTALS = (
    select(_ALERT.status, func.count()).where(_ALERT.incident_id == bindparam("of_incident")).group_by(_ALERT.status)
)
SPARE = (
    select(_ALERT.fingerprint)
    .where(
        _ALERT.incident_id == bindparam("of_incident"),
        _ALERT.status == AlertStatus.RESOLVED.value,
        _ALERT.fingerprint.not_in(bindparam("named", expanding=True)),
    )
    .order_by(_ALERT.last_at, _ALERT.id)
    .limit(bindparam("most"))
)
ALERTS = select(incident_alert).where(_ALERT.incident_id == bindparam("of_incident")).order_by(_ALERT.id)
EVICT = incident_alert.delete().where(
    _ALERT.incident_id == bindparam("of_incident"), _ALERT.fingerprint.in_(bindparam("evicted", expanding=True))
)
RESOLVE_ALERTS = (
    update(incident_alert)
    .where(_ALERT.incident_id == bindparam("of_incident"))
    .values(status=AlertStatus.RESOLVED.value)
)

OPEN_RUNS = tuple(status.value for status in RunStatus if not is_terminal(status))
COUNT_OPEN = select(func.count()).where(_RUN.status.in_(OPEN_RUNS), _RUN.incident_id.is_not(None))
COUNT_SINCE = select(func.count()).where(_RUN.created_at > bindparam("since"), _RUN.incident_id.is_not(None))
_STATUSES = tuple(status.value for status in IncidentStatus)
_DUE = (_INCIDENT.status.in_(_STATUSES), _INCIDENT.next_run_at <= bindparam("now"))
DUE_IDS = (
    select(_INCIDENT.incident_id).where(*_DUE).order_by(_INCIDENT.next_run_at, _INCIDENT.id).limit(bindparam("most"))
)
COUNT_STARTING = select(func.count()).where(
    _INCIDENT.status.in_(_STATUSES),
    _INCIDENT.next_run_at > bindparam("now"),
    _INCIDENT.status_reason == STARTING,
    ~select(_RUN.id).where(_RUN.run_id == _INCIDENT.run_id).exists(),
)
WAIT = (
    update(incident)
    .where(
        _INCIDENT.incident_id.in_(bindparam("ids", expanding=True)),
        or_(_INCIDENT.status_reason.is_(None), _INCIDENT.status_reason != bindparam("why")),
    )
    .values(status_reason=bindparam("why"))
)
STARTED = (
    update(incident)
    .where(
        _INCIDENT.incident_id == bindparam("of_incident"),
        _INCIDENT.run_id == bindparam("of_run"),
        _INCIDENT.next_run_at == bindparam("leased"),
        _INCIDENT.status_reason == STARTING,
    )
    .values(next_run_at=None, status_reason=None)
)
POSITION = select(_INCIDENT.last_alert_at, _INCIDENT.id).where(
    _INCIDENT.incident_id == bindparam("of_incident"), _INCIDENT.owner == bindparam("of_owner")
)
COUNT_INCIDENTS = select(func.count()).where(_INCIDENT.status == IncidentStatus.OPEN.value)
COUNT_DUE = COUNT_INCIDENTS.where(_INCIDENT.next_run_at.is_not(None))
COUNT_WAITING = COUNT_DUE.where(or_(_INCIDENT.status_reason.is_(None), _INCIDENT.status_reason != STARTING))


def newest(
    owner: str, status: IncidentStatus | None, *, backlog: bool | None, limit: int, after: tuple[datetime, int] | None
) -> Select[Any]:
    """Incidents by `last_alert_at DESC, id DESC`."""
    found = select(incident).where(_INCIDENT.owner == owner)
    if status is not None:
        found = found.where(_INCIDENT.status == status.value)
    if backlog is not None:
        found = found.where(_INCIDENT.next_run_at.is_not(None) if backlog else _INCIDENT.next_run_at.is_(None))
    if after is not None:
        at, row_id = after
        older = and_(_INCIDENT.last_alert_at == at, _INCIDENT.id < row_id)
        found = found.where(or_(_INCIDENT.last_alert_at < at, older))
    return found.order_by(_INCIDENT.last_alert_at.desc(), _INCIDENT.id.desc()).limit(limit)


def new_values(opened: Incident, group: AlertGroup) -> Values:
    """The row of an incident before its first alert is counted."""
    return {
        "incident_id": opened.incident_id,
        "owner": opened.owner,
        "group_hash": group.group_hash,
        "group_key": visible(opened.group_key),
        "vendor": opened.vendor,
        "title": visible(opened.title),
        "session_id": opened.session_id,
        "opened_at": utc(opened.opened_at, "incident.opened_at"),
        **state_values(opened),
    }


def state_values(changed: Incident) -> Values:
    """The columns of an incident that change."""
    return {
        "severity": changed.severity,
        "status": changed.status.value,
        "status_reason": changed.status_reason,
        "run_id": changed.run_id,
        "alert_count": changed.alert_count,
        "run_count": changed.run_count,
        "reopen_count": changed.reopen_count,
        "last_alert_at": utc(changed.last_alert_at, "incident.last_alert_at"),
        "next_run_at": None if changed.next_run_at is None else utc(changed.next_run_at, "incident.next_run_at"),
        "resolved_at": None if changed.resolved_at is None else utc(changed.resolved_at, "incident.resolved_at"),
    }


def incident_from_row(row: Row) -> Incident:
    """The incident in a row."""
    try:
        status = IncidentStatus(row["status"])
    except ValueError as error:
        raise StoreError(f"incident.status holds {row['status']!r}, which this version does not know") from error
    return Incident(
        incident_id=row["incident_id"],
        owner=row["owner"],
        group_key=row["group_key"],
        vendor=row["vendor"],
        title=row["title"],
        severity=row["severity"],
        status=status,
        session_id=row["session_id"],
        run_id=row["run_id"],
        alert_count=row["alert_count"],
        run_count=row["run_count"],
        reopen_count=row["reopen_count"],
        opened_at=row["opened_at"],
        last_alert_at=row["last_alert_at"],
        next_run_at=row["next_run_at"],
        resolved_at=row["resolved_at"],
        status_reason=row["status_reason"],
    )


def alert_values(row: IncidentAlert) -> Values:
    """The row of an alert."""
    return {
        "incident_id": row.incident_id,
        "fingerprint": row.fingerprint,
        "status": row.status,
        "alert": json_text(alert_fields(row.alert), "incident_alert.alert"),
        "count": row.count,
        "first_at": utc(row.first_at, "incident_alert.first_at"),
        "last_at": utc(row.last_at, "incident_alert.last_at"),
    }


def alert_from_row(row: Row) -> IncidentAlert:
    """The alert in a row."""
    try:
        alert = alert_from_stored(json_object(row["alert"], "incident_alert.alert") or {})
    except (ValueError, TypeError) as error:
        raise StoreError(f"incident_alert.alert holds what is no alert: {error}") from error
    return IncidentAlert(
        incident_id=row["incident_id"],
        fingerprint=row["fingerprint"],
        status=row["status"],
        alert=alert,
        count=row["count"],
        first_at=row["first_at"],
        last_at=row["last_at"],
    )


def known_from_row(row: Row) -> KnownAlert:
    """Status and count of a kept alert."""
    return KnownAlert(AlertStatus(row["status"]), row["count"], row["first_at"])


def last_run(row: Row) -> LastRun | None:
    """The incident's newest run, of a row that was read with it; None where it has none, or its rows were deleted."""
    if row["run_id"] is None:
        return None
    status = row["run_status"]
    if status is None:
        starting = row["status_reason"] == STARTING
        return LastRun(exists=False, is_open=True, severity=None, ended_at=None) if starting else None
    ended_at = None if status in OPEN_RUNS else row["last_step_at"] or row["run_created_at"]
    return LastRun(exists=True, is_open=status in OPEN_RUNS, severity=row["run_severity"], ended_at=ended_at)
