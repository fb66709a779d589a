"""Runs: lists, one of them, its raw outputs, its bundle, its end before the end, and two of them beside each other."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from rootproof.diagnosis.cancel_run import cancel_run as cancel
from rootproof.diagnosis.diff import DiffView, diff_runs
from rootproof.diagnosis.export_bundle import ExportedBundle, export_bundle
from rootproof.diagnosis.present import RunSummaryView, RunView, View, readable, run_summary, run_view
from rootproof.diagnosis.trace import trace_view
from rootproof.domain.run import Run, RunMode, RunStatus, is_terminal
from rootproof.domain.storable import ID_LENGTH
from rootproof.entrypoints.http.deps import Admin, BackendDep, Diagnoser, Reader
from rootproof.entrypoints.http.paging import CursorQuery, LimitQuery, Position, decode_cursor, next_cursor
from rootproof.entrypoints.http.problems import ProblemView, absent, conflict
from rootproof.entrypoints.http.routes import run_events
from rootproof.entrypoints.http.routes.examples import RUN_PAGE
from rootproof.ports.run_directory import RunFilter
from rootproof.ports.run_store import RunRows

router = APIRouter(tags=["runs"])
router.include_router(run_events.router)

RunId = Annotated[str, Path(alias="runId", max_length=ID_LENGTH, description="The run.")]
_ABSENT: dict[int | str, dict[str, Any]] = {
    404: {"model": ProblemView, "description": "There is no such run of this owner."}
}
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The same run is the same file, whenever it is asked for."""


class RunPageView(View):
    """A page of runs, newest first."""

    items: list[RunSummaryView]
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


class ExportView(View):
    """A run and its trace in one document, as `rootproof runs export` writes it."""

    schema_version: Literal[1] = 1
    run: RunView
    trace: Any
    """See `GET /api/diagnosis/{sessionId}/trace`."""


@router.get(
    "/api/runs",
    response_model=RunPageView,
    summary="List runs",
    description="The caller's runs, newest first; the filters narrow them together.",
    responses={
        200: {"content": {"application/json": {"example": RUN_PAGE}}},
        422: {"model": ProblemView, "description": "A filter, cursor or limit that cannot be used."},
    },
)
async def list_runs(
    backend: BackendDep,
    caller: Reader,
    status: Annotated[RunStatus | None, Query(description="Where the run is.")] = None,
    mode: Annotated[RunMode | None, Query(description="How it came to be.")] = None,
    service: Annotated[str | None, Query(max_length=255, description="The service that its alert names.")] = None,
    severity: Annotated[Literal["critical", "warning", "info"] | None, Query(description="Of its alert.")] = None,
    session_id: Annotated[
        str | None, Query(alias="sessionId", max_length=ID_LENGTH, description="Only this session's.")
    ] = None,
    incident_id: Annotated[
        str | None, Query(alias="incidentId", max_length=ID_LENGTH, description="Only this incident's.")
    ] = None,
    root_cause_supported: Annotated[
        bool | None, Query(alias="rootCauseSupported", description="Whether a root cause stands after the checks.")
    ] = None,
    text: Annotated[
        str | None, Query(min_length=1, max_length=200, description="Part of the question or of the summary.")
    ] = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> RunPageView:
    """A page of the caller's runs."""
    which = RunFilter(
        owner=caller.owner,
        session_id=session_id,
        incident_id=incident_id,
        status=status,
        mode=mode,
        service=service,
        severity=severity,
        text=text,
        root_cause_supported=root_cause_supported,
    )
    found = await backend.directory.runs(which, limit=limit + 1, before=decode_cursor(cursor))
    return RunPageView(
        items=[run_summary(run) for run in found[:limit]], next_cursor=next_cursor(found, limit, run_position)
    )


@router.get(
    "/api/runs/{runId}",
    response_model=RunView,
    summary="Read a run",
    description="The run with its report, evidence and evaluation.",
    responses=_ABSENT,
)
async def read_run(backend: BackendDep, caller: Reader, run_id: RunId) -> RunView:
    """The run. Raises: Problem 404."""
    rows = await _rows(backend, caller.owner, run_id)
    return await asyncio.to_thread(_view, rows)


@router.get(
    "/api/runs/{runId}/raw/{invocationId}",
    response_class=PlainTextResponse,
    response_model=None,
    summary="Read a tool call's complete output",
    description=(
        "The output as the source gave it, before anything was taken out: it may hold secrets, so it needs the scope "
        "`admin`, is for the run's owner alone and is never cached. It is kept for `store.raw_ttl_days`."
    ),
    responses={
        200: {
            "description": "The output, as text.",
            "headers": {"X-Rootproof-Raw": {"schema": {"type": "string"}, "description": "`true`: not redacted."}},
        },
        404: {
            "model": ProblemView,
            "description": "There is no such run or call of this owner, or its output is gone.",
        },
    },
)
async def read_raw(
    backend: BackendDep,
    caller: Admin,
    run_id: RunId,
    invocation_id: Annotated[
        str,
        Path(
            alias="invocationId",
            max_length=24,
            description="Step number and call index, such as `3.0`.",
            examples=["3.0"],
        ),
    ],
) -> Response:
    """The raw output. Raises: Problem 404."""
    run = await backend.directory.run(run_id, owner=caller.owner)
    if run is None:
        raise absent("run", run_id)
    found = await backend.services.canonical.fetch(run.context, invocation_id, now=backend.services.clock.now())
    if found is None:
        raise absent("raw output of call", invocation_id)
    headers = {
        "X-Rootproof-Raw": "true",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Content-Disposition": f'attachment; filename="{run.run_id}-{found.key}.txt"',
    }
    return PlainTextResponse(found.raw.encode("utf-8", "backslashreplace"), headers=headers)


@router.post(
    "/api/runs/{runId}/cancel",
    response_model=RunSummaryView,
    status_code=202,
    summary="Stop a run",
    description=(
        "Asks for the run to be stopped, also in the middle of a tool call; it then ends as CANCELLED with what it "
        "had. Asking again is the same as asking once. A run that ended otherwise stays as it is: 409."
    ),
    responses=_ABSENT | {409: {"model": ProblemView, "description": "The run has ended already."}},
)
async def cancel_run(backend: BackendDep, caller: Diagnoser, run_id: RunId) -> RunSummaryView:
    """The run, its end asked for. Raises: Problem 404, 409."""
    run = await cancel(backend, run_id, owner=caller.owner)
    if run is None:
        raise absent("run", run_id)
    if is_terminal(run.status) and run.status is not RunStatus.CANCELLED:
        raise conflict(f"run {run_id} has ended as {run.status} already: there is nothing to stop")
    return run_summary(run)


@router.get(
    "/api/runs/{runId}/bundle",
    response_model=ExportView,
    summary="Export a run",
    description=(
        "`format=zip`: a bundle for `rootproof diagnose --bundle`, with what the calls gave and without credentials. "
        "`format=json`: the run and its trace in one document."
    ),
    responses=_ABSENT
    | {
        200: {
            "description": "The export.",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def export_run(
    backend: BackendDep,
    caller: Reader,
    run_id: RunId,
    form: Annotated[Literal["zip", "json"], Query(alias="format", description="What to export.")] = "zip",
) -> Response:
    """The export. Raises: Problem 404; StoreError for rows that cannot be read."""
    rows = await _rows(backend, caller.owner, run_id)
    disposition = {"Content-Disposition": f'attachment; filename="{rows.run.run_id}.{form}"'}
    if form == "json":
        return JSONResponse(await asyncio.to_thread(_export, rows), headers=disposition)
    with readable(run_id):
        bundle = await export_bundle(backend.services, rows)
    packed = await asyncio.to_thread(_zipped, bundle)
    return Response(packed, media_type="application/zip", headers=disposition)


@router.get(
    "/api/runs/{a}/diff/{b}",
    response_model=DiffView,
    summary="Compare two runs",
    description="What differs in conclusion, claims, tool calls, evidence, inputs and cost.",
    responses=_ABSENT,
)
async def compare_runs(
    backend: BackendDep,
    caller: Reader,
    a: Annotated[str, Path(max_length=ID_LENGTH, description="The first run.")],
    b: Annotated[str, Path(max_length=ID_LENGTH, description="The run beside it.")],
) -> DiffView:
    """The differences. Raises: Problem 404; StoreError for rows that cannot be read."""
    first, second = [await _rows(backend, caller.owner, run_id) for run_id in (a, b)]
    return await asyncio.to_thread(_differences, first, second)


def run_position(run: Run) -> Position:
    """Where a run stands in a list."""
    assert run.created_at is not None  # noqa: S101 - stored runs have one
    return run.created_at, run.run_id


async def _rows(backend: BackendDep, owner: str, run_id: str) -> RunRows:
    rows = await backend.services.runs.load(run_id, owner=owner)
    if rows is None:
        raise absent("run", run_id)
    return rows


def _view(rows: RunRows) -> RunView:
    with readable(rows.run.run_id):
        return run_view(rows)


def _export(rows: RunRows) -> dict[str, Any]:
    with readable(rows.run.run_id):
        views = {"run": run_view(rows), "trace": trace_view(rows)}
    return {"schemaVersion": 1} | {name: view.model_dump(mode="json", by_alias=True) for name, view in views.items()}


def _differences(first: RunRows, second: RunRows) -> DiffView:
    with readable(f"{first.run.run_id} or {second.run.run_id}"):
        return diff_runs(first, second)


def _zipped(bundle: ExportedBundle) -> bytes:
    """The bundle's files, and `NOT_EXPORTED.json` with what could not be put in."""
    files = dict(bundle.files)
    if bundle.notes:
        files["NOT_EXPORTED.json"] = json.dumps(bundle.notes, ensure_ascii=False, indent=1) + "\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.encode("utf-8", "backslashreplace"))
    return packed.getvalue()
