"""`rootproof runs replay`, `diff` and `export`: a stored run played again, beside another, or as a bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, emit_model, say, tell, write_new
from rootproof.entrypoints.cli.runs import AsJson, RunId, find_run, reading, with_services

if TYPE_CHECKING:
    from rootproof.diagnosis.replay import ReplayView
    from rootproof.diagnosis.services import Services


def replay_stored(run_id: RunId, as_json: AsJson = False) -> None:
    """Play a run again from its stored steps and results, with no model and no source; exit 1 when it differs."""
    from rootproof.bootstrap import replay
    from rootproof.entrypoints.cli.render_changes import replay_text

    async def work(services: Services) -> ReplayView:
        rows = await find_run(services, run_id)
        with reading(rows.run.run_id):
            return await replay(services, rows)

    view = with_services(work)
    if as_json:
        emit_model(view)
    else:
        say(replay_text(view))
    raise typer.Exit(Exit.DONE if view.identical else Exit.FELL_SHORT)


def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A run, as in `runs show`.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The run beside it.")],
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 when the two do not come to the same conclusion.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two runs: conclusion, claims, tool calls, evidence, inputs and cost."""
    from rootproof.diagnosis.diff import DiffView, diff_runs
    from rootproof.entrypoints.cli.render_changes import diff_text

    async def work(services: Services) -> DiffView:
        rows = await find_run(services, first), await find_run(services, second)
        with reading(f"{first} or {second}"):
            return diff_runs(*rows)

    view = with_services(work)
    if as_json:
        emit_model(view)
    else:
        say(diff_text(view))
    raise typer.Exit(Exit.FELL_SHORT if exit_code and not view.same_conclusion else Exit.DONE)


def export(
    run_id: RunId,
    bundle: Annotated[
        Path | None, typer.Option("--bundle", help="Write a bundle into this folder, for `diagnose --bundle`.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Write the JSON to this file, not to stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
) -> None:
    """Write a run as a bundle that can be diagnosed again, or (without --bundle) the run and its trace as JSON."""
    from rootproof.errors import UsageError

    if bundle is not None and output is not None:
        raise UsageError("give --bundle or --output, not both: a bundle is a folder, --output is for the run as JSON")
    if bundle is not None:
        _export_bundle(run_id, bundle, force=force)
    else:
        _export_json(run_id, output, force=force)


def _export_json(run_id: str, output: Path | None, *, force: bool) -> None:
    from rootproof.diagnosis.present import run_view
    from rootproof.diagnosis.trace import trace_view

    rows = with_services(lambda services: find_run(services, run_id))
    views = {"run": run_view(rows), "trace": trace_view(rows)}
    body = {"schemaVersion": 1, **{name: view.model_dump(mode="json", by_alias=True) for name, view in views.items()}}
    if output is None:
        emit_json(body)
    else:
        write_new(output, json.dumps(body, ensure_ascii=False, indent=2) + "\n", force=force)


def _export_bundle(run_id: str, folder: Path, *, force: bool) -> None:
    from rootproof.diagnosis.export_bundle import ExportedBundle, export_bundle
    from rootproof.errors import UsageError

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for the bundle")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise UsageError(f"{folder} is not empty; name another folder, or write over it with --force")

    async def work(services: Services) -> ExportedBundle:
        rows = await find_run(services, run_id)
        with reading(rows.run.run_id):
            return await export_bundle(services, rows)

    exported = with_services(work)
    before = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    for path, text in sorted(exported.files.items(), key=lambda file: file[0] == "bundle.toml"):
        write_new(folder / path, text, force=True)  # the head last: a folder without one is no whole export
    for name in (name for name in before if name not in exported.files):
        tell(f"not of this run, and still in the folder: {name}")
    for note in exported.notes:
        tell(f"not exported: {note}")
    say(f"{folder}: {len(exported.files)} files, {exported.size_bytes} bytes; `rootproof diagnose --bundle {folder}`\n")
