"""Alerts, or a look at everything: one run, streamed."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from rootproof.diagnosis.request_run import AskedRun
from rootproof.domain.alert import Alert, PayloadKind
from rootproof.domain.storable import ID_LENGTH
from rootproof.entrypoints.http.asking import (
    ASKING_PROBLEMS,
    ConversationMessage,
    IdempotencyKey,
    begin,
    conversation,
)
from rootproof.entrypoints.http.deps import BackendDep, Diagnoser, SettingsDep
from rootproof.entrypoints.http.problems import absent, invalid
from rootproof.entrypoints.http.routes.examples import MESSAGE_EXAMPLES
from rootproof.entrypoints.http.sse import MEDIA_TYPE, EventStream, listen
from rootproof.intake.normalize import normalize

router = APIRouter(tags=["ai_ops"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "description": "An alert payload of any known vendor; without it the run finds out what is wrong.",
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {
                    "status": "firing",
                    "alerts": [{"labels": {"alertname": "HighErrorRate", "service": "orders", "severity": "critical"}}],
                },
            }
        },
    }
}


@router.post(
    "/api/ai_ops",
    response_class=EventStream,
    status_code=200,
    response_model=None,
    summary="Diagnose an alert",
    description=(
        "Begins a run about the alerts in the body, or about whatever is wrong where there is no body, and streams its "
        "report. The first message is `metadata` with `sessionId` and `runId`; the report follows as `content` "
        "messages with a `delta` each; `done` (or `error`) is the last. Clients that know only `content` "
        "and `done` can ignore the rest. "
        "The run goes on if the caller hangs up: `GET /api/runs/{runId}/events` follows it."
    ),
    responses=ASKING_PROBLEMS
    | {
        200: {
            "description": "The stream.",
            "model": ConversationMessage,
            "content": {MEDIA_TYPE: {"examples": MESSAGE_EXAMPLES}},
        }
    },
    openapi_extra=_BODY,
)
async def ai_ops(
    request: Request,
    backend: BackendDep,
    settings: SettingsDep,
    caller: Diagnoser,
    session_id: Annotated[
        str | None, Query(alias="sessionId", max_length=ID_LENGTH, description="The session to put the run into.")
    ] = None,
    model: Annotated[
        str | None, Query(max_length=200, description="`playbook`, or the model that the server is set to.")
    ] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """The stream. Raises: Problem; UsageError; StoreError."""
    asked = AskedRun(
        payload=_alerts(await request.body()), session_id=session_id, model=model, idempotency_key=idempotency_key
    )
    run = await begin(backend, settings, caller, asked)
    listener = await listen(request, run.run_id, run.owner)
    if listener is None:
        raise absent("run", run.run_id)
    stream = EventStream(
        conversation(backend, run, listener), heartbeat_s=settings.server.heartbeat_s, release=listener.close
    )
    stream.headers["Location"] = f"/api/runs/{run.run_id}"
    return stream


def _alerts(body: bytes) -> tuple[Alert, ...]:
    """The alerts of the body; none where it is empty. Raises: Problem 422; UsageError."""
    if not body.strip() or _is_empty(body):
        return ()
    payload = normalize(body)
    if payload.kind is not PayloadKind.ALERT:
        seen = ", ".join(payload.seen)[:300] or "nothing known"
        raise invalid(
            f"the body holds no alert that is recognised ({payload.kind.value}; seen: {seen}); send a vendor's webhook "
            "body, or no body for a look at everything"
        )
    return payload.alerts


def _is_empty(body: bytes) -> bool:
    if len(body) > 20:
        return False
    try:
        return json.loads(body) in ({}, None)
    except ValueError:
        return False
