"""From checked claims to the report: only code raises a verdict, and the first line is honest."""

from __future__ import annotations

import itertools

import pytest

from rootproof.agent.answers import LoweredAnswer
from rootproof.agent.lowering import lower
from rootproof.agent.report import assemble
from rootproof.domain.claim import CauseCategory, CheckedClaim, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.plan import Intent, Plan
from rootproof.domain.report import Coverage, CoverageStatus, Draft, NextStep, Report
from tests.fakes.driving import NOW

RANK = [Verdict.CONTRADICTED, Verdict.NO_EVIDENCE, Verdict.PARTIAL, Verdict.SUPPORTED]
POOL = Evidence(
    "E2", EvidenceClass.OBSERVATION, "query_logs", "call_0", "pool main has 20 of 20 connections in use", first_at=NOW
)
INCIDENT, KNOWLEDGE = Plan(Intent.INCIDENT), Plan(Intent.KNOWLEDGE)


def checked(verdict: Verdict, kind: ClaimKind = ClaimKind.CAUSE, number: int = 1) -> CheckedClaim:
    claim = Claim(
        f"C{number}",
        kind,
        "The pool main has 20 of 20 connections in use.",
        (Citation("E2"),),
        "connection_pool_exhausted",
        CauseCategory.RESOURCE_EXHAUSTION,
        ("app/billing-api",),
    )
    return CheckedClaim(claim, verdict, ("a reason",))


def report(*items: CheckedClaim, plan: Plan | None = INCIDENT, summary: str = "See below.", **draft: object) -> Report:
    return assemble(Draft(summary, **draft), items, {"E2": POOL}, (), plan)  # type: ignore[arg-type]


@pytest.mark.parametrize(("code", "model"), list(itertools.product(Verdict, Verdict)), ids=str)
def test_a_verdict_is_only_ever_lowered(code: Verdict, model: Verdict) -> None:
    (result,) = lower([checked(code)], [LoweredAnswer(claim_id="C1", verdict=model, reason="because")])
    if code in RANK and model in RANK and RANK.index(model) < RANK.index(code):
        assert result.verdict is model
        assert result.reasons == ("a reason", f"lowered from {code} by the verifier: because")
    elif code in RANK and model in RANK:
        assert result == checked(code)
    if code is not Verdict.SUPPORTED:
        assert result.verdict is not Verdict.SUPPORTED


def test_proposals_for_claims_that_do_not_exist_change_nothing() -> None:
    items = (checked(Verdict.SUPPORTED),)
    assert lower(items, [LoweredAnswer(claim_id="C9", verdict=Verdict.CONTRADICTED, reason="r")]) == items


def test_a_supported_cause_is_a_root_cause() -> None:
    made = report(checked(Verdict.SUPPORTED))
    (cause,) = made.root_causes
    assert (cause.claim_id, cause.cause_id, cause.objects) == ("C1", "connection_pool_exhausted", ("app/billing-api",))
    assert made.summary == "See below."


def test_one_fault_told_twice_is_one_root_cause() -> None:
    made = report(checked(Verdict.SUPPORTED), checked(Verdict.SUPPORTED, number=2))
    assert [cause.claim_id for cause in made.root_causes] == ["C1"]
    assert len(made.claims) == 2


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.SUPPORTED], ids=str)
def test_a_cause_that_does_not_stand_is_shown_and_the_first_line_says_so(verdict: Verdict) -> None:
    made = report(
        checked(verdict),
        strongest_lead="a leak in the pool",
        next_steps=(NextStep("look"), NextStep("count", query="SHOW PROCESSLIST")),
    )
    assert made.root_causes == ()
    assert [item.verdict for item in made.claims] == [verdict]
    first = made.summary.splitlines()[0]
    assert first.startswith("Root cause not verified.")
    assert "Strongest lead: a leak in the pool" in first
    assert "SHOW PROCESSLIST" in first


SILENT = Coverage("query_metrics", "PROMETHEUS", CoverageStatus.ERROR)


def test_without_a_lead_of_its_own_the_first_line_names_the_cause_that_holds_in_part_and_who_was_silent() -> None:
    made = assemble(Draft("See below."), [checked(Verdict.PARTIAL)], {"E2": POOL}, (SILENT,), INCIDENT)
    first = made.summary.splitlines()[0]
    assert "Strongest lead: The pool main has 20 of 20 connections in use (C1, PARTIAL); not shown: a reason" in first
    assert first.endswith("What would decide: query_metrics, which could not be read.")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("query_alerts=UNAVAILABLE query_metrics=UNAVAILABLE query_logs=NOT_ASKED", "query_logs, which was not asked"),
        ("query_logs=NOT_ASKED query_metrics=ERROR", "query_metrics, which could not be read"),
        ("query_alerts=UNAVAILABLE query_metrics=UNAVAILABLE", "query_metrics, for which no source is set up"),
        ("query_alerts=ERROR query_logs=OK", ""),
    ],
)
def test_what_would_decide_is_first_a_source_that_there_is_and_never_the_alerts(lines: str, told: str) -> None:
    pairs = (one.split("=") for one in lines.split())
    coverage = [Coverage(tool, "", CoverageStatus(status)) for tool, status in pairs]
    made = assemble(Draft("See below."), [checked(Verdict.PARTIAL)], {"E2": POOL}, coverage, INCIDENT)
    first = made.summary.splitlines()[0]
    assert first.endswith(f"What would decide: {told}.") if told else "What would decide" not in first


@pytest.mark.parametrize("verdict", [Verdict.CONTRADICTED, Verdict.NO_EVIDENCE, Verdict.NOT_CHECKABLE], ids=str)
def test_a_cause_that_nothing_supports_is_no_lead(verdict: Verdict) -> None:
    first = report(checked(verdict), checked(Verdict.SUPPORTED, ClaimKind.SYMPTOM, 2)).summary.splitlines()[0]
    assert "Strongest lead: The pool main has 20 of 20 connections in use (C2)." in first


def test_a_question_that_is_no_incident_has_no_root_cause() -> None:
    made = report(checked(Verdict.SUPPORTED), plan=KNOWLEDGE)
    assert made.root_causes == ()
    assert "not verified" not in made.summary
    assert [item.verdict for item in made.claims] == [Verdict.SUPPORTED]


def test_healthy_needs_something_that_holds() -> None:
    good = report(checked(Verdict.SUPPORTED, ClaimKind.SYMPTOM), healthy=True)
    assert good.healthy
    assert good.root_causes == ()
    for items in (
        (),
        (checked(Verdict.NO_EVIDENCE, ClaimKind.SYMPTOM),),
        (checked(Verdict.SUPPORTED, ClaimKind.ACTION),),
    ):
        made = report(*items, healthy=True)
        assert not made.healthy
        assert made.summary.startswith("That nothing is wrong is not verified.")


def test_a_healthy_report_has_no_root_cause() -> None:
    both = (checked(Verdict.SUPPORTED), checked(Verdict.SUPPORTED, ClaimKind.SYMPTOM, 2))
    assert report(*both, healthy=True).root_causes == ()


def test_a_summary_that_the_evidence_contradicts_is_replaced_by_what_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicts(claim: Claim, *_: object) -> CheckedClaim:
        return CheckedClaim(claim, Verdict.CONTRADICTED)

    monkeypatch.setattr("rootproof.agent.report.check_claim", contradicts)
    made = report(checked(Verdict.SUPPORTED), summary="The pool is empty.")
    assert made.summary == "The pool main has 20 of 20 connections in use."
    partial = report(checked(Verdict.PARTIAL, ClaimKind.SYMPTOM), summary="The pool is empty.")
    assert "pool is empty" not in partial.summary
    assert partial.summary


def test_the_timeline_holds_dated_observations_of_holding_claims_once() -> None:
    twice = (checked(Verdict.SUPPORTED), checked(Verdict.PARTIAL, ClaimKind.SYMPTOM, 2))
    assert [(entry.time, entry.evidence_id) for entry in report(*twice).timeline] == [(NOW, "E2")]
    assert report(checked(Verdict.CONTRADICTED)).timeline == ()


def test_a_summary_with_a_number_that_nothing_holds_gives_way_to_the_claims() -> None:
    text = "3 x ERROR billing-api at 2026-05-04T10:00:00Z: pool main has 20 of 20 connections in use"
    evidence = {"E1": Evidence("E1", EvidenceClass.OBSERVATION, "query_logs", "c", text, count=3)}
    told = Claim("C1", ClaimKind.CAUSE, "pool main has 20 of 20 connections in use", (Citation("E1"),), "pool")
    checked = [CheckedClaim(told, Verdict.SUPPORTED)]
    false = assemble(Draft("pool main has 5 of 20 connections in use", claims=(told,)), checked, evidence, (), None)
    true = assemble(Draft("All 20 connections are in use.", claims=(told,)), checked, evidence, (), None)
    assert false.summary == "pool main has 20 of 20 connections in use."
    assert true.summary == "All 20 connections are in use."


REFUSED = CheckedClaim(Claim("C2", ClaimKind.CAUSE, "The disk of ledger is full.", (Citation("E2"),)), Verdict.PARTIAL)


@pytest.mark.parametrize("invents", [True, False])
def test_a_cause_that_does_not_hold_does_not_stand_in_the_summary_whoever_wrote_it(invents: bool) -> None:
    items = (checked(Verdict.SUPPORTED), REFUSED)
    both = f"(1) {items[0].claim.text} (2) {REFUSED.claim.text}"
    made = assemble(Draft(both), items, {"E2": POOL}, (), INCIDENT, invents=invents)
    assert "disk of ledger" not in made.summary
    assert "20 of 20 connections" in made.summary


def test_what_frames_the_claims_of_a_reasoner_that_does_not_invent_is_no_claim() -> None:
    framed = f"Nothing else is at its limit. {checked(Verdict.SUPPORTED).claim.text} First: close what is idle."
    made = assemble(Draft(framed), [checked(Verdict.SUPPORTED)], {"E2": POOL}, (), INCIDENT, invents=False)
    assert made.summary == framed
    wrong = framed.replace("20 of 20", "19 of 20")
    made = assemble(Draft(wrong), [checked(Verdict.SUPPORTED)], {"E2": POOL}, (), INCIDENT, invents=False)
    assert "19 of 20" not in made.summary
