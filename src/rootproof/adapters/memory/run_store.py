"""A RunStore in dicts. No method awaits between reading and writing, so every call is one transaction."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from rootproof.adapters.memory.stored_form import stored_form
from rootproof.domain.context import ExecutionContext
from rootproof.domain.invocation import INVOCATION_TRANSITIONS, Invocation, InvocationStatus, is_final
from rootproof.domain.run import Run, RunStatus, is_terminal
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step
from rootproof.domain.storable import check_new_run, check_run_update
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.clock import Clock
from rootproof.ports.run_store import RunRows


@dataclass(slots=True)
class _StoredRun:
    run: Run
    number: int
    """Insertion order: the `id` of the SQL row."""
    last_seq: int = 1
    steps: dict[int, Step] = field(default_factory=dict)
    invocations: dict[tuple[int, int], Invocation] = field(default_factory=dict)


class InMemoryRunStore:
    """The RunStore of tests, demos and benchmarks; gone with the process."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._sessions: dict[str, ChatSession] = {}
        self._runs: dict[str, _StoredRun] = {}

    async def create_run(self, session: ChatSession, run: Run) -> Run:
        """Insert the session where it is new (or touch it) and the QUEUED run."""
        check_new_run(session, run)
        known = self._sessions.get(session.session_id)
        if known is not None and known.owner != session.owner:
            raise StoreError(f"session {session.session_id!r} belongs to another owner")
        if run.run_id in self._runs:
            raise StoreError(f"run id {run.run_id!r} is taken")
        now = self._now()
        created = run.created_at or now
        row = replace(
            run,
            created_at=created,
            updated_at=created,
            seq=1,
            step_count=0,
            tool_call_count=0,
            lease_epoch=0,
            worker=None,
            leased_until=None,
            cancel_requested_at=None,
        )
        row = stored_form(row, where="diagnosis_run")
        session = stored_form(session, where="chat_session")
        touched = session.last_active_at or now
        if known is None:
            self._sessions[session.session_id] = replace(
                session, created_at=session.created_at or now, last_active_at=touched
            )
        else:
            self._sessions[session.session_id] = replace(
                known, last_active_at=touched, expires_at=session.expires_at or known.expires_at
            )
        self._runs[run.run_id] = _StoredRun(row, len(self._runs) + 1)
        return copy.deepcopy(row)

    async def load(self, run_id: str, *, owner: str | None = None) -> RunRows | None:
        """The run's rows, or None when there is no such run or it belongs to another owner."""
        stored = self._runs.get(run_id)
        if stored is None or (owner is not None and stored.run.owner != owner):
            return None
        rows = RunRows(
            stored.run,
            tuple(step for _, step in sorted(stored.steps.items())),
            tuple(invocation for _, invocation in sorted(stored.invocations.items())),
        )
        return copy.deepcopy(rows)

    async def append_step(self, context: ExecutionContext, step: Step) -> Step:
        """Insert the step. Raises: StaleWrite when `step_no` is taken."""
        stored = self._stored(context)
        if step.step_no in stored.steps:
            raise StaleWrite(f"step {step.step_no} of run {context.run_id} is already written")
        now = self._now()
        row = replace(step, seq=stored.last_seq + 1, created_at=step.created_at or now)
        stored.steps[step.step_no] = row = stored_form(row, where="agent_step")
        self._count(stored, now, steps=1)
        return copy.deepcopy(row)

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Insert the row in RECEIVED, or take over an unfinished one. Raises: StaleWrite when it is finished."""
        stored = self._stored(context)
        key = (invocation.step_no, invocation.call_index)
        known = stored.invocations.get(key)
        if known is not None and is_final(known.status):
            raise StaleWrite(f"call {_name(key)} of run {context.run_id} is already {known.status}")
        now = self._now()
        row = replace(
            invocation,
            status=InvocationStatus.RECEIVED,
            seq=stored.last_seq + 1,
            created_at=invocation.created_at or now,
            finished_at=None,
        )
        stored.invocations[key] = row = stored_form(row, where="tool_invocation")
        self._count(stored, now, calls=1 if known is None else 0)
        return copy.deepcopy(row)

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        """Write the row's new state. Raises: StaleWrite when the stored row is final or does not exist."""
        stored = self._stored(context)
        key = (invocation.step_no, invocation.call_index)
        known = stored.invocations.get(key)
        if known is None:
            raise StaleWrite(f"call {_name(key)} of run {context.run_id} was never opened")
        if is_final(known.status) or not _may_become(known.status, invocation.status):
            raise StaleWrite(
                f"call {_name(key)} of run {context.run_id} is {known.status}: it cannot become {invocation.status}"
            )
        now = self._now()
        finished = (invocation.finished_at or now) if is_final(invocation.status) else invocation.finished_at
        row = replace(invocation, seq=stored.last_seq + 1, created_at=known.created_at, finished_at=finished)
        stored.invocations[key] = row = stored_form(row, where="tool_invocation")
        self._count(stored, now)
        return copy.deepcopy(row)

    async def update_run(self, run: Run) -> Run:
        """Write status, reason, report, evaluation and totals. Raises: StaleWrite on a transition not allowed."""
        stored = self._stored(run.context)
        known = stored.run
        given = stored_form(run, where="diagnosis_run")
        new = replace(
            known,
            status=given.status,
            status_reason=given.status_reason,
            report=given.report,
            self_evaluation=given.self_evaluation,
            headline=given.headline,
            feedback=known.feedback if given.feedback is None else given.feedback,
            total_duration_ms=given.total_duration_ms,
            total_token_count=given.total_token_count,
            leased_until=None if is_terminal(given.status) else known.leased_until,
            seq=stored.last_seq + 1,
        )
        check_run_update(known, new)
        stored.run = new
        now = self._now()
        if new.status is RunStatus.COMPLETED and not is_terminal(known.status):
            session = self._sessions[new.session_id]
            pairs = session.message_pair_count + 1
            self._sessions[new.session_id] = replace(
                session, message_pair_count=pairs, last_active_at=now.astimezone(UTC)
            )
        self._count(stored, now)
        return copy.deepcopy(stored.run)

    async def list_runs(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`, from the one after `before`."""
        if limit < 1:
            return ()
        found = [
            stored
            for stored in self._runs.values()
            if (owner is None or stored.run.owner == owner)
            and (session_id is None or stored.run.session_id == session_id)
        ]
        if before is not None:
            seen = self._runs.get(before[1])
            known = seen is not None and owner in (None, seen.run.owner)
            limit_position = _position(seen) if seen is not None and known else (before[0].astimezone(UTC), 0)
            found = [stored for stored in found if _position(stored) < limit_position]
        found.sort(key=_position, reverse=True)
        return tuple(copy.deepcopy(stored.run) for stored in found[:limit])

    async def latest_run(self, session_id: str, *, owner: str | None = None) -> Run | None:
        """The session's newest run by `created_at DESC, id DESC`."""
        newest = await self.list_runs(owner=owner, session_id=session_id, limit=1)
        return newest[0] if newest else None

    async def unfinished(self) -> Sequence[str]:
        """Ids of runs that are not terminal, oldest first."""
        found = sorted((stored for stored in self._runs.values() if not is_terminal(stored.run.status)), key=_position)
        return tuple(stored.run.run_id for stored in found)

    def sessions(self) -> Sequence[ChatSession]:
        """Every session, in the order in which they were made."""
        return tuple(self._sessions.values())

    async def close(self) -> None:
        """Nothing to release."""

    def current(self, run_id: str) -> Run | None:
        """The run's row as it is; for the leases over this store."""
        stored = self._runs.get(run_id)
        return None if stored is None else copy.deepcopy(stored.run)

    def keep(self, run: Run) -> Run:
        """The row with `run`'s lease and request to cancel, and nothing else of it; for the leases over this store."""
        stored = self._runs[run.run_id]
        stored.run = replace(
            stored.run,
            lease_epoch=run.lease_epoch,
            worker=run.worker,
            leased_until=run.leased_until,
            cancel_requested_at=run.cancel_requested_at,
        )
        return copy.deepcopy(stored.run)

    def _now(self) -> datetime:
        return self._clock.now() if self._clock is not None else datetime.now(UTC)

    def _stored(self, context: ExecutionContext) -> _StoredRun:
        stored = self._runs.get(context.run_id)
        if stored is None or stored.run.context != context:
            raise StoreError(f"no run {context.run_id!r} in session {context.session_id!r} of this owner")
        if stored.run.lease_epoch != context.lease_epoch:
            raise StaleWrite(f"another worker has taken over run {context.run_id}")
        return stored

    @staticmethod
    def _count(stored: _StoredRun, now: datetime, *, steps: int = 0, calls: int = 0) -> None:
        """Take the seq that the caller has used, and keep the totals right."""
        stored.last_seq += 1
        stored.run = replace(
            stored.run,
            updated_at=now.astimezone(UTC),
            step_count=stored.run.step_count + steps,
            tool_call_count=stored.run.tool_call_count + calls,
        )


def _position(stored: _StoredRun) -> tuple[datetime, int]:
    created = stored.run.created_at or datetime.min.replace(tzinfo=UTC)
    return created, stored.number


def _name(key: tuple[int, int]) -> str:
    return f"{key[0]}.{key[1]}"


def _may_become(stored: InvocationStatus, new: InvocationStatus) -> bool:
    return new == stored or new in INVOCATION_TRANSITIONS[stored]
