"""What a report says is what the evidence shows: facts side by side, no inference dressed as one."""

from __future__ import annotations

from typing import Any

import pytest

from rootproof.agent import advice_tokens
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import Draft
from rootproof.domain.window import iso
from tests.playbook.playbook_case import Case, ago, causes, rising, steady
from tests.playbook.test_playbook_newcomer import Logs

INFERRED = ("not the cause", "not a cause", "not at fault", "over:")
"""Words that say more than a number beside another does."""


def said(draft: Draft, kind: ClaimKind | None = None) -> str:
    return "\n".join(claim.text for claim in draft.claims if kind in (None, claim.kind))


def infers(draft: Draft) -> list[str]:
    told = f"{draft.summary}\n{said(draft)}".lower()
    return [words for words in INFERRED if words in told]


def held(case: Case, draft: Draft) -> None:
    assert [c.claim.text for c in case.checked(draft) if c.verdict is not Verdict.SUPPORTED] == []


def crowded() -> Case:
    case = Case().alert("Connections of weir-db are at 97% of the limit.", db_instance="weir-db")
    case.series("DatabaseConnections", "weir-db", rising(150, 294))
    case.series("CPUUtilization", "weir-db", rising(60, 94), "Percent")
    case.series("FreeStorageSpace", "weir-db", steady(2e11), "Bytes")
    case.series("FreeableMemory", "weir-db", steady(3e10), "Bytes")
    case.log("db-events", "weir-db: current connections 294 of 300", topic="SYSTEM_EVENTS", minutes=4)
    return case.top_sql("weir-db", 6.0, "Client:ClientRead=5.5, CPU=0.5", "SELECT * FROM gates WHERE id = $1")


def test_a_busy_cpu_beside_another_wait_is_told_and_not_cleared() -> None:
    case = crowded()
    draft = case.diagnose()
    assert causes(draft) == ["db_connection_exhaustion"]
    assert "5.5 of a load of 6 is Client:ClientRead rather than CPU" in said(draft, ClaimKind.SYMPTOM)
    assert "CPU" not in said(draft, ClaimKind.RULED_OUT)
    assert "take up the connections" not in said(draft), "a share of waits is no count of connections"
    assert infers(draft) == []
    held(case, draft)


def test_what_is_quiet_is_told_as_quiet() -> None:
    draft = crowded().diagnose()
    assert "so storage did not fill up" in said(draft, ClaimKind.RULED_OUT)
    assert "so memory did not run out" in said(draft, ClaimKind.RULED_OUT)


@pytest.mark.parametrize(
    ("name", "unit", "value", "words"),
    [
        ("cpu_percent", "Percent", 24.0, "so the CPU was not saturated"),
        ("cpu_usage_cores", "", 0.12, "so its use of CPU hardly changed"),
    ],
)
def test_cores_without_a_limit_say_nothing_of_saturation(name: str, unit: str, value: float, words: str) -> None:
    case = Case().alert("Connections of weir-db are at 97% of the limit.", db_instance="weir-db")
    case.series("DatabaseConnections", "weir-db", rising(150, 294))
    case.series(name, "weir-db", steady(value), unit)
    case.log("db-events", "weir-db: current connections 294 of 300", topic="SYSTEM_EVENTS", minutes=4)
    assert words in said(case.diagnose(), ClaimKind.RULED_OUT)


def test_an_effect_is_a_symptom_in_its_own_words() -> None:
    case = Case().alert("heron: 90% of calls fail", service="heron").calls_of("heron", "heron-redis")
    case.fact("node/<node:1>", "Ready is Unknown, Kubelet stopped posting", "NodeNotReady")
    case.log("kubernetes-events", "NodeNotReady Pod/heron-redis-0: Node is not ready", topic="SYSTEM_EVENTS", minutes=9)
    case.pattern("heron", "RedisTimeoutException: Connection to heron-redis:6379 timed out", 30, since=8)
    draft = case.diagnose()
    assert causes(draft) == ["node_not_ready"]
    assert "timed out" in said(draft, ClaimKind.SYMPTOM)
    assert infers(draft) == []


def test_an_event_is_dated_without_saying_that_it_was_the_first() -> None:
    draft = crowded().diagnose()
    assert "db-events logged it at 11:56 UTC." in draft.summary
    assert "first reported" not in draft.summary


def restarted(times: int) -> Case:
    case = Case().alert("plover restarts", service="plover")
    case.fact("pod/<pod:plover-1>", f"container main last terminated OOMKilled, exit code 137, {times} restarts",
              "oom_killed", app="plover")  # fmt: skip
    case.items["query_cluster"][-1][1]["values"] = {"exit_code": 137, "restarts": times}
    case.pattern("plover", "processing import batch of 9000 rows", 1, level="INFO", since=3, until=3)
    return case.log("plover", "Memory cgroup out of memory: Killed process 1 (plover)", level="", minutes=2)


@pytest.mark.parametrize(("times", "began"), [(1, True), (8, False)])
def test_the_records_of_the_last_of_many_restarts_date_no_beginning(times: int, began: bool) -> None:
    case = restarted(times)
    draft = case.diagnose()
    assert causes(draft) == ["oom_killed"]
    assert "processing import batch" in draft.summary
    assert ("just before it began" in draft.summary) is began


def ended(code: int) -> Case:
    case = Case().alert("plover restarts", service="plover")
    case.fact("pod/<pod:plover-1>", f"waiting with CrashLoopBackOff, exit code {code}, 6 restarts", "CrashLoopBackOff",
              app="plover")  # fmt: skip
    fields = case.items["query_cluster"][-1][1]
    fields["values"], fields["aspect"] = {"exit_code": code, "restarts": 6}, "termination"
    return case.log("plover", "flag provided but not defined: -gate-sise", level="", minutes=None)


def test_an_exit_code_is_told_and_nothing_is_concluded_from_it() -> None:
    case = ended(2)
    draft = case.diagnose()
    assert "exit code 2 rather than 137" in said(draft, ClaimKind.RULED_OUT)
    assert infers(draft) == []
    held(case, draft)


def recovered() -> Case:
    case = Case().alert("Pod of plover restarted.", service="plover", severity="warning")
    case.fact("app/plover", "2 pods: 2 Running and Ready, 1 restart", "ready", abnormal=False, app="plover")
    case.log("kubernetes-events", "BackOff Pod/plover-1 (x1): Back-off restarting failed container", level="WARN",
             topic="SYSTEM_EVENTS", minutes=50)  # fmt: skip
    return case.log("plover", "GET /gates 200 3ms", minutes=1)


def test_the_past_is_dated_and_not_called_over() -> None:
    draft = recovered().diagnose()
    assert draft.healthy
    assert "Not seen since 11:10 UTC" in said(draft, ClaimKind.RULED_OUT)
    assert infers(draft) == []


def test_a_closer_look_at_one_pod_does_not_contradict_the_whole_app() -> None:
    case = recovered().fact(
        "app/plover", "1 pod: 1 Running and Ready, 0 restarts", "ready", abnormal=False, app="plover"
    )
    draft = case.diagnose()
    assert "2 of 2 pods of plover" in said(draft)
    assert "1 of 1 pods" not in said(draft)


def test_a_quiet_alert_does_not_repeat_what_it_would_say_if_it_fired() -> None:
    draft = recovered().monitor("Plover latency", "inactive", "plover latency is elevated").diagnose()
    assert 'The alert "Plover latency" is inactive.' in said(draft)
    assert "elevated" not in said(draft)


def test_a_state_is_not_the_name_of_what_was_looked_at() -> None:
    case = Case().alert("Pods are Pending.", name="PodsPending", severity="warning")
    case.fact("node/<node:1>", "is Ready, no pressure", "ready", abnormal=False)
    case.monitor("PodsPending", "inactive").log("Pending", "pod placed")
    draft = case.diagnose()
    assert draft.healthy
    assert "of Pending" not in draft.summary


def test_lines_of_one_instant_may_be_copies_and_are_told_so() -> None:
    copies = Logs(question="Show me the errors in the logs").spell("plover", "Unable to reach the gate", 2, 9, 9)
    draft = copies.diagnose()
    assert "2 records of one and the same instant" in draft.summary
    assert f"2 times, all at {iso(ago(9))}" in said(draft)
    spread = Logs(question="Show me the errors in the logs").spell("plover", "Unable to reach the gate", 2, 9, 3)
    assert "(2 times, plover)" in spread.diagnose().summary


class Cut(Logs):
    """Logs of which more errors are counted than patterns are shown."""

    def _answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = super()._answer(name, arguments)
        if "levels" in result:
            result["levels"]["ERROR"] = result["levels"].get("ERROR", 0) + 40
        return result


@pytest.mark.parametrize(("kind", "more"), [(Logs, False), (Cut, True)])
def test_a_count_of_a_part_is_told_as_one(kind: type[Logs], more: bool) -> None:
    draft = (
        kind(question="Show me the errors in the logs").spell("plover", "Unable to reach the gate", 7, 9, 3).diagnose()
    )
    assert ("a count may be higher" in draft.summary) is more


def test_a_background_process_is_quoted_with_its_name() -> None:
    case = Case().alert("Writes on weir-db are slow.", db_instance="weir-db")
    case.series("WriteLatency", "weir-db", rising(1, 160), "Milliseconds")
    case.series("DiskQueueDepth", "weir-db", rising(0.1, 44))
    case.top_sql("weir-db", 8.0, "LWLock:BufferMapping=4.0, IO:WALWrite=3.0, CPU=1.0", "autovacuum: VACUUM gates")
    case.top_sql("weir-db", 0.5, "IO:WALSync=0.3, IO:BufferSync=0.2", "checkpointer process: flushing dirty buffers")
    draft = case.diagnose()
    assert causes(draft) == ["checkpoint_vacuum_pressure"]
    assert '"checkpointer process: flushing dirty buffers"' in said(draft)


@pytest.mark.parametrize(("text", "found"), [
    ("node <node:1> is ready, no pressure", False), ("node <node:1> -e <pod:1>", True), ("node x.js > out", True),
])  # fmt: skip
def test_a_name_under_its_alias_is_no_redirection(text: str, found: bool) -> None:
    assert any(token.what == "a command" for token in advice_tokens.tokens(text)) is found
