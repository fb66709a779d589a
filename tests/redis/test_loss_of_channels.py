"""Streams and workers while Redis is lost, and after it has come back."""

from __future__ import annotations

import asyncio

import pytest

from rootproof.adapters.docket.run_queue import DocketRunQueue
from rootproof.adapters.redis.event_bus import RedisEventBus
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import (
    FEW_TIMEOUTS_S,
    RedisServer,
    a_link,
    redis_process,
    redis_server,
)
from tests.redis.outage import Adapters, adapters, closed, in_time

__all__ = ["adapters", "closed", "redis_process", "redis_server"]


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


async def test_a_bus_that_fell_silent_is_noticed_and_heard_again(
    adapters: Adapters, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rootproof.adapters.redis.event_bus._QUIET_S", 0.1)
    async with adapters.bus.subscribe("run-1") as one:
        redis_server.hang()
        await wait_until(lambda: "the event bus lost Redis" in caplog.text)
        while await one.moved(0.05):
            pass
        redis_server.go_on()
        assert await one.moved(20)


async def test_a_quiet_bus_that_answers_is_kept(
    adapters: Adapters, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rootproof.adapters.redis.event_bus._QUIET_S", 0.02)
    async with adapters.bus.subscribe("run-1"):
        pings = await asyncio.to_thread(_pings, redis_server)
        await wait_until(lambda: _pings(redis_server) >= pings + 5)
    assert "lost Redis" not in caplog.text


def _pings(server: RedisServer) -> int:
    calls = server.admin().info("commandstats").get("cmdstat_ping", {"calls": 0})
    return int(calls["calls"])


async def test_jobs_of_both_queues_share_the_slots(adapters: Adapters, redis_server: RedisServer) -> None:
    under_way: set[str] = set()
    most, done = 0, 0
    may_end = asyncio.Event()

    async def handle(run_id: str) -> None:
        nonlocal most, done
        under_way.add(run_id)
        most = max(most, len(under_way))
        await may_end.wait()
        under_way.discard(run_id)
        done += 1

    worker = asyncio.create_task(adapters.queue.work(handle, concurrency=2))
    await adapters.queue.enqueue("run-1")
    await wait_until(lambda: under_way == {"run-1"})
    redis_server.kill()
    for number in range(2, 6):
        await adapters.queue.enqueue(f"run-{number}")
    await wait_until(lambda: len(under_way) == 2)
    may_end.set()
    await wait_until(lambda: done == 5)
    assert most == 2
    worker.cancel()
    await asyncio.wait([worker], timeout=20)
    redis_server.start()
