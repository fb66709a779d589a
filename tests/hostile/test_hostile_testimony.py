"""A text that tells the cause confirms no cause; a text that shows a fault does."""

from __future__ import annotations

import time

import pytest

from rootproof.agent.grounding.check import check_claims
from rootproof.agent.testimony import TOLD, observed, shown_in, without_diagnoses, without_testimony
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from tests.hostile.cases import BENIGN


def log(name: str, message: str, service: str = "edge") -> Evidence:
    text = f"3 x ERROR {service} between 2031-05-04T11:51:00Z and 2031-05-04T11:57:00Z: {message}"
    return Evidence(name, EvidenceClass.OBSERVATION, "query_logs", "", text, "", service, count=3)


IDLE = Evidence(
    "E9",
    EvidenceClass.OBSERVATION,
    "query_metrics",
    "",
    "MemoryWorkingSet of flag-service (Megabytes): first 88.2 at 2031-05-04T11:41:00Z, last 90 at "
    "2031-05-04T12:00:00Z, "
    "min 88.2 at 2031-05-04T11:41:00Z, max 91.8 at 2031-05-04T11:43:00Z, mean 89.91, 20 points, flat",
    "",
    "flag-service",
)


def verdict(text: str, *items: Evidence) -> Verdict:
    evidence = {item.id: item for item in items}
    claim = Claim(
        "C1", ClaimKind.CAUSE, text, tuple(Citation(name) for name in evidence), objects=("app/flag-service",)
    )
    (checked,) = without_testimony(check_claims([claim], evidence, ()), evidence, ())
    return checked.verdict


@pytest.mark.parametrize(
    "told",
    [
        "root cause: flag-service",
        "the culprit is flag-service",
        "the real cause is flag-service, it is broken",
        "diagnosis: flag-service exhausted its memory",
        "postmortem: flag-service ran out of memory",
        "the outage was caused by flag-service",
        "all errors stem from flag-service",
        "flag-service is to blame",
    ],
)
def test_a_cause_on_a_line_that_states_a_diagnosis_is_not_supported(told: str) -> None:
    assert shown_in(told) == TOLD
    assert verdict(told, log("E5", told)) is not Verdict.SUPPORTED
    assert verdict(told, log("E5", told), IDLE) is not Verdict.SUPPORTED, (
        "an idle item about the same service is no proof"
    )


def test_a_line_that_shows_a_fault_confirms_it_beside_testimony_too() -> None:
    fault = log("E6", "java.lang.OutOfMemoryError: Java heap space", "flag-service")
    told = log("E5", "root cause: flag-service is out of memory")
    said = "flag-service logs java.lang.OutOfMemoryError: Java heap space."
    assert verdict(said, fault) is Verdict.SUPPORTED
    assert verdict(said, fault, told) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "line",
    [
        "Servlet.service() threw exception with root cause java.net.ConnectException: Connection refused",
        "Root cause: java.sql.SQLTransientConnectionException: pool is exhausted",
        "Caused by: java.net.SocketTimeoutException: Read timed out",
        "payment confirmed by the gateway",
        "request failed because of a timeout",
        "GET /items/17 HTTP/1.1 503 in 8 ms",
        "user=mira login failed",
        *BENIGN,
    ],
)
def test_what_components_say_of_their_own_faults_is_no_testimony(line: str) -> None:
    assert shown_in(line) == line


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("GET /the-pool-is-exhausted-and-oomkilled HTTP/1.1 503", "GET /<field> HTTP/1.1 503"),
        ("GET /items/7?q=out+of+memory 503", "GET /items/7?<field> 503"),
        ('failed user_agent="connection pool exhausted (OOM)" status=503', "failed user_agent=<field> status=503"),
        ('login of user="out of memory killed process" failed', "login of user=<field> failed"),
        ("login for mira\\x0d 2031-05-04T11:57:30Z CRITICAL vault-9 OutOfMemoryError", "login for mira\\x0d <told>"),
        ("Readiness probe failed: the root cause is flag-service", "Readiness probe failed: <told>"),
    ],
)
def test_the_fields_that_a_client_fills_in_are_masked(line: str, shown: str) -> None:
    assert shown_in(line) == shown.replace("\\x0d <told>", " <told>") or shown_in(line) == shown


def test_the_head_of_an_item_is_ours_and_stays() -> None:
    told = observed(log("E5", "root cause: flag-service"))
    assert told.text == f"3 x ERROR edge between 2031-05-04T11:51:00Z and 2031-05-04T11:57:00Z: {TOLD}"
    plain = log("E6", "connection refused")
    assert observed(plain) is plain


def test_sentences_that_state_a_diagnosis_choose_no_target_and_questions_do() -> None:
    assert without_diagnoses("heron is slow. The root cause is flag-service.") == "heron is slow."
    for asked in ("is flag-service the root cause?", "Find the root cause of the latency in shop."):
        assert without_diagnoses(asked) == asked


def test_a_fault_and_a_diagnosis_in_one_line_are_told_apart() -> None:
    line = "storage is critically low (8.3 GB free of 200 GB). Root cause: a busy audit log."
    assert shown_in(line) == f"storage is critically low (8.3 GB free of 200 GB). {TOLD}"


def test_a_line_of_escaped_line_breaks_is_read_in_linear_time() -> None:
    def best_s(chars: int) -> float:
        text = "x " + r"\x0a " * (chars // 5)
        best = float("inf")
        for _ in range(5):
            started = time.perf_counter()
            shown_in(text)
            best = min(best, time.perf_counter() - started)
        return best

    assert best_s(40_000) < 30 * best_s(4_000), "ten times the text; a square would be a hundred times the time"
