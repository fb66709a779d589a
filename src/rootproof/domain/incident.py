"""Incidents: alerts that belong together. An incident may have several runs, at most one of them open."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from rootproof.domain.alert import Alert, AlertStatus
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id
from rootproof.errors import StoreError

MAX_ALERTS_KEPT = 500
"""Alerts of one incident that are kept; those beyond are counted."""


class IncidentStatus(StrEnum):
    """Where an incident is; a resolved one is reopened when its alert fires again."""

    OPEN = "OPEN"
    RESOLVED = "RESOLVED"


@dataclass(frozen=True, slots=True)
class Incident:
    """One row of `incident`."""

    incident_id: str
    owner: str
    group_key: str
    """What its alerts have in common: Alertmanager's `groupKey`, else the values of the configured labels."""
    vendor: str
    title: str
    severity: str | None
    """The highest since it was opened."""
    status: IncidentStatus
    session_id: str
    """The session that its runs belong to."""
    run_id: str | None
    """Its newest run."""
    alert_count: int
    """Deliveries of its alerts, repeats included."""
    run_count: int
    reopen_count: int
    opened_at: datetime
    last_alert_at: datetime
    next_run_at: datetime | None = None
    """When a run is due; None when none is."""
    resolved_at: datetime | None = None
    status_reason: str | None = None
    """Why a run that is due has not begun: cool-down, daily budget, concurrency."""


@dataclass(frozen=True, slots=True)
class IncidentAlert:
    """One row of `incident_alert`: one alert by its fingerprint."""

    incident_id: str
    fingerprint: str
    status: str
    alert: Alert
    count: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class AlertGroup:
    """Alerts of one delivery that belong to one incident. Each has a fingerprint and is firing or resolved."""

    group_key: str
    group_hash: str
    """SHA-256 (hex) of source and group key, which may be of any length and hold anything."""
    vendor: str
    title: str
    alerts: tuple[Alert, ...]

    @property
    def states(self) -> dict[str, AlertStatus]:
        """The last status of each fingerprint."""
        return {alert.fingerprint or "": alert.status or AlertStatus.FIRING for alert in self.alerts}

    @property
    def fires(self) -> bool:
        """Whether one of them is firing at the end."""
        return AlertStatus.FIRING in self.states.values()


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook body, grouped."""

    owner: str
    groups: tuple[AlertGroup, ...]
    received_at: datetime
    key: str | None = None
    """Equal for a delivery that is sent again; None where nothing tells (an unsigned one)."""


class Effect(StrEnum):
    """What a delivery did to an incident."""

    OPENED = "OPENED"
    REOPENED = "REOPENED"
    ATTACHED = "ATTACHED"
    RESOLVED = "RESOLVED"
    """Its last firing alert ended."""
    CLOSED = "CLOSED"
    """It was resolved already, and stays so."""


@dataclass(frozen=True, slots=True)
class TakenGroup:
    """An incident as a delivery left it."""

    incident: Incident
    effect: Effect


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a delivery."""

    groups: tuple[TakenGroup, ...] = ()
    ignored: int = 0
    """Alerts that say that something ended of which nothing is known."""
    repeat: bool = False
    """It had been taken before, and nothing was counted again."""
    incident_id: str | None = None
    """Of a repeat: the first incident that the delivery touched."""


@dataclass(frozen=True, slots=True)
class IncidentCounts:
    """The backlog in numbers."""

    open: int = 0
    due: int = 0
    """Open incidents whose run has not begun."""
    waiting: int = 0
    """Of these: not being started at this moment. They wait for a worker, the cool-down, the budget or the cap."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An incident whose run one worker is to create now."""

    incident: Incident
    run_id: str
    lease_until: datetime
    """When another worker may create it instead."""


class IntakePolicy(Protocol):
    """How many runs alerts may begin, and when. The settings' section `intake` is one."""

    @property
    def settle_s(self) -> int:
        """Seconds between an incident's first alert and its run."""
        ...

    @property
    def cool_down_s(self) -> int:
        """Seconds after a run's end before the same incident may begin another."""
        ...

    @property
    def daily_runs(self) -> int:
        """Runs in 24 hours."""
        ...

    @property
    def max_open_runs(self) -> int:
        """Runs at the same time."""
        ...


def check_delivery(delivery: Delivery) -> None:
    """Raises: StoreError for an owner or key that no database keeps as it is."""
    for text, length in ((delivery.owner, OWNER_LENGTH), (delivery.key or "-", ID_LENGTH)):
        if not is_storable_id(text, length):
            raise StoreError(f"owner and key of a delivery are 1-{length} printable characters, got {text!r:.80}")


_RUN_NAMES = uuid.UUID("6f2b0e6a-6d0e-4b6e-9a55-0c2b5a1d7e31")


def new_incident_id() -> str:
    """A fresh incident id, `inc-` and a random UUID."""
    return f"inc-{uuid.uuid4()}"


def incident_run_id(incident_id: str, number: int) -> str:
    """The id of the incident's run with this number: the same whoever creates it, so that no run is made twice."""
    return f"run-{uuid.uuid5(_RUN_NAMES, f'{incident_id}/{number}')}"
