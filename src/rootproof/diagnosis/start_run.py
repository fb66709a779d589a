"""Start a run: the session resolved or created, the run QUEUED, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.diagnosis.services import Services
from rootproof.domain.ids import is_session_id, new_run_id, new_session_id
from rootproof.domain.run import Run, RunMode
from rootproof.domain.session import ChatSession
from rootproof.errors import UsageError

MAX_QUESTION_CHARS = 8_000
_FIRST_YEAR, _LAST_YEAR = 1971, 9000
"""Look-backs and zones must not run out of the calendar."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a caller asks for."""

    question: str = ""
    has_payload: bool = False
    session_id: str | None = None
    owner: str = "local"
    reasoner: str = "playbook"
    now: datetime | None = None
    """The investigation's clock; None means the wall clock."""
    sources: dict[str, Any] = field(default_factory=dict)
    """How to rebuild the run's sources in another process; no secrets."""


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
    run = Run(
        run_id=new_run_id(),
        session_id=session_id,
        owner=request.owner,
        mode=_mode(request),
        # Credentials in a question never reach a store; identifiers are the owner's own words and stay.
        question=_without_credentials(request.question.strip()),
        now=request.now or moment,
        reasoner=request.reasoner,
        sources=request.sources,
        created_at=moment,
        updated_at=moment,
    )
    return await services.runs.create_run(session, run)


def check_request(request: RunRequest) -> None:
    """Raises: UsageError for a session id, question or clock that no run can have."""
    if request.session_id is not None and not is_session_id(request.session_id):
        raise UsageError(
            f"session id {request.session_id!r} is not 1-64 characters of A-Z a-z 0-9 . _ : - ; pass another one"
        )
    if len(request.question) > MAX_QUESTION_CHARS:
        raise UsageError(f"the question has {len(request.question)} characters, at most {MAX_QUESTION_CHARS} are read")
    if request.now is not None and not _FIRST_YEAR <= request.now.year <= _LAST_YEAR:
        year = request.now.isoformat()
        raise UsageError(f"the clock {year} is not between {_FIRST_YEAR} and {_LAST_YEAR}; correct it")


def _mode(request: RunRequest) -> RunMode:
    if request.has_payload:
        return RunMode.PAYLOAD_TARGETED
    return RunMode.CHAT if request.question.strip() else RunMode.AUTO_DISCOVERY


def _without_credentials(text: str) -> str:
    """The text with identifiers as they were and credentials replaced."""
    identifiers = IdentifierMap()
    return identifiers.resolve(identifiers.redact(text))
