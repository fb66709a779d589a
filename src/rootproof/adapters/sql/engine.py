"""Engines: one URL in, a pool with each database's traps closed out."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, ConnectionPoolEntry

from rootproof.errors import StoreError, UsageError

BEGIN_OPTION = "rootproof_begin"
"""Execution option: how a transaction begins on SQLite."""

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "mysql": "mysql+asyncmy", "mariadb": "mysql+asyncmy"}
_DRIVERS |= {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_EXTRAS = {"mysql+asyncmy": "mysql", "postgresql+psycopg": "postgres"}

_SQLITE_BUSY_MS = 15_000
_RECYCLE_S = 1_800
_MYSQL_SESSION = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'"


def open_engine(url: str) -> AsyncEngine:
    """An engine for `url`; nothing is connected yet.

    Shape: `sqlite+aiosqlite:///path`, `mysql+asyncmy://...`, `postgresql+psycopg://...`; a bare `sqlite://`,
    `mysql://`, `mariadb://`, `postgresql://` gets the driver that is meant.
    Raises: UsageError for a URL that is none of these, or whose driver is not installed.
    """
    parsed = _checked(url)
    common: dict[str, Any] = {"hide_parameters": True}
    try:
        match parsed.get_backend_name():
            case "sqlite":
                engine = create_async_engine(parsed, **common, **_sqlite_pool(parsed))
                _prepare_sqlite(engine)
            case "mysql":
                # REPEATABLE READ is the server's default and what `load` needs for one snapshot; say so, whatever the
                # server is set to. Writers lock their run's row first, so their snapshot is never older than the lock.
                engine = create_async_engine(
                    parsed,
                    **common,
                    isolation_level="REPEATABLE READ",
                    pool_pre_ping=True,
                    pool_recycle=_RECYCLE_S,
                    connect_args={"charset": "utf8mb4", "init_command": _MYSQL_SESSION},
                )
            case _:
                engine = create_async_engine(parsed, **common, pool_pre_ping=True, pool_recycle=_RECYCLE_S)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(parsed.drivername)
        hint = f": install rootproof[{extra}]" if extra else ""
        raise UsageError(f"the driver of {parsed.drivername} is not installed ({error}){hint}") from error
    return engine


async def check_file(engine: AsyncEngine) -> None:
    """Nothing for servers. Raises: StoreError when SQLite cannot open its file, with SQLite's own words.

    aiosqlite, asked to open such a file, leaves a thread behind that fails on the terminal after the loop is closed.
    """
    if engine.dialect.name == "sqlite":
        arguments, options = engine.dialect.create_connect_args(engine.url)
        await asyncio.to_thread(_try_file, str(arguments[0]), uri=bool(options.get("uri", False)))


def _try_file(file: str, *, uri: bool) -> None:
    try:
        with closing(sqlite3.connect(file, uri=uri, timeout=_SQLITE_BUSY_MS / 1000)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        raise StoreError(f"could not open the SQLite database {file}: {error}") from error


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UsageError("the database URL cannot be read; expected e.g. sqlite+aiosqlite:///rootproof.db") from error
    driver = _DRIVERS.get(parsed.drivername, parsed.drivername)
    if driver not in _DRIVERS.values():
        known = ", ".join(sorted(set(_DRIVERS.values())))
        raise UsageError(f"databases of kind {parsed.drivername!r} are not supported; use one of {known}")
    return parsed.set(drivername=driver)


def _sqlite_pool(url: URL) -> dict[str, Any]:
    """One connection for a database in memory: it lives and dies with its connection."""
    in_memory = url.database in (None, "", ":memory:")
    return {"poolclass": AsyncAdaptedQueuePool} | ({"pool_size": 1, "max_overflow": 0} if in_memory else {})


def _prepare_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _entry: ConnectionPoolEntry) -> None:
        # None: the driver must not begin transactions of its own; `begin` below does it.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {_SQLITE_BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        # NORMAL with WAL survives kill -9 with every commit; only a power cut may lose the last ones, never corrupt.
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(BEGIN_OPTION, "BEGIN"))
