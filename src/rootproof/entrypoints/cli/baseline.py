"""`rootproof baseline`: what moved when runs took the place of sessions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.output import emit_model, say

if TYPE_CHECKING:
    from rootproof.diagnosis.baseline import BaselineDiffView

app = typer.Typer(
    help="Compare metrics as the product before runs counted them with those of runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Keeps `diff` a sub-command while it is the only one."""


@app.command("diff")
def diff(as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False) -> None:
    """Show which metrics moved because the rows of other rounds no longer count.

    Sessions of an adopted database that have newer runs beside their compatibility run are counted both ways.
    """
    view = asyncio.run(_counted())
    if as_json:
        emit_model(view)
    else:
        say(_told(view))


async def _counted() -> BaselineDiffView:
    from rootproof.adapters.sql.baseline import SqlBaselineFigures
    from rootproof.adapters.sql.migrate import open_database
    from rootproof.diagnosis.baseline import baseline_diff
    from rootproof.entrypoints.cli.db import configured_url

    database = await open_database(configured_url())
    try:
        return await baseline_diff(SqlBaselineFigures(database))
    finally:
        await database.close()


def _told(view: BaselineDiffView) -> str:
    lines = [f"{view.sessions} sessions have runs beside their compatibility run ({view.runs} runs in all)"]
    if view.mixed_sessions:
        lines.append(f"{view.mixed_sessions} compatibility runs hold several rounds, which cannot be told apart")
    if not view.sessions:
        return "\n".join([*lines, "nothing has moved yet: every session of the old product has its old rows only", ""])
    lines += ["", f"{'metric':16}{'by session':>12}{'by run':>12}{'moved':>12}{'latest too high by':>20}"]
    for metric in view.metrics:
        figures = f"{metric.by_session:>12.2f}{metric.by_run:>12.2f}{metric.moved:>12.2f}"
        lines.append(f"{metric.metric:16}{figures}{metric.latest_too_high:>20}")
    lines += ["", "Sessions whose latest answer moved most (tool calls, steps; by session -> by run):"]
    for item in view.largest:
        calls = f"{item.by_session['toolCalls']} -> {item.by_run['toolCalls']}"
        steps = f"{item.by_session['steps']} -> {item.by_run['steps']}"
        lines.append(f"  {item.session_id}  {item.latest_run_id}  calls {calls}, steps {steps}")
    return "\n".join([*lines, ""])
