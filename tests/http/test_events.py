"""Streams of runs over a server that really listens: no gap, no repetition, one end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rootproof.bootstrap.backend import memory_backend, open_backend
from rootproof.diagnosis import feed
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.keys import make_key
from rootproof.diagnosis.request_run import AskedRun, request_run
from rootproof.domain.api_key import Principal, Scope
from rootproof.domain.run import Run, RunStatus
from rootproof.entrypoints.http import keyring, sse
from rootproof.errors import StoreError
from rootproof.scenarios import scenario_path
from rootproof.settings import ServerSettings, Settings, SourceSettings, StoreSettings
from tests.contracts.polling import wait_until
from tests.http.live import PATIENCE_S, Event, asked, carried_out, events_of, read_events, serving


@pytest.fixture
def live_settings(tmp_path: Path) -> Settings:
    return Settings(
        store=StoreSettings(home=str(tmp_path / "home")),
        sources=SourceSettings(bundle=str(scenario_path("order-pool-leak"))),
    )


@pytest.fixture
def live(live_settings: Settings) -> Backend:
    return memory_backend(live_settings)


class DeafBus:
    """A bus that is there and tells nothing: Redis is gone."""

    async def publish(self, run_id: str, passing: Mapping[str, Any] | None = None) -> None: ...

    @asynccontextmanager
    async def subscribe(self, run_id: str | None) -> AsyncIterator[DeafBus]:
        yield self

    async def moved(self, timeout_s: float) -> bool:
        await asyncio.sleep(timeout_s)
        return False

    def passing(self) -> list[Mapping[str, Any]]:
        return []

    async def close(self) -> None: ...


class ShakyDirectory:
    """Fails as often as it is told to, and counts what it is asked."""

    def __init__(self, inside: Any) -> None:
        self._inside = inside
        self.failures = 0
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)

    async def news(self, run_id: str, *, after: int, owner: str) -> Any:
        self.asked += 1
        if self.failures:
            self.failures -= 1
            raise StoreError("the database is away")
        return await self._inside.news(run_id, after=after, owner=owner)


def ids(events: list[Event]) -> list[int]:
    return [event.id for event in events if event.id is not None]


async def check_whole(backend: Backend, run: Run, events: list[Event]) -> None:
    """The events are the run: each id once and rising, every step once, every call as it ended, one end, at the end."""
    rows = await backend.services.runs.load(run.run_id)
    assert rows is not None
    numbers = ids(events)
    assert numbers == sorted(set(numbers))
    assert [event.name for event in events].count("end") == 1
    assert events[-1].name == "end"
    steps = [event.data for event in events if event.name == "step"]
    assert [(step["stepNo"], step["seq"]) for step in steps] == [(step.step_no, step.seq) for step in rows.steps]
    last = {
        (event.data["stepNo"], event.data["callIndex"]): event.data for event in events if event.name == "invocation"
    }
    assert {key: (call["status"], call["seq"]) for key, call in last.items()} == {
        (call.step_no, call.call_index): (call.status.value, call.seq) for call in rows.invocations
    }
    assert rows.invocations
    assert events[-1].data["status"] == rows.run.status == RunStatus.COMPLETED


async def test_a_stream_is_the_run_from_its_first_row_to_its_end(live_settings: Settings, live: Backend) -> None:
    run = await asked(live)
    async with serving(live_settings, live) as client:
        reading = asyncio.create_task(read_events(client, run.run_id))
        await carried_out(live, run)
        await check_whole(live, run, await asyncio.wait_for(reading, PATIENCE_S))
        await check_whole(live, run, await read_events(client, run.run_id))  # and again, when all is over


@pytest.mark.parametrize("seed", range(2))
async def test_who_hangs_up_at_any_moment_misses_nothing_and_gets_nothing_twice(
    live_settings: Settings, live: Backend, seed: int
) -> None:
    dice = random.Random(seed)
    run = await asked(live)

    async def reader(client: Any) -> list[Event]:
        found: list[Event] = []
        while not (found and found[-1].name == "end"):
            after = ids(found)[-1] if found else None
            found += await read_events(client, run.run_id, after=after, at_most=dice.randint(1, 4))
        return found

    async with serving(live_settings, live) as client:
        readers = [asyncio.create_task(reader(client)) for _ in range(4)]
        await carried_out(live, run)
        for found in await asyncio.wait_for(asyncio.gather(*readers), PATIENCE_S):
            await check_whole(live, run, found)


async def test_a_bus_that_is_lost_slows_the_stream_and_loses_nothing(live_settings: Settings, live: Backend) -> None:
    deaf = replace(live, bus=DeafBus())
    run = await asked(deaf)
    async with serving(live_settings, deaf) as client:
        reading = asyncio.create_task(read_events(client, run.run_id))
        await carried_out(deaf, run)
        await check_whole(deaf, run, await asyncio.wait_for(reading, PATIENCE_S))


async def test_a_store_that_fails_for_a_moment_breaks_no_stream(live_settings: Settings, live: Backend) -> None:
    directory = ShakyDirectory(live.directory)
    shaky = replace(live, directory=directory)  # type: ignore[arg-type]
    run = await asked(shaky)
    async with serving(live_settings, shaky) as client:
        reading = asyncio.create_task(read_events(client, run.run_id))
        await wait_until(lambda: directory.asked > 0)
        directory.failures = 3
        await carried_out(shaky, run)
        await check_whole(shaky, run, await asyncio.wait_for(reading, PATIENCE_S))
    assert directory.failures == 0


async def test_a_new_server_over_the_same_database_goes_on_where_the_old_one_stopped(live_settings: Settings) -> None:
    first = await open_backend(live_settings)
    run = await asked(first)
    async with serving(live_settings, first) as client:
        begun = await read_events(client, run.run_id, at_most=1)
        reading = asyncio.create_task(read_events(client, run.run_id, after=begun[-1].id, at_most=3))
        work = asyncio.create_task(carried_out(first, run))
        begun += await asyncio.wait_for(reading, PATIENCE_S)
    second = await open_backend(live_settings)
    async with serving(live_settings, second) as client:
        rest = await asyncio.wait_for(read_events(client, run.run_id, after=begun[-1].id), PATIENCE_S)
    await work
    await check_whole(second, run, [*begun, *rest])
    await first.close()
    await second.close()


async def test_the_end_is_told_once_and_never_again(live_settings: Settings, live: Backend) -> None:
    run = await asked(live)
    await carried_out(live, run)
    async with serving(live_settings, live) as client:
        events = await read_events(client, run.run_id)
        last = events[-1].id
        assert last is not None
        for _ in range(2):
            response = await client.get(f"/api/runs/{run.run_id}/events", headers={"Last-Event-ID": str(last)})
            assert response.status_code == 204
        assert [event.name for event in await read_events(client, run.run_id, after=last - 1)] == ["end"]
        # Feedback touches the run's row later: who has seen the end has still seen it.
        rows = await live.services.runs.load(run.run_id)
        assert rows is not None
        await live.services.runs.update_run(replace(rows.run, feedback={"verdict": "HELPFUL"}))
        assert await read_events(client, run.run_id, after=last) == []
        whole = await read_events(client, run.run_id)
        assert [event.name for event in whole].count("end") == 1


async def test_a_run_that_was_stopped_before_it_began_ends_its_stream(live_settings: Settings, live: Backend) -> None:
    run = await asked(live)
    async with serving(live_settings, live) as client:
        reading = asyncio.create_task(read_events(client, run.run_id, after=1))
        await live.services.runs.update_run(replace(run, status=RunStatus.CANCELLED))
        (end,) = await asyncio.wait_for(reading, PATIENCE_S)
        assert (end.name, end.data["status"]) == ("end", "CANCELLED")
        assert await read_events(client, run.run_id, after=end.id) == []


async def test_an_id_that_no_stream_gave_is_refused(live_settings: Settings, live: Backend) -> None:
    run = await asked(live)
    async with serving(live_settings, live) as client:
        url = f"/api/runs/{run.run_id}/events"
        for wrong in ("x", "-1", "1.5", "9" * 30, "1 2"):
            for request in ({"headers": {"Last-Event-ID": wrong}}, {"params": {"after": wrong}}):
                refused = await client.get(url, **request)  # type: ignore[arg-type]
                assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request"), wrong
        ahead = await client.get(url, headers={"Last-Event-ID": "99"})
        assert (ahead.status_code, ahead.json()["type"], ahead.json()["lastEventId"]) == (409, "event-id-ahead", 1)


async def test_a_foreign_run_is_an_absent_one(live_settings: Settings, live: Backend) -> None:
    stranger = Principal("ben", frozenset(Scope), "key-1")
    foreign = await request_run(live, stranger, AskedRun("mine"), max_queued=9)
    async with serving(live_settings, live) as client:
        answers = [await client.get(f"/api/runs/{run_id}/events") for run_id in (foreign.run_id, "run-none")]
        shown = [answer.json()["detail"].replace(foreign.run_id, "run-none") for answer in answers]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert shown[0] == shown[1]


async def test_one_stream_too_many_is_refused_and_a_free_place_is_free_again(
    live_settings: Settings, live: Backend
) -> None:
    run = await asked(live)
    settings = replace(live_settings, server=ServerSettings(max_streams=1))
    url = f"/api/runs/{run.run_id}/events"
    async with serving(settings, live) as client:
        async with client.stream("GET", url) as response:
            assert response.status_code == 200
            refused = await client.get(url)
            assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
            assert int(refused.headers["Retry-After"]) > 0
        async with asyncio.timeout(PATIENCE_S):
            while True:
                async with client.stream("GET", url) as response:
                    if response.status_code == 200:
                        break
                await asyncio.sleep(0.02)


async def test_a_quiet_stream_shows_that_it_lives(live_settings: Settings, live: Backend) -> None:
    run = await asked(live)
    settings = replace(live_settings, server=ServerSettings(heartbeat_s=1))
    async with serving(settings, live) as client, client.stream("GET", f"/api/runs/{run.run_id}/events") as response:
        async with asyncio.timeout(PATIENCE_S):
            async for line in response.aiter_lines():
                if line == ": alive":
                    return
    pytest.fail("the stream ended")


async def test_a_stream_ends_with_the_key_that_opened_it(
    live_settings: Settings, live: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "CHECK_S", 0.05)
    monkeypatch.setattr(keyring, "CACHE_S", 0.05)
    clock = live.services.clock
    new = make_key("ana", tuple(Scope), now=clock.now(), lifetime=None)
    await live.keys.add(new.key)
    run = await request_run(live, Principal("ana", frozenset(Scope), new.key.key_id), AskedRun("why?"), max_queued=9)
    settings = replace(live_settings, server=ServerSettings(heartbeat_s=1))
    headers = {"Authorization": f"Bearer {new.text}"}
    async with serving(settings, live) as client:
        async with client.stream("GET", f"/api/runs/{run.run_id}/events", headers=headers) as response:
            lines = response.aiter_lines()
            async with asyncio.timeout(PATIENCE_S):
                while await anext(lines) != ": alive":
                    pass
                await live.keys.revoke(new.key.key_id, at=clock.now())
                with suppress(httpx2.RemoteProtocolError):  # the answer ends in the middle
                    async for _ in lines:
                        pass
        assert (await client.get(f"/api/runs/{run.run_id}/events", headers=headers)).status_code == 401


async def test_what_passes_by_has_no_id_and_shows_identifiers_and_no_credential(
    live_settings: Settings, live: Backend
) -> None:
    run = await asked(live)
    await carried_out(live, run)
    other = await asked(live)
    async with (
        serving(live_settings, live) as client,
        client.stream("GET", f"/api/runs/{other.run_id}/events") as response,
        asyncio.timeout(PATIENCE_S),
    ):
        async for event in events_of(response):
            if event.name == "run":
                await live.bus.publish(other.run_id, {"text": "so far <secret:password:1>"})
            if event.name == "delta":
                assert (event.id, event.data["passing"]) == (None, {"text": "so far <secret:password:1>"})
                return
    pytest.fail("the stream ended")


async def test_many_readers_of_a_run_cost_one_reader_of_rows(live_settings: Settings, live: Backend) -> None:
    directory = ShakyDirectory(live.directory)
    counted = replace(live, directory=directory)  # type: ignore[arg-type]
    run = await asked(counted)
    async with serving(live_settings, counted) as client:
        readers = [asyncio.create_task(read_events(client, run.run_id)) for _ in range(20)]
        await carried_out(counted, run)
        for found in await asyncio.wait_for(asyncio.gather(*readers), PATIENCE_S):
            await check_whole(counted, run, found)
    rows = await live.services.runs.load(run.run_id)
    assert rows is not None
    writes = len(rows.steps) + 3 * len(rows.invocations) + 4
    assert directory.asked <= 20 + writes, "one look at the beginning of each, then one for all"


# -- the feed, without a server ------------------------------------------------------------------------------------


async def test_a_reader_that_falls_behind_reads_the_rows(live: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "KEPT_EVENTS", 2)
    run = await asked(live)
    feeds = feed.RunFeeds(live.directory, live.bus, max_listeners=9)
    slow = await feeds.listen(run.run_id, run.owner)
    assert slow is not None
    stream = slow.events()
    first = await anext(stream)
    await carried_out(live, run)
    await wait_until(lambda: slow.feed.log.ended)
    rest = [kept async for kept in stream]
    await check_whole(
        live,
        run,
        [
            Event(kept.event.type, kept.seq, kept.event.body.model_dump(mode="json", by_alias=True))
            for kept in (first, *rest)
        ],
    )
    slow.close()
    slow.close()
    assert (feeds.listeners, feeds._feeds) == (0, {})


async def test_a_store_that_stays_away_ends_the_stream_without_an_end(
    live: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("FIRST_PAUSE_S", 0.001), ("MAX_PAUSE_S", 0.001), ("MIN_GAP_S", 0.0), ("MAX_FAILURES", 3)):
        monkeypatch.setattr(feed, name, value)
    directory: Any = ShakyDirectory(live.directory)
    run = await asked(live)
    feeds = feed.RunFeeds(directory, live.bus, max_listeners=9)
    listener = await feeds.listen(run.run_id, run.owner)
    assert listener is not None
    directory.failures = 10**6
    with pytest.raises(StoreError, match="away"):
        await asyncio.wait_for(_read(listener), PATIENCE_S)
    listener.close()
    assert feeds.listeners == 0
    assert not feeds._feeds


async def _read(listener: feed.Listener) -> None:
    async for kept in listener.events():
        assert kept.event.type != "end"
