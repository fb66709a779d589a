"""How sure a root cause is, and the counts of a checked report: from verdicts and coverage, never from a
model's word.
"""

from __future__ import annotations

from collections.abc import Sequence

from rootproof.domain.claim import CheckedClaim, ClaimKind, Confidence, Verdict, verdict_counts
from rootproof.domain.report import Coverage, CoverageStatus, SelfEvaluation

_BROKEN = frozenset({CoverageStatus.ERROR, CoverageStatus.UNAVAILABLE})


def confidence(
    checked_cause: CheckedClaim, checked_all: Sequence[CheckedClaim], coverage: Sequence[Coverage]
) -> Confidence:
    """HIGH, MEDIUM or LOW.

    HIGH: the cause is SUPPORTED, at least two different items are cited for it and the supported symptoms, no claim
    of the report is CONTRADICTED and no source broke down. LOW: the cause is not SUPPORTED. MEDIUM: the rest.
    """
    if checked_cause.verdict is not Verdict.SUPPORTED:
        return Confidence.LOW
    rivals = [
        each
        for each in checked_all
        if each.claim.kind is ClaimKind.CAUSE
        and each.claim.id != checked_cause.claim.id
        and each.verdict is Verdict.SUPPORTED
        and each.claim.cause_id != checked_cause.claim.cause_id
    ]
    contradicted = any(each.verdict is Verdict.CONTRADICTED for each in checked_all)
    broken = any(line.status in _BROKEN for line in coverage)
    items = {citation.evidence_id for citation in checked_cause.claim.citations}
    for each in checked_all:
        if each.claim.kind is ClaimKind.SYMPTOM and each.verdict is Verdict.SUPPORTED:
            items |= {citation.evidence_id for citation in each.claim.citations}
    if contradicted and broken:
        return Confidence.LOW
    if contradicted or broken or rivals or len(items) < 2:
        return Confidence.MEDIUM
    return Confidence.HIGH


def evaluate(checked: Sequence[CheckedClaim]) -> SelfEvaluation:
    """Counts per verdict, the share of checkable claims that are SUPPORTED, and whether a root cause is."""
    counts = verdict_counts(checked)
    checkable = len(checked) - counts[Verdict.NOT_CHECKABLE]
    return SelfEvaluation(
        verdicts={verdict.value: count for verdict, count in counts.items()},
        supported_ratio=counts[Verdict.SUPPORTED] / checkable if checkable else None,
        root_cause_supported=any(
            each.claim.kind is ClaimKind.CAUSE and each.verdict is Verdict.SUPPORTED for each in checked
        ),
    )
