"""Kubernetes answers name the fact that decides, count what is one thing, and clear only what is cleared."""

from __future__ import annotations

from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.observations import CallRecord, LogItem, Observations
from rootproof.agent.playbook.quiet_logs import QuietLogs, quiet_logs
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import Draft
from rootproof.domain.window import iso
from tests.playbook.playbook_case import Case, ago, causes

POD = "pod/<pod:plover-1>"


def said(draft: Draft, kind: ClaimKind = ClaimKind.CAUSE) -> str:
    return "\n".join(claim.text for claim in draft.claims if claim.kind is kind)


def ready_node(case: Case, name: str, extra: str = "") -> Case:
    return case.fact(f"node/{name}", f"is Ready, no pressure{extra}", "ready", abnormal=False)


def aspect(case: Case, value: str) -> Case:
    case.items["query_cluster"][-1][1]["aspect"] = value
    return case


def test_a_volume_that_no_node_can_reach_is_told_in_the_schedulers_words() -> None:
    case = Case(question="Why is plover pending?").fact(
        POD, "Pending, Unschedulable, scheduler: 0/2 nodes are available: 2 node(s) had volume node affinity conflict",
        "volume_node_affinity_conflict", app="plover",
    )  # fmt: skip
    aspect(case, "scheduling").fact(POD, "phase Pending, on no node", "pending", app="plover")
    ready_node(case, "reed-1")
    draft = case.diagnose()
    assert causes(draft) == ["volume_node_affinity_conflict"]
    assert "volume node affinity conflict" in said(draft)
    assert "where it runs" not in said(draft, ClaimKind.RULED_OUT)
    assert all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def test_whatever_keeps_the_scheduler_away_leaves_a_pod_unschedulable() -> None:
    case = Case(question="Why is plover pending?").fact(
        POD, "Pending, Unschedulable, scheduler: 0/2 nodes are available: 2 node(s) did not match topology spread",
        "topology_spread_unmet", app="plover",
    )  # fmt: skip
    draft = aspect(case, "scheduling").diagnose()
    assert causes(draft) == ["pod_unschedulable"]
    assert "topology spread" in said(draft)


def test_a_flag_that_is_not_defined_is_a_refused_configuration() -> None:
    case = Case(question="plover does not start. What is wrong?")
    case.fact(POD, "waiting with CrashLoopBackOff, 6 restarts", "CrashLoopBackOff", app="plover")
    case.log("plover", "flag provided but not defined: -cache-sise", level="", minutes=None)
    case.log("plover", "Usage of plover: -cache-size int entries to keep", level="", minutes=None)
    draft = case.diagnose()
    assert causes(draft) == ["bad_configuration"]
    assert "flag provided but not defined: -cache-sise" in said(draft)
    assert "Usage of" not in draft.summary


def test_a_migration_that_creates_what_is_there_fails_for_that() -> None:
    def case(state: str, abnormal: bool) -> list[str | None]:
        case = Case(question="Why did the job nest-migrate fail?")
        case.fact("job/nest-migrate", state, "BackoffLimitExceeded", abnormal=abnormal, app="nest-migrate")
        case.log("nest-migrate", 'migration 7 failed: ERROR: relation "eggs" already exists', level="ERROR")
        return causes(case.diagnose())

    assert case("Failed, 0 of 1 completions", True) == ["migration_object_exists"]
    assert case("Complete, 1 of 1 completions", False) == []


def test_a_missing_key_of_a_config_map_is_no_secret() -> None:
    def cause(kind: str) -> list[str | None]:
        words = (
            f"container main waits with CreateContainerConfigError, message: couldn't find key TOKEN in {kind} shop/x"
        )
        return causes(
            Case(question="plover does not start. Why?").fact(POD, words, "missing_config_key", app="plover").diagnose()
        )

    assert cause("ConfigMap") == ["missing_config_object"]
    assert cause("Secret") == ["missing_secret_binding"]


def test_only_the_node_of_the_faulty_pod_is_cleared_and_a_cordoned_one_is_not() -> None:
    def cleared(node_words: str) -> str:
        case = Case(question="plover does not start. What is wrong?")
        case.fact(POD, "waiting with CrashLoopBackOff, 6 restarts, on node reed-1", "CrashLoopBackOff", app="plover")
        case.log("plover", "flag provided but not defined: -cache-sise", level="", minutes=None)
        ready_node(ready_node(case, "reed-1", node_words), "reed-2")
        return said(case.diagnose(), ClaimKind.RULED_OUT)

    assert "Node reed-1" in cleared("")
    assert "reed-2" not in cleared("")
    assert "reed-1" not in cleared(", cordoned (SchedulingDisabled)")


def test_a_port_that_is_asked_stands_beside_the_port_that_is_open() -> None:
    words = (
        "liveness probe fails (9 times), the container's ports are 7070/TCP, declared: liveness probe http on port "
        "7071 (delay 5s, period 10s), message: connection refused"
    )
    case = Case(question="Why does plover restart?").fact(POD, words, "liveness_probe_port_mismatch", app="plover")
    draft = case.diagnose()
    assert "7070/TCP" in said(draft)
    assert "port 7071" in said(draft)
    assert "period 10s" not in said(draft)


def events(pattern: str) -> Case:
    case = Case().alert("Nodes of plover were away.", service="plover", severity="warning")
    case.fact("app/plover", "2 pods: 2 Running and Ready, 0 restarts", "ready", abnormal=False, app="plover")
    case.pattern("kubernetes-events", pattern, 2, level="WARN", topic="SYSTEM_EVENTS")
    fields = case.items["query_logs:SYSTEM_EVENTS"][-1][1]
    fields["example"] = "NodeNotReady Pod/plover-a (x1): Node is not ready"
    fields["first"] = fields["last"] = iso(ago(45))
    case.log("plover", "GET /nests 200 4 ms")
    return case


def test_a_count_of_a_pattern_is_not_put_on_one_of_its_objects() -> None:
    masked = events("NodeNotReady <*> (<id>): Node is not ready").diagnose()
    told = "\n".join(claim.text for claim in masked.claims)
    assert "2 lines such as" in told
    assert "2 times" not in told
    same = events("NodeNotReady Pod/plover-a (x1): Node is not ready").diagnose()
    assert "2 times" in "\n".join(claim.text for claim in same.claims)


def test_a_probe_that_fails_while_its_pod_leaves_is_expected_and_not_over() -> None:
    case = Case().alert("Pod plover-1 is not Ready.", service="plover", severity="warning")
    case.fact("app/plover", "2 pods: 2 Running and Ready, 0 restarts", "ready", abnormal=False, app="plover")
    case.fact("pod/plover-1", "is terminating, deletion asked for", "terminating", abnormal=False, app="plover")
    case.log("kubernetes-events", "Unhealthy Pod/plover-1 (x2): Readiness probe failed: status 503", level="WARN",
             topic="SYSTEM_EVENTS", minutes=1)  # fmt: skip
    case.log("autoscaler", "Scaled Deployment/plover from 3 to 2: all below target", topic="SYSTEM_EVENTS", minutes=2)
    draft = case.diagnose()
    assert draft.healthy
    assert "f a pod that is terminating" in said(draft, ClaimKind.RULED_OUT)
    assert "Over:" not in said(draft, ClaimKind.RULED_OUT)
    assert "is terminating" in said(draft, ClaimKind.SYMPTOM)
    assert "from 3 to 2" in said(draft, ClaimKind.SYMPTOM)


def test_what_is_a_cause_is_not_said_again_as_a_symptom() -> None:
    draft = DraftBuilder()
    draft.claim(ClaimKind.CAUSE, "plover fails.", [("E1", None)])
    draft.claim(ClaimKind.SYMPTOM, "plover fails.", [("E2", None)])
    assert [c["kind"] for c in draft.claims] == ["CAUSE"]


def test_a_record_that_calls_itself_an_error_is_no_quiet_log() -> None:
    def quiet(line: str) -> QuietLogs | None:
        call = CallRecord("t1", "query_logs", {"topic": "SYSTEM_EVENTS"}, "OK", "", {"levels": {"INFO": 1}})
        item = LogItem("E1", "SYSTEM_EVENTS", "INFO", "db-events", line, 1, ago(9), ago(9), is_pattern=True)
        return quiet_logs(Observations(calls=(call,), logs=(item,)))

    assert quiet("loom-db: log: ERROR: canceling autovacuum task") is None
    warned = quiet("loom-db: log: WARNING: pages left")
    assert warned is not None
    assert warned.warnings == 1
