# ruff: noqa: E501  (lists of hostile pieces)
"""Hostile input: nothing raises, work is bounded, verdicts stay inside the enum."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootproof.agent.grounding.check import check_claim
from rootproof.domain.claim import CheckedClaim, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage, CoverageStatus

PIECES = [
    "\ud800", "\u202e", "\x00", "\u200b", "NaN", "1e999", "-1e999", "9" * 400, "٣٤", "½", "<pod:", "<pod:a-1>", "`", '"', "'", "between", "and", "of", "not", "never", "no", "before", "after", "then", "rose",
    "fell", "from", "to", "at", "11:22", "2026-03-26T11:22:00Z", "2026-99-99", "99:99", "42", "x", "ERROR", "svc-a", ":", ",", "(", ")", "0/0", "5/0", "469 of 0", "1,000,000", "%", "ms", "first", "last", "min",
    "max", "mean", "changed", "rising", "E1", "E77", "p99", "could", "is", "ruled", "out", "none", "over", "under", "3x", "🚒", "故障", "/a/b", "http://", "://", "--", "...", "=", "x14", "*/5 * * * *",
]  # fmt: skip
HOSTILE = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
)
CLASSES = st.sampled_from(list(EvidenceClass))
COVERAGE = (Coverage("query_logs", "s", CoverageStatus.OK, scanned=1),)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=HOSTILE,
    quote=st.none() | HOSTILE,
    body=HOSTILE,
    subject=st.none() | HOSTILE,
    cls=CLASSES,
    kind=st.sampled_from(list(ClaimKind)),
    other=HOSTILE,
)
def test_no_text_makes_it_raise(
    text: str, quote: str | None, body: str, subject: str | None, cls: EvidenceClass, kind: ClaimKind, other: str
) -> None:
    evidence = {
        "E1": Evidence("E1", cls, "query_logs", "c", body, subject=subject, count=3),
        "E2": Evidence(
            "E2",
            EvidenceClass.OBSERVATION,
            "query_metrics",
            "c",
            f"lag of a (Seconds): first 1 at 2026-01-01T00:00:00Z, last {other}",
        ),
    }
    claim = Claim("C1", kind, text, (Citation("E1", quote), Citation("E2")), objects=(other,))
    checked = check_claim(claim, evidence, COVERAGE)
    assert checked.verdict in Verdict
    assert checked.claim is claim
    "".join(checked.reasons).encode()


@pytest.mark.parametrize(
    "body",
    ["a" * 100_000, "-a1" * 33_000, "1," * 50_000, "/a" * 50_000, '"x' * 50_000, "1:" * 50_000, "not no never " * 8_000, "<a:" * 33_000, "111," * 25_000, "http://a" * 12_000, "1h2m" * 25_000, "\u202e" * 100_000],
)  # fmt: skip
def test_huge_claims_and_evidence_are_cut_with_a_reason_and_cost_little(body: str) -> None:
    def check(text: str) -> tuple[CheckedClaim, float]:
        evidence = {"E1": Evidence("E1", EvidenceClass.OBSERVATION, "query_logs", "c", text, subject=text)}
        begun = time.process_time()
        found = check_claim(Claim("C1", ClaimKind.SYMPTOM, text, (Citation("E1", text),)), evidence, ())
        return found, time.process_time() - begun

    _, quarter_s = check(body[: len(body) // 4])  # over the caps as well, so the whole may cost hardly more
    checked, whole_s = check(body)
    assert whole_s < 4 * quarter_s + 0.2
    assert checked.verdict is not Verdict.SUPPORTED
    assert any("longer than" in reason for reason in checked.reasons) or checked.verdict is Verdict.NO_EVIDENCE


def test_a_number_that_is_none_is_missing() -> None:
    evidence = {"E1": Evidence("E1", EvidenceClass.OBSERVATION, "query_logs", "c", "svc-a lag 1e999 seconds")}
    checked = check_claim(
        Claim("C1", ClaimKind.SYMPTOM, "svc-a lag was 1e999 seconds", (Citation("E1"),)), evidence, ()
    )
    assert checked.verdict is Verdict.PARTIAL


def test_a_name_that_only_looks_the_same_is_not() -> None:
    evidence = {
        "E1": Evidence("E1", EvidenceClass.OBSERVATION, "query_logs", "c", "ERROR ledger-\u202eapi: 12 timeouts")
    }
    checked = check_claim(
        Claim("C1", ClaimKind.SYMPTOM, "ledger-api logged 12 timeouts", (Citation("E1"),)), evidence, ()
    )
    assert checked.verdict is not Verdict.SUPPORTED
