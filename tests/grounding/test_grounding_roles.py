# ruff: noqa: E501  (evidence is one line each)
"""Who did it to whom: the same names in exchanged roles are another fact."""

from __future__ import annotations

import pytest

from rootproof.agent.grounding.check import check_claim
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass

TEXTS = (
    ("query_logs", "loom-db", "3 x LOG loom-db between 2026-01-02T10:00:00Z and 2026-01-02T10:09:00Z: process 4412 still waiting for ShareLock on transaction 9981; blocked by process 5533: ALTER TABLE yarn ADD COLUMN dye"),
    ("query_logs", "weaver", "88 x ERROR weaver between 2026-01-02T10:01:00Z and 2026-01-02T10:08:00Z: timeout calling spinner after 3s"),
    ("query_logs", "hallway", "12 x WARN hallway between 2026-01-02T10:01:00Z and 2026-01-02T10:08:00Z: rejected request from weaver: rate limit"),
    ("query_cluster", "object/bobbin-7", "event at 2026-01-02T10:02:00Z: kubelet evicted pod bobbin-7 to reclaim memory"),
    ("query_logs", "loom-db", "1 x INFO loom-db at 2026-01-02T10:12:00Z: failover from loom-a to loom-b completed"),
    ("query_cluster", "app/weaver", "app weaver: calls spinner, yarn-store"),
    ("query_logs", "shopfront", "41 x ERROR shopfront between 2026-01-02T10:03:00Z and 2026-01-02T10:07:00Z: checkout failed: weaver answered 504"),
    ("query_logs", "loom-db", "9 x LOG loom-db between 2026-01-02T10:20:00Z and 2026-01-02T10:22:00Z: writers will be blocked until memory is freed by loom-db"),
)  # fmt: skip
EVIDENCE = {
    f"E{number}": Evidence(f"E{number}", EvidenceClass.OBSERVATION, tool, "c", text, subject=subject)
    for number, (tool, subject, text) in enumerate(TEXTS, start=1)
}


def verdict(text: str, evidence_id: str) -> Verdict:
    return check_claim(Claim("C1", ClaimKind.SYMPTOM, text, (Citation(evidence_id),)), EVIDENCE).verdict


@pytest.mark.parametrize(
    ("text", "evidence_id"),
    [
        ("Process 5533 blocks process 4412.", "E1"),
        ("Process 4412 is waiting for process 5533.", "E1"),
        ("weaver times out when it calls spinner.", "E2"),
        ("weaver's calls to spinner timed out 88 times.", "E2"),
        ("The hallway rejected requests from weaver.", "E3"),
        ("bobbin-7 was evicted by the kubelet.", "E4"),
        ("The database failed over from loom-a to loom-b.", "E5"),
        ("weaver depends on spinner.", "E6"),
        ("shopfront failed because weaver answered 504.", "E7"),
    ],
)
def test_the_roles_of_the_evidence_hold_in_either_voice(text: str, evidence_id: str) -> None:
    assert verdict(text, evidence_id) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("text", "evidence_id"),
    [
        ("Process 4412 blocks process 5533.", "E1"),
        ("Process 5533 is blocked by process 4412.", "E1"),
        ("spinner calls weaver and runs into a timeout.", "E2"),
        ("spinner's calls to weaver time out.", "E2"),
        ("weaver rejected requests from the hallway.", "E3"),
        ("bobbin-7 evicted the kubelet.", "E4"),
        ("The database failed over from loom-b to loom-a.", "E5"),
        ("The database failed over to loom-a from loom-b.", "E5"),
        ("spinner depends on weaver.", "E6"),
        ("weaver failed because shopfront answered 504.", "E7"),
        ("The writers blocked loom-db.", "E8"),
    ],
)
def test_exchanged_roles_are_contradicted_and_the_reason_names_the_item(text: str, evidence_id: str) -> None:
    checked = check_claim(Claim("C1", ClaimKind.SYMPTOM, text, (Citation(evidence_id),)), EVIDENCE)
    assert checked.verdict is Verdict.CONTRADICTED
    assert evidence_id in checked.reasons[0]
