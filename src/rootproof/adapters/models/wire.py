"""The bytes of a provider's answer, before the SDK reads them: bounded, and one shape for servers that do not stream.

A reply of a few thousand tokens has no reason to be larger than `MOST_BYTES`. What is compressed could be of any size
once it is unpacked: the clients ask for plain answers, and another one is not read. A server that answers a streaming
request with one JSON document has answered: it is handed on as a stream of one event, and not asked (or paid) again.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from rootproof.errors import ModelError

MOST_BYTES = 16 * 1024 * 1024
PLAIN = {"Accept-Encoding": "identity"}
"""Headers of every request: its answer is counted as it comes."""
_OK = 200


async def bounded(response: httpx2.Response) -> None:
    """A hook for an SDK's HTTP client: reads no more than `MOST_BYTES`."""
    _attach(response, documents=False)


async def bounded_events(response: httpx2.Response) -> None:
    """The same, and a good answer that is one JSON document becomes one event."""
    _attach(response, documents=True)


def _attach(response: httpx2.Response, *, documents: bool) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        good = response.status_code == _OK
        plain = response.headers.get("Content-Encoding", "identity").lower() == "identity"
        response.stream = _Bounded(response.stream, good=good, plain=plain, documents=documents and good)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, *, good: bool, plain: bool, documents: bool) -> None:
        self._inner = inner
        self._good = good
        self._plain = plain
        self._documents = documents

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = self._counted()
        if not self._documents:
            async for part in parts:
                yield part
            return
        held = b""
        async for part in parts:
            held = part.lstrip()
            if held:
                break
        if held.startswith(b"<"):
            raise ModelError("the server answered with a web page, not with a model's reply; is the base URL right?")
        if not held.startswith(b"{"):
            yield held
            async for part in parts:
                yield part
            return
        rest = [part async for part in parts]
        yield _as_event(held + b"".join(rest))

    async def _counted(self) -> AsyncIterator[bytes]:
        if not self._plain:
            if self._good:
                raise ModelError("the server sent a compressed answer, though it was asked for a plain one")
            return  # the status of an error says enough
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MOST_BYTES:
                raise ModelError(f"the server sent more than {MOST_BYTES} bytes for one reply")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def _as_event(document: bytes) -> bytes:
    """A `chat.completion` as the one event of a stream; anything else as it is, for the SDK to judge."""
    try:
        value = json.loads(document)
        choices = [_delta(choice) for choice in value.get("choices") or []]
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise ModelError(f"the server sent a document that is no chat completion ({type(error).__name__})") from error
    if not choices and "error" not in value:
        raise ModelError("the server sent a chat completion without a choice")
    chunk = value | {"object": "chat.completion.chunk", "choices": choices}
    return b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"


def _delta(choice: dict[str, Any]) -> dict[str, Any]:
    message = dict(choice["message"])
    calls = message.get("tool_calls") or []
    message["tool_calls"] = [{**call, "index": number} for number, call in enumerate(calls)] or None
    return {"index": choice.get("index", 0), "finish_reason": choice.get("finish_reason"), "delta": message}
