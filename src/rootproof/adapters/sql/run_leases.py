"""Leases in the rows of the runs: whoever may write a run is decided by the statement that locks its row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Executable, and_, bindparam, false, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import codec, schema, statements
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.context import ExecutionContext
from rootproof.domain.run import Run, RunStatus, is_terminal
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, WORKER_LENGTH, is_storable_id
from rootproof.errors import StoreError

_RUN = schema.diagnosis_run.c
_THIS = _RUN.run_id == bindparam("of_run")
_OPEN = _RUN.status.in_([status.value for status in RunStatus if not is_terminal(status)])
_FREE = and_(
    _OPEN, _RUN.compatibility == false(), or_(_RUN.leased_until.is_(None), _RUN.leased_until <= bindparam("at"))
)
_MINE = and_(
    _THIS,
    _OPEN,
    _RUN.session_id == bindparam("of_session"),
    _RUN.owner == bindparam("of_owner"),
    _RUN.lease_epoch == bindparam("of_epoch"),
    _RUN.leased_until.is_not(None),
)
_TABLE = update(schema.diagnosis_run)
_CLAIM = _TABLE.where(_THIS, _FREE).values(
    lease_epoch=_RUN.lease_epoch + 1, worker=bindparam("by"), leased_until=bindparam("until")
)
_RENEW = _TABLE.where(_MINE).values(leased_until=bindparam("until"))
_RELEASE = _TABLE.where(_MINE).values(lease_epoch=_RUN.lease_epoch + 1, worker=None, leased_until=None)
_CANCEL = _TABLE.where(_THIS, _OPEN, _RUN.owner == bindparam("of_owner")).values(
    cancel_requested_at=func.coalesce(_RUN.cancel_requested_at, bindparam("at"))
)
_CLAIMABLE = select(_RUN.run_id, _RUN.lease_epoch).where(_FREE).order_by(_RUN.created_at, _RUN.id)


class SqlRunLeases:
    """The RunLeases over a `Database`, which whoever opened it closes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, run_id: str, worker: str, *, now: datetime, until: datetime) -> Run | None:
        """The run under a new `lease_epoch`; None when it is over, absent, or leased at `now`."""
        if not is_storable_id(worker, WORKER_LENGTH):
            raise StoreError(f"a worker's name is 1-{WORKER_LENGTH} printable characters, got {worker!r:.80}")
        if not is_storable_id(run_id, ID_LENGTH):
            return None
        values = {"of_run": run_id, "by": worker, "at": utc(now, "claim.now"), "until": utc(until, "claim.until")}
        return await self._changed(f"claim run {run_id}", _CLAIM, values)

    async def renew(self, context: ExecutionContext, *, until: datetime) -> Run | None:
        """The run, its lease prolonged; None when the lease is lost."""
        values = _held(context) | {"until": utc(until, "renew.until")}
        return await self._changed(f"renew the lease of run {context.run_id}", _RENEW, values)

    async def release(self, context: ExecutionContext) -> Run | None:
        """The unfinished run given back, under a new epoch: what the caller still writes is stale. None when lost."""
        return await self._changed(f"release run {context.run_id}", _RELEASE, _held(context))

    async def request_cancel(self, run_id: str, *, owner: str, now: datetime) -> Run | None:
        """The run, its cancellation asked for; None when there is none or it is another owner's."""
        if not (is_storable_id(run_id, ID_LENGTH) and is_storable_id(owner, OWNER_LENGTH)):
            return None
        values = {"of_run": run_id, "of_owner": owner, "at": utc(now, "request_cancel.now")}

        async def work(connection: AsyncConnection) -> Run | None:
            await connection.execute(_CANCEL, values)
            run = await _row(connection, run_id)
            return run if run is not None and run.owner == owner else None

        return await self._database.write(f"ask for the end of run {run_id}", work)

    async def claimable(self, *, now: datetime, limit: int = 100) -> Sequence[tuple[str, int]]:
        """(run id, lease epoch) of runs that are not over and that nobody holds at `now`, oldest first."""

        async def work(connection: AsyncConnection) -> Sequence[tuple[str, int]]:
            rows = await connection.execute(_CLAIMABLE.limit(limit), {"at": utc(now, "claimable.now")})
            return tuple((row.run_id, row.lease_epoch) for row in rows)

        return await self._database.read("look for runs that nobody works on", work)

    async def _changed(self, what: str, statement: Executable, values: dict[str, Any]) -> Run | None:
        async def work(connection: AsyncConnection) -> Run | None:
            if (await connection.execute(statement, values)).rowcount == 0:
                return None
            return await _row(connection, values["of_run"])

        return await self._database.write(what, work)


async def _row(connection: AsyncConnection, run_id: str) -> Run | None:
    row = (await connection.execute(statements.RUN, {"of_run": run_id})).mappings().one_or_none()
    return None if row is None else codec.run_from_row(row)


def _held(context: ExecutionContext) -> dict[str, Any]:
    return {
        "of_run": context.run_id,
        "of_session": context.session_id,
        "of_owner": context.owner,
        "of_epoch": context.lease_epoch,
    }
