"""A run over SQLite and Redis whose Redis is killed, emptied or full in the middle: it ends, with all its rows."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.scripted_model import calls
from rootproof.adapters.redis.canonical_store import RedisCanonicalStore
from rootproof.adapters.redis.event_bus import RedisEventBus
from rootproof.adapters.redis.session_context import RedisSessionContext
from rootproof.adapters.sql.canonical_store import SqlCanonicalStore
from rootproof.adapters.sql.migrate import open_database
from rootproof.adapters.sql.run_store import SqlRunStore
from rootproof.diagnosis.kept_outputs import KeptOutputs
from rootproof.diagnosis.publishing_store import PublishingRunStore
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.errors import StoreError
from rootproof.ports.session_context import MessagePair
from rootproof.ports.sources import LogQuery, Sources
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import RedisServer, a_link, redis_process, redis_server
from tests.fakes.driving import NOW, World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

__all__ = ["redis_process", "redis_server"]

HOUR = timedelta(hours=1)


def look(minutes: int) -> tuple[str, dict[str, Any]]:
    return ("query_logs", {"topic": "APPLICATION", "lookback_minutes": minutes})


@dataclass
class LogsWithAMishap(FakeLogs):
    """The second query does something to Redis before it answers."""

    mishap: Callable[[], None] = field(default=lambda: None)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        if len(self.queries) == 1:
            self.mishap()
        return await super().fetch(query, deadline_s=deadline_s)


def mishap_of(server: RedisServer, name: str) -> Callable[[], None]:
    def restart() -> None:
        server.kill()
        server.start()

    def flush() -> None:
        server.admin().flushall()

    return {
        "nothing": lambda: None,
        "killed": server.kill,
        "restarted": restart,
        "flushed": flush,
        "full": server.fill_up,
        "hung": server.hang,
    }[name]


@pytest.fixture
async def world(redis_server: RedisServer, tmp_path: Path) -> AsyncIterator[World]:
    clock = FixedClock(NOW)
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'rootproof.db'}")
    link = a_link(redis_server)
    bus = RedisEventBus(link)
    turns = [
        calls(look(10)),
        calls(look(20)),
        calls(look(30)),
        report(claim("The pool has 20 of 20 connections in use.", "E2")),
    ]
    world = World(
        scripted(turns),
        runs=PublishingRunStore(SqlRunStore(database, clock), bus),
        canonical=KeptOutputs(RedisCanonicalStore(link, clock), SqlCanonicalStore(database, clock)),
        clock=clock,
    )
    yield world
    await bus.close()
    await link.close()
    await database.close()
    redis_server.as_new()


@pytest.mark.parametrize("mishap", ["nothing", "killed", "restarted", "flushed", "full", "hung"])
async def test_the_run_ends_with_every_row(world: World, redis_server: RedisServer, mishap: str) -> None:
    records = [log("pool 'main' has 20 of 20 connections in use, 7 callers waiting")]
    world.sources = Sources(logs=LogsWithAMishap(records, mishap=mishap_of(redis_server, mishap)))
    rows = await world.diagnose()

    assert (rows.run.status, rows.run.status_reason) == (RunStatus.COMPLETED, StatusReason.REPORTED)
    assert [call.status for call in rows.invocations] == [InvocationStatus.OK] * 3
    assert all(call.result for call in rows.invocations), "the bounded result is in SQL whatever happens"
    assert [step.step_no for step in rows.steps] == list(range(len(rows.steps)))
    assert rows.run.report is not None

    if mishap == "hung":
        redis_server.go_on()

    async def raws() -> list[bool]:
        found = []
        for call in rows.invocations:
            item = await world.canonical.fetch(rows.run.context, f"{call.step_no}.{call.call_index}", now=NOW)
            found.append(item is not None and hashlib.sha256(item.raw.encode()).hexdigest() == call.raw_sha256)
        return found

    # What was in Redis when it lost its memory is gone; what came after is there, in one store or the other.
    expected = [mishap in ("nothing", "full", "hung"), True, True]

    async def are_there() -> bool:
        return await raws() == expected

    await wait_until(are_there, within_s=10)


async def test_a_session_goes_on_without_its_history(world: World, redis_server: RedisServer) -> None:
    link = a_link(redis_server)
    sessions = RedisSessionContext(link)
    await sessions.append("ses-1", "ana", MessagePair("run-1", "why?", "so", NOW), ttl=HOUR)
    redis_server.admin().flushall()
    assert not (await sessions.history("ses-1", "ana")).known
    redis_server.kill()
    with pytest.raises(StoreError, match="going on without it"):
        await sessions.history("ses-1", "ana")
    await link.close()
