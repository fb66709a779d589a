"""Asking for a run over HTTP, and reading its report as a conversation: what `/api/chat` and `/api/ai_ops` share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import Header
from pydantic import Field, RootModel

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.feed import Listener
from rootproof.diagnosis.headline import answer_text
from rootproof.diagnosis.present import (
    ReportView,
    RunView,
    SelfEvaluationView,
    UsageView,
    View,
    readable,
    run_view,
)
from rootproof.diagnosis.request_run import MAX_KEY_CHARS, AskedRun, KeyReused, SessionAbsent, request_run
from rootproof.domain.api_key import Principal
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.entrypoints.http.problems import Problem, ProblemView, absent, unavailable
from rootproof.entrypoints.http.sse import message, retry
from rootproof.errors import LimitExceeded, StoreError
from rootproof.ports.run_store import RunRows
from rootproof.settings import Settings
from rootproof.telemetry import log_from_here

PIECE_CHARS = 160
"""About this long are the pieces in which a report is streamed."""
_BUSY_RETRY_S = 10

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MAX_KEY_CHARS,
        description="The same key of the same owner is the same run, also after a restart.",
    ),
]
ASKING_PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": ProblemView, "description": "There is no such session of this owner."},
    422: {"model": ProblemView, "description": "The request, or an idempotency key that had another request before."},
    503: {"model": ProblemView, "description": "Too many runs wait, too many streams are open, or the store is away."},
}


async def begin(backend: Backend, settings: Settings, caller: Principal, asked: AskedRun) -> Run:
    """The run, queued. Raises: Problem 404, 422, 503; UsageError; StoreError."""
    try:
        run = await request_run(backend, caller, asked, max_queued=settings.worker.max_queued)
    except SessionAbsent as error:
        raise absent("session", asked.session_id or "") from error
    except KeyReused as error:
        raise Problem(422, "idempotency-key-reused", str(error)) from error
    except LimitExceeded as error:
        raise unavailable(str(error), retry_after_s=_BUSY_RETRY_S) from error
    log_from_here(run.session_id, run.run_id)
    return run


async def ended(listener: Listener, *, within_s: float) -> bool:
    """Whether the run ended in that time. Raises: StoreError."""
    try:
        async with asyncio.timeout(within_s), aclosing(listener.events()) as events:
            async for _ in events:
                pass
    except TimeoutError:
        return False
    return True


async def answered(backend: Backend, run: Run) -> tuple[RunView, str | None]:
    """The run as it now is, and its report as a text. Raises: StoreError."""
    rows = await backend.services.runs.load(run.run_id, owner=run.owner)
    if rows is None:
        raise StoreError(f"run {run.run_id} is there no more")
    return await asyncio.to_thread(_answer, rows)


def _answer(rows: RunRows) -> tuple[RunView, str | None]:
    with readable(rows.run.run_id):
        view = run_view(rows)
        return view, answer_text(view.report) if view.report is not None else None


class MetadataMessage(View):
    """The first message: which run it is, and where to follow it."""

    type: Literal["metadata"] = "metadata"
    session_id: str
    run_id: str
    mode: RunMode
    run_url: str
    events_url: str


class ContentMessage(View):
    """A piece of the report's text; together the pieces are the text."""

    type: Literal["content"] = "content"
    delta: str


class DoneMessage(View):
    """The last message: how the run ended, and the report as data."""

    type: Literal["done"] = "done"
    session_id: str
    run_id: str
    status: RunStatus
    status_reason: StatusReason | None
    status_detail: str
    report: ReportView | None
    self_evaluation: SelfEvaluationView | None
    usage: UsageView


class ErrorMessage(View):
    """The last message where the report could not be read; the run itself is not touched by that."""

    type: Literal["error"] = "error"
    session_id: str
    run_id: str
    detail: str


class ConversationMessage(
    RootModel[Annotated[MetadataMessage | ContentMessage | DoneMessage | ErrorMessage, Field(discriminator="type")]]
):
    """The data of one message of a streamed answer."""


async def conversation(backend: Backend, run: Run, listener: Listener) -> AsyncIterator[bytes]:
    """Unnamed messages: `metadata` first, the report in pieces of `content`, `done` (or `error`) last."""
    ids = {"session_id": run.session_id, "run_id": run.run_id}
    path = f"/api/runs/{run.run_id}"
    yield retry()
    yield message(MetadataMessage(**ids, mode=run.mode, run_url=path, events_url=f"{path}/events"))
    try:
        async with aclosing(listener.events()) as events:
            async for _ in events:
                pass
        view, text = await answered(backend, run)
    except StoreError:
        detail = f"the store cannot be read at the moment; the run goes on, ask for {path} later"
        yield message(ErrorMessage(**ids, detail=detail))
        return
    for piece in pieces(text or f"The run ended as {view.status.value} without a report: {view.status_detail}\n"):
        yield message(ContentMessage(delta=piece))
    yield message(DoneMessage.model_validate(dict(view)))


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that end after a word; together they are the text."""
    piece = ""
    for word in re.findall(r"\S*\s+|\S+", text):
        piece += word
        if len(piece) >= PIECE_CHARS:
            yield piece
            piece = ""
    if piece:
        yield piece
