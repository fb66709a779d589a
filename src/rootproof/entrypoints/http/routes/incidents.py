"""Incidents: what alerts have opened, what waits for its run, what is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from rootproof.diagnosis.present import View
from rootproof.domain.alert import AlertStatus, Severity
from rootproof.domain.incident import MAX_ALERTS_KEPT, Incident, IncidentAlert, IncidentStatus
from rootproof.domain.run import Run, RunStatus, StatusReason
from rootproof.entrypoints.http.deps import BackendDep, Diagnoser, Reader
from rootproof.entrypoints.http.paging import CursorQuery, LimitQuery, decode_cursor, next_cursor
from rootproof.entrypoints.http.problems import ProblemView, absent
from rootproof.ports.run_directory import RunFilter

router = APIRouter(tags=["incidents"])
MAX_RUNS = 50

IncidentId = Annotated[str, Path(description="The incident's id.", max_length=200, examples=["inc-0b5a3c1e"])]
_ABSENT: dict[int | str, dict[str, object]] = {
    401: {"model": ProblemView, "description": "No valid key."},
    403: {"model": ProblemView, "description": "The key does not have the scope."},
    404: {"model": ProblemView, "description": "There is no such incident of this owner."},
}


class IncidentView(View):
    """Alerts that belong together."""

    incident_id: str = Field(description="Its id.", examples=["inc-0b5a3c1e-6a0e-4c57-9f0e-5a7d1f2b3c4d"])
    title: str = Field(description="The most severe alert of the first delivery.", examples=["HighErrorRate on cart"])
    vendor: str = Field(description="Which monitoring system sent it.", examples=["alertmanager"])
    group_key: str = Field(description="What its alerts have in common.")
    severity: Severity | None = Field(description="The highest since it was opened; null where none is known.")
    status: IncidentStatus = Field(description="OPEN while one of its alerts fires.")
    status_reason: str | None = Field(description="Why a run that is due has not begun, or how it was closed.")
    session_id: str = Field(description="The session that its runs belong to.")
    run_id: str | None = Field(description="Its newest run.")
    next_run_at: datetime | None = Field(description="When a run is due; null when none is.")
    alert_count: int = Field(description="Deliveries of its alerts, repeats included.")
    run_count: int = Field(description="How many runs it has begun.")
    reopen_count: int = Field(description="How often it fired again after it was resolved.")
    opened_at: datetime = Field(description="When its first alert came.")
    last_alert_at: datetime = Field(description="When its newest alert came.")
    resolved_at: datetime | None = Field(description="When it was resolved; null while it is open.")


class IncidentListView(View):
    """One page of incidents."""

    items: list[IncidentView] = Field(description="Those with the newest alerts first.")
    next_cursor: str | None = Field(description="The next page's `cursor`; null on the last page.")


class IncidentAlertView(View):
    """One alert of an incident, however often it was delivered. Credentials are removed."""

    fingerprint: str = Field(description="The same for every delivery of the alert.")
    status: AlertStatus = Field(description="Its state in the newest delivery.")
    name: str = Field(description="Its name.", examples=["HighErrorRate"])
    severity: Severity | None = Field(description="Its severity, mapped.")
    service: str | None = Field(description="The service that it is about.")
    summary: str | None = Field(description="Its summary.")
    started_at: datetime | None = Field(description="When it began, as the sender says.")
    labels: dict[str, str] = Field(description="Its labels.")
    count: int = Field(description="How often it was delivered.")
    first_at: datetime = Field(description="When it was delivered first.")
    last_at: datetime = Field(description="When it was delivered last.")


class IncidentRunView(View):
    """A run of an incident."""

    run_id: str = Field(description="Its id.")
    status: RunStatus = Field(description="Where it is.")
    status_reason: StatusReason | None = Field(description="Why it ended.")
    created_at: datetime | None = Field(description="When it was made.")


class IncidentDetailView(IncidentView):
    """An incident with its alerts and runs."""

    alerts: list[IncidentAlertView] = Field(description=f"In the order of arrival, at most {MAX_ALERTS_KEPT}.")
    runs: list[IncidentRunView] = Field(description=f"Newest first, at most {MAX_RUNS}.")


@router.get(
    "/api/incidents",
    response_model=IncidentListView,
    summary="List incidents",
    description="Those with the newest alerts first; `backlog=true` gives those whose run has not begun.",
    responses={key: value for key, value in _ABSENT.items() if key != 404},
)
async def list_incidents(
    principal: Reader,
    backend: BackendDep,
    status: Annotated[IncidentStatus | None, Query(description="Only those in this status.")] = None,
    backlog: Annotated[bool | None, Query(description="Only those with (or without) a run that is due.")] = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> IncidentListView:
    """One page of the caller's incidents."""
    found = await backend.incidents.incidents(
        principal.owner, status=status, backlog=backlog, limit=limit + 1, before=decode_cursor(cursor)
    )
    return IncidentListView(
        items=[incident_view(one) for one in found[:limit]],
        next_cursor=next_cursor(found, limit, lambda one: (one.last_alert_at, one.incident_id)),
    )


@router.get(
    "/api/incidents/{incident_id}",
    response_model=IncidentDetailView,
    summary="Show an incident",
    description="The incident with its alerts and its runs.",
    responses=_ABSENT,
)
async def show_incident(incident_id: IncidentId, principal: Reader, backend: BackendDep) -> IncidentDetailView:
    """One incident."""
    found = await backend.incidents.find(incident_id, owner=principal.owner)
    if found is None:
        raise absent("incident", incident_id)
    which = RunFilter(owner=principal.owner, incident_id=found.incident_id)
    return _detail(
        found,
        await backend.incidents.alerts(found.incident_id),
        await backend.directory.runs(which, limit=MAX_RUNS),
    )


@router.post(
    "/api/incidents/{incident_id}/resolve",
    response_model=IncidentView,
    summary="Resolve an incident",
    description=(
        "Close an incident by hand, with all its alerts; a run that was due is not begun. A run under way goes on. "
        "An alert that fires again reopens the incident."
    ),
    responses=_ABSENT,
)
async def resolve_incident(incident_id: IncidentId, principal: Diagnoser, backend: BackendDep) -> IncidentView:
    """The incident, resolved; one that is resolved stays as it is."""
    now = backend.services.clock.now()
    found = await backend.incidents.resolve(incident_id, owner=principal.owner, now=now)
    if found is None:
        raise absent("incident", incident_id)
    return incident_view(found)


def incident_view(found: Incident) -> IncidentView:
    """The incident as its owner sees it."""
    return IncidentView.model_validate(_fields(found))


def _fields(found: Incident) -> dict[str, object]:
    return {name: getattr(found, name) for name in IncidentView.model_fields}


def _detail(found: Incident, alerts: Sequence[IncidentAlert], runs: Sequence[Run]) -> IncidentDetailView:
    return IncidentDetailView.model_validate(
        {
            **_fields(found),
            "alerts": [_alert_view(row) for row in alerts],
            "runs": [
                IncidentRunView(
                    run_id=run.run_id, status=run.status, status_reason=run.status_reason, created_at=run.created_at
                )
                for run in runs
            ],
        }
    )


def _alert_view(row: IncidentAlert) -> IncidentAlertView:
    alert = row.alert
    return IncidentAlertView(
        fingerprint=row.fingerprint,
        status=AlertStatus(row.status),
        name=alert.name,
        severity=alert.severity,
        service=alert.service,
        summary=alert.summary,
        started_at=alert.started_at,
        labels=dict(alert.labels),
        count=row.count,
        first_at=row.first_at,
        last_at=row.last_at,
    )
