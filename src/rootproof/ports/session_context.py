"""The message history of a session: bounded, kept for a time, and not in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from rootproof.domain.storable import visible
from rootproof.errors import StoreError


@dataclass(frozen=True, slots=True)
class MessagePair:
    """One question and the answer to it; credentials removed, identifiers as their owner knows them."""

    run_id: str
    question: str
    answer: str
    """The report in short: summary and causes with their verdicts."""
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a session's conversation."""

    pairs: tuple[MessagePair, ...]
    """Oldest first, at most `MAX_PAIRS`."""
    known: bool
    """False when the store has nothing of the session: it never spoke, its time ran out, or the store lost it."""


MAX_PAIRS = 20
MAX_PAIR_CHARS = 4_000
"""Of question and answer together."""
_CUT = " […]"


class SessionContextStore(Protocol):
    """`SessionContext.messageHistory`. A store that cannot be reached raises StoreError; callers go on without it.

    Every store keeps a pair as `kept_form` gives it.
    """

    async def append(self, session_id: str, owner: str, pair: MessagePair, *, ttl: timedelta) -> None:
        """Add a pair at the end; the oldest beyond `MAX_PAIRS` fall off, the TTL starts anew. A pair of a run that is
        there already is replaced in its place.

        Raises: StoreError, for a naive `asked_at` and a `ttl` that is not positive too.
        """
        ...

    async def history(self, session_id: str, owner: str) -> History:
        """The session's history; nothing for another owner. What is damaged is not known."""
        ...

    async def forget(self, session_id: str, owner: str) -> None:
        """Delete the session's history."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


def kept_form(pair: MessagePair, ttl: timedelta) -> MessagePair:
    """The pair as it is kept: at most `MAX_PAIR_CHARS`, and nothing in it that UTF-8 cannot hold.

    A long answer does not push the question out: the question may have half of the room, or what the answer leaves.
    Raises: StoreError for a naive `asked_at` and a `ttl` that is not positive.
    """
    if pair.asked_at.tzinfo is None:
        raise StoreError(f"asked_at of run {pair.run_id!r} needs an aware datetime, got {pair.asked_at.isoformat()}")
    if ttl <= timedelta():
        raise StoreError(f"the history of a session needs a time to live above zero, got {ttl}")
    question, answer = visible(pair.question), visible(pair.answer)
    question = _cut(question, max(MAX_PAIR_CHARS // 2, MAX_PAIR_CHARS - len(answer)))
    return MessagePair(visible(pair.run_id), question, _cut(answer, MAX_PAIR_CHARS - len(question)), pair.asked_at)


def pair_as_json(pair: MessagePair) -> dict[str, str]:
    """The pair for a store that keeps JSON."""
    return {
        "runId": pair.run_id,
        "question": pair.question,
        "answer": pair.answer,
        "askedAt": pair.asked_at.isoformat(),
    }


def pair_from_json(stored: Mapping[str, Any]) -> MessagePair:
    """The pair that `pair_as_json` gave. Raises: ValueError for anything else."""
    try:
        run_id, question, answer = (stored[name] for name in ("runId", "question", "answer"))
        asked_at = datetime.fromisoformat(stored["askedAt"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not a message pair: {type(error).__name__}") from error
    if not all(isinstance(text, str) for text in (run_id, question, answer)) or asked_at.tzinfo is None:
        raise ValueError("not a message pair: a field has another type")
    return MessagePair(run_id, question, answer, asked_at)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - len(_CUT)] + _CUT
