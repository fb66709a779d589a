"""A run as it happens: events read from its rows, resumable after any break."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request, Response

from rootproof.diagnosis.events import RunStreamEvent
from rootproof.diagnosis.feed import Listener
from rootproof.domain.storable import ID_LENGTH
from rootproof.entrypoints.http.deps import Reader, SettingsDep
from rootproof.entrypoints.http.problems import Problem, ProblemView, absent
from rootproof.entrypoints.http.routes.examples import EVENTS
from rootproof.entrypoints.http.sse import MEDIA_TYPE, EventStream, event_id, listen, retry

router = APIRouter()
"""Part of the router of `runs`."""

_EXAMPLES = {name: {"summary": f"the data of `{name}`", "value": data} for name, data in EVENTS.items()}


@router.get(
    "/api/runs/{runId}/events",
    summary="Follow a run",
    description=(
        "Server-sent events from the run's rows with `seq` greater than `Last-Event-ID`: no gap and no repetition, "
        "whatever became of the connection, the server or the bus. `run`, `step` and `invocation` have the row's `seq` "
        "as their id (a call that changed comes again with a newer one); `delta` is ephemeral and has none; `end` "
        "comes once and is the last. Who has seen `end` and comes again gets 204, after which an `EventSource` stops."
    ),
    response_class=EventStream,
    status_code=200,
    response_model=None,
    responses={
        200: {
            "description": "The stream; the data of each event is one of these shapes.",
            "model": RunStreamEvent,
            "content": {MEDIA_TYPE: {"examples": _EXAMPLES}},
        },
        204: {"description": "The end was seen already: there is nothing more, ever."},
        404: {"model": ProblemView, "description": "There is no such run of this owner."},
        409: {"model": ProblemView, "description": "The id is beyond the run's last change: begin again without it."},
        422: {"model": ProblemView, "description": "The id is none that a stream gave."},
        503: {"model": ProblemView, "description": "Too many streams, or the store cannot be used."},
    },
)
async def run_events(
    request: Request,
    caller: Reader,
    settings: SettingsDep,
    run_id: Annotated[str, Path(alias="runId", max_length=ID_LENGTH, description="The run.")],
    last_event_id: Annotated[
        str | None, Header(max_length=40, description="The id of the last event seen; an `EventSource` sends it.")
    ] = None,
    after: Annotated[
        str | None, Query(max_length=40, description="The same, for clients that cannot set the header.")
    ] = None,
) -> Response:
    """The stream of a run. Raises: Problem."""
    position = event_id(last_event_id or after or "0")
    listener = await listen(request, run_id, caller.owner, position)
    if listener is None:
        raise absent("run", run_id)
    log = listener.feed.log
    if position > log.seq:
        listener.close()
        raise Problem(
            409,
            "event-id-ahead",
            f"run {run_id} has come to event {log.seq}, and {position} was asked for: the rows are older than the "
            "stream that was read. Begin again without Last-Event-ID.",
            lastEventId=log.seq,
        )
    if log.end_seen_at(position):
        listener.close()
        return Response(status_code=204)
    return EventStream(_frames(listener), heartbeat_s=settings.server.heartbeat_s, release=listener.close)


async def _frames(listener: Listener) -> AsyncIterator[bytes]:
    yield retry()
    async for kept in listener.events():
        yield kept.frame
