"""`rootproof eval`: how often the diagnoses of recorded incidents are right, and whether that has become worse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.input import read_bytes
from rootproof.entrypoints.cli.output import Exit, check_writable, emit_model, say, tell, write_new

if TYPE_CHECKING:
    from rootproof.diagnosis.evaluate import Case, EvaluationView
    from rootproof.diagnosis.present import RunView
    from rootproof.diagnosis.services import Services
    from rootproof.settings import Settings

app = typer.Typer(help="Score diagnoses of recorded incidents.", no_args_is_help=True, rich_markup_mode=None)
Model = Annotated[str | None, typer.Option("--model", help="As for `diagnose`; default: the configured model.")]
Judged = Annotated[
    Path | None, typer.Option("--judged", help='JSON {"id": true}: a reader\'s judgement of `statements` cases.')
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]
EXPECTED = "expected.toml"
_MAX_EXPECTED_BYTES = 1 << 20


@app.command("run")
def run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of bundles that have an expected.toml.")],
    model: Model = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=100, help="Diagnoses of each bundle.")] = 1,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only this bundle; may be repeated.")] = None,
    judged: Judged = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the runs, to be shown and traced with `runs`.")] = False,
    output: Annotated[Path | None, typer.Option("--output", help="Write the result here, for `eval diff`.")] = None,
    as_json: AsJson = False,
) -> None:
    """Diagnose every bundle of a folder and score the reports; the result says which are wrong, and why."""
    from rootproof.entrypoints.cli.render_eval import evaluation_text

    if output is not None:
        check_writable(output)  # before the work, not after it
    view = _evaluated(folder, model, repeat, only or [], judged, keep=keep, quiet=as_json)
    if output is not None:
        write_new(output, view.model_dump_json(by_alias=True, indent=1) + "\n", force=True)
    if as_json:
        emit_model(view)
    else:
        say(evaluation_text(view))
    raise typer.Exit(Exit.DONE)


@app.command("diff")
def diff(
    baseline: Annotated[Path, typer.Argument(help="A result of `eval run --output`.")],
    current: Annotated[Path, typer.Argument(help="Another, or a folder of bundles to run now as the baseline was.")],
    judged: Judged = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, max=1, help="How far the ratio of SUPPORTED claims may fall.")
    ] = 0.01,
    as_json: AsJson = False,
) -> None:
    """Compare a result with an earlier one; exit 1 when something has become worse."""
    from rootproof.diagnosis.evaluate import compare, read_evaluation
    from rootproof.entrypoints.cli.render_eval import comparison_text

    before = read_evaluation(read_bytes(baseline), str(baseline))
    if current.is_dir():
        now = _evaluated(current, before.model, before.repeat, [], judged, keep=False, quiet=as_json)
    else:
        now = read_evaluation(read_bytes(current), str(current))
    view = compare(before, now, tolerance=tolerance)
    if as_json:
        emit_model(view)
    else:
        say(comparison_text(view))
    raise typer.Exit(Exit.FELL_SHORT if view.regressed else Exit.DONE)


def _evaluated(
    folder: Path, model: str | None, repeat: int, only: list[str], judged: Path | None, *, keep: bool, quiet: bool
) -> EvaluationView:
    from rootproof.bootstrap import check_model, open_services
    from rootproof.diagnosis.evaluate import CaseView, evaluate
    from rootproof.settings import load_settings

    settings = load_settings()
    reasoner = model or settings.model.name
    check_model(settings, reasoner)
    cases = _cases(folder, only)
    judgements = _judgements(judged)

    def told(case: CaseView) -> None:
        if not quiet:
            tell(f"{case.id}: {case.outcome}")

    async def work() -> EvaluationView:
        services = await open_services(settings) if keep else None
        try:
            diagnose = _diagnosis(settings, services, reasoner)
            return await evaluate(cases, diagnose, model=reasoner, repeat=repeat, judged=judgements, watch=told)
        finally:
            if services is not None:
                await services.runs.close()

    return asyncio.run(work())


def _diagnosis(settings: Settings, kept: Services | None, reasoner: str) -> Callable[[Path], Awaitable[RunView]]:
    """How a bundle is diagnosed: as `diagnose --bundle` does it; in memory of its own where nothing is kept."""
    from rootproof.bootstrap import SourceSpec, clock_of, memory_services, open_inputs
    from rootproof.diagnosis.drive_run import drive_run
    from rootproof.diagnosis.present import run_view
    from rootproof.diagnosis.start_run import RunRequest, start_run

    async def diagnose(bundle: Path) -> RunView:
        spec = SourceSpec(bundle=str(bundle))
        inputs, services = open_inputs(settings, spec), kept or memory_services(settings)
        request = RunRequest(
            question=inputs.question,
            has_payload=bool(inputs.sources.payload),
            reasoner=reasoner,
            now=await clock_of(inputs, services),
            sources=spec.as_json(),
        )
        started = await start_run(services, request)
        return run_view(await drive_run(services, started.run_id, inputs.sources, inputs.skills))

    return diagnose


def _cases(folder: Path, only: list[str]) -> list[Case]:
    """The bundles of the folder that say what is right. Raises: UsageError that names the file and the key."""
    from rootproof.diagnosis.evaluate import Case
    from rootproof.diagnosis.scoring import read_expected
    from rootproof.errors import UsageError

    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name one that holds bundles, each with an {EXPECTED}")
    found = {
        path.name or path.absolute().name: path
        for path in sorted([folder, *folder.iterdir()])
        if (path / EXPECTED).is_file()
    }
    if not found:
        raise UsageError(f"{folder} holds no bundle with an {EXPECTED}, which says what is right")
    unknown = [name for name in only if name not in found]
    if unknown:
        raise UsageError(f"there is no bundle {unknown[0]!r} in {folder}; there are {', '.join(list(found)[:5])}, ...")
    cases = []
    for name, path in found.items():
        if only and name not in only:
            continue
        file = path / EXPECTED
        text = read_bytes(file, limit=_MAX_EXPECTED_BYTES).decode("utf-8", "replace")
        cases.append(Case(name, path.absolute(), read_expected(text, str(file))))
    return cases


def _judgements(file: Path | None) -> dict[str, bool]:
    from rootproof.errors import UsageError

    if file is None:
        return {}
    try:
        found = json.loads(read_bytes(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f'{file}: not JSON ({error}); it holds {{"bundle id": true or false}}') from error
    if not isinstance(found, dict) or not all(isinstance(value, bool) for value in found.values()):
        raise UsageError(f'{file}: it holds {{"bundle id": true or false}} and nothing else')
    return found
