"""Server-sent events on the wire: signs of life, slow readers, and the end of the server, in one place.

Source: HTML standard, 9.2 Server-sent events.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from fastapi import Request
from pydantic import BaseModel
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse, SendTimeoutError
from starlette.types import Receive, Scope, Send

from rootproof.diagnosis.feed import Listener, RunFeeds
from rootproof.entrypoints.http.auth import Gate
from rootproof.entrypoints.http.problems import Problem, unavailable
from rootproof.errors import LimitExceeded, StoreError

SEND_TIMEOUT_S = 30.0
"""How long a reader may leave one piece unread; then its connection is given up and it may come again."""
CHECK_S = 5.0
"""How often a stream asks whether its key still holds."""
RETRY_MS = 2_000
MEDIA_TYPE = "text/event-stream"


class EventStream(EventSourceResponse):
    """A stream of frames; whatever ends it, `release` is called once it is over."""

    media_type = MEDIA_TYPE

    def __init__(self, frames: AsyncIterator[bytes], *, heartbeat_s: int, release: Callable[[], None]) -> None:
        super().__init__(
            frames,
            ping=heartbeat_s,
            ping_message_factory=_sign_of_life,
            send_timeout=SEND_TIMEOUT_S,
            sep="\n",
        )
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See Starlette. A reader that is too slow is cut off without an error of ours; so is one whose key ended."""
        sending = asyncio.create_task(super().__call__(scope, receive, send))
        try:
            while not sending.done():
                await asyncio.wait([sending], timeout=CHECK_S)
                if not sending.done() and not await _still_allowed(Request(scope)):
                    return
            await sending
        except SendTimeoutError:
            return
        finally:
            sending.cancel()
            await asyncio.wait([sending])
            self._release()


async def _still_allowed(request: Request) -> bool:
    """Whether who began the stream might begin it now; a store that does not answer ends no stream."""
    gate: Gate = request.app.state.gate
    try:
        await gate.principal(request)
    except Problem:
        return False
    except StoreError:
        return True
    return True


def feeds_of(request: Request) -> RunFeeds:
    """The runs that somebody listens to on this server."""
    state = request.app.state
    feeds: RunFeeds | None = getattr(state, "run_feeds", None)
    if feeds is None:
        backend, server = state.backend, state.settings.server
        feeds = state.run_feeds = RunFeeds(backend.directory, backend.bus, max_listeners=server.max_streams)
    return feeds


async def listen(request: Request, run_id: str, owner: str, after: int = 0) -> Listener | None:
    """A listener to a run; None when there is none of this owner. Raises: Problem 503; StoreError."""
    try:
        return await feeds_of(request).listen(run_id, owner, after)
    except LimitExceeded as error:
        raise unavailable(str(error)) from error


def message(body: BaseModel) -> bytes:
    """An unnamed event, as `onmessage` gets it: no id, so it is not resumed."""
    return f"data: {body.model_dump_json(by_alias=True)}\n\n".encode()


def retry() -> bytes:
    """How long a reader waits before it comes again."""
    return f"retry: {RETRY_MS}\n\n".encode()


def wants_stream(request: Request) -> bool:
    """Whether `Accept` asks for a stream rather than for JSON."""
    for part in request.headers.get("accept", "").split(","):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if kind in (MEDIA_TYPE, "application/json", "*/*"):
            return kind == MEDIA_TYPE and "q=0" not in parameters
    return False


def event_id(text: str) -> int:
    """The id of a stored event. Raises: Problem 422 for what no stream gave."""
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise Problem(
            422,
            "invalid-request",
            "Last-Event-ID (or `after`) is no id that a stream of this server gave; leave it out to begin at the start",
        )
    return int(text)


def _sign_of_life() -> ServerSentEvent:
    return ServerSentEvent(comment="alive", sep="\n")
