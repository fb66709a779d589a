"""Who is calling: an API key, a browser's cookie, or, on a loopback server without keys, the person at the machine."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.requests import Request

from rootproof.diagnosis.keys import principal_of
from rootproof.domain.api_key import LOCAL_OWNER, Principal, Scope
from rootproof.entrypoints.http.bind import is_known_host, is_loopback
from rootproof.entrypoints.http.keyring import KeyRing
from rootproof.entrypoints.http.login_sessions import LoginSessions, csrf_token
from rootproof.entrypoints.http.problems import Problem, forbidden, unauthorized
from rootproof.ports.api_keys import ApiKeyStore
from rootproof.ports.clock import Clock
from rootproof.settings import Settings

CSRF_HEADER = "X-Rootproof-CSRF"
KEY_HEADER = "X-API-Key"
COOKIE = "rootproof_session"
SECURE_COOKIE = "__Host-rootproof_session"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_FETCH = frozenset({"same-origin", "none"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers of a proxy: behind one, others reach a server that believes to talk to its own machine."""
_LOCAL = Principal(LOCAL_OWNER, frozenset(Scope))


class Gate:
    """Decides who is calling; every route asks it through `deps.requires`."""

    def __init__(self, settings: Settings, keys: ApiKeyStore, clock: Clock) -> None:
        self.ring = KeyRing(keys, clock)
        self.logins = LoginSessions()
        self.clock = clock
        self._settings = settings

    async def principal(self, request: Request) -> Principal:
        """Who is calling. Raises: Problem 401, 403; StoreError."""
        text = presented_key(request)
        if text is not None:
            key = await self.ring.verified(text)
            if key is None:
                raise unauthorized()
            return principal_of(key)
        if not await self.ring.needed():
            self._check_local(request)
            return _LOCAL
        return await self._of_cookie(request)

    def check_same_origin(self, request: Request) -> None:
        """Nothing for a request that changes nothing or that a page of ours or a program sent. Raises: Problem 403."""
        if request.method in _READING:
            return
        fetched = request.headers.get("sec-fetch-site")
        origin = request.headers.get("origin")
        own = fetched is None or fetched in _OWN_FETCH
        if not own or (origin is not None and not self._is_own(origin, request)):
            raise Problem(403, "cross-origin", "a page of another site may not send this; use the page of this server")

    def is_secure(self, request: Request) -> bool:
        """Whether callers come over TLS, here or at a proxy that `server.public_url` names."""
        return request.url.scheme == "https" or self._settings.server.public_url.startswith("https://")

    def _check_local(self, request: Request) -> None:
        """Raises: Problem 403, 421 for what does not come from this machine or was led here by another site."""
        client = request.client
        forwarded = any(name in request.headers for name in _FORWARDED)
        if forwarded or (client is not None and not is_loopback(client.host)):
            raise forbidden(
                "this server has no API keys and answers its own machine only; make one: rootproof keys create"
            )
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not is_known_host(self._settings, hosts[0]):
            raise Problem(
                421,
                "host-refused",
                "the server does not answer to the name in `Host`; use localhost, or add it to server.allowed_hosts",
            )
        self.check_same_origin(request)

    def _is_own(self, origin: str, request: Request) -> bool:
        public = self._settings.server.public_url.rstrip("/")
        own = {f"{request.url.scheme}://{request.headers.get('host', '')}".lower()}
        if public:
            parts = urlsplit(public)
            own.add(f"{parts.scheme}://{parts.netloc}".lower())
        return origin.lower() in own

    async def _of_cookie(self, request: Request) -> Principal:
        session_id = session_cookie(request)
        if session_id is None:
            raise unauthorized()
        key_id = self.logins.key_of(session_id, now=self.clock.now())
        key = await self.ring.live(key_id) if key_id is not None else None
        if key is None:
            self.logins.close(session_id)
            raise unauthorized("the login is over: its time has passed, or its key was revoked; log in again")
        self.check_same_origin(request)
        shown = request.headers.get(CSRF_HEADER, "")
        if request.method not in _READING and not _same(shown, csrf_token(session_id)):
            raise forbidden(f"a request with a login cookie that changes something needs the header {CSRF_HEADER}")
        return principal_of(key)


def presented_key(request: Request) -> str | None:
    """The key in the headers; None where there is none. Raises: Problem 401 for two of them."""
    shown = [value.strip() for value in request.headers.getlist(KEY_HEADER)]
    for value in request.headers.getlist("authorization"):
        scheme, _, rest = value.strip().partition(" ")
        if scheme.lower() == "bearer":
            shown.append(rest.strip())
    if len(set(shown)) > 1:
        raise unauthorized("the request shows more than one API key; send one")
    return shown[0] if shown else None


def session_cookie(request: Request) -> str | None:
    """The id of the login session in the cookie, where there is one."""
    return request.cookies.get(SECURE_COOKIE) or request.cookies.get(COOKIE)


def _same(shown: str, known: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), known.encode())
