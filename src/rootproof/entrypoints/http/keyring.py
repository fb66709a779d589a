"""API keys as the server checks them: looked up at most every few seconds, touched at most once a minute."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from rootproof.diagnosis.keys import is_live, is_valid, parse_key
from rootproof.domain.api_key import ApiKey
from rootproof.errors import StoreError
from rootproof.ports.api_keys import ApiKeyStore
from rootproof.ports.clock import Clock

log = logging.getLogger("rootproof.http")

CACHE_S = 5.0
"""Seconds until a revocation holds everywhere."""
MAX_CACHED = 1_000
TOUCH_EVERY = timedelta(minutes=1)


@dataclass(slots=True)
class _Known:
    key: ApiKey
    until_s: float
    """On the monotonic clock."""
    touched_at: datetime | None


class KeyRing:
    """The keys in the store, with a small memory."""

    def __init__(self, keys: ApiKeyStore, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._any = False
        self._any_until_s = -1.0

    async def needed(self) -> bool:
        """Whether callers need a key: there is one, be it revoked. Revoking the last key opens nothing.

        Raises: StoreError.
        """
        if not self._any and self._clock.monotonic() >= self._any_until_s:
            self._any = bool(await self._keys.all())
            self._any_until_s = self._clock.monotonic() + CACHE_S
        return self._any

    async def verified(self, text: str) -> ApiKey | None:
        """The key of that text; None for an unknown, wrong, revoked or expired one. Raises: StoreError."""
        shown = parse_key(text)
        if shown is None:
            return None
        known = await self._look_up(shown.key_id)
        now = self._clock.now()
        if not is_valid(known.key if known else None, shown.secret, now=now) or known is None:
            return None
        await self._touch(known, now)
        return known.key

    async def live(self, key_id: str) -> ApiKey | None:
        """The key by its id; None when it is gone, revoked or expired. Raises: StoreError."""
        known = await self._look_up(key_id)
        now = self._clock.now()
        if known is None or not is_live(known.key, now=now):
            return None
        await self._touch(known, now)
        return known.key

    async def _look_up(self, key_id: str) -> _Known | None:
        known = self._known.get(key_id)
        if known is not None and self._clock.monotonic() < known.until_s:
            self._known.move_to_end(key_id)
            return known
        key = await self._keys.find(key_id)
        before = self._known.pop(key_id, None)
        if key is None:
            return None
        touched = max((at for at in (key.last_used_at, before and before.touched_at) if at), default=None)
        fresh = _Known(key, self._clock.monotonic() + CACHE_S, touched)
        self._known[key_id] = fresh
        while len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)
        return fresh

    async def _touch(self, known: _Known, now: datetime) -> None:
        if known.touched_at is not None and now - known.touched_at < TOUCH_EVERY:
            return
        known.touched_at = now
        try:
            await self._keys.touch(known.key.key_id, at=now)
        except StoreError:
            # The request itself will say whether the store can be used; when a key was used is only for people.
            log.warning("the last use of key %s could not be noted", known.key.key_id)
