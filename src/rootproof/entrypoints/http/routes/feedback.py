"""Feedback on runs: given once per key, kept as history, the latest shown on the run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query
from pydantic import ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.cases import make_case
from rootproof.diagnosis.feedback_views import FeedbackHistoryView, FeedbackView, feedback_view, history_view
from rootproof.diagnosis.give_feedback import BoundRun, NotNow, Said, bound_run, give_feedback, repeated
from rootproof.diagnosis.present import View
from rootproof.domain.feedback import (
    MAX_CAUSE_CHARS,
    MAX_CLAIM_MARKS,
    MAX_COMMENT_CHARS,
    MAX_KEY_CHARS,
    ClaimMark,
    FeedbackVerdict,
)
from rootproof.entrypoints.http.deps import BackendDep, Diagnoser, Reader
from rootproof.entrypoints.http.problems import ProblemView, absent, conflict, invalid

router = APIRouter(tags=["feedback"])
_CONFLICT: dict[int | str, dict[str, Any]] = {
    409: {"model": ProblemView, "description": "The run is not over, or the key was used with other words."}
}
_EXAMPLES: list[JsonValue] = [
    {
        "runId": "run-5a4f2c1e-8a0d-4b55-a8b8-0c6a2d1f9e77",
        "verdict": "WRONG_CAUSE",
        "comment": "the deploy was unrelated",
        "correctedCause": "the connection pool of orders was set to 5",
        "claimMarks": {"C1": "WRONG"},
        "idempotencyKey": "click-17",
    },
    {"helpful": True, "comment": "spot on"},
]


class FeedbackRequest(View):
    """What is said of a run: `verdict`, or `helpful` as callers of the MVP send it."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        json_schema_extra={"examples": _EXAMPLES},
    )

    run_id: str | None = Field(
        None, max_length=256, description="The run that is meant; without it the session's latest run."
    )
    verdict: FeedbackVerdict | None = Field(None, description="How the run did.")
    helpful: bool | None = Field(
        None, description="The MVP's word: true is HELPFUL and makes the run a case where it can, false is NOT_HELPFUL."
    )
    comment: str | None = Field(
        None, max_length=MAX_COMMENT_CHARS, description="In words; credentials are taken out before it is kept."
    )
    corrected_cause: str | None = Field(
        None, max_length=MAX_CAUSE_CHARS, description="The cause as it was, where the report had another or none."
    )
    claim_marks: dict[str, ClaimMark] = Field(
        default_factory=dict, max_length=MAX_CLAIM_MARKS, description="Claim id -> what the reader says of it."
    )
    idempotency_key: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_KEY_CHARS,
        description="Names this feedback, so that sending it again counts once; also the header `Idempotency-Key`.",
    )
    make_case: bool | None = Field(
        None, description="Whether the run also becomes a case; needs HELPFUL, or a corrected cause."
    )

    @model_validator(mode="after")
    def _one_verdict(self) -> FeedbackRequest:
        if (self.verdict is None) is (self.helpful is None):
            raise ValueError("give `verdict` (or `helpful`, as the MVP did), and only one of them")
        return self

    @property
    def chosen(self) -> FeedbackVerdict:
        """The verdict, in whichever words it came."""
        if self.verdict is not None:
            return self.verdict
        return FeedbackVerdict.HELPFUL if self.helpful else FeedbackVerdict.NOT_HELPFUL


class FeedbackAnswerView(FeedbackView):
    """What was kept, the run it was bound to, and the case that came of it."""

    case_id: str | None = Field(None, description="The run's case, where one was asked for and could be made.")
    case_problem: str | None = Field(None, description="Why no case was made, where one was asked for.")


@router.post(
    "/api/diagnosis/{sessionId}/feedback",
    response_model=FeedbackAnswerView,
    responses=_CONFLICT,
    summary="Give feedback on a run",
    description="Kept as history; the run shows the latest. It changes no verdict and no report. Without `runId` it is "
    "bound to the session's latest run, and the answer says so (`resolvedBy: latest_run`). Repeats with the same key, "
    "or the same words right after each other, count once. Only runs that are over take feedback.",
)
async def post_feedback(
    principal: Diagnoser,
    backend: BackendDep,
    session_id: Annotated[str, Path(alias="sessionId", description="The session.", max_length=256)],
    body: FeedbackRequest,
    idempotency_key: Annotated[
        str | None, Header(min_length=1, max_length=MAX_KEY_CHARS, description="As `idempotencyKey` in the body.")
    ] = None,
) -> FeedbackAnswerView:
    """The feedback as it is kept."""
    said = Said(
        verdict=body.chosen,
        comment=body.comment or "",
        corrected_cause=body.corrected_cause,
        claim_marks=body.claim_marks,
        idempotency_key=_one_key(body.idempotency_key, idempotency_key),
    )
    bound = None
    if body.run_id is None:
        bound = await repeated(backend.services.runs, backend.feedback, session_id, said, owner=principal.owner)
    bound = bound or await _bound(backend, session_id, body.run_id, principal.owner)
    try:
        stored = await give_feedback(backend.feedback, bound, said)
    except NotNow as error:
        raise conflict(str(error)) from error
    await backend.bus.publish(stored.run_id)
    kept = feedback_view(stored).model_dump()
    wanted = body.make_case if body.make_case is not None else body.helpful is True
    if not wanted:
        return FeedbackAnswerView(**kept)
    try:
        case = await make_case(backend.cases, backend.feedback, bound.rows)
    except NotNow as error:
        return FeedbackAnswerView(**kept, case_problem=str(error))
    return FeedbackAnswerView(**kept, case_id=case.case_id)


@router.get(
    "/api/diagnosis/{sessionId}/feedback",
    response_model=FeedbackHistoryView,
    summary="Read what was said of a run",
    description="Without `runId` of the session's latest run, and the answer says so.",
)
async def read_feedback(
    principal: Reader,
    backend: BackendDep,
    session_id: Annotated[str, Path(alias="sessionId", description="The session.", max_length=256)],
    run_id: Annotated[str | None, Query(alias="runId", max_length=256, description="The run that is meant.")] = None,
) -> FeedbackHistoryView:
    """The run's feedback, oldest first."""
    bound = await _bound(backend, session_id, run_id, principal.owner)
    history = await backend.feedback.history(bound.rows.run.run_id, owner=principal.owner)
    return history_view(bound, history)


async def _bound(backend: Backend, session_id: str, run_id: str | None, owner: str) -> BoundRun:
    """The run that is meant. Raises: Problem 404, the same for what is another owner's."""
    bound = await bound_run(backend.services.runs, session_id, run_id, owner=owner)
    if bound is None:
        raise absent("session", session_id) if run_id is None else absent("run", run_id)
    return bound


def _one_key(in_body: str | None, in_header: str | None) -> str | None:
    if in_body is not None and in_header is not None and in_body != in_header:
        raise invalid("`idempotencyKey` and the header `Idempotency-Key` differ; send one of them")
    return in_body if in_body is not None else in_header
