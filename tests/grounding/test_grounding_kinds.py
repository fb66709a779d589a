# ruff: noqa: E501  (evidence is one line each)
"""Kinds of faults that blind writers found: shares of a ratio, replacements, doers, states, levels, order words."""

from __future__ import annotations

import pytest

from rootproof.agent.grounding.check import check_claim
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass

TEXTS = (
    ("query_metrics", "tide", "tide_success_rate of tide: first 0.996 at 2026-11-02T07:00:00Z, last 0.75 at 2026-11-02T08:00:00Z, min 0.71 at 2026-11-02T07:48:00Z, max 0.998 at 2026-11-02T07:05:00Z, mean 0.87, 61 points, falling, changed at 2026-11-02T07:31:00Z from about 0.996 to about 0.76"),
    ("query_metrics", "shell", "CPUUtilization of shell (Percent, Average): first 20 at 2026-11-02T07:00:00Z, last 22 at 2026-11-02T08:00:00Z, min 19 at 2026-11-02T07:11:00Z, max 37 at 2026-11-02T07:40:00Z, mean 24, 61 points, varying"),
    ("query_cluster", "hpa/tide", "hpa tide (namespace sea): 5 of at most 5 replicas, wants 14, cpu 90% of target 55%"),
    ("query_logs", "shell", "1 x INFO shell at 2026-11-02T07:32:00Z: process 901 still waiting for ExclusiveLock on relation pearls after 1000 ms. Process holding the lock: 877. Wait queue: 901, 915, 922."),
    ("query_cluster", "object/tide", "change at 2026-11-02T07:30:20Z: deploy: tide 3.1.0 -> 3.2.0: reef view, by pipeline-sea"),
    ("query_cluster", "object/reef-env", "change at 2026-11-02T01:10:00Z: configmap reef-env edited by otto.lind@sea.example: key REEF_HOST renamed to REEF_URL"),
    ("query_logs", "tide", "12 x ERROR tide between 2026-11-02T07:31:05Z and 2026-11-02T07:58:40Z: REEF_HOST is not set"),
    ("query_cluster", "app/tide", "app tide (namespace sea): 4 pods: 3 Running and Ready, 1 ImagePullBackOff, 2 restarts, on nodes kelp-1, kelp-2"),
    ("query_cluster", "app/coral", "app coral (namespace sea): 2 pods: 2 Running and Ready, 0 restarts, on nodes kelp-1, kelp-3"),
    ("query_metrics", "kelp-1", "node_filesystem_avail_bytes of kelp-1 (bytes): first 85899345920 at 2026-11-02T07:00:00Z, last 6442450944 at 2026-11-02T08:00:00Z, min 6442450944 at 2026-11-02T08:00:00Z, max 85899345920 at 2026-11-02T07:00:00Z, mean 40000000000, 61 points, falling"),
    ("query_logs", "kubernetes-events", "3 x WARN kubernetes-events between 2026-11-02T07:50:00Z and 2026-11-02T07:59:00Z: Evicted Pod/<*>: The node was low on resource: ephemeral-storage. Threshold quantity: 8Gi, available: <num>Gi"),
    ("query_metrics", "foam", "ReplicaLag of foam (Seconds, Maximum): first 1 at 2026-11-02T07:00:00Z, last 640 at 2026-11-02T08:00:00Z, min 1 at 2026-11-02T07:00:00Z, max 640 at 2026-11-02T08:00:00Z, mean 300, 61 points, rising, changed at 2026-11-02T07:33:00Z from about 1 to about 400"),
    ("query_logs", "shell", "70 x ERROR shell between 2026-11-02T07:33:10Z and 2026-11-02T07:57:00Z: canceling statement due to timeout: UPDATE pearls SET weight = $1"),
    ("query_cluster", "object/tide-role", "change at 2026-11-02T07:59:00Z: iam: policy pearl-read attached to role tide-role, by runa.holt@sea.example"),
    ("query_cluster", "object/tide-role", "change at 2026-11-02T07:20:00Z: iam: policy pearl-read detached from role tide-role, by otto.lind@sea.example"),
    ("query_cluster", "node/kelp-1", "node kelp-1: Ready is True, DiskPressure is True: kubelet has disk pressure"),
    ("query_cluster", "node/kelp-3", "node kelp-3: is Ready, no pressure, allocatable 8 CPU, 30Gi memory"),
    ("query_logs", "issuer", "1 x INFO issuer at 2026-11-02T07:55:00Z: certificate sea-tls issued, valid until 2027-01-31"),
    ("query_logs", "shell", "2026-11-02T07:40:00Z INFO shell: top SQL by load 8.4 AAS, waits IO:DataFileExtend=5.0, IO:DataFileWrite=1.1: COPY pearls FROM"),
    ("query_logs", "shell", "1 x INFO shell at 2026-11-02T07:41:00Z: 300 of 300 connections in use, 280 of them idle in transaction"),
    ("query_logs", "tide", "no time LOG tide: not seen again"),
    ("query_logs", "gate", "240 x WARN gate between 2026-11-02T07:35:00Z and 2026-11-02T07:58:00Z: pass rejected: issued in the future"),
    ("query_logs", "sales", "2 x ERROR sales between 2026-11-02T03:02:00Z and 2026-11-02T03:04:00Z: extract aborted, exit 1"),
)  # fmt: skip
EVIDENCE = {
    f"E{number}": Evidence(f"E{number}", EvidenceClass.OBSERVATION, tool, f"call-{number}", text, subject=subject)
    for number, (tool, subject, text) in enumerate(TEXTS, start=1)
}


def verdict(text: str, ids: str, kind: ClaimKind) -> tuple[Verdict, tuple[str, ...]]:
    citations = tuple(Citation(each) for each in ids.split())
    checked = check_claim(Claim("C1", kind, text, citations), EVIDENCE, ())
    return checked.verdict, checked.reasons


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The success rate of tide fell from 99.6% to about 76%.", "E1"),
        ("The share of failed requests rose from 0.4% to about 24%.", "E1"),
        ("One in four requests to tide fails.", "E1"),
        ("The success rate never fell below 71%.", "E1"),
        ("CPU of shell stayed at or below 37%.", "E2"),
        ("tide wants 9 replicas more than its maximum.", "E3"),
        ("Processes 915 and 922 were queued behind 901.", "E4"),
        ("Process 877 blocked process 901.", "E4"),
        ("The first error came after the deploy, not before it.", "E7 E5"),
        ("The last error was logged 20 seconds before the policy was attached again.", "E7 E14"),
        ("gate rejected 240 passes because they were issued in the future.", "E22"),
        ("The certificate sea-tls is valid until 31 January 2027.", "E18"),
        ("At 08:00 only 6 GiB were free, still below the eviction threshold of 8Gi.", "E10 E11"),
        ("The connections of shell are nearly exhausted: 280 of them are idle in transaction.", "E20"),
        ("Most of the wait of what COPY writes is IO:DataFileExtend.", "E19"),
    ],
)  # fmt: skip
def test_what_holds_is_supported(text: str, ids: str) -> None:
    found, reasons = verdict(text, ids, ClaimKind.SYMPTOM)
    assert found is Verdict.SUPPORTED, reasons


def test_what_was_not_seen_since_was_seen_last_then() -> None:
    found, reasons = verdict("Not seen since 2026-11-02 03:04 UTC: sales logged 2 lines.", "E23", ClaimKind.RULED_OUT)
    assert found is Verdict.SUPPORTED, reasons
    found, _ = verdict("Not seen since 2026-11-02 03:02 UTC: sales logged 2 lines.", "E23", ClaimKind.RULED_OUT)
    assert found is not Verdict.SUPPORTED


def test_a_change_of_a_key_long_before_its_first_effect_is_tied_by_that_key() -> None:
    text = "The key REEF_HOST was renamed to REEF_URL in reef-env, so tide finds it not set."
    found, reasons = verdict(text, "E6 E7", ClaimKind.CAUSE)
    assert found is Verdict.SUPPORTED, reasons


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Half of all requests to tide fail.", "E1"),
        ("All requests to tide fail.", "E1"),
        ("The share of failed requests rose to about 76%.", "E1"),
        ("CPU of shell stayed at or below 25%.", "E2"),
        ("tide may grow to 14 replicas.", "E3"),
        ("tide runs 14 replicas.", "E3"),
        ("Process 901 blocked process 877.", "E4"),
        ("Process 901 is queued behind 922.", "E4"),
        ("Process 915 held the lock on pearls.", "E4"),
        ("tide was rolled back from 3.2.0 to 3.1.0.", "E5"),
        ("tide was rolled back to 3.1.0.", "E5"),
        ("The key REEF_URL was renamed to REEF_HOST.", "E6"),
        ("reef-env now has REEF_HOST instead of REEF_URL.", "E6"),
        ("The first error came right after the key was renamed.", "E7 E6"),
        ("tide was deployed in response to the errors.", "E5 E7"),
        ("runa.holt@sea.example detached the policy pearl-read.", "E14 E15"),
        ("The policy pearl-read was detached by runa.holt@sea.example.", "E14 E15"),
        ("Two of the four tide pods are in ImagePullBackOff.", "E8"),
        ("coral is down.", "E9"),
        ("The errors came because coral was down.", "E9 E7"),
        ("gate was down from 07:35 to 07:58.", "E22"),
        ("Node kelp-3 is under disk pressure.", "E17 E16"),
        ("By 08:00 the free space of kelp-1 was above the eviction threshold again.", "E10 E11"),
        ("foam was catching up by 08:00.", "E12"),
        ("The lag of foam was back to normal by 08:00.", "E12"),
        ("At 07:00 the lag of foam was 640 seconds.", "E12"),
        ("70 SELECT statements of shell were cancelled.", "E13"),
        ("kelp-1 ran out of memory.", "E10"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_not_believed(text: str, ids: str) -> None:
    for kind in (ClaimKind.SYMPTOM, ClaimKind.CAUSE):
        found, reasons = verdict(text, ids, kind)
        assert found is not Verdict.SUPPORTED, reasons
