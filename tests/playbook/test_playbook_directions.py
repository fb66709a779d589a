"""Workload faults that compete: who calls whom, what came first, what stood there before, which change is guilty."""

from __future__ import annotations

import pytest

from rootproof.agent.playbook.log_parts import peer
from rootproof.agent.playbook.log_rules import LOG_RULES
from rootproof.agent.playbook.signals import Kind
from rootproof.domain.claim import ClaimKind
from rootproof.domain.report import Draft
from tests.playbook.playbook_case import Case, causes

REFUSED = 'fetch failed: Get "http://plume:8080/v1": dial tcp <ip:1>:8080: connect: connection refused'
THROTTLED = "container_cpu_cfs_throttled_periods_ratio"


def edge(summary: str = "p99 of nest-web is 4 s") -> Case:
    return Case().alert(summary, service="nest-web").calls_of("nest-web", "sorter", "plume")


def kinds(line: str) -> set[Kind]:
    return {
        rule.kind for rule in LOG_RULES
        if rule.pattern.search(line) and not (rule.unless is not None and rule.unless.search(line))
    }  # fmt: skip


def told(draft: Draft, kind: ClaimKind) -> str:
    return " ".join(claim.text for claim in draft.claims if claim.kind is kind)


# --- what a target calls ---------------------------------------------------------------------------------------------


def test_a_fault_of_a_callee_is_found_without_words_of_the_caller() -> None:
    case = edge().series(THROTTLED, "sorter", [0.01] * 10 + [0.95] * 10, "ratio", changed=10)
    draft = case.series("http_request_duration_seconds_p99", "nest-web", [0.2] * 10 + [4.0] * 10, "s", changed=10)
    assert causes(draft.diagnose()) == ["cpu_throttling"]


def test_a_fault_of_what_nobody_concerned_calls_is_not_blamed() -> None:
    case = edge().series(THROTTLED, "ledger", [0.01] * 10 + [0.95] * 10, "ratio", changed=10)
    assert causes(case.diagnose()) == []


def test_a_refused_call_follows_from_the_peer_it_names_and_from_no_other_callee() -> None:
    draft = (
        edge("nest-web fails")
        .pattern("nest-web", REFUSED, 40)
        .fact("deployment/plume", "is scaled to 0 replicas, other services call it", "replicas_zero", app="plume")
        .fact("pod/<pod:sorter-1>", "secret sorter-key does not exist", "missing_config_reference", app="sorter")
        .diagnose()
    )
    assert "deployment_zero_replicas" in causes(draft)
    assert "dependency_unreachable" not in causes(draft)


def test_without_a_call_graph_failing_lines_tell_who_depends_on_whom() -> None:
    def case(line: str) -> list[str | None]:
        return causes(
            Case()
            .alert("Pods of plume are not ready.", pod="<pod:plume-1>")
            .fact(
                "pod/<pod:plume-1>",
                "readiness probe fails (214 times), HTTP 503",
                "readiness_probe_failed",
                app="plume",
            )
            .pattern("plume", line, 9, since=8)
            .pattern("roost-cache", "Write error saving DB on disk: No space left on device", 9, since=9)
            .diagnose()
        )

    assert case("check roost-cache: write failed") == ["storage_exhaustion"]
    assert case("check of the session failed") == ["readiness_probe_failing"]


def test_a_configuration_that_is_refused_because_of_a_call_follows_from_the_peer() -> None:
    def case(second: str) -> list[str | None]:
        return causes(
            Case()
            .alert("Pod is crash looping.", pod="<pod:tern-1>")
            .calls_of("tern", "plume")
            .fact("pod/<pod:tern-1>", "waiting with CrashLoopBackOff, 7 restarts", "crash_loop_back_off", app="tern")
            .fact("pod/<pod:plume-0>", "Pending, 0/3 nodes are available: 3 Insufficient memory", "insufficient_memory",
                  app="plume")
            .pattern("tern", f"invalid configuration: stream could not be verified: {second}", 7)
            .pattern("tern", REFUSED, 7)
            .diagnose()
        )  # fmt: skip

    assert case(REFUSED) == ["memory_capacity_mismatch"]
    assert "bad_configuration" in case("topic must not be empty")


def test_failing_calls_to_two_peers_are_two_matters() -> None:
    draft = (
        edge("nest-web fails")
        .pattern("nest-web", "metrics: lookup statsd.watch on <ip:9>:53: no such host", 90, since=90)
        .pattern("nest-web", REFUSED, 4)
        .fact("deployment/plume", "is scaled to 0 replicas, other services call it", "replicas_zero", app="plume")
        .diagnose()
    )
    assert causes(draft) == ["deployment_zero_replicas"]


def test_the_clusters_own_dns_explains_every_name_that_fails() -> None:
    draft = (
        edge("nest-web fails")
        .pattern("nest-web", "Error: getaddrinfo EAI_AGAIN plume.shop.svc.cluster.local", 9)
        .fact("app/coredns", "none of 2 DNS pods is ready", "dns_pods_down", app="coredns")
        .log("coredns", "/etc/coredns/Corefile:4 - Error during parsing: Unknown directive 'cahce'", level="ERROR")
        .diagnose()
    )
    assert causes(draft) == ["service_dns_resolution_failure"]
    assert "cahce" in told(draft, ClaimKind.CAUSE)


# --- what stood there before -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratio", "changed", "found"),
    [([0.35] * 40, None, ["slow_dependency_call"]), ([0.02] * 30 + [0.95] * 10, 10, ["cpu_throttling"])],
)
def test_throttling_that_stood_before_the_trouble_is_ruled_out(
    ratio: list[float], changed: float | None, found: list[str]
) -> None:
    draft = (
        Case()
        .alert("tern is throttled, its p99 is 4 s", service="tern")
        .calls_of("tern", "plume")
        .series(THROTTLED, "tern", ratio, "ratio", changed=changed)
        .series("request_duration_p99_seconds", "tern", [0.1] * 30 + [4.0] * 10, "s", changed=10)
        .pattern("tern", "slow call to plume:7000 /rates took 4611 ms", 9)
        .diagnose()
    )
    assert causes(draft) == found
    assert ("throttled" in told(draft, ClaimKind.RULED_OUT)) is (found == ["slow_dependency_call"])


@pytest.mark.parametrize(("since", "found"), [(200, ["oom_killed"]), (12, ["authentication_failure", "oom_killed"])])
def test_what_was_logged_long_before_the_alert_is_background(since: float, found: list[str]) -> None:
    draft = (
        Case()
        .alert("tern and gull fail", service="tern")
        .pattern("gull", "password authentication failed for user probe", 900, since=since)
        .fact("pod/<pod:tern-1>", "container main last terminated OOMKilled, exit code 137", "oom_killed", app="tern")
        .diagnose()
    )
    assert sorted(filter(None, causes(draft))) == found


def test_the_limit_of_a_change_is_the_new_one() -> None:
    draft = (
        Case()
        .alert("p99 of tern is 4 s", service="tern")
        .change("deployment/tern", "Config: cost review: cpu limit 2 -> 400m, request 1 -> 400m", 12)
        .series(THROTTLED, "tern", [0.01] * 30 + [0.95] * 10, "ratio", changed=10)
        .diagnose()
    )
    assert "limit of 400m" in told(draft, ClaimKind.CAUSE)


# --- changes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("other_changed", "cleared"), [(False, True), (True, False)])
def test_the_same_refusal_at_a_workload_that_was_not_changed_clears_the_change(
    other_changed: bool,
    cleared: bool,
) -> None:
    case = (
        Case()
        .alert("tern fails", service="tern")
        .change("deployment/tern", "Deploy: tern 5", 14)
        .pattern("tern", "atlas: 429 Too Many Requests, daily quota of key fleet", 9, since=10)
        .pattern("gull", "atlas: 429 Too Many Requests, daily quota of key fleet", 9, since=11)
    )
    case = case.change("deployment/gull", "Deploy: gull 2", 13) if other_changed else case
    draft = case.diagnose()
    assert causes(draft) == ["rate_limited"]
    assert any("roll back" in step.text for step in draft.next_steps) is not cleared
    assert ("seen without the change of" in told(draft, ClaimKind.RULED_OUT)) is cleared


@pytest.mark.parametrize(("minutes", "found"), [(12, ["network_policy_denied"]), (300, [])])
def test_a_network_policy_is_guilty_only_just_before(minutes: float, found: list[str]) -> None:
    draft = (
        Case()
        .alert("calls of tern time out", service="tern")
        .calls_of("tern", "plume")
        .change("networkpolicy/tern-egress", "Config: egress limited to dns", minutes)
        .pattern("tern", 'Get "http://plume:8080/rooms": context deadline exceeded', 9, since=10)
        .diagnose()
    )
    assert causes(draft) == found


# --- the end of things -----------------------------------------------------------------------------------------------


def job(until: float) -> Case:
    return (
        Case()
        .alert("Job failed to complete.", job_name="tally-29667720")
        .log("gull", "all is well")
        .fact("job/tally-29667720", "Failed, 0 of 1 completions, 3 failed pods", "backoff_limit_exceeded", app="tally")
        .pattern("tally", "upload failed: User: arn:x is not authorized to perform: s3:PutObject on resource y", 3,
                 since=until + 12, until=until)
    )  # fmt: skip


def test_the_last_words_of_a_failed_job_are_as_current_as_its_failure() -> None:
    draft = job(50).diagnose()
    assert causes(draft) == ["permission_denied"]
    assert "s3:PutObject" in told(draft, ClaimKind.CAUSE)


def test_what_an_earlier_run_said_is_not() -> None:
    draft = job(90).pattern("tally", "exit 1", 1, level="INFO", since=20, until=20).diagnose()
    assert causes(draft) == []


def test_alerts_that_always_fire_are_nothing_abnormal() -> None:
    def case(name: str, summary: str) -> bool:
        return (
            Case()
            .alert("tern has errors", service="tern")
            .fact("app/tern", "2 pods: 2 Running and Ready, 0 restarts", "ready", abnormal=False, app="tern")
            .monitor("TernErrors", "inactive", "errors above 3%")
            .monitor(name, "firing", summary)
            .diagnose()
            .healthy
        )

    assert case("Watchdog", "An alert that should always be firing")
    assert case("InfoInhibitor", "Info-level alert inhibition.")
    assert not case("TernLatency", "p99 above 2 s")


# --- nodes -----------------------------------------------------------------------------------------------------------


def pressed(taint: str) -> list[str | None]:
    return causes(
        Case()
        .alert("Pod has been in a non-ready state.", pod="<pod:tern-3>")
        .fact("node/<node:4>", "DiskPressure is True, KubeletHasDiskPressure", "disk_pressure")
        .fact("pod/<pod:tern-1>", "status Evicted, on node <node:4>, age 31m", "evicted", app="tern")
        .fact("pod/<pod:tern-3>", f"Pending, 1 node(s) had untolerated taint {{{taint}}}, 1 Insufficient cpu",
              "insufficient_cpu", app="tern")
        .diagnose()
    )  # fmt: skip


def test_a_pod_that_the_taint_of_a_pressed_node_keeps_away_is_its_effect() -> None:
    assert pressed("node.kubernetes.io/disk-pressure") == ["node_pressure_eviction"]
    assert "cpu_capacity_mismatch" in pressed("team/reserved")


def test_a_kubelets_insufficient_memory_is_no_schedulers_word() -> None:
    draft = (
        Case()
        .alert("Pods of tern are evicted.", pod="<pod:tern-1>")
        .fact("node/<node:4>", "MemoryPressure is True: kubelet has insufficient memory available", "memory_pressure")
        .fact("pod/<pod:tern-1>", "status Evicted, on node <node:4>, age 3m", "evicted", app="tern")
        .diagnose()
    )
    assert causes(draft) == ["node_pressure_eviction"]


def test_the_kernels_words_belong_to_the_workload_that_was_killed() -> None:
    draft = (
        edge("nest-web fails")
        .log("kernel", "Memory cgroup out of memory: Killed process 811 (java)", level="", topic="SYSTEM_EVENTS")
        .fact("pod/<pod:plume-1>", "container main last terminated OOMKilled, exit code 137, 3 restarts", "oom_killed",
              app="plume")
        .diagnose()
    )  # fmt: skip
    assert causes(draft) == ["oom_killed"]
    assert [claim.objects[0] for claim in draft.claims if claim.kind is ClaimKind.CAUSE] == ["app/plume"]


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "load settings: required key ROOST_KEY_ID missing value",
        "panic: environment variable ROOST_KEY must be set",
        "ROOST_DB_URL: unbound variable",
        "KeyError: 'ROOST_KEY'",
        "Could not resolve placeholder 'ROOST_KEY' in value \"${ROOST_KEY}\"",
        'required environment variable "ROOST_KEY" is not set',
        "ImproperlyConfigured: Set the ROOST_KEY environment variable",
    ],
)
def test_words_for_a_missing_variable(line: str) -> None:
    assert Kind.ENV_MISSING in kinds(line)


@pytest.mark.parametrize("line", ["KeyError: 'colour'", "set the LOG_LEVEL to debug", "WARN ROOST_KEY = 12"])
def test_words_that_only_look_like_it(line: str) -> None:
    assert Kind.ENV_MISSING not in kinds(line)


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ('"GET /x HTTP/1.1" 502 157', True),
        ("upstream returned 503", True),
        ("responded with status code 500", True),
        ("GET /ready 503 (check roost: write failed)", True),
        ("queue depth 570 and nobody consumes it", False),
        ("slow call took 4611 ms (budget 500 ms)", False),
        ("processed 500 rows", False),
    ],
)
def test_numbers_that_are_a_server_error(line: str, failed: bool) -> None:
    assert (Kind.HTTP_5XX in kinds(line)) is failed


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ("lookup plume.shop on <ip:1>:53: no such host", True),
        ("dns lookup failed", True),
        ("user lookup failed: Get https://plume:8443/users", False),
        ('<ip> - 4512 "A plume.shop.svc.cluster.local. IN udp 75 false 512" NXDOMAIN qr,aa,rd 162 0.0002s', False),
        ("Could not resolve placeholder 'ROOST_KEY'", False),
    ],
)
def test_lines_that_tell_of_a_name_that_does_not_resolve(line: str, failed: bool) -> None:
    assert (Kind.DNS_FAILURE in kinds(line)) is failed


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('check failed: Post "http://plume:8080/v1/check": dial tcp <ip:1>:8080: connect: connection refused', "plume"),
        ("dial tcp <ip:1>:9092: connect: connection refused (plume.shop.svc.cluster.local)", "plume.shop.svc"),
        ("Can't connect to MySQL server on 'plume-db:3306' (111)", "plume-db"),
        ("[Producer] Connection to node -1 (plume/<ip:2>:9092) could not be established", "plume"),
        ('user lookup failed: Get "https://plume.shop.svc:8443/u": tls: failed', "plume.shop.svc"),
        (
            'connect() failed while connecting to upstream, upstream: "http://<ip:1>:80/x", host: "www.nest.example"',
            None,
        ),
    ],
)
def test_the_peer_that_a_failing_call_names(line: str, name: str | None) -> None:
    assert peer(line) == name


def test_two_sides_that_speak_different_protocols() -> None:
    draft = (
        Case()
        .alert("tern answers 502 for every request", service="tern")
        .change("ingress/tern", "Config: backend-protocol HTTP -> HTTPS", 12)
        .pattern("tern", r"Invalid HTTP request line: '\\x16\\x03\\x01\\x02'", 9, level="WARN", since=11)
        .diagnose()
    )
    assert causes(draft) == ["service_protocol_mismatch"]
