"""Bringing a database to the newest revision, and opening it.

A database at the newest revision is recognised by one query; an empty one gets its tables at once and is stamped.
Alembic is imported only for what lies between. Whoever changes tables holds a lock, so that processes that start
together do not collide. A database of the MVP is never changed by opening it: `adopt` and `upgrade` are asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.engine import check_file, open_engine
from rootproof.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    from rootproof.adapters.sql.legacy_backfill import Report
    from rootproof.adapters.sql.legacy_figures import Figures

MIGRATIONS = Path(__file__).parent / "migrations"
LEGACY = "legacy"
"""The revision of a database of the MVP."""

# Alembic's own table, exactly as Alembic would make it.
_VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
_LEGACY_TABLE = "diagnosis_session"
_BACKFILL = "0003"
"""The revision before which the compatibility runs are made, in transactions of their own."""
_LOCK_NAME = "CONCAT('rootproof_', LEFT(SHA2(DATABASE(), 256), 40))"
"""MySQL's named locks are the whole server's: this one has the name of the database."""
_LOCK_NUMBER = 7_235_114
_LOCK_WAIT_S = 120
_TABLE_WAIT_S = 30
"""How long a change of a table waits for those who use it: they wait behind it, so not long."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Where a database is after an upgrade."""

    revision: str | None
    figures: Figures | None = None
    """Of a database of the MVP, once its rows have been linked."""


async def open_database(url: str) -> Database:
    """The database at `url`, its tables at the newest revision.

    Raises: UsageError for a URL that cannot be used; StoreError when it cannot be opened or brought up to date.
    """
    database = await _opened(url)
    try:
        await bring_to_head(database)
    except BaseException:
        await database.close()
        raise
    return database


@asynccontextmanager
async def as_it_is(url: str) -> AsyncIterator[Database]:
    """The database at `url`, whatever its revision, closed afterwards. Raises: UsageError; StoreError."""
    database = await _opened(url)
    try:
        yield database
    finally:
        await database.close()


async def upgrade(
    url: str, revision: str = "head", *, owner: str | None = None, report: Report | None = None
) -> Upgraded:
    """Where the database at `url` is after migrating it up to `revision`.

    On a database of the MVP, rows that old code has written since the last upgrade are linked as well. `owner` is
    whose the compatibility runs are; `report` is told of every batch.
    Raises: StoreError, also for a revision that is not above and for tables of the MVP that nobody adopted.
    """
    async with as_it_is(url) as database, _alone(database):
        found, tables = await database.read("look at the tables", lambda connection: connection.run_sync(_look))
        _refuse_unadopted(found, tables, revision)
        if found is None and revision == "head" and not tables & set(schema.metadata.tables):
            await database.write("create the tables", lambda connection: connection.run_sync(_create_all))
            return Upgraded(schema.HEAD)
        adopted = _LEGACY_TABLE in tables
        for step in _steps(found, revision):
            if step == _BACKFILL and adopted:
                await _backfill(database, owner, report)
            await database.write(
                f"upgrade to revision {step}",
                lambda connection, to=step: connection.run_sync(
                    _one_step, "upgrade", to, {"owner": owner, "target": revision}
                ),  # type: ignore[misc]
            )
        reached = await current_revision(database)
        if not adopted or reached is None or reached in (LEGACY, "0001", "0002"):
            return Upgraded(reached)
        await _backfill(database, owner, report)
        return Upgraded(reached, await _figures(database))


async def downgrade(url: str, revision: str, *, discard_runs: bool = False) -> str | None:
    """The revision of the database at `url` after migrating it down to `revision` (`base`: no tables of ours left).

    Raises: StoreError, also for a revision that is not below, and when something made since would be lost and
    `discard_runs` does not allow it.
    """
    from rootproof.adapters.sql import legacy

    async with as_it_is(url) as database, _alone(database):
        found, _ = await database.read("look at the tables", lambda connection: connection.run_sync(_look))
        steps = _steps_down(found, revision)
        target = steps[-1] if steps else revision
        if steps:
            await database.write(
                "look at what would be lost",
                lambda connection: connection.run_sync(_allow_loss, target, discard_runs),
            )
        if steps and discard_runs and target in ("base", LEGACY):
            await database.write("discard runs", lambda connection: connection.run_sync(_discard, legacy.discard))
        if steps and discard_runs and target == "0001":
            await database.write("discard cases", lambda connection: connection.run_sync(legacy.discard_cases))
        for step in steps:
            await database.write(
                f"downgrade to revision {step}",
                lambda connection, to=step: connection.run_sync(_one_step, "downgrade", to, {"target": target}),  # type: ignore[misc]
            )
        return await current_revision(database)


async def adopt(url: str) -> bool:
    """Stamp the database of the MVP at `url` with its revision; False when it was adopted before.

    Raises: StoreError that says in what it differs from the MVP's.
    """
    from rootproof.adapters.sql.legacy import differences

    def stamp(connection: Connection) -> bool:
        revision, tables = _look(connection)
        if revision is not None:
            if _LEGACY_TABLE in tables:
                return False
            raise StoreError(f"the database is at revision {revision} already: there is nothing to adopt")
        found = differences(connection)
        if found:
            raise StoreError(
                f"this is not a database of the product before runs existed: {'; '.join(found)}. Nothing was changed"
            )
        _make_version_table(connection)
        connection.execute(_VERSION.insert(), {"version_num": LEGACY})
        return True

    async with as_it_is(url) as database, _alone(database):
        return await database.write("adopt the database", lambda connection: connection.run_sync(stamp))


async def bring_to_head(database: Database) -> None:
    """Create or migrate the tables where they are not at the newest revision. Raises: StoreError."""
    if await current_revision(database) != schema.HEAD:
        await _locked(database, "create the tables", _bring_to_head)


async def current_revision(database: Database) -> str | None:
    """The database's revision; None when it has none."""
    return await database.read("read the schema revision", lambda connection: connection.run_sync(_revision))


def alembic_config(connection: Connection | None = None, **attributes: Any) -> Config:
    """Alembic's configuration, with nothing to read from a file; `env.py` takes the connection from it."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection, **attributes})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


async def _opened(url: str) -> Database:
    engine = open_engine(url)
    await check_file(engine)
    return Database(engine)


async def _backfill(database: Database, owner: str | None, report: Report | None) -> None:
    from rootproof.adapters.sql.legacy_backfill import backfill

    await backfill(database, owner, report)


async def _figures(database: Database) -> Figures:
    from rootproof.adapters.sql.legacy_figures import figures

    return await database.read("count what was linked", lambda connection: connection.run_sync(figures))


def _steps(found: str | None, target: str) -> list[str]:
    """The revisions from the one after `found` up to `target`, in order."""
    from alembic.script.revision import RevisionError
    from alembic.util import CommandError

    try:
        steps = [script.revision for script in _scripts().iterate_revisions(target, found or "base")]
    except (CommandError, RevisionError) as error:
        raise _unknown("upgrade", target, error) from error
    return steps[::-1]


def _steps_down(found: str | None, target: str) -> list[str]:
    """The revisions to go down to one after the other, `target` last."""
    from alembic.script.revision import RevisionError
    from alembic.util import CommandError

    try:
        down = [script.down_revision or "base" for script in _scripts().iterate_revisions(found or "base", target)]
    except (CommandError, RevisionError) as error:
        raise _unknown("downgrade", target, error) from error
    return [str(revision) for revision in down]


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(alembic_config())


def _allow_loss(connection: Connection, revision: str, discard_runs: bool) -> None:
    from rootproof.adapters.sql.legacy import lost

    found = [] if discard_runs else lost(connection, revision)
    if found:
        raise StoreError(
            f"going down to {revision} would lose {', '.join(found)}. Export what you need (`rootproof runs export`), "
            "then say `--discard-runs`. Nothing was changed"
        )


def _discard(connection: Connection, work: Callable[[Connection], None]) -> None:
    if _LEGACY_TABLE in _look(connection)[1]:
        work(connection)


@asynccontextmanager
async def _alone(database: Database) -> AsyncIterator[None]:
    """Hold the lock of migrating on a connection of its own, over several transactions.

    On SQLite each transaction takes the lock of the file, and each looks again at what is there.
    """
    if database.dialect == "sqlite":
        yield
        return
    async with database.engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        if database.dialect == "postgresql":
            taken = await _taken(connection)
            release = text(f"SELECT pg_advisory_unlock({_LOCK_NUMBER})")
        else:
            taken = await connection.scalar(text(f"SELECT GET_LOCK({_LOCK_NAME}, {_LOCK_WAIT_S})")) == 1
            release = text(f"SELECT RELEASE_LOCK({_LOCK_NAME})")
        if not taken:
            raise StoreError(f"another process has been migrating this database for {_LOCK_WAIT_S} s")
        try:
            yield
        finally:
            await connection.execute(release)


async def _taken(connection: AsyncConnection) -> bool:
    """PostgreSQL's lock, tried every quarter second: a session that waits in the server would hold back others."""
    for _ in range(_LOCK_WAIT_S * 4):
        if await connection.scalar(text(f"SELECT pg_try_advisory_lock({_LOCK_NUMBER})")):
            return True
        await asyncio.sleep(0.25)
    return False


async def _locked(database: Database, what: str, work: Any) -> None:
    """Run `work` in a transaction, alone among migrating processes until it is committed.

    SQLite's own lock (BEGIN IMMEDIATE) and PostgreSQL's end with the transaction. MySQL's belongs to a session: it is
    held on another connection, since one given back before the commit lets the next process see half of the work.
    """

    async def locked(connection: AsyncConnection) -> None:
        if database.dialect == "postgresql":
            await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT_S}s'"))
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
        await connection.run_sync(work)

    async with _alone(database) if database.dialect == "mysql" else nullcontext():
        await database.write(what, locked)


def _bring_to_head(connection: Connection) -> None:
    revision, tables = _look(connection)
    if revision == schema.HEAD:
        return
    _refuse_unadopted(revision, tables, "head")
    if _LEGACY_TABLE in tables:
        raise StoreError(
            f"the database is adopted and at revision {revision}: `rootproof db upgrade` brings it to {schema.HEAD}"
        )
    if revision is None and not tables & set(schema.metadata.tables):
        _create_all(connection)
    else:
        _one_step(connection, "upgrade", "head", {})


def _create_all(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    _make_version_table(connection)
    if _revision(connection) is None:
        connection.execute(_VERSION.insert(), {"version_num": schema.HEAD})


def _one_step(connection: Connection, direction: str, revision: str, attributes: dict[str, Any]) -> None:
    match connection.dialect.name:
        case "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{_TABLE_WAIT_S}s'"))
        case "mysql" | "mariadb":
            connection.execute(text(f"SET SESSION lock_wait_timeout = {_TABLE_WAIT_S}"))
    _run_alembic(connection, direction, revision, attributes)


def _run_alembic(connection: Connection, direction: str, revision: str, attributes: dict[str, Any]) -> None:
    from alembic import command
    from alembic.util import CommandError

    run = command.upgrade if direction == "upgrade" else command.downgrade
    try:
        run(alembic_config(connection, **attributes), revision)
    except CommandError as error:
        raise _unknown(direction, revision, error) from error


def _unknown(direction: str, revision: str, error: Exception) -> StoreError:
    return StoreError(
        f"could not {direction} the database to revision {revision}: {error}; this version knows revisions up to "
        f"{schema.HEAD}: was the database written by a newer version?"
    )


def _look(connection: Connection) -> tuple[str | None, set[str]]:
    """The database's revision and its tables."""
    return _revision(connection), set(inspect(connection).get_table_names())


def _make_version_table(connection: Connection) -> None:
    """Alembic's table, where it is not there. MySQL takes no name for a primary key, and says so at every try."""
    if connection.dialect.name != "mysql":
        _VERSION.create(connection, checkfirst=True)
    elif not inspect(connection).has_table(_VERSION.name):
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision


def _refuse_unadopted(revision: str | None, tables: set[str], target: str) -> None:
    """Raises: StoreError when the tables are the MVP's, which others depend on, and nobody adopted them."""
    if revision is None and _LEGACY_TABLE in tables and target != LEGACY:
        raise StoreError(
            f"the database holds the tables of the product before runs existed ({_LEGACY_TABLE}, ...): make a copy, "
            "then run `rootproof db adopt` and `rootproof db upgrade`, or use an empty database"
        )
