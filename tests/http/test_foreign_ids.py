"""What belongs to another owner answers exactly like what is not there: every route, byte for byte.

The routes are those of the application. A route that is not in one of the tables below fails a test: whoever adds one
says here how its ids are asked for.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.api_key import Scope
from rootproof.entrypoints.http import deps
from rootproof.entrypoints.http.paging import encode_cursor
from rootproof.ports.sources import Sources
from tests.fakes.driving import claim, report, scripted
from tests.fakes.skills import FakeSkills
from tests.fakes.sources import FakeLogs, log
from tests.http.conftest import T0, HandClock, client_of, stored_key

Route = tuple[str, str]
ABSENT = {
    "runId": "run-00000000-0000-4000-8000-000000000000",
    "sessionId": "ses-00000000-0000-4000-8000-000000000000",
    "caseId": "case-00000000-0000-4000-8000-000000000000",
    "incidentId": "inc-00000000-0000-4000-8000-000000000000",
    "diagnosisId": "run-00000000-0000-4000-8000-000000000000",
}
ALIASES = {"a": "runId", "b": "runId"}
WITHIN = {"invocationId"}
"""Ids that name something only inside the run beside them: `2.0` is in every run."""
NO_IDS_OF_OWNERS = {"vendor", "name", "causeId"}
"""Parameters that name something which has no owner: a webhook, a skill, a hypothesis."""


@dataclass(frozen=True)
class Ask:
    """How a route is asked; its ids are filled in."""

    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = 404
    """What a foreign id gets; None where it is no error, as in a filter."""
    cursor: str = "runId"
    """Of what kind the id in the route's cursor is, where it has one."""
    streams: bool = False
    """Whether an answer to the owner goes on for ever."""


def listing(cursor: str) -> Ask:
    """A list: a foreign id in a filter or cursor finds nothing."""
    return Ask(status=None, cursor=cursor)


ASKS: dict[Route, Ask] = {
    ("GET", "/api/runs"): listing("runId"),
    ("GET", "/api/runs/{runId}"): Ask(),
    ("GET", "/api/runs/{runId}/events"): Ask(),
    ("GET", "/api/runs/{runId}/raw/{invocationId}"): Ask(),
    ("POST", "/api/runs/{runId}/cancel"): Ask(),
    ("GET", "/api/runs/{runId}/bundle"): Ask(),
    ("GET", "/api/runs/{a}/diff/{b}"): Ask(),
    ("GET", "/api/chat/sessions"): listing("sessionId"),
    ("GET", "/api/chat/session/{sessionId}/runs"): Ask(),
    ("POST", "/api/chat"): Ask(body={"question": "why?"}, headers={"Prefer": "respond-async"}),
    ("POST", "/api/ai_ops"): Ask(streams=True),
    ("GET", "/api/diagnosis/{sessionId}/trace"): Ask(),
    ("GET", "/api/diagnosis/{sessionId}/feedback"): Ask(),
    ("POST", "/api/diagnosis/{sessionId}/feedback"): Ask(body={"verdict": "HELPFUL"}),
    ("GET", "/api/cases"): listing("caseId"),
    ("POST", "/api/cases"): Ask(body={}),
    ("GET", "/api/cases/{caseId}"): Ask(),
    ("POST", "/api/cases/{caseId}/revoke"): Ask(body={"reason": "it was something else"}),
    ("GET", "/api/incidents"): listing("incidentId"),
    ("GET", "/api/incidents/{incidentId}"): Ask(),
    ("POST", "/api/incidents/{incidentId}/resolve"): Ask(),
}
"""Routes that name or list what belongs to somebody."""
SHARED: set[Route] = {
    ("GET", "/api/login"),
    ("POST", "/api/logout"),
    ("GET", "/api/knowledge"),
    ("GET", "/api/knowledge/search"),
    ("GET", "/api/skills"),
    ("GET", "/api/skills/{name}"),
    ("GET", "/metrics"),
}
"""Routes that need a key and show nothing of an owner but the caller."""
OPEN: set[Route] = {("GET", "/healthz"), ("GET", "/readyz"), ("POST", "/api/login"), ("POST", "/api/alerts/{vendor}")}
"""Routes that need no key: what they check instead stands in their own tests."""


# -- the routes of the application -----------------------------------------------------------------------------------


def routes(app: FastAPI) -> Iterator[tuple[Route, APIRoute]]:
    """Every route with its ids named as callers see them."""
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, APIRoute):
            for method in route.methods:
                yield (method, _named(context.path)), route


def _named(path: str) -> str:
    parts = path.split("/")
    return "/".join("{" + to_camel(part[1:-1]) + "}" if part.startswith("{") else part for part in parts)


def asks_who_calls(dependant: Dependant) -> bool:
    return dependant.call is deps.caller or any(asks_who_calls(part) for part in dependant.dependencies)


def id_places(app: FastAPI, route: APIRoute, method: str) -> dict[str, str]:
    """Where the route takes ids: parameter -> path, query or body; read from the OpenAPI document."""
    operation = app.openapi()["paths"][_named(route.path)][method.lower()]
    places = {item["name"]: item["in"] for item in operation.get("parameters", []) if item["in"] != "header"}
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = app.openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    places |= dict.fromkeys(schema.get("properties", {}), "body")
    return {
        name: place
        for name, place in places.items()
        if (place == "path" or name == "cursor" or to_camel(name).endswith("Id"))
        and to_camel(name) not in NO_IDS_OF_OWNERS
    }


def test_every_route_is_in_exactly_one_table(app: FastAPI) -> None:
    known = [route for route, _ in routes(app)]
    assert len(known) == len(set(known))
    assert len(known) > 20
    for route in known:
        assert (route in ASKS) + (route in SHARED) + (route in OPEN) == 1, f"{route}: put it into one of the tables"
    assert set(known) == set(ASKS) | SHARED | OPEN


def test_every_route_asks_who_calls(app: FastAPI) -> None:
    for name, route in routes(app):
        assert asks_who_calls(route.dependant) is (name not in OPEN), name


def test_what_is_said_to_name_nothing_of_an_owner_takes_no_id(app: FastAPI) -> None:
    for name, route in routes(app):
        if name in SHARED | OPEN:
            assert set(id_places(app, route, name[0])) <= {"cursor"}, name


# -- two owners ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Owner:
    """Somebody with one of everything."""

    client: httpx2.AsyncClient
    ids: Mapping[str, str]


@pytest.fixture
def backend(backend: Backend) -> Backend:
    def model(_spec: str, _skills: Any) -> Any:
        statement = claim("connection refused by the database", "ev-001")
        return scripted([_look(), report(statement, summary="CANARY the database refuses")])

    return replace(backend, services=replace(backend.services, model=model))


def _look() -> Any:
    from rootproof.adapters.memory.scripted_model import calls

    return calls(("query_logs", {"topic": "APPLICATION"}))


async def owner_of_everything(app: FastAPI, backend: Backend, clock: HandClock, name: str) -> Owner:
    """An owner with a finished run, feedback, a case and an incident, all made over the product's own ways."""
    client = client_of(app, await stored_key(backend, clock, name, Scope.ADMIN))
    request = RunRequest(question=f"CANARY of {name}: why?", owner=name, reasoner="scripted", now=clock.now())
    run = await start_run(backend.services, request)
    logs = FakeLogs([log("connection refused by the database")])
    rows = await drive_run(backend.services, run.run_id, Sources(logs=logs), FakeSkills())
    call = rows.invocations[0]
    words = {"verdict": "WRONG_CAUSE", "correctedCause": f"CANARY of {name}: a full disk", "runId": run.run_id}
    said = await client.post(f"/api/diagnosis/{run.session_id}/feedback", json=words)
    assert said.status_code == 200, said.text
    case = await client.post("/api/cases", json={"runId": run.run_id})
    assert case.status_code == 200, case.text
    alert = {"labels": {"alertname": f"CANARY{name}", "service": name}, "status": "firing", "fingerprint": name}
    taken = await client.post("/api/alerts/alertmanager", json={"version": "4", "groupKey": name, "alerts": [alert]})
    assert taken.status_code == 202, taken.text
    ids = {
        "runId": run.run_id,
        "sessionId": run.session_id,
        "caseId": case.json()["caseId"],
        "incidentId": taken.json()["incidents"][0]["incidentId"],
        "invocationId": f"{call.step_no}.{call.call_index}",
        "diagnosisId": run.run_id,
    }
    clock.pass_time(60)
    return Owner(client, ids)


@pytest.fixture
async def two(app: FastAPI, backend: Backend, clock: HandClock) -> AsyncIterator[tuple[Owner, Owner]]:
    """Ben, who asks, and Ana, whose things he asks for; hers are the newer ones."""
    ben = await owner_of_everything(app, backend, clock, "ben")
    ana = await owner_of_everything(app, backend, clock, "ana")
    yield ben, ana
    await ben.client.aclose()
    await ana.client.aclose()


def wire(app: FastAPI, name: Route, route: APIRoute, ask: Ask, ids: Mapping[str, str]) -> dict[str, Any]:
    """The request with these ids (by parameter): method, url, body, headers."""
    path, query, body = _named(route.path), {}, dict(ask.body) if ask.body is not None else None
    for parameter, place in id_places(app, route, name[0]).items():
        if parameter not in ids:
            continue
        match place:
            case "path":
                path = path.replace("{" + parameter + "}", ids[parameter])
            case "query":
                query[parameter] = ids[parameter]
            case _:
                body = (body or {}) | {parameter: ids[parameter]}
    url = path + (f"?{urlencode(query)}" if query else "")
    return {"method": name[0], "url": url, "headers": dict(ask.headers)} | ({} if body is None else {"json": body})


def plain(response: httpx2.Response, ids: Mapping[str, str]) -> tuple[int, str, dict[str, str]]:
    """An answer without what differs between any two requests, and without the ids that were asked for."""
    text = response.text.replace(response.headers["x-request-id"], "REQUEST")
    headers = {name: value for name, value in response.headers.items() if name not in {"x-request-id", "date"}}
    shown = json.dumps(headers)
    for value in ids.values():
        text, shown = text.replace(value, "ID"), shown.replace(value, "ID")
    if text != response.text:
        headers.pop("content-length", None)
        shown = json.dumps({key: value for key, value in json.loads(shown).items() if key != "content-length"})
    return response.status_code, text, json.loads(shown)


def id_name(parameter: str) -> str:
    camel = to_camel(parameter)
    return ALIASES.get(camel, camel)


def value(ask: Ask, parameter: str, ids: Mapping[str, str]) -> str:
    """The parameter with one of these ids; a cursor names a time at which there was nothing yet."""
    if parameter == "cursor":
        return encode_cursor(T0 - timedelta(days=1), ids[ask.cursor])
    return ids[id_name(parameter)]


def mixtures(parameters: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Who gives which id: all of them foreign; one foreign beside the caller's own; one foreign and no other."""
    required = {name for name, place in parameters.items() if place == "path"}
    named = [name for name in parameters if name != "cursor"]
    if named:
        yield {name: "own" if id_name(name) in WITHIN else "foreign" for name in named}
    for parameter in parameters:
        if id_name(parameter) in WITHIN:
            continue
        yield {other: "own" for other in required if other != parameter} | {parameter: "foreign"}
        if len(named) > 1 and parameter != "cursor":
            yield {other: "own" for other in named if other != parameter} | {parameter: "foreign"}


async def snapshot(backend: Backend, ana: Owner) -> str:
    """What Ana has, as it is stored and as she sees it."""
    ids = ana.ids
    stored = (
        await backend.services.runs.load(ids["runId"]),
        await backend.cases.find(ids["caseId"], owner="ana"),
        await backend.incidents.find(ids["incidentId"], owner="ana"),
        await backend.feedback.history(ids["runId"], owner="ana"),
        [(run.run_id, run.status) for run in await backend.services.runs.list_runs(owner="ana")],
    )
    return repr(stored)


async def test_a_foreign_id_answers_like_an_absent_one(
    app: FastAPI, backend: Backend, two: tuple[Owner, Owner]
) -> None:
    ben, ana = two
    before = await snapshot(backend, ana)
    asked = 0
    for name, route in routes(app):
        if name not in ASKS:
            continue
        ask, parameters = ASKS[name], id_places(app, route, name[0])
        for mixture in mixtures(parameters):
            foreign, absent = {}, {}
            for parameter, whose in mixture.items():
                foreign[parameter] = value(ask, parameter, ana.ids if whose == "foreign" else ben.ids)
                absent[parameter] = value(ask, parameter, ABSENT if whose == "foreign" else ben.ids)
            one = await ben.client.request(**wire(app, name, route, ask, foreign))
            other = await ben.client.request(**wire(app, name, route, ask, absent))
            where = f"{name} with {mixture}"
            assert plain(one, foreign) == plain(other, absent), where
            hidden = one.text.replace("CANARY of ben", "").replace("CANARYben", "")
            assert "CANARY of ana" not in hidden, where
            assert "CANARYana" not in hidden, where
            if ask.status is not None and "cursor" not in mixture:
                assert one.status_code == ask.status, f"{where}: {one.text[:300]}"
            asked += 1
    assert asked > 30
    assert await snapshot(backend, ana) == before


async def test_the_same_requests_of_the_owner_are_answered(app: FastAPI, two: tuple[Owner, Owner]) -> None:
    """The table asks in the right way: what is hidden from Ben is there for Ana."""
    _, ana = two
    for name, route in routes(app):
        if name not in ASKS:
            continue
        ask, parameters = ASKS[name], id_places(app, route, name[0])
        ids = {parameter: ana.ids[id_name(parameter)] for parameter in parameters if parameter != "cursor"}
        request = wire(app, name, route, ask, ids)
        status = await _begun(app, ana, request) if ask.streams else (await ana.client.request(**request)).status_code
        assert status in {200, 202, 409}, f"{name}: {status}"  # 409: a run that is over cannot be cancelled


async def test_lists_show_what_is_the_callers(app: FastAPI, two: tuple[Owner, Owner]) -> None:
    ben, ana = two
    lists = [name for name, ask in ASKS.items() if ask.status is None]
    for _, path in lists:
        for owner, other in ((ben, ana), (ana, ben)):
            response = await owner.client.get(path)
            assert len(response.json()["items"]) == 1, path
            assert not any(value in response.text for name, value in other.ids.items() if name != "invocationId"), path


async def _begun(app: FastAPI, owner: Owner, request: Mapping[str, Any]) -> int:
    """The status of an answer that goes on for ever; the caller hangs up after the first line."""
    path, _, query = request["url"].partition("?")
    headers = {**owner.client.headers, **request["headers"], "host": "localhost"}
    body = json.dumps(request["json"]).encode() if "json" in request else b""
    scope = {
        "type": "http", "method": request["method"], "path": path, "raw_path": path.encode(),
        "query_string": query.encode(), "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http",
        "headers": [(key.lower().encode(), value.encode()) for key, value in headers.items()],
        "http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"},
    }  # fmt: skip
    status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    given = False

    async def receive() -> dict[str, Any]:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        await status
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start" and not status.done():
            status.set_result(message["status"])

    async with asyncio.timeout(10):
        await app(scope, receive, send)
    return await status
