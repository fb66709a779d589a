"""A FeedbackStore in a list, beside an in-memory run store. No method suspends between reading and writing."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.stored_form import stored_form
from rootproof.domain.feedback import MAX_HISTORY, Feedback
from rootproof.domain.run import is_terminal
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.clock import Clock


class InMemoryFeedbackStore:
    """The FeedbackStore of tests and demos; gone with the process."""

    def __init__(self, runs: InMemoryRunStore, clock: Clock | None = None) -> None:
        self._runs = runs
        self._clock = clock
        self._rows: list[Feedback] = []

    async def append(self, feedback: Feedback) -> tuple[Feedback, bool]:
        """The stored row and whether it is new. Raises: StoreError; StaleWrite for a run that is not over."""
        for row in self._of_run(feedback.run_id, feedback.owner):
            if row.idempotency_key == feedback.idempotency_key:
                return copy.deepcopy(row), False
        rows = await self._runs.load(feedback.run_id, owner=feedback.owner)
        if rows is None or rows.run.session_id != feedback.session_id:
            raise StoreError(f"no run {feedback.run_id!r} in session {feedback.session_id!r} of this owner")
        if not is_terminal(rows.run.status):
            raise StaleWrite(f"run {feedback.run_id} is {rows.run.status}: it takes feedback when it is over")
        if any(row.feedback_id == feedback.feedback_id for row in self._rows):
            raise StoreError(f"feedback id {feedback.feedback_id!r} is taken")
        now = self._clock.now() if self._clock is not None else datetime.now(UTC)
        stored = stored_form(replace(feedback, created_at=feedback.created_at or now), where="run_feedback")
        stored = replace(stored, claim_marks=dict(feedback.claim_marks))
        await self._runs.update_run(replace(rows.run, feedback=stored.on_the_run()))
        self._rows.append(stored)
        return copy.deepcopy(stored), True

    async def history(self, run_id: str, *, owner: str, limit: int = MAX_HISTORY) -> Sequence[Feedback]:
        """What was said of the run: the newest `limit` rows, oldest first."""
        return tuple(copy.deepcopy(self._of_run(run_id, owner)[-limit:])) if limit > 0 else ()

    async def with_key(self, session_id: str, idempotency_key: str, *, owner: str) -> Feedback | None:
        """The oldest row of the session with that key."""
        for row in self._rows:
            if (row.session_id, row.idempotency_key, row.owner) == (session_id, idempotency_key, owner):
                return copy.deepcopy(row)
        return None

    def _of_run(self, run_id: str, owner: str) -> list[Feedback]:
        return [row for row in self._rows if row.run_id == run_id and row.owner == owner]
