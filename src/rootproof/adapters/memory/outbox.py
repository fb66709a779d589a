"""The outbox in a dict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from rootproof.adapters.memory.stored_form import stored_form
from rootproof.domain.outgoing import OutboxItem, OutboxStatus


class InMemoryOutboxStore:
    """The OutboxStore of tests and demos; gone with the process."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], OutboxItem] = {}

    async def add(self, run_id: str, targets: Sequence[str], *, now: datetime) -> None:
        """Remember that the run's report is to go to these targets; a repeat changes nothing."""
        for target in targets:
            item = OutboxItem(run_id, target, OutboxStatus.PENDING, 0, next_attempt_at=now, created_at=now)
            self._items.setdefault((run_id, target), stored_form(item, where="outbox"))

    async def claim(self, *, now: datetime, until: datetime, limit: int = 20) -> Sequence[OutboxItem]:
        """Messages to try now, oldest first, their attempt counted; nobody else gets them before `until`."""
        due = [
            item for item in self._items.values() if item.status is OutboxStatus.PENDING and item.next_attempt_at <= now
        ]
        claimed = [
            replace(item, attempts=item.attempts + 1, next_attempt_at=until)
            for item in sorted(due, key=lambda item: item.next_attempt_at)[: max(0, limit)]
        ]
        self._items |= {(item.run_id, item.target): item for item in claimed}
        return tuple(claimed)

    async def sent(self, item: OutboxItem, *, now: datetime) -> None:
        """Note that the message has arrived."""
        self._change(item, status=OutboxStatus.SENT, sent_at=now, last_error=None)

    async def failed(self, item: OutboxItem, error: str, *, retry_at: datetime | None) -> None:
        """Note why the attempt failed, and when the next one is; None gives up."""
        if retry_at is None:
            self._change(item, status=OutboxStatus.FAILED, last_error=error)
        else:
            self._change(item, next_attempt_at=retry_at, last_error=error)

    async def items(self, run_id: str) -> Sequence[OutboxItem]:
        """The messages of a run, by target."""
        found = [item for item in self._items.values() if item.run_id == run_id]
        return tuple(sorted(found, key=lambda item: item.target))

    async def counts(self) -> Mapping[OutboxStatus, int]:
        """How many messages are in each status."""
        found = Counter(item.status for item in self._items.values())
        return {status: found[status] for status in OutboxStatus}

    def _change(self, item: OutboxItem, **values: object) -> None:
        key = (item.run_id, item.target)
        known = self._items.get(key)
        if known is not None and (known.attempts, known.status) == (item.attempts, OutboxStatus.PENDING):
            self._items[key] = stored_form(replace(known, **values), where="outbox")  # type: ignore[arg-type]
