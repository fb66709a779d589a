"""How long traces and lists take when the tables are small and when they are large, on each database.

    python -m benchmarks.read_api [--invocations 1000000] [--kinds sqlite,mysql] [--requests 300]

The rows of one real run are stored many times over, all of one owner (the hardest case for a list). Every route is
asked over the HTTP application in this process, in turn on a database with 10,000 invocations and on one with all of
them; what counts is the ratio of the two. Own databases are made and dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import Table, insert, literal, select, text

from benchmarks.databases import fresh_database
from rootproof.adapters.sql import codec, schema
from rootproof.adapters.sql.run_store import SqlRunStore
from rootproof.bootstrap.backend import memory_backend, open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.request_run import AskedRun, request_run
from rootproof.domain.api_key import LOCAL_OWNER, Principal, Scope
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step, StepKind
from rootproof.entrypoints.http.app import create_app
from rootproof.ports.run_store import RunRows
from rootproof.scenarios import scenario_path
from rootproof.settings import Settings, SourceSettings, StoreSettings

SMALL = 10_000
PER_SESSION = 20
WARM_UP = 20
ADDRESS = "http://127.0.0.1"
T0 = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT = 1.5
"""What the ratio of the p95s may be."""


async def one_run() -> RunRows:
    """The rows of a real run, with its longest parts cut so that a hundred thousand of it fit on a small disk."""
    backend = memory_backend(Settings(sources=SourceSettings(bundle=str(scenario_path("order-pool-leak")))))
    caller = Principal(LOCAL_OWNER, frozenset(Scope))
    run = await request_run(backend, caller, AskedRun(question="why do orders fail?"), max_queued=9)
    inputs: Any = await backend.inputs_of(run)
    rows = await drive_run(backend.services, run.run_id, inputs.sources, inputs.skills)
    calls = tuple(
        replace(call, result=call.result[:300], summary="", evidence=call.evidence[:1], retrieval_details=None)
        for call in rows.invocations
    )
    kept = (StepKind.BRIEFING, StepKind.PLAN, StepKind.TURN, StepKind.END)
    steps = [step for step in rows.steps if step.kind in kept]
    turns = [step.step_no for step in steps if step.kind is StepKind.TURN]
    return replace(
        rows,
        steps=tuple(_short(step) for step in steps if step.step_no not in turns[1:]),
        invocations=calls,
    )


def _short(step: Step) -> Step:
    output = dict(step.output)
    if step.kind is StepKind.BRIEFING:
        output["skills"] = []
    if step.kind is StepKind.END:
        output["report"] = {
            **output["report"],
            "claims": output["report"]["claims"][:1],
            "coverage": [],
            "timeline": [],
        }
    return replace(step, output=output)


def first_rows(rows: RunRows, runs: int) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """The rows of so many runs, table by table."""
    per_run = 10
    calls = [rows.invocations[number % len(rows.invocations)] for number in range(per_run)]
    made: dict[str, list[dict[str, Any]]] = {
        "chat_session": [],
        "diagnosis_run": [],
        "agent_step": [],
        "tool_invocation": [],
    }
    for number in range(runs):
        at = T0 + timedelta(seconds=number)
        run = replace(rows.run, run_id=f"run-{number:06}", session_id=f"ses-{number // PER_SESSION:05}", created_at=at)
        if number % PER_SESSION == 0:
            session = ChatSession(run.session_id, run.owner, created_at=at, last_active_at=at)
            made["chat_session"].append(codec.session_values(session, at))
        made["diagnosis_run"].append(
            codec.run_values(run, at) | {"last_seq": 99, "seq": 99, "step_count": len(rows.steps)}
        )
        made["agent_step"] += [codec.step_values(run.context, step, seq=step.seq, now=at) for step in rows.steps]
        made["tool_invocation"] += [
            codec.invocation_values(run.context, replace(call, step_no=2, call_index=index), seq=call.seq, now=at)
            for index, call in enumerate(calls)
        ]
    for name, values in made.items():
        yield schema.metadata.tables[name], values


async def fill(store: SqlRunStore, rows: RunRows) -> None:
    """The first rows: `SMALL` invocations."""
    async with store.database.engine.begin() as connection:
        for table, values in first_rows(rows, SMALL // 10):
            for start in range(0, len(values), 500):
                await connection.execute(insert(table), values[start : start + 500])


async def multiply(store: SqlRunStore, times: int) -> None:
    """The same rows again, under other ids and at later times, until there are `times` as many."""
    named = {"run_id", "session_id"}
    dated = {"created_at", "last_active_at", "updated_at"}
    tables = [schema.chat_session, schema.diagnosis_run, schema.agent_step, schema.tool_invocation]
    bounds = {}
    async with store.database.engine.begin() as connection:
        for table in tables:
            bounds[table.name] = await connection.scalar(select(table.c.id).order_by(table.c.id.desc()).limit(1))
    for turn in range(1, times):
        later = T0 + timedelta(days=turn)
        async with store.database.engine.begin() as connection:
            for table in tables:
                columns = [column for column in table.c if column.name != "id"]
                values = [
                    (literal(f"{turn:03}-") + column).label(column.name)
                    if column.name in named
                    else literal(later, type_=column.type).label(column.name)
                    if column.name in dated
                    else column
                    for column in columns
                ]
                source = select(*values).where(table.c.id <= bounds[table.name])
                await connection.execute(insert(table).from_select([column.name for column in columns], source))
    statement = {"sqlite": "ANALYZE", "mysql": "ANALYZE TABLE {}", "postgresql": "ANALYZE {}"}[store.database.dialect]
    async with store.database.engine.connect() as connection:
        outside = await connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in tables:
            await outside.execute(text(statement.format(table.name)))


def questions(dice: random.Random, turns: int) -> dict[str, Callable[[], str]]:
    """The routes, each with ids of its own choice."""

    def run() -> tuple[str, str]:
        number, turn = dice.randrange(SMALL // 10), dice.randrange(turns)
        begins = f"{turn:03}-" if turn else ""
        return f"{begins}run-{number:06}", f"{begins}ses-{number // PER_SESSION:05}"

    def trace() -> str:
        run_id, session_id = run()
        return f"/api/diagnosis/{session_id}/trace?runId={run_id}"

    return {
        "trace of a run": trace,
        "trace of the latest": lambda: f"/api/diagnosis/{run()[1]}/trace",
        "runs of a session": lambda: f"/api/chat/session/{run()[1]}/runs",
        "runs, first page": lambda: "/api/runs?limit=50",
        "runs, supported": lambda: "/api/runs?limit=50&rootCauseSupported=true&status=COMPLETED",
        "sessions, first page": lambda: "/api/chat/sessions?limit=50",
        "one run": lambda: f"/api/runs/{run()[0]}",
    }


async def measure(sides: list[Side], requests: int) -> dict[str, list[list[float]]]:
    """Milliseconds by route and side. Routes and sides take turns, so that the machine's noise meets all of them."""
    took: dict[str, list[list[float]]] = {}
    async with AsyncExitStack() as stack:
        asked = []
        for side in sides:
            transport = httpx2.ASGITransport(app=create_app(side.settings, side.backend))
            client = await stack.enter_async_context(httpx2.AsyncClient(transport=transport, base_url=ADDRESS))
            asked.append((client, questions(random.Random(7), side.turns)))
        for number in range(requests + WARM_UP):
            for name in asked[0][1]:
                for place, (client, paths) in enumerate(asked):
                    began = time.perf_counter()
                    answer = await client.get(paths[name]())
                    spent = (time.perf_counter() - began) * 1000
                    if answer.status_code != 200:
                        raise SystemExit(f"{name}: {answer.status_code} {answer.text[:300]}")
                    if number >= WARM_UP:
                        took.setdefault(name, [[] for _ in sides])[place].append(spent)
    return took


def quantile(values: list[float], part: float) -> float:
    """The value below which that part lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


@contextmanager
def database(kind: str) -> Iterator[str]:
    """A URL of a fresh database of that kind."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite+aiosqlite:///{Path(folder) / 'rootproof.db'}"
    else:
        with fresh_database(kind) as url:
            yield url


@dataclass
class Side:
    """One of the two databases that are compared."""

    settings: Settings
    backend: Backend
    turns: int
    """How often the first rows are in it."""


async def opened(url: str, home: str, rows: RunRows, turns: int) -> Side:
    """A filled database."""
    settings = Settings(store=StoreSettings(url=url, home=home))
    backend = await open_backend(settings)
    store: Any = backend.services.runs
    store = getattr(store, "inside", store)
    await fill(store, rows)
    await multiply(store, turns)
    return Side(settings, backend, turns)


async def compare(kind: str, urls: tuple[str, str], invocations: int, requests: int) -> bool:
    """Print the figures of one kind of database; whether every ratio is small enough."""
    turns = max(1, invocations // SMALL)
    rows = await one_run()
    with tempfile.TemporaryDirectory() as home:
        small = await opened(urls[0], home, rows, 1)
        began = time.perf_counter()
        large = await opened(urls[1], home, rows, turns)
        print(
            f"\n{kind}: {SMALL:,} -> {SMALL * turns:,} invocations ({time.perf_counter() - began:.0f} s to make them)"
        )
        took = await measure([small, large], requests)
        for side in (small, large):
            await side.backend.close()
    print(f"{'route':22} {'p50 ms, small, large':>24} {'p95 ms, small, large':>24} {'ratio of p50, p95':>20}")
    good = True
    for name, (few, many) in took.items():
        p50, p95 = [(quantile(few, part), quantile(many, part)) for part in (0.5, 0.95)]
        ratios = p50[1] / p50[0], p95[1] / p95[0]
        good &= ratios[1] <= LIMIT
        print(
            f"{name:22} {p50[0]:12.2f} {p50[1]:11.2f} {p95[0]:12.2f} {p95[1]:11.2f} {ratios[0]:12.2f} {ratios[1]:7.2f}"
        )
    return good


def main() -> int:
    """Exit 1 where a ratio is larger than `LIMIT`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--invocations", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--kinds", default="sqlite,mysql", help="sqlite, mysql, postgres")
    given = parser.parse_args()
    good = True
    for kind in given.kinds.split(","):
        with database(kind) as small, database(kind) as large:
            good &= asyncio.run(compare(kind, (small, large), given.invocations, given.requests))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
