"""A CanonicalInvocationStore in a dict: compressed, hashed, owned and expiring like the others."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from datetime import datetime

from rootproof.domain.context import ExecutionContext
from rootproof.domain.storable import visible
from rootproof.errors import StoreError
from rootproof.ports.canonical_store import CanonicalInvocation


@dataclass(frozen=True, slots=True)
class _Kept:
    context: ExecutionContext
    raw: bytes
    bounded: str
    sha256: str
    expires_at: datetime


class InMemoryCanonicalStore:
    """Raw and bounded results of this process's runs; gone with the process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}

    async def put(self, context: ExecutionContext, item: CanonicalInvocation, *, expires_at: datetime) -> None:
        """Store it; a second `put` of the same run and key replaces the first."""
        if expires_at.tzinfo is None:
            raise StoreError(f"expires_at of call {item.key!r} needs an aware datetime, got {expires_at.isoformat()}")
        known = self._kept.get((context.run_id, item.key))
        if known is not None and known.context != context:
            raise StoreError(f"call {item.key!r} of run {context.run_id!r} belongs to another session or owner")
        raw = item.raw.encode("utf-8", "backslashreplace")
        sha256 = hashlib.sha256(raw).hexdigest()
        if sha256 != item.sha256 and _is_utf8(item.raw):
            raise StoreError(f"call {item.key!r} of run {context.run_id!r}: the raw text does not match its sha256")
        self._kept[context.run_id, item.key] = _Kept(
            context, zlib.compress(raw), visible(item.bounded), sha256, expires_at
        )

    async def fetch(self, context: ExecutionContext, key: str, *, now: datetime) -> CanonicalInvocation | None:
        """The item, or None when it never was, has expired, or belongs to another run or owner."""
        kept = self._kept.get((context.run_id, key))
        if kept is None or kept.context != context or kept.expires_at <= now:
            return None
        raw = zlib.decompress(kept.raw)
        if hashlib.sha256(raw).hexdigest() != kept.sha256:
            raise StoreError(f"call {key!r} of run {context.run_id!r}: the stored raw text does not match its sha256")
        return CanonicalInvocation(key=key, raw=raw.decode("utf-8"), bounded=kept.bounded, sha256=kept.sha256)

    async def purge(self, *, now: datetime) -> int:
        """Delete what has expired; the number of items deleted."""
        expired = [place for place, kept in self._kept.items() if kept.expires_at <= now]
        for place in expired:
            del self._kept[place]
        return len(expired)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
