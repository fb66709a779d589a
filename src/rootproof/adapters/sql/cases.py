"""A CaseStore in SQL, over the MVP's `case_library` with our columns beside its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql.database import Database, DuplicateKey
from rootproof.adapters.sql.schema import case_library, diagnosis_run
from rootproof.adapters.sql.service_schema import case_use
from rootproof.adapters.sql.stored_text import json_array, json_text, utc
from rootproof.domain.api_key import LOCAL_OWNER
from rootproof.domain.case import LEGACY_CASE, Case, CaseUse
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id, visible
from rootproof.errors import StoreError
from rootproof.ports.clock import Clock

_CASE = case_library.c
_USE = case_use.c
_NEWEST_FIRST = (_CASE.created_at.desc(), _CASE.id.desc())


class SqlCaseStore:
    """The CaseStore over a `Database`."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock

    async def add(self, case: Case) -> Case:
        """The stored case; where its diagnosis already has one that is not revoked, that one, unchanged."""
        values = _values(case, self._now())

        async def work(connection: AsyncConnection) -> Case:
            # Two that make a case of one run wait for each other here; the second one then sees the first one's case.
            lock = select(diagnosis_run.c.id).where(diagnosis_run.c.run_id == case.diagnosis_id).with_for_update()
            await connection.execute(lock)
            known = select(case_library).where(
                _of_owner(case.owner), _CASE.diagnosis_id == case.diagnosis_id, _CASE.revoked_at.is_(None)
            )
            row = (await connection.execute(known.order_by(_CASE.id).limit(1))).mappings().one_or_none()
            if row is not None:
                return _from_row(row)
            await connection.execute(insert(case_library), values)
            return _from_row({**values, "id": 0})

        try:
            return await self._database.write(f"add a case of {case.diagnosis_id}", work)
        except DuplicateKey as error:
            raise StoreError(f"case id {case.case_id!r} is taken") from error

    async def find(self, case_id: str, *, owner: str) -> Case | None:
        """The case, also a revoked one; None when there is none or it is another owner's."""
        which = _named(case_id, owner)
        if which is None:
            return None
        found = await self._cases(select(case_library).where(which).limit(1), "find a case")
        return found[0] if found else None

    async def of_diagnosis(self, *diagnosis_ids: str, owner: str) -> Sequence[Case]:
        """Cases with one of these diagnosis ids, newest first, also revoked ones."""
        wanted = [each for each in diagnosis_ids if is_storable_id(each, ID_LENGTH)]
        if not wanted or not is_storable_id(owner, OWNER_LENGTH):
            return ()
        statement = select(case_library).where(_of_owner(owner), _CASE.diagnosis_id.in_(wanted))
        return await self._cases(statement.order_by(*_NEWEST_FIRST).limit(100), "find the cases of a run")

    async def page(
        self, *, owner: str, revoked: bool = False, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Case]:
        """Cases by `created_at DESC, id DESC`, after the (created_at, case_id) of the last one seen."""
        if limit < 1 or not is_storable_id(owner, OWNER_LENGTH):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[Case]:
            statement = select(case_library).where(_of_owner(owner)).order_by(*_NEWEST_FIRST).limit(limit)
            if not revoked:
                statement = statement.where(_CASE.revoked_at.is_(None))
            if before is not None:
                at, number = await _position(connection, before, owner)
                older = and_(_CASE.created_at == at, _CASE.id < number)
                statement = statement.where(or_(_CASE.created_at < at, older))
            rows = (await connection.execute(statement)).mappings().all()
            return tuple(_from_row(row) for row in rows)

        return await self._database.read("list cases", work)

    async def revoke(self, case_id: str, *, owner: str, reason: str, at: datetime) -> Case | None:
        """The revoked case; None when there is none. A second revocation changes nothing."""
        which = _named(case_id, owner)
        if which is None:
            return None
        values = {"revoked_at": utc(at, "case_library.revoked_at"), "revoke_reason": visible(reason)}

        async def work(connection: AsyncConnection) -> Case | None:
            await connection.execute(update(case_library).where(which, _CASE.revoked_at.is_(None)).values(values))
            row = (await connection.execute(select(case_library).where(which).limit(1))).mappings().one_or_none()
            return None if row is None else _from_row(row)

        return await self._database.write(f"revoke case {case_id}", work)

    async def note_use(self, use: CaseUse) -> None:
        """Remember that a run was shown a case; a repeat changes nothing."""
        same = (_USE.case_id == use.case_id, _USE.run_id == use.run_id)
        values = {
            "case_id": use.case_id,
            "run_id": use.run_id,
            "session_id": use.session_id,
            "used_at": utc(use.used_at, "case_use.used_at"),
        }

        async def work(connection: AsyncConnection) -> None:
            if await connection.scalar(select(_USE.id).where(*same)) is None:
                await connection.execute(insert(case_use), values)

        try:
            await self._database.write(f"note that run {use.run_id} was shown case {use.case_id}", work)
        except DuplicateKey:
            return  # noted by another worker in the meantime

    async def uses(self, case_id: str, *, limit: int = 100) -> Sequence[CaseUse]:
        """Runs that were shown the case, newest first."""
        if limit < 1 or not is_storable_id(case_id, ID_LENGTH):
            return ()
        statement = (
            select(_USE.case_id, _USE.run_id, _USE.session_id, _USE.used_at)
            .where(_USE.case_id == case_id)
            .order_by(_USE.used_at.desc(), _USE.id.desc())
            .limit(limit)
        )

        async def work(connection: AsyncConnection) -> Sequence[CaseUse]:
            rows = (await connection.execute(statement)).all()
            return tuple(CaseUse(row.case_id, row.run_id, row.session_id, row.used_at) for row in rows)

        return await self._database.read(f"list the uses of case {case_id}", work)

    async def _cases(self, statement: Any, what: str) -> Sequence[Case]:
        async def work(connection: AsyncConnection) -> Sequence[Case]:
            rows = (await connection.execute(statement)).mappings().all()
            return tuple(_from_row(row) for row in rows)

        return await self._database.read(what, work)

    def _now(self) -> datetime:
        return (datetime.now(UTC) if self._clock is None else self._clock.now()).astimezone(UTC)


def _of_owner(owner: str) -> ColumnElement[bool]:
    """Rows of the MVP have no owner: they are the local one's."""
    mine = _CASE.owner == owner
    return or_(mine, _CASE.owner.is_(None)) if owner == LOCAL_OWNER else mine


def _named(case_id: str, owner: str) -> ColumnElement[bool] | None:
    """Which row has the id; None for an id or owner that cannot exist."""
    if not (is_storable_id(case_id, ID_LENGTH) and is_storable_id(owner, OWNER_LENGTH)):
        return None
    named = _CASE.case_id == case_id
    number = case_id.removeprefix(LEGACY_CASE)
    if number != case_id and number.isascii() and number.isdecimal() and len(number) <= len(str(2**62)):
        unnamed = and_(_CASE.case_id.is_(None), _CASE.id == int(number))
        named = or_(named, unnamed)
    return and_(_of_owner(owner), named)


async def _position(connection: AsyncConnection, seen: tuple[datetime, str], owner: str) -> tuple[datetime, int]:
    created_at, case_id = seen
    which = _named(case_id, owner)
    if which is not None:
        row = (await connection.execute(select(_CASE.created_at, _CASE.id).where(which).limit(1))).one_or_none()
        if row is not None:
            return row.created_at, row.id
    return utc(created_at, "page.before"), 0


def _values(case: Case, now: datetime) -> dict[str, Any]:
    def text(value: str | None) -> str | None:
        return None if value is None else visible(value)

    return {
        "diagnosis_id": case.diagnosis_id,
        "title": visible(case.title),
        "symptom": visible(case.symptom),
        "root_cause": visible(case.root_cause),
        "solution": visible(case.solution),
        "source": case.source,
        "created_at": utc(case.created_at or now, "case_library.created_at"),
        "case_id": case.case_id,
        "owner": case.owner,
        "cause_id": text(case.cause_id),
        "objects": json_text(list(case.objects), "case_library.objects"),
        "service": text(case.service),
        "alert_name": text(case.alert_name),
        "feedback_id": case.feedback_id,
        "revoked_at": None if case.revoked_at is None else utc(case.revoked_at, "case_library.revoked_at"),
        "revoke_reason": text(case.revoke_reason),
    }


def _from_row(row: Any) -> Case:
    return Case(
        case_id=row["case_id"] or f"{LEGACY_CASE}{row['id']}",
        diagnosis_id=row["diagnosis_id"],
        owner=row["owner"] or LOCAL_OWNER,
        title=row["title"],
        symptom=row["symptom"] or "",
        root_cause=row["root_cause"] or "",
        solution=row["solution"] or "",
        source=row["source"],
        cause_id=row["cause_id"],
        objects=tuple(str(item) for item in json_array(row["objects"], "case_library.objects")),
        service=row["service"],
        alert_name=row["alert_name"],
        feedback_id=row["feedback_id"],
        created_at=row["created_at"],
        revoked_at=row["revoked_at"],
        revoke_reason=row["revoke_reason"],
    )
