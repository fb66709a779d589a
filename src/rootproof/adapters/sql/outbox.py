"""The outbox in SQL: one row a run and target. A claim is a lease by time, taken by one conditional UPDATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import statements
from rootproof.adapters.sql.codec import Row
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.service_schema import outbox
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.outgoing import OutboxItem, OutboxStatus
from rootproof.domain.storable import ID_LENGTH, is_storable_id, visible
from rootproof.errors import StoreError

_ROW = outbox.c
_DUE = (
    select(outbox)
    .where(_ROW.status == OutboxStatus.PENDING.value, _ROW.next_attempt_at <= bindparam("now"))
    .order_by(_ROW.next_attempt_at, _ROW.id)
    .limit(bindparam("most"))
)
_THE_ATTEMPT = (
    _ROW.run_id == bindparam("of_run"),
    _ROW.target == bindparam("of_target"),
    _ROW.attempts == bindparam("of_attempt"),
    _ROW.status == OutboxStatus.PENDING.value,
)
"""A worker whose lease ran out and whose message another one took must not overwrite what that one wrote."""
_CLAIM = update(outbox).where(*_THE_ATTEMPT).values(attempts=_ROW.attempts + 1, next_attempt_at=bindparam("until"))
_CHANGE = update(outbox).where(*_THE_ATTEMPT)
_OF_RUN = select(outbox).where(_ROW.run_id == bindparam("of_run")).order_by(_ROW.target)
_COUNTS = select(_ROW.status, func.count()).group_by(_ROW.status)


class SqlOutboxStore:
    """The OutboxStore over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # The key is overwritten with itself: a repeat changes nothing.
        self._add = statements.upsert(database.dialect, outbox, ("run_id", "target"), ("run_id",))

    async def add(self, run_id: str, targets: Sequence[str], *, now: datetime) -> None:
        """Remember that the run's report is to go to these targets; a repeat changes nothing."""
        at = utc(now, "outbox.created_at")
        rows = [
            {
                "run_id": run_id,
                "target": target,
                "status": OutboxStatus.PENDING.value,
                "attempts": 0,
                "next_attempt_at": at,
                "last_error": None,
                "created_at": at,
                "sent_at": None,
            }
            for target in targets
        ]
        if not rows:
            return

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(self._add, rows)

        await self._database.write(f"queue the report of run {run_id}", work)

    async def claim(self, *, now: datetime, until: datetime, limit: int = 20) -> Sequence[OutboxItem]:
        """Messages to try now, oldest first, their attempt counted; nobody else gets them before `until`."""
        due = {"now": utc(now, "outbox claim"), "most": max(0, limit)}
        lease = utc(until, "outbox claim")

        async def look(connection: AsyncConnection) -> list[OutboxItem]:
            return [_item(row) for row in (await connection.execute(_DUE, due)).mappings().all()]

        async def take(connection: AsyncConnection) -> Sequence[OutboxItem]:
            taken = []
            for item in found:
                result: CursorResult[Any] = await connection.execute(_CLAIM, _key(item) | {"until": lease})
                if result.rowcount == 1:
                    taken.append(replace(item, attempts=item.attempts + 1, next_attempt_at=lease))
            return tuple(taken)

        found = await self._database.read("look for messages to send", look)
        return await self._database.write("claim messages to send", take) if found else ()

    async def sent(self, item: OutboxItem, *, now: datetime) -> None:
        """Note that the message has arrived."""
        await self._change(
            item, {"status": OutboxStatus.SENT.value, "sent_at": utc(now, "outbox.sent_at"), "last_error": None}
        )

    async def failed(self, item: OutboxItem, error: str, *, retry_at: datetime | None) -> None:
        """Note why the attempt failed, and when the next one is; None gives up."""
        values: dict[str, Any] = {"last_error": visible(error)}
        values |= (
            {"status": OutboxStatus.FAILED.value}
            if retry_at is None
            else {"next_attempt_at": utc(retry_at, "outbox.next_attempt_at")}
        )
        await self._change(item, values)

    async def items(self, run_id: str) -> Sequence[OutboxItem]:
        """The messages of a run, by target."""
        if not is_storable_id(run_id, ID_LENGTH):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[OutboxItem]:
            return tuple(_item(row) for row in (await connection.execute(_OF_RUN, {"of_run": run_id})).mappings().all())

        return await self._database.read("read the messages of a run", work)

    async def counts(self) -> Mapping[OutboxStatus, int]:
        """How many messages are in each status."""

        async def work(connection: AsyncConnection) -> Mapping[OutboxStatus, int]:
            found = {str(row[0]): int(row[1]) for row in (await connection.execute(_COUNTS)).all()}
            return {status: found.get(status.value, 0) for status in OutboxStatus}

        return await self._database.read("count messages", work)

    async def _change(self, item: OutboxItem, values: dict[str, Any]) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_CHANGE, values | _key(item))

        await self._database.write(f"note what became of the report of run {item.run_id}", work)


def _key(item: OutboxItem) -> dict[str, Any]:
    return {"of_run": item.run_id, "of_target": item.target, "of_attempt": item.attempts}


def _item(row: Row) -> OutboxItem:
    try:
        status = OutboxStatus(row["status"])
    except ValueError as error:
        raise StoreError(f"outbox.status holds {row['status']!r}, which this version does not know") from error
    return OutboxItem(
        run_id=row["run_id"],
        target=row["target"],
        status=status,
        attempts=row["attempts"],
        next_attempt_at=row["next_attempt_at"],
        created_at=row["created_at"],
        last_error=row["last_error"],
        sent_at=row["sent_at"],
    )
