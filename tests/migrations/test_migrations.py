"""The revisions and the tables say the same, and every state a database can be left in opens or is refused clearly."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from rootproof.adapters.sql import migrate, schema
from rootproof.adapters.sql.engine import open_engine
from rootproof.adapters.sql.migrate import alembic_config, downgrade, open_database, upgrade
from rootproof.adapters.sql.run_store import open_run_store
from rootproof.errors import StoreError
from tests.contracts.test_run_store_contract import a_step, rows, started

OURS = set(schema.metadata.tables)

SEED_COLUMNS = {
    "chat_session": "id session_id status message_pair_count created_at last_active_at expires_at",
    "diagnosis_run": "id run_id session_id query status agent_flow answer self_evaluation feedback total_duration_ms "
    "total_token_count step_count tool_call_count created_at updated_at",
    "agent_step": "id session_id run_id step_index agent_name input_summary output_summary status token_count "
    "duration_ms created_at",
    "tool_invocation": "id session_id run_id agent_step_id tool_name input_json output_preview output_summary "
    "retrieval_details status error_message duration_ms created_at",
    "case_library": "id diagnosis_id title symptom root_cause solution source created_at",
}


async def created_at_once(url: str) -> None:
    await (await open_database(url)).close()


async def with_connection(url: str, look: Any) -> Any:
    engine: AsyncEngine = open_engine(url)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(look)
    finally:
        await engine.dispose()


def differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata))


def described(connection: Connection) -> dict[str, Any]:
    """Everything a database can say of our tables, in its own words; column order aside nothing may differ."""
    match connection.dialect.name:
        case "sqlite":
            found = connection.execute(text("SELECT name, sql FROM sqlite_master ORDER BY name"))
            spaced = str.maketrans({",": " ", "(": " ( ", ")": " ) ", '"': " "})
            return {name: " ".join(sorted((sql or "").translate(spaced).split())) for name, sql in found}
        case "mysql":
            return {
                name: sorted(
                    line.strip(" ,")
                    for line in connection.execute(text(f"SHOW CREATE TABLE {name}")).one()[1].splitlines()
                )
                for name in sorted(OURS)
            }
        case _:
            columns = text(
                "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, "
                "collation_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
            )
            indexes = text(
                "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 2"
            )
            keys = text(
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE contype IN ('f', 'u', 'p', 'c') ORDER BY 1"
            )
            return {
                "columns": list(map(tuple, connection.execute(columns))),
                "indexes": list(map(tuple, connection.execute(indexes))),
                "keys": list(map(tuple, connection.execute(keys))),
            }


# -- one history, one schema ---------------------------------------------------------------------------------------


def test_there_is_one_head_and_the_schema_names_it() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [schema.HEAD]


@pytest.mark.parametrize("table", SEED_COLUMNS)
def test_the_old_columns_are_all_there(table: str) -> None:
    assert set(SEED_COLUMNS[table].split()) <= set(schema.metadata.tables[table].columns.keys())


async def test_the_revisions_give_the_tables_of_the_schema(empty_url: str) -> None:
    await upgrade(empty_url, "0001")
    assert (await upgrade(empty_url)).revision == schema.HEAD
    assert await with_connection(empty_url, differences) == []


async def test_creating_at_once_and_migrating_give_the_same_database(empty_url: str, twin_url: str) -> None:
    await upgrade(empty_url, "0001")
    await upgrade(empty_url)
    await created_at_once(twin_url)
    assert await with_connection(twin_url, differences) == []
    assert await with_connection(empty_url, described) == await with_connection(twin_url, described)


async def test_a_lost_index_is_a_difference(empty_url: str) -> None:
    await created_at_once(empty_url)

    def drop(connection: Connection) -> None:
        table = schema.metadata.tables["tool_invocation"]
        next(index for index in table.indexes if "seq" in index.columns).drop(connection)

    await with_connection(empty_url, drop)
    assert [change[0] for change in await with_connection(empty_url, differences)] == ["add_index"]


async def test_mysql_keeps_microseconds_and_case(empty_url: str) -> None:
    if not empty_url.startswith("mysql"):
        pytest.skip("only MySQL and MariaDB default to dropping them")
    await upgrade(empty_url)
    tables = await with_connection(empty_url, described)
    for lines in tables.values():
        for line in lines:
            if " datetime" in line:
                assert "datetime(6)" in line
            if line.startswith(("`run_id`", "`session_id`", "`owner`", "`call_key`", "`status`")):
                assert "COLLATE utf8mb4_bin" in line


# -- up, down, again -----------------------------------------------------------------------------------------------


async def test_down_takes_everything_away_and_up_brings_it_back(empty_url: str) -> None:
    await created_at_once(empty_url)
    assert await downgrade(empty_url, "base") is None
    assert await with_connection(empty_url, lambda connection: set(inspect(connection).get_table_names())) == {
        "alembic_version"
    }
    assert (await upgrade(empty_url)).revision == schema.HEAD
    assert await with_connection(empty_url, differences) == []
    assert (await upgrade(empty_url)).revision == schema.HEAD


async def test_opening_a_database_at_base_migrates_it(empty_url: str) -> None:
    await created_at_once(empty_url)
    await downgrade(empty_url, "base")
    store = await open_run_store(empty_url)
    run = await started(store)
    assert (await rows(store, run.run_id)).run == run
    await store.close()


async def test_rows_survive_another_opening(empty_url: str) -> None:
    store = await open_run_store(empty_url)
    run = await started(store)
    step = await store.append_step(run.context, a_step(0))
    await store.close()
    assert (await upgrade(empty_url)).revision == schema.HEAD
    store = await open_run_store(empty_url)
    assert (await rows(store, run.run_id)).steps == (step,)
    await store.close()


async def test_tables_created_without_their_stamp_are_taken_on(empty_url: str) -> None:
    await created_at_once(empty_url)
    await with_connection(empty_url, lambda connection: connection.execute(text("DROP TABLE alembic_version")))
    store = await open_run_store(empty_url)
    await started(store)
    assert await migrate.current_revision(store.database) == schema.HEAD
    await store.close()


async def test_many_who_open_an_empty_database_at_once_find_it_made_once(empty_url: str) -> None:
    databases = await asyncio.gather(*(open_database(empty_url) for _ in range(6)))
    revisions = await asyncio.gather(*(migrate.current_revision(database) for database in databases))
    assert revisions == [schema.HEAD] * 6
    for database in databases:
        await database.close()
    assert await with_connection(empty_url, differences) == []


async def test_migrating_one_database_does_not_hold_up_another(empty_url: str, twin_url: str) -> None:
    async with migrate.as_it_is(empty_url) as database, migrate._alone(database):
        await asyncio.wait_for(created_at_once(twin_url), 60)


# -- what is not ours ----------------------------------------------------------------------------------------------


async def test_other_tables_are_left_alone(empty_url: str) -> None:
    await with_connection(empty_url, lambda connection: connection.execute(text("CREATE TABLE theirs (a INTEGER)")))
    await created_at_once(empty_url)
    await downgrade(empty_url, "base")
    names = await with_connection(empty_url, lambda connection: inspect(connection).get_table_names())
    assert set(names) == {"theirs", "alembic_version"}


async def test_a_newer_database_is_refused(empty_url: str) -> None:
    await created_at_once(empty_url)
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    await with_connection(empty_url, lambda connection: connection.execute(newer))
    with pytest.raises(StoreError, match=r"9999.*newer version"):
        await open_run_store(empty_url)


async def test_the_tables_of_the_old_product_are_refused_untouched(empty_url: str) -> None:
    for table in ("diagnosis_session", "agent_step", "tool_invocation", "case_library"):
        statement = text(f"CREATE TABLE {table} (id INTEGER, session_id VARCHAR(64))")
        await with_connection(empty_url, lambda connection, statement=statement: connection.execute(statement))
    before = await with_connection(empty_url, lambda connection: set(inspect(connection).get_table_names()))
    for attempt in (open_run_store, upgrade):
        with pytest.raises(StoreError, match="diagnosis_session"):
            await attempt(empty_url)
    assert await with_connection(empty_url, lambda connection: set(inspect(connection).get_table_names())) == before


# -- speed and packaging -------------------------------------------------------------------------------------------


def test_an_embedded_store_opens_without_alembic(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from rootproof.adapters.sql.run_store import open_run_store\n"
        "async def main():\n"
        "    for _ in range(2):\n"
        "        await (await open_run_store('sqlite:///' + sys.argv[1])).close()\n"
        "asyncio.run(main())\n"
        "heavy = {'alembic', 'mako', 'asyncmy', 'psycopg'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.db")], check=True)


def test_importing_the_package_does_no_work() -> None:
    script = "import sys, rootproof.adapters.sql, rootproof.adapters.memory; assert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_migrations_ship_with_the_package() -> None:
    package = Path(migrate.__file__).parent
    assert migrate.MIGRATIONS.is_relative_to(package)
    assert (migrate.MIGRATIONS / "env.py").is_file()
    assert (migrate.MIGRATIONS / "script.py.mako").is_file()


def test_a_folder_with_a_percent_sign_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Path("/opt/50%(off)s/migrations")
    monkeypatch.setattr(migrate, "MIGRATIONS", odd)
    assert alembic_config().get_main_option("script_location") == str(odd)


def test_alembic_alone_is_told_where_to_go() -> None:
    from alembic import command

    with pytest.raises(RuntimeError, match=r"rootproof\.adapters\.sql\.migrate"):
        command.upgrade(alembic_config(), "head")
