"""JSON over HTTP for log sources: one bounded request at a time, and every failure as a typed error.

What a server says goes into errors in its own words: at most WORDS_CHARS of them, without credentials. Our own
credentials are in no message, `repr` or URL. Requests go to the configured address only: no redirects, no proxy or
netrc of the environment.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn

from rootproof import __version__
from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.http_access import Credentials, checked_address, system_words, trusted
from rootproof.domain.cutting import within
from rootproof.errors import (
    QueryRejected,
    SourceDenied,
    SourceError,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
    UsageError,
)
from rootproof.redaction import without_credentials

if TYPE_CHECKING:
    import httpx2

__all__ = ["AnswerTooLarge", "Credentials", "HttpJson"]

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""Of one answer, unpacked."""
WORDS_CHARS = 500
_SHOWN_CHARS = 200
"""Of an answer that is not JSON."""
_WORDS_BYTES = 16 * 1024
_TRIES = 3
_FIRST_WAIT_S = 0.5
"""Before a request is sent again where the server does not say how long; doubled each time."""
_BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_OFF_LOOP_BYTES = 1024 * 1024
"""A larger answer is parsed in a thread, so that the event loop goes on."""
_GZIP = 16 + zlib.MAX_WBITS
_WORD_KEYS = ("error", "message", "reason", "msg", "detail")


class AnswerTooLarge(QueryRejected):
    """The answer is larger than what is read; asking for less may work."""


class HttpJson:
    """One server, asked for JSON. Holds no connection between requests, so it may be used from any event loop."""

    def __init__(
        self,
        base_url: str,
        *,
        source: str,
        headers: Mapping[str, str] | None = None,
        credentials: Credentials | None = None,
        ca_file: str = "",
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        """`source` names the server in messages (`Loki`); `headers` go with every request (a tenant).

        Raises: UsageError for an address, header or CA file that cannot be used.
        """
        self._base, self._place = checked_address(base_url, source)
        self._source = source
        self._credentials = credentials or Credentials()
        self._max_bytes = max_bytes
        self._headers = {
            "Accept": "application/json, application/x-ndjson, application/stream+json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"rootproof/{__version__}",
            **(headers or {}),
        }
        if authorization := self._credentials.authorization:
            self._headers["Authorization"] = authorization
        for name, value in self._headers.items():
            if not (value.isascii() and value.isprintable()):
                raise UsageError(f"{source}: the header {name} would hold what no header can; check how it is set")
        self._trust = trusted(ca_file, source) if self._base.startswith("https:") else None

    async def get(self, path: str, params: Mapping[str, Any] | None = None, *, deadline: Deadline) -> Any:
        """The JSON value at `path`. Raises: SourceError, as the class of failure is."""
        return await self._value("GET", path, params=params, deadline=deadline)

    async def post(
        self,
        path: str,
        body: Any = None,
        *,
        form: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        deadline: Deadline,
    ) -> Any:
        """The JSON value that answers `body` (sent as JSON) or `form`. Raises: as `get`."""
        return await self._value("POST", path, body=body, form=form, params=params, deadline=deadline)

    async def delete(self, path: str, body: Any = None, *, deadline: Deadline) -> Any:
        """The JSON value that answers a DELETE. Raises: as `get`."""
        return await self._value("DELETE", path, body=body, deadline=deadline)

    async def lines(
        self,
        method: str,
        path: str,
        *,
        form: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        deadline: Deadline,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The objects of a newline-delimited answer, as they come; close it (`aclosing`) where you stop early.

        Raises: as `get`; SourceUnavailable also in the middle, where the answer breaks off.
        """
        pending: list[bytes] = []
        async with (
            self._answer(method, path, form=form, params=params, deadline=deadline) as response,
            aclosing(self._unpacked(response, deadline)) as parts,
        ):
            async for part in parts:
                first, *more = part.split(b"\n")
                pending.append(first)
                for begun in more:
                    if line := b"".join(pending).strip():
                        yield self._object(line)
                    pending = [begun]
        if line := b"".join(pending).strip():
            yield self._object(line)

    async def _value(self, method: str, path: str, *, deadline: Deadline, **content: Any) -> Any:
        async with self._answer(method, path, deadline=deadline, **content) as response:
            async with aclosing(self._unpacked(response, deadline)) as parts:
                body = b"".join([part async for part in parts])
            sort = response.headers.get("content-type", "")
        if len(body) > _OFF_LOOP_BYTES:
            return await asyncio.to_thread(self._parsed, body, sort)
        return self._parsed(body, sort)

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, *, deadline: Deadline, **content: Any
    ) -> AsyncIterator[httpx2.Response]:
        """A response with status 2xx whose body is said to be JSON and is not read yet."""
        import httpx2

        client = httpx2.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            verify=self._trust or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            timeout=None,  # the deadline is ours
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
        )
        async with client:
            request = client.build_request(method, self._base + path, headers=self._headers, **_content(content))
            response = await self._sent(client, request, deadline)
            try:
                if not response.is_success:
                    raise await self._refused(response, path, deadline)
                sort = response.headers.get("content-type", "")
                if sort and "json" not in sort.lower():
                    self._not_json(await self._beginning(response, deadline), sort)
                yield response
            finally:
                await response.aclose()

    async def _sent(self, client: httpx2.AsyncClient, request: httpx2.Request, deadline: Deadline) -> httpx2.Response:
        """The first answer that is not "later", or the last one."""
        import httpx2

        for attempt in range(_TRIES):
            try:
                async with asyncio.timeout(deadline.left_s):
                    response = await client.send(request, stream=True)
            except TimeoutError:
                raise deadline.passed() from None
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
                raise self._unreachable(error) from None
            wait_s = _wait_s(response, attempt)
            if response.status_code not in _BUSY or attempt == _TRIES - 1 or wait_s >= deadline.left_s:
                return response
            await response.aclose()
            await asyncio.sleep(wait_s)
        raise AssertionError("unreachable")  # the last attempt returns

    def _unreachable(self, error: Exception) -> SourceUnavailable:
        words = self._clean(system_words(error))
        hint = (
            "Give the authority's certificate as `ca_file`" if "CERTIFICATE" in words else "Check `url` and the network"
        )
        return SourceUnavailable(f"{self._source} at {self._place} cannot be reached: {words}. {hint}.")

    async def _refused(self, response: httpx2.Response, path: str, deadline: Deadline) -> SourceError:
        """What a status other than 2xx means. Only the path is named: a query may hold what was asked for."""
        status = response.status_code
        if response.is_redirect:
            return SourceUnavailable(
                f"{self._source} answered {status} at {path}: a redirect, which is not followed. "
                "Set `url` to the address it leads to."
            )
        said = f"{self._source} answered {status} at {path}: {self._words(await self._beginning(response, deadline))}"
        match status:
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN | HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
                return SourceDenied(f"{said}. Check the credentials and the tenant that are set for it.")
            case HTTPStatus.NOT_FOUND:
                return SourceUnavailable(f"{said}. Check that `url` is the address of {self._source}.")
            case HTTPStatus.REQUEST_TIMEOUT | HTTPStatus.GATEWAY_TIMEOUT:
                return SourceTimeout(f"{said}. Ask for less: a shorter window or one service.")
            case _ if status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS:
                return QueryRejected(said)
            case _:
                return SourceUnavailable(said)

    async def _beginning(self, response: httpx2.Response, deadline: Deadline) -> bytes:
        """Enough of a body to say what it is; what can be read of one that breaks off."""
        found = b""
        try:
            async with aclosing(self._unpacked(response, deadline)) as parts:
                async for part in parts:
                    found += part
                    if len(found) >= _WORDS_BYTES:
                        break
        except SourceTimeout:
            raise
        except SourceError:
            pass  # the status says more than the way its explanation ended
        return found

    async def _unpacked(self, response: httpx2.Response, deadline: Deadline) -> AsyncGenerator[bytes, None]:
        """The body in parts, never more than the limit, however small it was packed."""
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "gzip", "x-gzip"):
            raise SourceGarbled(f"{self._source} packed its answer as {self._clean(encoding)}: it was asked for gzip")
        packed = None if encoding == "identity" else zlib.decompressobj(_GZIP)
        size = 0
        async with aclosing(self._raw(response, deadline)) as parts:
            async for part in parts:
                room = self._max_bytes - size
                plain = part if packed is None else self._unpack(packed, part, room + 1)
                yield plain[:room]
                if len(plain) > room:
                    raise AnswerTooLarge(
                        f"{self._source} sent more than {self._max_bytes} bytes in one answer. "
                        "Ask for less: a shorter window, one service or a level."
                    )
                size += len(plain)
        if packed is not None and not packed.eof:
            raise SourceUnavailable(f"{self._source}'s packed answer broke off after {size} bytes")

    def _unpack(self, packed: zlib._Decompress, part: bytes, most: int) -> bytes:
        try:
            return packed.decompress(part, most)
        except zlib.error as error:
            raise SourceGarbled(f"{self._source} sent a packed answer that cannot be unpacked: {error}") from None

    async def _raw(self, response: httpx2.Response, deadline: Deadline) -> AsyncGenerator[bytes, None]:
        import httpx2

        parts = response.aiter_raw()
        got = 0
        while True:
            try:
                async with asyncio.timeout(deadline.left_s):
                    part = await anext(parts, None)
            except TimeoutError:
                raise deadline.passed() from None
            except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
                words = self._clean(str(error) or type(error).__name__)
                raise SourceUnavailable(f"{self._source}'s answer broke off after {got} bytes: {words}") from None
            if part is None:
                return
            got += len(part)
            yield part

    def _parsed(self, body: bytes, sort: str) -> Any:
        try:
            return json.loads(body.decode("utf-8", "replace"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            self._not_json(body, sort)

    def _object(self, line: bytes) -> dict[str, Any]:
        value = self._parsed(line, "a line of its stream")
        if not isinstance(value, dict):
            self._not_json(line, "a line that is no JSON object")
        return value

    def _not_json(self, body: bytes, sort: str) -> NoReturn:
        shown = self._clean(within(body.decode("utf-8", "replace"), _WORDS_BYTES))[:_SHOWN_CHARS] or "nothing"
        kind = self._clean(sort)[:_SHOWN_CHARS] or "no content type"
        raise SourceGarbled(
            f"{self._source} did not answer with JSON ({kind}): {shown}. Check that `url` is its address."
        )

    def _words(self, body: bytes) -> str:
        text = body.decode("utf-8", "replace")
        with suppress(ValueError, RecursionError):
            text = _said(json.loads(text)) or text
        return self._clean(within(text, _WORDS_BYTES))[:WORDS_CHARS].rstrip(" .") or "no reason given"

    def _clean(self, text: str) -> str:
        """Words of the server on one line, without our credentials and without those of others."""
        for secret in self._credentials.secrets:
            text = text.replace(secret, "<secret>")
        return " ".join(without_credentials(text).split())


def _content(content: dict[str, Any]) -> dict[str, Any]:
    """The parts of a request in the words of the HTTP library."""
    names = {"body": "json", "form": "data", "params": "params"}
    return {names[name]: value for name, value in content.items() if value is not None}


def _wait_s(response: httpx2.Response, attempt: int) -> float:
    """Seconds that the server asks for, as a number or a date, else ours."""
    asked = response.headers.get("retry-after", "").strip()
    if asked.isdecimal() and len(asked) < 10:
        return float(asked)
    try:
        return max(0.0, (parsedate_to_datetime(asked) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return _FIRST_WAIT_S * 2.0**attempt


def _said(value: Any) -> str:
    """The explanation inside an error document: the first text under the usual keys, outer ones first.

    Elasticsearch's `type` stands before its `reason`, and its first root cause before what came of it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        causes = value.get("root_cause")
        if isinstance(causes, list) and causes and (text := _said(causes[0])):
            return text
        for key in _WORD_KEYS:
            if text := _said(value.get(key)):
                kind = value.get("type")
                return f"{kind}: {text}" if key == "reason" and isinstance(kind, str) else text
    return ""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
