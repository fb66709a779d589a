"""Evidence of an earlier run is cited only where the question names the run, and proves no cause by itself."""

from __future__ import annotations

import pytest

from rootproof.adapters.memory.recorded import Echo
from rootproof.adapters.memory.scripted_model import calls
from rootproof.agent.grounding.check import check_claim, check_claims
from rootproof.bootstrap import replay_stage
from rootproof.diagnosis.export_bundle import export_bundle
from rootproof.diagnosis.present import ClaimView, run_view
from rootproof.diagnosis.replay import replay_run
from rootproof.diagnosis.verify_report import read_report
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.step import Agent
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from tests.fakes.conversing import Talk, briefing_of, first_message, shown, talk
from tests.fakes.driving import claim, report
from tests.fakes.sources import FakeLogs, log

ORIGIN = "the evidence of earlier runs that the question names"
POOL = "pool 'main' has 20 of 20 connections in use, 7 callers waiting on 10.20.30.40"
TOLD = "The pool 'main' has 20 of 20 connections in use."
LOOK = calls(("query_logs", {"topic": "APPLICATION", "lookback_minutes": 60}))
FULL = report(claim(TOLD, "E2", kind="CAUSE", cause_id="pool_full"), summary=TOLD)
FIRST = "run-11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
TWIN = "run-11111111-bbbb-4bbb-8bbb-bbbbbbbbbbbb"


async def begun() -> Talk:
    session = talk(Sources(logs=FakeLogs([log(POOL)])))
    await session.ask("why is billing slow?", [LOOK, FULL], run_id=FIRST)
    return session


def quiet(session: Talk) -> None:
    """From now on the sources say nothing of the pool."""
    session.world.sources = Sources(logs=FakeLogs([log("nightly report written", "INFO", "reports")]))


def claims(rows: RunRows) -> list[ClaimView]:
    view = run_view(rows).report
    assert view is not None
    return view.claims


def notes(rows: RunRows) -> list[str]:
    view = run_view(rows).report
    assert view is not None
    return [line.detail for line in view.coverage if line.tool == "session"]


@pytest.mark.parametrize("name", [FIRST, "run-11111111", "RUN-11111111-AAAA"])
async def test_a_named_run_gives_its_evidence(name: str) -> None:
    session = await begun()
    quiet(session)
    rows = await session.ask(
        f"compare now with {name}, please", [LOOK, report(claim(TOLD, f"{FIRST}:E2"), summary="See.")]
    )
    given = shown(first_message(session.requests, Agent.EXECUTOR), ORIGIN)
    assert given.startswith(f"{FIRST}:E2 OBSERVATION query_logs: ")
    assert "10.20.30.40" not in given
    assert "<ip:1>" in given
    assert claims(rows)[0].verdict is Verdict.SUPPORTED
    assert notes(rows) == []
    evidence = {item.id: item for item in run_view(rows).evidence}
    assert "10.20.30.40" in evidence[f"{FIRST}:E2"].text
    assert not any("why is billing slow" in item.text for item in evidence.values())


async def test_what_the_question_does_not_name_cannot_be_cited() -> None:
    session = await begun()
    rows = await session.ask("compare now with before", [LOOK, report(claim(TOLD, f"{FIRST}:E2"), summary="See.")])
    assert shown(first_message(session.requests, Agent.EXECUTOR), ORIGIN) == ""
    found = claims(rows)[0]
    assert found.verdict is Verdict.NO_EVIDENCE
    assert "names that run" in found.reasons[0]
    assert f"{FIRST}:E2" in found.reasons[0]


@pytest.mark.parametrize("wanted", ["absent", "another session's", "another owner's"])
async def test_a_run_that_is_not_of_the_session_is_not_there(wanted: str) -> None:
    session = await begun()
    match wanted:
        case "absent":
            asking, name = session, "run-99999999-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
        case "another session's":
            asking, name = session.beside(session="ses-other"), FIRST
        case _:
            asking, name = session.beside(session="ses-theirs", owner="bob"), FIRST
    rows = await asking.ask(f"what did {name} find?", [LOOK, report(claim(TOLD, f"{FIRST}:E2"), summary="See.")])
    assert notes(rows) == [f"there is no run {name} in this session"]
    told = shown(first_message(asking.requests, Agent.PLANNER), "what there is not of this session")
    assert told == f"there is no run {name} in this session"
    assert "earlier" not in briefing_of(rows).output
    if asking is not session:
        assert "20 of 20" not in str(first_message(asking.requests, Agent.PLANNER))


async def test_a_short_id_of_two_runs_opens_neither() -> None:
    session = await begun()
    await session.ask("why is billing slow?", [LOOK, FULL], run_id=TWIN)
    rows = await session.ask("what did run-11111111 find?", [LOOK, FULL])
    assert notes(rows) == ["2 runs of this session begin with run-11111111: give the whole id of one"]
    assert "earlier" not in briefing_of(rows).output


async def test_a_run_that_goes_on_gives_nothing_yet() -> None:
    session = await begun()
    waiting = await session.begin("and now?", [LOOK, FULL], run_id=TWIN)
    rows = await session.ask(f"what did {waiting} find?", [LOOK, FULL])
    assert notes(rows) == [f"run {waiting} of this session has not ended: nothing of it can be cited yet"]


async def test_a_run_without_supported_claims_gives_nothing() -> None:
    session = talk(Sources(logs=FakeLogs([log(POOL)])))
    await session.ask("why?", [LOOK, report(claim("The pool has 99 of 99 connections.", "E2"))], run_id=FIRST)
    rows = await session.ask(f"what did {FIRST} find?", [LOOK, FULL])
    assert notes(rows) == [f"run {FIRST} of this session has no supported claim whose evidence could be cited"]


async def test_evidence_is_not_handed_on_from_run_to_run() -> None:
    session = await begun()
    quiet(session)
    await session.ask(f"was {FIRST} right?", [LOOK, report(claim(TOLD, f"{FIRST}:E2"))], run_id=TWIN)
    rows = await session.ask(f"was {TWIN} right?", [LOOK, report(claim(TOLD, f"{FIRST}:E2"))])
    assert "earlier" not in briefing_of(rows).output
    assert claims(rows)[0].verdict is Verdict.NO_EVIDENCE


async def test_a_cause_needs_to_be_seen_again() -> None:
    session = await begun()
    quiet(session)
    cause = claim(TOLD, f"{FIRST}:E2", kind="CAUSE", cause_id="pool_full")
    rows = await session.ask(f"is it as in {FIRST}?", [LOOK, report(cause, summary=TOLD)])
    found = claims(rows)[0]
    assert found.verdict is Verdict.PARTIAL
    assert "this run has not observed it" in found.reasons[0]
    view = run_view(rows)
    assert view.report is not None
    assert view.report.root_causes == []
    assert view.self_evaluation is not None
    assert not view.self_evaluation.root_cause_supported


async def test_a_cause_that_is_seen_again_stands_beside_the_earlier_evidence() -> None:
    session = await begun()
    again = claim(TOLD, f"{FIRST}:E2", "E2", kind="CAUSE", cause_id="pool_full")
    rows = await session.ask(f"is it as in {FIRST}?", [LOOK, report(again, summary=TOLD)])
    assert claims(rows)[0].verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("kind", "own_text", "verdict"),
    [
        (ClaimKind.CAUSE, "reports: nightly report written", Verdict.PARTIAL),
        (ClaimKind.CAUSE, "billing-api ERROR: pool 'main' has 20 of 20 connections in use", Verdict.SUPPORTED),
        (ClaimKind.SYMPTOM, None, Verdict.SUPPORTED),
        (ClaimKind.IMPACT, None, Verdict.SUPPORTED),
    ],
)
def test_what_earlier_evidence_may_support(kind: ClaimKind, own_text: str | None, verdict: Verdict) -> None:
    text = "billing-api ERROR: pool 'main' has 20 of 20 connections in use"
    evidence = {f"{FIRST}:E3": Evidence(f"{FIRST}:E3", EvidenceClass.OBSERVATION, "query_logs", "c", text)}
    cites = [Citation(f"{FIRST}:E3")]
    if own_text is not None:
        evidence["E3"] = Evidence("E3", EvidenceClass.OBSERVATION, "query_logs", "c", own_text)
        cites.append(Citation("E3"))
    checked = check_claim(Claim("C1", kind, TOLD, tuple(cites), cause_id="pool_full"), evidence)
    assert checked.verdict is verdict, checked.reasons


async def test_such_a_run_is_verified_replayed_and_exported() -> None:
    session = await begun()
    quiet(session)
    cause = claim(TOLD, f"{FIRST}:E2", kind="CAUSE", cause_id="pool_full")
    rows = await session.ask(f"as in {FIRST}?", [LOOK, report(claim(TOLD, f"{FIRST}:E2"), cause, summary="See.")])
    view = run_view(rows)
    given = read_report(view.model_dump_json(by_alias=True).encode())
    verified = check_claims(given.claims, given.evidence, given.coverage)
    assert [item.verdict for item in verified] == [Verdict.SUPPORTED, Verdict.PARTIAL]
    replayed = await replay_run(session.world.services, rows, replay_stage, Echo())
    assert (replayed.identical, replayed.prompts_changed) == (True, 0)
    bundle = await export_bundle(session.world.services, rows)
    assert f"as in {FIRST}?" in bundle.files["bundle.toml"]
    assert not any("20 of 20" in text for text in bundle.files.values())
