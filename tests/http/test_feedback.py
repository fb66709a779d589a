"""Feedback over HTTP: binding, repeats, refusals, history, owners."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from rootproof.diagnosis.backend import Backend
from rootproof.domain.run import Run
from rootproof.ports.run_store import RunStore
from tests.core.canaries import Canaries
from tests.feedback.runs import finished, started


def path(run: Run) -> str:
    return f"/api/diagnosis/{run.session_id}/feedback"


@pytest.fixture
def runs(backend: Backend) -> RunStore:
    return backend.services.runs


async def given(client: httpx2.AsyncClient, run: Run, **body: Any) -> dict[str, Any]:
    answer = await client.post(path(run), json=body)
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


async def test_feedback_on_a_named_run(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    await finished(runs, session_id=run.session_id)
    kept = await given(
        ana,
        run,
        runId=run.run_id,
        verdict="WRONG_CAUSE",
        comment="no",
        correctedCause="it was dns",
        claimMarks={"C1": "WRONG"},
    )
    assert kept["resolvedBy"] == "run_id"
    assert (kept["runId"], kept["sessionId"]) == (run.run_id, run.session_id)
    assert (kept["verdict"], kept["correctedCause"], kept["claimMarks"]) == (
        "WRONG_CAUSE",
        "it was dns",
        {"C1": "WRONG"},
    )
    rows = await runs.load(run.run_id)
    assert rows is not None
    assert rows.run.feedback is not None
    assert rows.run.feedback["feedbackId"] == kept["feedbackId"]


async def test_without_a_run_id_the_latest_run_is_bound_whatever_was_touched_last(
    ana: httpx2.AsyncClient, runs: RunStore
) -> None:
    old = await finished(runs)
    new = await finished(runs, session_id=old.session_id)
    await given(ana, old, runId=old.run_id, verdict="UNCLEAR")
    kept = await given(ana, old, verdict="HELPFUL")
    assert (kept["resolvedBy"], kept["runId"]) == ("latest_run", new.run_id)
    history = (await ana.get(path(old))).json()
    assert (history["resolvedBy"], history["runId"]) == ("latest_run", new.run_id)
    assert [row["verdict"] for row in history["items"]] == ["HELPFUL"]


@pytest.mark.parametrize(("helpful", "verdict"), [(True, "HELPFUL"), (False, "NOT_HELPFUL")])
async def test_the_mvps_body_is_taken(ana: httpx2.AsyncClient, runs: RunStore, helpful: bool, verdict: str) -> None:
    run = await finished(runs)
    kept = await given(ana, run, helpful=helpful, comment="ok")
    assert (kept["verdict"], kept["comment"], kept["resolvedBy"]) == (verdict, "ok", "latest_run")
    assert kept["caseId"] is None
    assert bool(kept["caseProblem"]) is helpful, "a helpful run would become a case, and this one has no cause"


async def test_a_run_under_way_answers_409(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await started(runs)
    answer = await ana.post(path(run), json={"verdict": "HELPFUL"})
    assert answer.status_code == 409
    assert answer.json()["type"] == "conflict"
    assert "QUEUED" in answer.json()["detail"]


async def test_a_foreign_run_answers_as_an_absent_one(
    ana: httpx2.AsyncClient, ben: httpx2.AsyncClient, runs: RunStore
) -> None:
    mine = await finished(runs)
    theirs = await finished(runs, owner="ben")
    other = await finished(runs)
    await given(ben, theirs, verdict="HELPFUL")
    body = {"verdict": "HELPFUL"}
    pairs = [
        (await ana.post(path(theirs), json=body), await ana.post("/api/diagnosis/ses-none/feedback", json=body)),
        (await ana.get(path(theirs)), await ana.get("/api/diagnosis/ses-none/feedback")),
        (
            await ana.post(path(mine), json={**body, "runId": theirs.run_id}),
            await ana.post(path(mine), json={**body, "runId": "run-none"}),
        ),
        (
            await ana.get(path(mine), params={"runId": theirs.run_id}),
            await ana.get(path(mine), params={"runId": "run-none"}),
        ),
        # A run of the same owner in another session is not in this one either.
        (
            await ana.get(path(mine), params={"runId": other.run_id}),
            await ana.get(path(mine), params={"runId": "run-none"}),
        ),
    ]
    for foreign, absent in pairs:
        assert foreign.status_code == absent.status_code == 404
        assert _anonymous(foreign, theirs, other) == _anonymous(absent, theirs, other)
    assert (await ben.get(path(theirs))).json()["items"] != []


def _anonymous(answer: httpx2.Response, *runs: Run) -> str:
    text = str({name: value for name, value in answer.json().items() if name != "requestId"})
    for run in runs:
        text = text.replace(run.run_id, "run-none").replace(run.session_id, "ses-none")
    return text


async def test_a_key_counts_once_in_body_or_header(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    first = await ana.post(path(run), json={"verdict": "UNCLEAR", "idempotencyKey": "k1"})
    newer = await finished(runs, session_id=run.session_id)
    again = await ana.post(path(run), json={"verdict": "UNCLEAR"}, headers={"Idempotency-Key": "k1"})
    assert first.json() == again.json()
    assert first.json()["runId"] == run.run_id
    other = await ana.post(path(run), json={"verdict": "HELPFUL", "idempotencyKey": "k1"})
    assert other.status_code == 409
    both = await ana.post(
        path(run), json={"verdict": "UNCLEAR", "idempotencyKey": "k1"}, headers={"Idempotency-Key": "k2"}
    )
    assert both.status_code == 422
    assert (await ana.get(path(run), params={"runId": newer.run_id})).json()["items"] == []


async def test_history_is_kept_and_the_run_shows_the_latest(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    for verdict in ("UNCLEAR", "UNCLEAR", "NOT_HELPFUL"):
        await given(ana, run, verdict=verdict)
    items = (await ana.get(path(run))).json()["items"]
    assert [row["verdict"] for row in items] == ["UNCLEAR", "NOT_HELPFUL"]
    rows = await runs.load(run.run_id)
    assert rows is not None
    assert rows.run.feedback is not None
    assert rows.run.feedback["feedbackId"] == items[-1]["feedbackId"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "verdict"),
        ({"verdict": "HELPFUL", "helpful": True}, "only one"),
        ({"verdict": "GREAT"}, "verdict"),
        ({"helpful": "maybe"}, "helpful"),
        ({"verdict": "HELPFUL", "comment": "x" * 4_001}, "comment"),
        ({"verdict": "HELPFUL", "correctedCause": "x" * 501}, "correctedCause"),
        ({"verdict": "HELPFUL", "claimMarks": {"C9": "WRONG"}}, "'C9'"),
        ({"verdict": "HELPFUL", "claimMarks": {"C1": "MEH"}}, "claimMarks"),
        ({"verdict": "HELPFUL", "idempotencyKey": ""}, "idempotencyKey"),
    ],
)
async def test_what_cannot_be_taken_says_what_to_change(
    ana: httpx2.AsyncClient, runs: RunStore, body: dict[str, Any], named: str
) -> None:
    run = await finished(runs)
    answer = await ana.post(path(run), json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "invalid-request"
    assert named in answer.text
    assert (await ana.get(path(run))).json()["items"] == []


async def test_no_secret_comes_back_or_is_kept(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    canaries = Canaries()
    answers = []
    for words in canaries.all_in("http").values():
        body = {"verdict": "WRONG_CAUSE", "comment": words, "correctedCause": f"it used {words}"[:500]}
        answers.append((await ana.post(path(run), json=body)).text)
        answers.append((await ana.post(path(run), json={**body, "claimMarks": {words: "WRONG"}})).text)
    answers.append((await ana.get(path(run))).text)
    rows = await runs.load(run.run_id)
    assert canaries.found_in("\n".join(answers) + repr(rows)) == []


async def test_odd_ids_are_absent(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    for odd in ("x" * 200, "%00", "%F0%9F%A6%8A", "' OR 1=1"):
        assert (await ana.get(f"/api/diagnosis/{odd}/feedback")).status_code == 404
        assert (await ana.get(path(run), params={"runId": odd})).status_code == 404


async def test_reading_needs_read_and_giving_needs_diagnose(
    app: Any, backend: Backend, clock: Any, runs: RunStore
) -> None:
    from rootproof.domain.api_key import Scope
    from tests.http.conftest import client_of, stored_key

    run = await finished(runs)
    async with client_of(app, await stored_key(backend, clock, "ana", Scope.READ)) as reader:
        assert (await reader.get(path(run))).status_code == 200
        assert (await reader.post(path(run), json={"verdict": "HELPFUL"})).status_code == 403
