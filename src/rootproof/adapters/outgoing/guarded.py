"""One HTTP request to an address that was checked, and to that address only.

The name is resolved here and the connection goes to the very address that was checked, so a name that answers
differently a moment later (rebinding) changes nothing. Redirects are followed by hand, each checked like the first.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

import httpx2

from rootproof.adapters.outgoing.addresses import Destination, IPAddress, check_address, destination
from rootproof.errors import SourceDenied, SourceUnavailable

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Addresses of a host name."""

MAX_REDIRECTS = 3
TIMEOUT_S = 10.0
"""Seconds for a request with its redirects."""
_REDIRECTS = frozenset({307, 308})
"""Those that keep method and body; the others would turn a message into a look at a page."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes
    """At most as many bytes as were asked for."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name by the system's resolver. Raises: OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedClient:
    """Sends requests to checked addresses, each over a connection of its own."""

    def __init__(
        self, *, allow_private: bool = False, resolver: Resolver = resolve, verify: ssl.SSLContext | bool = True
    ) -> None:
        self._allow_private = allow_private
        self._resolve = resolver
        # No proxy, cookie or netrc of the environment; no connection kept that another name could share.
        self._client = httpx2.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            verify=verify,
            timeout=TIMEOUT_S,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    async def request(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"", read_bytes: int = 0
    ) -> Answer:
        """The final answer, its body read up to `read_bytes`.

        Raises: SourceDenied for an address that must not be called; SourceUnavailable when nothing came back in time.
        Messages name neither the address nor anything of the answer.
        """
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._followed(method, url, headers, body, read_bytes)
        except TimeoutError:
            raise SourceUnavailable(f"there was no answer within {TIMEOUT_S:g} seconds") from None

    async def close(self) -> None:
        """Release connections."""
        await self._client.aclose()

    async def _followed(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, read_bytes: int
    ) -> Answer:
        for _ in range(MAX_REDIRECTS + 1):
            target = destination(url)
            status, onward, content = await self._once(method, target, headers, body, read_bytes)
            if status not in _REDIRECTS or onward is None:
                return Answer(status, content)
            url = urljoin(url, onward)
            if target.scheme == "https" and not url.lower().startswith("https:"):
                raise SourceDenied("it redirects from https to something else")
        raise SourceDenied(f"it redirects more than {MAX_REDIRECTS} times")

    async def _once(
        self, method: str, target: Destination, headers: Mapping[str, str], body: bytes, read_bytes: int
    ) -> tuple[int, str | None, bytes]:
        address = await self._checked_address(target)
        shown = f"[{address}]" if address.version == 6 else str(address)
        request = self._client.build_request(
            method,
            f"{target.scheme}://{shown}:{target.port}{target.path}",
            headers={**headers, "Host": target.authority, "Accept-Encoding": "identity", "Connection": "close"},
            content=body or None,
            extensions={"sni_hostname": target.host},
        )
        try:
            response = await self._client.send(request, stream=True)
            try:
                content = await _beginning(response, read_bytes)
            finally:
                with contextlib.suppress(httpx2.HTTPError):
                    await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            raise SourceUnavailable(f"the connection failed ({type(error).__name__})") from None
        return response.status_code, response.headers.get("location"), content

    async def _checked_address(self, target: Destination) -> IPAddress:
        """The address to connect to. One bad address among several is refused: which is used is up to the other."""
        try:
            addresses = [ipaddress.ip_address(target.host)]
        except ValueError:
            try:
                names = await self._resolve(target.host, target.port)
                addresses = [ipaddress.ip_address(name.partition("%")[0]) for name in names]
            except (OSError, UnicodeError, ValueError):
                raise SourceUnavailable("the host's name cannot be resolved") from None
        if not addresses:
            raise SourceUnavailable("the host's name has no address")
        for address in addresses:
            check_address(address, allow_private=self._allow_private)
        return addresses[0]


async def _beginning(response: httpx2.Response, most: int) -> bytes:
    found = b""
    if most > 0:
        async for part in response.aiter_raw():
            found += part
            if len(found) >= most:
                break
    return found[:most]
