"""A FeedbackStore in SQL: a row of history and the run's own column, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql.database import Database, DuplicateKey
from rootproof.adapters.sql.schema import diagnosis_run
from rootproof.adapters.sql.service_schema import run_feedback
from rootproof.adapters.sql.stored_text import json_object, json_text, utc
from rootproof.domain.feedback import MAX_HISTORY, ClaimMark, Feedback, FeedbackVerdict, ResolvedBy
from rootproof.domain.run import RunStatus, is_terminal
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id, visible
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.clock import Clock

_RUN = diagnosis_run.c
_SAID = run_feedback.c
_THE_RUN = (_RUN.run_id == bindparam("of_run"), _RUN.session_id == bindparam("of_session"))
_OVER = tuple(status.value for status in RunStatus if is_terminal(status))
_SHOW = (
    update(diagnosis_run)
    .where(*_THE_RUN, _RUN.owner == bindparam("of_owner"), _RUN.status.in_(_OVER))
    # In this order: MySQL reads a column that it has just set as it now is.
    .ordered_values(
        (_RUN.seq, _RUN.last_seq + 1),
        (_RUN.last_seq, _RUN.last_seq + 1),
        (_RUN.feedback, bindparam("shown")),
        (_RUN.updated_at, bindparam("touched_at")),
    )
)
"""Locks the run's row, takes its next seq, shows the feedback. Nothing else of a finished run changes, so no lease is
asked for."""
_STATUS = select(_RUN.status).where(*_THE_RUN, _RUN.owner == bindparam("of_owner"))
_BY_KEY = select(run_feedback).where(
    _SAID.run_id == bindparam("of_run"),
    _SAID.idempotency_key == bindparam("with_key"),
    _SAID.owner == bindparam("of_owner"),
)
_IN_SESSION = (
    select(run_feedback)
    .where(
        _SAID.session_id == bindparam("of_session"),
        _SAID.idempotency_key == bindparam("with_key"),
        _SAID.owner == bindparam("of_owner"),
    )
    .order_by(_SAID.id)
    .limit(1)
)
_HISTORY = (
    select(run_feedback)
    .where(_SAID.run_id == bindparam("of_run"), _SAID.owner == bindparam("of_owner"))
    .order_by(_SAID.id.desc())
)


class SqlFeedbackStore:
    """The FeedbackStore over a `Database`."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock

    async def append(self, feedback: Feedback) -> tuple[Feedback, bool]:
        """The stored row and whether it is new. Raises: StoreError; StaleWrite for a run that is not over."""
        now = (datetime.now(UTC) if self._clock is None else self._clock.now()).astimezone(UTC)
        stored = _stored(feedback, now)
        values = _values(stored)
        what = f"keep feedback on run {feedback.run_id}"
        run = {"of_run": feedback.run_id, "of_session": feedback.session_id, "of_owner": feedback.owner}
        shown = json_text(stored.on_the_run(), "diagnosis_run.feedback")

        async def work(connection: AsyncConnection) -> tuple[Feedback, bool]:
            touched = await connection.execute(_SHOW, {**run, "shown": shown, "touched_at": now})
            if not touched.rowcount:
                raise await _refusal(connection, feedback, run)
            await connection.execute(insert(run_feedback), values)
            return stored, True

        known = await self._known(feedback)
        if known is not None:
            return known, False
        try:
            return await self._database.write(what, work)
        except DuplicateKey as error:
            known = await self._known(feedback)
            if known is None:
                raise StoreError(f"feedback id {feedback.feedback_id!r} is taken") from error
            return known, False

    async def history(self, run_id: str, *, owner: str, limit: int = MAX_HISTORY) -> Sequence[Feedback]:
        """What was said of the run: the newest `limit` rows, oldest first."""
        if limit < 1 or not _may_exist(run_id, owner):
            return ()
        key = {"of_run": run_id, "of_owner": owner}

        async def work(connection: AsyncConnection) -> Sequence[Feedback]:
            rows = (await connection.execute(_HISTORY.limit(limit), key)).mappings().all()
            return tuple(_from_row(row) for row in reversed(rows))

        return await self._database.read(f"read the feedback on run {run_id}", work)

    async def with_key(self, session_id: str, idempotency_key: str, *, owner: str) -> Feedback | None:
        """The oldest row of the session with that key."""
        if not _may_exist(session_id, owner):
            return None
        return await self._one(_IN_SESSION, {"of_session": session_id, "with_key": idempotency_key, "of_owner": owner})

    async def _known(self, feedback: Feedback) -> Feedback | None:
        key = {"of_run": feedback.run_id, "with_key": feedback.idempotency_key, "of_owner": feedback.owner}
        return await self._one(_BY_KEY, key)

    async def _one(self, statement: Any, key: Mapping[str, Any]) -> Feedback | None:
        async def work(connection: AsyncConnection) -> Feedback | None:
            row = (await connection.execute(statement, key)).mappings().one_or_none()
            return None if row is None else _from_row(row)

        return await self._database.read("read feedback", work)


async def _refusal(connection: AsyncConnection, feedback: Feedback, run: Mapping[str, Any]) -> StoreError:
    status = await connection.scalar(_STATUS, run)
    if status is None:
        return StoreError(f"no run {feedback.run_id!r} in session {feedback.session_id!r} of this owner")
    return StaleWrite(f"run {feedback.run_id} is {status}: it takes feedback when it is over")


def _stored(feedback: Feedback, now: datetime) -> Feedback:
    cause = feedback.corrected_cause
    return replace(
        feedback,
        comment=visible(feedback.comment),
        corrected_cause=None if cause is None else visible(cause),
        claim_marks={visible(claim): mark for claim, mark in feedback.claim_marks.items()},
        created_at=utc(feedback.created_at or now, "run_feedback.created_at"),
    )


def _values(feedback: Feedback) -> dict[str, Any]:
    return {
        "feedback_id": feedback.feedback_id,
        "session_id": feedback.session_id,
        "run_id": feedback.run_id,
        "owner": feedback.owner,
        "idempotency_key": feedback.idempotency_key,
        "request_hash": feedback.request_hash,
        "verdict": feedback.verdict.value,
        "comment": feedback.comment,
        "corrected_cause": feedback.corrected_cause,
        "claim_marks": json_text(
            {claim: mark.value for claim, mark in feedback.claim_marks.items()}, "run_feedback.claim_marks"
        ),
        "resolved_by": feedback.resolved_by.value,
        "created_at": feedback.created_at,
    }


def _from_row(row: Any) -> Feedback:
    marks = json_object(row["claim_marks"], "run_feedback.claim_marks") or {}
    try:
        return Feedback(
            feedback_id=row["feedback_id"],
            session_id=row["session_id"],
            run_id=row["run_id"],
            owner=row["owner"],
            idempotency_key=row["idempotency_key"],
            request_hash=row["request_hash"],
            verdict=FeedbackVerdict(row["verdict"]),
            comment=row["comment"],
            corrected_cause=row["corrected_cause"],
            claim_marks={claim: ClaimMark(mark) for claim, mark in marks.items()},
            resolved_by=ResolvedBy(row["resolved_by"]),
            created_at=row["created_at"],
        )
    except ValueError as error:
        raise StoreError(
            f"run_feedback holds a word that this version does not know ({error}): was the database written by a "
            "newer version?"
        ) from error


def _may_exist(identity: str, owner: str) -> bool:
    return is_storable_id(identity, ID_LENGTH) and is_storable_id(owner, OWNER_LENGTH)
