"""Databases of the benchmarks' own, on servers at this machine, dropped at the end."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import make_url, text

from rootproof.adapters.sql.engine import open_engine

_SERVERS = {
    "mysql": ("ROOTPROOF_TEST_MYSQL", "mysql+asyncmy://root@127.0.0.1:3306/"),
    "postgres": ("ROOTPROOF_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"),
}


@contextmanager
def fresh_database(kind: str) -> Iterator[str]:
    """The URL of a new database on the server of that kind (`mysql`, `postgres`)."""
    variable, default = _SERVERS[kind]
    server = os.environ.get(variable, default)
    name = f"rootproof_bench_{secrets.token_hex(6)}"
    asyncio.run(_tell(server, f"CREATE DATABASE {name}"))
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        asyncio.run(_tell(server, f"DROP DATABASE {name}"))


async def _tell(server: str, statement: str) -> None:
    engine = open_engine(server)
    async with engine.connect() as connection:
        outside = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await outside.execute(text(statement))
    await engine.dispose()
