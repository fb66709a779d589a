"""What people said of a run."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

MAX_COMMENT_CHARS = 4_000
MAX_CAUSE_CHARS = 500
MAX_CLAIM_MARKS = 200
MAX_KEY_CHARS = 255
MAX_HISTORY = 200
"""Rows of a run's history that are read back; older ones stay stored."""


def new_feedback_id() -> str:
    """A fresh feedback id, `fb-` and a random UUID."""
    return f"fb-{uuid.uuid4()}"


class FeedbackVerdict(StrEnum):
    """How a run did, in the words of who reads it."""

    HELPFUL = "HELPFUL"
    WRONG_CAUSE = "WRONG_CAUSE"
    MISSING_CAUSE = "MISSING_CAUSE"
    UNCLEAR = "UNCLEAR"
    NOT_HELPFUL = "NOT_HELPFUL"


class ClaimMark(StrEnum):
    """What a reader says of one claim."""

    CORRECT = "CORRECT"
    WRONG = "WRONG"
    UNCLEAR = "UNCLEAR"


class ResolvedBy(StrEnum):
    """How a request came to its run."""

    RUN_ID = "run_id"
    LATEST_RUN = "latest_run"
    """The caller gave a session id alone: the newest run was taken, and the answer says so."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """One row of `run_feedback`; rows are history, the run shows the latest."""

    feedback_id: str
    session_id: str
    run_id: str
    owner: str
    idempotency_key: str
    request_hash: str
    """SHA-256 (hex) of what was said: the same key with other words is an error, not a repeat."""
    verdict: FeedbackVerdict
    comment: str = ""
    """Credentials removed."""
    corrected_cause: str | None = None
    claim_marks: dict[str, ClaimMark] = field(default_factory=dict)
    """Claim id -> mark."""
    resolved_by: ResolvedBy = ResolvedBy.RUN_ID
    created_at: datetime | None = None

    @property
    def names_a_cause(self) -> bool:
        """Whether it confirms the report's cause or gives the right one: only then can the run become a case."""
        if self.verdict is FeedbackVerdict.HELPFUL:
            return True
        corrects = (FeedbackVerdict.WRONG_CAUSE, FeedbackVerdict.MISSING_CAUSE)
        return self.verdict in corrects and bool(self.corrected_cause)

    def on_the_run(self) -> dict[str, Any]:
        """What the run's row shows of it; `helpful` is the word that readers of the MVP's column know."""
        return {
            "feedbackId": self.feedback_id,
            "verdict": self.verdict.value,
            "helpful": self.verdict is FeedbackVerdict.HELPFUL,
            "comment": self.comment,
            "correctedCause": self.corrected_cause,
            "claimMarks": {claim: mark.value for claim, mark in self.claim_marks.items()},
            "createdAt": None if self.created_at is None else self.created_at.isoformat(),
        }
