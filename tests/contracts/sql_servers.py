"""Databases for tests: a fresh one with a random name on every server that is there, dropped afterwards."""

from __future__ import annotations

import asyncio
import os
import secrets

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import SQLAlchemyError

from rootproof.adapters.sql.engine import open_engine

KINDS = ("sqlite", "mysql", "postgres")

_SERVERS = {
    "mysql": ("ROOTPROOF_TEST_MYSQL", ("mysql+asyncmy://root@127.0.0.1:3306/",)),
    "postgres": (
        "ROOTPROOF_TEST_POSTGRES",
        (
            "postgresql+psycopg://postgres@127.0.0.1:5432/postgres?connect_timeout=5",
            "postgresql+psycopg://root@127.0.0.1:5432/postgres?connect_timeout=5",
        ),
    ),
}


class ServerDatabases:
    """One database a server, made when first asked for."""

    def __init__(self) -> None:
        self._urls: dict[str, str] = {}
        self._drops: list[tuple[str, str]] = []

    def url(self, kind: str) -> str:
        """The database of this test session on the server of that kind; skips where there is no server."""
        if kind not in self._urls:
            self._urls[kind] = self.fresh(kind)
        return self._urls[kind]

    def fresh(self, kind: str) -> str:
        """A new empty database on the server of that kind; skips where there is no server."""
        name = f"rootproof_test_{secrets.token_hex(6)}"
        variable, defaults = _SERVERS[kind]
        given = os.environ.get(variable)
        refusals = []
        for server in (given,) if given else defaults:
            refusal = asyncio.run(_tried(server, f"CREATE DATABASE {name}"))
            if refusal is None:
                self._drops.append((server, name))
                return make_url(server).set(database=name).render_as_string(hide_password=False)
            refusals.append(refusal)
        reason = f"no {kind} server ({variable} names another): {'; '.join(refusals)}"
        if os.environ.get("ROOTPROOF_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    def drop_all(self) -> None:
        """Drop what was made."""
        for server, name in self._drops:
            asyncio.run(_tried(server, f"DROP DATABASE IF EXISTS {name}"))


async def _tried(server: str, statement: str) -> str | None:
    """Run an administrative statement; what the server said against it, None when it was done."""
    engine = open_engine(server)
    try:
        async with engine.connect() as connection:
            outside = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await outside.execute(text(statement))
    except (SQLAlchemyError, OSError) as error:
        return f"{make_url(server)!r}: {error}"
    finally:
        await engine.dispose()
    return None
