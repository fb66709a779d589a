"""Raw outputs in a fast store that may lose them, with a durable one behind: losing the fast one fails no run."""

from __future__ import annotations

import logging
from datetime import datetime

from rootproof.domain.context import ExecutionContext
from rootproof.errors import StoreError, StoreUnavailable
from rootproof.ports.canonical_store import CanonicalInvocation, CanonicalInvocationStore

_log = logging.getLogger(__name__)


class KeptOutputs:
    """A CanonicalInvocationStore of two: `first` is asked first; `second` takes what `first` cannot keep.

    An item is in one of them. A refusal (a wrong hash, another owner) is final: `second` is not tried with it.
    """

    def __init__(self, first: CanonicalInvocationStore, second: CanonicalInvocationStore) -> None:
        self._first = first
        self._second = second

    async def put(self, context: ExecutionContext, item: CanonicalInvocation, *, expires_at: datetime) -> None:
        """Store it in `first`, or in `second` where `first` is away or full. Raises: StoreError."""
        try:
            await self._first.put(context, item, expires_at=expires_at)
        except StoreUnavailable as error:
            _log.warning("raw output kept in the second store: %s", error)
            await self._second.put(context, item, expires_at=expires_at)

    async def fetch(self, context: ExecutionContext, key: str, *, now: datetime) -> CanonicalInvocation | None:
        """The item from whichever store has it, or None; also while `first` is away and `second` has not got it.

        Raises: StoreError when `first` has it damaged and `second` has not got it.
        """
        damaged: StoreError | None = None
        try:
            found = await self._first.fetch(context, key, now=now)
        except StoreUnavailable as error:
            _log.warning("raw output looked for in the second store: %s", error)
            found = None
        except StoreError as error:
            found, damaged = None, error
        if found is None:
            found = await self._second.fetch(context, key, now=now)
        if found is None and damaged is not None:
            raise damaged
        return found

    async def purge(self, *, now: datetime) -> int:
        """Delete what has expired in both; the number of items deleted. What `first` cannot delete now ends by TTL."""
        try:
            deleted = await self._first.purge(now=now)
        except StoreUnavailable as error:
            _log.warning("expired raw outputs not purged in the first store: %s", error)
            deleted = 0
        return deleted + await self._second.purge(now=now)
