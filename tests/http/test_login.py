"""A browser logs in with its key: what the cookie may do, what it may not, and when it ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.keys import NewKey, make_key
from rootproof.domain.api_key import Scope
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.auth import COOKIE, CSRF_HEADER, SECURE_COOKIE
from rootproof.entrypoints.http.login_sessions import LIFETIME, MAX_OF_KEY, MAX_SESSIONS, LoginSessions
from rootproof.settings import ServerSettings, Settings
from tests.http.conftest import T0, HandClock, client_of, stored_key


@pytest.fixture
async def key(backend: Backend, clock: HandClock) -> NewKey:
    return await stored_key(backend, clock, "ana", Scope.DIAGNOSE)


async def logged_in(client: httpx2.AsyncClient, key: NewKey) -> str:
    """The CSRF token; the client keeps the cookie."""
    response = await client.post("/api/login", json={"key": key.text})
    assert response.status_code == 200, response.text
    token: str = response.json()["csrfToken"]
    return token


async def test_a_login_stands_for_its_key(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as client:
        response = await client.post("/api/login", json={"key": key.text})
        assert response.json()["owner"] == "ana"
        assert response.json()["scopes"] == ["read", "diagnose"]
        assert key.text not in response.text + str(response.headers)
        cookie = response.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=43"):
            assert part in cookie
        assert "Secure" not in cookie
        who = (await client.get("/api/login")).json()
        assert who == response.json()


async def test_over_tls_the_cookie_is_bound_to_it(settings: Settings, backend: Backend, key: NewKey) -> None:
    server = ServerSettings(public_url="https://proof.example")
    async with client_of(create_app(replace(settings, server=server), backend)) as client:
        response = await client.post("/api/login", json={"key": key.text}, headers={"Origin": "https://proof.example"})
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"{SECURE_COOKIE}=")
    assert "; Secure" in cookie


async def test_a_change_needs_the_token(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as client:
        token = await logged_in(client, key)
        for headers in ({}, {CSRF_HEADER: ""}, {CSRF_HEADER: token[:-1]}, {CSRF_HEADER: "é".encode("latin-1")}):
            refused = await client.post("/api/logout", headers=headers)
            assert refused.status_code == 403
            assert CSRF_HEADER in refused.json()["detail"]
        elsewhere = await client.post("/api/logout", headers={CSRF_HEADER: token, "Origin": "https://evil.example"})
        assert elsewhere.status_code == 403
        assert (await client.get("/api/login")).status_code == 200
        assert (await client.post("/api/logout", headers={CSRF_HEADER: token})).status_code == 204
        assert (await client.get("/api/login")).status_code == 401


async def test_the_token_of_one_login_is_no_use_to_another(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as one, client_of(app) as other:
        token = await logged_in(one, key)
        await logged_in(other, key)
        assert (await other.post("/api/logout", headers={CSRF_HEADER: token})).status_code == 403


async def test_logging_out_ends_the_session_on_the_server(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as client:
        token = await logged_in(client, key)
        cookie = client.cookies[COOKIE]
        await client.post("/api/logout", headers={CSRF_HEADER: token})
        client.cookies.set(COOKIE, cookie)
        assert (await client.get("/api/login")).status_code == 401


async def test_logging_in_again_ends_the_login_before(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as client:
        await logged_in(client, key)
        before = client.cookies[COOKIE]
        await logged_in(client, key)
    async with client_of(app, cookies={COOKIE: before}) as client:
        assert (await client.get("/api/login")).status_code == 401


@pytest.mark.parametrize("ending", ["time", "revoked", "expired"])
async def test_a_login_ends(app: FastAPI, backend: Backend, clock: HandClock, ending: str) -> None:
    key = await stored_key(backend, clock, "ana", lifetime=timedelta(hours=1) if ending == "expired" else None)
    async with client_of(app) as client:
        await logged_in(client, key)
        match ending:
            case "time":
                clock.pass_time(LIFETIME.total_seconds())
            case "expired":
                clock.pass_time(3_600)
            case _:
                await backend.keys.revoke(key.key.key_id, at=clock.now())
                clock.pass_time(5.1)
        assert (await client.get("/api/login")).status_code == 401


@pytest.mark.parametrize("body", [{}, {"key": ""}, {"key": 7}, {"key": "x" * 201}, {"key": "a", "more": 1}, []])
async def test_bodies_that_are_no_login(app: FastAPI, key: NewKey, body: object) -> None:
    async with client_of(app) as client:
        response = await client.post("/api/login", json=body)
    assert response.status_code == 422
    assert "xxx" not in response.text


async def test_a_key_that_is_not_valid_logs_nobody_in(app: FastAPI, key: NewKey, clock: HandClock) -> None:
    unknown = make_key("ana", [Scope.READ], now=clock.now()).text
    async with client_of(app) as client:
        for text in (unknown, key.text[:-1], key.text + "x", "nonsense"):
            response = await client.post("/api/login", json={"key": text})
            assert response.status_code == 401
            assert "set-cookie" not in response.headers
            assert text not in response.text


async def test_another_site_cannot_log_a_browser_in(app: FastAPI, key: NewKey) -> None:
    async with client_of(app) as client:
        response = await client.post("/api/login", json={"key": key.text}, headers={"Origin": "https://evil.example"})
    assert response.status_code == 403


async def test_without_keys_there_is_nothing_to_log_in_to(local: httpx2.AsyncClient) -> None:
    response = await local.post("/api/login", json={"key": "anything"})
    assert response.status_code == 409
    assert (await local.post("/api/logout")).status_code == 204


async def test_a_key_in_the_header_beats_the_cookie(
    app: FastAPI, key: NewKey, backend: Backend, clock: HandClock
) -> None:
    other = await stored_key(backend, clock, "ben")
    async with client_of(app) as client:
        await logged_in(client, key)
        answer = (await client.get("/api/login", headers={"X-API-Key": other.text})).json()
        assert (answer["owner"], answer["csrfToken"]) == ("ben", None)
        assert (await client.post("/api/logout", headers={"X-API-Key": other.text})).status_code == 204


def test_sessions_are_bounded_and_kept_as_hashes() -> None:
    sessions = LoginSessions()
    first = sessions.open("key-0", now=T0)
    logins = [sessions.open("key-0", now=T0) for _ in range(MAX_OF_KEY)]
    assert sessions.key_of(first.session_id, now=T0) is None
    assert sessions.key_of(logins[0].session_id, now=T0) == "key-0"
    assert first.session_id not in repr(sessions._sessions)
    for number in range(MAX_SESSIONS):
        sessions.open(f"key-{number}", now=T0)
    assert len(sessions) == MAX_SESSIONS
    sessions.open("late", now=T0 + LIFETIME)
    assert len(sessions) == 1
    assert list(sessions._of_key) == ["late"]
