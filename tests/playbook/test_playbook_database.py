"""Database causes: each once where it is the answer, and once where it only looks like it."""

from __future__ import annotations

from rootproof.domain.claim import ClaimKind, Verdict
from tests.playbook.playbook_case import Case, causes, rising, steady

WRITE = "UPDATE shipments SET state = $1 WHERE batch = $2"


def lagging() -> Case:
    return (
        Case()
        .alert("Replication lag on ledger-replica is above 600 seconds.", db_instance="ledger")
        .series("ReplicaLag", "ledger-replica", rising(1, 900), "Seconds")
        .series("TransactionLogsGeneration", "ledger", rising(5e6, 2e8), "Bytes/Second")
        .series("WriteIOPS", "ledger", rising(900, 9000), "Count/Second")
        .series("CPUUtilization", "ledger", steady(40), "Percent")
        .top_sql("ledger", 30.5, "IO:WALWrite=25.1, CPU=5.4", WRITE)
    )


def test_write_load_explains_replication_lag() -> None:
    case = lagging()
    draft = case.diagnose()
    assert causes(draft) == ["replication_lag_write_load"]
    assert "ledger-replica" in draft.summary
    assert WRITE in draft.summary
    assert all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def test_lag_without_any_write_load_is_a_lead_not_a_cause() -> None:
    draft = (
        Case()
        .alert("Replication lag on ledger-replica is above 600 seconds.")
        .series("ReplicaLag", "ledger-replica", rising(1, 900), "Seconds")
        .series("TransactionLogsGeneration", "ledger", steady(5e6), "Bytes/Second")
        .diagnose()
    )
    assert causes(draft) == []
    assert not draft.healthy
    assert draft.strongest_lead is not None
    assert "ReplicaLag" in draft.strongest_lead


def test_words_about_lag_lose_against_a_measured_quiet_lag() -> None:
    draft = (
        Case()
        .alert("Replication lag on ledger-replica is above 600 seconds.")
        .series("ReplicaLag", "ledger-replica", steady(1.2), "Seconds")
        .series("WriteIOPS", "ledger", rising(900, 9000), "Count/Second")
        .log("db-events", "ledger: replication lag exceeded 600 seconds", topic="SYSTEM_EVENTS")
        .diagnose()
    )
    assert "replication_lag_write_load" not in causes(draft)


def exhausted() -> Case:
    return (
        Case()
        .alert("Connections reached 97% of the limit, clients get errors.", db_instance="ledger")
        .series("DatabaseConnections", "ledger", rising(150, 294))
        .series("CPUUtilization", "ledger", rising(60, 91), "Percent")
        .log(
            "db-events", "ledger: current connections 294 of 300, new connections may be refused", topic="SYSTEM_EVENTS"
        )
        .top_sql("ledger", 6.0, "Client:ClientRead=5.5, CPU=0.5", "BEGIN; SELECT * FROM accounts WHERE id = $1")
    )


def test_idle_sessions_exhaust_connections_and_explain_the_cpu() -> None:
    case = exhausted()
    draft = case.diagnose()
    assert causes(draft) == ["db_connection_exhaustion"]
    assert "Client:ClientRead" in draft.summary
    busy = next(c for c in draft.claims if c.text.startswith("The CPU is busy too"))
    assert busy.kind is ClaimKind.SYMPTOM
    assert "Client:ClientRead rather than CPU" in busy.text
    assert not any(c.cause_id == "cpu_saturation_query" for c in draft.claims), "shares of waits clear no CPU"
    assert all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def test_busy_but_bounded_connections_are_healthy() -> None:
    draft = (
        Case()
        .alert("Connections oscillate at 60% of the maximum.", severity="warning", db_instance="ledger")
        .series("DatabaseConnections", "ledger", [180, 200, 190, 170, 195, 185, 178, 199, 186, 181])
        .series("CPUUtilization", "ledger", [41, 60, 72, 55, 48, 66, 70, 58, 44, 52], "Percent")
        .log("db-events", "ledger: automatic backup completed", topic="SYSTEM_EVENTS")
        .diagnose()
    )
    assert draft.healthy
    assert causes(draft) == []


def test_a_grave_alert_with_a_flat_count_and_no_known_limit_is_not_called_healthy() -> None:
    draft = (
        Case()
        .alert("Connections reached 98% of the limit.", db_instance="ledger")
        .series("DatabaseConnections", "ledger", steady(490))
        .diagnose()
    )
    assert not draft.healthy
    assert causes(draft) == []


def test_one_query_saturates_the_cpu() -> None:
    draft = (
        Case()
        .alert("CPU is above 90%.", db_instance="ledger")
        .series("CPUUtilization", "ledger", rising(20, 95), "Percent")
        .series("DatabaseConnections", "ledger", steady(120))
        .top_sql("ledger", 7.0, "CPU:user=6.0, IO:DataFileRead=1.0", "SELECT * FROM parcels WHERE state = $1")
        .diagnose()
    )
    assert causes(draft) == ["cpu_saturation_query"]
    assert "parcels" in draft.summary


def test_vacuum_beats_the_cpu_that_it_burns() -> None:
    draft = (
        Case()
        .alert("CPU is above 88%, queries are slow.", db_instance="ledger")
        .series("CPUUtilization", "ledger", rising(20, 93), "Percent")
        .series("WriteIOPS", "ledger", rising(900, 25000), "Count/Second")
        .series("DiskQueueDepth", "ledger", rising(0.1, 44))
        .top_sql("ledger", 8.0, "LWLock:BufferMapping=4.0, IO:WALWrite=3.0", "autovacuum: VACUUM FREEZE public.parcels")
        .log("db-events", "ledger: checkpoints are occurring too frequently (8 seconds apart)", topic="SYSTEM_EVENTS")
        .diagnose()
    )
    assert causes(draft) == ["checkpoint_vacuum_pressure"]
    assert "LWLock:BufferMapping" in draft.summary


def test_a_routine_vacuum_is_not_blamed_for_a_bad_query() -> None:
    draft = (
        Case()
        .alert("CPU is above 88%.", db_instance="ledger")
        .series("CPUUtilization", "ledger", rising(20, 93), "Percent")
        .top_sql("ledger", 7.0, "CPU:user=6.5, IO:DataFileRead=0.5", "SELECT * FROM parcels WHERE state = $1")
        .top_sql("ledger", 0.3, "IO:DataFileRead=0.3", "autovacuum: VACUUM public.events")
        .diagnose()
    )
    assert causes(draft) == ["cpu_saturation_query"]


def two_faults() -> Case:
    return (
        Case()
        .alert("CPU is at 92% and free storage falls fast.", db_instance="ledger")
        .series("CPUUtilization", "ledger", rising(20, 92), "Percent")
        .series("FreeStorageSpace", "ledger", rising(50e9, 6e9), "Bytes")
        .series("ReplicaLag", "ledger-replica", rising(1, 190), "Seconds")
        .series("WriteIOPS", "ledger", rising(900, 7000), "Count/Second")
        .top_sql("ledger", 6.0, "CPU:user=5.5, IO:DataFileRead=0.5", "SELECT SUM(v) FROM reports GROUP BY day")
        .top_sql("ledger", 5.0, "IO:DataFileWrite=4.0, Lock:relation=1.0", "INSERT INTO trail (a) VALUES ($1)")
    )


def test_two_independent_faults_are_both_reported_and_their_effect_is_not() -> None:
    case = two_faults()
    draft = case.diagnose()
    assert set(causes(draft)) == {"cpu_saturation_query", "storage_exhaustion"}
    assert "reports" in draft.summary
    assert "trail" in draft.summary
    cause_claims = [c for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE]
    assert all(c.verdict is Verdict.SUPPORTED for c in cause_claims)


def test_storage_that_came_back_is_over() -> None:
    draft = (
        Case()
        .alert("Free storage is low.", severity="warning", db_instance="ledger")
        .series("FreeStorageSpace", "ledger", [50e9, 30e9, 12e9, 6e9, 20e9, 60e9, 80e9, 80e9], "Bytes")
        .log("db-events", "ledger: storage space is critically low", topic="SYSTEM_EVENTS", minutes=40)
        .log("db-events", "ledger: storage expansion completed", topic="SYSTEM_EVENTS", minutes=10)
        .diagnose()
    )
    assert causes(draft) == []
    assert draft.healthy


def test_an_unrelated_busy_cpu_is_not_the_cause_of_replication_lag() -> None:
    case = lagging()
    case.items["query_metrics"] = [i for i in case.items["query_metrics"] if i[1]["name"] != "CPUUtilization"]
    case.series("CPUUtilization", "ledger", rising(30, 91), "Percent")
    case.top_sql("ledger", 28.0, "CPU:user=27.0, IO:DataFileRead=1.0", "SELECT * FROM parcels")
    assert causes(case.diagnose()) == ["replication_lag_write_load"]


def test_failover_is_named() -> None:
    draft = (
        Case()
        .alert("Database connections dropped, clients cannot connect.", db_instance="ledger")
        .series("DatabaseConnections", "ledger", [200, 199, 201, 4, 2, 60, 150, 180])
        .log(
            "db-events",
            "ledger: Multi-AZ failover to standby started after a failed host check",
            topic="SYSTEM_EVENTS",
            minutes=8,
        )
        .log("db-events", "ledger: Multi-AZ instance failover completed", topic="SYSTEM_EVENTS", minutes=6)
        .diagnose()
    )
    assert causes(draft) == ["database_failover"]
