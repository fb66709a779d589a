"""How long does it take to bring a database of the product before runs existed to today's tables, and who waits?

    .venv/bin/python benchmarks/migration.py [--rows N] [--backend sqlite mysql postgres]

Makes a legacy database of N tool invocations (N/10 sessions, N/2 steps), adopts it and upgrades it in a process of its
own, at N/10 and at N rows. Prints for each backend: invocations a second over the whole upgrade and over the backfill
alone, the longest transaction of the backfill (how long its rows stay locked), the longest change of a table (how long
writers of that table wait), the time of all statements at the larger size, and the peak memory at both sizes, which
must not grow with the rows. Exit 1 when memory grows by more than a fifth, or the backfill is not whole.
Servers: ROOTPROOF_TEST_MYSQL and ROOTPROOF_TEST_POSTGRES, else the local ones; an absent one is said and left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, make_url, text
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError

from rootproof.adapters.sql.engine import open_engine
from rootproof.adapters.sql.migrate import adopt, upgrade

_SERVERS = {
    "mysql": ("ROOTPROOF_TEST_MYSQL", "mysql+asyncmy://root@127.0.0.1:3306/"),
    "postgres": ("ROOTPROOF_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"),
}
_GROWTH = 1.2
_CHUNK = 100_000
_CALLS_A_SESSION = 10
_STEPS_A_SESSION = 5


def main() -> int:
    """Print the table; exit 1 when a target is missed."""
    options = _options()
    if options.measure:
        print(json.dumps(asyncio.run(_measured(options.measure))))
        return 0
    print(f"{options.rows} invocations, {options.rows // 10} sessions, {options.rows // 2} steps\n")
    print(
        f"{'backend':10}{'rows/s':>9}{'backfill rows/s':>17}{'longest tx':>12}"
        f"{'longest DDL':>13}{'total':>9}{'memory':>20}"
    )
    missed = False
    for backend in options.backend:
        try:
            small, large = (_run(backend, rows) for rows in (max(options.rows // 10, 1_000), options.rows))
        except (SQLAlchemyError, OSError) as error:
            print(f"{backend:10}left out: {str(error).splitlines()[0]}")
            continue
        missed |= not _line(backend, options.rows, small, large)
    return int(missed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--backend", nargs="+", default=["sqlite"], choices=["sqlite", *_SERVERS])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser.parse_args()


def _line(backend: str, rows: int, small: dict[str, Any], large: dict[str, Any]) -> bool:
    growth = large["peak_mb"] / small["peak_mb"]
    memory = f"{small['peak_mb']:.0f} -> {large['peak_mb']:.0f} MB"
    print(
        f"{backend:10}{rows / large['total_s']:>9,.0f}{rows / large['backfill_s']:>17,.0f}"
        f"{large['longest_tx_s']:>10.2f} s{large['longest_ddl_s']:>11.2f} s{large['total_s']:>7.1f} s{memory:>20}"
        f"  {large['longest_ddl']}"
    )
    if large["problems"]:
        print(f"  not whole: {large['problems']}")
    return growth <= _GROWTH and not large["problems"]


def _run(backend: str, rows: int) -> dict[str, Any]:
    """Make, adopt, upgrade and drop a database of that many invocations; the measured figures."""
    with _database(backend) as url:
        asyncio.run(_filled(url, rows))
        asyncio.run(adopt(url))
        command = [sys.executable, __file__, "--measure", url]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures


@contextmanager
def _database(backend: str) -> Iterator[str]:
    if backend == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite+aiosqlite:///{Path(folder) / 'legacy.db'}"
        return
    variable, default = _SERVERS[backend]
    server, name = os.environ.get(variable, default), f"rootproof_bench_{secrets.token_hex(4)}"
    asyncio.run(_on_server(server, f"CREATE DATABASE {name}"))
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        asyncio.run(_on_server(server, f"DROP DATABASE {name}"))


async def _on_server(server: str, statement: str) -> None:
    engine = open_engine(server)
    try:
        async with engine.connect() as connection:
            await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text(statement))
    finally:
        await engine.dispose()


async def _measured(url: str) -> dict[str, Any]:
    """One upgrade, watched from within its process."""
    watch = _Watch()
    started = time.perf_counter()
    done = await upgrade(url)
    total = time.perf_counter() - started
    return {
        "total_s": total,
        "backfill_s": watch.backfill_s,
        "longest_tx_s": watch.longest_tx_s,
        "longest_ddl_s": watch.longest_ddl_s,
        "longest_ddl": watch.longest_ddl,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "problems": list(done.figures.problems) if done.figures else ["nothing was adopted"],
    }


class _Watch:
    """Times of transactions that write rows, and of statements that change tables."""

    def __init__(self) -> None:
        self.backfill_s = self.longest_tx_s = self.longest_ddl_s = 0.0
        self.longest_ddl = ""
        self._begun: dict[int, float] = {}
        self._filling: set[int] = set()
        event.listen(Engine, "begin", self._begin)
        event.listen(Engine, "commit", self._commit)
        event.listen(Engine, "before_cursor_execute", self._before)
        event.listen(Engine, "after_cursor_execute", self._after)

    def _begin(self, connection: Connection) -> None:
        self._begun[id(connection)] = time.perf_counter()
        self._filling.discard(id(connection))

    def _before(self, connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        connection.info["began"] = time.perf_counter()
        if statement.startswith(("INSERT INTO diagnosis_run", "UPDATE agent_step", "UPDATE tool_invocation")):
            self._filling.add(id(connection))

    def _after(self, connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        took = time.perf_counter() - connection.info["began"]
        words = statement.split()
        changes = words[0] in ("ALTER", "CREATE", "DROP") or "rootproof_new_" in statement
        if changes and took > self.longest_ddl_s:
            self.longest_ddl_s, self.longest_ddl = took, " ".join(words[:3])

    def _commit(self, connection: Connection) -> None:
        if id(connection) in self._filling:
            took = time.perf_counter() - self._begun[id(connection)]
            self.backfill_s += took
            self.longest_tx_s = max(self.longest_tx_s, took)


async def _filled(url: str, calls: int) -> None:
    """Legacy tables with that many invocations, filled by the database itself."""
    await upgrade(url, "legacy")
    sessions = max(calls // _CALLS_A_SESSION, 1)
    engine = open_engine(url)
    try:
        async with engine.begin() as connection:
            await connection.execute(text("DROP TABLE alembic_version"))
            await connection.execute(text("CREATE TABLE bench_numbers (n INTEGER PRIMARY KEY)"))
            digits = " UNION ALL ".join(f"SELECT {digit} AS d" for digit in range(10))
            ten = [f"({digits}) t{place}" for place in range(7)]
            value = " + ".join(f"{10**place} * t{place}.d" for place in range(7))
            limit = max(calls, sessions)
            numbers = f"SELECT {value} FROM {' CROSS JOIN '.join(ten)} WHERE {value} < {limit}"
            await connection.execute(text(f"INSERT INTO bench_numbers {numbers}"))
        for table, count in (
            ("diagnosis_session", sessions),
            ("agent_step", sessions * _STEPS_A_SESSION),
            ("tool_invocation", calls),
        ):
            for start in range(0, count, _CHUNK):
                async with engine.begin() as connection:
                    await connection.execute(
                        text(_insert(engine.dialect.name, table, start, min(start + _CHUNK, count)))
                    )
        async with engine.begin() as connection:
            await connection.execute(text("DROP TABLE bench_numbers"))
    finally:
        await engine.dispose()


def _insert(dialect: str, table: str, start: int, end: int) -> str:
    at = "TIMESTAMP '2026-02-03 04:05:06'" if dialect == "postgresql" else "'2026-02-03 04:05:06'"
    divisor = {"diagnosis_session": 1, "agent_step": _STEPS_A_SESSION, "tool_invocation": _CALLS_A_SESSION}[table]
    number = f"n DIV {divisor}" if dialect == "mysql" else f"n / {divisor}"
    session = f"CONCAT('s', {number})" if dialect == "mysql" else f"'s' || ({number})"
    source = f"FROM bench_numbers WHERE n >= {start} AND n < {end} ORDER BY n"
    match table:
        case "diagnosis_session":
            columns = "session_id, query, status, answer, step_count, tool_call_count, created_at, updated_at"
            values = f"{session}, 'Why is it slow?', 'COMPLETED', 'pool exhausted', 5, 10, {at}, {at}"
        case "agent_step":
            columns = "session_id, step_index, agent_name, output_summary, status, token_count, duration_ms, created_at"
            values = f"{session}, n % 3, 'EXECUTOR', 'what was done', 'OK', 100, 20, {at}"
        case _:
            columns = (
                "session_id, agent_step_id, tool_name, output_preview, output_summary, status, duration_ms, created_at"
            )
            preview = "e" * 200
            values = f"{session}, {number} * 5 + 1, 'query_logs', '{preview}', 'ERROR timeout', 'OK', 7, {at}"
    return f"INSERT INTO {table} ({columns}) SELECT {values} {source}"


if __name__ == "__main__":
    sys.exit(main())
