# ruff: noqa: E501  (evidence is one line each)
"""How claims in free words are taken: what may be said otherwise, and what may not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from rootproof.agent.grounding.check import check_claim, check_claims
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage, CoverageStatus

TEXTS = (
    ("query_logs", "florist", "2 x ERROR unknown between 2026-09-14T18:41:07Z and 2026-09-14T18:41:52Z: florist: payment gateway refused: connection refused to <ip:4>"),
    ("query_cluster", "app/vase", "app vase (namespace shop): 3 pods: 1 Running and Ready, 2 waiting with ImagePullBackOff, 0 restarts, on nodes <node:2>, <node:5>"),
    ("query_cluster", "deployment/vase", "deployment vase (namespace shop): 2/5 ready, 3 unavailable"),
    ("query_cluster", "object/vase", "change at 2026-09-14T18:30:00Z: deploy: vase 2.1.0 -> 2.2.0: new stem counter, by gardener"),
    ("query_metrics", "florist", "http_server_errors_ratio of florist (ratio) {quantile=0.95}: first 0.002 at 2026-09-14T18:20:00Z, last 0.342 at 2026-09-14T19:00:00Z, min 0.001 at 2026-09-14T18:33:00Z, max 0.35 at 2026-09-14T18:55:00Z, mean 0.2, 41 points, rising, changed at 2026-09-14T18:41:00Z from about 0.002 to about 0.34"),
    ("query_metrics", "bloom-db", "CPUUtilization of bloom-db (Percent, Average): first 31 at 2026-09-14T18:20:00Z, last 33 at 2026-09-14T19:00:00Z, min 30 at 2026-09-14T18:22:00Z, max 36 at 2026-09-14T18:50:00Z, mean 32, 41 points, flat"),
    ("query_alerts", "florist", 'alert "FloristErrors" is inactive, severity critical: florist answers more than 2 % of requests with 5xx'),
    ("query_logs", "florist", "1 x INFO florist at 2026-09-14T18:50:00Z: restock finished in 210 s"),
    ("query_logs", "florist", "9 x WARN florist between 2026-09-14T18:33:10Z and 2026-09-14T18:49:40Z: insert took <dur>, budget is 5ms (for example: insert took 38ms, budget is 5ms)"),
    ("query_metrics", "bloom-db", "DatabaseConnections of bloom-db (Count, Average): first 61 at 2026-09-14T18:20:00Z, last 66 at 2026-09-14T19:00:00Z, min 58 at 2026-09-14T18:29:00Z, max 67 at 2026-09-14T18:44:00Z, mean 62.7, 41 points, flat"),
    ("query_logs", "florist", "2026-09-14T18:51:00Z INFO florist: buffer holds 71 MB"),
    ("query_logs", "florist", "no time LOG florist: seed list loaded"),
)  # fmt: skip
EVIDENCE = {
    f"E{number}": Evidence(f"E{number}", EvidenceClass.OBSERVATION, tool, f"call-{number}", text, subject=subject)
    for number, (tool, subject, text) in enumerate(TEXTS, start=1)
}
COVERAGE = (Coverage("query_logs", "files", CoverageStatus.OK, scanned=900, shown=12),)


def claim(text: str, *ids: str, kind: ClaimKind = ClaimKind.SYMPTOM) -> Claim:
    return Claim("C1", kind, text, tuple(Citation(each) for each in ids))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("florist cannot reach its payment gateway: connections are refused.", ("E1",)),
        ("The payment gateway does not accept connections from florist.", ("E1",)),
        ("Shoppers can't pay because the gateway refuses them.", ("E1",)),
        ("Two out of five vase replicas are ready.", ("E3",)),
        ("Release 2.2.0 of vase went out at 18:30.", ("E4",)),
        ("About a third of florist's requests end in a 5xx.", ("E5",)),
        ("One in three requests is failing.", ("E5",)),
        ("The database has CPU to spare: it never went beyond 36%.", ("E6",)),
        ("The error-rate alert isn't firing.", ("E7",)),
        ("Users aren't seeing errors according to the alert.", ("E7",)),
        ("The restock took three and a half minutes.", ("E8",)),
        ("An insert took 38 ms although the budget is 5 ms.", ("E9",)),
        ("The buffer holds 71 MB.", ("E11",)),
        ("florist logs that the seed list was loaded.", ("E12",)),
    ],
)  # fmt: skip
def test_a_true_claim_may_be_said_in_other_words(text: str, ids: tuple[str, ...]) -> None:
    checked = check_claim(claim(text, *ids), EVIDENCE, COVERAGE)
    assert checked.verdict is Verdict.SUPPORTED, checked.reasons


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The database refused connections.", ("E1",)),
        ("The scheduler refused the connections of florist.", ("E1",)),
        ("florist can reach its payment gateway.", ("E1",)),
        ("All three vase pods are ready.", ("E2",)),
        ("vase lost its state in a restart.", ("E2",)),
        ("Three out of five vase replicas are ready.", ("E3",)),
        ("Release 2.1.0 introduced the stem counter.", ("E4",)),
        ("About two thirds of florist's requests fail.", ("E5",)),
        ("CPU of bloom-db is exhausted.", ("E6",)),
        ("CPU of bloom-db doubled.", ("E6",)),
        ("The error-rate alert is firing.", ("E7",)),
        ("The restock failed at 18:50.", ("E8",)),
        ("The restock did not finish at 18:50.", ("E8",)),
        ("Inserts stayed within their 5 ms budget.", ("E9",)),
        ("The connections of bloom-db are used up.", ("E10",)),
        ("Threads of bloom-db stayed between 58 and 67.", ("E10",)),
        ("The buffer holds 71 MiB.", ("E11",)),
        ("The buffer holds 66 MB.", ("E11",)),
    ],
)  # fmt: skip
def test_a_false_claim_in_the_words_of_the_evidence_is_not_supported(text: str, ids: tuple[str, ...]) -> None:
    checked = check_claim(claim(text, *ids), EVIDENCE, COVERAGE)
    assert checked.verdict is not Verdict.SUPPORTED, checked.reasons


def test_what_a_name_stands_for_may_come_from_another_series_of_the_run() -> None:
    """`bloom-db` is a database by its connections; a run without that series has to name it otherwise."""
    text = "The database uses up to 36% of its CPU."
    renamed = {
        key: Evidence(
            key, each.cls, each.tool, each.tool_call_id, each.text.replace("bloom-db", "bloom"), subject="bloom"
        )
        for key, each in EVIDENCE.items()
        if key in {"E6", "E10"}
    }
    assert check_claim(claim(text, "E6"), renamed).verdict is Verdict.SUPPORTED
    assert check_claim(claim(text, "E6"), {"E6": renamed["E6"]}).verdict is not Verdict.SUPPORTED


def test_twenty_claims_together_cost_less_than_one_by_one() -> None:
    claims = [claim("florist cannot reach its payment gateway: connections are refused.", "E1")] * 20
    many = {f"{key}x{copy}": replace(item, id=f"{key}x{copy}") for key, item in EVIDENCE.items() for copy in range(20)}
    evidence = {**EVIDENCE, **many}
    check_claims(claims, evidence, COVERAGE)
    begun = time.process_time()
    check_claims(claims, evidence, COVERAGE)
    together = time.process_time() - begun
    begun = time.process_time()
    for each in claims:
        check_claims([each], evidence, COVERAGE)
    assert together < time.process_time() - begun


def test_a_store_fills_up_while_its_free_space_falls_and_not_while_it_rises() -> None:
    falling = (
        "FreeStorageSpace of wren-db (Bytes): first 60000000000 at 2026-05-04T10:00:00Z, "
        "last 400000000 at 2026-05-04T10:20:00Z, min 400000000 at 2026-05-04T10:20:00Z, "
        "max 60000000000 at 2026-05-04T10:00:00Z, mean 31000000000, 21 points, falling"
    )
    claim = Claim("C1", ClaimKind.SYMPTOM, "The storage of wren-db is filling up.", (Citation("E1"),))
    full = Evidence("E1", EvidenceClass.OBSERVATION, "query_metrics", "c", falling, subject="wren-db")
    emptied = falling.replace("first 60000000000", "first 400000000", 1).replace("last 400000000", "last 60000000000")
    free = replace(full, text=emptied.replace("falling", "rising"))
    assert check_claim(claim, {"E1": full}).verdict is Verdict.SUPPORTED
    assert check_claim(claim, {"E1": free}).verdict is Verdict.CONTRADICTED
