"""`/healthz` and `/readyz`: alive, ready, degraded, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.domain.run import RunStatus
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.routes import ops
from rootproof.errors import StoreError
from rootproof.settings import RedisSettings, Settings, WorkerSettings
from tests.http.conftest import client_of


@dataclass
class Directory:
    """Answers with counts, fails, or never answers."""

    numbers: Mapping[RunStatus, int] = field(default_factory=dict)
    broken: bool = False
    stuck: bool = False

    async def counts(self) -> Mapping[RunStatus, int]:
        if self.stuck:
            await asyncio.Event().wait()
        if self.broken:
            raise StoreError("no route to db.internal")
        return self.numbers


@dataclass
class Sessions:
    """A session context that can be lost."""

    broken: bool = False

    async def history(self, session_id: str, owner: str) -> Any:
        if self.broken:
            raise StoreError("redis.internal refused the connection")


def app_of(settings: Settings, backend: Backend, directory: Any, sessions: Any = None) -> FastAPI:
    chosen = replace(settings, worker=WorkerSettings(max_queued=10))
    if sessions is not None:
        chosen = replace(chosen, redis=RedisSettings(url="redis://redis.internal:6379/0"))
    return create_app(chosen, replace(backend, directory=directory, sessions=sessions or backend.sessions))


async def ready(app: FastAPI) -> httpx2.Response:
    async with client_of(app) as client:
        response = await client.get("/readyz")
    assert "internal" not in response.text
    return response


def checks(response: httpx2.Response) -> dict[str, str]:
    return {check["name"]: check["status"] for check in response.json()["checks"]}


async def test_ready(settings: Settings, backend: Backend) -> None:
    numbers = {RunStatus.QUEUED: 3, RunStatus.RUNNING: 2}
    response = await ready(app_of(settings, backend, Directory(numbers), Sessions()))
    assert response.status_code == 200
    assert checks(response) == {"store": "ok", "redis": "ok", "queue": "ok"}
    assert (response.json()["queued"], response.json()["running"]) == (3, 2)


async def test_without_redis_it_is_not_looked_at(settings: Settings, backend: Backend) -> None:
    assert checks(await ready(app_of(settings, backend, Directory()))) == {"store": "ok", "queue": "ok"}


async def test_a_lost_redis_degrades(settings: Settings, backend: Backend) -> None:
    response = await ready(app_of(settings, backend, Directory(), Sessions(broken=True)))
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert checks(response)["redis"] == "degraded"


@pytest.mark.parametrize("how", [{"broken": True}, {"stuck": True}])
async def test_a_store_that_does_not_answer(
    settings: Settings, backend: Backend, monkeypatch: pytest.MonkeyPatch, how: dict[str, bool]
) -> None:
    monkeypatch.setattr(ops, "STORE_S", 0.05)
    app = app_of(settings, backend, Directory(**how))
    response = await ready(app)
    assert response.status_code == 503
    assert response.json()["ready"] is False
    assert checks(response) == {"store": "failed"}
    assert int(response.headers["retry-after"]) > 0
    async with client_of(app) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}


async def test_a_full_queue(settings: Settings, backend: Backend) -> None:
    response = await ready(app_of(settings, backend, Directory({RunStatus.QUEUED: 10})))
    assert response.status_code == 503
    assert checks(response)["queue"] == "failed"
    assert "10 of 10" in response.text


async def test_a_server_that_shuts_down(settings: Settings, backend: Backend) -> None:
    app = app_of(settings, backend, Directory())
    app.state.draining = True
    response = await ready(app)
    assert response.status_code == 503
    assert checks(response)["server"] == "failed"
