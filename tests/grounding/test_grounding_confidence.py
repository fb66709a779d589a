"""Confidence and self-evaluation come from verdicts and coverage alone."""

from __future__ import annotations

from rootproof.agent.grounding.confidence import confidence, evaluate
from rootproof.domain.claim import CheckedClaim, Citation, Claim, ClaimKind, Confidence, Verdict
from rootproof.domain.report import Coverage, CoverageStatus


def checked(number: int, kind: ClaimKind, verdict: Verdict, *ids: str, cause_id: str | None = None) -> CheckedClaim:
    return CheckedClaim(
        Claim(f"C{number}", kind, "text", tuple(Citation(each) for each in ids), cause_id=cause_id), verdict
    )


CAUSE = checked(1, ClaimKind.CAUSE, Verdict.SUPPORTED, "E1", "E2", cause_id="oom_killed")
SYMPTOM = checked(2, ClaimKind.SYMPTOM, Verdict.SUPPORTED, "E3")
WRONG = checked(3, ClaimKind.SYMPTOM, Verdict.CONTRADICTED, "E3")
GOOD = (Coverage("query_logs", "s", CoverageStatus.OK, scanned=5),)
BROKEN = (Coverage("query_metrics", "s", CoverageStatus.UNAVAILABLE),)


def test_high_needs_support_two_items_and_whole_coverage() -> None:
    assert confidence(CAUSE, [CAUSE, SYMPTOM], GOOD) is Confidence.HIGH


def test_anything_shaky_makes_it_medium() -> None:
    rival = checked(4, ClaimKind.CAUSE, Verdict.SUPPORTED, "E9", cause_id="bad_config")
    alone = checked(1, ClaimKind.CAUSE, Verdict.SUPPORTED, "E1")
    assert confidence(CAUSE, [CAUSE, WRONG], GOOD) is Confidence.MEDIUM
    assert confidence(CAUSE, [CAUSE], (*GOOD, *BROKEN)) is Confidence.MEDIUM
    assert confidence(CAUSE, [CAUSE, rival], GOOD) is Confidence.MEDIUM
    assert confidence(alone, [alone], GOOD) is Confidence.MEDIUM


def test_low_without_support_or_with_two_doubts() -> None:
    assert confidence(checked(1, ClaimKind.CAUSE, Verdict.PARTIAL, "E1"), [], GOOD) is Confidence.LOW
    assert confidence(CAUSE, [CAUSE, WRONG], BROKEN) is Confidence.LOW


def test_the_ratio_leaves_out_what_is_not_checkable() -> None:
    advice = checked(5, ClaimKind.ACTION, Verdict.NOT_CHECKABLE)
    found = evaluate([CAUSE, WRONG, advice])
    assert found.supported_ratio == 0.5
    assert found.root_cause_supported
    assert found.verdicts["NOT_CHECKABLE"] == 1
    assert evaluate([advice]).supported_ratio is None
    assert not evaluate([SYMPTOM]).root_cause_supported
