"""A session: a conversation's directory entry. Its message history lives in the session context, not here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SessionStatus(StrEnum):
    """Whether a session takes new runs."""

    ACTIVE = "ACTIVE"
    CLOSED = "CLOSED"


@dataclass(frozen=True, slots=True)
class ChatSession:
    """One row of `chat_session`."""

    session_id: str
    owner: str
    status: SessionStatus = SessionStatus.ACTIVE
    message_pair_count: int = 0
    created_at: datetime | None = None
    last_active_at: datetime | None = None
    expires_at: datetime | None = None
    """Directory metadata: when the message history may be gone; runs and their rows stay."""
