"""`rootproof diagnose` and `rootproof demo`: the main job."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, emit_model, stdout_console, tell

if TYPE_CHECKING:
    from rootproof.bootstrap import SourceSpec
    from rootproof.ports.run_store import RunRows

Model = Annotated[
    str | None, typer.Option("--model", help="playbook (no key, no network), openai:NAME, anthropic:NAME.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON to stdout, for programs: a run, or a list of runs.")]


def diagnose(
    question: Annotated[str | None, typer.Argument(help="What to find out, in words.")] = None,
    alert: Annotated[Path | None, typer.Option("--alert", help="Alert payload (JSON of any known vendor).")] = None,
    bundle: Annotated[Path | None, typer.Option("--bundle", help="Folder with one incident's recorded inputs.")] = None,
    logs: Annotated[list[Path] | None, typer.Option("--logs", help="Log file or folder; may be repeated.")] = None,
    knowledge: Annotated[list[Path] | None, typer.Option("--knowledge", help="Runbooks; may be repeated.")] = None,
    model: Model = None,
    session: Annotated[str | None, typer.Option("--session", help="Put the run into this session.")] = None,
    now: Annotated[
        str | None,
        typer.Option("--now", help="The investigation's clock, RFC 3339; default: the bundle's, else the newest log."),
    ] = None,
    timezone: Annotated[str, typer.Option("--timezone", help="Zone of log times that name none.")] = "UTC",
    as_json: AsJson = False,
) -> None:
    """Diagnose a question, an alert or a bundle; write a report whose claims are checked."""
    from rootproof.bootstrap import SourceSpec
    from rootproof.errors import UsageError

    if not (question or "").strip() and alert is None and bundle is None:
        raise UsageError(
            "nothing to diagnose: give a question, --alert FILE or --bundle DIR; `rootproof demo` shows one at work"
        )
    spec = SourceSpec(
        bundle=_absolute(bundle),
        alert=_absolute(alert),
        logs=tuple(str(path.absolute()) for path in logs or ()),
        knowledge=tuple(str(path.absolute()) for path in knowledge or ()),
        timezone=timezone,
    )
    rows = asyncio.run(_diagnose(spec, question or "", model, session, now=now, quiet=as_json))
    _show(rows, as_json=as_json)
    raise typer.Exit(_exit_code(rows))


def demo(
    scenario: Annotated[str | None, typer.Argument(help="One scenario; all when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Diagnose the scenarios that ship with Rootproof: no key, no service, no network."""
    from rootproof.bootstrap import SourceSpec
    from rootproof.diagnosis.present import run_view
    from rootproof.errors import UsageError
    from rootproof.scenarios import scenario_names, scenario_path

    names = scenario_names()
    if scenario is not None and scenario not in names:
        raise UsageError(f"there is no scenario {scenario!r}; there are: {', '.join(names)}")
    done: list[RunRows] = []
    for number, name in enumerate([scenario] if scenario else names):
        if not as_json:
            tell(("\n" if number else "") + f"# demo scenario: {name}")
        spec = SourceSpec(bundle=str(scenario_path(name)))
        done.append(asyncio.run(_diagnose(spec, "", "playbook", None, quiet=as_json, cases=False)))
        if not as_json:
            _show(done[-1])
    if as_json:
        views = [run_view(rows) for rows in done]
        if scenario:
            emit_model(views[0])
        else:
            emit_json([view.model_dump(mode="json", by_alias=True) for view in views])
    raise typer.Exit(max(map(_exit_code, done)))


async def _diagnose(
    spec: SourceSpec,
    question: str,
    model: str | None,
    session: str | None,
    *,
    quiet: bool,
    now: str | None = None,
    cases: bool = True,
) -> RunRows:
    """The run, driven to its end; `cases`: with what was confirmed before in reach of its retrieval."""
    from rootproof.aci.toolset import evidence_tool_names
    from rootproof.bootstrap import check_model, clock_of, open_inputs
    from rootproof.bootstrap.backend import open_backend
    from rootproof.bootstrap.records import remembering
    from rootproof.diagnosis.backend import RunInputs
    from rootproof.diagnosis.start_run import RunRequest, check_request, gravest, start_run
    from rootproof.entrypoints.cli.held_runs import finish_here
    from rootproof.entrypoints.cli.progress import watching
    from rootproof.errors import UsageError
    from rootproof.settings import load_settings

    settings = load_settings()
    reasoner = model or settings.model.name
    check_model(settings, reasoner)
    inputs = open_inputs(settings, spec)
    check_request(RunRequest(question=question, session_id=session, now=_instant(now) if now else inputs.now))
    if not (evidence_tool_names(inputs.sources) or inputs.sources.payload):
        raise UsageError(
            "there is nothing to look at: give --logs, --knowledge or --bundle with data in it, or set "
            "`sources` or a log server (`[loki]`, `[victorialogs]`, `[elasticsearch]`) in rootproof.toml"
        )
    backend = await open_backend(settings)
    services = backend.services
    try:
        request = RunRequest(
            question=question or inputs.question,
            has_payload=bool(inputs.sources.payload),
            session_id=session,
            reasoner=reasoner,
            now=_instant(now) if now else await clock_of(inputs, services),
            sources=spec.as_json(),
            service=next((alert.service for alert in inputs.sources.payload if alert.service), None),
            severity=gravest(inputs.sources.payload),
        )
        run = await start_run(services, request)
        sources = await remembering(inputs.sources, backend.cases, run.owner) if cases else inputs.sources
        opened = RunInputs(sources, inputs.skills)
        with watching(quiet=quiet or not sys.stderr.isatty()) as watch:
            return await finish_here(settings, backend, run, watch=watch, inputs=opened)
    finally:
        await backend.close()


def _show(rows: RunRows, *, as_json: bool = False) -> None:
    from rootproof.diagnosis.present import run_view
    from rootproof.entrypoints.cli.render import render_run

    view = run_view(rows)
    if as_json:
        emit_model(view)
    else:
        render_run(stdout_console(), view)


def _exit_code(rows: RunRows) -> Exit:
    """UNAVAILABLE when sources were asked and every one of them failed: the report then rests on nothing."""
    from rootproof.diagnosis.present import run_view
    from rootproof.domain.report import CoverageStatus
    from rootproof.domain.run import RunStatus

    if rows.run.status is not RunStatus.COMPLETED:
        return Exit.FELL_SHORT
    report = run_view(rows).report
    asked = (CoverageStatus.OK, CoverageStatus.NO_EVIDENCE, CoverageStatus.ERROR)
    found = {line.status for line in report.coverage if line.status in asked} if report else set()
    return Exit.UNAVAILABLE if found == {CoverageStatus.ERROR} else Exit.DONE


def _instant(text: str) -> datetime:
    from rootproof.errors import UsageError

    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--now {text!r} is no time; give one such as 2026-05-04T10:30:00Z") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _absolute(path: Path | None) -> str | None:
    return str(path.absolute()) if path is not None else None
