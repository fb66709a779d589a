"""The report for people: what happened and why first, then the claims with their proof, then what was looked at.

Every text is printed through `Text`, never as markup, with control characters made visible: hostile log lines cannot
move the cursor or forge a heading.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rootproof.diagnosis.present import ClaimView, EvidenceView, ReportView, RunView
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.report import CoverageStatus
from rootproof.domain.run import StatusReason
from rootproof.domain.window import iso
from rootproof.redaction import visible

_VERDICT_STYLE = {
    Verdict.SUPPORTED: "green",
    Verdict.PARTIAL: "yellow",
    Verdict.CONTRADICTED: "red",
    Verdict.NO_EVIDENCE: "red",
    Verdict.NOT_CHECKABLE: "dim",
}
_COVERAGE_STYLE = {CoverageStatus.OK: "green", CoverageStatus.ERROR: "red", CoverageStatus.NO_EVIDENCE: "yellow"}
_KINDS = (ClaimKind.CAUSE, ClaimKind.SYMPTOM, ClaimKind.IMPACT, ClaimKind.RULED_OUT, ClaimKind.ACTION)
_EVIDENCE_CHARS = 420


def render_run(console: Console, view: RunView) -> None:
    """Print the whole report of a run."""
    report = view.report
    if view.status_reason is StatusReason.COMPATIBILITY:
        _block(console, view.status_detail, "yellow")
    if report is None:
        console.print(_text(f"run {view.run_id} is {view.status}: no report yet"))
        return
    _headline(console, report)
    _claims(console, report.claims)
    _next_steps(console, report)
    _timeline(console, report)
    _evidence(console, view)
    _coverage(console, report)
    _footer(console, view)


def _headline(console: Console, report: ReportView) -> None:
    if report.healthy:
        console.print(_text("NOTHING IS WRONG NOW", "bold green"))
    elif report.root_causes:
        many = len(report.root_causes) > 1
        console.print(_text("ROOT CAUSES" if many else "ROOT CAUSE", "bold red"))
    else:
        console.print(_text("REPORT", "bold"))
    _block(console, report.summary, "bold")
    for cause in report.root_causes:
        objects = f", at fault: {', '.join(cause.objects)}" if cause.objects else ""
        line = f"{cause.cause_id} ({cause.category}), confidence {cause.confidence}{objects} [{cause.claim_id}]"
        _block(console, line)


def _claims(console: Console, claims: Iterable[ClaimView]) -> None:
    ordered = sorted(claims, key=lambda claim: _KINDS.index(claim.kind))
    if not ordered:
        return
    _heading(console, "Claims, each checked by code against the evidence it cites")
    table = _table()
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for claim in ordered:
        cited = " ".join(dict.fromkeys(citation.evidence_id for citation in claim.citations))
        body = _text(f"{claim.kind}: {claim.text}")
        body.append(visible(f"  [{cited}]" if cited else "  [cites nothing]"), style="cyan")
        if claim.verdict is not Verdict.SUPPORTED:
            for reason in claim.reasons[:4]:
                body.append(visible(f"\n- {reason}"), style="dim")
        table.add_row(_text(claim.id), _text(claim.verdict, _VERDICT_STYLE[claim.verdict]), body)
    console.print(Padding(table, (0, 0, 0, 2)))


def _next_steps(console: Console, report: ReportView) -> None:
    if not report.next_steps:
        return
    _heading(console, "What to do next")
    for number, step in enumerate(report.next_steps, start=1):
        line = f"{number}. {step.text}"
        line += f"\n   query: {step.query}" if step.query else ""
        line += f"\n   risk: {step.risk}" if step.risk else ""
        _block(console, line)


def _timeline(console: Console, report: ReportView) -> None:
    if not report.timeline:
        return
    _heading(console, "Timeline")
    table = _table()
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for entry in report.timeline:
        table.add_row(_text(iso(entry.time)), _text(f"{_short(entry.text, 160)} [{entry.evidence_id}]"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _evidence(console: Console, view: RunView) -> None:
    cited = {c.evidence_id for claim in (view.report.claims if view.report else []) for c in claim.citations}
    shown = [item for item in view.evidence if item.id in cited]
    if not shown:
        return
    _heading(console, f"Evidence cited ({len(shown)} of {len(view.evidence)} items of this run)")
    table = _table()
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for item in shown:
        table.add_row(_text(item.id, "cyan"), _text(_kind_of(item), "dim"), _text(_short(item.text, _EVIDENCE_CHARS)))
    console.print(Padding(table, (0, 0, 0, 2)))


def _coverage(console: Console, report: ReportView) -> None:
    _heading(console, "Coverage: what was looked at, and what was not")
    table = _table()
    for _ in range(3):
        table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for line in report.coverage:
        counts = f"{line.scanned} scanned, {line.shown or 0} shown" if line.scanned is not None else ""
        detail = "; ".join(part for part in (counts, line.detail) if part)
        status = _text(line.status, _COVERAGE_STYLE.get(line.status, "dim"))
        table.add_row(status, _text(line.tool), _text(_short(line.source, 40)), _text(detail))
    console.print(Padding(table, (0, 0, 0, 2)))


def _footer(console: Console, view: RunView) -> None:
    usage = view.usage
    console.print()
    if view.now is not None:
        console.print(_text(f"investigated as of {iso(view.now)}", "dim"))
    console.print(
        _text(
            f"run {view.run_id} · {view.status}, {view.status_reason} · reasoner {view.reasoner} · "
            f"{usage.tool_calls} tool calls, {usage.model_requests} model turns, "
            f"{usage.agent_visible_bytes} bytes shown to the model, {usage.duration_ms} ms",
            "dim",
        )
    )
    console.print(_text(f"rootproof runs trace {view.run_id} shows every step of it", "dim"))


def _kind_of(item: EvidenceView) -> str:
    return f"{item.tool.removeprefix('query_')} {item.cls}"


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(_text(title, "bold"))


def _block(console: Console, text: str, style: str = "") -> None:
    console.print(Padding(_text(text, style), (0, 0, 0, 2)))


def _table() -> Table:
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), expand=True)


def _text(text: str, style: str = "") -> Text:
    return Text(visible(str(text)), style=style, overflow="fold")


def _short(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
