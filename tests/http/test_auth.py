"""API keys over HTTP: who is let in, as whom, and how fast a revocation holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.adapters.memory.api_keys import InMemoryApiKeyStore
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.keys import is_valid, make_key, parse_key, principal_of, secret_hash
from rootproof.domain.api_key import Scope
from rootproof.entrypoints.http.deps import Admin, Diagnoser, Reader
from rootproof.entrypoints.http.keyring import MAX_CACHED, KeyRing
from rootproof.errors import StoreError, UsageError
from tests.http.conftest import T0, HandClock, client_of, stored_key


class CountingKeys(InMemoryApiKeyStore):
    """Counts what reaches the store; fails when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_up = self.touched = 0
        self.broken = False

    async def find(self, key_id: str) -> Any:
        self.looked_up += 1
        if self.broken:
            raise StoreError("the disk is gone: /secret/path")
        return await super().find(key_id)

    async def all(self) -> Any:
        if self.broken:
            raise StoreError("the disk is gone: /secret/path")
        return await super().all()

    async def touch(self, key_id: str, *, at: Any) -> None:
        self.touched += 1
        if self.broken:
            raise StoreError("the disk is gone: /secret/path")
        await super().touch(key_id, at=at)


@pytest.fixture
def keys() -> CountingKeys:
    return CountingKeys()


@pytest.fixture
def backend(backend: Backend, keys: CountingKeys) -> Backend:
    return replace(backend, keys=keys)


# -- the key itself --------------------------------------------------------------------------------------------------


def test_a_key_is_shown_once_and_kept_as_a_hash() -> None:
    new = make_key("ana", [Scope.READ], now=T0)
    shown = parse_key(new.text)
    assert shown is not None
    assert new.text == f"rp_{new.key.key_id}_{shown.secret}"
    assert len(shown.secret) == 43
    assert shown.secret not in repr(new.key)
    assert new.key.secret_hash == secret_hash(shown.secret)
    assert is_valid(new.key, shown.secret, now=T0)
    assert len({make_key("ana", [Scope.READ], now=T0).text for _ in range(50)}) == 50


@pytest.mark.parametrize("change", ["", "x", "-", " "])
def test_only_the_whole_secret_is_valid(change: str) -> None:
    new = make_key("ana", [Scope.READ], now=T0)
    secret = new.text[-43:]
    wrong = secret[:-1] + change if change else secret[:-1]
    if wrong != secret:
        assert not is_valid(new.key, wrong, now=T0)
    assert not is_valid(None, secret, now=T0)


def test_expired_and_revoked_keys_are_not_valid() -> None:
    new = make_key("ana", [Scope.READ], now=T0, lifetime=timedelta(days=1))
    secret = new.text[-43:]
    assert is_valid(new.key, secret, now=T0 + timedelta(hours=23))
    assert not is_valid(new.key, secret, now=T0 + timedelta(days=1))
    assert not is_valid(replace(new.key, revoked_at=T0), secret, now=T0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rp_",
        "rp_abc_def",
        "Bearer rp_x",
        "rp_AAAAAAAAAAAA_" + "a" * 43,
        "rp_aaaaaaaaaaaa_" + "a" * 44,
        "x" * 10_000,
    ],
)
def test_what_is_no_key_has_no_parts(text: str) -> None:
    assert parse_key(text) is None


@pytest.mark.parametrize(
    ("owner", "scopes", "options"),
    [
        ("", [Scope.READ], {}),
        (" ana", [Scope.READ], {}),
        ("a" * 256, [Scope.READ], {}),
        ("ana", [], {}),
        ("ana", [Scope.READ], {"name": "x" * 101}),
        ("ana", [Scope.READ], {"name": "a\nb"}),
        ("ana", [Scope.READ], {"lifetime": timedelta(0)}),
        ("ana", [Scope.READ], {"lifetime": timedelta(days=100_000)}),
    ],
)
def test_keys_that_are_not_made(owner: str, scopes: list[Scope], options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        make_key(owner, scopes, now=T0, **options)


def test_a_scope_allows_what_stands_before_it() -> None:
    assert principal_of(make_key("a", [Scope.ADMIN], now=T0).key).scopes == set(Scope)
    assert principal_of(make_key("a", [Scope.DIAGNOSE], now=T0).key).scopes == {Scope.READ, Scope.DIAGNOSE}
    assert principal_of(make_key("a", [Scope.READ], now=T0).key).scopes == {Scope.READ}


# -- over HTTP -------------------------------------------------------------------------------------------------------


async def test_both_headers_work(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    new = await stored_key(backend, clock, "ana", Scope.DIAGNOSE)
    async with client_of(app) as client:
        for headers in (
            {"Authorization": f"Bearer {new.text}"},
            {"authorization": f"bearer  {new.text} "},
            {"X-API-Key": new.text},
        ):
            answer = (await client.get("/api/login", headers=headers)).json()
            assert (answer["owner"], answer["keyId"]) == ("ana", new.key.key_id)
            assert answer["scopes"] == ["read", "diagnose"]


async def test_all_refusals_look_the_same(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    good = await stored_key(backend, clock, "ana")
    revoked = await stored_key(backend, clock, "ana")
    await backend.keys.revoke(revoked.key.key_id, at=clock.now())
    expired = await stored_key(backend, clock, "ana", lifetime=timedelta(seconds=5))
    clock.pass_time(10)
    unknown = make_key("ana", [Scope.READ], now=clock.now())
    wrong = good.text[:-43] + unknown.text[-43:]
    shown = [None, "", "nonsense", "\x80\xff", "x" * 5_000, unknown.text, wrong, revoked.text, expired.text]
    answers = set()
    async with client_of(app) as client:
        for text in shown:
            headers = {} if text is None else {"Authorization": f"Bearer {text}".encode("latin-1")}
            response = await client.get("/api/login", headers=headers)
            assert response.status_code == 401
            assert response.headers["www-authenticate"].startswith("Bearer")
            document = response.json()
            del document["requestId"]
            answers.add(str(document))
        assert len(answers) == 1
        two = await client.get(
            "/api/login", headers={"Authorization": f"Bearer {good.text}", "X-API-Key": unknown.text}
        )
        assert two.status_code == 401


async def test_with_keys_the_own_machine_needs_one_too(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    async with client_of(app) as client:
        assert (await client.get("/api/login")).status_code == 200
        new = await stored_key(backend, clock, "ana")
        clock.pass_time(6)  # the server asked whether there are keys less than 5 seconds ago
        assert (await client.get("/api/login")).status_code == 401
        await backend.keys.revoke(new.key.key_id, at=clock.now())
        clock.pass_time(6)
        assert (await client.get("/api/login")).status_code == 401  # revoking the last key opens nothing
        assert (await client.get("/healthz")).status_code == 200


async def test_an_unknown_key_is_refused_also_where_none_is_needed(local: httpx2.AsyncClient) -> None:
    unknown = make_key("ana", [Scope.READ], now=T0).text
    assert (await local.get("/api/login", headers={"X-API-Key": unknown})).status_code == 401


async def test_a_route_asks_for_its_scope(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    async def read(principal: Reader) -> str:
        return principal.owner

    async def diagnose(principal: Diagnoser) -> str:
        return principal.owner

    async def administer(principal: Admin) -> str:
        return principal.owner

    for path, route in {"/read": read, "/diagnose": diagnose, "/administer": administer}.items():
        app.add_api_route(path, route, methods=["GET"])
    seen = {}
    for scope in Scope:
        async with client_of(app, await stored_key(backend, clock, "ana", scope)) as client:
            seen[scope] = [(await client.get(path)).status_code for path in ("/read", "/diagnose", "/administer")]
            if scope is Scope.READ:
                assert "'diagnose'" in (await client.get("/diagnose")).json()["detail"]
    assert seen == {Scope.READ: [200, 403, 403], Scope.DIAGNOSE: [200, 200, 403], Scope.ADMIN: [200, 200, 200]}


# -- the store behind it ---------------------------------------------------------------------------------------------


async def test_the_store_is_asked_once_in_five_seconds_and_told_once_a_minute(
    app: FastAPI, backend: Backend, clock: HandClock, keys: CountingKeys
) -> None:
    new = await stored_key(backend, clock, "ana")
    async with client_of(app, new) as client:
        for _ in range(50):
            assert (await client.get("/api/login")).status_code == 200
        assert (keys.looked_up, keys.touched) == (1, 1)
        clock.pass_time(6)
        await client.get("/api/login")
        assert (keys.looked_up, keys.touched) == (2, 1)
        clock.pass_time(60)
        await client.get("/api/login")
        assert (keys.looked_up, keys.touched) == (3, 2)
    stored = await keys.find(new.key.key_id)
    assert stored.last_used_at > T0 + timedelta(seconds=60)


async def test_a_revocation_holds_within_five_seconds(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    new = await stored_key(backend, clock, "ana")
    async with client_of(app, new) as client:
        assert (await client.get("/api/login")).status_code == 200
        await backend.keys.revoke(new.key.key_id, at=clock.now())
        clock.pass_time(5.1)
        assert (await client.get("/api/login")).status_code == 401


async def test_the_end_of_a_key_holds_at_once(app: FastAPI, backend: Backend, clock: HandClock) -> None:
    new = await stored_key(backend, clock, "ana", lifetime=timedelta(seconds=3))
    async with client_of(app, new) as client:
        assert (await client.get("/api/login")).status_code == 200
        clock.instant += timedelta(seconds=3)  # the cache still holds: only the wall clock moved
        assert (await client.get("/api/login")).status_code == 401


async def test_a_broken_store_lets_nobody_in_and_says_nothing_of_itself(
    app: FastAPI, backend: Backend, clock: HandClock, keys: CountingKeys
) -> None:
    new = await stored_key(backend, clock, "ana")
    keys.broken = True
    for key in (new, None):
        async with client_of(app, key) as client:
            response = await client.get("/api/login")
        assert response.status_code == 503
        assert int(response.headers["retry-after"]) > 0
        assert "secret" not in response.text


async def test_a_touch_that_fails_fails_no_request(
    app: FastAPI, backend: Backend, clock: HandClock, keys: CountingKeys
) -> None:
    new = await stored_key(backend, clock, "ana")
    ring: KeyRing = app.state.gate.ring
    await ring.verified(new.text)
    clock.pass_time(3)
    keys.broken = True
    clock.instant += timedelta(minutes=2)
    assert (await ring.verified(new.text)) is not None
    assert keys.touched == 2


async def test_the_memory_of_keys_is_bounded(clock: HandClock, keys: CountingKeys) -> None:
    ring = KeyRing(keys, clock)
    made = [make_key("ana", [Scope.READ], now=T0) for _ in range(MAX_CACHED + 5)]
    for new in made:
        await keys.add(new.key)
        assert await ring.verified(new.text)
    assert len(ring._known) == MAX_CACHED
    for _ in range(10):
        assert await ring.verified(make_key("eve", [Scope.READ], now=T0).text) is None
    assert len(ring._known) == MAX_CACHED
