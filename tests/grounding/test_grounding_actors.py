# ruff: noqa: E501  (evidence is one line each)
"""Kinds a newcomer found: swapped names, refused nouns, error names in one word, numerals, edited adjectives."""

from __future__ import annotations

import pytest

from rootproof.agent.grounding.check import check_claim, check_claims
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass

TEXTS = (
    ("query_logs", "kiosk", "20 x ERROR kiosk between 2026-10-03T03:00:00Z and 2026-10-03T03:19:00Z: kiosk connect to redis-reef:<num> failed: Connection refused (for example: kiosk connect to redis-reef:6379 failed: Connection refused)"),
    ("query_logs", "solver", "9 x ERROR solver between 2026-10-03T03:06:00Z and 2026-10-03T03:20:00Z: license lease refused by keyhost: no free seat for feature mesh"),
    ("query_logs", "quill", "15 x ERROR quill between 2026-10-03T03:06:00Z and 2026-10-03T03:20:00Z: java.lang.OutOfMemoryError: Java heap space"),
    ("query_logs", "loom", "15 x ERROR loom between 2026-10-03T03:06:00Z and 2026-10-03T03:20:00Z: MemoryError: Unable to allocate 2.0 GiB"),
    ("query_logs", "loom", "15 x ERROR loom between 2026-10-03T03:06:00Z and 2026-10-03T03:20:00Z: ValueError: bad row"),
    ("query_cluster", "mast", "pod mast (namespace sea): container rig has CPU limit 20m, but its command asks for 50 CPU workers, command: rig --cpu 50"),
    ("query_cluster", "mast-7f-x1", "pod mast-7f-x1 (namespace sea, app mast): is terminating, it belongs to the old ReplicaSet mast-7f, newer pods have taken over, 2 restarts"),
    ("query_cluster", "object/kiosk", "change at 2026-10-03T02:40:00Z: deploy: kiosk 1.4.0 -> 1.5.0: new basket view, by pipeline-sea"),
    ("query_metrics", "tide-replica-1", "ReplicaLag of tide-replica-1 (Seconds, Maximum): first 1 at 2026-10-03T02:20:00Z, last 840 at 2026-10-03T03:34:00Z, min 1 at 2026-10-03T02:21:00Z, max 840 at 2026-10-03T03:34:00Z, mean 346, 75 points, rising, changed at 2026-10-03T03:00:00Z from about 1 to about 754"),
)  # fmt: skip
EVIDENCE = {
    f"E{number}": Evidence(f"E{number}", EvidenceClass.OBSERVATION, tool, f"call-{number}", text, subject=subject)
    for number, (tool, subject, text) in enumerate(TEXTS, start=1)
}
QUOTE = '"kiosk connect to redis-reef:6379 failed: Connection refused"'


def verdict(text: str, evidence_id: str, kind: ClaimKind = ClaimKind.CAUSE) -> tuple[Verdict, tuple[str, ...]]:
    checked = check_claim(Claim("C1", kind, text, (Citation(evidence_id),)), EVIDENCE, ())
    return checked.verdict, checked.reasons


@pytest.mark.parametrize(
    ("text", "evidence_id"),
    [
        (f"kiosk cannot connect to redis-reef: kiosk logs {QUOTE}.", "E1"),
        (f"kiosk cannot connect to redis: kiosk logs {QUOTE}.", "E1"),
        ("solver gets no license: keyhost has no free seat for mesh.", "E2"),
        ("keyhost has all seats in use.", "E2"),
        ("quill ran out of memory.", "E3"),
        ("loom ran out of memory.", "E4"),
        ("Pod mast wants more CPU than its limit of 20m: container rig asks for 50 CPU workers.", "E6"),
        ("Pod mast-7f-x1 is terminating, it belongs to the old ReplicaSet mast-7f.", "E7"),
        ("solver logged \uff19 errors.", "E2"),
    ],
)  # fmt: skip
def test_what_holds_is_supported(text: str, evidence_id: str) -> None:
    found, reasons = verdict(text, evidence_id)
    assert found is Verdict.SUPPORTED, reasons


@pytest.mark.parametrize("other", ["payment", "billing", "nginx", "order-intake", "mysql", "storefront"])
def test_another_subject_of_trouble_is_not_believed(other: str) -> None:
    found, reasons = verdict(f"{other} cannot connect to redis-reef: kiosk logs {QUOTE}.", "E1")
    assert found is not Verdict.SUPPORTED, reasons
    found, reasons = verdict(f"kiosk cannot connect to redis-reef: {other} logs {QUOTE}.", "E1")
    assert found is not Verdict.SUPPORTED, reasons


@pytest.mark.parametrize("other", ["mysql", "postgres", "kafka", "billing"])
def test_another_target_of_trouble_is_not_believed(other: str) -> None:
    found, reasons = verdict(f"kiosk cannot connect to {other}: kiosk logs {QUOTE}.", "E1")
    assert found is not Verdict.SUPPORTED, reasons


@pytest.mark.parametrize(
    ("text", "evidence_id"),
    [
        ("keyhost logged 9 lines.", "E2"),
        ("redis-reef logged 20 lines.", "E1"),
        ("10\u2079 errors were logged by solver.", "E2"),
        ("\u216b errors were logged by solver.", "E2"),
        ("loom ran out of memory.", "E5"),
        ("loom ran out of disk.", "E4"),
        ("Pod mast wants more CPU than its limit of 20m: container stern has CPU limit 20m.", "E6"),
        ("solver logged no license lease.", "E2"),
    ],
)  # fmt: skip
def test_what_the_evidence_does_not_say_is_not_believed(text: str, evidence_id: str) -> None:
    found, reasons = verdict(text, evidence_id)
    assert found is not Verdict.SUPPORTED, reasons


@pytest.mark.parametrize(
    ("text", "evidence_id"),
    [
        ('kiosk did not log "Connection refused".', "E1"),
        ("Pod mast wants less CPU than its limit of 20m: its command asks for 50 CPU workers.", "E6"),
        ("Pod mast-7f-x1 is terminating, it belongs to the new ReplicaSet mast-7f.", "E7"),
        ("The lag of tide-replica-1 comes from write load on its replica: ReplicaLag rose from 1 s to 840 s.", "E9"),
    ],
)  # fmt: skip
def test_the_opposite_is_contradicted(text: str, evidence_id: str) -> None:
    found, reasons = verdict(text, evidence_id)
    assert found is Verdict.CONTRADICTED, reasons


@pytest.mark.parametrize(("word", "wanted"), [("before", Verdict.SUPPORTED), ("after", Verdict.CONTRADICTED)])
def test_before_it_began_is_before_the_symptoms(word: str, wanted: Verdict) -> None:
    symptom = Claim("C1", ClaimKind.SYMPTOM, "kiosk logged 20 errors.", (Citation("E1"),))
    deploy = Claim(
        "C2", ClaimKind.SYMPTOM, f"kiosk had a deploy at 02:40 UTC, just {word} it began.", (Citation("E8"),)
    )
    checked = check_claims((symptom, deploy), EVIDENCE, ())[1]
    assert checked.verdict is wanted, checked.reasons
