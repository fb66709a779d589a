"""The complete raw output and the bounded result of every call, for a time. No model ever sees the raw."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rootproof.domain.context import ExecutionContext


@dataclass(frozen=True, slots=True)
class CanonicalInvocation:
    """What is kept of one call."""

    key: str
    """Our key of the call: step number and call index, `3.0`."""
    raw: str
    bounded: str
    sha256: str
    """Of the raw text in UTF-8, hex."""


class CanonicalInvocationStore(Protocol):
    """Compressed, hashed, owned, kept for a TTL. Raises StoreError."""

    async def put(self, context: ExecutionContext, item: CanonicalInvocation, *, expires_at: datetime) -> None:
        """Store it; a second `put` of the same run and key replaces the first."""
        ...

    async def fetch(self, context: ExecutionContext, key: str, *, now: datetime) -> CanonicalInvocation | None:
        """The item, or None when it never was, has expired, or belongs to another run or owner.

        Raises: StoreError when the stored bytes do not match their hash.
        """
        ...

    async def purge(self, *, now: datetime) -> int:
        """Delete what has expired; the number of items deleted."""
        ...
