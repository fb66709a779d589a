"""Browser sessions: a cookie in place of the key. Kept in memory, hashed, bounded; a restart ends them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

LIFETIME = timedelta(hours=12)
MAX_SESSIONS = 5_000
MAX_OF_KEY = 50


@dataclass(frozen=True, slots=True)
class Login:
    """A session that was just opened; its id goes into the cookie and nowhere else."""

    session_id: str
    csrf_token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class _Session:
    key_id: str
    expires_at: datetime


class LoginSessions:
    """Sessions by the hash of their id, oldest first: beyond the bounds the oldest end."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._of_key: dict[str, list[str]] = {}

    def open(self, key_id: str, *, now: datetime, key_expires_at: datetime | None = None) -> Login:
        """A new session of this key; it ends with the key at the latest."""
        while self._sessions and (len(self._sessions) >= MAX_SESSIONS or self._oldest().expires_at <= now):
            self._drop(next(iter(self._sessions)))
        if len(self._of_key.get(key_id, ())) >= MAX_OF_KEY:
            self._drop(self._of_key[key_id][0])
        expires_at = min(now + LIFETIME, key_expires_at or now + LIFETIME)
        session_id = secrets.token_urlsafe(32)
        name = _hash(session_id)
        self._sessions[name] = _Session(key_id, expires_at)
        self._of_key.setdefault(key_id, []).append(name)
        return Login(session_id, csrf_token(session_id), expires_at)

    def key_of(self, session_id: str, *, now: datetime) -> str | None:
        """The id of the key that opened the session; None when there is none or its time is over."""
        session = self._sessions.get(_hash(session_id))
        if session is None or session.expires_at <= now:
            return None
        return session.key_id

    def expires_at(self, session_id: str) -> datetime | None:
        """When the session ends; None when there is none."""
        session = self._sessions.get(_hash(session_id))
        return session.expires_at if session is not None else None

    def close(self, session_id: str) -> None:
        """End the session; nothing when there is none."""
        self._drop(_hash(session_id))

    def __len__(self) -> int:
        return len(self._sessions)

    def _oldest(self) -> _Session:
        return next(iter(self._sessions.values()))

    def _drop(self, name: str) -> None:
        session = self._sessions.pop(name, None)
        if session is None:
            return
        names = self._of_key[session.key_id]
        names.remove(name)
        if not names:
            del self._of_key[session.key_id]


def csrf_token(session_id: str) -> str:
    """What requests that change something must show beside the cookie: only who knows the cookie can compute it."""
    return hmac.new(session_id.encode("utf-8", "surrogatepass"), b"rootproof csrf", hashlib.sha256).hexdigest()


def _hash(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
