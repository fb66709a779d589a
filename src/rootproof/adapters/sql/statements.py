"""The statements of the run store, built once: SQLAlchemy then finds their compiled form without building a key."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Executable, Select, Table, and_, bindparam, insert, or_, select, update
from sqlalchemy.dialects import mysql, postgresql, sqlite

from rootproof.adapters.sql import schema

_RUN = schema.diagnosis_run.c
_STEP = schema.agent_step.c
_CALL = schema.tool_invocation.c

COUNTER_COLUMNS = (_RUN.run_id, _RUN.session_id, _RUN.owner, _RUN.lease_epoch, _RUN.last_seq)

ADVANCE = (
    update(schema.diagnosis_run)
    .where(_RUN.run_id == bindparam("of_run"), _RUN.lease_epoch == bindparam("of_epoch"))
    .values(
        last_seq=_RUN.last_seq + 1,
        step_count=_RUN.step_count + bindparam("steps"),
        tool_call_count=_RUN.tool_call_count + bindparam("calls"),
        updated_at=bindparam("touched_at"),
    )
)
"""Locks the run's row, takes the next seq, counts; nothing where a later claim has fenced the writer off."""

ADVANCE_RETURNING = ADVANCE.returning(*COUNTER_COLUMNS)
COUNTER = select(*COUNTER_COLUMNS).where(_RUN.run_id == bindparam("of_run"))

SESSION_OWNER = select(schema.chat_session.c.owner).where(schema.chat_session.c.session_id == bindparam("of_session"))

COUNT_PAIR = (
    update(schema.chat_session)
    .where(schema.chat_session.c.session_id == bindparam("of_session"))
    .values(
        message_pair_count=schema.chat_session.c.message_pair_count + 1,
        last_active_at=bindparam("touched_at"),
    )
)
"""A question of the session has its answer."""

INSERT_RUN = insert(schema.diagnosis_run)
RUN = select(schema.diagnosis_run).where(_RUN.run_id == bindparam("of_run"))

INSERT_STEP = insert(schema.agent_step)
STEPS = select(schema.agent_step).where(_STEP.run_id == bindparam("of_run")).order_by(_STEP.step_no, _STEP.id)
AGENTS = select(_STEP.agent_name).where(_STEP.run_id == bindparam("of_run")).order_by(_STEP.step_no)

_STEP_ID = (
    select(_STEP.id).where(_STEP.run_id == bindparam("of_run"), _STEP.step_no == bindparam("of_step")).scalar_subquery()
)
INSERT_CALL = insert(schema.tool_invocation).values(agent_step_id=_STEP_ID)
CALLS = (
    select(schema.tool_invocation)
    .where(_CALL.run_id == bindparam("of_run"))
    .order_by(_CALL.step_no, _CALL.call_index, _CALL.id)
)
_THE_CALL = (
    _CALL.run_id == bindparam("of_run"),
    _CALL.step_no == bindparam("of_step"),
    _CALL.call_index == bindparam("of_call"),
)
CALL_STATE = select(_CALL.status, _CALL.created_at).where(*_THE_CALL)
UPDATE_CALL = update(schema.tool_invocation).where(*_THE_CALL)
UPDATE_RUN = update(schema.diagnosis_run).where(_RUN.run_id == bindparam("of_run"))

POSITION = select(_RUN.created_at, _RUN.id, _RUN.owner).where(_RUN.run_id == bindparam("of_run"))
"""Where a run stands in the order of `newest_runs`."""

UNFINISHED = (
    select(_RUN.run_id).where(_RUN.status.in_(bindparam("open", expanding=True))).order_by(_RUN.created_at, _RUN.id)
)


def upsert(dialect: str, table: Table, keys: tuple[str, ...], changed: tuple[str, ...]) -> Executable:
    """INSERT that overwrites the columns `changed` where `keys` are taken, in the words of each database."""
    match dialect:
        case "mysql" | "mariadb":
            statement = mysql.insert(table)
            return statement.on_duplicate_key_update({name: statement.inserted[name] for name in changed})
        case "postgresql":
            return _on_conflict(postgresql.insert(table), keys, changed)
        case _:
            return _on_conflict(sqlite.insert(table), keys, changed)


def _on_conflict(statement: Any, keys: tuple[str, ...], changed: tuple[str, ...]) -> Executable:
    updated: Executable = statement.on_conflict_do_update(
        index_elements=list(keys), set_={name: statement.excluded[name] for name in changed}
    )
    return updated


def newest_runs(owner: str | None, session_id: str | None, limit: int) -> Select[Any]:
    """Runs by `created_at DESC, id DESC`."""
    statement = select(schema.diagnosis_run).order_by(_RUN.created_at.desc(), _RUN.id.desc()).limit(limit)
    if owner is not None:
        statement = statement.where(_RUN.owner == owner)
    if session_id is not None:
        statement = statement.where(_RUN.session_id == session_id)
    return statement


def older_than(created_at: datetime, row_id: int) -> ColumnElement[bool]:
    """What comes after this position."""
    return or_(_RUN.created_at < created_at, and_(_RUN.created_at == created_at, _RUN.id < row_id))
