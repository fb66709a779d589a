"""A RunStore in SQL.

Every write first takes the next `seq` from its run's row, which locks that row until the transaction ends: writes to
one run happen one after the other on every database; writes to different runs wait for each other only on SQLite. The
same statement is the fence: it finds the row only under the lease epoch that the writer was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import codec, legacy_rows, schema, statements
from rootproof.adapters.sql.database import Database, DuplicateKey
from rootproof.adapters.sql.migrate import open_database
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import INVOCATION_TRANSITIONS, Invocation, InvocationStatus, is_final
from rootproof.domain.run import Run, RunStatus, is_terminal
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, check_new_run, check_run_update, is_storable_id
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.clock import Clock
from rootproof.ports.run_store import RunRows

_OPEN_RUNS = [status.value for status in RunStatus if not is_terminal(status)]


class SqlRunStore:
    """The RunStore over a `Database`. Returned rows are exactly what `load` will give."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self._clock = clock
        self._upsert_session = {
            touched: statements.upsert(database.dialect, schema.chat_session, ("session_id",), touched)
            for touched in (("last_active_at",), ("last_active_at", "expires_at"))
        }

    async def create_run(self, session: ChatSession, run: Run) -> Run:
        """Insert the session where it is new (or touch it) and the QUEUED run, in one transaction."""
        check_new_run(session, run)
        now = self._now()
        values = codec.run_values(run, now)
        session_values = codec.session_values(session, now)
        touched = ("last_active_at",) if session.expires_at is None else ("last_active_at", "expires_at")

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(self._upsert_session[touched], session_values)
            owner = await connection.scalar(statements.SESSION_OWNER, {"of_session": session.session_id})
            if owner != session.owner:
                raise StoreError(f"session {session.session_id!r} belongs to another owner")
            await connection.execute(statements.INSERT_RUN, values)

        try:
            await self.database.write(f"create run {run.run_id}", work)
        except DuplicateKey as error:
            raise StoreError(f"run id {run.run_id!r} is taken") from error
        return codec.run_from_row(values)

    async def load(self, run_id: str, *, owner: str | None = None) -> RunRows | None:
        """The run's rows, or None when there is no such run or it belongs to another owner (None: any owner)."""
        if not is_storable_id(run_id, ID_LENGTH):
            return None
        key = {"of_run": run_id}

        async def work(connection: AsyncConnection) -> RunRows | None:
            row = (await connection.execute(statements.RUN, key)).mappings().one_or_none()
            if row is None or (owner is not None and row["owner"] != owner):
                return None
            steps = (await connection.execute(statements.STEPS, key)).mappings().all()
            calls = (await connection.execute(statements.CALLS, key)).mappings().all()
            if row["compatibility"]:
                return legacy_rows.compatibility_rows(row, steps, calls)
            return RunRows(
                codec.run_from_row(row),
                tuple(codec.step_from_row(step) for step in steps),
                tuple(codec.invocation_from_row(call) for call in calls),
            )

        return await self.database.read(f"load run {run_id}", work)

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """Insert the step; returned with `seq` and `created_at`. Raises: StaleWrite when `step_no` is taken."""
        now = self._now()

        async def work(connection: AsyncConnection) -> dict[str, Any]:
            seq = await self._advance(connection, context, now, steps=1)
            values = codec.step_values(context, step, seq=seq, now=now)
            await connection.execute(statements.INSERT_STEP, values)
            return values

        try:
            values = await self.database.write(f"append step {step.step_no} of run {context.run_id}", work)
        except DuplicateKey as error:
            raise StaleWrite(f"step {step.step_no} of run {context.run_id} is already written") from error
        return codec.step_from_row(values)

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Insert the row in RECEIVED, or take over an unfinished one. Raises: StaleWrite when it is finished."""
        opened = replace(invocation, status=InvocationStatus.RECEIVED, finished_at=None)
        what = f"open call {_name(opened)} of run {context.run_id}"
        key = _call_key(context, opened)
        now = self._now()

        async def insert(connection: AsyncConnection) -> dict[str, Any]:
            seq = await self._advance(connection, context, now, calls=1)
            values = codec.invocation_values(context, opened, seq=seq, now=now)
            await connection.execute(statements.INSERT_CALL, values | key)
            return values

        async def take_over(connection: AsyncConnection) -> dict[str, Any]:
            seq = await self._advance(connection, context, now)
            status, _ = await self._call_state(connection, context, opened)
            if is_final(status):
                raise StaleWrite(f"call {_name(opened)} of run {context.run_id} is already {status}")
            values = codec.invocation_values(context, opened, seq=seq, now=now)
            await connection.execute(statements.UPDATE_CALL, values | key)
            return values

        try:
            values = await self.database.write(what, insert)
        except DuplicateKey:
            values = await self.database.write(what, take_over)
        return codec.invocation_from_row(values)

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Write the row's new state. Raises: StaleWrite when the stored row is already final or does not exist."""
        now = self._now()
        if is_final(invocation.status) and invocation.finished_at is None:
            invocation = replace(invocation, finished_at=now)

        async def work(connection: AsyncConnection) -> dict[str, Any]:
            seq = await self._advance(connection, context, now)
            status, created_at = await self._call_state(connection, context, invocation)
            if is_final(status) or not (status is invocation.status or invocation.status in _next(status)):
                raise StaleWrite(
                    f"call {_name(invocation)} of run {context.run_id} is {status}: "
                    f"it cannot become {invocation.status}"
                )
            changed = replace(invocation, created_at=created_at)
            values = codec.invocation_values(context, changed, seq=seq, now=now)
            await connection.execute(statements.UPDATE_CALL, values | _call_key(context, invocation))
            return values

        values = await self.database.write(f"update call {_name(invocation)} of run {context.run_id}", work)
        return codec.invocation_from_row(values)

    async def update_run(self, run: Run) -> Run:
        """Write status, reason, report, evaluation and totals; the counts are the store's own.

        Raises: StaleWrite on a transition that the table in `domain.run` does not allow from the stored status.
        """
        now = self._now()
        state = codec.run_state_values(run)
        feedback = codec.feedback_value(run)

        async def work(connection: AsyncConnection) -> Run:
            seq = await self._advance(connection, run.context, now)
            key = {"of_run": run.run_id}
            row = dict((await connection.execute(statements.RUN, key)).mappings().one())
            new = row | state | {"seq": seq, "feedback": feedback or row["feedback"]}
            stored, changed = codec.run_from_row(row), codec.run_from_row(new)
            check_run_update(stored, changed)
            if is_terminal(changed.status):
                new["leased_until"] = None
                changed = replace(changed, leased_until=None)
                agents = (await connection.execute(statements.AGENTS, key)).scalars()
                new["agent_flow"] = " > ".join(dict.fromkeys(agents))
            if changed.status is RunStatus.COMPLETED and not is_terminal(stored.status):
                await connection.execute(statements.COUNT_PAIR, {"of_session": stored.session_id, "touched_at": now})
            written = {name: new[name] for name in (*state, "seq", "feedback", "agent_flow", "leased_until")}
            await connection.execute(statements.UPDATE_RUN, written | key)
            return changed

        return await self.database.write(f"update run {run.run_id}", work)

    async def list_runs(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`, from the one after `before` (by its time alone when that run is gone)."""
        if limit < 1 or not _may_exist(owner, session_id):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[Run]:
            statement = statements.newest_runs(owner, session_id, limit)
            if before is not None:
                position = await position_of(connection, before, owner)
                statement = statement.where(statements.older_than(*position))
            rows = (await connection.execute(statement)).mappings().all()
            return tuple(codec.run_from_row(row) for row in rows)

        return await self.database.read("list runs", work)

    async def latest_run(self, session_id: str, *, owner: str | None = None) -> Run | None:
        """The session's newest run by `created_at DESC, id DESC`, never by `updated_at`."""
        newest = await self.list_runs(owner=owner, session_id=session_id, limit=1)
        return newest[0] if newest else None

    async def unfinished(self) -> Sequence[str]:
        """Ids of runs that are not terminal, oldest first."""

        async def work(connection: AsyncConnection) -> Sequence[str]:
            return tuple((await connection.execute(statements.UNFINISHED, {"open": _OPEN_RUNS})).scalars())

        return await self.database.read("list unfinished runs", work)

    async def close(self) -> None:
        """Release connections, also those of other stores over the same `Database`."""
        await self.database.close()

    def _now(self) -> datetime:
        return (datetime.now(UTC) if self._clock is None else self._clock.now()).astimezone(UTC)

    async def _advance(
        self,
        connection: AsyncConnection,
        context: ExecutionContext,
        now: datetime,
        *,
        steps: int = 0,
        calls: int = 0,
    ) -> int:
        """The next seq of the run, its row locked and counted.

        Raises: StoreError for a run that is not `context`'s; StaleWrite when another worker has claimed it since.
        """
        key = {"of_run": context.run_id}
        values = key | {"of_epoch": context.lease_epoch, "steps": steps, "calls": calls, "touched_at": now}
        row = None
        if self.database.returns_updates:
            row = (await connection.execute(statements.ADVANCE_RETURNING, values)).one_or_none()
        else:
            await connection.execute(statements.ADVANCE, values)
        if row is None:
            row = (await connection.execute(statements.COUNTER, key)).one_or_none()
        if row is None or (row.run_id, row.session_id, row.owner) != (
            context.run_id,
            context.session_id,
            context.owner,
        ):
            raise StoreError(f"no run {context.run_id!r} in session {context.session_id!r} of this owner")
        if row.lease_epoch != context.lease_epoch:
            raise StaleWrite(f"another worker has taken over run {context.run_id}")
        return int(row.last_seq)

    @staticmethod
    async def _call_state(
        connection: AsyncConnection, context: ExecutionContext, invocation: Invocation
    ) -> tuple[InvocationStatus, datetime]:
        row = (await connection.execute(statements.CALL_STATE, _call_key(context, invocation))).mappings().one_or_none()
        if row is None:
            raise StaleWrite(f"call {_name(invocation)} of run {context.run_id} was never opened")
        return codec.invocation_status(row), row["created_at"]


async def open_run_store(url: str, *, clock: Clock | None = None) -> SqlRunStore:
    """The store at `url`, its tables at the newest revision.

    Raises: UsageError for a URL that cannot be used; StoreError when it cannot be opened or brought up to date.
    """
    return SqlRunStore(await open_database(url), clock)


async def position_of(
    connection: AsyncConnection, seen: tuple[datetime, str], owner: str | None
) -> tuple[datetime, int]:
    """Where a run stands; another owner's is like one that is gone."""
    created_at, run_id = seen
    if is_storable_id(run_id, ID_LENGTH):
        row = (await connection.execute(statements.POSITION, {"of_run": run_id})).one_or_none()
        if row is not None and owner in (None, row.owner):
            return row.created_at, row.id
    return utc(created_at, "list_runs.before"), 0


def _name(invocation: Invocation) -> str:
    return f"{invocation.step_no}.{invocation.call_index}"


def _call_key(context: ExecutionContext, invocation: Invocation) -> dict[str, Any]:
    return {"of_run": context.run_id, "of_step": invocation.step_no, "of_call": invocation.call_index}


def _next(status: InvocationStatus) -> frozenset[InvocationStatus]:
    return INVOCATION_TRANSITIONS.get(status, frozenset())


def _may_exist(owner: str | None, session_id: str | None) -> bool:
    """False for filters that no stored row can match, some of which a database would refuse or take too widely."""
    if owner is not None and not is_storable_id(owner, OWNER_LENGTH):
        return False
    return session_id is None or is_storable_id(session_id, ID_LENGTH)
