"""What a body may be, checked before any route sees it: its size while it arrives, its time, and its JSON."""

from __future__ import annotations

import asyncio
from email.message import Message as Header

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rootproof.entrypoints.http.problems import Problem
from rootproof.entrypoints.http.strict_json import strict_json

BODY_S = 30.0
"""Seconds that a body may take to arrive."""
_LOOK = 1_024
_JSON_BEGINS = frozenset({b"{", b"["})
"""Some senders label their JSON as text; it is read all the same, and so it is checked all the same."""
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""No route reads a body of these."""


class BodyLimits:
    """ASGI: reads a request's body whole, bounded, and gives it to the app; JSON only where it is strict.

    It stands before the app, so that no route and no default parser can go around it.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, body_s: float = BODY_S) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises: Problem 400, 408, 413."""
        if scope["type"] != "http" or scope["method"] in _WITHOUT_BODY:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = await self._body(headers, receive)
        if body is None:
            return  # the caller is gone
        if body[:_LOOK].lstrip()[:1] in _JSON_BEGINS or (body and is_json(headers.get("content-type"))):
            strict_json(body)
        await self._app(scope, _again(body, receive), send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes | None:
        announced = headers.get("content-length", "")
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > self._max_bytes):
            raise self._too_large()
        try:
            async with asyncio.timeout(self._body_s):
                return await self._read(receive)
        except TimeoutError:
            detail = f"the body did not arrive within {self._body_s:g} seconds"
            raise Problem(408, "slow-body", detail, headers={"Connection": "close"}) from None

    async def _read(self, receive: Receive) -> bytes | None:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            size += len(part)
            if size > self._max_bytes:
                raise self._too_large()
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)

    def _too_large(self) -> Problem:
        # The rest of the body is not read: the connection cannot be used again.
        detail = f"the body is larger than {self._max_bytes} bytes (server.max_body_bytes)"
        return Problem(413, "too-large", detail, headers={"Connection": "close"})


def is_json(content_type: str | None) -> bool:
    """Whether a `Content-Type` says JSON: `application/json`, or another type that ends in `+json`."""
    if not content_type:
        return False
    header = Header()
    header["content-type"] = content_type
    subtype = header.get_content_subtype()
    return header.get_content_maintype() == "application" and (subtype == "json" or subtype.endswith("+json"))


def _again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return message
