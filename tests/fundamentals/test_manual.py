"""How Rootproof works, one idea a test: real objects, no mocks. Read from top to bottom."""

from __future__ import annotations

import json

from rootproof.aci.identifiers import IdentifierMap
from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.scripted_model import ScriptedModel, calls
from rootproof.agent.commands import AskModel, Brief
from rootproof.agent.grounding.check import check_claims
from rootproof.agent.loop import decide
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.agent.state import fold
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.present import run_view
from rootproof.diagnosis.services import Services
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RUN_TRANSITIONS, Run, RunMode, RunStatus, is_terminal
from rootproof.domain.step import Agent, StepKind
from rootproof.ports.sources import Sources
from rootproof.skills.builtin import builtin_texts
from rootproof.skills.catalog import Catalog
from tests.fakes.builtin_playbook import BUILTIN
from tests.fakes.driving import NOW
from tests.fakes.sources import FakeLogs, log

SOURCES = Sources(logs=FakeLogs([log("pool main has 20 of 20 connections in use, asked by 10.1.2.3")]))


def services(model: object) -> Services:
    return Services(
        InMemoryRunStore(FixedClock(NOW)), InMemoryCanonicalStore(), FixedClock(NOW), lambda _spec, _skills: model
    )  # type: ignore[arg-type, return-value]


def test_a_run_is_queued_then_running_then_over_for_good() -> None:
    assert RunStatus.RUNNING in RUN_TRANSITIONS[RunStatus.QUEUED]
    assert [status for status in RunStatus if is_terminal(status)] == ["COMPLETED", "FAILED", "CANCELLED"]


def test_the_loop_is_a_function_from_rows_to_the_next_command() -> None:
    run = Run("run-1", "ses-1", "me", RunMode.CHAT, "why is billing slow?", NOW)
    assert decide(fold(run, [], []), RunLimits(), elapsed_s=0) == Brief()


def test_a_model_sees_placeholders_and_its_requests_are_resolved() -> None:
    known = IdentifierMap()
    assert known.redact("10.1.2.3 refused, password=Hunter2Hunter2") == "<ip:1> refused, password=<secret:password:1>"
    assert known.resolve("<ip:1>") == "10.1.2.3"
    assert known.resolve("<secret:password:1>") == "<secret:password:1>"


def test_code_checks_every_claim_against_what_it_cites() -> None:
    seen = {
        "E1": Evidence("E1", EvidenceClass.OBSERVATION, "query_logs", "", "pool main has 20 of 20 connections in use")
    }
    told = {"E1": Evidence("E1", EvidenceClass.GUIDANCE, "lookup_knowledge", "", "a full pool is caused by a leak")}
    true = Claim("C1", ClaimKind.SYMPTOM, "Pool main has 20 of 20 connections in use.", (Citation("E1"),))
    false = Claim("C2", ClaimKind.SYMPTOM, "Pool main has 3 of 20 connections in use.", (Citation("E1"),))
    guess = Claim("C3", ClaimKind.CAUSE, "A full pool is caused by a leak.", (Citation("E1"),))
    unbacked = Claim("C4", ClaimKind.SYMPTOM, "Pool main has 20 of 20 connections in use.")
    verdicts = [item.verdict for item in check_claims([true, false, unbacked], seen, ())]
    assert verdicts[0] is Verdict.SUPPORTED
    assert verdicts[1] is not Verdict.SUPPORTED
    assert verdicts[2] is Verdict.NO_EVIDENCE
    assert check_claims([guess], told, ())[0].verdict is Verdict.NO_EVIDENCE, "guidance can never confirm a cause"


async def test_planner_executor_verifier_report() -> None:
    cause = {
        "kind": "CAUSE",
        "text": "Pool main has 20 of 20 connections in use.",
        "citations": [{"evidence_id": "E2", "quote": "20 of 20 connections in use"}],
        "cause_id": "connection_pool_exhausted",
        "category": "RESOURCE_EXHAUSTION",
        "objects": ["app/billing-api"],
    }
    model = ScriptedModel(
        {
            Agent.PLANNER: [calls(("submit_plan", {"intent": "INCIDENT", "skills": []}))],
            Agent.EXECUTOR: [
                calls(("query_logs", {"topic": "APPLICATION"})),
                calls(("submit_report", {"summary": "The pool is full.", "claims": [cause]})),
            ],
            Agent.VERIFIER: [calls(("submit_verdicts", {"lower": []}))],
        }
    )
    stores = services(model)
    run = await start_run(stores, RunRequest("why is billing slow?", reasoner="scripted:test", now=NOW))
    rows = await drive_run(stores, run.run_id, SOURCES, Catalog(list(builtin_texts())))

    assert [step.kind for step in rows.steps] == [
        StepKind.BRIEFING,
        StepKind.PLAN,
        StepKind.TURN,
        StepKind.DRAFT,
        StepKind.VERDICTS,
        StepKind.END,
    ]
    view = run_view(rows)
    assert view.report is not None
    assert view.report.root_causes[0].cause_id == "connection_pool_exhausted"
    assert "10.1.2.3" in view.evidence[1].text, "the owner sees identifiers again"
    assert "10.1.2.3" not in rows.invocations[0].result, "the model did not"


async def test_the_playbook_reasoner_needs_no_key_and_no_network() -> None:
    stores = services(PlaybookModel(BUILTIN))
    run = await start_run(stores, RunRequest("why is billing slow?", now=NOW))
    rows = await drive_run(stores, run.run_id, SOURCES, Catalog(list(builtin_texts())))
    assert rows.run.status is RunStatus.COMPLETED
    assert rows.invocations


async def test_the_rows_are_the_run_and_folding_them_is_the_state() -> None:
    stores = services(PlaybookModel(BUILTIN))
    run = await start_run(stores, RunRequest("why is billing slow?", now=NOW))
    rows = await drive_run(stores, run.run_id, SOURCES, Catalog(list(builtin_texts())))
    for count in range(len(rows.steps)):
        half = fold(rows.run, rows.steps[:count], rows.invocations)
        command = decide(half, RunLimits(), elapsed_s=0)
        assert command is not None, "a run is over when its END step is stored, and not before"
        assert count == 0 or not isinstance(command, Brief)
    assert decide(fold(rows.run, rows.steps, rows.invocations), RunLimits(), elapsed_s=0) is None
    assert isinstance(decide(fold(rows.run, rows.steps[:1], ()), RunLimits(), 0), AskModel)
    assert json.dumps(rows.run.report), "what is stored is plain JSON"
