"""Redis stops, hangs, forgets, is full, evicts: calls stay short, only StoreErrors come, and all is well afterwards."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rootproof.adapters.docket.run_queue import DocketRunQueue
from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.run_queue import InMemoryRunQueue
from rootproof.adapters.redis.canonical_store import RedisCanonicalStore
from rootproof.adapters.redis.client import RedisLink
from rootproof.adapters.redis.event_bus import RedisEventBus
from rootproof.adapters.redis.session_context import RedisSessionContext
from rootproof.diagnosis.kept_outputs import KeptOutputs
from rootproof.domain.context import ExecutionContext
from rootproof.errors import StoreError, StoreUnavailable
from rootproof.ports.canonical_store import CanonicalInvocation
from rootproof.ports.session_context import MessagePair
from tests.contracts.polling import wait_until
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


async def test_every_subscriber_is_woken_when_the_bus_is_back(adapters: Adapters, redis_server: RedisServer) -> None:
    async with adapters.bus.subscribe("run-1") as one, adapters.bus.subscribe(None) as every:
        while await one.moved(0.05):
            pass
        while await every.moved(0.05):
            pass
        redis_server.kill()
        assert not await one.moved(0.05)
        redis_server.start()
        assert await one.moved(20)
        assert await every.moved(20)
        speaking = RedisEventBus(a_link(redis_server))
        await speaking.publish("run-1", {"n": 1})
        await wait_until(lambda: one.passing() == [{"n": 1}])
        assert every.passing() == [{"n": 1}]
        await speaking.close()
        await speaking._link.close()


async def test_subscribers_of_one_process_hear_it_without_redis(adapters: Adapters, redis_server: RedisServer) -> None:
    redis_server.kill()
    async with adapters.bus.subscribe("run-1") as one:
        await adapters.bus.publish("run-1", {"n": 1})
        assert await one.moved(5)
        assert one.passing() == [{"n": 1}]
    redis_server.start()


async def test_hundreds_of_streams_are_one_connection(adapters: Adapters, redis_server: RedisServer) -> None:
    async with asyncio.TaskGroup() as group:
        over = asyncio.Event()
        heard: list[str] = []

        async def stream(run_id: str) -> None:
            async with adapters.bus.subscribe(run_id) as subscription:
                while not over.is_set() and not subscription.passing():
                    await subscription.moved(0.2)
                heard.append(run_id)

        for number in range(300):
            group.create_task(stream(f"run-{number % 100}"))
        await wait_until(lambda: len(redis_server.admin().pubsub_channels("test:*")) == 101)
        listening = [client for client in redis_server.admin().client_list() if int(client["sub"])]
        assert len(listening) == 1
        link = a_link(redis_server, timeout_s=5)
        speaking = RedisEventBus(link)
        for number in range(100):
            await speaking.publish(f"run-{number}", {"n": number})
        await wait_until(lambda: len(heard) == 300)
        over.set()
        await speaking.close()
        await link.close()
    await wait_until(lambda: len(redis_server.admin().pubsub_channels("test:*")) == 1)


async def test_a_worker_outlives_redis_and_takes_jobs_after_it(adapters: Adapters, redis_server: RedisServer) -> None:
    done: list[str] = []

    async def handle(run_id: str) -> None:
        done.append(run_id)

    worker = asyncio.create_task(adapters.queue.work(handle, concurrency=2))
    await adapters.queue.enqueue("run-before")
    await wait_until(lambda: "run-before" in done)
    redis_server.kill()
    await in_time(adapters.queue.enqueue("run-meanwhile"))
    await wait_until(lambda: "run-meanwhile" in done)  # this process works on, without Redis
    redis_server.start()
    other = DocketRunQueue(redis_server.url, prefix=adapters.queue._name.removesuffix(":queue"), timeout_s=5)
    await other.enqueue("run-after")  # from another process: only Redis can bring it here
    await wait_until(lambda: "run-after" in done)
    redis_server.admin().flushall()
    await other.enqueue("run-flushed")
    await wait_until(lambda: "run-flushed" in done)
    await other.close()
    worker.cancel()
    await asyncio.wait([worker], timeout=FEW_TIMEOUTS_S)
    assert worker.cancelled()


async def test_a_worker_ends_when_it_is_told_to_though_redis_is_gone(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    async def handle(_run_id: str) -> None: ...

    worker = asyncio.create_task(adapters.queue.work(handle, concurrency=2))
    await asyncio.sleep(0.2)
    redis_server.kill()
    await asyncio.sleep(0.2)
    worker.cancel()
    await asyncio.wait([worker], timeout=20)
    assert worker.cancelled()
    redis_server.start()


async def test_a_job_whose_message_was_evicted_can_be_asked_for_again(
    adapters: Adapters, redis_server: RedisServer
) -> None:
    done: list[str] = []

    async def handle(run_id: str) -> None:
        done.append(run_id)

    await adapters.queue.enqueue("run-1")
    redis_server.admin().delete(f"{adapters.queue._name}:stream")
    await adapters.queue.enqueue("run-1")
    worker = asyncio.create_task(adapters.queue.work(handle, concurrency=1))
    await wait_until(lambda: done == ["run-1"])
    worker.cancel()
    await asyncio.wait([worker], timeout=20)


async def test_no_secret_of_the_address_is_said(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    canary = "canary-pw-7391"
    caplog.set_level(logging.DEBUG)
    for who, port in (("service", redis_server.port), ("", 1)):
        url = f"redis://{who}:{canary}@127.0.0.1:{port}/0"
        link = RedisLink(url, prefix="test", timeout_s=TIMEOUT_S)
        bus, queue = RedisEventBus(link), DocketRunQueue(url, prefix="test", timeout_s=TIMEOUT_S)
        with pytest.raises(StoreUnavailable) as refused:
            await RedisSessionContext(link).append("ses-1", "ana", PAIR, ttl=HOUR)
        async with bus.subscribe("run-1"):
            await bus.publish("run-1")
        await queue.enqueue("run-1")
        await bus.close()
        await queue.close()
        await link.close()
        assert canary not in "".join(traceback.format_exception(refused.value))
    assert "could not be put into the queue" in caplog.text
    assert canary not in caplog.text
