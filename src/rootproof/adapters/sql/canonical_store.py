"""A CanonicalInvocationStore in SQL: raw texts compressed by zlib, checked against their hash at every read."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import schema, statements
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.context import ExecutionContext
from rootproof.domain.storable import ID_LENGTH, is_storable_id, visible
from rootproof.errors import StoreError
from rootproof.ports.canonical_store import CanonicalInvocation
from rootproof.ports.clock import Clock

T = TypeVar("T")

_KEPT = schema.canonical_invocation.c
_THE_CALL = (_KEPT.run_id == bindparam("of_run"), _KEPT.call_key == bindparam("of_call"))
_HOLDER = select(_KEPT.session_id, _KEPT.owner).where(*_THE_CALL)
_ITEM = select(schema.canonical_invocation).where(*_THE_CALL)
_PURGE = delete(schema.canonical_invocation).where(_KEPT.expires_at <= bindparam("now"))
_REPLACED = ("raw", "raw_bytes", "sha256", "bounded", "created_at", "expires_at")

_LEVEL = 3
"""zlib's: repetitive logs shrink nearly as well as at 6, in half the time."""
_THREAD_BYTES = 256 * 1024
"""From this size on (de)compression leaves the event loop."""


class SqlCanonicalStore:
    """The CanonicalInvocationStore over a `Database`, which whoever opened it closes."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock
        self._upsert = statements.upsert(
            database.dialect, schema.canonical_invocation, ("run_id", "call_key"), _REPLACED
        )

    async def put(self, context: ExecutionContext, item: CanonicalInvocation, *, expires_at: datetime) -> None:
        """Store it; a second `put` of the same run and key replaces the first.

        Raises: StoreError when the raw text does not match its hash, or the key belongs to another session or owner.
        """
        where = f"call {item.key!r} of run {context.run_id!r}"
        raw, sha256 = _hashed(item, where)
        now = datetime.now(UTC) if self._clock is None else self._clock.now()
        values = {
            "session_id": context.session_id,
            "run_id": context.run_id,
            "owner": context.owner,
            "call_key": item.key,
            "raw": await _aside(len(raw), lambda: zlib.compress(raw, _LEVEL)),
            "raw_bytes": len(raw),
            "sha256": sha256,
            "bounded": visible(item.bounded),
            "created_at": utc(now, "canonical_invocation.created_at"),
            "expires_at": utc(expires_at, "canonical_invocation.expires_at"),
        }

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(self._upsert, values)
            holder = (await connection.execute(_HOLDER, _key(context, item.key))).one()
            if tuple(holder) != (context.session_id, context.owner):
                raise StoreError(f"{where} belongs to another session or owner")

        await self._database.write(f"keep {where}", work)

    async def fetch(self, context: ExecutionContext, key: str, *, now: datetime) -> CanonicalInvocation | None:
        """The item, or None when it never was, has expired, or belongs to another run or owner.

        Raises: StoreError when the stored bytes do not match their hash.
        """
        if not (is_storable_id(key, ID_LENGTH) and is_storable_id(context.run_id, ID_LENGTH)):
            return None
        where = f"call {key!r} of run {context.run_id!r}"

        async def work(connection: AsyncConnection) -> dict[str, Any] | None:
            row = (await connection.execute(_ITEM, _key(context, key))).mappings().one_or_none()
            return None if row is None else dict(row)

        row = await self._database.read(f"fetch {where}", work)
        if row is None or (row["session_id"], row["owner"]) != (context.session_id, context.owner):
            return None
        if row["expires_at"] <= utc(now, "fetch.now"):
            return None
        raw = await _aside(row["raw_bytes"], lambda: _unpacked(row, where))
        return CanonicalInvocation(key=key, raw=raw, bounded=row["bounded"], sha256=row["sha256"])

    async def purge(self, *, now: datetime) -> int:
        """Delete what has expired; the number of items deleted."""

        async def work(connection: AsyncConnection) -> int:
            return (await connection.execute(_PURGE, {"now": utc(now, "purge.now")})).rowcount

        return await self._database.write("purge expired raw outputs", work)


def _key(context: ExecutionContext, key: str) -> dict[str, str]:
    return {"of_run": context.run_id, "of_call": key}


def _hashed(item: CanonicalInvocation, where: str) -> tuple[bytes, str]:
    """The raw text's bytes and hash. Lone surrogates have no UTF-8 to hash: they are written out, and hashed so."""
    try:
        raw = item.raw.encode("utf-8")
    except UnicodeEncodeError:
        raw = item.raw.encode("utf-8", "backslashreplace")
        return raw, hashlib.sha256(raw).hexdigest()
    sha256 = hashlib.sha256(raw).hexdigest()
    if sha256 != item.sha256:
        raise StoreError(f"{where}: the raw text does not match its sha256")
    return raw, sha256


def _unpacked(row: dict[str, Any], where: str) -> str:
    unpacker = zlib.decompressobj()
    try:
        # One byte more than was stored is enough to see that the row was tampered with.
        raw = unpacker.decompress(row["raw"], row["raw_bytes"] + 1)
    except zlib.error as error:
        raise StoreError(f"{where}: the stored raw text cannot be unpacked: {error}") from error
    if hashlib.sha256(raw).hexdigest() != row["sha256"]:
        raise StoreError(f"{where}: the stored raw text does not match its sha256")
    return raw.decode("utf-8")


async def _aside(size: int, work: Callable[[], T]) -> T:
    """`work()`, in a thread when it is big."""
    return work() if size < _THREAD_BYTES else await asyncio.to_thread(work)
