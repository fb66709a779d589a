# ruff: noqa: E501  (evidence is one line each)
"""What each verdict means, one idea a test, on real values."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.agent.grounding.check import check_claim, check_claims
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage, CoverageStatus

LAG = (
    "ReplicaLag of tea-db-replica-2 (Seconds, Maximum): first 1.25 at 2026-03-26T11:20:00Z, last 1140 at 2026-03-26T11:34:00Z, "
    "min 1.21 at 2026-03-26T11:21:00Z, max 1140 at 2026-03-26T11:34:00Z, mean 570.2, 15 points, rising, "
    "changed at 2026-03-26T11:22:00Z from about 1.2 to about 600"
)
CALM = (
    "cpu_percent of kettle (Percent): first 41 at 2026-03-26T11:20:00Z, last 42 at 2026-03-26T11:34:00Z, min 40 at 2026-03-26T11:25:00Z, "
    "max 43.4 at 2026-03-26T11:30:00Z, mean 41.5, 15 points, flat"
)
REFUSED = (
    "42 x ERROR kettle between 2026-03-26T11:23:00Z and 2026-03-26T11:29:10Z: connection to <ip:1> refused after 30s"
)
OTHER = "7 x ERROR teapot between 2026-03-26T11:25:00Z and 2026-03-26T11:28:00Z: stale cup"
OOM = "pod <pod:kettle-1> (namespace pantry, app kettle): container main last terminated OOMKilled, exit code 137, 6 restarts, memory limit 64Mi"
QUIET = "pod <pod:teapot-1> (namespace pantry, app teapot): running, ready, 0 restarts"


def item(
    number: int, tool: str, subject: str | None, text: str, cls: EvidenceClass = EvidenceClass.OBSERVATION
) -> Evidence:
    return Evidence(f"E{number}", cls, tool, f"call-{number}", text, subject=subject)


EVIDENCE = {
    each.id: each
    for each in (
        item(1, "query_metrics", "tea-db-replica-2", LAG),
        item(2, "query_metrics", "kettle", CALM),
        item(3, "query_logs", "kettle", REFUSED),
        item(4, "query_logs", "teapot", OTHER),
        item(5, "query_cluster", "pod/<pod:kettle-1>", OOM),
        item(6, "query_cluster", "pod/<pod:teapot-1>", QUIET),
        item(
            7,
            "lookup_knowledge",
            None,
            "Memory > Fix: kettle runs out of memory with a 64Mi limit",
            EvidenceClass.GUIDANCE,
        ),
        item(8, "payload", None, "kettle: 42 connection errors", EvidenceClass.REPORTED),
        item(9, "lookup_knowledge", None, "kettle was OOMKilled last March", EvidenceClass.MEMORY),
    )
}
COMPLETE = (
    Coverage("query_logs", "files", CoverageStatus.OK, scanned=900, shown=12),
    Coverage("query_cluster", "files", CoverageStatus.OK, scanned=40, shown=5),
)


def verdict(
    text: str,
    *ids: str,
    kind: ClaimKind = ClaimKind.SYMPTOM,
    quote: str | None = None,
    coverage: tuple[Coverage, ...] = COMPLETE,
) -> Verdict:
    claim = Claim("C1", kind, text, tuple(Citation(each, quote) for each in ids))
    return check_claim(claim, EVIDENCE, coverage).verdict


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Lag of tea-db-replica-2 rose from about 1.2 to 1,140 seconds by 11:34.", ("E1",)),
        ("tea-db-replica-2 was 19 minutes behind at 11:34.", ("E1",)),
        ("Lag grew for about 14 minutes.", ("E1",)),
        ("CPU of kettle stayed between 40 and 44 percent.", ("E2",)),
        ("CPU of kettle never exceeded 43.4%.", ("E2",)),
        ("CPU of kettle was between 40.0% and 43.4%.", ("E2",)),
        ("CPU of kettle was between 40.0% and 43%.", ("E2",)),
        ("kettle logged 42 errors from 11:23 to 11:29: its connections were refused.", ("E3",)),
        ("kettle could not connect.", ("E3",)),
        ("kettle logged 42 errors and teapot 7.", ("E3", "E4")),
        ("teapot logged 7 errors while kettle logged 42.", ("E3", "E4")),
        ("There were 49 errors in total.", ("E3", "E4")),
        ("The lag began at 11:22, before kettle's first refused connection.", ("E1", "E3")),
        ("kettle was OOMKilled with a limit of 64 MiB and restarted six times.", ("E5",)),
        ("<pod:teapot-1> did not restart.", ("E6",)),
        ('Lag of tea-db-replica-2 rose to 1140 s and "connection to <ip:1> refused" came up 42 times.', ("E1", "E3")),
    ],
)
def test_true_sentences_are_supported(text: str, ids: tuple[str, ...]) -> None:
    assert verdict(text, *ids) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Lag of tea-db-replica-2 fell from about 1.2 to 1,140 seconds.", ("E1",)),
        ("Lag of tea-db-replica-2 peaked at 1,240 seconds.", ("E1",)),
        ("The mean lag was 1140 seconds.", ("E1",)),
        ("CPU of kettle rose sharply.", ("E2",)),
        ("kettle logged 7 errors and teapot 42.", ("E3", "E4")),
        ("kettle logged 43 errors.", ("E3",)),
        ("The lag began at 11:22, after kettle's first refused connection.", ("E1", "E3")),
        ("kettle was not OOMKilled.", ("E5",)),
        ("kettle never logged 42 errors.", ("E3",)),
        ("kettle could connect.", ("E3",)),
        ("<pod:teapot-1> is not ready.", ("E6",)),
        ("kettle ended with exit code 6.", ("E5",)),
    ],
)
def test_what_the_evidence_says_otherwise_is_contradicted(text: str, ids: tuple[str, ...]) -> None:
    assert verdict(text, *ids) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("kettle logged 42 errors at 13:05.", ("E3",)),
        ("kettle-v2 logged 42 errors.", ("E3",)),
        ("kettle has a memory limit of 64Mi on node-9.", ("E5",)),
        ("Disk latency of kettle averaged 41.5%.", ("E2",)),
    ],
)
def test_a_part_that_is_nowhere_makes_it_partial(text: str, ids: tuple[str, ...]) -> None:
    assert verdict(text, *ids) is Verdict.PARTIAL


def test_unit_changes_are_not_supported() -> None:
    assert verdict("Lag reached 1140 ms.", "E1") is not Verdict.SUPPORTED
    assert verdict("The memory limit of kettle is 64Gi.", "E5") is not Verdict.SUPPORTED
    assert verdict("CPU of kettle peaked at 43.4 seconds.", "E2") is not Verdict.SUPPORTED


def test_no_citation_and_foreign_citations_are_no_evidence() -> None:
    assert verdict("kettle logged 42 errors.") is Verdict.NO_EVIDENCE
    assert verdict("kettle logged 42 errors.", "E3", "E77") is Verdict.NO_EVIDENCE
    assert verdict("kettle logged 42 errors.", "run-1:E3") is Verdict.NO_EVIDENCE


@pytest.mark.parametrize("evidence_id", ["E7", "E8", "E9"])
def test_only_observations_can_confirm_a_cause(evidence_id: str) -> None:
    assert verdict("kettle runs out of memory.", evidence_id, kind=ClaimKind.CAUSE) is Verdict.NO_EVIDENCE


def test_guidance_beside_an_observation_lends_nothing() -> None:
    assert verdict("kettle has a 64Mi limit.", "E5", "E7", kind=ClaimKind.CAUSE) is Verdict.SUPPORTED
    quoted = Claim(
        "C1", ClaimKind.CAUSE, "kettle runs out of memory.", (Citation("E3"), Citation("E7", "runs out of memory"))
    )
    assert check_claim(quoted, EVIDENCE, COMPLETE).verdict is not Verdict.SUPPORTED


def test_the_alert_alone_makes_a_symptom_partial_and_says_why() -> None:
    claim = Claim("C1", ClaimKind.SYMPTOM, "kettle has 42 connection errors.", (Citation("E8"),))
    checked = check_claim(claim, EVIDENCE, COMPLETE)
    assert checked.verdict is Verdict.PARTIAL
    assert "Only the alert says so" in checked.reasons[0]


def test_advice_is_not_checkable() -> None:
    assert verdict("Raise the memory limit of kettle to 256Mi.", kind=ClaimKind.ACTION) is Verdict.NOT_CHECKABLE
    assert verdict("Raise the memory limit of kettle.", "E7", kind=ClaimKind.ACTION) is Verdict.NOT_CHECKABLE
    assert verdict("Raise the limit.", "E7", kind=ClaimKind.ACTION, quote="never in the runbook") is Verdict.NO_EVIDENCE


def test_quotes_fold_white_space_but_keep_the_case_of_identifiers() -> None:
    assert verdict("kettle was killed.", "E5", quote="last  terminated OOMKilled") is Verdict.SUPPORTED
    assert verdict("kettle was killed.", "E5", quote="last terminated oomkilled") is not Verdict.SUPPORTED
    assert verdict('kettle: "exit code 13".', "E5") is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        (COMPLETE, Verdict.SUPPORTED),
        ((), Verdict.PARTIAL),
        ((Coverage("query_cluster", "files", CoverageStatus.ERROR, scanned=3),), Verdict.PARTIAL),
        ((Coverage("query_cluster", "files", CoverageStatus.OK),), Verdict.PARTIAL),
        (
            (Coverage("query_cluster", "files", CoverageStatus.OK, scanned=3, detail="truncated at 64 MiB"),),
            Verdict.PARTIAL,
        ),
    ],
)
def test_an_absence_needs_a_complete_search(coverage: tuple[Coverage, ...], expected: Verdict) -> None:
    assert verdict("kettle was not evicted.", "E2", coverage=coverage) is expected


def test_text_alone_is_enough() -> None:
    bare = {"E1": Evidence("E1", EvidenceClass.OBSERVATION, "", "", LAG)}
    claim = Claim(
        "C1", ClaimKind.SYMPTOM, "ReplicaLag of tea-db-replica-2 reached 1140 seconds at 11:34.", (Citation("E1"),)
    )
    assert check_claim(claim, bare).verdict is Verdict.SUPPORTED


def test_the_fields_beside_the_text_count_too() -> None:
    at = datetime(2026, 3, 26, 11, 20, tzinfo=UTC)
    known = {
        "E1": Evidence(
            "E1",
            EvidenceClass.OBSERVATION,
            "query_logs",
            "",
            "cup overflow",
            subject="teapot",
            first_at=at,
            last_at=at,
            count=17,
        )
    }
    assert (
        check_claim(
            Claim("C1", ClaimKind.SYMPTOM, "teapot had 17 overflows at 11:20.", (Citation("E1"),)), known
        ).verdict
        is Verdict.SUPPORTED
    )
    assert (
        check_claim(
            Claim("C1", ClaimKind.SYMPTOM, "teapot had 18 overflows at 11:20.", (Citation("E1"),)), known
        ).verdict
        is not Verdict.SUPPORTED
    )


def test_uncited_items_never_help() -> None:
    assert verdict("teapot logged 7 errors.", "E3") is not Verdict.SUPPORTED


def test_a_citation_that_has_nothing_to_do_with_it_is_named() -> None:
    claim = Claim("C1", ClaimKind.SYMPTOM, "kettle was OOMKilled.", (Citation("E5"), Citation("E1")))
    checked = check_claim(claim, EVIDENCE, COMPLETE)
    assert checked.verdict is Verdict.PARTIAL
    assert "E1 has nothing to do with the claim." in checked.reasons


def test_order_is_kept_and_reasons_name_the_evidence() -> None:
    claims = [
        Claim(f"C{number}", ClaimKind.SYMPTOM, f"kettle logged {number} errors.", (Citation("E3"),))
        for number in (41, 42, 43)
    ]
    checked = check_claims(claims, EVIDENCE, COMPLETE)
    assert [each.claim.id for each in checked] == ["C41", "C42", "C43"]
    assert all(any("E3" in reason for reason in each.reasons) for each in checked)


def test_a_node_s_status_is_no_other_node() -> None:
    known = {
        "E1": item(
            1,
            "query_logs",
            "events",
            "1 x WARN events at 2026-03-26T11:20:00Z: Node <node:1> status is now: NodeNotReady",
        )
    }
    claim = Claim("C1", ClaimKind.SYMPTOM, "An event says that node <node:1> is NodeNotReady.", (Citation("E1"),))
    assert check_claim(claim, known, COMPLETE).verdict is Verdict.SUPPORTED


def test_an_arrow_inside_a_quote_is_part_of_it() -> None:
    known = {
        "E1": item(
            1, "query_cluster", "object/kettle", "change at 2026-03-26T11:20:00Z: deploy: kettle 1.2 -> 1.3: new lid"
        )
    }
    claim = Claim("C1", ClaimKind.SYMPTOM, 'The change says "kettle 1.2 -> 1.3: new lid".', (Citation("E1"),))
    assert check_claim(claim, known, COMPLETE).verdict is Verdict.SUPPORTED
