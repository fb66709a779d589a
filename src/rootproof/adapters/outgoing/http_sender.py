"""Messages by POST, and certificates by GET, through the guarded client."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

from rootproof.adapters.outgoing.guarded import GuardedClient, Resolver, resolve
from rootproof.errors import SourceDenied, SourceUnavailable

_AGAIN = frozenset({408, 409, 425, 429})
"""Refusals that may not hold for long, beside everything from 500 on."""
_MAX_CERTIFICATE_BYTES = 16_384
_MAX_CERTIFICATES = 50


class HttpSender:
    """The MessageSender over HTTP."""

    def __init__(
        self, *, allow_private: bool = False, resolver: Resolver = resolve, verify: ssl.SSLContext | bool = True
    ) -> None:
        self._client = GuardedClient(allow_private=allow_private, resolver=resolver, verify=verify)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Return when the other side answered with 2xx; its answer is not read.

        Raises: SourceDenied when the address must not be called or the other side refuses for good; SourceUnavailable
        when trying again may work.
        """
        answer = await self._client.request("POST", url, headers=headers, body=body)
        if 200 <= answer.status < 300:
            return
        if answer.status >= 500 or answer.status in _AGAIN:
            raise SourceUnavailable(f"it answered {answer.status}")
        raise SourceDenied(f"it answered {answer.status}")

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()


class HttpCertificates:
    """The CertificateSource over HTTPS; what was fetched is kept."""

    def __init__(
        self, *, allow_private: bool = False, resolver: Resolver = resolve, verify: ssl.SSLContext | bool = True
    ) -> None:
        self._client = GuardedClient(allow_private=allow_private, resolver=resolver, verify=verify)
        self._kept: dict[str, bytes] = {}

    async def fetch(self, url: str) -> bytes:
        """The certificate in PEM. Raises: SourceUnavailable, SourceDenied."""
        if url not in self._kept:
            answer = await self._client.request("GET", url, headers={}, read_bytes=_MAX_CERTIFICATE_BYTES)
            if answer.status != 200:
                raise SourceUnavailable(f"the signing certificate could not be fetched: it answered {answer.status}")
            if len(self._kept) >= _MAX_CERTIFICATES:
                self._kept.clear()
            self._kept[url] = answer.body
        return self._kept[url]
