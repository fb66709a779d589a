"""Compatibility runs: one for each row of `diagnosis_session`, with the steps and calls of its session linked to it.

Old rows do not say where one round of a session ends and the next begins, so nothing is split: a compatibility run
holds what the session held. A batch is a range of primary keys and a transaction of its own; every batch looks for
what is still missing, so the work can be killed anywhere and run again, also for rows that old code writes later.
`diagnosis_session` is only read. Tables are named here as they were at revision 0002, whatever they become.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from rootproof.adapters.sql.column_types import UtcDateTime
from rootproof.adapters.sql.database import Database
from rootproof.domain.api_key import LOCAL_OWNER
from rootproof.domain.run import RunMode, RunStatus, StatusReason
from rootproof.domain.session import SessionStatus

SESSIONS_A_BATCH = 500
ROWS_A_BATCH = 5_000
LINKED_TABLES = ("agent_step", "tool_invocation")
REASONER = "legacy"
_NAMESPACE = uuid.UUID("6f1d1b7c-4c1e-5b0e-9a57-0d5f4f5e2c11")
"""Never changes: the same session gives the same run id on every attempt and in every copy of the database."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEADLINE_CHARS = 500

_STATUS = {
    "COMPLETED": RunStatus.COMPLETED,
    "SUCCESS": RunStatus.COMPLETED,
    "DONE": RunStatus.COMPLETED,
    "CANCELLED": RunStatus.CANCELLED,
    "CANCELED": RunStatus.CANCELLED,
}
"""Every other status is FAILED: whatever was under way then will not go on, and no worker may take it for open."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one part of the backfill is."""

    table: str
    """The table that the batch was read from."""
    position: int
    """The last primary key that was done."""
    last: int
    """The last primary key of the table."""
    rows: int
    """Rows of this batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch did; `position` is None when there is nothing left after it."""

    position: int | None
    rows: int


Report = Callable[[Progress], None]

_SESSION = sa.table(
    "diagnosis_session",
    *(sa.column(name, sa.BigInteger) for name in ("id", "total_duration_ms", "total_token_count")),
    *(sa.column(name, sa.BigInteger) for name in ("step_count", "tool_call_count")),
    *(sa.column(name, sa.Text) for name in ("session_id", "query", "status", "agent_flow", "answer")),
    *(sa.column(name, sa.Text) for name in ("self_evaluation", "feedback")),
    *(sa.column(name, UtcDateTime) for name in ("created_at", "updated_at")),
)
_CHAT = sa.table(
    "chat_session",
    *(sa.column(name, sa.Text) for name in ("session_id", "owner", "status")),
    sa.column("message_pair_count", sa.Integer),
    *(sa.column(name, UtcDateTime) for name in ("created_at", "last_active_at")),
)
_RUN = sa.table(
    "diagnosis_run",
    *(sa.column(name, sa.Text) for name in ("run_id", "session_id", "owner", "mode", "query", "reasoner", "sources")),
    *(sa.column(name, sa.Text) for name in ("status", "status_reason", "agent_flow", "answer", "self_evaluation")),
    *(sa.column(name, sa.Text) for name in ("feedback", "headline")),
    *(sa.column(name, sa.BigInteger) for name in ("id", "total_duration_ms", "total_token_count", "step_count")),
    *(sa.column(name, sa.BigInteger) for name in ("tool_call_count", "seq", "last_seq", "lease_epoch")),
    sa.column("compatibility", sa.Boolean),
    *(sa.column(name, UtcDateTime) for name in ("now", "created_at", "updated_at")),
)


def run_id_of(session_id: str) -> str:
    """The id of the compatibility run of this session: always the same one."""
    return f"run-{uuid.uuid5(_NAMESPACE, session_id)}"


async def backfill(database: Database, owner: str | None = None, report: Report | None = None) -> int:
    """Make and link what is missing, a short transaction a batch; how many rows that were. Raises: StoreError."""
    done = 0
    for table, batch in _parts(owner):
        last = await database.read(f"look at {table}", lambda c, t=table: c.run_sync(_last_id, t))  # type: ignore[misc]
        position: int | None = 0
        while position is not None:
            after = position
            made = await database.write(
                f"backfill from {table} after row {after}",
                lambda c, b=batch, a=after: c.run_sync(b, a),  # type: ignore[misc]
            )
            position, done = made.position, done + made.rows
            if report is not None:
                report(Progress(table, last if position is None else position, last, made.rows))
    return done


def finish(connection: sa.Connection, owner: str | None = None) -> None:
    """Make and link what is missing in the transaction that is there: the little that came after `backfill`."""
    if not sa.inspect(connection).has_table(_SESSION.name):
        return
    for _, batch in _parts(owner):
        position: int | None = 0
        while position is not None:
            position = batch(connection, position).position


def _parts(owner: str | None) -> Iterator[tuple[str, Callable[[sa.Connection, int], Batch]]]:
    def runs(connection: sa.Connection, after: int) -> Batch:
        return make_runs(connection, after, owner or LOCAL_OWNER)

    yield _SESSION.name, runs
    for table in LINKED_TABLES:

        def link(connection: sa.Connection, after: int, table: str = table) -> Batch:
            return link_rows(connection, table, after)

        yield table, link


def make_runs(connection: sa.Connection, after: int, owner: str, size: int = SESSIONS_A_BATCH) -> Batch:
    """Compatibility runs for the next sessions by primary key that have none."""
    run = sa.select(_RUN.c.id).where(_RUN.c.session_id == _SESSION.c.session_id, _RUN.c.compatibility)
    missing = sa.select(*(_as_text(connection, column) for column in _SESSION.c))
    missing = missing.where(_SESSION.c.id > after, ~run.exists()).order_by(_SESSION.c.id).limit(size)
    rows = connection.execute(missing).mappings().all()
    if not rows:
        return Batch(None, 0)
    owners = _owners(connection, [row["session_id"] for row in rows])
    new = [_session_values(row, owner) for row in rows if row["session_id"] not in owners]
    if new:
        connection.execute(sa.insert(_CHAT), new)
    connection.execute(sa.insert(_RUN), [run_values(row, owners.get(row["session_id"], owner)) for row in rows])
    return Batch(rows[-1]["id"] if len(rows) == size else None, len(rows))


def link_rows(connection: sa.Connection, name: str, after: int, size: int = ROWS_A_BATCH) -> Batch:
    """Give the next rows by primary key that have no run the compatibility run of their session, where there is one."""
    table = sa.table(name, sa.column("id", sa.BigInteger), sa.column("run_id", sa.Text), sa.column("session_id"))
    page = sa.select(table.c.id).where(table.c.id > after, table.c.run_id.is_(None)).order_by(table.c.id).limit(size)
    chosen = page.subquery()
    last, count = connection.execute(sa.select(sa.func.max(chosen.c.id), sa.func.count()).select_from(chosen)).one()
    if not count:
        return Batch(None, 0)
    run = sa.select(_RUN.c.run_id).where(_RUN.c.session_id == table.c.session_id, _RUN.c.compatibility)
    connection.execute(
        sa.update(table)
        .where(table.c.id > after, table.c.id <= last, table.c.run_id.is_(None))
        .values(run_id=run.scalar_subquery())
    )
    return Batch(last if count == size else None, count)


def run_values(row: Any, owner: str) -> dict[str, Any]:
    """The row of the compatibility run that this row of `diagnosis_session` becomes."""
    created, updated = _times(row)
    answer = row["answer"]
    return {
        "run_id": run_id_of(row["session_id"]),
        "session_id": row["session_id"],
        "owner": owner,
        "mode": RunMode.CHAT.value,
        "query": row["query"] or "",
        "reasoner": REASONER,
        "sources": _json({"legacy": {"table": _SESSION.name, "id": row["id"], "status": row["status"]}}),
        "now": created,
        "status": _STATUS.get((row["status"] or "").upper(), RunStatus.FAILED).value,
        "status_reason": StatusReason.COMPATIBILITY.value,
        "agent_flow": row["agent_flow"],
        "answer": None if answer is None else _json(_report(answer)),
        "self_evaluation": _object(row["self_evaluation"]),
        "feedback": _object(row["feedback"]),
        "headline": None if answer is None else _json(_headline(answer)),
        "total_duration_ms": row["total_duration_ms"] or 0,
        "total_token_count": row["total_token_count"] or 0,
        "step_count": row["step_count"] or 0,
        "tool_call_count": row["tool_call_count"] or 0,
        "compatibility": True,
        "lease_epoch": 0,
        "seq": 1,
        "last_seq": 1,
        "created_at": created,
        "updated_at": updated,
    }


def _session_values(row: Any, owner: str) -> dict[str, Any]:
    created, updated = _times(row)
    return {
        "session_id": row["session_id"],
        "owner": owner,
        "status": SessionStatus.ACTIVE.value,
        "message_pair_count": 0,
        "created_at": created,
        "last_active_at": updated,
    }


def _owners(connection: sa.Connection, session_ids: Sequence[str]) -> dict[str, str]:
    """Owners of the sessions that new code knows already: their runs are of the same owner."""
    known = sa.select(_CHAT.c.session_id, _CHAT.c.owner).where(_CHAT.c.session_id.in_(session_ids))
    return {session_id: owner for session_id, owner in connection.execute(known)}  # noqa: C416 - rows, not pairs


def _as_text(connection: sa.Connection, column: Any) -> Any:
    """JSON columns as the text they hold; PostgreSQL's driver would parse them."""
    if connection.dialect.name == "postgresql" and column.name in ("self_evaluation", "feedback"):
        return sa.cast(column, sa.Text).label(column.name)
    return column


def _times(row: Any) -> tuple[datetime, datetime]:
    """When it was made and last changed; MySQL's zero dates come as None."""
    created = row["created_at"] or row["updated_at"] or _EPOCH
    return created, row["updated_at"] or created


def _report(answer: str) -> dict[str, Any]:
    """The answer, which was plain text, as a report without claims: nothing of it was checked."""
    empty: dict[str, Any] = {name: [] for name in ("root_causes", "claims", "timeline", "next_steps", "coverage")}
    return {"summary": answer, "healthy": False, **empty}


def _headline(answer: str) -> dict[str, Any]:
    short = answer if len(answer) <= _HEADLINE_CHARS else answer[: _HEADLINE_CHARS - 1] + "…"
    return {"summary": short, "healthy": False, "rootCauses": [], "verdicts": {}}


def _object(text: str | None) -> str | None:
    """JSON that is an object as it stands; anything else inside of one, so that it is kept and can be read."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if value is None:
        return None
    return text if isinstance(value, dict) else _json({"legacy": value})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _last_id(connection: sa.Connection, name: str) -> int:
    return connection.scalar(sa.select(sa.func.max(sa.column("id"))).select_from(sa.table(name))) or 0
