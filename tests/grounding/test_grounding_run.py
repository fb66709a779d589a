# ruff: noqa: E501  (evidence is one line each)
"""What the whole run knows against a claim: a cause that came too late, a calm series, a recovery, a denied event."""

from __future__ import annotations

import pytest

from rootproof.agent.grounding.check import check_claims
from rootproof.domain.claim import CheckedClaim, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage, CoverageStatus

TEXTS = (
    ("query_logs", "kiln", "88 x ERROR kiln between 2026-01-02T10:01:00Z and 2026-01-02T10:08:00Z: connection to clay-1 timed out"),
    ("query_cluster", "object/kiln", "change at 2026-01-02T10:06:30Z: deploy: kiln 1.4.0 -> 1.5.0: new client, by potter"),
    ("query_cluster", "object/kiln", "change at 2026-01-02T10:00:30Z: config: kiln pool_size 20 -> 2, by glazer"),
    ("query_metrics", "clay-1", "CPUUtilization of clay-1 (Percent, Average): first 12 at 2026-01-02T09:30:00Z, last 12.4 at 2026-01-02T10:20:00Z, min 11 at 2026-01-02T09:33:00Z, max 13.5 at 2026-01-02T10:10:00Z, mean 12, 51 points, flat"),
    ("query_cluster", "pod/kiln-0", "pod kiln-0 (namespace shop, app kiln): Running, 1/1 containers ready, 6 restarts, last terminated OOMKilled"),
    ("query_logs", "clay-1", "1 x INFO clay-1 at 2026-01-02T10:15:00Z: connections restored, accepting clients again"),
    ("query_logs", "clay-1", "12 x ERROR clay-1 between 2026-01-02T10:01:00Z and 2026-01-02T10:09:00Z: cannot accept connections: too many clients"),
    ("query_alerts", "kiln", 'alert "KilnErrors" is inactive since 2026-01-02T10:16:00Z'),
    ("query_metrics", "kiln", "http_requests_per_second of kiln: first 40 at 2026-01-02T09:30:00Z, last 41 at 2026-01-02T10:20:00Z, min 38 at 2026-01-02T09:33:00Z, max 43 at 2026-01-02T10:10:00Z, mean 41, 51 points, flat"),
    ("query_logs", "oven", "40 x ERROR oven between 2026-01-02T10:19:00Z and 2026-01-02T10:30:00Z: cache miss storm"),
)  # fmt: skip
EVIDENCE = {
    f"E{number}": Evidence(f"E{number}", EvidenceClass.OBSERVATION, tool, "c", text, subject=subject)
    for number, (tool, subject, text) in enumerate(TEXTS, start=1)
}
COVERAGE = tuple(
    Coverage(tool, "files", CoverageStatus.OK, scanned=50) for tool in ("query_logs", "query_metrics", "query_cluster")
)


def check(text: str, *ids: str, kind: ClaimKind = ClaimKind.CAUSE, without: str = "") -> CheckedClaim:
    symptom = Claim("C1", ClaimKind.SYMPTOM, "kiln logged 88 errors.", (Citation("E1"),))
    claim = Claim("C2", kind, text, tuple(Citation(each) for each in ids))
    known = {key: item for key, item in EVIDENCE.items() if key != without}
    return check_claims([symptom, claim], known, COVERAGE)[1]


def test_a_change_after_its_effect_is_no_cause_and_both_times_are_named() -> None:
    checked = check("The deploy of kiln 1.5.0 makes its connections to clay-1 time out.", "E2", "E1")
    assert checked.verdict is Verdict.CONTRADICTED
    assert any("E2" in reason and "10:06:30" in reason and "10:01:00" in reason for reason in checked.reasons)
    before = check("The change of pool_size from 20 to 2 makes kiln's connections to clay-1 time out.", "E3", "E1")
    assert before.verdict is Verdict.SUPPORTED


def test_what_began_after_every_symptom_of_the_report_is_not_a_supported_cause() -> None:
    assert check("A cache miss storm at oven.", "E10").verdict is Verdict.PARTIAL
    assert check("The deploy of kiln 1.5.0.", "E2").verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("text", "cited", "against", "kind"),
    [
        ("The CPU of clay-1 is saturated, so kiln's connections time out.", "E1", "E4", ClaimKind.CAUSE),
        ("clay-1 cannot accept connections: it has too many clients.", "E7", "E6", ClaimKind.CAUSE),
        ("kiln was not restarted.", "E9", "E5", ClaimKind.RULED_OUT),
        ("kiln is healthy.", "E9", "E5", ClaimKind.SYMPTOM),
        ("The alert KilnErrors is firing.", "E1", "E8", ClaimKind.SYMPTOM),
    ],
)
def test_an_uncited_item_that_says_the_opposite_is_found_and_named(
    text: str, cited: str, against: str, kind: ClaimKind
) -> None:
    checked = check(text, cited, kind=kind)
    assert checked.verdict is Verdict.CONTRADICTED
    assert any(against in reason for reason in checked.reasons)
    alone = check(text, cited, kind=kind, without=against)
    assert not any(against in reason for reason in alone.reasons)


def test_a_cause_told_in_the_past_tense_may_be_over() -> None:
    told = check("clay-1 could not accept connections: it had too many clients.", "E7")
    assert told.verdict is Verdict.SUPPORTED
