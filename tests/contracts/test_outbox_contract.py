"""OutboxStore on every adapter: at least once, one sender at a time, an end for every message."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from rootproof.adapters.memory.outbox import InMemoryOutboxStore
from rootproof.adapters.sql.outbox import SqlOutboxStore
from rootproof.domain.outgoing import OutboxStatus
from rootproof.ports.outbox import OutboxStore
from tests.contracts.conftest import T0, House

LATER = T0 + timedelta(seconds=60)


@pytest.fixture
def store(house: House) -> OutboxStore:
    return InMemoryOutboxStore() if house.database is None else SqlOutboxStore(house.database)


async def test_a_report_is_queued_once_a_target(store: OutboxStore) -> None:
    await store.add("run-1", ["slack", "webhook"], now=T0)
    await store.add("run-1", ["slack", "webhook"], now=LATER)
    await store.add("run-1", [], now=LATER)
    found = await store.items("run-1")
    assert [(item.target, item.status, item.attempts, item.created_at) for item in found] == [
        ("slack", OutboxStatus.PENDING, 0, T0),
        ("webhook", OutboxStatus.PENDING, 0, T0),
    ]
    assert await store.items("run-2") == ()


async def test_a_message_is_claimed_by_one_sender_until_the_lease_ends(store: OutboxStore) -> None:
    await store.add("run-1", ["webhook"], now=T0)
    claimed = await asyncio.gather(*(store.claim(now=T0, until=LATER) for _ in range(4)))
    (item,) = [item for items in claimed for item in items]
    assert item.attempts == 1
    assert await store.claim(now=T0 + timedelta(seconds=59), until=LATER) == ()
    (again,) = await store.claim(now=LATER, until=LATER + timedelta(seconds=60))
    assert again.attempts == 2


async def test_a_sent_message_stays_sent(store: OutboxStore) -> None:
    await store.add("run-1", ["webhook"], now=T0)
    (item,) = await store.claim(now=T0, until=LATER)
    await store.sent(item, now=LATER)
    await store.add("run-1", ["webhook"], now=LATER)
    assert await store.claim(now=LATER + timedelta(days=9), until=LATER) == ()
    (row,) = await store.items("run-1")
    assert (row.status, row.sent_at, row.last_error) == (OutboxStatus.SENT, LATER, None)


async def test_a_failed_attempt_waits_and_the_last_one_gives_up(store: OutboxStore) -> None:
    await store.add("run-1", ["webhook"], now=T0)
    (item,) = await store.claim(now=T0, until=LATER)
    await store.failed(item, "SourceUnavailable: it answered 503", retry_at=LATER)
    assert await store.claim(now=LATER - timedelta(seconds=1), until=LATER) == ()
    (again,) = await store.claim(now=LATER, until=LATER + timedelta(seconds=60))
    assert again.last_error == "SourceUnavailable: it answered 503"
    await store.failed(again, "SourceDenied: it answered 410", retry_at=None)
    (row,) = await store.items("run-1")
    assert (row.status, row.last_error) == (OutboxStatus.FAILED, "SourceDenied: it answered 410")
    assert await store.counts() == {OutboxStatus.PENDING: 0, OutboxStatus.SENT: 0, OutboxStatus.FAILED: 1}


async def test_a_sender_whose_lease_ran_out_cannot_undo_what_the_next_one_wrote(store: OutboxStore) -> None:
    await store.add("run-1", ["webhook"], now=T0)
    (slow,) = await store.claim(now=T0, until=LATER)
    (fast,) = await store.claim(now=LATER, until=LATER + timedelta(seconds=60))
    await store.sent(fast, now=LATER)
    await store.failed(slow, "late", retry_at=None)
    (row,) = await store.items("run-1")
    assert row.status is OutboxStatus.SENT
