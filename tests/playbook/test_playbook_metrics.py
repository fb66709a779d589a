"""What a series means: its role from name and unit, and what it does now against its own baseline."""

from __future__ import annotations

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
        ("ReadLatency", Role.LATENCY),
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
        ("WriteLatency", rising(1, 90), "Milliseconds", Kind.LATENCY_SURGE),
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
