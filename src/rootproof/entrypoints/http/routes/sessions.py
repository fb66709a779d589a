"""Sessions, and the runs of one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path

from rootproof.diagnosis.present import RunSummaryView, View, run_summary
from rootproof.domain.session import ChatSession, SessionStatus
from rootproof.domain.storable import ID_LENGTH
from rootproof.entrypoints.http.deps import BackendDep, Reader
from rootproof.entrypoints.http.paging import CursorQuery, LimitQuery, Position, decode_cursor, next_cursor
from rootproof.entrypoints.http.problems import ProblemView, absent
from rootproof.entrypoints.http.routes.runs import RunPageView, run_position
from rootproof.ports.run_directory import RunFilter

router = APIRouter(tags=["sessions"])


class SessionView(View):
    """A conversation's directory entry. What was said is kept elsewhere, for a time; its runs stay."""

    session_id: str
    status: SessionStatus
    message_pair_count: int
    """Questions that were answered."""
    created_at: datetime | None
    last_active_at: datetime | None
    """When its newest run began or its newest answer came."""
    expires_at: datetime | None
    """When the message history may be gone."""
    expired: bool
    """Whether that time is over."""


class SessionPageView(View):
    """A page of sessions, the one that was active last first."""

    items: list[SessionView]
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


@router.get(
    "/api/chat/sessions",
    response_model=SessionPageView,
    summary="List sessions",
    description="The caller's sessions, the one that was active last first.",
    responses={422: {"model": ProblemView, "description": "A cursor or limit that cannot be used."}},
)
async def list_sessions(
    backend: BackendDep, caller: Reader, limit: LimitQuery = 50, cursor: CursorQuery = None
) -> SessionPageView:
    """A page of the caller's sessions."""
    found = await backend.directory.sessions(caller.owner, limit=limit + 1, before=decode_cursor(cursor))
    now = backend.services.clock.now()
    return SessionPageView(
        items=[_session_view(session, now) for session in found[:limit]],
        next_cursor=next_cursor(found, limit, _position),
    )


@router.get(
    "/api/chat/session/{sessionId}/runs",
    response_model=RunPageView,
    summary="List the runs of a session",
    description="Newest first, by the time they were made: feedback that comes later moves no run.",
    responses={
        404: {"model": ProblemView, "description": "There is no such session of this owner."},
        422: {"model": ProblemView, "description": "A cursor or limit that cannot be used."},
    },
)
async def list_session_runs(
    backend: BackendDep,
    caller: Reader,
    session_id: Annotated[str, Path(alias="sessionId", max_length=ID_LENGTH, description="The session.")],
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> RunPageView:
    """A page of the session's runs. Raises: Problem 404."""
    if await backend.directory.session(session_id, owner=caller.owner) is None:
        raise absent("session", session_id)
    which = RunFilter(owner=caller.owner, session_id=session_id)
    found = await backend.directory.runs(which, limit=limit + 1, before=decode_cursor(cursor))
    items: list[RunSummaryView] = [run_summary(run) for run in found[:limit]]
    return RunPageView(items=items, next_cursor=next_cursor(found, limit, run_position))


def _session_view(session: ChatSession, now: datetime) -> SessionView:
    return SessionView(
        session_id=session.session_id,
        status=session.status,
        message_pair_count=session.message_pair_count,
        created_at=session.created_at,
        last_active_at=session.last_active_at,
        expires_at=session.expires_at,
        expired=session.expires_at is not None and session.expires_at <= now,
    )


def _position(session: ChatSession) -> Position:
    assert session.last_active_at is not None  # noqa: S101 - stored sessions have one
    return session.last_active_at, session.session_id
