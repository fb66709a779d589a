"""A RunDirectory in SQL: every answer costs what it returns, whatever else the tables hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, false, func, literal, null, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import codec, schema, statements
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.run_store import position_of
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.run import Run, RunStatus, is_terminal
from rootproof.domain.session import ChatSession, SessionStatus
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id
from rootproof.errors import StoreError, UsageError
from rootproof.ports.run_directory import RunFilter, folded, run_says
from rootproof.ports.run_store import RunRows

_RUN = schema.diagnosis_run.c
_STEP = schema.agent_step.c
_CALL = schema.tool_invocation.c
_SESSION = schema.chat_session.c

_LISTED = [column for column in _RUN if column.name not in ("sources", "answer", "last_seq", "agent_flow")]
_IN_A_LIST = select(
    *_LISTED,
    literal("{}").label("sources"),
    case((_RUN.headline.is_(None), _RUN.answer), else_=null()).label("answer"),
)
"""Reports and payloads are long, and a list shows none of them."""
_NEWS_STEPS = (
    select(schema.agent_step)
    .where(_STEP.run_id == bindparam("of_run"), _STEP.seq > bindparam("after"))
    .order_by(_STEP.step_no)
)
_NEWS_CALLS = (
    select(schema.tool_invocation)
    .where(_CALL.run_id == bindparam("of_run"), _CALL.seq > bindparam("after"))
    .order_by(_CALL.step_no, _CALL.call_index)
)
_SESSION_BY_ID = select(schema.chat_session).where(_SESSION.session_id == bindparam("of_session"))
_SESSION_ROW = select(_SESSION.id).where(
    _SESSION.session_id == bindparam("of_session"), _SESSION.owner == bindparam("of_owner")
)
"""Another owner's is like one that is gone."""
_OPEN = [status for status in RunStatus if not is_terminal(status)]
_COUNTS = (
    select(_RUN.status, func.count()).where(_RUN.status.in_([status.value for status in _OPEN])).group_by(_RUN.status)
)
_BATCH = 200
"""Rows that are looked through at a time where SQL cannot say exactly which are meant."""
_MOST_LOOKED_AT = 5_000


class SqlRunDirectory:
    """The RunDirectory over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def runs(
        self, which: RunFilter, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`, after the one that was seen last (by its time alone when it is gone)."""
        if limit < 1 or not _may_exist(which):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[Run]:
            narrowed = await _narrowed(connection, which)
            if narrowed is None:
                return ()
            position = await position_of(connection, before, which.owner) if before is not None else None
            if which.text is None:
                rows = (await connection.execute(_page(narrowed, limit, position))).mappings().all()
                return tuple(codec.run_from_row(row) for row in rows)
            return await _saying(connection, narrowed, which.text, limit, position)

        return await self._database.read("list runs", work)

    async def run(self, run_id: str, *, owner: str) -> Run | None:
        """One run's row; None when there is none of this owner."""
        if not is_storable_id(run_id, ID_LENGTH):
            return None

        async def work(connection: AsyncConnection) -> Run | None:
            row = (await connection.execute(statements.RUN, {"of_run": run_id})).mappings().one_or_none()
            return None if row is None or row["owner"] != owner else codec.run_from_row(row)

        return await self._database.read(f"read run {run_id}", work)

    async def sessions(
        self, owner: str, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[ChatSession]:
        """Sessions by `last_active_at DESC, id DESC`, after the one that was seen last."""
        if limit < 1 or not is_storable_id(owner, OWNER_LENGTH):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[ChatSession]:
            newest = (_SESSION.last_active_at.desc(), _SESSION.id.desc())
            statement = select(schema.chat_session).where(_SESSION.owner == owner).order_by(*newest).limit(limit)
            if before is not None:
                at = utc(before[0], "sessions.before")
                row_id = await connection.scalar(_SESSION_ROW, {"of_session": before[1], "of_owner": owner}) or 0
                same_moment = and_(_SESSION.last_active_at == at, _SESSION.id < row_id)
                statement = statement.where(or_(_SESSION.last_active_at < at, same_moment))
            rows = (await connection.execute(statement)).mappings().all()
            return tuple(_session(row) for row in rows)

        return await self._database.read("list sessions", work)

    async def session(self, session_id: str, *, owner: str) -> ChatSession | None:
        """One session; None when there is none or it is another owner's."""
        if not is_storable_id(session_id, ID_LENGTH):
            return None

        async def work(connection: AsyncConnection) -> ChatSession | None:
            found = await connection.execute(_SESSION_BY_ID, {"of_session": session_id})
            row = found.mappings().one_or_none()
            return None if row is None or row["owner"] != owner else _session(row)

        return await self._database.read(f"read session {session_id}", work)

    async def news(self, run_id: str, *, after: int, owner: str) -> RunRows | None:
        """The run's row, and its steps and invocations with `seq > after`; one row is read where nothing is new."""
        if not is_storable_id(run_id, ID_LENGTH):
            return None

        async def work(connection: AsyncConnection) -> RunRows | None:
            row = (await connection.execute(statements.RUN, {"of_run": run_id})).mappings().one_or_none()
            if row is None or row["owner"] != owner:
                return None
            run = codec.run_from_row(row)
            if row["last_seq"] <= after:
                return RunRows(run, (), ())
            key = {"of_run": run_id, "after": after}
            steps = (await connection.execute(_NEWS_STEPS, key)).mappings().all()
            calls = (await connection.execute(_NEWS_CALLS, key)).mappings().all()
            return RunRows(
                run,
                tuple(codec.step_from_row(step) for step in steps),
                tuple(codec.invocation_from_row(call) for call in calls),
            )

        return await self._database.read(f"read the news of run {run_id}", work)

    async def counts(self) -> Mapping[RunStatus, int]:
        """How many runs are QUEUED and RUNNING."""

        async def work(connection: AsyncConnection) -> Mapping[RunStatus, int]:
            found: dict[str, int] = {row[0]: row[1] for row in await connection.execute(_COUNTS)}
            return {status: int(found.get(status.value, 0)) for status in _OPEN}

        return await self._database.read("count open runs", work)


def _may_exist(which: RunFilter) -> bool:
    """False for filters that no stored row can match, some of which a database would refuse or take too widely."""
    ids = ((which.owner, OWNER_LENGTH), (which.session_id, ID_LENGTH), (which.incident_id, ID_LENGTH))
    names = (which.service, which.severity)
    return all(value is None or is_storable_id(value, length) for value, length in ids) and all(
        value is None or "\x00" not in value for value in (*names, which.text)
    )


async def _narrowed(connection: AsyncConnection, which: RunFilter) -> Select[Any] | None:
    """The statement with its conditions; None where no run can meet them.

    A session has one owner, so its runs are looked for by the session alone: no planner can then choose to walk through
    all runs of the owner.
    """
    owner = which.owner
    if which.session_id is not None and owner is not None:
        found = await connection.scalar(statements.SESSION_OWNER, {"of_session": which.session_id})
        if found != owner:
            return None
        owner = None
    wanted = (
        (_RUN.owner, owner),
        (_RUN.session_id, which.session_id),
        (_RUN.incident_id, which.incident_id),
        (_RUN.status, which.status),
        (_RUN.mode, which.mode),
        (_RUN.service, which.service),
        (_RUN.severity, which.severity),
    )
    conditions = [column == str(value) for column, value in wanted if value is not None]
    if which.root_cause_supported is not None:
        conditions.append(_supported(which.root_cause_supported))
    return _IN_A_LIST.where(*conditions)


def _supported(value: bool) -> ColumnElement[bool]:
    """Exact: in JSON as this store writes it, these characters are only ever this key and its value.

    Inside a string the quotation marks would have a backslash before them.
    """
    return _RUN.self_evaluation.like(_like(f'"root_cause_supported":{json.dumps(value)}'), escape="!")


def _page(narrowed: Select[Any], limit: int, position: tuple[datetime, int] | None) -> Select[Any]:
    statement = narrowed.order_by(_RUN.created_at.desc(), _RUN.id.desc()).limit(limit)
    return statement if position is None else statement.where(statements.older_than(*position))


async def _saying(
    connection: AsyncConnection, narrowed: Select[Any], text: str, limit: int, position: tuple[datetime, int] | None
) -> Sequence[Run]:
    """Runs that say the text. SQL finds too many (in the keys and other parts of the JSON); what is meant is kept.

    Raises: UsageError for a text that is found in so many rows that looking through them would take too long.
    """
    in_json = json.dumps(text, ensure_ascii=False)[1:-1]
    either = [_contains(_RUN.query, text), _contains(_RUN.headline, in_json)]
    either.append(and_(_RUN.headline.is_(None), _contains(_RUN.answer, in_json)))
    candidates = narrowed.where(or_(false(), *either))
    found: list[Run] = []
    for _ in range(_MOST_LOOKED_AT // _BATCH):
        rows = (await connection.execute(_page(candidates, _BATCH, position))).mappings().all()
        runs = (codec.run_from_row(row) for row in rows)
        found += [run for run in runs if run_says(run, text)]
        if len(found) >= limit or len(rows) < _BATCH:
            return tuple(found[:limit])
        position = rows[-1]["created_at"], rows[-1]["id"]
    raise UsageError(
        f"{_MOST_LOOKED_AT} runs hold {text!r:.60} in their data and too few of them say it: give a longer text, or "
        "another filter beside it"
    )


def _contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.lower(column).like(_like(folded(text)), escape="!")


def _like(text: str) -> str:
    escaped = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def _session(row: codec.Row) -> ChatSession:
    try:
        status = SessionStatus(row["status"])
    except ValueError as error:
        raise StoreError(
            f"chat_session.status holds {row['status']!r}, which this version does not know: was the database written "
            "by a newer version?"
        ) from error
    return ChatSession(
        session_id=row["session_id"],
        owner=row["owner"],
        status=status,
        message_pair_count=row["message_pair_count"],
        created_at=row["created_at"],
        last_active_at=row["last_active_at"],
        expires_at=row["expires_at"],
    )
