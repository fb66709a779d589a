"""A CanonicalInvocationStore in Redis: compressed, hashed, owned, and gone by itself when its time is over."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from redis.asyncio import Redis

from rootproof.adapters.redis.client import RedisLink
from rootproof.domain.context import ExecutionContext
from rootproof.domain.storable import ID_LENGTH, is_storable_id, visible
from rootproof.errors import StoreError
from rootproof.ports.canonical_store import CanonicalInvocation
from rootproof.ports.clock import Clock

T = TypeVar("T")

_LEVEL = 3
_THREAD_BYTES = 256 * 1024
"""From this size on (de)compression leaves the event loop."""
_GRACE_MS = 60_000
"""Redis deletes an item this long after it expired, so that clocks that differ a little do not hide it early."""
_PURGED_AT_ONCE = 500
_FIELDS = ("session", "owner", "raw", "size", "sha256", "bounded", "expires")

_PUT = """
local holder = redis.call('HMGET', KEYS[1], 'session', 'owner')
if holder[1] and (holder[1] ~= ARGV[3] or holder[2] ~= ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'session', ARGV[3], 'owner', ARGV[4], 'raw', ARGV[5], 'size', ARGV[6],
           'sha256', ARGV[7], 'bounded', ARGV[8], 'expires', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[1], KEYS[1])
return 1
"""


class RedisCanonicalStore:
    """The CanonicalInvocationStore over a `RedisLink`, which whoever opened it closes.

    Raises StoreUnavailable (a StoreError) where Redis is away or full: another store may take the item then.
    """

    def __init__(self, link: RedisLink, clock: Clock | None = None) -> None:
        self._link = link
        self._clock = clock
        self._put = link.client.register_script(_PUT)
        self._by_expiry = f"{link.prefix}:raw-by-expiry"

    async def put(self, context: ExecutionContext, item: CanonicalInvocation, *, expires_at: datetime) -> None:
        """Store it; a second `put` of the same run and key replaces the first.

        Raises: StoreError when the raw text does not match its hash, or the key belongs to another session or owner.
        """
        where = f"call {item.key!r} of run {context.run_id!r}"
        if expires_at.tzinfo is None:
            raise StoreError(f"expires_at of {where} needs an aware datetime, got {expires_at.isoformat()}")
        raw, sha256 = _hashed(item, where)
        packed = await _aside(len(raw), lambda: zlib.compress(raw, _LEVEL))
        now = datetime.now(UTC) if self._clock is None else self._clock.now()
        lives_ms = max(0, round((expires_at - now).total_seconds() * 1000)) + _GRACE_MS
        bounded = visible(item.bounded).encode()
        of_call: list[bytes | int | str] = [
            context.session_id.encode(),
            context.owner.encode(),
            packed,
            len(raw),
            sha256,
            bounded,
        ]

        async def question(_client: Redis) -> int:
            keys = [self._key(context.run_id, item.key), self._by_expiry]
            return int(await self._put(keys=keys, args=[_micros(expires_at), lives_ms, *of_call]))

        if not await self._link.ask(f"keep {where}", question):
            raise StoreError(f"{where} belongs to another session or owner")

    async def fetch(self, context: ExecutionContext, key: str, *, now: datetime) -> CanonicalInvocation | None:
        """The item, or None when it never was, has expired, was lost, or belongs to another run or owner.

        Raises: StoreError when the stored bytes do not match their hash.
        """
        if not (is_storable_id(key, ID_LENGTH) and is_storable_id(context.run_id, ID_LENGTH)):
            return None
        where = f"call {key!r} of run {context.run_id!r}"

        async def question(client: Redis) -> list[Any]:
            return list(await client.hmget(self._key(context.run_id, key), list(_FIELDS)))

        found = await self._link.ask(f"fetch {where}", question)
        session, owner, packed, size, sha256, bounded, expires = found
        if (session, owner) != (context.session_id.encode(), context.owner.encode()):
            return None
        if packed is None or size is None or sha256 is None or bounded is None or expires is None:
            raise StoreError(f"{where}: the stored item is incomplete")
        if int(expires) <= _micros(now):
            return None
        raw = await _aside(int(size), lambda: _unpacked(packed, int(size), sha256.decode("ascii", "replace"), where))
        return CanonicalInvocation(key=key, raw=raw, bounded=bounded.decode(), sha256=sha256.decode())

    async def purge(self, *, now: datetime) -> int:
        """Delete what has expired, 500 at a time; the number of items deleted that Redis had not deleted itself."""
        deleted = 0
        while True:

            async def question(client: Redis) -> tuple[int, int]:
                expired = await client.zrangebyscore(self._by_expiry, "-inf", _micros(now), 0, _PURGED_AT_ONCE)
                if not expired:
                    return 0, 0
                async with client.pipeline(transaction=True) as both:
                    both.unlink(*expired)
                    both.zrem(self._by_expiry, *expired)
                    gone, _ = await both.execute()
                return len(expired), int(gone)

            seen, gone = await self._link.ask("purge expired raw outputs", question)
            deleted += gone
            if seen < _PURGED_AT_ONCE:
                return deleted

    def _key(self, run_id: str, key: str) -> str:
        return self._link.key("raw", run_id, key)


def _micros(instant: datetime) -> int:
    """Microseconds since 1970: exact in a sorted set's score until the year 2255."""
    since = instant - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _hashed(item: CanonicalInvocation, where: str) -> tuple[bytes, str]:
    """The raw text's bytes and hash. Lone surrogates have no UTF-8 to hash: they are written out, and hashed so."""
    raw = item.raw.encode("utf-8", "backslashreplace")
    sha256 = hashlib.sha256(raw).hexdigest()
    if sha256 != item.sha256 and not any(0xD800 <= ord(sign) <= 0xDFFF for sign in item.raw):
        raise StoreError(f"{where}: the raw text does not match its sha256")
    return raw, sha256


def _unpacked(packed: bytes, size: int, sha256: str, where: str) -> str:
    try:
        # One byte more than was stored is enough to see that the item was tampered with.
        raw = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise StoreError(f"{where}: the stored raw text cannot be unpacked: {error}") from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise StoreError(f"{where}: the stored raw text does not match its sha256")
    return raw.decode("utf-8")


async def _aside(size: int, work: Callable[[], T]) -> T:
    """`work()`, in a thread when it is big."""
    return work() if size < _THREAD_BYTES else await asyncio.to_thread(work)
