"""Pods: what fails now, how it ended, and what only looks like a failure."""

from __future__ import annotations

import pytest

from rootproof.cluster.facts import Weight
from rootproof.cluster.taxonomy import CAUSE_OF_REASON
from tests.cluster.texts import NAMESPACE, current, deployment, describe, facts_of, named, pod_row, pods, service

POD = "star-catalog-7d9f8c6b5d-x2x4z"
CRASH = "    State:          Waiting\n      Reason:       CrashLoopBackOff"


def ended(reason: str, code: int, message: str = "") -> str:
    """A last state."""
    lines = ["    Last State:     Terminated", f"      Reason:       {reason}", f"      Exit Code:    {code}"]
    if message:
        lines.insert(2, f"      Message:      {message}")
    return "\n".join([*lines, "      Finished:     Sun, 04 May 2031 11:59:00 +0000"])


@pytest.mark.parametrize(
    ("last", "reason", "weight"),
    [
        (ended("OOMKilled", 137), "oom_killed", Weight.CAUSE),
        (ended("Error", 1), "exit_nonzero", Weight.FAILURE),
        (ended("Error", 127), "command_not_found", Weight.FAILURE),
        (ended("Error", 139), "segmentation_fault", Weight.FAILURE),
        (ended("Completed", 0), "exit_zero_loop", Weight.FAILURE),
        (
            ended("StartError", 128, 'OCI runtime create failed: exec: "calibrat": executable file not found in $PATH'),
            "executable_not_found",
            Weight.CAUSE,
        ),
    ],
)
def test_how_a_crashing_container_ended(last: str, reason: str, weight: Weight) -> None:
    found = facts_of(
        describe(POD, app="star-catalog", ready=False, restarts=6, state=CRASH, last_state=last,
                 body="    Limits:\n      memory:  96Mi")
    )  # fmt: skip
    item = named(current(found), reason)
    assert item.weight is weight
    assert (item.object, item.app, item.namespace) == (f"pod/{POD}", "star-catalog", NAMESPACE)
    assert "6 restarts" in item.text
    assert "memory limit 96Mi" in item.text
    assert item.values["memory_limit_bytes"] == 96 * 2**20
    assert named(current(found), "crash_loop_back_off").values["restarts"] == 6


def test_events_of_a_failing_pod_carry_their_counts_and_times() -> None:
    events = ['Warning | FailedMount | 2m (x8 over 30m) | MountVolume.SetUp failed : secret "sky-key" not found']
    waiting = "    State:          Waiting\n      Reason:       ContainerCreating"
    found = current(
        facts_of(describe(POD, app="star-catalog", status="Pending", ready=False, state=waiting, events=events))
    )
    item = named(found, "missing_config_reference")
    assert item.count == 8
    assert item.first_at is not None
    assert item.last_at is not None
    assert (item.last_at - item.first_at).total_seconds() == 28 * 60
    assert CAUSE_OF_REASON[item.reason] == "missing_secret_binding"


def test_a_pod_that_is_well_again_is_history() -> None:
    events = ["Warning | Unhealthy | 38m (x2 over 39m) | Readiness probe failed: connection refused"]
    found = facts_of(
        {**pods(pod_row(POD, restarts="1 (2h ago)")), **describe(POD, app="star-catalog", events=events, restarts=1)}
    )
    assert current(found) == []
    assert named(found, "readiness_probe_failed").current is False
    assert named(found, "restarted_long_ago").abnormal is False
    assert "1 pod: 1 Running and Ready" in named(found, "ready").text


def test_restarts_that_go_on_are_told_from_old_ones() -> None:
    looping = facts_of(pods(pod_row(POD, restarts="9 (30s ago)")))
    assert named(current(looping), "keeps_restarting").values["restarts"] == 9
    old = facts_of({f"kubectl get pods -n {NAMESPACE}": pods(pod_row(POD, restarts="9 (30s ago)"))[
        f"kubectl get pods -n {NAMESPACE} -o wide"].replace("40m", "90d")})  # fmt: skip
    assert [item.reason for item in current(old)] == ["restarted_recently"]


def test_a_finished_job_and_a_young_pod_are_no_failures() -> None:
    young = pod_row("lens-agent-x2x4z", ready="0/1", status="ContainerCreating").replace("40m", "5s")
    found = facts_of(pods(pod_row("nightly-x2x4z", ready="0/1", status="Completed"), young))
    assert current(found) == []
    assert named(found, "completed").abnormal is False
    assert named(found, "starting").abnormal is False


def test_a_pod_of_the_old_replica_set_that_goes_away_is_no_failure() -> None:
    old = {"name": "star-catalog-5c5c5c5c5c-old1x", "namespace": NAMESPACE, "phase": "Running",
           "deletion_timestamp": "2031-05-04T11:45:00Z",
           "containers": [{"name": "main", "ready": False, "restart_count": 3,
                           "state": {"waiting": True, "reason": "CrashLoopBackOff"}}]}  # fmt: skip
    new = {"name": POD, "namespace": NAMESPACE, "phase": "Running",
           "containers": [{"name": "main", "ready": True, "restart_count": 0, "state": {"running": True}}]}  # fmt: skip
    found = facts_of({}, objects={"pods": [old, new]})
    assert current(found) == []
    assert "old ReplicaSet star-catalog-5c5c5c5c5c" in named(found, "old_replicaset_terminating").text


def test_plain_objects_tell_what_the_waiting_message_says() -> None:
    pod = {"name": POD, "namespace": NAMESPACE, "phase": "Running",
           "containers": [{"name": "main", "ready": False, "restart_count": 8, "state": {
               "waiting": True, "reason": "CrashLoopBackOff",
               "message": "back-off 5m0s; last terminated: reason=OOMKilled, exit_code=137"}}]}  # fmt: skip
    item = named(current(facts_of({}, objects={"pods": [pod]})), "oom_killed")
    assert "8 restarts" in item.text


def test_pods_of_one_app_with_one_trouble_are_one_fact() -> None:
    rows = [pod_row(f"star-catalog-7d9f8c6b5d-x2x4{last}", ready="0/1", status="ImagePullBackOff") for last in "bcdf"]
    found = [item for item in current(facts_of(pods(*rows))) if item.reason == "image_pull_back_off"]
    assert len(found) == 1
    assert "3 more pods" in found[0].text
    assert found[0].values["pods"] == 4


@pytest.mark.parametrize(
    ("message", "reason", "cause"),
    [
        ('Failed to pull image "r.example/a:1": dial tcp: lookup r.example on 10.0.0.2:53: no such host',
         "image_registry_dns_failure", "image_registry_dns_failure"),
        ('Failed to pull image "r.example/a:9": r.example/a:9: not found',
         "image_not_found", "incorrect_image_reference"),
        ('Failed to pull image "r.example/a:9": unexpected status from HEAD request: 401 Unauthorized',
         "image_pull_unauthorized", "missing_image_pull_secret"),
        ('Failed to pull image "a:9": pull access denied, repository does not exist or may require authorization',
         "image_pull_access_denied", "incorrect_image_reference"),
        ('Failed to pull image "r.example/a:1": dial tcp 10.1.1.1:443: i/o timeout',
         "image_registry_unreachable", None),
    ],
)  # fmt: skip
def test_why_an_image_cannot_be_pulled(message: str, reason: str, cause: str | None) -> None:
    waiting = "    State:          Waiting\n      Reason:       ImagePullBackOff"
    text = describe(POD, app="star-catalog", status="Pending", ready=False, state=waiting,
                    events=[f"Warning | Failed | 30s (x4 over 3m) | {message}"])  # fmt: skip
    item = named(current(facts_of(text)), reason)
    assert CAUSE_OF_REASON.get(item.reason) == cause
    assert item.weight is Weight.CAUSE


def test_a_pull_that_needs_a_secret_says_which_is_missing() -> None:
    waiting = "    State:          Waiting\n      Reason:       ErrImagePull"
    commands = {
        **describe(POD, app="star-catalog", status="Pending", ready=False, state=waiting,
                   events=["Warning | Failed | 30s | Failed to pull image \"r.example/a:1\": 403 Forbidden"]),
        f"kubectl describe sa default -n {NAMESPACE}": (
            f"Name:                default\nNamespace:           {NAMESPACE}\nImage pull secrets:  <none>\n"
        ),
    }  # fmt: skip
    assert "no image pull secret is set" in named(facts_of(commands), "image_pull_unauthorized").text


PROBE = "    {role}:   {probe} delay={delay}s timeout=1s period={period}s #success=1 #failure={failures}"


def probe_line(role: str, probe: str, *, delay: int = 30, period: int = 10, failures: int = 3) -> str:
    """A probe as `describe` writes it."""
    return PROBE.format(role=role, probe=probe, delay=delay, period=period, failures=failures)


def unhealthy(role: str, message: str) -> str:
    """An event about a failed probe."""
    return f"Warning | Unhealthy | 20s (x9 over 5m) | {role} probe failed: {message}"


@pytest.mark.parametrize("role", ["Liveness", "Readiness"])
def test_a_probe_on_a_port_that_the_container_does_not_have(role: str) -> None:
    text = describe(POD, app="star-catalog", ready=False, restarts=4,
                    body=probe_line(role, "tcp-socket :7411"), events=[unhealthy(role, "refused")])  # fmt: skip
    item = named(current(facts_of(text)), f"{role.lower()}_probe_port_mismatch")
    assert (item.values["probe_port"], item.values["container_ports"]) == (7411, "7400")
    assert CAUSE_OF_REASON[item.reason] == f"{role.lower()}_probe_incorrect_port"


@pytest.mark.parametrize("role", ["Liveness", "Readiness"])
def test_a_probe_that_speaks_another_protocol_than_the_port(role: str) -> None:
    other = "Readiness" if role == "Liveness" else "Liveness"
    body = "\n".join([probe_line(role, "http-get http://:7400/"), probe_line(other, "grpc <pod>:7400")])
    text = describe(
        POD, app="star-catalog", ready=False, restarts=4, body=body, events=[unhealthy(role, "connection reset")]
    )
    item = named(current(facts_of(text)), f"{role.lower()}_probe_protocol_mismatch")
    assert "uses grpc and does not fail" in item.text


def test_the_services_port_name_tells_the_protocol_too() -> None:
    body = probe_line("Readiness", "http-get http://:7400/")
    commands = {
        **describe(POD, app="star-catalog", ready=False, body=body, events=[unhealthy("Readiness", "EOF")]),
        **service(
            "star-catalog",
            selector="app=star-catalog",
            port="80/TCP",
            target="7400/TCP",
            endpoints="",
            port_name="grpc",
        ),
    }
    named(current(facts_of(commands)), "readiness_probe_protocol_mismatch")


def test_a_liveness_probe_that_leaves_no_time_to_start() -> None:
    body = probe_line("Liveness", "tcp-socket :7400", delay=1, period=1, failures=1)
    text = describe(
        POD, app="star-catalog", ready=False, restarts=5, body=body, events=[unhealthy("Liveness", "refused")]
    )
    item = named(current(facts_of(text)), "liveness_probe_timing")
    assert CAUSE_OF_REASON[item.reason] == "liveness_probe_incorrect_timing"
    body = probe_line("Liveness", "tcp-socket :7400")
    patient = describe(POD, app="star-catalog", ready=False, restarts=5, body=body,
                       events=[unhealthy("Liveness", "refused")])  # fmt: skip
    assert named(current(facts_of(patient)), "liveness_probe_failed").weight is Weight.FAILURE


def test_an_application_that_answers_badly_is_not_a_wrong_probe() -> None:
    body = probe_line("Liveness", "http-get http://:7400/alive", delay=1, period=1, failures=1)
    events = [unhealthy("Liveness", "HTTP probe failed with statuscode: 500")]
    text = describe(POD, app="star-catalog", ready=False, restarts=5, body=body, events=events)
    item = named(current(facts_of(text)), "liveness_probe_failed")
    assert item.values["http_status"] == 500


def test_a_cpu_limit_far_below_what_the_command_asks_for() -> None:
    body = "    Command:\n      stress-ng\n      --cpu\n      24\n    Limits:\n      cpu:  50m"
    item = named(current(facts_of(describe("burner", app="burner", body=body))), "cpu_limit_tiny_vs_demand")
    assert (item.values["workers"], item.values["cpu_limit_cores"]) == (24, 0.05)
    modest = body.replace("24", "1")
    assert named(facts_of(describe("burner", app="burner", body=modest)), "cpu_limit_low").abnormal is False


def test_a_heap_that_does_not_fit_its_limit() -> None:
    body = "    Command:\n      java -Xmx2g -jar app.jar\n    Limits:\n      memory:  512Mi"
    item = named(current(facts_of(describe("indexer", app="indexer", body=body))), "memory_limit_below_demand")
    assert item.values["heap_bytes"] == 2 * 2**30


def test_replicas_that_lag_behind_a_running_rollout_are_no_failure() -> None:
    first = pod_row(POD)
    young = pod_row("star-catalog-7d9f8c6b5d-x2x4b", ready="0/1", status="ContainerCreating").replace("40m", "9s")
    found = facts_of({**deployment("star-catalog", ready="1/2", age="30s"), **pods(first, young)})
    assert current(found) == []
