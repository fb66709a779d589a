"""Database incidents and their look-alikes, from a folder to the report of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scenarios.playbook_bundles import Bundle, bad_claims, causes, diagnose, rising, steady

DB = "curlew-main"
REPLICA = "curlew-main-replica-1"
WRITE = "UPDATE ledgers SET state = $1 WHERE batch = $2"
READ = "SELECT * FROM parcels WHERE state = $1"
IDLE = "BEGIN; SELECT * FROM accounts WHERE id = $1"
DIP = [210, 212, 209, 211, 208, 3, 0, 40, 120, 180, 200, 205, 208, 210, 211]
Make = Callable[[Bundle], Bundle]


def lag(bundle: Bundle) -> Bundle:
    return bundle.alert("ReplicaLagHigh", f"Replica lag above 600 seconds on {REPLICA}.", db_instance_identifier=DB)


def cpu(bundle: Bundle) -> Bundle:
    bundle.alert("CpuHigh", f"CPU of {DB} above 90%.", db_instance_identifier=DB)
    return bundle.metric("CPUUtilization", DB, rising(20, 95), "Percent")


def crowded(bundle: Bundle) -> Bundle:
    bundle.alert("ConnectionsHigh", f"Connections of {DB} at 98% of the limit.", db_instance_identifier=DB)
    bundle.metric("DatabaseConnections", DB, rising(150, 294))
    return bundle.event(f"{DB}: current connections 294 of 300, new connections may be refused")


def write_load(bundle: Bundle) -> Bundle:
    bundle.metric("TransactionLogsGeneration", DB, rising(5e6, 2e8), "Bytes/Second")
    bundle.metric("WriteIOPS", DB, rising(900, 9000), "Count/Second")
    return bundle.sql(DB, 40.1, "IO:WALWrite=30.4, CPU=9.7", WRITE)


def lag_from_writes(bundle: Bundle) -> Bundle:
    return write_load(lag(bundle).metric("ReplicaLag", REPLICA, rising(1, 900), "Seconds"))


def lag_from_replica_cpu(bundle: Bundle) -> Bundle:
    lag(bundle).metric("ReplicaLag", REPLICA, rising(1, 900), "Seconds")
    bundle.metric("TransactionLogsGeneration", DB, steady(5e6), "Bytes/Second")
    bundle.metric("CPUUtilization", REPLICA, rising(30, 97), "Percent")
    return bundle.sql(REPLICA, 9.0, "CPU:user=8.4, IO:DataFileRead=0.6", "SELECT SUM(amount) FROM invoices")


def lag_without_its_metric(bundle: Bundle) -> Bundle:
    return write_load(lag(bundle).event(f"{REPLICA}: replication lag exceeded 600 seconds."))


def failover(bundle: Bundle) -> Bundle:
    bundle.alert("DbUnavailable", f"Connections of {DB} dropped.", db_instance_identifier=DB)
    bundle.metric("DatabaseConnections", DB, DIP)
    bundle.event(f"{DB}: Multi-AZ instance failover started.", minutes=9)
    return bundle.event(f"{DB}: Multi-AZ instance failover completed.", minutes=7)


def storage_full(bundle: Bundle) -> Bundle:
    bundle.alert("StorageFull", f"Writes on {DB} fail.", db_instance_identifier=DB)
    bundle.metric("FreeStorageSpace", DB, rising(60e9, 0.4e9), "Bytes")
    bundle.event(f"{DB}: The free storage capacity for DB instance {DB} has been exhausted.", minutes=3)
    return bundle.sql(DB, 6.1, "IO:DataFileWrite=4.4, CPU:user=1.7", "INSERT INTO movement_log (item) VALUES ($1)")


def idle_clients(bundle: Bundle) -> Bundle:
    return crowded(bundle).sql(DB, 6.0, "Client:ClientRead=5.5, CPU=0.5", IDLE)


def slow_clients(bundle: Bundle) -> Bundle:
    crowded(bundle).metric("CPUUtilization", DB, rising(30, 97), "Percent")
    return bundle.sql(DB, 41.0, "CPU:user=38.0, IO:DataFileRead=3.0", READ)


def one_query(bundle: Bundle) -> Bundle:
    return cpu(bundle).sql(DB, 7.0, "CPU:user=6.0, IO:DataFileRead=1.0", READ)


def surge(bundle: Bundle) -> Bundle:
    cpu(bundle).metric("Requests", DB, rising(400, 2100), "Count/Second")
    for table in "abcde":
        bundle.sql(DB, 1.9, "CPU:user=1.7, IO:DataFileRead=0.2", f"SELECT * FROM {table} WHERE id = $1")
    return bundle


def vacuum(bundle: Bundle) -> Bundle:
    cpu(bundle).metric("WriteIOPS", DB, rising(900, 25000), "Count/Second").metric(
        "DiskQueueDepth", DB, rising(0.1, 44)
    )
    bundle.event(f"{DB}: checkpoints are occurring too frequently (8 seconds apart)")
    return bundle.sql(
        DB, 8.0, "LWLock:BufferMapping=4.0, IO:WALWrite=3.0, CPU=1.0", "autovacuum: VACUUM FREEZE parcels"
    )


def lag_with_a_busy_bystander(bundle: Bundle) -> Bundle:
    lag_from_writes(bundle).metric("CPUUtilization", DB, rising(30, 91), "Percent")
    return bundle.sql(DB, 18.0, "CPU:user=17.0, IO:DataFileRead=1.0", READ)


@pytest.mark.parametrize(
    ("make", "cause", "words"),
    [
        (lag_from_writes, "replication_lag_write_load", ("WAL", REPLICA, "900 s")),
        (lag_from_replica_cpu, "cpu_saturation_query", (REPLICA, "invoices", "97%")),
        (lag_without_its_metric, "replication_lag_write_load", ("is missing", "exceeded 600 seconds")),
        (lag_with_a_busy_bystander, "replication_lag_write_load", ("The CPU is busy too",)),
        (failover, "database_failover", ("failover", DB)),
        (storage_full, "storage_exhaustion", ("movement_log", "400 MB")),
        (idle_clients, "db_connection_exhaustion", ("Client:ClientRead", "294")),
        (slow_clients, "cpu_saturation_query", ("parcels", "97%")),
        (one_query, "cpu_saturation_query", ("parcels", "95%")),
        (surge, "traffic_surge", ("2100",)),
        (vacuum, "checkpoint_vacuum_pressure", ("VACUUM FREEZE", "The CPU is busy too")),
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
    assert not report["healthy"]
    for word in words:
        assert word in report["summary"]
    assert "First: " in report["summary"]
    assert len(report["rootCauses"][0]["text"]) < 500


def routine_reboot(bundle: Bundle) -> Bundle:
    bundle.alert("DbRestarted", f"{DB} restarted in its window.", "warning", db_instance_identifier=DB)
    bundle.metric("DatabaseConnections", DB, DIP).metric("CPUUtilization", DB, steady(21), "Percent")
    bundle.event(f"{DB}: DB instance restarted.", minutes=8)
    return bundle.event(f"{DB}: Scheduled maintenance completed; all systems healthy.", minutes=6)


def storage_merely_low(bundle: Bundle) -> Bundle:
    bundle.alert("StorageLow", f"Free storage of {DB} is below 20 percent.", "warning", db_instance_identifier=DB)
    return bundle.metric("FreeStorageSpace", DB, steady(36e9), "Bytes")


def pressure_within_limits(bundle: Bundle) -> Bundle:
    bundle.alert("ConnectionsHigh", f"Connections of {DB} at 60% of the maximum.", "warning", db_instance_identifier=DB)
    bundle.metric("DatabaseConnections", DB, [180, 200, 190, 170, 195, 185, 178, 199, 186, 181])
    return bundle.metric("CPUUtilization", DB, [41, 60, 72, 55, 48, 66, 70, 58, 44, 52], "Percent")


@pytest.mark.parametrize("make", [routine_reboot, storage_merely_low, pressure_within_limits])
def test_a_look_alike_is_healthy(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = diagnose(make(Bundle(tmp_path)), monkeypatch, capsys)
    assert report["healthy"]
    assert causes(report) == []
    assert bad_claims(report) == []
    assert report["summary"].startswith("No active failure")


def test_without_the_statements_the_cpu_stays_a_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = diagnose(one_query(Bundle(tmp_path)).drop("logs/database-slow-query.jsonl"), monkeypatch, capsys)
    assert causes(report) == []
    assert not report["healthy"]
    assert "Root cause not verified" in report["summary"]
    assert "95%" in report["summary"]
