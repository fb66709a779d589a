"""Feedback as its giver sees it: the same models for HTTP and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.give_feedback import BoundRun
from rootproof.diagnosis.present import View
from rootproof.domain.feedback import ClaimMark, Feedback, FeedbackVerdict, ResolvedBy

_EXAMPLE: dict[str, JsonValue] = {
    "feedbackId": "fb-0b0c7b7e-6f6d-4b0e-9a55-5f0f6c1b2a11",
    "sessionId": "ses-1",
    "runId": "run-5a4f2c1e-8a0d-4b55-a8b8-0c6a2d1f9e77",
    "resolvedBy": "run_id",
    "verdict": "WRONG_CAUSE",
    "comment": "the pool was too small, the deploy was unrelated",
    "correctedCause": "the connection pool of orders was set to 5",
    "claimMarks": {"C1": "WRONG"},
    "createdAt": "2026-03-04T05:06:07Z",
}


class FeedbackView(View):
    """What somebody said of a run."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        json_schema_extra={"examples": [_EXAMPLE]},
    )

    feedback_id: str = Field(description="Its id.", examples=[_EXAMPLE["feedbackId"]])
    session_id: str = Field(description="The run's session.", examples=["ses-1"])
    run_id: str = Field(description="The run that it is about.", examples=[_EXAMPLE["runId"]])
    resolved_by: ResolvedBy = Field(
        description="How the request came to the run: it named it, or it named a session alone and got its latest run."
    )
    verdict: FeedbackVerdict = Field(description="How the run did.")
    comment: str = Field(description="In words, credentials replaced.")
    corrected_cause: str | None = Field(description="The cause as it was, where the report had another or none.")
    claim_marks: dict[str, ClaimMark] = Field(description="Claim id -> what the reader says of it.")
    created_at: datetime | None = Field(description="When it was given.")


class FeedbackHistoryView(View):
    """What was said of one run."""

    session_id: str = Field(description="The run's session.", examples=["ses-1"])
    run_id: str = Field(description="The run.", examples=[_EXAMPLE["runId"]])
    resolved_by: ResolvedBy = Field(description="How the request came to the run.")
    items: list[FeedbackView] = Field(description="The newest 200, oldest first; the last one is what the run shows.")


def feedback_view(feedback: Feedback) -> FeedbackView:
    """One row of feedback."""
    return FeedbackView(
        feedback_id=feedback.feedback_id,
        session_id=feedback.session_id,
        run_id=feedback.run_id,
        resolved_by=feedback.resolved_by,
        verdict=feedback.verdict,
        comment=feedback.comment,
        corrected_cause=feedback.corrected_cause,
        claim_marks=feedback.claim_marks,
        created_at=feedback.created_at,
    )


def history_view(bound: BoundRun, history: Sequence[Feedback]) -> FeedbackHistoryView:
    """The history of a run."""
    run = bound.rows.run
    return FeedbackHistoryView(
        session_id=run.session_id,
        run_id=run.run_id,
        resolved_by=bound.resolved_by,
        items=[feedback_view(row) for row in history],
    )
