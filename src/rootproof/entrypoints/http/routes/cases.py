"""Cases: confirmed or corrected diagnoses, which later runs may find as a hypothesis to test."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.case_views import CaseDetailView, CaseListView, CaseView, case_detail, case_view
from rootproof.diagnosis.cases import CaseWords, cases_of_run, make_case, revoke_case
from rootproof.diagnosis.give_feedback import NotNow
from rootproof.diagnosis.present import View
from rootproof.domain.case import MAX_PART_CHARS, MAX_REASON_CHARS, MAX_TITLE_CHARS, Case
from rootproof.entrypoints.http.deps import BackendDep, Diagnoser, Reader
from rootproof.entrypoints.http.paging import CursorQuery, LimitQuery, Position, decode_cursor, next_cursor
from rootproof.entrypoints.http.problems import ProblemView, absent, conflict

router = APIRouter(tags=["cases"])
CaseId = Annotated[str, Path(alias="caseId", description="The case.", max_length=256)]
_REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"model": ProblemView, "description": "There is no such run, or it is another owner's."},
    409: {"model": ProblemView, "description": "The run lacks the feedback that confirms or corrects its cause."},
}


def _config(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [example]},
    )


class CaseRequest(View):
    """Which run becomes a case, and what its owner adds."""

    model_config = _config(
        {"runId": "run-5a4f2c1e-8a0d-4b55-a8b8-0c6a2d1f9e77", "solution": "The pool was raised to 50."}
    )

    run_id: str = Field(max_length=256, description="The run; its latest feedback must confirm or correct its cause.")
    title: str | None = Field(None, max_length=MAX_TITLE_CHARS, description="Else made from alert and cause.")
    solution: str | None = Field(
        None, max_length=MAX_PART_CHARS, description="What helped; else the report's next steps, if it was right."
    )
    cause_id: str | None = Field(
        None,
        pattern=r"^[a-z][a-z0-9_]{0,63}$",
        description="The hypothesis, where the corrected cause is one that runs can test.",
        examples=["connection_pool_exhausted"],
    )


class RevokeRequest(View):
    """Why a case is revoked."""

    model_config = _config({"reason": "the fix of March removed this failure"})

    reason: str = Field(min_length=1, max_length=MAX_REASON_CHARS, description="Why it is wrong or no longer true.")


@router.post(
    "/api/cases",
    response_model=CaseView,
    responses=_REFUSALS,
    summary="Make a case of a run",
    description="The run's latest feedback must be HELPFUL, or WRONG_CAUSE or MISSING_CAUSE with the corrected cause. "
    "A run that has a case gets that one. Names of pods, addresses and nodes are left out: a case is for other "
    "incidents. Runs find it as MEMORY: a hypothesis to test, evidence of nothing.",
)
async def post_case(principal: Diagnoser, backend: BackendDep, body: CaseRequest) -> CaseView:
    """The run's case."""
    rows = await backend.services.runs.load(body.run_id, owner=principal.owner)
    if rows is None:
        raise absent("run", body.run_id)
    words = CaseWords(title=body.title, solution=body.solution, cause_id=body.cause_id)
    try:
        return case_view(await make_case(backend.cases, backend.feedback, rows, words))
    except NotNow as error:
        raise conflict(str(error)) from error


@router.get(
    "/api/cases",
    response_model=CaseListView,
    summary="List cases",
    description="Newest first. `diagnosisId` asks for the cases of one run: its run id, which also finds old cases "
    "under the run's session id, or that session id itself; all of them come at once, `limit` and `cursor` do nothing.",
)
async def list_cases(
    principal: Reader,
    backend: BackendDep,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
    revoked: Annotated[bool, Query(description="Also those that are revoked.")] = False,
    diagnosis_id: Annotated[
        str | None, Query(alias="diagnosisId", max_length=256, description="Only cases of this run or old session.")
    ] = None,
) -> CaseListView:
    """One page of the owner's cases."""
    before = decode_cursor(cursor)
    if diagnosis_id is not None:
        run = await backend.directory.run(diagnosis_id, owner=principal.owner)
        found = (
            await cases_of_run(backend.cases, run)
            if run is not None
            else await backend.cases.of_diagnosis(diagnosis_id, owner=principal.owner)
        )
        return CaseListView(items=[case_view(case) for case in found if revoked or not case.revoked], next_cursor=None)
    asked = list(await backend.cases.page(owner=principal.owner, revoked=revoked, limit=limit + 1, before=before))
    items = [case_view(case) for case in asked[:limit]]
    return CaseListView(items=items, next_cursor=next_cursor(asked, limit, _position))


@router.get(
    "/api/cases/{caseId}",
    response_model=CaseDetailView,
    summary="Read a case",
    description="The case, also a revoked one, and the runs that were shown it.",
)
async def read_case(principal: Reader, backend: BackendDep, case_id: CaseId) -> CaseDetailView:
    """The case with its uses."""
    case = await backend.cases.find(case_id, owner=principal.owner)
    if case is None:
        raise absent("case", case_id)
    return case_detail(case, await backend.cases.uses(case.case_id))


@router.post(
    "/api/cases/{caseId}/revoke",
    response_model=CaseView,
    summary="Revoke a case",
    description="It stays on record with the reason, and no run is shown it from now on, not even one that is under "
    "way. A second revocation changes nothing.",
)
async def post_revoke(principal: Diagnoser, backend: BackendDep, case_id: CaseId, body: RevokeRequest) -> CaseView:
    """The revoked case."""
    case = await revoke_case(backend.cases, backend.services.clock, case_id, body.reason, owner=principal.owner)
    if case is None:
        raise absent("case", case_id)
    return case_view(case)


def _position(case: Case) -> Position:
    assert case.created_at is not None  # noqa: S101 - stored cases have one
    return case.created_at, case.case_id
