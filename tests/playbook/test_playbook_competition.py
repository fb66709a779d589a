"""Hypotheses that compete: whose server, which came first, who depends on whom, demand or cost, one fault or two."""

from __future__ import annotations

import pytest

from rootproof.agent.playbook.servers import family, one_server
from rootproof.domain.alert import Alert, AlertStatus
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import Draft
from rootproof.domain.window import iso
from tests.playbook.playbook_case import Case, ago, causes, rising, steady

FULL = 'could not extend file "base/1/2": No space left on device'
SCAN = "SELECT id FROM parcels WHERE lower(label) LIKE $1"


def blamed(draft: Draft) -> list[str]:
    return [claim.objects[0] for claim in draft.claims if claim.kind is ClaimKind.CAUSE]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("heron-mysql-primary", "heron-mysql-replica-2", True),
        ("heron-mysql-a", "heron-mysql-b", True),
        ("heron-pg", "heron-pg-standby", True),
        ("heron-pg", "tern-pg", False),
        ("heron-mysql-primary", "tern-mysql-primary", False),
    ],
)
def test_servers_of_one_cluster_share_a_name(a: str, b: str, same: bool) -> None:
    assert one_server(a, b) is same
    assert (family(a) == family(b)) is same


def test_a_clients_words_are_about_the_server_that_it_calls() -> None:
    case = Case().alert("heron: 90% of calls fail", service="heron").calls_of("heron", "heron-pg", "mailer")
    case.pattern("heron", f"PSQLException: ERROR: {FULL}", 40)
    assert blamed(case.diagnose()) == ["db/heron-pg"]


def test_a_full_disk_of_its_own_stays_the_callers() -> None:
    case = Case().alert("heron: 90% of calls fail", service="heron").calls_of("heron", "heron-pg")
    case.pattern("heron", "write /var/spool/heron/out: no space left on device", 40)
    assert blamed(case.diagnose()) == ["db/heron"]


def queued() -> Case:
    case = Case().alert("heron-pg: connections above 95% of max_connections", server="heron-pg")
    case.series("pg_stat_activity_count", "heron-pg", rising(70, 199), changed=5)
    case.series("pg_settings_max_connections", "heron-pg", [200.0, 200.0])
    return case.pattern("heron-pg", "remaining connection slots are reserved", 12, level="FATAL", since=4)


def test_sessions_that_queue_for_a_lock_are_its_effect() -> None:
    case = queued().series("pg_locks_waiting", "heron-pg", rising(0, 120), changed=12)
    draft = case.diagnose()
    assert causes(draft) == ["lock_contention"]
    assert all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def test_without_lock_waits_they_are_a_fault_of_their_own() -> None:
    assert causes(queued().series("pg_locks_waiting", "heron-pg", steady(1)).diagnose()) == ["db_connection_exhaustion"]


def failing_beside_a_failover() -> Case:
    case = Case().alert("heron: 60% errors", service="heron")
    case.calls_of("heron", "heron-pg", "price-engine").calls_of("charts", "archive-pg")
    case.series("CPUUtilization", "archive-pg", steady(20), "Percent")
    case.series("CPUUtilization", "heron-pg", steady(20), "Percent")
    case.pattern("heron", "dial tcp price-engine:8080: connect: connection refused", 30, since=8)
    return case.log("rds-events", "archive-pg: Multi-AZ instance failover completed", topic="SYSTEM_EVENTS", minutes=9)


def test_a_failover_of_a_server_that_nobody_concerned_calls_is_not_blamed() -> None:
    assert "database_failover" not in causes(failing_beside_a_failover().diagnose())


def test_the_same_failover_of_its_own_server_is() -> None:
    case = failing_beside_a_failover()
    case.items["query_logs:SYSTEM_EVENTS"].clear()
    case.items["query_logs:APPLICATION"].clear()
    case.pattern("heron", "Communications link failure", 30, since=8)
    case.log("rds-events", "heron-pg: Multi-AZ instance failover completed", topic="SYSTEM_EVENTS", minutes=9)
    assert causes(case.diagnose()) == ["database_failover"]


@pytest.mark.parametrize(("minutes", "found"), [(9, ["database_failover"]), (80, [])])
def test_a_failover_that_was_long_over_is_innocent(minutes: float, found: list[str]) -> None:
    case = Case().alert("heron: 60% errors", service="heron").calls_of("heron", "heron-pg")
    case.pattern("heron", "GET /parcels 503 service unavailable", 30, since=8)
    case.log("rds-events", "heron-pg: failover to heron completed", topic="SYSTEM_EVENTS", minutes=minutes)
    assert causes(case.diagnose()) == found


def starved() -> Case:
    case = Case().alert("heron-pg: CPU 96%", db_instance="heron-pg")
    case.series("CPUUtilization", "heron-pg", [22.0] * 20 + rising(30, 96, 10), "Percent", changed=9)
    return case.calls_of("heron", "heron-pg", "heron-redis")


def test_a_new_slow_statement_saturates_the_cpu() -> None:
    case = starved().pattern("heron-pg", f"duration: 9020.5 ms  execute x: {SCAN}", 30, level="INFO", since=10)
    draft = case.diagnose()
    assert causes(draft) == ["cpu_saturation_query"]
    assert "took 9020.5 ms" in draft.summary
    assert all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def test_a_statement_that_is_always_slow_does_not() -> None:
    case = starved().pattern("heron-pg", f"duration: 9020.5 ms  execute x: {SCAN}", 30, level="INFO", since=100)
    assert causes(case.diagnose()) == []


def test_what_a_failing_cache_lets_through_is_its_effect() -> None:
    case = starved().pattern("heron-pg", f"duration: 1811.2 ms  execute x: {SCAN}", 30, level="INFO", since=9)
    case.pattern("heron", "OOM command not allowed when used memory > 'maxmemory'.", 50, level="WARN", since=14)
    assert causes(case.diagnose()) == ["cache_failure"]


def pressed(edge: list[float]) -> Case:
    case = Case().alert("stock: 71% of calls fail", service="stock").calls_of("shop", "stock")
    case.series("requests_per_second", "stock", rising(400, 2900), changed=9)
    case.series("cpu_percent", "stock", rising(38, 99), "percent", changed=9)
    case.series("requests_per_second", "shop", edge, changed=9 if edge[-1] > 1.5 * edge[0] else None)
    return case.series("stock_retries_per_second", "shop", rising(1, 2500), changed=9)


def test_a_rise_that_the_edge_does_not_see_is_made_of_retries() -> None:
    assert causes(pressed(steady(400)).diagnose()) == ["retry_storm"]


def test_a_rise_at_the_edge_is_demand() -> None:
    case = pressed(rising(400, 2900))
    case.items["query_metrics"].pop()
    assert causes(case.diagnose()) == ["traffic_surge"]


@pytest.mark.parametrize(("asked", "cause"), [(12, "traffic_surge"), (2, "cpu_saturation_query")])
def test_demand_explains_load_that_came_after_it_only(asked: float, cause: str) -> None:
    case = starved().pattern("heron-pg", f"duration: 2020.5 ms  execute x: {SCAN}", 30, level="INFO", since=10)
    case.series("requests_per_second", "heron", rising(100, 900), changed=asked)
    case.series("p95_seconds", "heron", rising(0.1, 6.0), "seconds", changed=8)
    assert causes(case.diagnose())[0] == cause


def test_two_alerts_may_tell_of_two_faults() -> None:
    case = starved().pattern("heron-pg", f"duration: 9020.5 ms  execute x: {SCAN}", 30, level="INFO", since=10)
    case.pattern("notifier", "KeyError: 'SMS_SENDER_ID'", 9)
    case.fact("pod/notifier-6c5d9f7b8-q2wzn", "status CrashLoopBackOff, 7 restarts", "CrashLoopBackOff", app="notifier")
    labels = {"app": "notifier"}
    second = Alert("Crash", AlertStatus.FIRING, summary="notifier restarts", started_at=ago(5), labels=labels)
    case.alerts = (*case.alerts, second)
    assert set(causes(case.diagnose())) == {"cpu_saturation_query", "missing_environment_variable"}


def test_a_node_that_fails_takes_the_peer_along() -> None:
    case = Case().alert("heron: 90% of calls fail", service="heron").calls_of("heron", "heron-redis")
    case.fact("node/<node:1>", "Ready is Unknown, Kubelet stopped posting", "NodeNotReady")
    case.log("kubernetes-events", "NodeNotReady Pod/heron-redis-0: Node is not ready", topic="SYSTEM_EVENTS", minutes=9)
    case.pattern("heron", "RedisTimeoutException: Connection to heron-redis:6379 timed out", 30, since=8)
    draft = case.diagnose()
    assert causes(draft) == ["node_not_ready"]
    assert any("heron-redis" in claim.text for claim in draft.claims if claim.kind is ClaimKind.SYMPTOM)
    assert not any(claim.kind is ClaimKind.RULED_OUT for claim in draft.claims), "an effect is seen, not ruled out"


def backlog() -> Case:
    case = Case().alert("parcels.route has 31000 messages", queue="parcels.route").calls_of("router", "rabbit", "geo")
    case.series("rabbitmq_queue_messages_ready", "", rising(20, 31_000), changed=8, queue="parcels.route")
    return case


def test_a_queue_grows_because_what_its_consumer_needs_is_dead() -> None:
    case = backlog().pattern("router", "Post http://geo:9000: dial tcp geo:9000: connect: connection refused", 9)
    words = "container last terminated OOMKilled, exit code 137, 3 restarts"
    case.fact("pod/geo-6c5d9f7b8-q2wzn", words, "oom_killed", app="geo")
    assert causes(case.diagnose()) == ["oom_killed"]


def test_a_message_that_cannot_be_read_stops_its_queue() -> None:
    case = backlog().pattern("parcels.route", "failed to deserialize record at offset 8812", 900)
    assert causes(case.diagnose()) == ["poison_message"]


def test_a_disk_that_has_room_again_is_over() -> None:
    case = Case().alert("heron-pg: disk will fill in 4 hours", instance="heron-pg")
    case.series("node_filesystem_avail_bytes", "heron-pg", [3e10, 0.0, *steady(2.1e11)], "bytes", changed=14)
    case.pattern("heron-pg", FULL, 5, since=16, until=14.5)
    assert case.diagnose().healthy


def test_a_disk_that_is_still_full_is_not() -> None:
    case = Case().alert("heron-pg: disk will fill in 4 hours", instance="heron-pg")
    case.series("node_filesystem_avail_bytes", "heron-pg", rising(3e10, 0), "bytes", changed=14)
    case.pattern("heron-pg", FULL, 5, since=16, until=14.5)
    assert causes(case.diagnose()) == ["storage_exhaustion"]


def saturated() -> Case:
    case = Case().alert("heron-pg: disk await above 100 ms", instance="heron-pg").calls_of("heron", "heron-pg")
    case.series("VolumeQueueLength", "heron-pg", [0.2] * 20 + rising(1, 60, 10), changed=9)
    return case.series("node_disk_read_await_ms", "heron-pg", [1.0] * 20 + rising(2, 240, 10), "ms", changed=9)


def test_the_job_that_began_just_before_is_named_with_its_time() -> None:
    case = saturated().pattern("backup", "starting full backup of /data, 8 readers", 1, level="INFO", since=10)
    draft = case.diagnose()
    assert causes(draft) == ["disk_io_saturation"]
    assert 'backup logged "starting full backup of /data, 8 readers" at 11:50 UTC' in draft.summary


@pytest.mark.parametrize(
    ("service", "words", "since"),
    [
        ("backup", "starting full backup of /data", 50),
        ("backup", "starting full backup of /data", 3),
        ("heron-pg", "checkpoint starting: time", 10),
        ("tern", "starting full export", 10),
    ],
)
def test_what_began_earlier_or_later_or_elsewhere_is_not(service: str, words: str, since: float) -> None:
    case = saturated().calls_of("tern", "tern-pg").pattern(service, words, 1, level="INFO", since=since)
    assert "just before it began" not in case.diagnose().summary


def test_the_change_of_a_caller_is_told_for_the_server_that_its_statements_load() -> None:
    told = "heron had a deploy at 11:48 UTC, just before it began"
    loaded = starved().pattern("heron-pg", f"duration: 9020.5 ms  execute x: {SCAN}", 30, level="INFO", since=10)
    for case, expected in ((loaded, True), (saturated(), False)):
        case.change("deployment/heron", "deploy: heron 4.1: label search, by ci", 12)
        assert (told in case.diagnose().summary) is expected


def test_what_the_alert_names_may_be_known_to_no_call_graph() -> None:
    case = Case().alert("parcels.route is not worked off", queue="parcels.route").calls_of("router", "rabbit", "geo")
    case.series("rabbitmq_queue_messages_acked_per_second", "", rising(40, 1), queue="parcels.route")
    case.pattern("router", "Post http://geo:9000: dial tcp geo:9000: connect: connection refused", 9)
    words = "container last terminated OOMKilled, exit code 137, 3 restarts"
    case.fact("pod/geo-6c5d9f7b8-q2wzn", words, "oom_killed", app="geo")
    assert causes(case.diagnose()) == ["oom_killed"]


def test_the_cpu_of_a_caller_is_not_its_databases() -> None:
    case = Case().alert("heron: CPU 96%", service="heron").calls_of("heron", "heron-pg")
    case.series("cpu_percent", "heron", rising(30, 96), "percent", changed=9)
    case.pattern("heron-pg", f"duration: 2020.5 ms  execute x: {SCAN}", 30, level="INFO", since=8)
    assert "cpu_saturation_query" not in causes(case.diagnose())


def test_the_replica_that_the_alert_names_stands_for_its_twins() -> None:
    case = Case().alert("heron-mysql-replica-2 is 840 s behind", instance="heron-mysql-replica-2")
    for name in ("heron-mysql-replica-1", "heron-mysql-replica-2", "heron-mysql-replica-3"):
        case.series("seconds_behind_master", name, rising(0, 860), changed=9)
    case.series("mysql_binlog_bytes_written_per_second", "heron-mysql-primary", rising(2e6, 9e7), changed=12)
    assert blamed(case.diagnose()) == ["db/heron-mysql-replica-2"]


def test_a_series_that_ended_long_ago_tells_nothing_of_now() -> None:
    case = Case().alert("heron-pg: CPU 96%", db_instance="heron-pg")
    case.series("CPUUtilization", "heron-pg", rising(20, 97), "Percent")
    case.pattern("heron-pg", f"duration: 9020.5 ms  execute x: {SCAN}", 30, level="INFO", since=8)
    assert causes(case.diagnose()) == ["cpu_saturation_query"]
    for _, fields, _ in case.items["query_metrics"]:
        fields |= {"last_at": iso(ago(50)), "first_at": iso(ago(65))}
    assert "cpu_saturation_query" not in causes(case.diagnose())


@pytest.mark.parametrize(("latency", "healthy"), [(steady(0.1), True), (rising(0.1, 6.0), False)])
def test_more_traffic_that_is_coped_with_is_no_failure(latency: list[float], healthy: bool) -> None:
    case = Case().alert("heron: request rate 5x", service="heron")
    case.series("requests_per_second", "heron", rising(200, 1000), changed=8)
    case.series("cpu_percent", "heron", rising(30, 55), "percent", changed=8)
    case.series("p95_seconds", "heron", latency, "seconds", changed=None if healthy else 7)
    assert case.diagnose().healthy is healthy


def test_a_failover_that_is_over_and_left_nothing_behind_is_no_cause() -> None:
    case = Case().alert("heron-pg: failover seen", instance="heron-pg")
    case.series("DatabaseConnections", "heron-pg", steady(50))
    case.log("rds-events", "heron-pg: failover to heron completed", topic="SYSTEM_EVENTS", minutes=70)
    assert causes(case.diagnose()) == []


def test_the_record_of_a_call_is_cited_where_only_it_names_the_server() -> None:
    case = Case().alert("heron: 90% of calls fail", service="heron").calls_of("heron", "heron-pg")
    case.pattern("heron", f"PSQLException: ERROR: {FULL}", 40)
    draft = case.diagnose()
    cause = next(c for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)
    assert cause.verdict is Verdict.SUPPORTED
    assert any("calls heron-pg" in case.evidence[c.evidence_id].text for c in cause.claim.citations)


def test_the_second_alert_needs_no_topic_of_the_first() -> None:
    case = queued().pattern("mailer", "x509: certificate has expired: current time is after 2030", 9, since=8)
    second = Alert(
        "Mail", AlertStatus.FIRING, summary="mailer: all sends fail", started_at=ago(5), labels={"app": "mailer"}
    )
    case.alerts = (*case.alerts, second)
    assert causes(case.diagnose()) == ["db_connection_exhaustion", "certificate_expired"]
