"""`rootproof runs`: what was diagnosed, and how."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, emit_model, stdout_console, tell, where

if TYPE_CHECKING:
    from rootproof.diagnosis.present import RunSummaryView
    from rootproof.diagnosis.services import Services
    from rootproof.domain.run import Run
    from rootproof.ports.run_store import RunRows

app = typer.Typer(
    help="List, show, trace, replay, compare and export runs.", no_args_is_help=True, rich_markup_mode=None
)
RunId = Annotated[str, typer.Argument(help="A run id, the beginning of one, or `latest`.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]
T = TypeVar("T")
_SHORTEST_PREFIX = len("run-") + 1
"""Less than this begins every id."""
_PAGE = 500
_NAMED = 3


@app.command("list")
def list_runs(
    session: Annotated[str | None, typer.Option("--session", help="Only runs of this session.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    from rootproof.diagnosis.present import run_summary
    from rootproof.entrypoints.cli.render_runs import render_run_list
    from rootproof.errors import StoreError

    async def summaries(services: Services) -> list[RunSummaryView]:
        views = []
        for run in await services.runs.list_runs(session_id=session, limit=limit):
            try:
                with reading(run.run_id):
                    views.append(run_summary(await _with_headline(services, run)))
            except StoreError as error:  # one damaged run does not hide the others
                tell(f"rootproof: {error}")
        return views

    views = with_services(summaries)
    if as_json:
        emit_json([view.model_dump(mode="json", by_alias=True) for view in views])
    else:
        render_run_list(stdout_console(), views, session)


@app.command("show")
def show(run_id: RunId, as_json: AsJson = False) -> None:
    """Show a run's report."""
    from rootproof.diagnosis.present import run_view
    from rootproof.entrypoints.cli.render import render_run

    view = run_view(_load(run_id))
    if as_json:
        emit_model(view)
    else:
        render_run(stdout_console(), view)


@app.command("trace")
def trace(run_id: RunId, as_json: AsJson = False) -> None:
    """Show every step and tool call of a run."""
    from rootproof.diagnosis.trace import trace_view
    from rootproof.entrypoints.cli.render_runs import render_trace

    view = trace_view(_load(run_id))
    if as_json:
        emit_model(view)
    else:
        render_trace(stdout_console(), view)


@app.command("resume")
def resume(run_id: RunId, as_json: AsJson = False) -> None:
    """Go on with a run whose process ended; what is finished is not done again."""
    from rootproof.diagnosis.present import run_view
    from rootproof.domain.run import RunStatus, is_terminal
    from rootproof.entrypoints.cli.held_runs import resume_here
    from rootproof.entrypoints.cli.render import render_run
    from rootproof.settings import load_settings

    stored = _load(run_id)
    if is_terminal(stored.run.status):
        tell(f"run {stored.run.run_id} is {stored.run.status} already: there is nothing to go on with")
        view = run_view(stored)
    else:
        view = run_view(asyncio.run(resume_here(load_settings(), stored.run)))
    if as_json:
        emit_model(view)
    else:
        render_run(stdout_console(), view)
    raise typer.Exit(Exit.DONE if view.status is RunStatus.COMPLETED else Exit.FELL_SHORT)


async def _with_headline(services: Services, run: Run) -> Run:
    """The run with what a list shows of its report: rows that an older version wrote have it in their steps alone."""
    from dataclasses import replace

    from rootproof.diagnosis.headline import headline_of
    from rootproof.diagnosis.present import identifiers_of

    if run.headline is not None or run.report is None:
        return run
    rows = await services.runs.load(run.run_id)
    identifiers = identifiers_of(rows.steps, rows.invocations) if rows is not None else {}
    return replace(run, headline=headline_of(run.report, identifiers, run.self_evaluation or {}))


def _load(run_id: str) -> RunRows:
    return with_services(lambda services: find_run(services, run_id))


async def find_run(services: Services, run_id: str) -> RunRows:
    """The run of that id, of which that is the beginning, or the newest for `latest`. Raises: UsageError."""
    from rootproof.errors import UsageError

    if run_id == "latest":
        newest = await services.runs.list_runs(limit=1)
        rows = await services.runs.load(newest[0].run_id) if newest else None
    else:
        rows = await services.runs.load(run_id) or await _by_prefix(services, run_id)
    if rows is None:
        raise UsageError(f"there is no run {run_id!r}; `rootproof runs list` shows what there is")
    _check(rows)
    return rows


def _check(rows: RunRows) -> None:
    """Raises: StoreError where the rows make no state, no report and no trace."""
    from rootproof.agent.state import fold
    from rootproof.diagnosis.present import run_view
    from rootproof.diagnosis.trace import trace_view

    with reading(rows.run.run_id):
        fold(rows.run, rows.steps, rows.invocations)
        run_view(rows)
        trace_view(rows)


@contextmanager
def reading(run_id: str) -> Iterator[None]:
    """Raises: StoreError where stored rows do not have the shape that this version writes."""
    from rootproof.errors import StoreError

    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RecursionError) as error:
        raise StoreError(
            f"run {run_id} cannot be read: its stored rows are damaged, or another version wrote them "
            f"({type(error).__name__} in {where(error)})"
        ) from error


async def _by_prefix(services: Services, start: str) -> RunRows | None:
    """The only run whose id begins so. Raises: UsageError when there are several, or `start` begins every id."""
    from rootproof.errors import UsageError

    if len(start) < _SHORTEST_PREFIX:
        if start and "run-".startswith(start):
            raise UsageError(f"{start!r} begins the id of every run; give more of it")
        return None
    found = [run_id async for run_id in _ids(services) if run_id.startswith(start)]
    if len(found) > 1:
        more = ", ..." if len(found) > _NAMED else ""
        named = ", ".join(found[:_NAMED])
        raise UsageError(f"{start!r} begins the ids of {len(found)} runs: {named}{more}; give more of it")
    return await services.runs.load(found[0]) if found else None


async def _ids(services: Services) -> AsyncIterator[str]:
    """The ids of all runs, newest first."""
    page = await services.runs.list_runs(limit=_PAGE)
    while page:
        for run in page:
            yield run.run_id
        last = page[-1]
        if last.created_at is None:
            return
        page = await services.runs.list_runs(limit=_PAGE, before=(last.created_at, last.run_id))


def with_services(work: Callable[[Services], Awaitable[T]]) -> T:
    """What `work` gives with the configured services, which are closed after it."""

    async def call() -> T:
        from rootproof.bootstrap import open_services
        from rootproof.settings import load_settings

        services = await open_services(load_settings())
        try:
            return await work(services)
        finally:
            await services.runs.close()

    return asyncio.run(call())
