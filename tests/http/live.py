"""A server that really listens, in this process: what streams need, since clients of an app in memory read it whole."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.request_run import AskedRun, request_run
from rootproof.domain.api_key import LOCAL_OWNER, Principal, Scope
from rootproof.domain.run import Run
from rootproof.entrypoints.http.app import create_app
from rootproof.settings import Settings
from tests.contracts.polling import wait_until

PATIENCE_S = 20.0
LOCAL = Principal(LOCAL_OWNER, frozenset(Scope))


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    name: str
    id: int | None
    data: Any


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[str]:
    """The address of a server of the app; it is stopped at the end, with open streams."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve([listener]))
    try:
        await wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await asyncio.wait_for(task, PATIENCE_S)
        listener.close()


@asynccontextmanager
async def serving(settings: Settings, backend: Backend) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a fresh server over the backend."""
    async with (
        served(create_app(settings, backend)) as address,
        httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as client,
    ):
        yield client


async def events_of(response: httpx2.Response) -> AsyncIterator[Event]:
    """The events of a stream, comments left out."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if not line:
            if "data" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield Event(fields.get("event", "message"), number, json.loads(fields["data"]))
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


async def read_events(
    client: httpx2.AsyncClient, run_id: str, *, after: int | None = None, at_most: int | None = None
) -> list[Event]:
    """The events of a run from after an id to the end; the client hangs up after `at_most` of them."""
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    found: list[Event] = []
    async with client.stream("GET", f"/api/runs/{run_id}/events", headers=headers) as response:
        if response.status_code == 204:
            return []
        assert response.status_code == 200, await response.aread()
        async for event in events_of(response):
            found.append(event)
            if at_most is not None and len(found) >= at_most:
                break
    return found


async def asked(backend: Backend, question: str = "why is orders failing?", **more: Any) -> Run:
    """A queued run of the local owner."""
    return await request_run(backend, LOCAL, AskedRun(question=question, **more), max_queued=1_000)


async def carried_out(backend: Backend, run: Run) -> None:
    """The run, driven to its end as a worker does it, with nothing but the rows and the bus between the two."""
    inputs: Any = await backend.inputs_of(run)
    await drive_run(backend.services, run.run_id, inputs.sources, inputs.skills)
