"""Redis stops, hangs, forgets, is full, evicts: calls stay short, only StoreErrors come, and all is well afterwards."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Any

import pytest

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.diagnosis.kept_outputs import KeptOutputs
from rootproof.domain.context import ExecutionContext
from rootproof.errors import StoreError, StoreUnavailable
from rootproof.ports.canonical_store import CanonicalInvocation
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import (
    TIMEOUT_S,
    RedisServer,
    redis_process,
    redis_server,
)
from tests.redis.outage import CONTEXT, HOUR, NOW, PAIR, Adapters, adapters, an_item, closed, in_time

__all__ = ["adapters", "closed", "redis_process", "redis_server"]


async def everything_once(adapters: Adapters) -> list[Any]:
    """Each store call's answer, or the StoreError it raised; the bus and the queue must raise nothing at all."""
    answers = [
        await in_time(adapters.sessions.append("ses-1", "ana", PAIR, ttl=HOUR)),
        await in_time(adapters.sessions.history("ses-1", "ana")),
        await in_time(adapters.sessions.forget("ses-2", "ana")),
        await in_time(adapters.canonical.put(CONTEXT, an_item(), expires_at=NOW + HOUR)),
        await in_time(adapters.canonical.fetch(CONTEXT, "3.0", now=NOW)),
        await in_time(adapters.canonical.purge(now=NOW)),
    ]
    for silent in (adapters.bus.publish("run-1", {"n": 1}), adapters.queue.enqueue("run-1", epoch=7)):
        assert await in_time(silent) is None

    async def listen() -> None:
        async with adapters.bus.subscribe(f"run-{secrets.token_hex(4)}"):
            pass

    assert await in_time(listen()) is None
    return answers


async def works_again(adapters: Adapters) -> bool:
    return not any(isinstance(answer, StoreError) for answer in await everything_once(adapters))


async def test_everything_works_while_redis_does(adapters: Adapters) -> None:
    answers = await everything_once(adapters)
    assert answers[1].pairs == (PAIR,)
    assert answers[4] == an_item()


async def test_redis_stops_and_comes_back_empty(adapters: Adapters, redis_server: RedisServer) -> None:
    assert await works_again(adapters)
    redis_server.kill()
    answers = await everything_once(adapters)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    assert all("going on without it" in str(answer) for answer in answers)
    redis_server.start()
    await wait_until(lambda: works_again(adapters))
    assert (await adapters.sessions.history("ses-1", "ana")).known


async def test_a_redis_that_was_never_there(adapters: Adapters, redis_server: RedisServer) -> None:
    redis_server.kill()
    assert all(isinstance(answer, StoreUnavailable) for answer in await everything_once(adapters))
    redis_server.start()
    await wait_until(lambda: works_again(adapters))


async def test_redis_takes_connections_and_answers_nothing(adapters: Adapters, redis_server: RedisServer) -> None:
    assert await works_again(adapters)
    redis_server.hang()
    answers = await everything_once(adapters)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    redis_server.go_on()
    await wait_until(lambda: works_again(adapters))


async def test_many_calls_in_an_outage_wait_about_as_long_as_one(adapters: Adapters, redis_server: RedisServer) -> None:
    assert await works_again(adapters)
    redis_server.hang()
    began = time.monotonic()
    for _ in range(40):
        await in_time(adapters.canonical.put(CONTEXT, an_item(), expires_at=NOW + HOUR))
        await in_time(adapters.bus.publish("run-1"))
        await in_time(adapters.queue.enqueue("run-1"))
    assert time.monotonic() - began < 40 * TIMEOUT_S / 2, "each call waits for a Redis that is known to be away"


async def test_flushall_loses_what_was_kept_and_nothing_else(adapters: Adapters, redis_server: RedisServer) -> None:
    assert await works_again(adapters)
    redis_server.admin().flushall()
    redis_server.admin().script_flush()
    assert not (await adapters.sessions.history("ses-1", "ana")).known
    assert await adapters.canonical.fetch(CONTEXT, "3.0", now=NOW) is None
    assert await works_again(adapters)


async def test_a_redis_without_room_refuses_writes_and_still_reads(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    assert await works_again(adapters)
    redis_server.fill_up()
    answers = await everything_once(adapters)
    assert "OutOfMemory" in str(answers[0])
    assert isinstance(answers[0], StoreUnavailable)
    assert answers[1].known, "a full Redis is not an absent one"
    assert isinstance(answers[3], StoreUnavailable)
    assert answers[4] == an_item()
    redis_server.make_room()
    assert await works_again(adapters)


async def test_a_redis_that_evicts_forgets_some_and_serves_the_rest(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    admin = redis_server.admin()
    admin.config_set("maxmemory-policy", "allkeys-lru")
    admin.config_set("maxmemory", str(int(admin.info("memory")["used_memory"]) + 300_000))
    raws = [secrets.token_hex(15_000) for _ in range(60)]
    for number, raw in enumerate(raws):
        item = CanonicalInvocation(f"{number}.0", raw, "bounded", hashlib.sha256(raw.encode()).hexdigest())
        await in_time(adapters.canonical.put(CONTEXT, item, expires_at=NOW + HOUR))
    fetched = [await in_time(adapters.canonical.fetch(CONTEXT, f"{number}.0", now=NOW)) for number in range(60)]
    assert None in fetched, "nothing was evicted: the test shows nothing"
    assert [item.raw for item in fetched if item is not None] == [
        raw for item, raw in zip(fetched, raws, strict=True) if item is not None
    ]
    admin.config_set("maxmemory-policy", "noeviction")


async def test_raw_outputs_go_to_the_second_store_and_come_from_whichever_has_them(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    second = InMemoryCanonicalStore()
    kept = KeptOutputs(adapters.canonical, second)
    redis_server.fill_up()
    assert await in_time(kept.put(CONTEXT, an_item(), expires_at=NOW + HOUR)) is None
    redis_server.make_room()
    assert await in_time(kept.fetch(CONTEXT, "3.0", now=NOW)) == an_item()
    redis_server.kill()
    assert await in_time(kept.fetch(CONTEXT, "3.0", now=NOW)) == an_item()
    assert await in_time(kept.fetch(CONTEXT, "4.0", now=NOW)) is None
    assert await in_time(kept.purge(now=NOW + 2 * HOUR)) == 1
    redis_server.start()


async def test_what_is_damaged_in_redis_is_said_unless_the_second_store_has_it(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    second = InMemoryCanonicalStore()
    kept = KeptOutputs(adapters.canonical, second)
    await kept.put(CONTEXT, an_item(), expires_at=NOW + HOUR)
    (key,) = redis_server.admin().keys("test:raw:*")
    redis_server.admin().hset(key, "raw", b"garbage")
    with pytest.raises(StoreError, match="cannot be unpacked"):
        await kept.fetch(CONTEXT, "3.0", now=NOW)
    await second.put(CONTEXT, an_item(), expires_at=NOW + HOUR)
    assert await kept.fetch(CONTEXT, "3.0", now=NOW) == an_item()
    redis_server.admin().hdel(key, "raw")
    with pytest.raises(StoreError, match="incomplete"):
        await adapters.canonical.fetch(CONTEXT, "3.0", now=NOW)


async def test_a_refusal_is_not_tried_on_the_second_store(adapters: Adapters) -> None:
    second = InMemoryCanonicalStore()
    kept = KeptOutputs(adapters.canonical, second)
    await kept.put(CONTEXT, an_item(), expires_at=NOW + HOUR)
    with pytest.raises(StoreError, match="another session or owner"):
        await kept.put(ExecutionContext("ses-1", "run-1", "bob"), an_item("mine"), expires_at=NOW + HOUR)
    assert second._kept == {}


async def test_damaged_history_is_not_known(adapters: Adapters, redis_server: RedisServer) -> None:
    await adapters.sessions.append("ses-1", "ana", PAIR, ttl=HOUR)
    (key,) = redis_server.admin().keys("test:session:*")
    redis_server.admin().lset(key, 0, b"\xff garbage")
    assert not (await adapters.sessions.history("ses-1", "ana")).known
