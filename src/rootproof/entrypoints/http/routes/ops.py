"""For whoever runs the server: is it alive, can it take work."""

from __future__ import annotations

import asyncio
from enum import StrEnum

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.present import View
from rootproof.domain.api_key import LOCAL_OWNER
from rootproof.domain.run import RunStatus
from rootproof.entrypoints.http.deps import BackendDep, SettingsDep
from rootproof.errors import RootproofError
from rootproof.settings import Settings

router = APIRouter(tags=["operations"])
STORE_S = 5.0
"""Seconds that the store may take to answer a check."""


class CheckStatus(StrEnum):
    """How one part is."""

    OK = "ok"
    DEGRADED = "degraded"
    """The server works without it, with less."""
    FAILED = "failed"


class AliveView(View):
    """The process answers."""

    status: str = Field(description="Always `ok`: a process that is not alive does not answer.", examples=["ok"])


class CheckView(View):
    """One part of the server."""

    name: str = Field(description="What was looked at.", examples=["store"])
    status: CheckStatus = Field(description="How it is.")
    detail: str = Field(description="In words, without addresses or secrets.", examples=["answers"])


class ReadyView(View):
    """Whether the server can take work, and why."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "ready": True,
                    "status": "degraded",
                    "checks": [
                        {"name": "store", "status": "ok", "detail": "answers"},
                        {"name": "redis", "status": "degraded", "detail": "does not answer; runs go on without it"},
                        {"name": "queue", "status": "ok", "detail": "3 of 1000 runs waiting, 2 running"},
                    ],
                }
            ]
        }
    )

    ready: bool = Field(description="Whether to send requests here; false comes with status 503.")
    status: CheckStatus = Field(description="The worst of the checks.")
    checks: list[CheckView] = Field(description="What was looked at.")
    queued: int | None = Field(None, description="Runs that wait; null where the store does not answer.", examples=[3])
    running: int | None = Field(None, description="Runs under way.", examples=[2])


@router.get(
    "/healthz",
    response_model=AliveView,
    summary="Is the process alive",
    description="Answers while the process lives; it looks at nothing else. Needs no key.",
)
async def alive() -> AliveView:
    """The process answers."""
    return AliveView(status="ok")


@router.get(
    "/readyz",
    response_model=ReadyView,
    summary="Can the server take work",
    description="Looks at the store, at Redis where it is configured, and at the queue. Losing Redis degrades the "
    "server and does not make it unready. Needs no key.",
    responses={503: {"model": ReadyView, "description": "Not ready; `checks` says why."}},
)
async def ready(request: Request, response: Response, backend: BackendDep, settings: SettingsDep) -> ReadyView:
    """The state of what the server stands on."""
    counts, store = await _store(backend)
    checks = [store]
    if settings.redis.url:
        checks.append(await _redis(backend, settings))
    if counts is not None:
        checks.append(_queue(counts, settings))
    if request.app.state.draining:
        checks.append(CheckView(name="server", status=CheckStatus.FAILED, detail="shutting down"))
    worst = max((check.status for check in checks), key=list(CheckStatus).index)
    if worst is CheckStatus.FAILED:
        response.status_code = 503
        response.headers["Retry-After"] = "5"
    queued, running = (None, None) if counts is None else counts
    return ReadyView(ready=worst is not CheckStatus.FAILED, status=worst, checks=checks, queued=queued, running=running)


async def _store(backend: Backend) -> tuple[tuple[int, int] | None, CheckView]:
    try:
        async with asyncio.timeout(STORE_S):
            counts = await backend.directory.counts()
    except (RootproofError, TimeoutError):
        # Its own words can name hosts and paths; `rootproof config check` shows them to the operator.
        return None, CheckView(name="store", status=CheckStatus.FAILED, detail="does not answer")
    found = counts.get(RunStatus.QUEUED, 0), counts.get(RunStatus.RUNNING, 0)
    return found, CheckView(name="store", status=CheckStatus.OK, detail="answers")


async def _redis(backend: Backend, settings: Settings) -> CheckView:
    try:
        async with asyncio.timeout(settings.redis.timeout_s + 1):
            await backend.sessions.history("readyz", LOCAL_OWNER)
    except (RootproofError, TimeoutError):
        return CheckView(name="redis", status=CheckStatus.DEGRADED, detail="does not answer; runs go on without it")
    return CheckView(name="redis", status=CheckStatus.OK, detail="answers")


def _queue(counts: tuple[int, int], settings: Settings) -> CheckView:
    queued, running = counts
    most = settings.worker.max_queued
    status = CheckStatus.FAILED if queued >= most else CheckStatus.OK
    return CheckView(name="queue", status=status, detail=f"{queued} of {most} runs waiting, {running} running")
