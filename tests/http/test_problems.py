"""Every error is a problem document, says what to do, and keeps secrets and internals to itself."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, SecretStr, field_validator

from rootproof.diagnosis.backend import Backend
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.problems import Problem, conflict, too_many, unavailable
from rootproof.errors import (
    LimitExceeded,
    ModelError,
    QueryRejected,
    SourceTimeout,
    SourceUnavailable,
    StaleWrite,
    StoreError,
    UsageError,
)
from rootproof.settings import ServerSettings, Settings
from tests.http.conftest import client_of

CANARY = "sk-ant-api03-Zr7QpLw9XkVn2TbYcH5JmD8fGs4EuA1oW6iRq0Nt3BvMxCy"
ANSWERS: list[tuple[Exception, int, str]] = [
    (UsageError("the bundle has no logs; give --logs"), 422, "invalid-request"),
    (StoreError("mysql://root:pw@db.internal said no"), 503, "unavailable"),
    (StaleWrite("step 3 is written"), 409, "conflict"),
    (SourceUnavailable("loki said 502"), 503, "unavailable"),
    (SourceTimeout("loki took too long"), 503, "unavailable"),
    (QueryRejected("loki: parse error"), 502, "outside-failed"),
    (ModelError("the provider said 400"), 502, "outside-failed"),
    (LimitExceeded("no calls left", limit="tool_calls"), 429, "too-many"),
    (conflict("the run is over"), 409, "conflict"),
    (too_many("one at a time", retry_after_s=7), 429, "too-many"),
    (unavailable("the queue is full"), 503, "unavailable"),
    (Problem(418, "teapot", "short and stout"), 418, "teapot"),
    (RuntimeError("a bug"), 500, "internal-error"),
    (ExceptionGroup("two bugs", [ValueError("a"), KeyError("b")]), 500, "internal-error"),
]


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    password: SecretStr
    count: int = 0


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inner: list[Inner]
    note: str = ""

    @field_validator("note")
    @classmethod
    def _no_note(cls, note: str) -> str:
        if note:
            raise ValueError(f"this note is not taken: {note}")
        return note


@pytest.fixture
def probed(app: FastAPI) -> FastAPI:
    """The app with a route that takes a body, and one that raises what a test wants."""

    async def take(body: Body) -> dict[str, int]:
        return {"inner": len(body.inner)}

    async def fail(number: int) -> None:
        raise ANSWERS[number][0]

    async def break_off() -> StreamingResponse:
        async def parts() -> Any:
            yield b"one"
            raise RuntimeError("in the middle")

        return StreamingResponse(parts())

    app.add_api_route("/probe", take, methods=["POST"])
    app.add_api_route("/fail/{number}", fail, methods=["GET"])
    app.add_api_route("/break-off", break_off, methods=["GET"])
    return app


def problem(response: httpx2.Response, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == status
    assert document["type"]
    assert document["title"]
    assert len(document["detail"]) > 10
    assert document["requestId"] == response.headers["x-request-id"]
    return document


@pytest.mark.parametrize("number", range(len(ANSWERS)))
async def test_every_exception_has_its_problem(probed: FastAPI, number: int) -> None:
    _, status, kind = ANSWERS[number]
    async with client_of(probed) as client:
        document = problem(await client.get(f"/fail/{number}"), status)
    assert document["type"] == kind
    assert document["instance"] == f"/fail/{number}"
    assert "db.internal" not in document["detail"]


async def test_what_may_work_later_says_when(probed: FastAPI) -> None:
    async with client_of(probed) as client:
        for number, (_, status, _) in enumerate(ANSWERS):
            response = await client.get(f"/fail/{number}")
            assert ("retry-after" in response.headers) == (status in {429, 503})


async def test_a_bug_is_a_number_for_the_caller_and_a_line_in_the_log(
    probed: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    number = next(index for index, (error, _, _) in enumerate(ANSWERS) if isinstance(error, RuntimeError))
    with caplog.at_level(logging.ERROR, "rootproof.http"):
        async with client_of(probed) as client:
            response = await client.get(f"/fail/{number}")
    assert "a bug'" not in response.text
    assert "Traceback" not in response.text
    noted = [record.getMessage() for record in caplog.records if response.json()["requestId"] in record.getMessage()]
    assert len(noted) == 1
    assert "RuntimeError: 'a bug' in fail (test_problems.py:" in noted[0]


async def test_credentials_in_a_message_reach_neither_caller_nor_log(
    app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    async def usage() -> None:
        raise UsageError(f"the provider refused the key {CANARY}")

    async def bug() -> None:
        raise KeyError(f"api_key={CANARY}")

    app.add_api_route("/usage", usage, methods=["GET"])
    app.add_api_route("/bug", bug, methods=["GET"])
    with caplog.at_level(logging.DEBUG):
        async with client_of(app) as client:
            texts = [(await client.get(path)).text for path in ("/usage", "/bug")]
    assert CANARY not in "".join(texts) + caplog.text


async def test_a_stream_that_breaks_ends_without_a_second_answer(
    probed: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    sent: list[Any] = []
    scope = {
        "type": "http", "method": "GET", "path": "/break-off", "raw_path": b"/break-off", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "scheme": "http", "http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"},
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()  # the caller neither sends nor leaves
        raise AssertionError("unreachable")

    async def send(message: Any) -> None:
        sent.append(message)

    with caplog.at_level(logging.ERROR, "rootproof.http"):
        await probed(scope, receive, send)
    assert [message["type"] for message in sent].count("http.response.start") == 1
    assert sent[-1].get("more_body") is True  # the end of the body never came: the server cuts the connection
    assert "in the middle" in caplog.text


async def test_unknown_paths_and_methods(local: httpx2.AsyncClient) -> None:
    assert problem(await local.get("/nothing/here"), 404)["type"] == "not-found"
    response = await local.delete("/healthz")
    assert problem(response, 405)["type"] == "method-not-allowed"
    assert response.headers["allow"] == "GET"
    for method in ("OPTIONS", "PUT", "TRACE", "PROPFIND"):
        both = await local.request(method, "/api/login")
        assert problem(both, 405)["detail"] == "this path takes GET, POST"
        assert both.headers["allow"] == "GET, POST"


# -- bodies ----------------------------------------------------------------------------------------------------------


async def test_a_body_that_fits_is_taken(probed: FastAPI) -> None:
    async with client_of(probed) as client:
        assert (await client.post("/probe", json={"inner": [{"password": "x"}]})).json() == {"inner": 1}


async def test_fields_are_named_and_values_are_not(probed: FastAPI) -> None:
    body = {"inner": [{"password": {"is": CANARY}, "count": CANARY, CANARY: 1}], "note": CANARY}
    async with client_of(probed) as client:
        response = await client.post("/probe", json=body)
    document = problem(response, 422)
    paths = [error["path"] for error in document["errors"]]
    assert paths[:2] == ["body.inner.0.password", "body.inner.0.count"]
    assert "body.note" in paths
    assert CANARY not in response.text


BAD_BODIES = [
    (b'{"inner": [], "inner": []}', "same key twice"),
    (b'{"inner": [{"password": "a", "password": "b"}]}', "same key twice"),
    (b'{"inner": NaN}', "NaN"),
    (b'{"inner": -Infinity}', "-Infinity"),
    (b'{"inner": 1e999}', "too large"),
    (b'{"inner": ' + b"9" * 5_000 + b"}", "too long"),
    (b'{"inner": ' + b"[" * 64 + b"]" * 64 + b"}", "deeper than 64"),
    (b"[" * 100_000 + b"]" * 100_000, "deeper than 64"),
    (b'{"inner": "\xff"}', "not UTF-8"),
    (b'{"note": "\\ud800"}', "surrogate"),
    (b'{"\\udfff": 1}', "surrogate"),
    (b'{"inner": [', "not JSON"),
    (b"", "body"),
    (b'\xef\xbb\xbf{"inner": []}', "not JSON"),
    ('{"inner": []}'.encode("utf-16"), "not UTF-8"),
    (b'{"inner": []} {}', "not JSON"),
    (b"{'inner': []}", "not JSON"),
]


@pytest.mark.parametrize(("body", "words"), BAD_BODIES, ids=[words for _, words in BAD_BODIES])
@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8", "application/x+json"])
async def test_json_that_can_be_read_in_two_ways_is_refused(
    probed: FastAPI, body: bytes, words: str, content_type: str
) -> None:
    async with client_of(probed) as client:
        response = await client.post("/probe", content=body, headers={"Content-Type": content_type})
    document = problem(response, 400 if body else 422)
    assert words in document["detail"]


async def test_64_levels_and_a_whole_surrogate_pair_are_taken(probed: FastAPI) -> None:
    body = b'{"inner": ' + b"[" * 63 + b"]" * 63 + b', "note": "\\ud83d\\ude00"}'
    async with client_of(probed) as client:
        response = await client.post("/probe", content=body, headers={"Content-Type": "application/json"})
    assert problem(response, 422)["errors"]  # read, and then not what the model takes


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_a_body_that_is_not_json_is_415(probed: FastAPI, content_type: str) -> None:
    async with client_of(probed) as client:
        response = await client.post("/probe", content=b'{"inner": []}', headers={"Content-Type": content_type})
    assert problem(response, 415)["type"] == "unsupported-media-type"


@pytest.fixture
def small(backend: Backend) -> FastAPI:
    """An app that takes 100 bytes."""
    app = create_app(Settings(server=ServerSettings(max_body_bytes=100)), backend)

    async def take(body: dict[str, Any]) -> dict[str, int]:
        return {"keys": len(body)}

    app.add_api_route("/probe", take, methods=["POST"])
    return app


async def test_the_body_is_bounded_as_announced_and_as_it_comes(small: FastAPI) -> None:
    read: list[int] = []

    async def parts() -> Any:
        for number in range(1_000):
            read.append(number)
            yield b'{"a": 1, '

    headers = {"Content-Type": "application/json"}
    async with client_of(small) as client:
        fits = b'{"a": "' + b"x" * 91 + b'"}'
        assert len(fits) == 100
        assert (await client.post("/probe", content=fits, headers=headers)).json() == {"keys": 1}
        announced = await client.post("/probe", content=fits + b" ", headers=headers)
        chunked = await client.post("/probe", content=parts(), headers=headers)
        lying = await client.post("/probe", content=fits + b" ", headers=headers | {"Content-Length": "9" * 40})
    for response in (announced, chunked, lying):
        document = problem(response, 413)
        assert "100 bytes" in document["detail"]
        assert response.headers["connection"] == "close"
    assert len(read) < 1_000


async def test_a_path_is_repeated_as_a_uri_reference_without_hidden_characters(local: httpx2.AsyncClient) -> None:
    for path in ("/api/diagnosis/%E2%80%AE/trace", "/api/runs/a%0d%0ab", "/none/%1b%5b2J"):
        answer = await local.get(path)
        assert answer.status_code == 404
        assert answer.json()["instance"].lower() == path.lower()
        assert answer.text.isprintable()
