"""What a series means: its role from name and unit, and what it does now against its own baseline."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rootproof.agent.playbook.metric_roles import Role, percent, role, seconds
from rootproof.agent.playbook.metric_signals import metric_signals
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind
from tests.playbook.playbook_case import Case, causes, rising, steady


def series(name: str, values: list[float], unit: str = "") -> SeriesItem:
    return SeriesItem(
        "E1", name, {"instance": "ledger"}, unit, len(values), values[0], values[-1], min(values), max(values),
        sum(values) / len(values), "varying", None, None, None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CPUUtilization", Role.CPU),
        ("container_cpu_cfs_throttled_periods", Role.CPU_THROTTLING),
        ("pg_replication_lag_seconds", Role.REPLICATION_LAG),
        ("kafka_consumergroup_lag", Role.BACKLOG),
        ("hikaricp_connections_pending", Role.POOL_PENDING),
        ("mysql_global_variables_max_connections", Role.CONNECTION_LIMIT),
        ("DatabaseConnections", Role.CONNECTIONS),
        ("node_filesystem_avail_bytes", Role.FREE_STORAGE),
        ("FreeableMemory", Role.FREE_MEMORY),
        ("TransactionLogsGeneration", Role.TRANSACTION_LOG),
        ("DiskQueueDepth", Role.QUEUE_DEPTH),
        ("WriteIOPS", Role.WRITES),
        ("ReadLatency", Role.DISK_LATENCY),
        ("system_cpu_usage", Role.CPU),
        ("node_cpu_iowait_percent", Role.IO_WAIT),
        ("node_cpu_user_percent", Role.OTHER),
        ("AuroraReplicaLag", Role.REPLICATION_LAG),
        ("mysql_slave_status_seconds_behind_master", Role.REPLICATION_LAG),
        ("burrow_kafka_consumer_partition_lag", Role.BACKLOG),
        ("ApproximateNumberOfMessagesVisible", Role.BACKLOG),
        ("rabbitmq_queue_messages_ready", Role.BACKLOG),
        ("rabbitmq_queue_messages_published_per_second", Role.TRAFFIC),
        ("kafka_consumergroup_members", Role.OTHER),
        ("pgbouncer_pools_client_waiting_connections", Role.POOL_PENDING),
        ("pg_stat_activity_count", Role.CONNECTIONS),
        ("mysql_global_status_threads_connected", Role.CONNECTIONS),
        ("mysql_global_status_threads_running", Role.ACTIVE_SESSIONS),
        ("mysql_global_status_connection_errors_total", Role.ERRORS),
        ("DBLoad", Role.ACTIVE_SESSIONS),
        ("redis_config_maxclients", Role.CONNECTION_LIMIT),
        ("mysql_global_status_innodb_row_lock_current_waits", Role.LOCKS),
        ("pg_stat_activity_max_tx_duration_seconds", Role.TRANSACTION_AGE),
        ("mysql_global_status_handler_read_rnd_next_per_second", Role.ROWS_SCANNED),
        ("pg_stat_user_tables_seq_tup_read", Role.ROWS_SCANNED),
        ("BurstBalance", Role.BURST_CREDITS),
        ("EBSIOBalance%", Role.BURST_CREDITS),
        ("node_disk_io_utilisation_percent", Role.DISK_BUSY),
        ("disk_usage_percent", Role.STORAGE_USED),
        ("VolumeQueueLength", Role.QUEUE_DEPTH),
        ("redis_memory_max_bytes", Role.MEMORY_LIMIT),
        ("redis_keyspace_hit_ratio_percent", Role.CACHE_HITS),
        ("innodb_buffer_pool_hit_ratio", Role.OTHER),
        ("redis_rejected_writes_per_second", Role.ERRORS),
        ("pg_stat_bgwriter_checkpoints_req_per_hour", Role.CHECKPOINTS),
        ("mysql_binlog_bytes_written_per_second", Role.TRANSACTION_LOG),
        ("mysql_rows_updated_per_second", Role.WRITES),
        ("p95_seconds", Role.LATENCY),
        ("write_p99_milliseconds", Role.LATENCY),
        ("envoy_cluster_upstream_rq_time", Role.LATENCY),
        ("envoy_cluster_upstream_rq_total", Role.TRAFFIC),
        ("http_requests_5xx_total", Role.ERRORS),
        ("kube_pod_container_status_restarts_total", Role.RESTARTS),
        ("weather_outside", Role.OTHER),
    ],
)
def test_role(name: str, expected: Role) -> None:
    assert role(series(name, [1.0, 1.0])) is expected


@pytest.mark.parametrize(
    ("name", "values", "unit", "kind"),
    [
        ("CPUUtilization", rising(20, 95), "Percent", Kind.CPU_SATURATED),
        ("cpu_usage", rising(0.2, 0.95), "ratio", Kind.CPU_SATURATED),
        ("CPUUtilization", [40.0, 72.0, 45.0, 70.0, 50.0], "Percent", Kind.CPU_NORMAL),
        ("CPUUtilization", rising(20, 75), "Percent", Kind.CPU_ELEVATED),
        ("FreeStorageSpace", rising(50e9, 4e9), "Bytes", Kind.STORAGE_EXHAUSTED),
        ("FreeStorageSpace", rising(100e9, 80e9), "Bytes", Kind.STORAGE_FALLING),
        ("FreeStorageSpace", steady(100e9), "Bytes", Kind.STORAGE_STEADY),
        ("disk_used_percent", rising(60, 96), "Percent", Kind.STORAGE_EXHAUSTED),
        ("FreeableMemory", rising(16e9, 2e9), "Bytes", Kind.MEMORY_LOW),
        ("memory_usage_percent", rising(60, 97), "Percent", Kind.MEMORY_LOW),
        ("WriteLatency", rising(1, 90), "Milliseconds", Kind.DISK_LATENCY),
        ("p95_seconds", rising(0.1, 4.0), "seconds", Kind.LATENCY_SURGE),
        ("pg_locks_waiting", rising(0, 80), "", Kind.LOCK_WAITS),
        ("pg_stat_activity_max_tx_duration_seconds", rising(2, 900), "seconds", Kind.LONG_TRANSACTION),
        ("mysql_global_status_threads_running", rising(4, 60), "", Kind.ACTIVE_SESSIONS),
        ("BurstBalance", rising(99, 0), "Percent", Kind.BURST_EXHAUSTED),
        ("BurstBalance", steady(90), "Percent", Kind.METRIC_QUIET),
        ("disk_io_utilisation_percent", rising(20, 99), "percent", Kind.DISK_BUSY),
        ("disk_io_utilisation_percent", steady(45), "percent", Kind.DISK_CALM),
        ("cache_hit_ratio_percent", rising(97, 30), "percent", Kind.CACHE_HITS_FELL),
        ("requests_per_second", rising(300, 2_000), "", Kind.TRAFFIC_SURGE),
        ("requests_per_second", steady(300), "", Kind.TRAFFIC_STEADY),
        ("pg_replication_lag_bytes", rising(100, 5_000), "bytes", Kind.LAG_NORMAL),
        ("WriteLatency", rising(0.1, 0.9), "Milliseconds", Kind.METRIC_QUIET),
        ("DiskQueueDepth", rising(0.1, 40), "Count", Kind.QUEUE_SURGE),
        ("ReadIOPS", steady(14_000), "Count/Second", Kind.READS_HEAVY),
        ("ReadIOPS", rising(900, 9_000), "Count/Second", Kind.READ_SURGE),
        ("http_errors_total", rising(1, 50), "", Kind.ERRORS_SURGE),
        ("kafka_consumergroup_lag", rising(50, 90_000), "", Kind.BACKLOG_GROWING),
        ("cpu_throttled_percent", rising(5, 80), "Percent", Kind.THROTTLED),
        ("ReplicaLag", [1.0, 400.0, 2.0], "Seconds", Kind.LAG_NORMAL),
        ("requests_rate", [10.0, 90.0, 10.0, 9.0], "", Kind.METRIC_QUIET),
    ],
)
def test_signal(name: str, values: list[float], unit: str, kind: Kind) -> None:
    assert [s.kind for s in metric_signals([series(name, values, unit)], {})] == [kind]


def test_a_sibling_series_states_the_limit() -> None:
    found = metric_signals([series("max_connections", [300, 300]), series("connections", [200, 294])], {})
    assert [s.kind for s in found] == [Kind.CONNECTIONS_AT_LIMIT]


def test_units() -> None:
    assert seconds(series("x_ms", [5.0], "ms"), 1500) == 1.5
    assert seconds(series("latency", [5.0], "us"), 2_000_000) == 2.0
    assert percent(series("cpu", [0.5], "ratio"), 0.5) == 50
    assert percent(series("memory", [5e9], "Bytes"), 5e9) is None


def test_an_empty_window_is_widened_once() -> None:
    case = Case().alert("Requests to tern are slow.", service="tern")
    case.log("tern", "GET / 200 3ms")
    case.diagnose()
    asked = [a["lookback_minutes"] for n, a in case.calls if n == "query_logs" and a["topic"] == "SYSTEM_EVENTS"]
    assert asked == sorted(set(asked))


def test_the_callee_that_an_error_names_is_asked_for() -> None:
    case = Case().alert("Error rate of tern is 40%.", service="tern")
    case.log("tern", "cannot connect to osprey: connection refused", level="ERROR")
    case.log("osprey", "panic: cannot open ledger file", level="ERROR")
    draft = case.diagnose()
    assert any(a.get("services") == ["osprey"] for n, a in case.calls if n == "query_logs")
    assert causes(draft) == ["application_crash"]


def test_a_slow_statement_explains_latency() -> None:
    case = Case().alert("Queries are slow.", db_instance="ledger")
    case.log(
        "ledger", "Query_time: 14.2 Lock_time: 0.1 SELECT * FROM parcels WHERE state = ?", topic="DATABASE_SLOW_QUERY"
    )
    assert causes(case.diagnose()) == ["slow_database_query"]


def labelled(name: str, values: list[float], unit: str = "", **labels: str) -> SeriesItem:
    return replace(series(name, values, unit), labels=labels)


def test_a_device_that_is_busy_is_not_a_full_file_system() -> None:
    assert role(labelled("disk_utilization_percent", [1.0], device="sda")) is Role.DISK_BUSY
    assert role(labelled("disk_utilization_percent", [1.0], mountpoint="/data")) is Role.STORAGE_USED


def test_a_sum_over_twins_of_one_disk_is_no_state_of_it() -> None:
    one = {"instance": "ledger", "device": "sda"}
    twins = [labelled("disk_io_utilisation_percent", steady(49), "percent", **one, job=job) for job in ("a", "b")]
    total = labelled("disk:io_utilisation_percent:sum", rising(49, 98), "percent", **one)
    assert [s.kind for s in metric_signals([total, *twins], {})] == [Kind.METRIC_QUIET, Kind.DISK_CALM, Kind.DISK_CALM]
    assert [s.kind for s in metric_signals([total], {})] == [Kind.DISK_BUSY]


def test_the_sessions_of_one_client_are_a_part_of_the_servers() -> None:
    found = metric_signals(
        [
            labelled("max_connections", [300.0, 300.0], server="ledger"),
            labelled("pg_stat_activity_count", rising(100, 299), server="ledger"),
            labelled("pg_stat_activity_count", rising(20, 200), server="ledger", application_name="export"),
        ],
        {},
    )
    assert [(s.kind, s.subject) for s in found] == [
        (Kind.CONNECTIONS_AT_LIMIT, "ledger"),
        (Kind.CLIENT_SESSIONS, "ledger"),
    ]


def test_memory_is_judged_against_its_stated_maximum() -> None:
    used = labelled("redis_memory_used_bytes", rising(5e9, 8.6e9), "bytes", instance="tern")
    most = labelled("redis_memory_max_bytes", [8.6e9, 8.6e9], "bytes", instance="tern")
    assert [s.kind for s in metric_signals([used, most], {})] == [Kind.MEMORY_AT_LIMIT]
    assert [s.kind for s in metric_signals([used], {})] == [Kind.MEMORY_NORMAL]


@pytest.mark.parametrize(("yesterday", "usual"), [(1_900.0, True), (400.0, False)])
def test_a_daily_peak_is_no_surge(yesterday: float, usual: bool) -> None:
    now = series("requests_per_second", rising(500, 2_000))
    began, ended = datetime(2031, 5, 3, 12, tzinfo=UTC), datetime(2031, 5, 4, 12, tzinfo=UTC)
    day = replace(series("requests_per_second", [yesterday, 2_000.0]), first_at=began, last_at=ended, day=True)
    kinds = [s.kind for s in metric_signals([now, day], {})]
    assert kinds == ([Kind.METRIC_QUIET, Kind.TRAFFIC_USUAL] if usual else [Kind.TRAFFIC_SURGE])
