"""What every EventBus keeps to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from rootproof.adapters.memory.event_bus import InMemoryEventBus
from rootproof.adapters.redis.event_bus import RedisEventBus
from rootproof.ports.event_bus import MAX_PASSING, MAX_PASSING_BYTES, EventBus
from tests.contracts.redis_server import a_link, redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

SOON = 10.0
NOW = 0.02
"""Long enough for what is there already, short enough to wait for nothing."""


@pytest.fixture(params=["memory", "redis, one process", "redis, two processes"])
async def buses(request: pytest.FixtureRequest) -> AsyncIterator[tuple[EventBus, EventBus]]:
    """Who publishes, and who listens."""
    if request.param == "memory":
        bus = InMemoryEventBus()
        yield bus, bus
        await bus.close()
        return
    server = request.getfixturevalue("redis_server")
    links = [a_link(server, timeout_s=5), a_link(server, timeout_s=5)]
    here, there = RedisEventBus(links[0]), RedisEventBus(links[1])
    yield (here, here) if request.param == "redis, one process" else (here, there)
    for redis_bus, link in ((here, links[0]), (there, links[1])):
        await redis_bus.close()
        await link.close()


async def test_a_subscriber_hears_its_run_and_no_other(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-1") as one, hearer.subscribe("run-2") as two:
        await drained(one, two)
        await speaker.publish("run-1")
        assert await one.moved(SOON)
        assert not await two.moved(NOW)
        assert not await one.moved(NOW)


async def test_whoever_listens_to_all_hears_every_run_once(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe(None) as every, hearer.subscribe("run-1") as one:
        await drained(every, one)
        await speaker.publish("run-1", {"n": 1})
        await speaker.publish("run-2", {"n": 2})
        assert await heard(every, 2) == [{"n": 1}, {"n": 2}]
        assert await heard(one, 1) == [{"n": 1}]


async def test_many_moves_are_one(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-1") as one:
        await drained(one)
        for number in range(50):
            await speaker.publish("run-1", {"n": number})
        assert len(await heard(one, 50)) == 50
        assert await one.moved(NOW) in (True, False)  # what came while the last ones were read
        assert not await one.moved(NOW)


async def test_what_moved_before_the_subscription_is_not_heard(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    await speaker.publish("run-1", {"n": 1})
    async with hearer.subscribe("run-1") as one:
        await drained(one)
        assert one.passing() == []


async def test_the_first_publication_inside_the_context_is_heard(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    for number in range(20):
        async with hearer.subscribe(f"run-{number}") as one:
            await speaker.publish(f"run-{number}", {"n": number})
            assert await heard(one, 1) == [{"n": number}]


async def test_events_that_nobody_fetches_are_bounded_the_oldest_go(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-1") as slow, hearer.subscribe("run-1") as quick:
        await drained(slow, quick)
        for number in range(MAX_PASSING + 10):
            await speaker.publish("run-1", {"n": number})
        last: list[object] = []
        while not last or last[-1] != {"n": MAX_PASSING + 9}:
            assert await quick.moved(SOON)
            last += quick.passing()
        assert [event["n"] for event in slow.passing()] == list(range(10, MAX_PASSING + 10))
        assert slow.passing() == []


async def test_an_event_that_is_too_large_or_no_json_is_left_out(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-1") as one:
        await drained(one)
        await speaker.publish("run-1", {"text": "x" * MAX_PASSING_BYTES})
        assert await one.moved(SOON)
        await speaker.publish("run-1", {"text": object()})
        assert await one.moved(SOON)
        await speaker.publish("run-1", {"text": "漢字 🦊 \ud83d"})
        assert await heard(one, 1) == [{"text": "漢字 🦊 \ud83d"}]


async def test_two_subscribers_of_a_run_and_one_leaves(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-1") as stays:
        async with hearer.subscribe("run-1") as leaves:
            await drained(stays, leaves)
            await speaker.publish("run-1", {"n": 1})
            assert await heard(leaves, 1) == await heard(stays, 1)
        await speaker.publish("run-1", {"n": 2})
        assert await heard(stays, 1) == [{"n": 2}]


async def test_run_ids_with_pattern_characters_are_plain_text(buses: tuple[EventBus, EventBus]) -> None:
    speaker, hearer = buses
    async with hearer.subscribe("run-*") as starred:
        await drained(starred)
        await speaker.publish("run-1", {"n": 1})
        await speaker.publish("run-*", {"n": 2})
        assert await heard(starred, 1) == [{"n": 2}]


async def test_close_wakes_everybody_once(buses: tuple[EventBus, EventBus]) -> None:
    _, hearer = buses
    async with hearer.subscribe("run-1") as one, hearer.subscribe(None) as every:
        await drained(one, every)
        waiting = [asyncio.create_task(each.moved(SOON)) for each in (one, every)]
        await asyncio.sleep(0)
        await hearer.close()
        assert await asyncio.gather(*waiting) == [True, True]
        await hearer.publish("run-1")
        assert not await one.moved(NOW)


async def drained(*subscriptions: object) -> None:
    """Past the waking that a new connection brings."""
    for subscription in subscriptions:
        while await subscription.moved(NOW):  # type: ignore[attr-defined]
            subscription.passing()  # type: ignore[attr-defined]


async def heard(subscription: object, count: int) -> list[object]:
    """The next `count` ephemeral events."""
    events: list[object] = list(subscription.passing())  # type: ignore[attr-defined]
    while len(events) < count:
        assert await subscription.moved(SOON), f"only {len(events)} of {count} events came"  # type: ignore[attr-defined]
        events += subscription.passing()  # type: ignore[attr-defined]
    return events
