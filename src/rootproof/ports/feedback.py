"""Feedback in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rootproof.domain.feedback import MAX_HISTORY, Feedback


class FeedbackStore(Protocol):
    """Append-only history. Raises StoreError."""

    async def append(self, feedback: Feedback) -> tuple[Feedback, bool]:
        """The stored row and whether it is new; with a key that the run has seen, the row of then.

        In one transaction with the run's `feedback` column, which shows the latest, and its `seq`.
        Raises: StoreError for a run that does not exist or is another owner's; StaleWrite for one that is not over.
        """
        ...

    async def history(self, run_id: str, *, owner: str, limit: int = MAX_HISTORY) -> Sequence[Feedback]:
        """What was said of the run: the newest `limit` rows, oldest first."""
        ...

    async def with_key(self, session_id: str, idempotency_key: str, *, owner: str) -> Feedback | None:
        """The oldest row of the session with that key: what a repeat without a run id is a repeat of."""
        ...
