"""`rootproof cases`: confirmed and corrected diagnoses, which later runs may find as a hypothesis to test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.domain.api_key import LOCAL_OWNER
from rootproof.entrypoints.cli.feedback import with_records
from rootproof.entrypoints.cli.output import emit_model, say
from rootproof.entrypoints.cli.runs import AsJson, RunId, find_run

if TYPE_CHECKING:
    from rootproof.bootstrap.records import Records
    from rootproof.diagnosis.case_views import CaseDetailView, CaseListView, CaseView

app = typer.Typer(
    help="List, show, make and revoke cases: diagnoses that were confirmed or corrected.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
CaseId = Annotated[str, typer.Argument(help="A case id.")]
Owner = Annotated[str, typer.Option("--owner", help="Whose cases: the owner of API keys, where there are some.")]


@app.command("list")
def list_cases(
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="How many, newest first.")] = 20,
    revoked: Annotated[bool, typer.Option("--revoked", help="Also those that are revoked.")] = False,
    owner: Owner = LOCAL_OWNER,
    as_json: AsJson = False,
) -> None:
    """List cases, newest first."""
    from rootproof.diagnosis.case_views import CaseListView, case_view

    async def work(records: Records) -> CaseListView:
        cases = await records.cases.page(owner=owner, revoked=revoked, limit=limit)
        return CaseListView(items=[case_view(case) for case in cases], next_cursor=None)

    view = with_records(work)
    if as_json:
        emit_model(view)
    elif not view.items:
        say("no cases; `rootproof cases make RUN` makes one of a run with feedback\n")
    else:
        say("".join(f"{case.case_id}  {'revoked  ' if case.revoked_at else ''}{case.title}\n" for case in view.items))


@app.command("show")
def show_case(case_id: CaseId, owner: Owner = LOCAL_OWNER, as_json: AsJson = False) -> None:
    """Show a case, and the runs that were shown it."""
    from rootproof.diagnosis.case_views import case_detail

    async def work(records: Records) -> CaseDetailView:
        case = await records.cases.find(case_id, owner=owner)
        if case is None:
            raise _absent(case_id)
        return case_detail(case, await records.cases.uses(case.case_id))

    view = with_records(work)
    if as_json:
        emit_model(view)
    else:
        uses = [f"used by: {use.run_id}" for use in view.used_by]
        say("\n".join([*_lines(view), *uses]) + "\n")


@app.command("make")
def make(
    run_id: RunId,
    title: Annotated[str | None, typer.Option("--title", help="Else made from alert and cause.")] = None,
    solution: Annotated[str | None, typer.Option("--solution", help="What helped.")] = None,
    cause_id: Annotated[
        str | None, typer.Option("--cause-id", help="The hypothesis behind a corrected cause, such as oom_killed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a case of a run whose latest feedback confirms or corrects its cause."""
    from rootproof.diagnosis.case_views import case_view
    from rootproof.diagnosis.cases import CaseWords, make_case

    async def work(records: Records) -> CaseView:
        rows = await find_run(records.services, run_id)
        words = CaseWords(title=title, solution=solution, cause_id=cause_id)
        return case_view(await make_case(records.cases, records.feedback, rows, words))

    _emit(with_records(work), as_json=as_json)


@app.command("revoke")
def revoke(
    case_id: CaseId,
    reason: Annotated[str, typer.Option("--reason", help="Why it is wrong or no longer true.")],
    owner: Owner = LOCAL_OWNER,
    as_json: AsJson = False,
) -> None:
    """Revoke a case: it stays on record, and no run is shown it any more."""
    from rootproof.diagnosis.case_views import case_view
    from rootproof.diagnosis.cases import revoke_case

    async def work(records: Records) -> CaseView:
        case = await revoke_case(records.cases, records.services.clock, case_id, reason, owner=owner)
        if case is None:
            raise _absent(case_id)
        return case_view(case)

    _emit(with_records(work), as_json=as_json)


def _emit(view: CaseView, *, as_json: bool) -> None:
    if as_json:
        emit_model(view)
    else:
        say("\n".join(_lines(view)) + "\n")


def _lines(view: CaseView | CaseDetailView) -> list[str]:
    named = {
        "made from": view.diagnosis_id,
        "revoked": f"{view.revoked_at:%Y-%m-%d %H:%M}Z, {view.revoke_reason}" if view.revoked_at else "",
        "alert": view.alert_name or "",
        "service": view.service or "",
        "objects": ", ".join(view.objects),
        "cause id": view.cause_id or "",
        "symptom": view.symptom,
        "root cause": view.root_cause,
        "solution": view.solution,
    }
    told = [f"{name}: {text}" for name, text in named.items() if text]
    return [f"{view.case_id}  {view.title}", *told]


def _absent(case_id: str) -> Exception:
    from rootproof.errors import UsageError

    return UsageError(f"there is no case {case_id!r:.100}; `rootproof cases list --revoked` shows what there is")
