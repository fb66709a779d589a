"""Every adapter of a port, under one name each: the suites run on all of them, memory first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.sql import schema
from rootproof.adapters.sql.canonical_store import SqlCanonicalStore
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.migrate import open_database
from rootproof.adapters.sql.run_store import SqlRunStore
from rootproof.ports.canonical_store import CanonicalInvocationStore
from rootproof.ports.run_store import RunStore
from tests.contracts.sql_servers import ServerDatabases

T0 = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)


@dataclass
class TickingClock:
    """A clock that moves on by a microsecond at every look, so that nothing happens at the same time."""

    instant: datetime = T0

    def now(self) -> datetime:
        self.instant += timedelta(microseconds=1)
        return self.instant

    def monotonic(self) -> float:
        return (self.instant - T0).total_seconds()


@dataclass
class House:
    """One place where rows are kept, and ways into it."""

    kind: str
    clock: TickingClock
    runs: RunStore
    canonical: CanonicalInvocationStore
    reopened: Callable[[], Awaitable[tuple[RunStore, CanonicalInvocationStore]]]
    """Stores over the same rows through connections of their own, as another process would open them."""
    database: Database | None = None
    """The SQL behind them, where there is one."""


@pytest.fixture(scope="session")
def server_databases() -> Iterator[ServerDatabases]:
    databases = ServerDatabases()
    yield databases
    databases.drop_all()


@pytest.fixture(params=["memory", "sqlite", "mysql", "postgres"])
def house_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def database_url(house_kind: str, tmp_path: Path, server_databases: ServerDatabases) -> str | None:
    match house_kind:
        case "memory":
            return None
        case "sqlite":
            return f"sqlite+aiosqlite:///{tmp_path / 'rootproof.db'}"
        case _:
            return server_databases.url(house_kind)


@pytest.fixture
async def house(house_kind: str, database_url: str | None) -> AsyncIterator[House]:
    clock = TickingClock()
    if database_url is None:
        runs, canonical = InMemoryRunStore(clock), InMemoryCanonicalStore()

        async def same() -> tuple[RunStore, CanonicalInvocationStore]:
            return runs, canonical

        yield House(house_kind, clock, runs, canonical, same)
        return

    url = database_url
    opened: list[Database] = []

    async def stores() -> tuple[SqlRunStore, SqlCanonicalStore]:
        database = await open_database(url)
        opened.append(database)
        return SqlRunStore(database, clock), SqlCanonicalStore(database, clock)

    sql_runs, sql_canonical = await stores()
    await _empty(opened[0])
    yield House(house_kind, clock, sql_runs, sql_canonical, stores, opened[0])
    for database in opened:
        await database.close()


async def _empty(database: Database) -> None:
    async with database.engine.begin() as connection:
        for table in reversed(schema.metadata.sorted_tables):
            await connection.execute(table.delete())
