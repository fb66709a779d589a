"""Message history in Redis: one list a session and owner, changed in one step, with a time to live."""

from __future__ import annotations

import hashlib
import json
import logging
from datetime import timedelta
from typing import Any

from redis.asyncio import Redis

from rootproof.adapters.redis.client import RedisLink
from rootproof.ports.session_context import (
    MAX_PAIRS,
    History,
    MessagePair,
    kept_form,
    pair_as_json,
    pair_from_json,
)

_log = logging.getLogger(__name__)

_MARK_CHARS = 64
"""Each entry begins with the hash of its run id, so that the script finds a run without reading JSON."""
_APPEND = """
local entry, ttl_ms, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local mark = string.sub(entry, 1, 64)
local place = -1
for index, known in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    if string.sub(known, 1, 64) == mark then place = index - 1 end
end
if place >= 0 then
    redis.call('LSET', KEYS[1], place, entry)
else
    redis.call('RPUSH', KEYS[1], entry)
    redis.call('LTRIM', KEYS[1], -most, -1)
end
redis.call('PEXPIRE', KEYS[1], ttl_ms)
return 1
"""


class RedisSessionContext:
    """The SessionContextStore over a `RedisLink`, which whoever opened it closes."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._append = link.client.register_script(_APPEND)

    async def append(self, session_id: str, owner: str, pair: MessagePair, *, ttl: timedelta) -> None:
        """Add a pair at the end, or in the place of the run's earlier one. Raises: StoreError."""
        kept = kept_form(pair, ttl)
        entry = _mark(kept.run_id) + json.dumps(pair_as_json(kept), ensure_ascii=False)
        ttl_ms = max(1, round(ttl.total_seconds() * 1000))

        async def question(_client: Redis) -> None:
            await self._append(keys=[self._key(session_id, owner)], args=[entry.encode(), ttl_ms, MAX_PAIRS])

        await self._link.ask("keep a session's history", question)

    async def history(self, session_id: str, owner: str) -> History:
        """The session's history; nothing for another owner. Raises: StoreError."""

        async def question(client: Redis) -> list[Any]:
            return list(await client.lrange(self._key(session_id, owner), -MAX_PAIRS, -1))

        entries = await self._link.ask("read a session's history", question)
        try:
            pairs = tuple(pair_from_json(json.loads(entry[_MARK_CHARS:].decode())) for entry in entries)
        except (ValueError, RecursionError):
            _log.warning("the stored history of a session is damaged: it counts as not known")
            return History((), known=False)
        return History(pairs, known=bool(pairs))

    async def forget(self, session_id: str, owner: str) -> None:
        """Delete the session's history. Raises: StoreError."""

        async def question(client: Redis) -> None:
            await client.delete(self._key(session_id, owner))

        await self._link.ask("forget a session's history", question)

    async def close(self) -> None:
        """Nothing: the link has an owner of its own."""

    def _key(self, session_id: str, owner: str) -> str:
        return self._link.key("session", session_id, owner)


def _mark(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()
