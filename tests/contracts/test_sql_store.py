"""What the SQL stores do beyond their ports: columns for other readers, damage, processes that die."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.column_types import UtcDateTime
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.engine import open_engine
from rootproof.adapters.sql.migrate import _LOCK_NAME
from rootproof.adapters.sql.run_store import open_run_store
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.run import RunStatus
from rootproof.domain.step import Agent
from rootproof.errors import StaleWrite, StoreError, UsageError
from tests.contracts.conftest import T0, House
from tests.contracts.test_canonical_store_contract import CONTEXT, an_item
from tests.contracts.test_run_store_contract import a_call, a_run, a_session, a_step, rows, started

needs_sql = pytest.mark.parametrize("house_kind", ["sqlite", "mysql", "postgres"])


def sql(house: House) -> Database:
    assert house.database is not None
    return house.database


async def only_row(house: House, table: Any) -> dict[str, Any]:
    async with sql(house).engine.connect() as connection:
        return dict((await connection.execute(select(table))).mappings().one())


async def damaged(house: House, table: Any, **values: Any) -> None:
    async with sql(house).engine.begin() as connection:
        await connection.execute(update(table).values(**values))


# -- what other readers of the tables find -------------------------------------------------------------------------


@needs_sql
async def test_columns_of_the_old_product_are_filled(house: House) -> None:
    run = await started(house.runs)
    await house.runs.append_step(run.context, a_step(4, output={"text": "x" * 2_000}, input_tokens=3, output_tokens=4))
    step = await only_row(house, schema.agent_step)
    assert (step["session_id"], step["step_index"], step["agent_name"]) == (run.session_id, 4, "EXECUTOR")
    assert (step["status"], step["token_count"]) == ("OK", 7)
    assert step["output_summary"].startswith('{"text":"xxx')
    assert len(step["output_summary"]) == 500
    await house.runs.open_invocation(run.context, a_call(4))
    call = await only_row(house, schema.tool_invocation)
    assert call["agent_step_id"] == step["id"]
    assert call["input_json"] == '{"topic":"APPLICATION"}'


@needs_sql
async def test_a_finished_run_says_which_agents_acted(house: House) -> None:
    run = await started(house.runs)
    for number, agent in enumerate([Agent.SUPERVISOR, Agent.PLANNER, Agent.EXECUTOR, Agent.EXECUTOR, Agent.VERIFIER]):
        await house.runs.append_step(run.context, a_step(number, agent=agent))
    running = await house.runs.update_run(replace(run, status=RunStatus.RUNNING))
    assert (await only_row(house, schema.diagnosis_run))["agent_flow"] is None
    await house.runs.update_run(replace(running, status=RunStatus.FAILED))
    flow = (await only_row(house, schema.diagnosis_run))["agent_flow"]
    assert flow == "SUPERVISOR > PLANNER > EXECUTOR > VERIFIER"


@needs_sql
async def test_a_new_run_touches_its_session(house: House) -> None:
    first = a_session(session_id="talk")
    await house.runs.create_run(first, a_run(first))
    born = await only_row(house, schema.chat_session)
    expires_at = T0 + timedelta(days=1)
    await house.runs.create_run(replace(first, expires_at=expires_at), a_run(first))
    await house.runs.create_run(first, a_run(first))
    touched = await only_row(house, schema.chat_session)
    assert touched["last_active_at"] > born["last_active_at"]
    assert touched["created_at"] == born["created_at"]
    assert touched["expires_at"] == expires_at


@needs_sql
async def test_a_foreign_session_is_not_touched(house: House) -> None:
    first = a_session("ana", "talk")
    await house.runs.create_run(first, a_run(first))
    born = await only_row(house, schema.chat_session)
    thief = a_session("bob", "talk")
    with pytest.raises(StoreError):
        await house.runs.create_run(thief, a_run(thief))
    assert await only_row(house, schema.chat_session) == born


# -- damage --------------------------------------------------------------------------------------------------------


@needs_sql
@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        (schema.diagnosis_run, "status", "PAUSED"),
        (schema.diagnosis_run, "mode", "chat"),
        (schema.diagnosis_run, "answer", "[1]"),
        (schema.agent_step, "kind", "DREAM"),
        (schema.agent_step, "output", "{broken"),
        (schema.tool_invocation, "status", "LOST"),
        (schema.tool_invocation, "evidence", '{"id": "E1"}'),
        (schema.tool_invocation, "evidence", '[{"id": "E1"}]'),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_what_cannot_be_understood_is_named(house: House, table: Any, column: str, value: str) -> None:
    run = await started(house.runs)
    await house.runs.append_step(run.context, a_step(0))
    await house.runs.open_invocation(run.context, a_call())
    await damaged(house, table, **{column: value})
    with pytest.raises(StoreError, match=rf"{table.name}\.{column}"):
        await house.runs.load(run.run_id)


@needs_sql
@pytest.mark.parametrize("raw", [b"", b"not zlib", None], ids=["empty", "garbage", "other"])
async def test_tampered_raw_text_is_noticed(house: House, raw: bytes | None) -> None:
    await house.canonical.put(CONTEXT, an_item(raw="the raw text"), expires_at=T0 + timedelta(hours=1))
    await damaged(house, schema.canonical_invocation, **({"sha256": "0" * 64} if raw is None else {"raw": raw}))
    with pytest.raises(StoreError, match=r"3\.0.*run-1"):
        await house.canonical.fetch(CONTEXT, "3.0", now=T0)


@needs_sql
async def test_raw_text_is_stored_compressed(house: House) -> None:
    await house.canonical.put(CONTEXT, an_item(raw="all work and no play\n" * 5_000), expires_at=T0)
    kept = await only_row(house, schema.canonical_invocation)
    assert kept["raw_bytes"] == 105_000
    assert len(kept["raw"]) < 2_000


@needs_sql
async def test_an_error_holds_the_databases_words_and_no_values(house: House) -> None:
    run = await started(house.runs)
    async with sql(house).engine.begin() as connection:
        await connection.execute(text("ALTER TABLE agent_step RENAME TO agent_step_away"))
    try:
        with pytest.raises(StoreError, match=r"could not append step 0 .*agent_step") as caught:
            await house.runs.append_step(run.context, a_step(0, input_summary="canary-4711"))
        assert "canary" not in str(caught.value)
        assert "canary" not in str(caught.value.__cause__)
    finally:
        async with sql(house).engine.begin() as connection:
            await connection.execute(text("ALTER TABLE agent_step_away RENAME TO agent_step"))
    assert (await house.runs.append_step(run.context, a_step(0))).seq == 2


def test_a_column_takes_aware_instants_only() -> None:
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    dialect, column = sqlite.dialect(), UtcDateTime()
    assert column.process_bind_param(datetime(2026, 1, 1, 5, 45, tzinfo=kathmandu), dialect) == datetime(2026, 1, 1)  # noqa: DTZ001
    assert column.process_result_value(datetime(2026, 1, 1), dialect) == datetime(2026, 1, 1, tzinfo=UTC)  # noqa: DTZ001
    assert column.process_bind_param(None, dialect) is column.process_result_value(None, dialect) is None
    with pytest.raises(ValueError, match="aware"):
        column.process_bind_param(datetime(2026, 1, 1), dialect)  # noqa: DTZ001


# -- transactions --------------------------------------------------------------------------------------------------


@needs_sql
async def test_a_load_is_one_snapshot(house: House) -> None:
    run = await started(house.runs)
    other, _ = await house.reopened()

    async def write() -> None:
        for number in range(40):
            await other.append_step(run.context, a_step(number))

    writing = asyncio.create_task(write())
    while not writing.done():
        loaded = await rows(house.runs, run.run_id)
        assert loaded.run.step_count == len(loaded.steps)
    await writing


@needs_sql
async def test_a_cancelled_write_leaves_all_or_nothing(house: House) -> None:
    run = await started(house.runs)
    for number in range(12):
        task = asyncio.create_task(house.runs.append_step(run.context, a_step(number)))
        for _ in range(number):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    loaded = await rows(house.runs, run.run_id)
    assert loaded.run.step_count == len(loaded.steps)
    last = await house.runs.append_step(run.context, a_step(99))
    assert last.seq == len(loaded.steps) + 2


@needs_sql
async def test_a_deadlock_is_tried_again(house: House) -> None:
    class Deadlock(Exception):
        sqlstate = "40001"

    run = await started(house.runs)
    attempts = 0

    async def work(connection: AsyncConnection) -> int:
        nonlocal attempts
        attempts += 1
        await connection.execute(update(schema.diagnosis_run).values(step_count=schema.diagnosis_run.c.step_count + 1))
        if attempts < 3:
            raise OperationalError("UPDATE", {}, Deadlock())
        return attempts

    assert await sql(house).write("try", work) == 3
    assert (await rows(house.runs, run.run_id)).run.step_count == 1


@needs_sql
async def test_a_deadlock_that_stays_is_an_error(house: House) -> None:
    class Deadlock(Exception):
        sqlstate = "40P01"

    async def work(_connection: AsyncConnection) -> None:
        raise OperationalError("UPDATE", {}, Deadlock("they wait for each other"))

    with pytest.raises(StoreError, match=r"could not try in the .* store: they wait for each other"):
        await sql(house).write("try", work)


# -- processes -----------------------------------------------------------------------------------------------------

WORKER = """
import asyncio, sys
from dataclasses import replace
from rootproof.adapters.sql.run_store import open_run_store
from rootproof.domain.invocation import InvocationStatus
from tests.contracts.test_run_store_contract import a_call, a_run, a_session, a_step

async def main(url, session_id, task):
    store = await open_run_store(url)
    session = a_session("ana", session_id)
    run = await store.create_run(session, a_run(session))
    if task == "die":
        await store.append_step(run.context, a_step(0))
        opened = await store.open_invocation(run.context, a_call(0))
        await store.update_invocation(run.context, replace(opened, status=InvocationStatus.RUNNING))
        print(run.run_id, flush=True)
        await asyncio.sleep(60)
    for number in range(20):
        await store.append_step(run.context, a_step(number, output={"run": run.run_id}))
    print(run.run_id, flush=True)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def worker(url: str, session_id: str, task: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, url, session_id, task, stdout=asyncio.subprocess.PIPE
    )


@needs_sql
async def test_a_killed_process_leaves_a_call_that_another_takes_over(house: House, database_url: str) -> None:
    process = await worker(database_url, "talk", "die")
    assert process.stdout is not None
    run_id = (await process.stdout.readline()).decode().strip()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    loaded = await rows(house.runs, run_id)
    assert [call.status for call in loaded.invocations] == [InvocationStatus.RUNNING]
    assert await house.runs.unfinished() == (run_id,)
    with pytest.raises(StaleWrite):
        await house.runs.append_step(loaded.run.context, a_step(0))
    again = await house.runs.open_invocation(loaded.run.context, a_call(0))
    done = await house.runs.update_invocation(loaded.run.context, replace(again, status=InvocationStatus.OK))
    assert (done.seq, (await rows(house.runs, run_id)).run.tool_call_count) == (6, 1)


@needs_sql
async def test_tables_are_committed_before_another_process_may_make_them(
    house_kind: str, server_databases: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if house_kind != "mysql":
        return  # the lock of the others ends with the transaction
    written, held = Database.write, []

    async def write(database: Database, what: str, work: Any) -> Any:
        done = await written(database, what, work)
        async with database.engine.connect() as connection:
            holder = await connection.scalar(text(f"SELECT IS_USED_LOCK({_LOCK_NAME})"))
        held.append((what, holder is not None))
        return done

    monkeypatch.setattr(Database, "write", write)
    store = await open_run_store(await asyncio.to_thread(server_databases.fresh, house_kind))
    await store.close()
    assert ("create the tables", True) in held


@needs_sql
async def test_processes_that_open_a_new_database_together_do_not_collide(
    house_kind: str, tmp_path: Path, server_databases: Any
) -> None:
    fresh = f"sqlite+aiosqlite:///{tmp_path / 'new.db'}"
    url = fresh if house_kind == "sqlite" else await asyncio.to_thread(server_databases.fresh, house_kind)
    processes = [await worker(url, "talk", "work") for _ in range(4)]
    outputs = await asyncio.gather(*(process.communicate() for process in processes))
    assert [process.returncode for process in processes] == [0] * 4
    store = await open_run_store(url)
    for output, _ in outputs:
        loaded = await rows(store, output.decode().strip())
        assert [step.output["run"] for step in loaded.steps] == [loaded.run.run_id] * 20
        assert [step.seq for step in loaded.steps] == list(range(2, 22))
    await store.close()


# -- SQLite and URLs -----------------------------------------------------------------------------------------------


async def test_sqlite_is_set_up_for_writers_beside_readers(tmp_path: Path) -> None:
    store = await open_run_store(f"sqlite:///{tmp_path / 'a.db'}")
    async with store.database.engine.connect() as connection:
        settings = {
            name: await connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        }
    assert settings["journal_mode"] == "wal"
    assert settings["foreign_keys"] == 1
    assert settings["synchronous"] == 1
    assert settings["busy_timeout"] >= 5_000
    await store.close()


async def test_sqlite_writers_lock_when_they_begin(tmp_path: Path) -> None:
    store = await open_run_store(f"sqlite:///{tmp_path / 'a.db'}")
    other = Database(open_engine(f"sqlite:///{tmp_path / 'a.db'}"))

    async def try_to_lock(_connection: AsyncConnection) -> None:
        async with other.engine.connect() as second:
            await second.execute(text("PRAGMA busy_timeout = 0"))
            await second.rollback()
            locking = await second.execution_options(rootproof_begin="BEGIN IMMEDIATE")
            with pytest.raises(OperationalError, match="locked"):
                await locking.execute(text("SELECT 1"))

    await store.database.write("hold the lock", try_to_lock)
    await store.close()
    await other.close()


async def test_a_database_in_memory_serves_many_tasks() -> None:
    store = await open_run_store("sqlite+aiosqlite://")
    run = await started(store)
    await asyncio.gather(*(store.append_step(run.context, a_step(number)) for number in range(10)))
    await asyncio.gather(*(rows(store, run.run_id) for _ in range(10)))
    assert (await rows(store, run.run_id)).run.step_count == 10
    await store.close()


async def test_the_default_clock_is_the_machines(tmp_path: Path) -> None:
    store = await open_run_store(f"sqlite:///{tmp_path / 'a.db'}")
    before = datetime.now(UTC)
    run = await started(store)
    assert run.created_at is not None
    assert before <= run.created_at <= datetime.now(UTC)
    await store.close()


@pytest.mark.parametrize("url", ["", "not a url", "oracle://h/db", "sqlite+pysqlcipher:///x", "mysql+pymysql://h/db"])
def test_an_unusable_url_is_the_callers_to_change(url: str) -> None:
    with pytest.raises(UsageError, match="sqlite"):
        open_engine(url)


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncmy", None)
    with pytest.raises(UsageError, match=r"rootproof\[mysql\]"):
        open_engine("mysql://h/db")


@pytest.mark.parametrize("url", ["mysql://root@127.0.0.1:1/x", "postgresql://u@127.0.0.1:1/x"])
async def test_a_server_that_cannot_be_reached_is_a_store_error(url: str) -> None:
    with pytest.raises(StoreError, match="could not read the schema revision"):
        await open_run_store(url)


async def test_a_file_that_is_no_database_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database\n" * 200)
    for path, words in (("missing/a.db", "unable to open"), ("", "unable to open"), ("text.db", "not a database")):
        with pytest.raises(StoreError, match=f"could not open the SQLite database .*{words}"):
            await open_run_store(f"sqlite:///{tmp_path / path}")


def test_a_bad_path_says_so_once_and_nothing_else(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from rootproof.adapters.sql.run_store import open_run_store\n"
        "from rootproof.errors import StoreError\n"
        "try:\n"
        "    asyncio.run(open_run_store('sqlite:///' + sys.argv[1]))\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "missing" / "a.db")], check=True, capture_output=True, text=True
    )
    assert "missing/a.db" in done.stdout
    assert done.stderr == ""


async def test_the_hot_queries_of_sqlite_use_an_index(tmp_path: Path) -> None:
    store = await open_run_store(f"sqlite:///{tmp_path / 'a.db'}")
    queries = (
        "session_id = 's' ORDER BY created_at DESC, id DESC LIMIT 1",
        "owner = 'o' ORDER BY created_at DESC, id DESC LIMIT 50",
        "1 ORDER BY created_at DESC, id DESC LIMIT 50",
    )
    async with store.database.engine.connect() as connection:
        for condition in queries:
            plan = await connection.execute(text(f"EXPLAIN QUERY PLAN SELECT * FROM diagnosis_run WHERE {condition}"))
            steps = [row.detail for row in plan]
            assert len(steps) == 1
            assert "USING INDEX ix_diagnosis_run" in steps[0]
    await store.close()
