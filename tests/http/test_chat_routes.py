"""Questions and alerts over HTTP: answered whole, or streamed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rootproof.bootstrap import SourceSpec, open_inputs
from rootproof.bootstrap.backend import memory_backend, open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.keys import make_key
from rootproof.diagnosis.work import Worker, WorkTerms
from rootproof.domain.api_key import Scope
from rootproof.domain.run import Run, RunMode, RunStatus
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.asking import ConversationMessage, pieces
from rootproof.entrypoints.http.routes.chat import ChatAnswerView
from rootproof.entrypoints.http.routes.examples import CHAT_ANSWER, MESSAGES
from rootproof.scenarios import scenario_path
from rootproof.settings import Settings, SourceSettings, StoreSettings, WorkerSettings
from tests.contracts.polling import wait_until
from tests.http.conftest import client_of
from tests.http.live import PATIENCE_S, events_of, serving

CANARY = "hunter2-Xq9Lk2Vw"
ALERT = {
    "receiver": "x",
    "status": "firing",
    "groupKey": '{}:{alertname="PoolFull"}',
    "alerts": [
        {
            "status": "firing",
            "labels": {
                "alertname": "PoolFull",
                "service": "order-service",
                "severity": "critical",
                "pod": "orders-7f9",
            },
            "annotations": {"description": f"login with password={CANARY} from 10.1.2.3 failed"},
            "startsAt": "2026-05-04T10:00:00Z",
        }
    ],
}


@pytest.fixture
def live_settings(tmp_path: Path) -> Settings:
    return Settings(
        store=StoreSettings(home=str(tmp_path / "home")),
        sources=SourceSettings(bundle=str(scenario_path("order-pool-leak"))),
    )


@pytest.fixture
def live(live_settings: Settings) -> Backend:
    return memory_backend(live_settings)


@asynccontextmanager
async def working(backend: Backend) -> AsyncIterator[Worker]:
    """A worker in this process, as `serve` has one."""
    worker = Worker(backend, WorkTerms("test", concurrency=2, lease=timedelta(seconds=30), sweep_s=1.0))
    task = asyncio.create_task(worker.work())
    try:
        yield worker
    finally:
        await worker.stop(0)
        await asyncio.wait_for(task, PATIENCE_S)


@asynccontextmanager
async def service(settings: Settings, backend: Backend) -> AsyncIterator[httpx2.AsyncClient]:
    async with working(backend), client_of(create_app(settings, backend), timeout=PATIENCE_S) as client:
        yield client


async def keyed(backend: Backend, owner: str) -> dict[str, str]:
    new = make_key(owner, tuple(Scope), now=backend.services.clock.now(), lifetime=None)
    await backend.keys.add(new.key)
    return {"Authorization": f"Bearer {new.text}"}


async def stored(backend: Backend, run_id: str) -> Run:
    rows = await backend.services.runs.load(run_id)
    assert rows is not None
    return rows.run


# -- questions -----------------------------------------------------------------------------------------------------


async def test_a_question_is_answered_with_its_run_and_the_next_one_joins_the_session(
    live_settings: Settings, live: Backend
) -> None:
    async with service(live_settings, live) as client:
        first = await client.post("/api/chat", json={"question": "why do orders fail?"})
        assert first.status_code == 200, first.text
        body = first.json()
        assert body["status"] == "COMPLETED"
        assert body["report"]["summary"] in body["answer"]
        assert body["report"]["rootCauses"]
        assert body["selfEvaluation"]["rootCauseSupported"] is True
        assert first.headers["Location"] == f"/api/runs/{body['runId']}"
        run = await stored(live, body["runId"])
        assert run.now == live.basis.now, "the recorded incident has the clock"
        again = await client.post("/api/chat", json={"question": "and the database?", "sessionId": body["sessionId"]})
        assert again.json()["sessionId"] == body["sessionId"]
        assert again.json()["runId"] != body["runId"]
        whole = await client.get(f"/api/runs/{body['runId']}")
        assert {**whole.json(), "answer": body["answer"]} == body


async def test_questions_of_one_session_at_the_same_time_stay_apart(live_settings: Settings, live: Backend) -> None:
    async with service(live_settings, live) as client:
        asked = [
            client.post("/api/chat", json={"question": f"why do orders fail? ({number})", "sessionId": "s-1"})
            for number in range(3)
        ]
        answers = [answer.json() for answer in await asyncio.gather(*asked)]
        assert len({answer["runId"] for answer in answers}) == 3
        for number, answer in enumerate(answers):
            trace = (await client.get("/api/diagnosis/s-1/trace", params={"runId": answer["runId"]})).json()
            assert (trace["runId"], trace["question"]) == (answer["runId"], f"why do orders fail? ({number})")
            assert trace["report"] == answer["report"]
        listed = (await client.get("/api/chat/session/s-1/runs")).json()["items"]
        assert {run["runId"] for run in listed} == {answer["runId"] for answer in answers}


async def test_who_does_not_want_to_wait_is_told_where_to_look(live_settings: Settings, live: Backend) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        answer = await client.post("/api/chat", json={"question": "why?"}, headers={"Prefer": "respond-async"})
    body = answer.json()
    assert (answer.status_code, body["status"], body["answer"], body["report"]) == (202, "QUEUED", None, None)
    assert answer.headers["Location"] == f"/api/runs/{body['runId']}"


async def test_a_caller_that_hangs_up_stops_no_run(live_settings: Settings, live: Backend) -> None:
    async with serving(live_settings, live) as client:
        asking = asyncio.create_task(client.post("/api/chat", json={"question": "why do orders fail?"}))
        await wait_until(lambda: len(live.services.runs.inside._runs) == 1)  # type: ignore[attr-defined]
        asking.cancel()
        (run,) = await live.services.runs.list_runs()
        async with working(live):

            async def over() -> bool:
                return (await stored(live, run.run_id)).status is RunStatus.COMPLETED

            await wait_until(over)


async def test_a_server_that_shuts_down_keeps_nobody_waiting(live_settings: Settings, live: Backend) -> None:
    app = create_app(live_settings, live)
    async with client_of(app, timeout=PATIENCE_S) as client:
        asking = asyncio.create_task(client.post("/api/chat", json={"question": "why do orders fail?"}))
        await wait_until(lambda: getattr(app.state, "run_feeds", None) is not None)
        app.state.draining = True
        answer = await asking
    assert (answer.status_code, answer.json()["answer"], answer.json()["status"]) == (202, None, "QUEUED")


async def test_the_same_key_is_the_same_run_also_after_a_restart(live_settings: Settings) -> None:
    body = {"question": "why do orders fail?", "model": "playbook"}
    key = {"Idempotency-Key": "order-66"}
    seen = set()
    for _ in range(2):  # two servers, one database
        backend = await open_backend(live_settings)
        async with service(live_settings, backend) as client:
            answers = await asyncio.gather(*(client.post("/api/chat", json=body, headers=key) for _ in range(3)))
            assert [answer.status_code for answer in answers] == [200, 200, 200], answers[0].text
            seen |= {(answer.json()["runId"], answer.json()["sessionId"]) for answer in answers}
            other = await client.post("/api/chat", json={"question": "something else"}, headers=key)
            assert (other.status_code, other.json()["type"]) == (422, "idempotency-key-reused")
            assert len((await client.get("/api/runs")).json()["items"]) == 1
        await backend.close()
    assert len(seen) == 1


async def test_the_same_key_of_two_owners_is_two_runs(live_settings: Settings, live: Backend) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        found = []
        for owner in ("ana", "ben"):
            headers = {**await keyed(live, owner), "Idempotency-Key": "k", "Prefer": "respond-async"}
            found.append((await client.post("/api/chat", json={"question": "why?"}, headers=headers)).json()["runId"])
    assert found[0] != found[1]


async def test_a_foreign_session_is_an_absent_one(live_settings: Settings, live: Backend) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        ana, ben = await keyed(live, "ana"), await keyed(live, "ben")
        asked = {"question": "why?"}
        mine = await client.post("/api/chat", json=asked, headers={**ana, "Prefer": "respond-async"})
        session = mine.json()["sessionId"]
        for path in ("/api/chat", "/api/ai_ops"):
            answers = []
            for name in (session, "ses-none"):
                how: dict[str, Any] = (
                    {"json": {**asked, "sessionId": name}} if path == "/api/chat" else {"params": {"sessionId": name}}
                )
                answer = await client.post(path, headers={**ben, "Prefer": "respond-async"}, **how)
                shown = answer.json() | {"requestId": None}
                answers.append((answer.status_code, json.dumps(shown).replace(name, "NAME")))
            assert answers[0] == answers[1]
            assert answers[0][0] == 404
        assert len((await client.get("/api/runs", headers=ben)).json()["items"]) == 0


async def test_a_session_name_of_ones_own_is_taken_where_there_are_no_keys(
    live_settings: Settings, live: Backend
) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        body = {"question": "why?", "sessionId": "shift-7"}
        answer = await client.post("/api/chat", json=body, headers={"Prefer": "respond-async"})
        assert (answer.status_code, answer.json()["sessionId"]) == (202, "shift-7")


@pytest.mark.parametrize(
    "body",
    [{}, {"question": ""}, {"question": "  \n"}, {"question": "x" * 8_001}, {"question": "why?", "sessionId": "a b"},
     {"question": "why?", "model": "openai:gpt-99"}, {"question": ["why?"]}],
)  # fmt: skip
async def test_a_question_that_is_none_is_refused_and_begins_nothing(
    live_settings: Settings, live: Backend, body: dict[str, Any]
) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        answer = await client.post("/api/chat", json=body)
        assert (answer.status_code, answer.json()["type"]) == (422, "invalid-request"), answer.text
        assert (await client.get("/api/runs")).json()["items"] == []


async def test_too_many_runs_that_wait_are_told_so(live_settings: Settings, live: Backend) -> None:
    settings = replace(live_settings, worker=WorkerSettings(max_queued=1))
    async with client_of(create_app(settings, live)) as client:
        answers = [
            await client.post("/api/chat", json={"question": "why?"}, headers={"Prefer": "respond-async"})
            for _ in range(2)
        ]
    assert [answer.status_code for answer in answers] == [202, 503]
    assert int(answers[1].headers["Retry-After"]) > 0


async def test_a_credential_in_a_question_reaches_nothing(live_settings: Settings, live: Backend) -> None:
    async with service(live_settings, live) as client:
        asked = f"why does the login with password={CANARY} from 10.1.2.3 fail?"
        answer = await client.post("/api/chat", json={"question": asked})
        assert CANARY not in answer.text
        assert "10.1.2.3" in answer.json()["question"]
        trace = await client.get(f"/api/diagnosis/{answer.json()['sessionId']}/trace")
        assert CANARY not in trace.text
    assert CANARY not in repr(await live.services.runs.load(answer.json()["runId"]))


# -- streams -------------------------------------------------------------------------------------------------------


async def messages(client: httpx2.AsyncClient, path: str, **request: Any) -> list[dict[str, Any]]:
    async with client.stream("POST", path, **request) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        found = [event async for event in events_of(response)]
    assert {(event.name, event.id) for event in found} == {("message", None)}
    for event in found:
        ConversationMessage.model_validate(event.data)
    return [event.data for event in found]


async def test_a_streamed_answer_begins_with_its_ids_and_ends_once(live_settings: Settings, live: Backend) -> None:
    async with serving(live_settings, live) as client, working(live):
        asked = {"json": {"question": "why do orders fail?"}, "headers": {"Accept": "text/event-stream"}}
        found = await messages(client, "/api/chat", **asked)
        kinds = [each["type"] for each in found]
        assert kinds[0] == "metadata"
        assert set(kinds[1:-1]) == {"content"}
        assert kinds[-1] == "done"
        run = await stored(live, found[0]["runId"])
        assert found[0]["sessionId"] == run.session_id
        text = "".join(each["delta"] for each in found[1:-1])
        assert found[-1]["report"]["summary"] in text
        assert (await client.get(found[0]["runUrl"])).json()["report"] == found[-1]["report"]


async def test_an_alert_makes_a_targeted_run_and_a_client_that_ignores_metadata_reads_the_report(
    live_settings: Settings, live: Backend
) -> None:
    async with serving(live_settings, live) as client, working(live):
        found = await messages(client, "/api/ai_ops", json=ALERT)
        assert found[0]["type"] == "metadata"
        old_client = "".join(each.get("delta", "") for each in found if each["type"] == "content")
        assert old_client.strip()
        run = await stored(live, found[0]["runId"])
        assert (run.mode, run.service, run.severity) == (RunMode.PAYLOAD_TARGETED, "order-service", "critical")
        (kept,) = run.sources["payload"]
        assert kept["labels"]["pod"] == "orders-7f9"
        assert "10.1.2.3" in kept["annotations"]["description"]
        assert CANARY not in repr(await live.services.runs.load(run.run_id))
        assert CANARY not in json.dumps(found)
        again = open_inputs(live_settings, SourceSpec.from_json(run.sources))
        assert [alert.name for alert in again.sources.payload] == ["PoolFull"]
        assert again.sources.logs is not None, "the recorded incident is looked at"


@pytest.mark.parametrize("content", [b"", b"{}", b"null"])
async def test_no_alert_is_a_look_at_everything(live_settings: Settings, live: Backend, content: bytes) -> None:
    async with serving(live_settings, live) as client, working(live):
        found = await messages(client, "/api/ai_ops", content=content, headers={"Content-Type": "application/json"})
        run = await stored(live, found[0]["runId"])
        assert (run.mode, run.sources["payload"], found[-1]["status"]) == (RunMode.AUTO_DISCOVERY, [], "COMPLETED")


@pytest.mark.parametrize("content", [b"[1]", b'{"hello": "world"}', b"no json", b'{"type":"url_verification"}'])
async def test_a_payload_that_is_no_alert_is_refused(live_settings: Settings, live: Backend, content: bytes) -> None:
    async with client_of(create_app(live_settings, live)) as client:
        answer = await client.post("/api/ai_ops", content=content)
        assert (answer.status_code, answer.json()["type"]) == (422, "invalid-request"), answer.text
        assert (await client.get("/api/runs")).json()["items"] == []


def test_pieces_make_the_text_again() -> None:
    text = "one two\n\n  three " + "x" * 500 + " four\n" + "word " * 200
    assert "".join(pieces(text)) == text
    assert len(list(pieces(text))) > 3
    assert list(pieces("")) == []


def test_the_examples_are_what_is_sent() -> None:
    ChatAnswerView.model_validate(CHAT_ANSWER)
    for message in MESSAGES.values():
        ConversationMessage.model_validate(message)
