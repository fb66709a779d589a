"""Reports that are to be sent, in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from rootproof.domain.outgoing import OutboxItem, OutboxStatus


class OutboxStore(Protocol):
    """Raises StoreError."""

    async def add(self, run_id: str, targets: Sequence[str], *, now: datetime) -> None:
        """Remember that the run's report is to go to these targets; a repeat changes nothing."""
        ...

    async def claim(self, *, now: datetime, until: datetime, limit: int = 20) -> Sequence[OutboxItem]:
        """Messages that the caller must try now, oldest first, their attempt counted; nobody else gets them before
        `until`."""
        ...

    async def sent(self, item: OutboxItem, *, now: datetime) -> None:
        """Note that the message has arrived."""
        ...

    async def failed(self, item: OutboxItem, error: str, *, retry_at: datetime | None) -> None:
        """Note why the attempt failed, and when the next one is; None gives up."""
        ...

    async def items(self, run_id: str) -> Sequence[OutboxItem]:
        """The messages of a run, by target."""
        ...

    async def counts(self) -> Mapping[OutboxStatus, int]:
        """How many messages are in each status."""
        ...
