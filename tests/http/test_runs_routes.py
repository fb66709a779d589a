"""Runs, sessions and traces over HTTP: read from rows of real runs, by their owner alone."""

from __future__ import annotations

import asyncio
import io
import json
import tomllib
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rootproof.adapters.sources.bundle import open_bundle
from rootproof.agent.state import fold
from rootproof.bootstrap.backend import memory_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.events import RunStreamEvent
from rootproof.diagnosis.headline import headline_of
from rootproof.diagnosis.keys import make_key
from rootproof.diagnosis.present import RunSummaryView, identifiers_of, run_summary, run_view
from rootproof.diagnosis.request_run import AskedRun, request_run
from rootproof.diagnosis.trace import TraceView
from rootproof.diagnosis.work import Worker, WorkTerms
from rootproof.domain.api_key import Principal, Scope
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.routes import examples
from rootproof.entrypoints.http.routes.runs import RunPageView
from rootproof.intake.normalize import normalize
from rootproof.ports.run_store import RunRows
from rootproof.scenarios import scenario_path
from rootproof.settings import Settings, SourceSettings
from tests.contracts.polling import wait_until
from tests.fakes.sources import FakeLogs
from tests.http.conftest import T0, client_of
from tests.http.live import carried_out

ANA, BEN = (Principal(owner, frozenset(Scope), f"key-{owner}") for owner in ("ana", "ben"))
ALERT = normalize(
    json.dumps({"alerts": [{"labels": {"alertname": "PoolFull", "service": "order-service", "severity": "critical"}}]})
).alerts


@dataclass
class House:
    """Two finished runs of ana in one session and a queued one; one of ben."""

    settings: Settings
    backend: Backend
    first: Run
    second: Run
    waiting: Run
    foreign: Run
    ana: dict[str, str]
    ben: dict[str, str]
    reader: dict[str, str]

    async def rows(self, run: Run) -> RunRows:
        rows = await self.backend.services.runs.load(run.run_id)
        assert rows is not None
        return rows


async def built() -> House:
    settings = Settings(sources=SourceSettings(bundle=str(scenario_path("order-pool-leak"))))
    backend = memory_backend(settings)

    async def key(owner: str, *scopes: Scope) -> dict[str, str]:
        new = make_key(owner, scopes, now=backend.services.clock.now(), lifetime=None)
        await backend.keys.add(new.key)
        return {"Authorization": f"Bearer {new.text}"}

    async def begun(caller: Principal, **asked: Any) -> Run:
        return await request_run(backend, caller, AskedRun(**asked), max_queued=100)

    first = await begun(ANA, payload=ALERT)
    second = await begun(ANA, question="why do orders fail?", session_id=first.session_id)
    foreign = await begun(BEN, question="mine")
    for run in (first, second, foreign):
        await carried_out(backend, run)
    waiting = await begun(ANA, question="and now?")
    keys = [await key("ana", *Scope), await key("ben", *Scope), await key("ana", Scope.READ)]
    return House(settings, backend, first, second, waiting, foreign, *keys)


@pytest.fixture(scope="module")
def house() -> House:
    return asyncio.run(built())


@pytest.fixture
async def client(house: House) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(create_app(house.settings, house.backend)) as client:
        client.headers.update(house.ana)
        yield client


def ids(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["runId"] for item in answer.json()["items"]]


# -- lists ---------------------------------------------------------------------------------------------------------


async def test_runs_are_listed_newest_first_from_their_rows_alone(house: House, client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/runs")
    assert ids(answer) == [house.waiting.run_id, house.second.run_id, house.first.run_id]
    page = RunPageView.model_validate(answer.json())
    waiting, second, first = page.items
    view = run_view(await house.rows(house.first))
    assert view.report is not None
    assert (first.summary, first.healthy, first.root_causes) == (
        view.report.summary,
        view.report.healthy,
        view.report.root_causes,
    )
    assert (first.service, first.severity, first.root_cause_supported) == ("order-service", "critical", True)
    assert first.verdicts
    assert second.question == "why do orders fail?"
    assert (waiting.status, waiting.summary, waiting.root_causes) == (RunStatus.QUEUED, "", [])


async def test_filters_of_the_run_list(house: House, client: httpx2.AsyncClient) -> None:
    first, second, waiting = house.first.run_id, house.second.run_id, house.waiting.run_id
    wanted: list[tuple[dict[str, Any], list[str]]] = [
        ({"status": "QUEUED"}, [waiting]),
        ({"status": "COMPLETED"}, [second, first]),
        ({"mode": "PAYLOAD_TARGETED"}, [first]),
        ({"service": "order-service"}, [first]),
        ({"severity": "critical"}, [first]),
        ({"sessionId": house.first.session_id}, [second, first]),
        ({"rootCauseSupported": "true"}, [second, first]),
        ({"rootCauseSupported": "false"}, []),
        ({"text": "AND NOW"}, [waiting]),
        ({"incidentId": "inc-none"}, []),
        ({"status": "COMPLETED", "text": "orders fail"}, [second]),
    ]
    for params, runs in wanted:
        assert ids(await client.get("/api/runs", params=params)) == runs, params


@pytest.mark.parametrize(
    "params",
    [{"status": "ODD"}, {"limit": 0}, {"limit": 201}, {"cursor": "odd"}, {"severity": "bad"}, {"text": ""},
     {"rootCauseSupported": "perhaps"}],
)  # fmt: skip
async def test_a_filter_that_cannot_be_is_refused(client: httpx2.AsyncClient, params: dict[str, Any]) -> None:
    answer = await client.get("/api/runs", params=params)
    assert (answer.status_code, answer.json()["type"]) == (422, "invalid-request")


@pytest.mark.parametrize("path", ["/api/runs", "/api/chat/session/{session}/runs"])
async def test_pages_follow_each_other(house: House, client: httpx2.AsyncClient, path: str) -> None:
    path = path.format(session=house.first.session_id)
    everything = ids(await client.get(path))
    seen: list[str] = []
    cursor: str | None = None
    while True:
        answer = await client.get(path, params={"limit": 1} | ({"cursor": cursor} if cursor else {}))
        seen += ids(answer)
        cursor = answer.json()["nextCursor"]
        if cursor is None:
            break
    assert seen == everything
    assert len(seen) >= 2


async def test_sessions_are_listed_by_their_last_activity(house: House, client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/chat/sessions")
    items = answer.json()["items"]
    assert [item["sessionId"] for item in items] == [house.waiting.session_id, house.first.session_id]
    assert items[0]["expired"] is False
    one = await client.get("/api/chat/sessions", params={"limit": 1})
    rest = await client.get("/api/chat/sessions", params={"cursor": one.json()["nextCursor"]})
    assert [*one.json()["items"], *rest.json()["items"]] == items


# -- foreign and absent --------------------------------------------------------------------------------------------

ROUTES = (
    ("GET", "/api/runs/{run}"),
    ("GET", "/api/runs/{run}/events"),
    ("GET", "/api/runs/{run}/raw/2.0"),
    ("POST", "/api/runs/{run}/cancel"),
    ("GET", "/api/runs/{run}/bundle"),
    ("GET", "/api/runs/{run}/diff/{own}"),
    ("GET", "/api/runs/{own}/diff/{run}"),
    ("GET", "/api/chat/session/{session}/runs"),
    ("GET", "/api/diagnosis/{session}/trace"),
    ("GET", "/api/diagnosis/{session}/trace?runId={run}"),
    ("GET", "/api/diagnosis/{ownsession}/trace?runId={run}"),
)


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_what_is_foreign_answers_as_what_is_absent(
    house: House, client: httpx2.AsyncClient, method: str, path: str
) -> None:
    own = {"own": house.first.run_id, "ownsession": house.first.session_id}
    shown = []
    for run, session in ((house.foreign.run_id, house.foreign.session_id), ("run-none", "ses-none")):
        answer = await client.request(method, path.format(run=run, session=session, **own))
        assert answer.status_code == 404
        body = {key: value for key, value in answer.json().items() if key not in ("requestId", "instance")}
        shown.append((json.dumps(body).replace(run, "RUN").replace(session, "SES"), sorted(answer.headers)))
    assert shown[0] == shown[1]


# -- trace ---------------------------------------------------------------------------------------------------------


async def test_a_trace_without_a_run_is_that_of_the_newest_and_says_so(
    house: House, client: httpx2.AsyncClient
) -> None:
    # Feedback and evaluation touch the older run later.
    rows = await house.rows(house.first)
    touched = await house.backend.services.runs.update_run(replace(rows.run, feedback={"verdict": "HELPFUL"}))
    newest = await house.rows(house.second)
    assert touched.updated_at is not None
    assert newest.run.updated_at is not None
    assert touched.updated_at > newest.run.updated_at
    path = f"/api/diagnosis/{house.first.session_id}/trace"
    latest = (await client.get(path)).json()
    assert (latest["runId"], latest["resolvedBy"]) == (house.second.run_id, "latest_run")
    named = (await client.get(path, params={"runId": house.first.run_id})).json()
    assert (named["runId"], named["resolvedBy"]) == (house.first.run_id, "run_id")
    assert named["feedback"]["verdict"] == "HELPFUL"
    assert latest["feedback"] is None


async def test_a_trace_holds_every_column_of_steps_and_calls(house: House, client: httpx2.AsyncClient) -> None:
    rows = await house.rows(house.first)
    path = f"/api/diagnosis/{house.first.session_id}/trace"
    body = (await client.get(path, params={"runId": house.first.run_id})).json()
    TraceView.model_validate(body)
    assert [step["stepNo"] for step in body["steps"]] == [step.step_no for step in rows.steps]
    calls = [call for step in body["steps"] for call in step["invocations"]]
    assert len(calls) == len(rows.invocations) > 0
    for shown, call in zip(calls, rows.invocations, strict=True):
        assert (shown["seq"], shown["status"], shown["requestKey"] != "") == (call.seq, call.status.value, True)
        assert shown["result"]
        assert [item["id"] for item in shown["evidence"]] == [item.id for item in call.evidence]
    assert any(call["retrievalDetails"] for call in calls)
    view = run_view(rows).model_dump(mode="json", by_alias=True)
    assert body["report"]["claims"] == view["report"]["claims"] != []
    assert (body["evidence"], body["selfEvaluation"]) == (view["evidence"], view["selfEvaluation"])
    assert body["seq"] == max([step["seq"] for step in body["steps"]] + [rows.run.seq])
    shown_identifiers = json.dumps(body["steps"])
    assert "<ip:" not in shown_identifiers or any(call["identifiers"] for call in calls)


async def test_a_trace_can_be_read_in_parts(house: House, client: httpx2.AsyncClient) -> None:
    path = f"/api/diagnosis/{house.first.session_id}/trace"
    whole = (await client.get(path)).json()["steps"]
    parts: list[Any] = []
    after: int | None = -1
    while after is not None:
        part = (await client.get(path, params={"stepsAfter": after, "limit": 3})).json()
        assert len(part["steps"]) <= 3
        assert part["stepCount"] == len(whole)
        parts += part["steps"]
        after = part["nextStepsAfter"]
    assert parts == whole
    assert len(whole) > 3
    for wrong in ({"limit": 0}, {"stepsAfter": -2}, {"limit": "x"}):
        assert (await client.get(path, params=wrong)).status_code == 422


# -- one run -------------------------------------------------------------------------------------------------------


async def test_raw_output_is_for_administrators_and_never_cached(house: House, client: httpx2.AsyncClient) -> None:
    rows = await house.rows(house.first)
    call = next(call for call in rows.invocations if call.raw_sha256)
    path = f"/api/runs/{house.first.run_id}/raw/{call.step_no}.{call.call_index}"
    answer = await client.get(path)
    assert (answer.status_code, len(answer.content)) == (200, call.raw_bytes)
    assert (answer.headers["X-Rootproof-Raw"], answer.headers["Cache-Control"]) == ("true", "no-store")
    assert answer.headers["content-type"].startswith("text/plain")
    refused = await client.get(path, headers=house.reader)
    assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    for absent in ("99.0", "x", "3.0.0"):
        assert (await client.get(f"/api/runs/{house.first.run_id}/raw/{absent}")).status_code == 404


async def test_a_bundle_can_be_diagnosed_again(house: House, client: httpx2.AsyncClient, tmp_path: Path) -> None:
    answer = await client.get(f"/api/runs/{house.first.run_id}/bundle")
    assert answer.headers["content-type"] == "application/zip"
    assert (await client.get(f"/api/runs/{house.first.run_id}/bundle")).content == answer.content
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path)
    assert tomllib.loads((tmp_path / "bundle.toml").read_text())["now"]
    bundle = open_bundle(tmp_path)
    assert [alert.name for alert in bundle.payload] == ["PoolFull"]
    assert bundle.sources().logs is not None


async def test_an_export_is_the_run_and_its_trace(house: House, client: httpx2.AsyncClient) -> None:
    body = (await client.get(f"/api/runs/{house.first.run_id}/bundle", params={"format": "json"})).json()
    assert body["schemaVersion"] == 1
    assert body["run"] == (await client.get(f"/api/runs/{house.first.run_id}")).json()
    assert body["trace"]["runId"] == house.first.run_id


async def test_two_runs_beside_each_other(house: House, client: httpx2.AsyncClient) -> None:
    body = (await client.get(f"/api/runs/{house.first.run_id}/diff/{house.second.run_id}")).json()
    assert (body["a"], body["b"]) == (house.first.run_id, house.second.run_id)
    assert {change["section"] for change in body["changes"]}


async def test_a_run_that_has_ended_cannot_be_stopped(house: House, client: httpx2.AsyncClient) -> None:
    answer = await client.post(f"/api/runs/{house.first.run_id}/cancel")
    assert (answer.status_code, answer.json()["type"]) == (409, "conflict")
    refused = await client.post(f"/api/runs/{house.waiting.run_id}/cancel", headers=house.reader)
    assert refused.status_code == 403


async def test_a_run_is_stopped_in_the_middle_of_a_tool_call() -> None:
    settings = Settings()
    logs = FakeLogs(delay_s=600)
    backend = memory_backend(settings)

    async def slow(run: Run) -> Any:
        inputs: Any = await backend.inputs_of(run)
        return replace(inputs, sources=replace(inputs.sources, logs=logs))

    house = replace(backend, inputs_of=slow)
    worker = Worker(house, WorkTerms("test", lease=timedelta(seconds=2), sweep_s=0.5))
    task = asyncio.create_task(worker.work())
    async with client_of(create_app(settings, house)) as client:
        asked = await client.post("/api/chat", json={"question": "errors?"}, headers={"Prefer": "respond-async"})
        run_id = asked.json()["runId"]
        await wait_until(lambda: bool(logs.queries))
        for _ in range(2):
            stopped = await client.post(f"/api/runs/{run_id}/cancel")
            assert (stopped.status_code, stopped.json()["cancelRequested"]) == (202, True)

        async def over() -> bool:
            return bool((await client.get(f"/api/runs/{run_id}")).json()["status"] == "CANCELLED")

        await wait_until(over)
        again = await client.post(f"/api/runs/{run_id}/cancel")
        assert (again.status_code, again.json()["statusReason"]) == (202, StatusReason.CANCELLED.value)
        trace = (await client.get(f"/api/diagnosis/{asked.json()['sessionId']}/trace")).json()
        assert [step["kind"] for step in trace["steps"]].count("END") == 1
        assert {call["status"] for step in trace["steps"] for call in step["invocations"]} == {"CANCELLED"}
    await worker.stop(0)
    await task


# -- what rows say without being folded ----------------------------------------------------------------------------


async def test_views_say_what_the_folded_run_says(house: House) -> None:
    for run in (house.first, house.second):
        rows = await house.rows(run)
        state = fold(rows.run, rows.steps, rows.invocations)
        assert identifiers_of(rows.steps, rows.invocations) == dict(state.identifiers)
        view = run_view(rows)
        assert [item.id for item in view.evidence] == list(state.evidence)
        under_way = run_view(replace(rows, steps=rows.steps[:-1]))
        assert under_way.usage.model_requests == state.usage.model_requests
        assert under_way.usage.agent_visible_bytes == state.usage.agent_visible_bytes
        assert under_way.usage.tool_calls == state.usage.tool_calls == len(rows.invocations)


def test_a_headline_shows_identifiers_and_no_credential() -> None:
    cause = {
        "claim_id": "C1",
        "text": "x" * 5_000,
        "cause_id": "oom_killed",
        "category": "RESOURCE_EXHAUSTION",
        "objects": ["app/<pod:cart-1>"],
        "confidence": "HIGH",
    }
    report = {
        "summary": "<pod:cart-1> lost <secret:password:1>",
        "healthy": False,
        "root_causes": [cause],
        "claims": [],
    }
    told = headline_of(
        report,
        {"<pod:cart-1>": "cart-7f9c", "<secret:password:1>": ""},
        {"verdicts": {"SUPPORTED": 1}, "root_cause_supported": True},
    )
    assert told["summary"] == "cart-7f9c lost <secret:password:1>"
    assert told["rootCauses"][0]["objects"] == ["app/cart-7f9c"]
    assert len(told["rootCauses"][0]["text"]) < 1_000
    assert (told["verdicts"], told["rootCauseSupported"], told["healthy"]) == ({"SUPPORTED": 1}, True, False)


def test_a_row_of_an_older_version_is_listed_by_its_report() -> None:
    old = Run("run-1", "s-1", "ana", RunMode.CHAT, "why?", T0, report={"summary": "it was <host:1>", "healthy": True})
    view = run_summary(old)
    assert (view.summary, view.healthy, view.root_causes, view.root_cause_supported) == (
        "it was <host:1>",
        True,
        [],
        None,
    )


async def test_a_damaged_run_is_no_bug_and_hides_no_other(house: House) -> None:
    runs: Any = house.backend.services.runs
    rows = await house.rows(house.second)
    broken = replace(rows, steps=(replace(rows.steps[0], output={}), *rows.steps[1:]))

    class Damaged:
        def __getattr__(self, name: str) -> Any:
            return getattr(runs, name)

        async def load(self, run_id: str, *, owner: str | None = None) -> Any:
            return broken if run_id == house.second.run_id else await runs.load(run_id, owner=owner)

    services = replace(house.backend.services, runs=Damaged())
    async with client_of(create_app(house.settings, replace(house.backend, services=services))) as client:
        client.headers.update(house.ana)
        for path in ("", "/bundle?format=json", f"/diff/{house.first.run_id}"):
            answer = await client.get(f"/api/runs/{house.second.run_id}{path}")
            assert (answer.status_code, answer.json()["type"]) == (503, "unavailable"), path
        assert len(ids(await client.get("/api/runs"))) == 3


# -- shapes --------------------------------------------------------------------------------------------------------


def test_the_examples_are_of_the_shapes_that_they_show() -> None:
    RunPageView.model_validate(examples.RUN_PAGE)
    TraceView.model_validate(examples.TRACE)
    for name, data in examples.EVENTS.items():
        assert RunStreamEvent.model_validate(data).root.type == name
    fields = {field.alias or name for name, field in RunSummaryView.model_fields.items()}
    assert set(examples.RUN_SUMMARY) == fields
    assert set(examples.TRACE) == {field.alias or name for name, field in TraceView.model_fields.items()}
