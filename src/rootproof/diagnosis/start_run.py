"""Start a run: the session resolved or created, the run QUEUED, in one transaction."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rootproof.diagnosis.services import Services
from rootproof.domain.alert import Alert, Severity
from rootproof.domain.ids import is_session_id, new_run_id, new_session_id
from rootproof.domain.run import Run, RunMode
from rootproof.domain.session import ChatSession
from rootproof.errors import UsageError
from rootproof.intake.stored_alert import alert_fields, alert_from_stored, bounded
from rootproof.redaction.credentials import structure_without_credentials, without_credentials

MAX_QUESTION_CHARS = 8_000
MAX_SERVICE_CHARS = 255
_FIRST_YEAR, _LAST_YEAR = 1971, 9000
"""Look-backs and zones must not run out of the calendar."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a caller asks for."""

    question: str = ""
    has_payload: bool = False
    """Whether the sources hold an alert payload; `payload` says it too."""
    session_id: str | None = None
    owner: str = "local"
    reasoner: str = "playbook"
    now: datetime | None = None
    """The investigation's clock; None means the wall clock."""
    sources: dict[str, Any] = field(default_factory=dict)
    """How to rebuild the run's sources in another process; no secrets."""
    payload: tuple[Alert, ...] | None = None
    """The alerts that the run is about; they are kept with the run, credentials removed. Empty: there are none,
    whatever the sources hold. None: as the sources have it."""
    service: str | None = None
    """The service that the run is about; None: that of the payload's first alert that names one."""
    severity: str | None = None
    """None: the gravest of the payload."""
    incident_id: str | None = None
    run_id: str | None = None
    """None: a fresh one."""


async def start_run(services: Services, request: RunRequest) -> Run:
    """The new run. The mode follows from what was given: an alert payload, a question, or neither.

    Raises: UsageError for a session id or question of the wrong shape; StoreError when the session is another owner's.
    """
    check_request(request)
    session_id = request.session_id or new_session_id()
    moment = services.clock.now()
    session = ChatSession(
        session_id, request.owner, created_at=moment, last_active_at=moment, expires_at=moment + services.session_ttl
    )
    question, payload = await asyncio.to_thread(as_stored, request)
    alerts = request.payload or ()
    run = Run(
        run_id=request.run_id or new_run_id(),
        session_id=session_id,
        owner=request.owner,
        mode=_mode(request),
        question=question,
        now=request.now or moment,
        reasoner=request.reasoner,
        sources=dict(request.sources) | ({} if payload is None else {"payload": payload}),
        service=_column(request.service or next((alert.service for alert in alerts if alert.service), None)),
        severity=request.severity or gravest(alerts),
        incident_id=request.incident_id,
        created_at=moment,
        updated_at=moment,
    )
    return await services.runs.create_run(session, run)


def as_stored(request: RunRequest) -> tuple[str, list[dict[str, Any]] | None]:
    """The question and the payload as a run holds them.

    Credentials never reach a store; identifiers are the owner's own words and stay. One numbering serves both, so that
    two credentials never get one placeholder.
    """
    payload = None if request.payload is None else [alert_fields(alert) for alert in request.payload]
    clean = structure_without_credentials({"question": request.question.strip(), "alerts": payload})
    if payload is None:
        return clean["question"], None
    # Cut afterwards: half a credential is not recognised as one.
    return clean["question"], [alert_fields(bounded(alert_from_stored(fields))) for fields in clean["alerts"]]


def check_request(request: RunRequest) -> None:
    """Raises: UsageError for a session id, question or clock that no run can have."""
    if request.session_id is not None and not is_session_id(request.session_id):
        raise UsageError(
            f"session id {request.session_id!r} is not 1-64 letters, digits and . _ : - ; pass another one"
        )
    if len(request.question) > MAX_QUESTION_CHARS:
        raise UsageError(f"the question has {len(request.question)} characters, at most {MAX_QUESTION_CHARS} are read")
    if request.now is not None and not _FIRST_YEAR <= request.now.year <= _LAST_YEAR:
        year = request.now.isoformat()
        raise UsageError(f"the clock {year} is not between {_FIRST_YEAR} and {_LAST_YEAR}; correct it")


def _mode(request: RunRequest) -> RunMode:
    if request.payload or (request.has_payload and request.payload is None):
        return RunMode.PAYLOAD_TARGETED
    return RunMode.CHAT if request.question.strip() else RunMode.AUTO_DISCOVERY


def gravest(alerts: tuple[Alert, ...]) -> str | None:
    """The gravest severity that the alerts name; None where none does."""
    named = {alert.severity for alert in alerts}
    return next((severity.value for severity in Severity if severity in named), None)


def _column(service: str | None) -> str | None:
    """A service's name as its column takes it; a name that holds a credential is none."""
    if service is None or without_credentials(service) != service:
        return None
    return service[:MAX_SERVICE_CHARS]
