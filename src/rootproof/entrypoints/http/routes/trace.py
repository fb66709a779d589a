"""The trace of a run: of the one that is named, else of the session's newest."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query

from rootproof.diagnosis.present import readable
from rootproof.diagnosis.resolve_run import ResolvedRun, resolve_run
from rootproof.diagnosis.trace import TraceView, trace_view
from rootproof.domain.storable import ID_LENGTH
from rootproof.entrypoints.http.deps import BackendDep, Reader
from rootproof.entrypoints.http.problems import ProblemView, absent
from rootproof.entrypoints.http.routes.examples import TRACE

router = APIRouter(tags=["trace"])

MAX_STEPS = 1_000


@router.get(
    "/api/diagnosis/{sessionId}/trace",
    response_model=TraceView,
    summary="Read a trace",
    description=(
        "Every step and tool call of a run, with the bounded results, evidence, claims, evaluation and latest "
        "feedback. Without `runId` it is the session's newest run by the time it was made, `resolvedBy` is "
        "`latest_run`, and `runId` says which one it is."
    ),
    responses={
        200: {"content": {"application/json": {"example": TRACE}}},
        404: {"model": ProblemView, "description": "There is no such session or run of this owner."},
        422: {"model": ProblemView, "description": "A parameter that cannot be used."},
    },
)
async def read_trace(
    backend: BackendDep,
    caller: Reader,
    session_id: Annotated[str, Path(alias="sessionId", max_length=ID_LENGTH, description="The session.")],
    run_id: Annotated[
        str | None, Query(alias="runId", max_length=ID_LENGTH, description="The run; without it the newest.")
    ] = None,
    steps_after: Annotated[
        int, Query(alias="stepsAfter", ge=-1, le=2**31 - 1, description="Only steps after this one.")
    ] = -1,
    limit: Annotated[
        int | None, Query(ge=1, le=MAX_STEPS, description="How many steps at most; all without it.")
    ] = None,
) -> TraceView:
    """The trace. Raises: Problem 404; StoreError for rows that cannot be read."""
    found = await resolve_run(backend, session_id, run_id, owner=caller.owner)
    if found is None:
        raise absent(
            "run" if run_id is not None else "session with a run", run_id if run_id is not None else session_id
        )
    return await asyncio.to_thread(_trace, found, steps_after, limit)


def _trace(found: ResolvedRun, steps_after: int, limit: int | None) -> TraceView:
    with readable(found.rows.run.run_id):
        return trace_view(found.rows, found.resolved_by, steps_after=steps_after, limit=limit)
