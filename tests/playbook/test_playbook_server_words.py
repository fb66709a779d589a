"""What a database server says of its own transactions, log, replay and locks, and the alert's own metric."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rootproof.agent.playbook.focus import focus
from rootproof.agent.playbook.observations import LogItem, Observations, SeriesItem
from rootproof.agent.playbook.signals import Topic
from rootproof.agent.playbook.spoken_level import level_of
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import Draft
from tests.playbook.playbook_case import Case, ago, causes, rising, steady

READER = "SELECT lot, weight FROM bales WHERE yard = $1"


def said(draft: Draft, kind: ClaimKind = ClaimKind.CAUSE) -> str:
    return "\n".join(claim.text for claim in draft.claims if claim.kind is kind)


def supported(case: Case, draft: Draft) -> bool:
    return all(c.verdict is Verdict.SUPPORTED for c in case.checked(draft) if c.claim.kind is ClaimKind.CAUSE)


def event(case: Case, *lines: str, minutes: float = 6) -> Case:
    for line in lines:
        case.log("db-events", f"loom-db: {line}", topic="SYSTEM_EVENTS", minutes=minutes)
    return case


def loom(summary: str, severity: str = "critical") -> Case:
    return Case().alert(summary, severity=severity, db_instance="loom-db")


# transaction ids


def test_transaction_ids_near_their_end_name_what_holds_them() -> None:
    case = (
        loom("MaximumUsedTransactionIDs of loom-db is above 1.9 billion.")
        .series("MaximumUsedTransactionIDs", "loom-db", rising(1_950_000_000, 1_951_000_000))
        .series("CPUUtilization", "loom-db", steady(30), "Percent")
    )
    event(case, 'WARNING: database "loom" must be vacuumed within 96000000 transactions', minutes=25)
    event(case, "pg_prepared_xacts shows one prepared transaction, gid=spool-9, age 1950000000")
    draft = case.diagnose()
    assert causes(draft) == ["transaction_id_wraparound"]
    assert "prepared transaction" in said(draft)
    assert supported(case, draft)


def test_a_routine_vacuum_against_wraparound_is_no_fault() -> None:
    case = loom("CPUUtilization of loom-db is above 20%.", "warning").series(
        "CPUUtilization", "loom-db", steady(15), "Percent"
    )
    case.series("MaximumUsedTransactionIDs", "loom-db", steady(180_000_000))
    event(case, 'automatic vacuum of table "bales" (to prevent wraparound): 40 pages removed')
    assert case.diagnose().healthy


@pytest.mark.parametrize(("used", "found"), [(1.4e9, ["transaction_id_wraparound"]), (3e8, [])])
def test_used_transaction_ids_are_judged_by_their_own_count(used: float, found: list[str]) -> None:
    case = loom("pg_database_xid_age of loom-db is high.").series("pg_database_xid_age", "loom-db", steady(used))
    assert causes(case.diagnose()) == found


# the alert's own metric


@pytest.mark.parametrize(
    ("summary", "values", "healthy"),
    [
        ("SwapUsage of loom-db is above 300 MB.", steady(420e6), False),
        ("SwapUsage of loom-db is above 300 MB.", [420e6, 410e6, *steady(50e6)], True),
        ("SwapUsage of loom-db is high.", steady(420e6), False),
    ],
)
def test_an_alert_is_healthy_only_where_its_own_metric_is_well(
    summary: str, values: list[float], healthy: bool
) -> None:
    case = loom(summary).series("SwapUsage", "loom-db", values, "Bytes")
    case.series("CPUUtilization", "loom-db", steady(30), "Percent")
    draft = case.diagnose()
    assert draft.healthy is healthy
    if healthy:
        assert "SwapUsage of loom-db was at 420 MB" in said(draft, ClaimKind.SYMPTOM)


def test_an_alert_whose_metric_is_not_recorded_is_not_called_healthy() -> None:
    case = loom("MaximumUsedTransactionIDs of loom-db is high.").series(
        "CPUUtilization", "loom-db", steady(9), "Percent"
    )
    assert not case.diagnose().healthy


def test_storage_that_came_back_is_told_with_both_levels() -> None:
    case = loom("FreeStorageSpace of loom-db is below 20 GB.")
    case.series("FreeStorageSpace", "loom-db", [19.5e9, 19.2e9, *steady(147e9)], "Bytes")
    draft = case.diagnose()
    assert draft.healthy
    assert "was at 19.2 GB" in said(draft, ClaimKind.SYMPTOM)
    assert "is at 150 GB now" in said(draft, ClaimKind.SYMPTOM)


@pytest.mark.parametrize(("warning", "healthy"), [("shared spindle count drifts", False), ("cron entry ignored", True)])
def test_a_servers_warning_about_the_alerts_matter_is_no_health(warning: str, healthy: bool) -> None:
    case = loom("Spindle count of loom-db looks odd.", "warning")
    case.series("CPUUtilization", "loom-db", steady(30), "Percent")
    event(case, f"PostgreSQL log: WARNING: {warning}")
    assert case.diagnose().healthy is healthy


def test_a_vendors_metric_names_its_topic() -> None:
    case = loom("loom-db: CPUUtilization and FreeStorageSpace need a look.")
    assert focus(case.briefing(), Observations()).topics >= {Topic.CPU, Topic.STORAGE}


@pytest.mark.parametrize(
    ("level", "words", "found"),
    [
        ("INFO", "loom-db: PostgreSQL log: WARNING: pages left", "WARN"),
        ("INFO", "PANIC: could not write", "FATAL"),
        ("INFO", "backup of ERROR: archive finished", "INFO"),
        ("ERROR", "WARNING: pages left", "ERROR"),
    ],
)
def test_a_record_states_its_level_in_its_words(level: str, words: str, found: str) -> None:
    item = LogItem("E1", "SYSTEM_EVENTS", level, "db-events", words, 1, None, None, is_pattern=False)
    assert level_of(item) == found


# kept log and storage


def filling(slot: list[float]) -> Case:
    return (
        loom("FreeStorageSpace of loom-db is below 5 GB.")
        .series("FreeStorageSpace", "loom-db", rising(40e9, 4e9), "Bytes")
        .series("OldestReplicationSlotLag", "loom-db", slot, "Bytes")
        .series("WriteIOPS", "loom-db", steady(700), "Count/Second")
        .top_sql("loom-db", 7.0, "CPU=7.0", READER)
        .top_sql("loom-db", 1.0, "IO:WALWrite=0.9, CPU=0.1", "INSERT INTO bales (lot) VALUES ($1)")
    )


def test_a_slot_that_grows_as_storage_falls_is_the_cause() -> None:
    case = event(filling(rising(90e9, 126e9)), 'replication slot "mirror_feed" is inactive', minutes=30)
    draft = case.diagnose()
    assert causes(draft) == ["replication_slot_retains_log"]
    assert "mirror_feed" in said(draft)
    assert supported(case, draft)


def test_a_slot_is_the_cause_by_its_growth_alone() -> None:
    assert causes(filling(rising(90e9, 126e9)).diagnose()) == ["replication_slot_retains_log"]


def test_a_slot_that_does_not_grow_is_not_the_cause_and_a_small_writer_is_not_the_main_one() -> None:
    draft = filling(steady(2e9)).diagnose()
    assert causes(draft) == ["storage_exhaustion"]
    assert "mainly" not in said(draft)


def test_a_full_disk_that_only_words_tell_of_is_full() -> None:
    case = loom("Writes to loom-db fail.").top_sql(
        "loom-db", 3.0, "IO:DataFileExtend=2.1, IO:DataFileWrite=0.9", "INSERT INTO bale_scans (body) VALUES ($1)"
    )
    event(case, 'ERROR: could not extend file "base/7/81": No space left on device')
    draft = case.diagnose()
    assert causes(draft) == ["storage_exhaustion"]
    assert "is full, mainly by" in said(draft)
    assert supported(case, draft)


# replay


def test_replay_that_waits_on_the_replica_is_no_write_load() -> None:
    case = (
        loom("ReplicaLag of loom-db-replica-1 is above 300 seconds.")
        .series("ReplicaLag", "loom-db-replica-1", rising(1, 640), "Seconds")
        .series("TransactionLogsGeneration", "loom-db", steady(6e6), "Bytes/Second")
        .series("WriteIOPS", "loom-db", steady(1100), "Count/Second")
        .top_sql("loom-db", 1.3, "IO:WALWrite=0.9, CPU=0.4", "INSERT INTO bales (lot) VALUES ($1)")
        .log("db-events", "loom-db-replica-1: recovery still waiting: recovery conflict on lock",
             topic="SYSTEM_EVENTS", minutes=12)
    )  # fmt: skip
    draft = case.diagnose()
    assert causes(draft) == ["replication_replay_conflict"]
    assert "Writes did not rise" in said(draft, ClaimKind.RULED_OUT)
    assert supported(case, draft)


# locks


def queue() -> Case:
    case = (
        loom("DatabaseConnections of loom-db rose to 800.")
        .series("DatabaseConnections", "loom-db", rising(140, 800))
        .top_sql("loom-db", 600.0, "Lock:relation=600.0", READER)
        .top_sql("loom-db", 1.0, "Lock:relation=1.0", "ALTER TABLE bales ADD COLUMN grade text")
    )
    return event(case, "LOG: process 818 still waiting for AccessExclusiveLock on relation 7 after 1000.1 ms")


def test_a_lock_queue_is_told_by_its_head_and_not_by_who_waits() -> None:
    case = event(queue(), "DETAIL: Process holding the lock: 702. Wait queue: 818.")
    draft = case.diagnose()
    assert causes(draft) == ["lock_contention"]
    assert f'behind "{READER}' not in draft.summary
    assert said(draft).index("holding the lock: 702") < said(draft).index("ALTER TABLE bales") < 500
    assert supported(case, draft)


def test_a_blocker_that_waits_itself_is_not_the_head() -> None:
    case = event(queue(), "session 55 is blocked by session 66", "session 66 is blocked by session 77")
    told = said(case.diagnose())
    assert "blocked by session 77" in told
    assert "blocked by session 66" not in told


def test_a_statement_logged_beside_its_wait_counts_as_waiting() -> None:
    case = loom("loom-db is slow.").series("DatabaseConnections", "loom-db", rising(140, 800))
    event(case, "LOG: process 818 still waiting for AccessExclusiveLock on relation 7 after 1000.1 ms",
          "STATEMENT: ALTER TABLE bales ADD COLUMN grade text")  # fmt: skip
    assert "ALTER TABLE bales" in said(case.diagnose())


def test_sessions_that_block_each_other_without_a_word_of_locks_are_told_without_one() -> None:
    case = loom("loom-db does not answer.").series("DatabaseConnections", "loom-db", rising(100, 400))
    event(case, "session 71 is blocked by session 54, wait type LCK_M_X")
    draft = case.diagnose()
    assert "wait for other sessions" in said(draft)
    assert supported(case, draft)


def test_idle_sessions_that_take_the_connections_are_told_without_a_contradiction() -> None:
    case = loom("Connections of loom-db are at 97% of their limit of 300.")
    case.series("DatabaseConnections", "loom-db", rising(90, 291))
    event(case, "FATAL: sorry, too many clients already", "291 sessions, 270 of them idle in transaction")
    draft = case.diagnose()
    assert causes(draft) == ["db_connection_exhaustion"]
    assert "A metric of" not in draft.summary
    assert supported(case, draft)


# a steady climb


@pytest.mark.parametrize(("before", "after", "climbs"), [(25.0, 75.0, True), (2.0, 98.0, False)])
def test_a_climb_has_no_instant_of_change(before: float, after: float, climbs: bool) -> None:
    line = SeriesItem(
        "E1", "ReplicaLag", {}, "Seconds", 20, 0.0, 100.0, 0.0, 100.0, 50.0, "rising",
        ago(20), ago(1), ago(20), ago(1), ago(10), before, after,
    )  # fmt: skip
    assert line.climbs is climbs
    assert replace(line, before=None).climbs is False


# cpu: the top statement is the top of its own server


def test_a_cpu_bound_top_statement_is_not_cleared_by_a_smaller_writer() -> None:
    case = filling(rising(90e9, 126e9)).series("CPUUtilization", "loom-db", rising(20, 96), "Percent")
    draft = case.diagnose()
    assert "The CPU is busy too" not in said(draft, ClaimKind.SYMPTOM)
