"""The whole service by separate processes and two owners: two questions and an alert in one session, traces apart,
feedback on the first run, a case made of it, a later run that is shown the case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rootproof.scenarios import scenario_path
from tests.contracts.sql_servers import ServerDatabases
from tests.fakes.service_process import Client, Service, running
from tests.service.redis_url import redis_url

QUESTION = "Why do requests to order-intake fail?"
FOLLOW_UP = "And which change came before it?"
CANARY = "Zq7canary9Xw3secret5Lm1"
ALERT = {
    "version": "4",
    "groupKey": '{}:{alertname="OrderIntakeErrors"}',
    "status": "firing",
    "receiver": "rootproof",
    "groupLabels": {"alertname": "OrderIntakeErrors"},
    "commonLabels": {"alertname": "OrderIntakeErrors", "service": "order-intake", "severity": "critical"},
    "commonAnnotations": {"summary": f"order-intake answers 5xx; login with password={CANARY}"},
    "externalURL": "http://alertmanager.example",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "OrderIntakeErrors", "service": "order-intake", "severity": "critical"},
            "annotations": {"summary": f"order-intake answers 5xx; login with password={CANARY}"},
            "startsAt": "2026-05-12T14:20:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "fingerprint": "5f1c2a7b9d3e4f60",
        }
    ],
}


@pytest.fixture(params=["embedded", "mariadb and redis"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    settings = {"ROOTPROOF_SOURCES_BUNDLE": str(scenario_path("order-pool-leak"))}
    databases = ServerDatabases()
    if request.param != "embedded":
        settings |= {"ROOTPROOF_STORE_URL": databases.url("mysql"), "ROOTPROOF_REDIS_URL": redis_url()}
    with running(tmp_path, **settings) as found:
        yield found
    databases.drop_all()


@pytest.mark.timeout(240)
def test_a_session_of_three_runs_their_feedback_and_a_case_that_a_later_run_is_shown(service: Service) -> None:
    key, foreign, admin = service.key("alice"), service.key("bob"), service.key("alice", "admin", "diagnose", "read")
    address, process = service.serve()
    alice, bob = service.client(address, key), service.client(address, foreign)

    first = alice.post("/api/chat", {"question": f"{QUESTION} password={CANARY}"})
    session = first["sessionId"]
    second = alice.post("/api/chat", {"sessionId": session, "question": FOLLOW_UP})
    messages = alice.events(f"/api/ai_ops?sessionId={session}", ALERT)
    third = messages[0].json
    assert third["type"] == "metadata"
    assert third["sessionId"] == second["sessionId"] == session
    ids = [first["runId"], second["runId"], third["runId"]]
    assert len(set(ids)) == 3

    traces_are_apart(alice, session, ids)
    latest_run_is_bound_and_told(alice, session, ids)
    feedback_and_case(alice, session, ids[0])
    nobody_else_sees_anything(bob, session, ids)

    process.terminate()
    assert process.wait(40) == 0, service.words()
    address, _ = service.serve()
    again, administrator = service.client(address, key), service.client(address, admin)
    later_run_is_shown_the_case(again, administrator)
    secrets_are_nowhere(service, again, session, ids)
    service.rootproof("db", "check")


def traces_are_apart(alice: Client, session: str, ids: list[str]) -> None:
    seen: set[tuple[str, int]] = set()
    for run_id in ids:
        trace = alice.get(f"/api/diagnosis/{session}/trace", runId=run_id)
        assert (trace["runId"], trace["resolvedBy"]) == (run_id, "run_id")
        numbers = [(run_id, step["stepNo"]) for step in trace["steps"]]
        assert len(numbers) == len(set(numbers)) > 3
        assert not seen & set(numbers)
        seen |= set(numbers)
        assert [step["kind"] for step in trace["steps"]].count("END") == 1
        assert trace["steps"][0]["kind"] == "BRIEFING"
    listed = alice.get(f"/api/chat/session/{session}/runs")["items"]
    assert [item["runId"] for item in listed] == ids[::-1]
    assert all(item["status"] == "COMPLETED" for item in listed)


def latest_run_is_bound_and_told(alice: Client, session: str, ids: list[str]) -> None:
    trace = alice.get(f"/api/diagnosis/{session}/trace")
    assert (trace["runId"], trace["resolvedBy"]) == (ids[2], "latest_run")


def feedback_and_case(alice: Client, session: str, run_id: str) -> None:
    said = {"runId": run_id, "verdict": "HELPFUL", "comment": f"right; token={CANARY}"}
    one = alice.post(f"/api/diagnosis/{session}/feedback", said)
    two = alice.post(f"/api/diagnosis/{session}/feedback", said)
    assert one["feedbackId"] == two["feedbackId"]
    # Feedback touched the oldest run: the newest one is still the newest.
    assert alice.get(f"/api/diagnosis/{session}/trace")["runId"] != run_id
    case = alice.post("/api/cases", {"runId": run_id})
    assert case["diagnosisId"] == run_id
    assert case["rootCause"]


def nobody_else_sees_anything(bob: Client, session: str, ids: list[str]) -> None:
    for path in (f"/api/runs/{ids[0]}", f"/api/runs/{ids[0]}/events", f"/api/diagnosis/{session}/trace"):
        assert bob.status("GET", path) == 404
    assert bob.status("POST", f"/api/diagnosis/{session}/feedback", json={"verdict": "HELPFUL"}) == 404
    assert bob.status("POST", "/api/chat", json={"sessionId": session, "question": "what happened?"}) == 404
    for path in ("/api/runs", "/api/cases", "/api/incidents", "/api/chat/sessions"):
        assert bob.get(path)["items"] == []


def later_run_is_shown_the_case(alice: Client, administrator: Client) -> None:
    case = alice.get("/api/cases")["items"][0]
    later = alice.post("/api/chat", {"question": "order-intake fails again: connection leak of its pool?"})
    memory = [item for item in later["evidence"] if item["class"] == "MEMORY"]
    assert any(case["caseId"] in json.dumps(item) for item in memory), later["evidence"]
    used = alice.get(f"/api/cases/{case['caseId']}")["usedBy"]
    assert later["runId"] in [use["runId"] for use in used]
    memory_ids = {item["id"] for item in memory}
    for claim in later["report"]["claims"]:
        if claim["kind"] == "CAUSE" and claim["verdict"] == "SUPPORTED":
            assert not {cite["evidenceId"] for cite in claim["citations"]} <= memory_ids
    raw = administrator.status("GET", f"/api/runs/{later['runId']}/raw/1.0")
    assert raw in (200, 404)
    assert alice.status("GET", f"/api/runs/{later['runId']}/raw/1.0") == 403


def secrets_are_nowhere(service: Service, alice: Client, session: str, ids: list[str]) -> None:
    for run_id in ids:
        for path in (f"/api/runs/{run_id}", f"/api/diagnosis/{session}/trace"):
            assert CANARY not in json.dumps(alice.get(path, **({"runId": run_id} if "trace" in path else {})))
    assert CANARY not in service.words()
    for file in service.folder.rglob("*"):
        if file.is_file():
            assert CANARY.encode() not in file.read_bytes(), file
