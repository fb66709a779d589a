"""A database of the MVP goes forward, back and forward again, and nothing of it changes on the way."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.cases import SqlCaseStore
from rootproof.adapters.sql.legacy_backfill import run_id_of
from rootproof.adapters.sql.migrate import adopt, downgrade, open_database, upgrade
from rootproof.adapters.sql.run_store import open_run_store
from rootproof.domain.case import Case
from rootproof.domain.run import RunStatus, StatusReason, is_terminal
from rootproof.errors import StoreError
from tests.contracts.test_run_store_contract import a_step, started
from tests.fakes.legacy_mvp import content_hash, create_tables, insert, legacy_database, on, rows, seen_by_old_code
from tests.migrations.test_migrations import described, differences


def count(connection: Connection, what: str) -> int:
    return int(connection.scalar(text(f"SELECT COUNT(*) FROM {what}")) or 0)


def shape(connection: Connection) -> dict[str, Any]:
    """The MVP's tables as the database describes them."""
    inspector = inspect(connection)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"] and c["name"] != "id") for c in inspector.get_columns(table)],
            sorted((index["name"], tuple(index["column_names"])) for index in inspector.get_indexes(table)),
            inspector.get_foreign_keys(table),
        )
        for table in ("diagnosis_session", "agent_step", "tool_invocation", "case_library")
    }


def stored(connection: Connection) -> dict[str, Any]:
    """All that an upgrade makes, row by row."""
    runs = text("SELECT * FROM diagnosis_run ORDER BY id")
    links = "SELECT id, session_id, run_id FROM {} ORDER BY id"
    return {
        "runs": [tuple(row)[1:] for row in connection.execute(runs)],
        "steps": list(map(tuple, connection.execute(text(links.format("agent_step"))))),
        "calls": list(map(tuple, connection.execute(text(links.format("tool_invocation"))))),
    }


@pytest.fixture
async def adopted(empty_url: str) -> str:
    await legacy_database(empty_url)
    assert await adopt(empty_url)
    return empty_url


# -- taking it on --------------------------------------------------------------------------------------------------


async def test_nothing_touches_a_database_that_nobody_adopted(empty_url: str) -> None:
    await legacy_database(empty_url)
    before = await on(empty_url, seen_by_old_code)
    for attempt in (open_database, upgrade):
        with pytest.raises(StoreError, match="rootproof db adopt"):
            await attempt(empty_url)
    assert await on(empty_url, seen_by_old_code) == before
    assert "alembic_version" not in await on(empty_url, lambda connection: inspect(connection).get_table_names())


async def test_adopting_twice_is_adopting_once(adopted: str) -> None:
    assert not await adopt(adopted)
    with pytest.raises(StoreError, match="rootproof db upgrade"):
        await open_database(adopted)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("ALTER TABLE agent_step ADD COLUMN theirs INT", r"agent_step\.theirs is not the MVP's"),
        ("ALTER TABLE case_library DROP COLUMN solution", r"case_library\.solution is missing"),
        ("DROP TABLE tool_invocation", "tool_invocation is missing"),
        ("CREATE TABLE diagnosis_run (id INT)", "diagnosis_run is there"),
    ],
)
async def test_what_differs_is_said_and_nothing_is_stamped(empty_url: str, change: str, told: str) -> None:
    await legacy_database(empty_url, sessions=1)
    await on(empty_url, lambda connection: connection.execute(text(change)))
    with pytest.raises(StoreError, match=told):
        await adopt(empty_url)
    assert "alembic_version" not in await on(empty_url, lambda connection: inspect(connection).get_table_names())


async def test_the_legacy_revision_makes_the_tables_that_are_adopted(empty_url: str, twin_url: str) -> None:
    assert (await upgrade(empty_url, "legacy")).revision == "legacy"
    await legacy_database(twin_url, sessions=0)
    assert await adopt(twin_url)
    names = await on(empty_url, lambda connection: set(inspect(connection).get_table_names()))
    assert names == await on(twin_url, lambda connection: set(inspect(connection).get_table_names()))


# -- forward -------------------------------------------------------------------------------------------------------


async def test_every_session_becomes_one_run_with_its_rows(adopted: str) -> None:
    upgraded = await upgrade(adopted)
    assert upgraded.revision == schema.HEAD
    figures = upgraded.figures
    assert figures is not None
    assert figures.problems == ()
    assert figures.sessions == figures.compatibility_runs == 12
    assert [table.orphans for table in figures.tables] == [1, 1]
    old = [row for table, row in rows() if table == "diagnosis_session"]
    store = await open_run_store(adopted)
    runs = {run.session_id: run for run in await store.list_runs(limit=50)}
    for row in old:
        run = runs[row["session_id"]]
        assert run.run_id == run_id_of(row["session_id"])
        assert run.compatibility
        assert is_terminal(run.status)
        assert run.status_reason is StatusReason.COMPATIBILITY
        assert run.question == row["query"]
        assert run.owner == "local"
        assert (run.report or {}).get("summary") == row["answer"]
        assert run.step_count == row["step_count"]
    assert await store.unfinished() == ()
    await store.close()


async def test_a_running_session_is_a_failed_run(adopted: str) -> None:
    await upgrade(adopted)
    store = await open_run_store(adopted)
    runs = {run.sources["legacy"]["status"]: run.status for run in await store.list_runs(limit=50)}
    await store.close()
    assert runs == {
        "COMPLETED": RunStatus.COMPLETED,
        "CANCELLED": RunStatus.CANCELLED,
        "FAILED": RunStatus.FAILED,
        "RUNNING": RunStatus.FAILED,
        "Weird": RunStatus.FAILED,
    }


async def test_orphans_are_kept_and_given_no_run(adopted: str) -> None:
    await upgrade(adopted)
    for table in ("agent_step", "tool_invocation"):
        assert (
            await on(adopted, lambda c, t=table: count(c, f"{t} WHERE run_id IS NULL AND session_id = 'orphan'")) == 1
        )
        assert await on(adopted, lambda c, t=table: count(c, f"{t} WHERE run_id IS NULL")) == 1


async def test_the_adopted_tables_are_those_of_the_schema(adopted: str, twin_url: str) -> None:
    await upgrade(adopted)
    await (await open_database(twin_url)).close()
    found = await on(adopted, differences)
    assert [change for change in found if "diagnosis_session" not in str(change)] == []
    mine, twin = await on(adopted, described), await on(twin_url, described)
    assert without_the_old_table(mine) == without_the_old_table(twin)


def without_the_old_table(said: dict[str, Any]) -> dict[str, Any]:
    """The description without `diagnosis_session` and without counters of rows."""
    kept: dict[str, Any] = {}
    for name, value in said.items():
        if name in ("diagnosis_session", "sqlite_sequence", "sqlite_autoindex_diagnosis_session_1"):
            continue
        if isinstance(value, list):
            kept[name] = [_uncounted(line) for line in value if "diagnosis_session" not in str(line)]
        else:
            kept[name] = value
    return kept


def _uncounted(line: Any) -> Any:
    return " ".join(word for word in line.split() if "AUTO_INCREMENT=" not in word) if isinstance(line, str) else line


async def test_diagnosis_session_stays_as_it_was(adopted: str) -> None:
    before = await on(adopted, content_hash)
    await upgrade(adopted)
    assert await on(adopted, content_hash) == before
    await downgrade(adopted, "legacy")
    assert await on(adopted, content_hash) == before


async def test_a_session_that_new_code_knows_keeps_its_owner(adopted: str) -> None:
    await upgrade(adopted, "0002")
    session = {"s": "s00001", "o": "alice", "t": "ACTIVE", "at": "2026-01-01 00:00:00"}
    add = "INSERT INTO chat_session (session_id, owner, status, message_pair_count, created_at, last_active_at) "
    await on(adopted, lambda c: c.execute(text(add + "VALUES (:s, :o, :t, 0, :at, :at)"), session))
    await upgrade(adopted, owner="bob")
    owners = "SELECT session_id, owner FROM diagnosis_run"
    found = dict(map(tuple, await on(adopted, lambda c: c.execute(text(owners)).all())))
    assert found.pop("s00001") == "alice"
    assert set(found.values()) == {"bob"}


async def test_what_is_not_whole_is_told_and_nothing_is_tightened(adopted: str) -> None:
    await upgrade(adopted, "0003")
    columns = "session_id, owner, mode, query, reasoner, sources, now, status, total_duration_ms, total_token_count"
    columns += ", step_count, tool_call_count, seq, last_seq, compatibility, created_at, updated_at"
    twin = f"INSERT INTO diagnosis_run (run_id, {columns}) SELECT 'run-twin', {columns} FROM diagnosis_run "
    await on(adopted, lambda c: c.execute(text(twin + "WHERE session_id = 's00001'")))
    with pytest.raises(StoreError, match=r"1 sessions with several.*12 rows, 13 compatibility runs"):
        await upgrade(adopted)
    checks = await on(adopted, lambda c: inspect(c).get_check_constraints("agent_step"))
    assert "ck_agent_step_whole" not in {check["name"] for check in checks}
    await on(adopted, lambda c: c.execute(text("DELETE FROM diagnosis_run WHERE run_id = 'run-twin'")))
    assert (await upgrade(adopted)).revision == schema.HEAD


# -- back and again ------------------------------------------------------------------------------------------------


async def test_back_gives_the_old_tables_and_rows(adopted: str) -> None:
    rows_before, shape_before = await on(adopted, seen_by_old_code), await on(adopted, shape)
    await upgrade(adopted)
    assert await downgrade(adopted, "legacy") == "legacy"
    assert await on(adopted, seen_by_old_code) == rows_before
    if adopted.startswith("postgresql"):  # JSONB comes back as JSON
        shape_before = {
            table: ([(n, t.replace("JSONB", "JSON"), null) for n, t, null in columns], *rest)
            for table, (columns, *rest) in shape_before.items()
        }
        shape_before["diagnosis_session"] = (await on(adopted, shape))["diagnosis_session"]
    assert await on(adopted, shape) == shape_before


@pytest.mark.parametrize("below", ["0001", "0003", "0005"])
async def test_forward_back_and_forward_again_is_forward(adopted: str, below: str) -> None:
    await upgrade(adopted)
    once = await on(adopted, stored)
    await downgrade(adopted, below)
    await upgrade(adopted)
    assert await on(adopted, stored) == once
    await downgrade(adopted, "legacy")
    await upgrade(adopted)
    assert await on(adopted, stored) == once


async def test_below_legacy_the_old_tables_stay(adopted: str) -> None:
    before = await on(adopted, seen_by_old_code)
    await upgrade(adopted)
    assert await downgrade(adopted, "base") is None
    assert await on(adopted, seen_by_old_code) == before
    assert await adopt(adopted)


async def test_runs_made_since_are_not_lost_unasked(adopted: str) -> None:
    before = await on(adopted, seen_by_old_code)
    await upgrade(adopted)
    store = await open_run_store(adopted)
    run = await started(store)
    await store.append_step(run.context, a_step(0))
    await store.close()
    with pytest.raises(StoreError, match=r"would lose 1 runs.*--discard-runs"):
        await downgrade(adopted, "legacy")
    assert await on(adopted, lambda connection: count(connection, "diagnosis_run")) == 13
    await downgrade(adopted, "legacy", discard_runs=True)
    assert await on(adopted, seen_by_old_code) == before


async def test_cases_are_not_made_everybodys_by_going_down_a_little(empty_url: str) -> None:
    database = await open_database(empty_url)
    cases = SqlCaseStore(database)
    moment = datetime(2026, 3, 4, tzinfo=UTC)
    case = await cases.add(Case("case-1", "run-1", "ana", "pool exhausted", created_at=moment))
    await cases.revoke(case.case_id, owner="ana", reason="wrong", at=moment)
    await database.close()
    with pytest.raises(StoreError, match=r"would lose 1 cases.*--discard-runs"):
        await downgrade(empty_url, "-5")
    with pytest.raises(StoreError, match=r"would lose 1 cases.*--discard-runs"):
        await downgrade(empty_url, "0001")
    await downgrade(empty_url, "0001", discard_runs=True)
    await upgrade(empty_url)
    assert await on(empty_url, lambda connection: count(connection, "case_library")) == 0


# -- the old code at work beside the new -----------------------------------------------------------------------------


async def test_old_statements_work_on_the_new_tables(adopted: str) -> None:
    before = await on(adopted, seen_by_old_code)
    await upgrade(adopted)
    assert await on(adopted, seen_by_old_code) == before

    def write(connection: Connection) -> None:
        for table, row in rows(sessions=3, seed=11):
            key = "diagnosis_id" if table == "case_library" else "session_id"
            insert(connection, table, row | {key: f"late-{row[key]}"})
        for table in ("agent_step", "tool_invocation", "diagnosis_session"):
            connection.execute(text(f"UPDATE {table} SET status = 'DONE' WHERE session_id = 's00001'"))
        connection.execute(text("UPDATE case_library SET solution = 'other' WHERE diagnosis_id = 'gone-1'"))
        connection.execute(text("DELETE FROM case_library WHERE diagnosis_id = 'late-gone-1'"))

    await on(adopted, write)
    statuses = "SELECT DISTINCT status FROM tool_invocation WHERE session_id = 's00001'"
    assert await on(adopted, lambda c: c.execute(text(statuses)).scalars().all()) == ["DONE"]


async def test_rows_that_old_code_wrote_later_are_linked_by_the_next_upgrade(adopted: str) -> None:
    await upgrade(adopted)

    def write(connection: Connection) -> None:
        for table, row in rows(sessions=2, seed=3):
            if table == "agent_step":
                insert(connection, table, row)  # of a session that has its run
            elif table != "case_library":
                insert(connection, table, row | {"session_id": f"late-{row['session_id']}"})

    await on(adopted, write)
    figures = (await upgrade(adopted)).figures
    assert figures is not None
    assert figures.problems == ()
    assert figures.sessions == figures.compatibility_runs == 14
    late = run_id_of("late-s00001")
    assert await on(adopted, lambda c: count(c, f"tool_invocation WHERE run_id = '{late}'")) == 6
    assert await on(adopted, lambda c: count(c, "agent_step WHERE run_id IS NULL AND session_id <> 'orphan'")) == 0


@pytest.mark.parametrize("table", ["agent_step", "tool_invocation"])
async def test_a_new_row_must_be_whole(adopted: str, table: str) -> None:
    await upgrade(adopted)
    known = {name: row for name, row in rows() if name == table}[table]
    column = "kind" if table == "agent_step" else "call_index"
    names = ", ".join((*known, column))
    value = "'TURN'" if table == "agent_step" else "0"
    marks = ", ".join(f":{name}" for name in known)
    statement = text(f"INSERT INTO {table} ({names}) VALUES ({marks}, {value})")
    with pytest.raises(Exception, match=f"(?i)ck_{table}_whole"):
        await on(adopted, lambda connection: connection.execute(statement, known))


# -- databases of earlier releases ----------------------------------------------------------------------------------


async def test_a_database_of_the_first_release_keeps_its_runs(empty_url: str) -> None:
    await upgrade(empty_url, "0001")

    def add(connection: Connection) -> None:
        at = "2026-01-01 00:00:00.000000"
        session = (
            "INSERT INTO chat_session (session_id, owner, status, message_pair_count, created_at, last_active_at) "
        )
        run = (
            "INSERT INTO diagnosis_run (run_id, session_id, owner, mode, query, reasoner, sources, now, status, "
            "total_duration_ms, total_token_count, step_count, tool_call_count, seq, last_seq, created_at, updated_at) "
        )
        step = (
            "INSERT INTO agent_step (session_id, run_id, step_no, step_index, agent_name, kind, input_hash, output, "
            "status, token_count, input_tokens, output_tokens, duration_ms, seq, created_at) "
        )
        for statement in (
            session + "VALUES ('s', 'local', 'ACTIVE', 0, :at, :at)",
            run
            + "VALUES ('run-1', 's', 'local', 'CHAT', 'q', 'p', '{}', :at, 'COMPLETED', 0, 0, 1, 0, 1, 2, :at, :at)",
            step + "VALUES ('s', 'run-1', 0, 0, 'SUPERVISOR', 'END', '', '{}', 'OK', 0, 0, 0, 0, 2, :at)",
        ):
            connection.execute(text(statement), {"at": at})

    await on(empty_url, add)
    store = await open_run_store(empty_url)
    loaded = await store.load("run-1")
    assert loaded is not None
    assert not loaded.run.compatibility
    assert len(loaded.steps) == 1
    await store.close()
    assert await on(empty_url, differences) == []
    with pytest.raises(StoreError, match="would lose 1 runs"):
        await downgrade(empty_url, "base")


# -- the generator that comes with the data ---------------------------------------------------------------------------

GENERATOR = Path(os.environ.get("ROOTPROOF_DATA", "../shared/data")).parent / "legacy" / "generate.py"


def generated() -> list[str]:
    """The generator's statements for 40 sessions."""
    command = [sys.executable, str(GENERATOR), "40"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.skipif(not GENERATOR.is_file(), reason=f"no {GENERATOR}")
async def test_generated_rows_go_forward_back_and_forward(empty_url: str) -> None:
    inserts = await asyncio.to_thread(generated)

    def fill(connection: Connection) -> None:
        create_tables(connection)
        for statement in inserts:
            connection.exec_driver_sql(statement.rstrip(";").replace("%", "%%"))

    await on(empty_url, fill)
    before = await on(empty_url, seen_by_old_code)
    assert await adopt(empty_url)
    figures = (await upgrade(empty_url)).figures
    assert figures is not None
    assert figures.sessions == figures.compatibility_runs == 40
    once = await on(empty_url, stored)
    assert await downgrade(empty_url, "legacy") == "legacy"
    assert await on(empty_url, seen_by_old_code) == before
    await upgrade(empty_url)
    assert await on(empty_url, stored) == once
