"""`rootproof feedback`: what you say of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rootproof.entrypoints.cli.output import emit_model, say
from rootproof.entrypoints.cli.runs import RunId, find_run

if TYPE_CHECKING:
    from rootproof.bootstrap.records import Records
    from rootproof.diagnosis.feedback_views import FeedbackHistoryView, FeedbackView
    from rootproof.domain.feedback import ClaimMark, FeedbackVerdict

T = TypeVar("T")


def feedback(
    run_id: RunId,
    verdict: Annotated[
        str | None,
        typer.Option(
            "--verdict",
            help="helpful, wrong-cause, missing-cause, unclear or not-helpful. Left out: show what was said.",
        ),
    ] = None,
    comment: Annotated[str, typer.Option("--comment", help="In your words; credentials are taken out.")] = "",
    cause: Annotated[
        str | None, typer.Option("--cause", help="The cause as it was, where the report had another or none.")
    ] = None,
    mark: Annotated[
        list[str] | None, typer.Option("--mark", help="One claim: C1=correct, C1=wrong or C1=unclear; may be repeated.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Names this feedback: sending it again with the key counts once.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False,
) -> None:
    """Say how a run did, or show what was said of it."""
    from rootproof.diagnosis.feedback_views import feedback_view, history_view
    from rootproof.diagnosis.give_feedback import BoundRun, Said, give_feedback
    from rootproof.domain.feedback import ResolvedBy
    from rootproof.errors import UsageError

    if verdict is None and (comment or cause or mark or key):
        raise UsageError(
            "feedback needs a verdict: --verdict helpful, wrong-cause, missing-cause, unclear, not-helpful"
        )
    said = Said(_verdict(verdict), comment, cause, _marks(mark or []), key) if verdict is not None else None

    async def work(records: Records) -> FeedbackView | FeedbackHistoryView:
        bound = BoundRun(await find_run(records.services, run_id), ResolvedBy.RUN_ID)
        if said is not None:
            return feedback_view(await give_feedback(records.feedback, bound, said))
        run = bound.rows.run
        return history_view(bound, await records.feedback.history(run.run_id, owner=run.owner))

    view = with_records(work)
    if as_json:
        emit_model(view)
    elif said is not None:
        say(f"{view.run_id}: {said.verdict.value} noted\n")
    else:
        say(_told(view))


def with_records(work: Callable[[Records], Awaitable[T]]) -> T:
    """What `work` gives with the configured records, which are closed after it."""

    async def call() -> T:
        from rootproof.bootstrap.records import open_records
        from rootproof.settings import load_settings

        records = await open_records(load_settings())
        try:
            return await work(records)
        finally:
            await records.services.runs.close()

    return asyncio.run(call())


def _verdict(text: str) -> FeedbackVerdict:
    from rootproof.domain.feedback import FeedbackVerdict
    from rootproof.errors import UsageError

    try:
        return FeedbackVerdict(text.strip().upper().replace("-", "_"))
    except ValueError:
        known = ", ".join(verdict.value.lower().replace("_", "-") for verdict in FeedbackVerdict)
        raise UsageError(f"--verdict {text!r:.80} is none of: {known}") from None


def _marks(texts: list[str]) -> dict[str, ClaimMark]:
    from rootproof.domain.feedback import ClaimMark
    from rootproof.errors import UsageError

    marks = {}
    for text in texts:
        claim, _, word = text.partition("=")
        try:
            marks[claim.strip()] = ClaimMark(word.strip().upper())
        except ValueError:
            raise UsageError(f"--mark {text!r:.80} is not CLAIM=correct, CLAIM=wrong or CLAIM=unclear") from None
    return marks


def _told(view: FeedbackView | FeedbackHistoryView) -> str:
    from rootproof.diagnosis.feedback_views import FeedbackHistoryView

    rows = view.items if isinstance(view, FeedbackHistoryView) else [view]
    if not rows:
        return f"{view.run_id}: nothing was said of it; `rootproof feedback RUN --verdict helpful` does\n"
    lines = [view.run_id]
    for row in rows:
        when = f"{row.created_at:%Y-%m-%d %H:%M}Z" if row.created_at else ""
        lines.append(f"  {when}  {row.verdict.value}")
        lines += [f"    cause: {row.corrected_cause}"] if row.corrected_cause else []
        lines += [f"    {claim}: {mark.value}" for claim, mark in row.claim_marks.items()]
        lines += [f"    {' '.join(row.comment.split())}"] if row.comment else []
    return "\n".join(lines) + "\n"
