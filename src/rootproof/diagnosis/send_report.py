"""Reports on their way out: queued once at a run's end, sent at least once, given up with a reason.

A receiver knows a repeat by the header `Idempotency-Key`: a sender that dies between the other side's answer and its
own note sends again.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.report_message import message_body, message_headers
from rootproof.domain.outgoing import OutboxItem, Target
from rootproof.domain.run import is_terminal
from rootproof.errors import RootproofError, SourceUnavailable, StoreError
from rootproof.ports.outgoing import MessageSender
from rootproof.ports.run_store import RunRows

log = logging.getLogger("rootproof.outgoing")

MAX_ATTEMPTS = 8
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
_LEASE = timedelta(seconds=120)
"""Longer than a batch of attempts takes."""
_BATCH = 20
_AT_ONCE = 5
_NOT_YET = timedelta(seconds=5)
_WAITED = 4
"""Attempts after which a report is sent although its run's row does not yet say that it ended: END is stored."""
_MAX_ERROR_CHARS = 300


async def queue_report(backend: Backend, rows: RunRows) -> None:
    """Queue the run's report for every configured target; a repeat changes nothing. Raises: StoreError."""
    notify = backend.notify
    if not notify.targets or (rows.run.incident_id is None and not notify.chat_runs):
        return
    names = [target.name for target in notify.targets]
    await backend.outbox.add(rows.run.run_id, names, now=backend.services.clock.now())


async def send_due(backend: Backend, sender: MessageSender, *, now: datetime) -> int:
    """How many messages arrived, of those that are due. Several processes may call it. Raises: StoreError."""
    if not backend.notify.targets:
        return 0
    items = await backend.outbox.claim(now=now, until=now + _LEASE, limit=_BATCH)
    turns = asyncio.Semaphore(_AT_ONCE)

    async def attempt(item: OutboxItem) -> bool:
        async with turns:
            try:
                return await _send(backend, sender, item, now)
            except StoreError as error:  # its claim runs out, and it is tried again; the others go on
                log.warning("the report of run %s waits for the store: %s", item.run_id, error)
                return False

    return sum(await asyncio.gather(*(attempt(item) for item in items)))


async def _send(backend: Backend, sender: MessageSender, item: OutboxItem, now: datetime) -> bool:
    """Whether the message arrived."""
    target = next((one for one in backend.notify.targets if one.name == item.target), None)
    rows = await backend.services.runs.load(item.run_id)
    if target is None or rows is None:
        missing = "its target is no longer set up" if target is None else "its run is no longer there"
        await backend.outbox.failed(item, missing, retry_at=None)
        return False
    if not is_terminal(rows.run.status) and item.attempts < _WAITED:
        await backend.outbox.failed(item, "its run has not ended yet", retry_at=now + _NOT_YET)
        return False
    try:
        await _post(backend, sender, target, rows, now)
    except RootproofError as error:
        await _note_failure(backend, item, error, now)
        return False
    await backend.outbox.sent(item, now=now)
    return True


async def _post(backend: Backend, sender: MessageSender, target: Target, rows: RunRows, now: datetime) -> None:
    body = message_body(rows, target, backend.notify.public_url)
    await sender.post(target.url, body, message_headers(rows, target, body, now))


async def _note_failure(backend: Backend, item: OutboxItem, error: RootproofError, now: datetime) -> None:
    """Senders' messages hold no address; another error's words are not kept, only its kind."""
    again = isinstance(error, SourceUnavailable) and item.attempts < MAX_ATTEMPTS
    said = f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS]
    log.warning(
        "the report of run %s did not reach %r (attempt %d of %d, %s): %s",
        item.run_id,
        item.target,
        item.attempts,
        MAX_ATTEMPTS,
        "it is tried again" if again else "given up",
        said,
    )
    await backend.outbox.failed(item, said, retry_at=now + pause_after(item.attempts) if again else None)


def pause_after(attempts: int) -> timedelta:
    """How long to wait after so many attempts: 10 s, 30 s, 90 s, ... at most an hour."""
    factor: int = 3 ** max(0, min(attempts, MAX_ATTEMPTS) - 1)
    return min(FIRST_PAUSE * factor, LONGEST_PAUSE)
