"""A database of the product before runs existed: its tables, rows of every awkward kind, and its code's statements."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, text

from rootproof.adapters.sql.engine import open_engine

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "diagnosis_session": (
        *("id", "session_id", "query", "status", "agent_flow", "answer", "self_evaluation", "feedback"),
        *("total_duration_ms", "total_token_count", "step_count", "tool_call_count", "created_at", "updated_at"),
    ),
    "agent_step": (
        *("id", "session_id", "step_index", "agent_name", "input_summary", "output_summary", "status"),
        *("token_count", "duration_ms", "created_at"),
    ),
    "tool_invocation": (
        *("id", "session_id", "agent_step_id", "tool_name", "input_json", "output_preview", "output_summary"),
        *("retrieval_details", "status", "error_message", "duration_ms", "created_at"),
    ),
    "case_library": ("id", "diagnosis_id", "title", "symptom", "root_cause", "solution", "source", "created_at"),
}

_TYPES = {
    "mysql": ("BIGINT AUTO_INCREMENT PRIMARY KEY", "JSON", "DATETIME", "LONGTEXT", " ENGINE=InnoDB CHARSET=utf8mb4"),
    "sqlite": ("INTEGER PRIMARY KEY AUTOINCREMENT", "JSON", "DATETIME", "TEXT", ""),
    "postgresql": ("BIGSERIAL PRIMARY KEY", "JSONB", "TIMESTAMP", "TEXT", ""),
}
_TABLES = (
    """CREATE TABLE diagnosis_session (id {id}, session_id VARCHAR(64) NOT NULL, query TEXT NOT NULL,
    status VARCHAR(32) NOT NULL, agent_flow VARCHAR(255), answer {long}, self_evaluation {json}, feedback {json},
    total_duration_ms BIGINT, total_token_count INT, step_count INT NOT NULL DEFAULT 0,
    tool_call_count INT NOT NULL DEFAULT 0, created_at {time} NOT NULL, updated_at {time} NOT NULL,
    CONSTRAINT uk_diagnosis_session UNIQUE (session_id)){end}""",
    """CREATE TABLE agent_step (id {id}, session_id VARCHAR(64) NOT NULL, step_index INT NOT NULL,
    agent_name VARCHAR(64) NOT NULL, input_summary TEXT, output_summary TEXT, status VARCHAR(32) NOT NULL,
    token_count INT, duration_ms BIGINT, created_at {time} NOT NULL){end}""",
    "CREATE INDEX idx_agent_step_session ON agent_step (session_id)",
    """CREATE TABLE tool_invocation (id {id}, session_id VARCHAR(64) NOT NULL, agent_step_id BIGINT,
    tool_name VARCHAR(64) NOT NULL, input_json {json}, output_preview TEXT, output_summary TEXT,
    retrieval_details {json}, status VARCHAR(32) NOT NULL, error_message TEXT, duration_ms BIGINT,
    created_at {time} NOT NULL){end}""",
    "CREATE INDEX idx_tool_invocation_session ON tool_invocation (session_id)",
    """CREATE TABLE case_library (id {id}, diagnosis_id VARCHAR(64) NOT NULL, title VARCHAR(255) NOT NULL,
    symptom TEXT, root_cause TEXT, solution TEXT, source VARCHAR(32) NOT NULL DEFAULT 'FEEDBACK',
    created_at {time} NOT NULL){end}""",
    "CREATE INDEX idx_case_diagnosis ON case_library (diagnosis_id)",
)
_START = datetime(2026, 2, 3, 4, 5, 6)  # noqa: DTZ001 - the old code wrote naive UTC
_JSON = ("self_evaluation", "feedback", "input_json", "retrieval_details")


def create_tables(connection: Connection) -> None:
    """Create the old tables, as the old code's own script did."""
    names = ("id", "json", "time", "long", "end")
    types = dict(zip(names, _TYPES[connection.dialect.name], strict=True))
    for statement in _TABLES:
        connection.execute(text(statement.format(**types)))


def rows(sessions: int = 12, seed: int = 7) -> Iterator[tuple[str, dict[str, Any]]]:
    """Table and row, in the order in which they were written; a third of the sessions hold several rounds."""
    chance = random.Random(seed)
    step_id = 0
    for number in range(sessions):
        session_id = f"会话-é-{number}" if number % 5 == 0 else f"s{number:05d}"
        rounds = 1 + number % 3
        at = _START + timedelta(minutes=number // 2)  # pairs of sessions share their time
        yield "diagnosis_session", _session(number, session_id, rounds, at)
        for turn in range(rounds):
            for index, agent in enumerate(("PLANNER", "EXECUTOR", "VERIFIER", "CRITIC")[: 3 + number % 2]):
                step_id += 1
                yield "agent_step", _step(session_id, index, agent, turn, at, chance)
            for call in range(3):
                yield "tool_invocation", _call(session_id, step_id if call else None, number, at, chance)
        if number % 4 == 0:
            yield "case_library", _case(session_id if number % 8 else "gone-1", at)
    yield "agent_step", _step("orphan", 0, "PLANNER", 0, _START, chance)
    yield "tool_invocation", _call("orphan", None, 1, _START, chance)


def _session(number: int, session_id: str, rounds: int, at: datetime) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "query": f"Why is order-service slow? 🔥 '{number}'",
        "status": ("COMPLETED", "FAILED", "RUNNING", "Weird", "CANCELLED")[number % 5],
        "agent_flow": None if number % 6 == 0 else "PLANNER>EXECUTOR>VERIFIER",
        "answer": None if number % 7 == 6 else f"Pool exhausted in round {rounds} 🔥",
        "self_evaluation": json.dumps({"score": 0.5, "zz": 1, "aa": 2}) if number % 2 else None,
        "feedback": ('{"helpful": true}', '["old", "list"]', None)[number % 3],
        "total_duration_ms": None if number % 4 == 0 else 1_000 + number,
        "total_token_count": None if number % 4 == 1 else 50 * rounds,
        "step_count": 3 * rounds,
        "tool_call_count": 3 * rounds,
        "created_at": at,
        "updated_at": at + timedelta(hours=1),
    }


def _step(session_id: str, index: int, agent: str, turn: int, at: datetime, chance: random.Random) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "step_index": index,
        "agent_name": agent,
        "input_summary": None,
        "output_summary": f"round {turn}" if index else None,
        "status": "OK" if index else "RUNNING",
        "token_count": chance.choice([None, 10, 20]),
        "duration_ms": chance.choice([None, 5]),
        "created_at": at + timedelta(seconds=turn),
    }


def _call(session_id: str, step: int | None, number: int, at: datetime, chance: random.Random) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "agent_step_id": step,
        "tool_name": chance.choice(["query_logs", "query_metrics", "an_old_tool"]),
        "input_json": chance.choice(['{"q": "x", "b": [1, 2]}', None]),
        "output_preview": "e" * 65_000 if number == 3 and step else chance.choice(["ERROR 🔥 timeout", None]),
        "output_summary": chance.choice([None, "ERROR order-service HikariPool timeout"]),
        "retrieval_details": chance.choice([None, '{"k": 1}']),
        "status": chance.choice(["OK", "ERROR", "RUNNING", "odd"]),
        "error_message": None,
        "duration_ms": chance.choice([None, 7]),
        "created_at": at,
    }


def _case(session_id: str, at: datetime) -> dict[str, Any]:
    return {
        "diagnosis_id": session_id,
        "title": "pool exhausted 🔥",
        "symptom": None,
        "root_cause": "leak",
        "solution": "fix",
        "source": "FEEDBACK",
        "created_at": at,
    }


def insert(connection: Connection, table: str, row: Mapping[str, Any]) -> None:
    """The old code's INSERT: its columns, and no others."""
    names = ", ".join(row)
    marks = ", ".join(
        f"CAST(:{name} AS {_cast(connection, table, name)})" if _needs_cast(connection, name) else f":{name}"
        for name in row
    )
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), dict(row))


def _needs_cast(connection: Connection, name: str) -> bool:
    """PostgreSQL's driver sends a text where the column may be JSON: old code says which it is."""
    return connection.dialect.name == "postgresql" and name in _JSON


def _cast(connection: Connection, table: str, name: str) -> str:
    kinds = {column["name"]: column["type"] for column in sa.inspect(connection).get_columns(table)}
    return str(kinds[name].compile(dialect=connection.dialect))


def fill(connection: Connection, sessions: int = 12, seed: int = 7) -> None:
    """Create the tables and insert `rows`."""
    create_tables(connection)
    for table, row in rows(sessions, seed):
        insert(connection, table, row)


async def legacy_database(url: str, sessions: int = 12) -> None:
    """Make the empty database at `url` one of the old product."""
    await on(url, lambda connection: fill(connection, sessions))


async def on(url: str, work: Any) -> Any:
    """What `work` gives on a connection to the database, committed."""
    engine = open_engine(url)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(work)
    finally:
        await engine.dispose()


def seen_by_old_code(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row by the old columns, in the order of its key: what the old code's SELECTs give."""
    found = {}
    for table, names in COLUMNS.items():
        result = connection.execute(text(f"SELECT {', '.join(names)} FROM {table} ORDER BY id")).mappings()
        found[table] = [tuple(_plain(name, row[name]) for name in names) for row in result]
    return found


def _plain(name: str, value: Any) -> Any:
    """The value as every driver means it: JSON parsed, times without a zone."""
    if value is not None and name.endswith("_at"):
        return str(value).removesuffix(".000000")
    if name in _JSON and isinstance(value, str):
        return json.loads(value)
    return value


def content_hash(connection: Connection) -> str:
    """Of `diagnosis_session`, rows and columns."""
    columns = [
        (column["name"], str(column["type"])) for column in sa.inspect(connection).get_columns("diagnosis_session")
    ]
    content = connection.execute(text("SELECT * FROM diagnosis_session ORDER BY id")).all()
    return hashlib.sha256(repr((columns, [tuple(row) for row in content])).encode()).hexdigest()
