"""Questions: asked as JSON, answered when the run has ended or as it goes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from pydantic import Field

from rootproof.diagnosis.present import RunView, View
from rootproof.diagnosis.request_run import AskedRun
from rootproof.diagnosis.start_run import MAX_QUESTION_CHARS
from rootproof.domain.run import Run
from rootproof.entrypoints.http.asking import (
    ASKING_PROBLEMS,
    IdempotencyKey,
    answered,
    begin,
    conversation,
    ended,
)
from rootproof.entrypoints.http.deps import BackendDep, Diagnoser, SettingsDep
from rootproof.entrypoints.http.problems import absent, invalid
from rootproof.entrypoints.http.routes.examples import CHAT_ANSWER
from rootproof.entrypoints.http.sse import MEDIA_TYPE, EventStream, listen, wants_stream
from rootproof.settings import Settings

router = APIRouter(tags=["chat"])

_LOOK_UP_S = 1
"""Seconds between looks at whether anybody still waits."""
_SPARE_S = 60
"""Seconds beyond what a run may take: for its place in the queue and its end."""


class ChatRequest(View):
    """A question."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS, examples=["why is orders failing?"])
    """What to find out, in words."""
    session_id: str | None = Field(None, max_length=64)
    """The conversation to go on with, or the name of a new one; without it a new one begins."""
    model: str | None = Field(None, max_length=200, examples=["playbook"])
    """`playbook`, or the model that the server is set to; without it the latter."""


class ChatAnswerView(RunView):
    """The run, and its report as a text."""

    answer: str | None
    """The report in Markdown; null while the run goes on (202)."""


@router.post(
    "/api/chat",
    response_model=ChatAnswerView,
    summary="Ask a question",
    description=(
        "Begins a run in the session and answers with its report when it has ended. The run goes on if the caller "
        "hangs up. `Prefer: respond-async` answers 202 at once; so does a run that takes longer than it may. "
        "`Accept: text/event-stream` streams instead: the messages of `POST /api/ai_ops`."
    ),
    responses=ASKING_PROBLEMS
    | {
        200: {
            "content": {
                "application/json": {"example": CHAT_ANSWER},
                MEDIA_TYPE: {"schema": {"type": "string"}},
            }
        },
        202: {"model": ChatAnswerView, "description": "The run goes on; `Location` is where to ask for it."},
    },
)
async def chat(
    request: Request,
    response: Response,
    backend: BackendDep,
    settings: SettingsDep,
    caller: Diagnoser,
    body: ChatRequest,
    idempotency_key: IdempotencyKey = None,
    prefer: Annotated[str | None, Header(max_length=200, description="`respond-async` (RFC 7240).")] = None,
) -> ChatAnswerView | Response:
    """The answer. Raises: Problem; UsageError; StoreError."""
    if not body.question.strip():
        raise invalid("body.question: ask something; for a look at everything there is POST /api/ai_ops")
    asked = AskedRun(
        question=body.question, session_id=body.session_id, model=body.model, idempotency_key=idempotency_key
    )
    run = await begin(backend, settings, caller, asked)
    location = {"Location": f"/api/runs/{run.run_id}"}
    if not wants_stream(request):
        done = "respond-async" not in (prefer or "").lower() and await _waited(request, settings, run)
        response.status_code = 200 if done else 202
        response.headers.update(location)
        view, text = await answered(backend, run)
        return ChatAnswerView(**dict(view), answer=text if done else None)
    listener = await listen(request, run.run_id, run.owner)
    if listener is None:
        raise absent("run", run.run_id)
    stream = EventStream(
        conversation(backend, run, listener), heartbeat_s=settings.server.heartbeat_s, release=listener.close
    )
    stream.headers.update(location)
    return stream


async def _waited(request: Request, settings: Settings, run: Run) -> bool:
    """Whether the run ended while its caller waited; nobody waits for a caller that is gone or a server that stops."""
    listener = await listen(request, run.run_id, run.owner)
    if listener is None:
        raise absent("run", run.run_id)
    left = settings.limits.run_s + settings.model.request_timeout_s + _SPARE_S
    try:
        while left > 0 and not request.app.state.draining and not await request.is_disconnected():
            if await ended(listener, within_s=_LOOK_UP_S):
                return True
            left -= _LOOK_UP_S
        return False
    finally:
        listener.close()
