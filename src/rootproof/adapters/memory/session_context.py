"""Message history in a dict, bounded and expiring like the others."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from rootproof.ports.session_context import MAX_PAIRS, History, MessagePair, kept_form

_LOOKED_AT = 64
"""Sessions looked at for expiry at each append, so that what nobody reads does not stay."""


@dataclass(frozen=True, slots=True)
class _Kept:
    pairs: tuple[MessagePair, ...]
    ends_at: float


class InMemorySessionContext:
    """Histories of this process; gone with it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: dict[tuple[str, str], _Kept] = {}

    async def append(self, session_id: str, owner: str, pair: MessagePair, *, ttl: timedelta) -> None:
        """Add a pair at the end, or in the place of the run's earlier one."""
        pair = kept_form(pair, ttl)
        now = self._monotonic()
        # Oldest written first: what is looked at moves to the end, so every session has its turn.
        for place in list(self._kept)[:_LOOKED_AT]:
            kept = self._kept.pop(place)
            if kept.ends_at > now:
                self._kept[place] = kept
        pairs = list((await self.history(session_id, owner)).pairs)
        known = [number for number, other in enumerate(pairs) if other.run_id == pair.run_id]
        if known:
            pairs[known[0]] = pair
        else:
            pairs.append(pair)
        self._kept[session_id, owner] = _Kept(tuple(pairs[-MAX_PAIRS:]), now + ttl.total_seconds())

    async def history(self, session_id: str, owner: str) -> History:
        """The session's history; nothing for another owner."""
        kept = self._kept.get((session_id, owner))
        if kept is None or kept.ends_at <= self._monotonic():
            return History((), known=False)
        return History(kept.pairs, known=True)

    async def forget(self, session_id: str, owner: str) -> None:
        """Delete the session's history."""
        self._kept.pop((session_id, owner), None)

    async def close(self) -> None:
        """Nothing to release."""
