"""What every answer has, and what keeps a server without keys to its own machine."""

from __future__ import annotations

import logging
from urllib.parse import quote

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.bind import check_bind, host_name, is_loopback
from rootproof.errors import UsageError
from rootproof.settings import ServerSettings, Settings
from tests.http.conftest import HandClock, client_of, stored_key


async def test_every_answer_has_its_headers(local: httpx2.AsyncClient) -> None:
    for path in ("/healthz", "/api/login", "/api/skills", "/nothing"):
        headers = (await local.get(path)).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["x-request-id"].startswith("req-")


async def test_request_ids_differ(local: httpx2.AsyncClient) -> None:
    ids = {(await local.get("/healthz")).headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST.", "::1", "[::1]", "::ffff:127.0.0.1"]
)
def test_loopback_binds_need_no_key(host: str) -> None:
    assert is_loopback(host)
    check_bind(Settings(server=ServerSettings(host=host)), has_keys=False)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "10.0.0.1", "example.org", "localhost.example.org", "127.0.0.1.nip.io"]
)
def test_wider_binds_do(host: str) -> None:
    wide = Settings(server=ServerSettings(host=host))
    check_bind(wide, has_keys=True)
    with pytest.raises(UsageError, match="rootproof keys create"):
        check_bind(wide, has_keys=False)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost:8420", "localhost"),
        ("[::1]:8420", "::1"),
        ("Example.ORG.", "example.org"),
        ("a@localhost", None),
        ("localhost/x", None),
        ("localhost:port", None),
        ("[::1", None),
        ("", None),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str | None) -> None:
    assert host_name(header) == name


# -- without keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "localhost:8420", "127.0.0.1:1", "[::1]:8420"])
async def test_without_keys_the_own_machine_may_do_everything(local: httpx2.AsyncClient, host: str) -> None:
    answer = (await local.get("/api/login", headers={"Host": host})).json()
    assert (answer["owner"], answer["keyId"]) == ("local", None)
    assert answer["scopes"] == ["read", "diagnose", "admin"]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a@localhost", ""]
)
async def test_without_keys_another_name_is_refused(local: httpx2.AsyncClient, host: str) -> None:
    response = await local.get("/api/login", headers={"Host": host})
    assert response.status_code == 421
    assert response.json()["type"] == "host-refused"
    assert "allowed_hosts" in response.json()["detail"]


async def test_without_keys_configured_names_are_known(backend: Backend) -> None:
    server = ServerSettings(allowed_hosts=("proof.internal",), public_url="http://Proof.example:8420/")
    async with client_of(create_app(Settings(server=server), backend)) as client:
        for host in ("proof.internal", "proof.example:8420"):
            assert (await client.get("/api/login", headers={"Host": host})).status_code == 200
        assert (await client.get("/api/login", headers={"Host": "other.example"})).status_code == 421


async def test_without_keys_another_machine_is_refused(app: FastAPI) -> None:
    transport = httpx2.ASGITransport(app=app, client=("192.0.2.7", 4711))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.get("/api/login")
    assert response.status_code == 403
    assert "keys create" in response.json()["detail"]


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"])
async def test_without_keys_a_proxy_is_refused(local: httpx2.AsyncClient, header: str) -> None:
    assert (await local.get("/api/login", headers={header: "127.0.0.1"})).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 204),
        ({"Origin": "http://127.0.0.1:8420"}, 204),
        ({"Origin": "http://127.0.0.1:8420", "Sec-Fetch-Site": "same-origin"}, 204),
        ({"Sec-Fetch-Site": "none"}, 204),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:8420", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_without_keys_a_page_of_another_site_changes_nothing(
    local: httpx2.AsyncClient, headers: dict[str, str], status: int
) -> None:
    response = await local.post("/api/logout", headers=headers)
    assert response.status_code == status
    if status == 403:
        assert response.json()["type"] == "cross-origin"
        assert (await local.get("/api/login", headers=headers)).status_code == 200  # reading changes nothing


# -- keys in addresses -----------------------------------------------------------------------------------------------


async def test_a_key_in_the_address_is_refused_and_noted_nowhere(
    app: FastAPI, backend: Backend, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    key = (await stored_key(backend, clock, "ana")).text
    paths = [
        f"/api/login?key={key}",
        f"/api/login?x={quote(key, safe='')}",
        f"/api/login?x={key.replace('_', '%5F')}",
        "/api/login?api_key=anything",
        "/api/login?a=1&ACCESS_TOKEN=anything",
        f"/api/skills/{key}",
        f"/api/skills/{key.replace('_', '%5f')}",
    ]
    with caplog.at_level(logging.DEBUG):
        async with client_of(app) as client:
            for path in paths:
                response = await client.get(path)
                assert response.status_code == 400, path
                assert response.json()["type"] == "key-in-url"
                assert key not in response.text
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("rootproof")]
    assert len(ours) >= len(paths)
    assert not any(key in line for line in ours)


async def test_the_log_names_routes_not_addresses(local: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "rootproof.http"):
        await local.get("/api/skills/very-private?q=also-private")
    lines = [record.getMessage() for record in caplog.records if record.name == "rootproof.http"]
    assert len(lines) == 1
    assert lines[0].startswith("GET /api/skills/{name} -> 404 in ")
