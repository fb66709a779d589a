"""The outermost layer: a name for every request, headers on every answer, keys kept out of addresses, and no bug that
reaches a caller as anything but a problem."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from urllib.parse import unquote_plus

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rootproof.diagnosis.keys import KEY_PATTERN
from rootproof.entrypoints.http.problem_answers import problem_of
from rootproof.entrypoints.http.problems import MEDIA_TYPE, Problem
from rootproof.telemetry import LogIds, log_about, log_from_here, log_ids

log = logging.getLogger("rootproof.http")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_ABSENT = 404
"""Ids that name nothing are the caller's words, and stay out of the log."""
_KEY = re.compile(KEY_PATTERN)
_KEY_NAMES = frozenset({"api_key", "apikey", "x-api-key", "access_token", "authorization"})


class Edge:
    """ASGI: the request's id, the answer's headers, one log line, and the last catch."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Never raises but for cancellation."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = f"req-{secrets.token_hex(8)}"
        scope.setdefault("state", {})["request_id"] = request_id
        answer = _Answer(scope, send, request_id)
        with log_about(None, None):
            try:
                _check_url(scope)
                await self._app(scope, receive, answer.send)
            except Exception as error:  # noqa: BLE001 - the outermost rim: nothing may reach the server as a traceback
                await answer.problem(problem_of(error, request_id))
            answer.note()


class _Answer:
    """What goes back for one request."""

    def __init__(self, scope: Scope, send: Send, request_id: str) -> None:
        self._scope = scope
        self._send = send
        self._request_id = request_id
        self._began = time.monotonic()
        self._status: int | None = None

    async def send(self, message: Message) -> None:
        """Pass on, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self._request_id
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await self._send(message)

    async def problem(self, problem: Problem) -> None:
        """Answer with a problem, where nothing has been sent yet; else the connection ends in the middle."""
        if self._status is not None:
            return
        document = problem.document(instance=self._scope["path"], request_id=self._request_id)
        body = json.dumps(document, ensure_ascii=True).encode()
        headers = {"Content-Type": MEDIA_TYPE, "Content-Length": str(len(body)), **problem.headers}
        raw = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": raw})
        await self.send({"type": "http.response.body", "body": body})

    def note(self) -> None:
        """One line in the log: the route, never the address as it was sent."""
        route = getattr(self._scope.get("route"), "path", "-")
        taken_ms = round((time.monotonic() - self._began) * 1000)
        named = self._scope.get("path_params", {})
        if log_ids() == LogIds() and self._status != _ABSENT:
            log_from_here(named.get("sessionId"), named.get("runId"))
        log.info(
            "%s %s -> %s in %d ms (%s)", self._scope["method"], route, self._status or "-", taken_ms, self._request_id
        )


def _check_url(scope: Scope) -> None:
    """Raises: Problem 400 for a key in the address, which is taken out of the scope first: servers log that."""
    query = scope.get("query_string", b"").decode("latin-1")
    path = scope["path"]
    named = any(part.partition("=")[0].lower() in _KEY_NAMES for part in query.split("&"))
    in_query = named or _KEY.search(unquote_plus(query)) is not None
    in_path = _KEY.search(path) is not None
    if not (in_query or in_path):
        return
    scope["query_string"] = b""
    if in_path:
        scope["path"] = _KEY.sub("(key)", path)
        scope["raw_path"] = b"/"
    raise Problem(
        400,
        "key-in-url",
        "a key stands in the address, where logs and histories keep it: revoke it with `rootproof keys revoke`, and "
        "send the new one as the header `Authorization: Bearer ...` or `X-API-Key`",
    )
