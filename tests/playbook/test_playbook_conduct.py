"""How the reasoner behaves: plan, calls, abstention, questions, and invariance under renaming and order."""

from __future__ import annotations

import asyncio
import json
import random

import pytest

from rootproof.agent.playbook.commands import likely_meant
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import Draft
from rootproof.domain.skill import SkillInfo
from rootproof.domain.step import Agent
from rootproof.ports.model import ModelRequest
from tests.fakes.builtin_playbook import BUILTIN
from tests.playbook.playbook_case import NOW, Case, causes, steady
from tests.playbook.test_playbook_database import exhausted, lagging, two_faults

SKILLS = (
    SkillInfo("diagnose-database-connections", "Exhausted connection pools and connection limits of databases."),
    SkillInfo("diagnose-oom-memory", "Containers killed for memory, memory limits and leaks."),
    SkillInfo("diagnose-dns-network", "Names that do not resolve, network policies, unreachable services."),
)


def test_planner_picks_the_skill_whose_words_fit() -> None:
    case = Case(skills=SKILLS).alert("The pod was OOMKilled twice.", name="ContainerKilled")
    assert case.plan()["skills"] == ["diagnose-oom-memory"]
    case = Case(skills=SKILLS).alert("Too many clients: connections are at their limit.")
    assert case.plan()["skills"] == ["diagnose-database-connections"]


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How do I fail over MySQL?", "KNOWLEDGE"),
        ("What is the procedure to rotate the signing key?", "KNOWLEDGE"),
        ("Show me the errors in the logs of tern", "INCIDENT"),
        ("What is wrong with tern?", "INCIDENT"),
        ("Why is tern slow?", "INCIDENT"),
        ("Fetch the logs for the last 6 hours of this deployment", "INCIDENT"),
        ("figure out why workload tern in shop is unhealthy?", "INCIDENT"),
    ],
)
def test_intent(question: str, intent: str) -> None:
    assert Case(question=question).plan()["intent"] == intent


def test_skills_are_read_first_and_calls_are_bounded() -> None:
    case = lagging()
    case.skills = SKILLS
    case.diagnose()
    names = [name for name, _ in case.calls]
    assert len([n for n in names if n != "read_skill"]) <= 14
    assert "read_skill" not in names or names[0] == "read_skill"
    assert len({json.dumps(call) for call in case.calls}) == len(case.calls)


def test_a_run_that_must_stop_reports_at_once() -> None:
    case = lagging()
    draft = case.diagnose(limits_note="The budget is used up.")
    assert case.calls == []
    assert causes(draft) == []
    assert not draft.healthy


def test_nothing_seen_is_not_healthy() -> None:
    case = Case().alert("CPU is above 90%.", db_instance="ledger")
    case.broken = {"query_metrics": "TIMEOUT"}
    draft = case.diagnose()
    assert not draft.healthy
    assert causes(draft) == []
    assert draft.summary.startswith("Nothing was read")
    assert "query_metrics" in draft.summary


def test_unknown_errors_are_reported_without_a_cause() -> None:
    draft = (
        Case()
        .alert("Error rate of tern is high.", service="tern")
        .pattern("tern", "frobnication of the widget did not succeed", 40)
        .diagnose()
    )
    assert causes(draft) == []
    assert not draft.healthy
    assert any("frobnication" in claim.text for claim in draft.claims)


def test_an_alert_that_always_fires_is_no_issue() -> None:
    case = Case().alert("An alert that should always be firing to show that the pipeline works.", severity="none")
    draft = case.diagnose()
    assert draft.healthy
    assert "always" in draft.summary


def test_a_threshold_alert_with_real_saturation_is_not_healthy() -> None:
    draft = exhausted().diagnose()
    assert not draft.healthy


def test_knowledge_question_is_answered_with_citations_and_no_cause() -> None:
    case = Case(question="How do I fail over MySQL?")
    case.document(
        "MySQL failover", "To fail over MySQL, stop writes on the primary. Then promote the replica with the tool."
    )
    draft = case.diagnose()
    assert causes(draft) == []
    assert {name for name, _ in case.calls} == {"lookup_knowledge"}
    assert any("promote the replica" in claim.text and claim.citations for claim in draft.claims)


def test_knowledge_question_without_an_answer_says_what_was_searched() -> None:
    case = Case(question="How do I tune the espresso machine?")
    case.document("MySQL failover", "To fail over MySQL, stop writes on the primary.")
    draft = case.diagnose()
    assert draft.claims == ()
    assert "1 documents were searched" in draft.summary


def test_lookup_lists_each_kind_of_error_once_with_its_count() -> None:
    draft = (
        Case(question="Show me the errors in the logs of tern")
        .pattern("tern", "login failed: identity certificate expired", 12)
        .pattern("osprey", 'query failed: syntax error at or near "SELEC"', 7)
        .pattern("heron", 'query failed: syntax error at or near "SELEC"', 3)
        .diagnose()
    )
    assert draft.summary.startswith("These kinds of errors")
    assert "12 times" in draft.summary
    assert "10 times" in draft.summary
    assert causes(draft) == []


def test_runbook_words_never_become_a_cause() -> None:
    case = Case().alert("Error rate of tern is high.", service="tern")
    case.log("tern", "GET / 200 3ms")
    case.document("Runbook", "Usually the pod was OOMKilled, exit code 137: out of memory.")
    assert causes(case.diagnose()) == []


@pytest.mark.parametrize("make", [lagging, exhausted, two_faults])
def test_the_order_of_observations_does_not_matter(make: object) -> None:
    plain = make().diagnose()  # type: ignore[operator]
    for seed in range(4):
        case: Case = make()  # type: ignore[operator]
        for items in case.items.values():
            random.Random(seed).shuffle(items)
        assert set(causes(case.diagnose())) == set(causes(plain))


@pytest.mark.parametrize("make", [lagging, exhausted, two_faults])
def test_renaming_everything_keeps_the_cause_ids(make: object) -> None:
    plain = causes(make().diagnose())  # type: ignore[operator]
    case: Case = make()  # type: ignore[operator]
    text = json.dumps(case.items)
    case.items = {
        key: [tuple(item) for item in items]  # type: ignore[misc]
        for key, items in json.loads(text.replace("ledger", "quokka").replace("db-events", "zz-feed")).items()
    }
    alert = case.alerts[0]
    case.alert((alert.summary or "").replace("ledger", "quokka"), name="Xyz", db_instance="quokka")
    assert causes(case.diagnose()) == plain


def test_without_its_decisive_evidence_a_cause_is_absent() -> None:
    case = exhausted()
    del case.items["query_metrics"]
    del case.items["query_logs:SYSTEM_EVENTS"]
    assert causes(case.diagnose()) == []


@pytest.mark.parametrize("make", [lagging, exhausted, two_faults])
def test_no_claim_is_refused_by_the_grounding(make: object) -> None:
    case: Case = make()  # type: ignore[operator]
    draft: Draft = case.diagnose()
    refused = [c for c in case.checked(draft) if c.verdict in (Verdict.CONTRADICTED, Verdict.NO_EVIDENCE)]
    assert refused == []
    assert any(c.kind is ClaimKind.SYMPTOM for c in draft.claims)


def test_the_same_request_gives_the_same_reply() -> None:
    assert lagging().diagnose() == lagging().diagnose()


def test_the_verifier_leaves_the_verdicts_to_code() -> None:
    request = ModelRequest(Agent.VERIFIER, "", (), (), Case().briefing())
    reply = asyncio.run(PlaybookModel(BUILTIN).complete(request, deadline_s=1))
    assert [(c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [("submit_verdicts", {"lower": []})]


def test_a_request_without_a_briefing_is_an_error() -> None:
    with pytest.raises(TypeError, match="Briefing"):
        asyncio.run(PlaybookModel(BUILTIN).complete(ModelRequest(Agent.PLANNER, "", (), ()), deadline_s=1))


@pytest.mark.parametrize(("typed", "meant"), [("wgt", "wget"), ("crul", "curl"), ("curl", None), ("frobnicate", None)])
def test_mistyped_commands(typed: str, meant: str | None) -> None:
    assert likely_meant(typed) == meant


def test_garbled_results_cost_their_own_evidence_only() -> None:
    case = lagging()
    case.items["query_metrics"].append(("series", {"name": None, "labels": 3}, "x"))
    case.items.setdefault("query_cluster", []).append(("facts", {"object": 1}, "x"))
    assert causes(case.diagnose()) == ["replication_lag_write_load"]
    assert NOW.tzinfo is not None


def test_a_passed_check_needs_an_observation_too() -> None:
    summary = "Periodic health check passed. All metrics within normal operating bounds."
    alone = Case().alert(summary, severity="info", db_instance="ledger")
    assert not alone.diagnose().healthy
    seen = Case().alert(summary, severity="info", db_instance="ledger")
    assert seen.series("CPUUtilization", "ledger", steady(18), "Percent").diagnose().healthy


def test_a_refused_probe_is_no_failed_dependency() -> None:
    draft = (
        Case()
        .alert("Pod of tern is not ready.", service="tern")
        .log(
            "events",
            "Unhealthy Pod/<pod:tern-1>: Liveness probe failed: dial tcp: connection refused",
            level="WARN",
            topic="SYSTEM_EVENTS",
        )
        .diagnose()
    )
    assert causes(draft) == ["liveness_probe_failing"]
