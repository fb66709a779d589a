"""The adapters of one process over a Redis that is to be lost, and the patience that is had with them."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rootproof.adapters.docket.run_queue import DocketRunQueue
from rootproof.adapters.memory.run_queue import InMemoryRunQueue
from rootproof.adapters.redis.canonical_store import RedisCanonicalStore
from rootproof.adapters.redis.client import RedisLink
from rootproof.adapters.redis.event_bus import RedisEventBus
from rootproof.adapters.redis.session_context import RedisSessionContext
from rootproof.domain.context import ExecutionContext
from rootproof.errors import StoreError
from rootproof.ports.canonical_store import CanonicalInvocation
from rootproof.ports.session_context import MessagePair
from tests.contracts.redis_server import (
    FEW_TIMEOUTS_S,
    TIMEOUT_S,
    RedisServer,
    a_link,
    redis_process,
    redis_server,
)

__all__ = ["redis_process", "redis_server"]


CONTEXT = ExecutionContext("ses-1", "run-1", "ana")
NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
PAIR = MessagePair("run-1", "why?", "pool exhausted", NOW)


def an_item(raw: str = "raw output") -> CanonicalInvocation:
    return CanonicalInvocation("3.0", raw, "bounded", hashlib.sha256(raw.encode()).hexdigest())


@dataclass
class Adapters:
    """Those of one process, over one Redis."""

    link: RedisLink
    sessions: RedisSessionContext
    canonical: RedisCanonicalStore
    bus: RedisEventBus
    queue: DocketRunQueue


@pytest.fixture
async def adapters(redis_server: RedisServer) -> AsyncIterator[Adapters]:
    link = a_link(redis_server)
    queue = DocketRunQueue(
        redis_server.url,
        prefix=f"test-{secrets.token_hex(4)}",
        timeout_s=TIMEOUT_S,
        redelivery_s=1,
        fallback=InMemoryRunQueue(),
    )
    yield Adapters(link, RedisSessionContext(link), RedisCanonicalStore(link), RedisEventBus(link), queue)
    if redis_server._process is not None:
        redis_server.as_new()


@pytest.fixture(autouse=True)
async def closed(adapters: Adapters) -> AsyncIterator[None]:
    yield
    for closable in (adapters.bus, adapters.queue, adapters.link):
        await in_time(closable.close())


async def in_time(call: Awaitable[Any]) -> Any:
    """What the call gives; a StoreError it raises is its answer; anything else, and a long wait, fails the test."""
    began = time.monotonic()
    try:
        answer = await call
    except StoreError as error:
        answer = error
    assert time.monotonic() - began < FEW_TIMEOUTS_S
    return answer
