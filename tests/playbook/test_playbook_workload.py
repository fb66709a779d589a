"""Workload and application causes: each where it is the answer, and where it only looks like it."""

from __future__ import annotations

import pytest

from rootproof.domain.claim import ClaimKind, Verdict
from tests.playbook.playbook_case import Case, causes

POD = "pod/<pod:tern-1>"


def down(summary: str = "Pod of tern restarts again and again.") -> Case:
    return Case().alert(summary, service="tern", namespace="shop", pod="<pod:tern-1>")


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        (
            down()
            .fact(POD, "container main last terminated OOMKilled, exit code 137, 6 restarts", "oom_killed", app="tern")
            .log("tern", "heap 490Mi of 512Mi", level="WARN"),
            "oom_killed",
        ),
        (
            down()
            .fact(POD, "0/1 containers ready, 6 restarts", "not_ready", app="tern")
            .log(
                "events",
                "Unhealthy Pod/<pod:tern-1> (x9): Liveness probe failed: HTTP 500",
                level="WARN",
                topic="SYSTEM_EVENTS",
            ),
            "liveness_probe_failing",
        ),
        (
            down("Pod of tern is pending.").fact(
                POD,
                "Pending, Unschedulable, scheduler: 0/3 nodes are available: 3 Insufficient cpu",
                "insufficient_cpu",
                app="tern",
            ),
            "cpu_capacity_mismatch",
        ),
        (
            down()
            .fact(POD, "waiting with CrashLoopBackOff, 14 restarts", "crash_loop_back_off", app="tern")
            .log("tern", "Environment variable REGION_CODE is undefined", level="", minutes=None),
            "missing_environment_variable",
        ),
        (
            down().fact(
                POD,
                'container main last terminated StartError: exec: "curll": executable file not found in $PATH',
                "executable_not_found",
                app="tern",
            ),
            "command_not_found",
        ),
        (
            down("Pods of tern fail.").fact(
                POD,
                "waiting with ImagePullBackOff: manifest for example/tern:v9 not found",
                "image_pull_back_off",
                app="tern",
            ),
            "incorrect_image_reference",
        ),
        (
            Case()
            .alert("Error rate of tern is 40%.", service="tern")
            .log("tern", "Error: getaddrinfo ENOTFOUND vault.depot.svc.cluster.local", level="ERROR"),
            "dns_resolution_failure",
        ),
        (
            Case()
            .alert("Error rate of tern is 40%.", service="tern")
            .log("tern", "x509: certificate has expired or is not yet valid", level="ERROR"),
            "certificate_expired",
        ),
        (
            Case()
            .alert("Requests to tern are slow.", service="tern")
            .log("tern", "Database call completed in 7.25 seconds.", level="INFO", minutes=None),
            "slow_dependency_call",
        ),
        (
            Case()
            .alert("100% throttling of CPU for container main in tern.", service="tern")
            .fact(
                POD,
                "container main has CPU limit 20m, but its command asks for 8 CPU workers",
                "cpu_limit_tiny_vs_demand",
                app="tern",
            ),
            "cpu_throttling",
        ),
        (
            Case()
            .alert("Node has a problem.", node="<node:1>")
            .fact("node/<node:1>", "30 of at most 30 pods run on it (100%), no further pod fits", "pods_near_capacity"),
            "node_pod_capacity",
        ),
        (
            Case()
            .alert("Job tern failed.", subject="tern")
            .fact("job/tern", "Failed, 0 of 1 completions, 3 failed pods", "backoff_limit_exceeded", app="tern")
            .log("tern", "/bin/sh: syntax error: unexpected done", level="", minutes=None),
            "job_script_error",
        ),
    ],
)
def test_the_cause_is_named_and_supported(case: Case, cause: str) -> None:
    draft = case.diagnose()
    assert causes(draft) == [cause]
    assert not draft.healthy
    bad = [c for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE and c.verdict is not Verdict.SUPPORTED]
    assert bad == []


def test_a_mistyped_command_gets_a_suggestion() -> None:
    draft = (
        down()
        .fact(
            POD,
            'last terminated StartError: exec: "wgt": executable file not found in $PATH',
            "executable_not_found",
            app="tern",
        )
        .diagnose()
    )
    assert any("`wget`" in step.text for step in draft.next_steps)


def test_a_firing_probe_after_an_oom_kill_is_an_effect() -> None:
    draft = (
        down()
        .fact(POD, "container main last terminated OOMKilled, exit code 137", "oom_killed", app="tern")
        .log(
            "events",
            "Unhealthy Pod/<pod:tern-1>: Liveness probe failed: connection refused",
            level="WARN",
            topic="SYSTEM_EVENTS",
        )
        .diagnose()
    )
    assert causes(draft) == ["oom_killed"]


def test_a_loud_bystander_is_not_blamed() -> None:
    case = Case().alert("Requests to tern are slow.", service="tern")
    case.log("tern", "upstream query took 4.5 seconds", minutes=1)
    for _ in range(3):
        case.pattern("osprey", "panic: cannot parse message", 5_000)
    case.fact("pod/<pod:osprey-1>", "waiting with CrashLoopBackOff, 90 restarts", "crash_loop_back_off", app="osprey")
    assert causes(case.diagnose()) == ["slow_dependency_call"]


def test_the_callee_is_the_cause_and_the_caller_its_victim() -> None:
    draft = (
        Case()
        .alert("Error rate of tern is 40%.", service="tern")
        .log("tern", "dial tcp: connect to osprey: connection refused", level="ERROR")
        .fact(
            "pod/<pod:osprey-1>", "container main last terminated OOMKilled, exit code 137", "oom_killed", app="osprey"
        )
        .diagnose()
    )
    assert causes(draft) == ["oom_killed"]
    assert "osprey" in draft.summary


def test_a_single_restart_long_ago_is_healthy() -> None:
    draft = (
        Case()
        .alert("Pod of tern restarted once in the last hour.", severity="warning", service="tern")
        .fact("app/tern", "3 pods: 3 Running and Ready, 1 restart", "pods_ready", abnormal=False, app="tern")
        .log(
            "events",
            "BackOff Pod/<pod:tern-1> (x1): Back-off restarting failed container",
            level="WARN",
            topic="SYSTEM_EVENTS",
            minutes=70,
        )
        .log("tern", "POST /orders 200 12ms")
        .monitor("tern restart rate", "inactive")
        .diagnose()
    )
    assert draft.healthy
    assert causes(draft) == []


def test_a_node_flap_that_is_over_is_healthy() -> None:
    draft = (
        Case()
        .alert("Several warning events (NodeNotReady, BackOff, Unhealthy).", service="tern")
        .fact("node/<node:1>", "is Ready, no pressure", "node_ready", abnormal=False)
        .log(
            "events",
            "NodeNotReady Node/<node:1>: status is now NodeNotReady",
            level="WARN",
            topic="SYSTEM_EVENTS",
            minutes=9,
        )
        .log(
            "events",
            "Unhealthy Pod/<pod:tern-1>: Liveness probe failed",
            level="WARN",
            topic="SYSTEM_EVENTS",
            minutes=9,
        )
        .log(
            "node-watch",
            "Node <node:1> recovered: status now Ready; all pods of tern <pod:tern-1> returned to Ready",
            minutes=7,
        )
        .log("tern", "GET / 200 3ms")
        .diagnose()
    )
    assert draft.healthy
    assert causes(draft) == []


def test_the_same_flap_without_a_recovery_is_not_healthy() -> None:
    draft = (
        Case()
        .alert("Several warning events (NodeNotReady, BackOff, Unhealthy).", service="tern")
        .log(
            "events",
            "NodeNotReady Node/<node:1>: status is now NodeNotReady",
            level="WARN",
            topic="SYSTEM_EVENTS",
            minutes=2,
        )
        .log("tern", "GET / 200 3ms")
        .diagnose()
    )
    assert not draft.healthy


def test_a_terminating_pod_of_an_old_rollout_is_healthy() -> None:
    draft = (
        Case()
        .alert("Pod of tern reports CrashLoopBackOff.", severity="warning", service="tern", pod="<pod:tern-9>")
        .fact("app/tern", "3 pods: 3 Running and Ready, 0 restarts", "pods_ready", abnormal=False, app="tern")
        .fact(
            "pod/<pod:tern-9>",
            "is terminating, it belongs to the old ReplicaSet",
            "old_replicaset_terminating",
            abnormal=False,
            app="tern",
        )
        .log(
            "events",
            "BackOff Pod/<pod:tern-9>: Back-off restarting failed container",
            level="WARN",
            topic="SYSTEM_EVENTS",
            minutes=3,
        )
        .diagnose()
    )
    assert draft.healthy
