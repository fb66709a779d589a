"""Counts and times every request by its route: never by its address, which callers choose."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rootproof.ports.telemetry import Telemetry
from rootproof.telemetry import HTTP_REQUESTS, HTTP_SECONDS

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_SERVER_ERROR = 500


class Measured:
    """ASGI: one count a request, and its time unless it is a stream."""

    def __init__(self, app: ASGIApp, telemetry: Telemetry) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, then count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        status, stream = _SERVER_ERROR, False

        async def watched(message: Message) -> None:
            nonlocal status, stream
            if message["type"] == "http.response.start":
                status = message["status"]
                stream = any(
                    name.lower() == b"content-type" and value.startswith(b"text/event-stream")
                    for name, value in message.get("headers", ())
                )
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = getattr(scope.get("route"), "path", "none")
            self._telemetry.add(HTTP_REQUESTS, {"method": method, "route": route, "status": str(status)})
            if not stream:
                self._telemetry.observe(HTTP_SECONDS, {"method": method, "route": route}, time.monotonic() - began)
