"""Workload incidents and their look-alikes, from a folder to the report of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.playbook_bundles import (
    OTHER,
    POD,
    Bundle,
    ago,
    bad_claims,
    causes,
    diagnose,
    rising,
)

Make = Callable[[Bundle], Bundle]


def trouble(bundle: Bundle, summary: str, severity: str = "critical") -> Bundle:
    labels = {"service": "heron", "kube_namespace": "shop", "kube_deployment": "heron", "kube_pod": POD}
    return bundle.alert("PodTrouble", summary, severity, **labels).pod(OTHER).nodes(fen_1=True, fen_2=True)


def waiting(bundle: Bundle, reason: str, message: str, **more: Any) -> Bundle:
    state = {"waiting": True, "reason": reason, "message": message, **more}
    return bundle.pod(ready=False, phase="Pending", state=state)


def oom(bundle: Bundle) -> Bundle:
    trouble(bundle, f"Pod {POD} restarted 6 times.")
    text = f"back-off 5m0s restarting failed container=main pod={POD}_shop(a1); last terminated: reason=OOMKilled, "
    state = {"waiting": True, "reason": "CrashLoopBackOff", "message": f"{text}exit_code=137", "exit_code": 137}
    return bundle.pod(ready=False, restarts=6, state=state).pod_event("BackOff", "Back-off restarting failed container")


def evicted(bundle: Bundle) -> Bundle:
    trouble(bundle, f"Pod {POD} is gone.")
    state = {"terminated": True, "reason": "Evicted", "message": "The node was low on resource: memory."}
    bundle.pod(ready=False, phase="Failed", state=state)
    return bundle.pod_event("Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi.")


def liveness(bundle: Bundle) -> Bundle:
    trouble(bundle, f"Pod {POD} restarted 6 times in 12 minutes.")
    bundle.pod(ready=False, restarts=6, state={"running": True, "started_at": ago(1), "exit_code": 0})
    bundle.pod_event("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500")
    return bundle.pod_event("Killing", "Container main failed liveness probe, will be restarted")


def image(message: str) -> Make:
    def make(bundle: Bundle) -> Bundle:
        trouble(bundle, f"Pod {POD} is stuck in ImagePullBackOff.")
        waiting(bundle, "ImagePullBackOff", "Back-off pulling image registry.example.com/heron:v3.1")
        return bundle.pod_event("Failed", f'Failed to pull image "registry.example.com/heron:v3.1": {message}')

    return make


def pending(words: str) -> Make:
    def make(bundle: Bundle) -> Bundle:
        trouble(bundle, f"Pod {POD} is Pending for 12 minutes.")
        message = f"0/2 nodes are available: {words}."
        state = {"waiting": True, "reason": "ContainerCreating", "message": ""}
        bundle.pod(ready=False, phase="Pending", state=state, scheduled=message)
        return bundle.pod_event("FailedScheduling", message)

    return make


def node_down(bundle: Bundle) -> Bundle:
    bundle.alert("NodeDown", "Node fen-2 is NotReady and pods of heron are unavailable.", service="heron")
    bundle.pod(OTHER).pod(ready=False, node="fen-2").nodes(fen_1=True, fen_2=False)
    return bundle.event("NodeNotReady Node/fen-2: Node fen-2 status is now: NodeNotReady", "kubernetes-events", "WARN")


def quota(bundle: Bundle) -> Bundle:
    trouble(bundle, "heron has fewer replicas than desired.")
    text = 'Error creating: pods "heron-5d8f7c9b44-" is forbidden: exceeded quota: compute, used: requests.cpu=4'
    return bundle.event(f"FailedCreate ReplicaSet/heron-5d8f7c9b44: {text}", "kubernetes-events", "WARN")


def config_key(bundle: Bundle) -> Bundle:
    trouble(bundle, "Rollout of heron is stuck.")
    return waiting(
        bundle, "CreateContainerConfigError", "couldn't find key rates.yaml in ConfigMap shop/heron-settings"
    )


def said(*lines: str, summary: str = "heron error rate 40%.", level: str = "ERROR") -> Make:
    def make(bundle: Bundle) -> Bundle:
        trouble(bundle, summary).pod()
        for line in lines:
            bundle.log("heron", line, level)
        return bundle

    return make


@pytest.mark.parametrize(
    ("make", "cause", "words"),
    [
        (oom, "oom_killed", (POD, "exit code 137", "OOMKilled")),
        (evicted, "node_pressure_eviction", ("low on resource",)),
        (liveness, "liveness_probe_failing", ("statuscode: 500", "its container is restarted")),
        (
            image("rpc error: code = NotFound desc = manifest unknown"),
            "incorrect_image_reference",
            ("manifest unknown",),
        ),
        (image("401 Unauthorized: authentication required"), "missing_image_pull_secret", ("401 Unauthorized",)),
        (
            image("dial tcp: lookup regsitry.example.com on 10.0.0.10:53: no such host"),
            "image_registry_dns_failure",
            ("regsitry.example.com",),
        ),
        (pending("2 Insufficient cpu"), "cpu_capacity_mismatch", ("Insufficient cpu",)),
        (pending("2 Insufficient memory"), "memory_capacity_mismatch", ("Insufficient memory",)),
        (pending("pod has unbound immediate PersistentVolumeClaims"), "volume_claim_unbound", ("unbound",)),
        (node_down, "node_not_ready", ("fen-2",)),
        (quota, "quota_exceeded", ("exceeded quota",)),
        (config_key, "missing_config_object", ("rates.yaml",)),
        (
            said("Error: getaddrinfo ENOTFOUND vault.depot.svc.cluster.local"),
            "dns_resolution_failure",
            ("vault.depot",),
        ),
        (said("x509: certificate has expired or is not yet valid"), "certificate_expired", ("expired",)),
        (
            said("Database call completed in 6.31 seconds.", summary="Requests to heron are slow.", level="INFO"),
            "slow_dependency_call",
            ("6.31 seconds",),
        ),
    ],
)
def test_the_cause_is_told_in_one_supported_sentence(
    make: Make,
    cause: str,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = diagnose(make(Bundle(tmp_path)), monkeypatch, capsys)
    assert causes(report) == [cause]
    assert bad_claims(report) == []
    for word in words:
        assert word in report["summary"]
    assert len(report["rootCauses"][0]["text"]) < 500


def test_a_flap_that_is_over_is_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = trouble(Bundle(tmp_path), "A burst of warnings on heron.", "warning").pod()
    bundle.event("NodeNotReady Node/fen-2: Node fen-2 status is now: NodeNotReady", "kubernetes-events", "WARN", 40)
    bundle.event(
        "NodeReady Node/fen-2: Node fen-2 status is now: NodeReady, recovered", "kubernetes-events", "INFO", 39
    )
    report = diagnose(bundle, monkeypatch, capsys)
    assert report["healthy"]
    assert bad_claims(report) == []


def test_a_rotated_certificate_is_not_an_expired_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = said("connect ECONNREFUSED 10.2.3.4:6379 (rates-cache)")(Bundle(tmp_path))
    bundle.log("heron", "x509: certificate rotated, good until 2032-01-01", "INFO")
    assert causes(diagnose(bundle, monkeypatch, capsys)) == ["dependency_unreachable"]


def test_an_autoscaler_at_its_maximum_is_an_effect_of_the_surge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = trouble(Bundle(tmp_path), "heron is slow.").pod()
    bundle.event(
        "ScalingLimited HorizontalPodAutoscaler/heron: unable to scale above maxReplicas", "kubernetes-events", "WARN"
    )
    bundle.metric("LatencyP95", "heron", rising(0.1, 2.4), "Seconds")
    assert causes(diagnose(bundle, monkeypatch, capsys)) == ["autoscaler_at_maximum"]
    bundle.metric("RequestsPerSecond", "heron", rising(100, 420), "Count/Second")
    assert causes(diagnose(bundle, monkeypatch, capsys)) == ["traffic_surge"]


def leak(bundle: Bundle) -> Bundle:
    bundle.alert("Errors", "heron answers 30 % of its requests with errors.", service="heron")
    bundle.calls(("heron", "tide-db"), ("ledger", "other-db"))
    bundle.log("heron", "Connection leak detection triggered for conn 7, stack trace follows", "WARN", 20)
    bundle.log("heron", "pool main: Connection is not available, request timed out after 30000ms")
    bundle.event("140 of 151 connections are in use; 108 of them in state Sleep", "tide-db", "WARN", 5)
    bundle.log("ledger", "row rejected: unknown tax code", minutes=110)
    bundle.log("ledger", "row rejected: unknown tax code")
    return bundle.change("heron", "deploy", "heron 4.1 -> 4.2: bulk endpoint", 25)


def test_a_leak_is_named_with_the_deploy_before_it_and_without_the_loud_neighbour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = diagnose(leak(Bundle(tmp_path)), monkeypatch, capsys)
    assert causes(report) == ["connection_leak"]
    assert report["rootCauses"][0]["objects"][0] == "app/heron"
    assert "heron had a deploy at 11:35 UTC" in report["summary"]
    assert "ledger logged" in report["summary"]
    assert "well before this began" in report["summary"]
    assert bad_claims(report) == []


def test_a_call_that_times_out_is_a_lead_where_the_callee_is_one_of_our_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = said("failed to get rates: rpc error: upstream request timeout")(Bundle(tmp_path))
    report = diagnose(bundle.calls(("heron", "rates")), monkeypatch, capsys)
    assert causes(report) == []
    assert not report["healthy"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Show me the errors in the logs of heron", ("These kinds of errors", "could not parse rate table")),
        ("Is heron healthy?", ()),
    ],
)
def test_questions(
    question: str,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bundle = Bundle(tmp_path, question)
    if words:
        bundle.log("heron", "could not parse rate table").log("heron", "redis timeout after 300ms")
    else:
        bundle.pod().pod(OTHER).nodes()
    report = diagnose(bundle, monkeypatch, capsys)
    assert causes(report) == []
    assert report["healthy"] is not bool(words)
    for word in words:
        assert word in report["summary"]
