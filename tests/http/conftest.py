"""The application on a backend in memory, and callers of it.

`local` calls a server without keys; `ana` and `ben` are two owners with keys of every scope on the same server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.adapters.memory.api_keys import InMemoryApiKeyStore
from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.cases import InMemoryCaseStore
from rootproof.adapters.memory.event_bus import InMemoryEventBus
from rootproof.adapters.memory.feedback import InMemoryFeedbackStore
from rootproof.adapters.memory.incidents import InMemoryIncidentStore
from rootproof.adapters.memory.outbox import InMemoryOutboxStore
from rootproof.adapters.memory.run_directory import InMemoryRunDirectory
from rootproof.adapters.memory.run_leases import InMemoryRunLeases
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.session_context import InMemorySessionContext
from rootproof.diagnosis.backend import Backend, RunInputs
from rootproof.diagnosis.keys import NewKey, make_key
from rootproof.diagnosis.publishing_store import PublishingRunStore
from rootproof.diagnosis.services import Services
from rootproof.domain.api_key import Scope
from rootproof.domain.run import Run
from rootproof.entrypoints.http.app import create_app
from rootproof.ports.sources import Sources
from rootproof.settings import Settings
from rootproof.skills.catalog import Catalog

T0 = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)
BASE_URL = "http://127.0.0.1:8420"


@dataclass
class HandClock:
    """A clock that tests move; it also moves on by a microsecond at every look, so that rows have an order."""

    instant: datetime = T0
    stopwatch: float = 0.0

    def now(self) -> datetime:
        self.instant += timedelta(microseconds=1)
        return self.instant

    def monotonic(self) -> float:
        return self.stopwatch

    def pass_time(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)
        self.stopwatch += seconds


@dataclass
class StillQueue:
    """Remembers what was asked for and works on nothing: a test decides what becomes of its runs."""

    asked: list[tuple[str, int]] = field(default_factory=list)

    async def enqueue(self, run_id: str, *, epoch: int = 0) -> None:
        self.asked.append((run_id, epoch))

    async def work(self, handle: Any, *, concurrency: int) -> None:
        raise AssertionError("nothing works in these tests")

    async def close(self) -> None:
        pass


def no_model(_spec: str, _skills: Any) -> Any:
    raise AssertionError("no run is carried out in these tests")


async def no_inputs(_run: Run) -> RunInputs:
    return RunInputs(Sources(), Catalog([]))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def queue() -> StillQueue:
    return StillQueue()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    from rootproof.settings import StoreSettings

    return Settings(store=StoreSettings(home=str(tmp_path / "home")))


@pytest.fixture
def backend(clock: HandClock, queue: StillQueue) -> Backend:
    runs = InMemoryRunStore(clock)
    bus = InMemoryEventBus()
    return Backend(
        services=Services(PublishingRunStore(runs, bus), InMemoryCanonicalStore(), clock, no_model),
        leases=InMemoryRunLeases(runs),
        directory=InMemoryRunDirectory(runs),
        sessions=InMemorySessionContext(clock.monotonic),
        bus=bus,
        queue=queue,
        keys=InMemoryApiKeyStore(),
        feedback=InMemoryFeedbackStore(runs, clock),
        cases=InMemoryCaseStore(clock),
        incidents=InMemoryIncidentStore(runs),
        outbox=InMemoryOutboxStore(),
        inputs_of=no_inputs,
    )


@pytest.fixture
def app(settings: Settings, backend: Backend) -> FastAPI:
    return create_app(settings, backend)


@pytest.fixture
async def local(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller of a server without keys, at the same machine."""
    async with client_of(app) as client:
        yield client


@pytest.fixture
async def ana(app: FastAPI, backend: Backend, clock: HandClock) -> AsyncIterator[httpx2.AsyncClient]:
    """An owner with a key of every scope."""
    async with client_of(app, await stored_key(backend, clock, "ana")) as client:
        yield client


@pytest.fixture
async def ben(app: FastAPI, backend: Backend, clock: HandClock) -> AsyncIterator[httpx2.AsyncClient]:
    """Another owner with a key of every scope."""
    async with client_of(app, await stored_key(backend, clock, "ben")) as client:
        yield client


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


def client_of(app: FastAPI, key: NewKey | None = None, **options: Any) -> httpx2.AsyncClient:
    """A client of the app in this process; bugs are answered, not raised."""
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=True)
    headers = {"Authorization": f"Bearer {key.text}"} if key else {}
    return httpx2.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers, **options)


async def stored_key(
    backend: Backend, clock: HandClock, owner: str, *scopes: Scope, lifetime: timedelta | None = None
) -> NewKey:
    """A key that the backend's store knows; every scope where none is named."""
    new = make_key(owner, scopes or tuple(Scope), now=clock.now(), lifetime=lifetime)
    await backend.keys.add(new.key)
    return new
