"""What a line means and what of it is quoted: names taken out, ends told apart, the telling half kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rootproof.agent.playbook.clauses import telling
from rootproof.agent.playbook.lock_queue import holder
from rootproof.agent.playbook.log_parts import DURATION
from rootproof.agent.playbook.log_rules import is_over
from rootproof.agent.playbook.log_signals import log_signals
from rootproof.agent.playbook.object_names import Names
from rootproof.agent.playbook.observations import LogItem, SeriesItem
from rootproof.agent.playbook.signals import Kind
from rootproof.agent.playbook.wording import range_phrase
from rootproof.domain.claim import ClaimKind
from tests.playbook.playbook_case import NOW, Case, ago, causes, rising, steady

NO_HOST = (
    "session pool: could not open the store after 7 attempts in a row: dial tcp: lookup nest.far-away.svc.cluster.local"
    " on 10.9.0.10:53: no such host"
)


def item(text: str, *, service: str = "osprey", level: str = "WARN", topic: str = "APPLICATION") -> LogItem:
    return LogItem("E1", topic, level, service, text, 1, ago(1), ago(1), is_pattern=False)


def meanings(text: str, *objects: str, **values: str) -> set[object]:
    return {s.kind for s in log_signals([item(text, **values)], NOW, objects)}


# names


@pytest.mark.parametrize(
    ("line", "objects", "never"),
    [
        ("Container host-lookup failed startup probe, will be restarted", (), Kind.DNS_FAILURE),
        ("Container lookup failed its check", (), Kind.DNS_FAILURE),
        ("pod deadlock-detected-7 was moved", (), Kind.DEADLOCK),
        ("rescheduled too-many-requests-ui", ("app/too-many-requests-ui",), Kind.RATE_LIMITED),
        ("GET http://command-not-found.example/a 200", (), Kind.COMMAND_MISSING),
        ("report of evicted-mail written", ("evicted-mail",), Kind.EVICTED),
        ("evicted-mail-5d9f8c7b6d-x2x4z is up", ("deployment/evicted-mail",), Kind.EVICTED),
    ],
)
def test_the_name_of_a_thing_means_nothing(line: str, objects: tuple[str, ...], never: Kind) -> None:
    assert never not in meanings(line, *objects)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("host-lookup: lookup failed for gate.example", Kind.DNS_FAILURE),
        ("dns-lookup failed for gate.example", Kind.DNS_FAILURE),
        ("container was evicted from its node", Kind.EVICTED),
        ("cannot connect to osprey-redis", Kind.DB_UNREACHABLE),
        ("osprey-db-replica is 40 s behind", Kind.REPLICATION_BEHIND),
    ],
)
def test_what_befell_a_thing_is_still_read(line: str, kind: Kind) -> None:
    assert kind in meanings(line, "app/host-lookup", "app/osprey-redis", "app/osprey-db-replica", level="ERROR")


def test_a_plain_word_that_is_a_service_too_stays() -> None:
    assert Names(["database"]).without("database is down") == "database is down"


# startup probes


def test_a_startup_probe_at_a_port_nobody_listens_on_is_a_probe_fault() -> None:
    case = Case().alert("tide-lookup restarted 6 times.", service="tide-lookup")
    case.fact("pod/<pod:1>", "0/1 containers ready, 6 restarts", "crash_loop", app="tide-lookup")
    for words in ("Unhealthy Pod/<pod:1>: Startup probe failed: dial tcp 10.1.2.3:7001: connect: connection refused",
                  "Killing Pod/<pod:1>: Container tide-lookup failed startup probe, will be restarted"):  # fmt: skip
        case.log("kubernetes-events", words, topic="SYSTEM_EVENTS", level="WARN")
    draft = case.diagnose()
    assert causes(draft) == ["startup_probe_failing"]
    told = next(c.text for c in draft.claims if c.kind is ClaimKind.CAUSE)
    assert "startup probe" in told
    assert "7001" in told


def test_a_fact_about_a_startup_probe_means_it_too() -> None:
    case = Case().alert("skua is not ready.", service="skua")
    case.fact("pod/<pod:1>", "startup probe fails (9 times), message: 404", "startup_probe_failed", app="skua")
    assert causes(case.diagnose()) == ["startup_probe_failing"]


# ends


@pytest.mark.parametrize(
    ("line", "over"),
    [
        ("Replication lag of brant-2 is back below 5 seconds", True),
        ("free storage of brant-2 is back above 10 GB", True),
        ("the standby has caught up", True),
        ("queue depth returned to normal", True),
        ("node is no longer under pressure", True),
        ("the alarm has been cleared", True),
        ("incident 41 was resolved", True),
        ("free storage of brant-2 is back below 1 GB", False),
        ("latency is back above 2 s", False),
        ("the standby has not caught up", False),
        ("the standby never caught up", False),
        ("waiting for the replica to be back under its limit", False),
        ("lag is back below 5 s but rises again", False),
        ("the node is no longer the leader", False),
        ("panic recovered: nil map", False),
    ],
)
def test_words_that_tell_of_an_end(line: str, over: bool) -> None:
    assert is_over(line) is over
    assert (Kind.RECOVERED in meanings(line)) or not over


def test_the_end_of_a_fault_is_not_the_fault() -> None:
    found = meanings("Replication lag of brant-2 is back below 5 seconds", level="INFO")
    assert found == {Kind.RECOVERED}
    assert Kind.REPLICATION_BEHIND in meanings("Replication lag of brant-2 is above 5 seconds", level="INFO")


def test_a_lag_that_is_back_is_healthy() -> None:
    case = Case().alert("Replica lag on brant-2 was above 60 seconds.", severity="warning", db_instance="brant-2")
    case.series("ReplicaLag", "brant-2", [1, 1, 90, 80, *steady(1)], "Seconds")
    case.log("db-events", "brant-2: replication lag exceeded 60 seconds", topic="SYSTEM_EVENTS", minutes=16)
    case.log("db-events", "brant-2: Replication lag is back below 5 seconds", topic="SYSTEM_EVENTS", minutes=9)
    assert case.diagnose().healthy


# quotes


@pytest.mark.parametrize(
    ("line", "kind", "kept"),
    [
        (NO_HOST, Kind.DNS_FAILURE, "no such host"),
        ("loom has 91 of 100 connections in use; 77 sessions are idle in transaction", Kind.TOO_MANY_CONNECTIONS,
         "77 sessions are idle"),
        ("Traceback: ~~~~^^^^ File \"<frozen os>\", line 685, in __getitem__ KeyError: 'NEST_AREA'", Kind.ENV_MISSING,
         "KeyError: 'NEST_AREA'"),
    ],
)  # fmt: skip
def test_a_quote_holds_the_telling_half(line: str, kind: Kind, kept: str) -> None:
    signal = next(s for s in log_signals([item(line, level="ERROR")], NOW) if s.kind is kind)
    words = telling(signal)
    assert kept in words
    assert words in line
    assert "^^^" not in words


# holders


def test_who_holds_up_replay_is_named() -> None:
    runs = "SELECT p.*, y.* FROM plots p JOIN yards y USING (yard) ORDER BY p.sown DESC, p.kind, y.soil, y.slope"
    line = f"process 5150 running since 11:02 holds the oldest snapshot: {runs} (user rep_loader)"
    assert holder(line) == {"by": "user rep_loader", "runs": f"{runs} (user rep_loader)"}
    case = Case().alert("Replica lag on brant-2 is 700 s.", db_instance="brant-2")
    case.series("ReplicaLag", "brant-2", rising(1, 700), "Seconds")
    for words in ("LOG: recovery still waiting after 1000 ms: recovery conflict on snapshot", f"LOG: {line}"):
        case.log("db-events", f"brant-2: {words}", topic="SYSTEM_EVENTS", minutes=5)
    draft = case.diagnose()
    assert causes(draft) == ["replication_replay_conflict"]
    assert "rep_loader" in next(c.text for c in draft.claims if c.kind is ClaimKind.CAUSE)


# fields


def test_a_duration_field_is_a_slow_call() -> None:
    found = DURATION.search("call returned url=http://skua.core/v1 response_time=4.2s status 200")
    assert found is not None
    assert found.groups() == ("4.2", "s")


# what began first, what is over


def test_the_first_of_several_lines_dates_the_fault() -> None:
    case = Case().alert("Inserts into loom-db are slow.", db_instance="loom-db")
    case.series("DiskQueueDepth", "loom-db", rising(0.2, 40))
    case.top_sql("loom-db", 3.0, "IO:WALWrite=2.4, CPU=0.6", "REINDEX TABLE plots")
    for minutes in (18, 4):
        words = f"loom-db: LOG: checkpoints are occurring too frequently ({minutes} seconds apart)"
        case.log("db-events", words, topic="SYSTEM_EVENTS", minutes=minutes)
    draft = case.diagnose()
    assert causes(draft) == ["checkpoint_vacuum_pressure"]
    assert "11:42" in draft.summary
    assert "11:56" not in draft.summary


def test_a_peak_that_is_over_is_told_with_where_it_stands_now() -> None:
    lag = SeriesItem("E1", "ReplicaLag", {}, "Seconds", 20, 1, 1, 0.9, 90, 9, "varying", None, None, None, None)
    assert range_phrase(lag, "brant-2") == "ReplicaLag of brant-2 was between 0.9 s and 90 s and is at 1 s now"
    assert range_phrase(replace(lag, high=2), "brant-2") == "ReplicaLag of brant-2 was between 0.9 s and 2 s"
