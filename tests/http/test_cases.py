"""Cases over HTTP: made, listed, read with their uses, revoked; owners apart."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from rootproof.diagnosis.backend import Backend
from rootproof.domain.case import Case, CaseUse
from rootproof.ports.run_store import RunStore
from tests.cases.worlds import a_case
from tests.contracts.conftest import T0
from tests.core.canaries import Canaries
from tests.feedback.runs import finished

CORRECTED = {"verdict": "MISSING_CAUSE", "correctedCause": "the pool of orders was set to 5"}


@pytest.fixture
def runs(backend: Backend) -> RunStore:
    return backend.services.runs


async def made(client: httpx2.AsyncClient, runs: RunStore, owner: str = "ana", **body: Any) -> dict[str, Any]:
    """A case over HTTP, of a run whose cause was corrected."""
    run = await finished(runs, owner)
    said = await client.post(f"/api/diagnosis/{run.session_id}/feedback", json=CORRECTED)
    assert said.status_code == 200
    answer = await client.post("/api/cases", json={"runId": run.run_id, **body})
    assert answer.status_code == 200, answer.text
    case: dict[str, Any] = answer.json()
    return case


async def stored(backend: Backend, **changes: Any) -> Case:
    return await backend.cases.add(a_case(**changes))


async def test_a_corrected_run_becomes_a_case(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    case = await made(ana, runs, solution="set it to 50", title="Pool too small", causeId="connection_pool_exhausted")
    assert case["rootCause"] == "the pool of orders was set to 5"
    assert (case["title"], case["solution"], case["causeId"]) == (
        "Pool too small",
        "set it to 50",
        "connection_pool_exhausted",
    )
    again = await ana.post("/api/cases", json={"runId": case["diagnosisId"], "title": "other"})
    assert again.json() == case
    read = (await ana.get(f"/api/cases/{case['caseId']}")).json()
    assert read == {**case, "usedBy": []}


async def test_feedback_can_make_the_case_at_once(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    path = f"/api/diagnosis/{run.session_id}/feedback"
    first = (await ana.post(path, json={**CORRECTED, "makeCase": True})).json()
    again = (await ana.post(path, json={**CORRECTED, "makeCase": True})).json()
    assert first == again
    assert first["caseId"]
    assert [case["caseId"] for case in (await ana.get("/api/cases")).json()["items"]] == [first["caseId"]]


async def test_a_run_without_the_feedback_it_needs_answers_409(ana: httpx2.AsyncClient, runs: RunStore) -> None:
    run = await finished(runs)
    answer = await ana.post("/api/cases", json={"runId": run.run_id})
    assert answer.status_code == 409
    assert "HELPFUL, or WRONG_CAUSE or MISSING_CAUSE" in answer.json()["detail"]
    await ana.post(f"/api/diagnosis/{run.session_id}/feedback", json={"verdict": "HELPFUL"})
    answer = await ana.post("/api/cases", json={"runId": run.run_id})
    assert answer.status_code == 409
    assert "names no supported root cause" in answer.json()["detail"]


async def test_cases_are_paged_newest_first(ana: httpx2.AsyncClient, backend: Backend) -> None:
    cases = [await stored(backend, diagnosis_id=f"run-{number}") for number in range(5)]
    await stored(backend, owner="ben")
    seen, cursor, pages = [], None, 0
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await ana.get("/api/cases", params=query)).json()
        seen += [case["caseId"] for case in page["items"]]
        pages += 1
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == [case.case_id for case in reversed(cases)]
    assert pages == 3
    assert (await ana.get("/api/cases", params={"cursor": "nonsense"})).status_code == 422
    assert (await ana.get("/api/cases", params={"limit": "0"})).status_code == 422


async def test_cases_are_found_by_run_id_and_by_the_session_id_of_old_rows(
    ana: httpx2.AsyncClient, backend: Backend, runs: RunStore
) -> None:
    run = await finished(runs)
    old = await stored(backend, diagnosis_id=run.session_id)
    new = await stored(backend, diagnosis_id=run.run_id)
    await stored(backend, diagnosis_id="run-other")
    await stored(backend, diagnosis_id=run.session_id, owner="ben")

    async def found(diagnosis: str) -> set[str]:
        page = (await ana.get("/api/cases", params={"diagnosisId": diagnosis})).json()
        return {case["caseId"] for case in page["items"]}

    assert await found(run.run_id) == {old.case_id, new.case_id}
    assert await found(run.session_id) == {old.case_id}
    assert await found("run-none") == set()


async def test_a_case_shows_the_runs_that_used_it(ana: httpx2.AsyncClient, backend: Backend) -> None:
    case = await stored(backend)
    await backend.cases.note_use(CaseUse(case.case_id, "run-later", "ses-1", T0))
    used = (await ana.get(f"/api/cases/{case.case_id}")).json()["usedBy"]
    assert used == [{"runId": "run-later", "sessionId": "ses-1", "usedAt": "2026-03-04T05:06:07.123456Z"}]


async def test_a_case_is_revoked_once_and_with_a_reason(ana: httpx2.AsyncClient, backend: Backend) -> None:
    case = await stored(backend)
    path = f"/api/cases/{case.case_id}/revoke"
    for body in ({}, {"reason": ""}, {"reason": "  "}, {"reason": "x" * 1_001}, {"reason": "x", "more": 1}):
        assert (await ana.post(path, json=body)).status_code == 422
    first = await ana.post(path, json={"reason": "the fix removed it"})
    again = await ana.post(path, json={"reason": "another"})
    assert first.json() == again.json()
    assert first.json()["revokeReason"] == "the fix removed it"
    assert (await ana.get("/api/cases")).json()["items"] == []
    listed = (await ana.get("/api/cases", params={"revoked": "true"})).json()["items"]
    assert [one["caseId"] for one in listed] == [case.case_id]
    assert (await ana.get(f"/api/cases/{case.case_id}")).json()["revokedAt"] is not None


async def test_another_owners_case_is_absent(
    ana: httpx2.AsyncClient, ben: httpx2.AsyncClient, backend: Backend, runs: RunStore
) -> None:
    theirs = await stored(backend, owner="ben")
    run = await finished(runs, owner="ben")
    for real, none in (
        (await ana.get(f"/api/cases/{theirs.case_id}"), await ana.get("/api/cases/case-none")),
        (
            await ana.post(f"/api/cases/{theirs.case_id}/revoke", json={"reason": "x"}),
            await ana.post("/api/cases/case-none/revoke", json={"reason": "x"}),
        ),
        (
            await ana.post("/api/cases", json={"runId": run.run_id}),
            await ana.post("/api/cases", json={"runId": "run-none"}),
        ),
    ):
        assert real.status_code == none.status_code == 404
        texts = [answer.json()["detail"] for answer in (real, none)]
        assert texts[0].replace(theirs.case_id, "case-none").replace(run.run_id, "run-none") == texts[1]
    assert (await ana.get("/api/cases", params={"diagnosisId": theirs.diagnosis_id})).json()["items"] == []
    assert (await ben.get(f"/api/cases/{theirs.case_id}")).json()["revokedAt"] is None


async def test_no_secret_comes_back_or_is_kept(ana: httpx2.AsyncClient, backend: Backend, runs: RunStore) -> None:
    canaries = Canaries()
    answers = []
    for words in canaries.all_in("cases over http").values():
        case = await made(ana, runs, title=f"with {words}"[:255], solution=words)
        answers.append(str(case))
        answers.append((await ana.post(f"/api/cases/{case['caseId']}/revoke", json={"reason": words})).text)
    answers.append((await ana.get("/api/cases", params={"revoked": "true"})).text)
    kept = repr(await backend.cases.page(owner="ana", revoked=True))
    assert canaries.found_in("\n".join(answers) + kept) == []
