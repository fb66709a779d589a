"""Logging in: a browser shows its API key once and goes on with a cookie that no script can read."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.keys import principal_of
from rootproof.diagnosis.present import View
from rootproof.domain.api_key import Principal, Scope
from rootproof.entrypoints.http.auth import (
    COOKIE,
    CSRF_HEADER,
    SECURE_COOKIE,
    Gate,
    presented_key,
    session_cookie,
)
from rootproof.entrypoints.http.deps import Reader
from rootproof.entrypoints.http.login_sessions import csrf_token
from rootproof.entrypoints.http.problems import conflict, unauthorized

router = APIRouter(tags=["login"])
_MAX_KEY_CHARS = 200


class LoginRequest(View):
    """The key to log in with."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    key: SecretStr = Field(
        description="An API key, as `rootproof keys create` showed it.", min_length=1, max_length=_MAX_KEY_CHARS
    )


class CallerView(View):
    """Who is calling."""

    owner: str = Field(description="Whose runs, sessions and cases the caller sees.", examples=["ana"])
    scopes: list[Scope] = Field(description="What the caller may do.", examples=[["read", "diagnose"]])
    key_id: str | None = Field(
        description="The id of the key; null on a server without keys.", examples=["k3x9a0c7m2qd"]
    )
    csrf_token: str | None = Field(
        description=f"For the header `{CSRF_HEADER}` of requests that change something; null without a login cookie."
    )
    expires_at: datetime | None = Field(None, description="When the login ends; null where there is none.")


@router.post(
    "/api/login",
    response_model=CallerView,
    summary="Log in with an API key",
    description="Sets a cookie (HttpOnly, SameSite=Strict, 12 hours at most) that stands for the key in a browser. "
    f"Requests with it that change something need the header `{CSRF_HEADER}` with the token that is returned.",
)
async def log_in(body: LoginRequest, request: Request, response: Response) -> CallerView:
    """Open a login session."""
    gate: Gate = request.app.state.gate
    gate.check_same_origin(request)
    if not await gate.ring.needed():
        raise conflict("this server has no API keys: it answers its own machine, and there is nothing to log in to")
    key = await gate.ring.verified(body.key.get_secret_value())
    if key is None:
        raise unauthorized("the key is unknown, expired or revoked")
    before = session_cookie(request)
    if before is not None:
        gate.logins.close(before)
    now = gate.clock.now()
    login = gate.logins.open(key.key_id, now=now, key_expires_at=key.expires_at)
    secure = gate.is_secure(request)
    response.set_cookie(
        SECURE_COOKIE if secure else COOKIE,
        login.session_id,
        max_age=int((login.expires_at - now).total_seconds()),
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )
    return _view(principal_of(key), login.csrf_token, login.expires_at)


@router.get(
    "/api/login",
    response_model=CallerView,
    summary="Who is calling",
    description="The caller's owner and scopes, and the token for requests that change something after a page was "
    "loaded again.",
)
async def who(principal: Reader, request: Request) -> CallerView:
    """Whom the server takes the caller for."""
    session_id = session_cookie(request)
    if presented_key(request) is not None or session_id is None or principal.key_id is None:
        return _view(principal, None, None)
    gate: Gate = request.app.state.gate
    return _view(principal, csrf_token(session_id), gate.logins.expires_at(session_id))


@router.post(
    "/api/logout",
    status_code=204,
    response_class=Response,
    summary="Log out",
    description="Ends the login session of the cookie. Nothing where there is none.",
)
async def log_out(principal: Reader, request: Request, response: Response) -> None:  # noqa: ARG001 - checks the caller
    """Close the login session."""
    session_id = session_cookie(request)
    if session_id is not None:
        gate: Gate = request.app.state.gate
        gate.logins.close(session_id)
    for name in (COOKIE, SECURE_COOKIE):
        response.delete_cookie(name, path="/", secure=name == SECURE_COOKIE, httponly=True, samesite="strict")


def _view(principal: Principal, token: str | None, expires_at: datetime | None) -> CallerView:
    scopes = [scope for scope in Scope if scope in principal.scopes]
    return CallerView(
        owner=principal.owner, scopes=scopes, key_id=principal.key_id, csrf_token=token, expires_at=expires_at
    )
