"""Bringing a database to the newest revision, and opening it.

A database at the newest revision is recognised by one query; an empty one gets its tables at once and is stamped.
Alembic is imported only for what lies between. Whoever changes tables holds a lock, so that processes that start
together do not collide.
"""

from __future__ import annotations

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

MIGRATIONS = Path(__file__).parent / "migrations"

# Alembic's own table, exactly as Alembic would make it.
_VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
_LEGACY_TABLE = "diagnosis_session"
_LOCK_NAME = "rootproof_migrate"
_LOCK_NUMBER = 7_235_114
_LOCK_WAIT_S = 120


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


async def upgrade(url: str, revision: str = "head") -> str | None:
    """The revision of the database at `url` after migrating it up to `revision`."""
    return await _migrated(url, "upgrade", revision)


async def downgrade(url: str, revision: str) -> str | None:
    """The revision of the database at `url` after migrating it down to `revision` (`base`: no tables of ours left)."""
    return await _migrated(url, "downgrade", revision)


async def bring_to_head(database: Database) -> None:
    """Create or migrate the tables where they are not at the newest revision. Raises: StoreError."""
    if await current_revision(database) != schema.HEAD:
        await _locked(database, "create the tables", _bring_to_head)


async def current_revision(database: Database) -> str | None:
    """The database's revision; None when it has none."""
    return await database.read("read the schema revision", lambda connection: connection.run_sync(_revision))


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, with nothing to read from a file; `env.py` takes the connection from it."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


async def _opened(url: str) -> Database:
    engine = open_engine(url)
    await check_file(engine)
    return Database(engine)


async def _migrated(url: str, direction: str, revision: str) -> str | None:
    database = await _opened(url)

    def migrate(connection: Connection) -> None:
        _refuse_foreign(connection)
        _run_alembic(connection, direction, revision)

    try:
        await _locked(database, f"{direction} to {revision}", migrate)
        return await current_revision(database)
    finally:
        await database.close()


async def _locked(database: Database, what: str, work: Any) -> None:
    """Run `work` on a connection that no other migrating process holds the lock of at the same time."""

    async def locked(connection: AsyncConnection) -> None:
        match database.dialect:
            case "postgresql":
                await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
                await connection.run_sync(work)
            case "mysql":
                name = {"name": _LOCK_NAME, "wait": _LOCK_WAIT_S}
                if await connection.scalar(text("SELECT GET_LOCK(:name, :wait)"), name) != 1:
                    raise StoreError(f"another process has been migrating this database for {_LOCK_WAIT_S} s")
                try:
                    await connection.run_sync(work)
                finally:
                    await connection.execute(text("SELECT RELEASE_LOCK(:name)"), {"name": _LOCK_NAME})
            case _:  # SQLite: BEGIN IMMEDIATE is the lock
                await connection.run_sync(work)

    await database.write(what, locked)


def _bring_to_head(connection: Connection) -> None:
    revision = _revision(connection)
    if revision == schema.HEAD:
        return
    tables = _refuse_foreign(connection)
    if revision is None and not tables & set(schema.metadata.tables):
        schema.metadata.create_all(connection)
        _VERSION.create(connection, checkfirst=True)
        connection.execute(_VERSION.insert(), {"version_num": schema.HEAD})
        return
    _run_alembic(connection, "upgrade", "head")


def _run_alembic(connection: Connection, direction: str, revision: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    run = command.upgrade if direction == "upgrade" else command.downgrade
    try:
        run(alembic_config(connection), revision)
    except CommandError as error:
        raise StoreError(
            f"could not {direction} the database to revision {revision}: {error}; this version knows revisions up to "
            f"{schema.HEAD}: was the database written by a newer version?"
        ) from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision


def _refuse_foreign(connection: Connection) -> set[str]:
    """The database's tables. Raises: StoreError when they are the MVP's, which other rows than ours depend on."""
    tables = set(inspect(connection).get_table_names())
    if _LEGACY_TABLE in tables and "diagnosis_run" not in tables:
        raise StoreError(
            f"the database holds the tables of the product before runs existed ({_LEGACY_TABLE}, ...), which this "
            "version does not adopt: use an empty database"
        )
    return tables
