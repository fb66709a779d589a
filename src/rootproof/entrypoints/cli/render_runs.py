"""Run lists and traces for people."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rootproof.diagnosis.present import RunSummaryView
from rootproof.diagnosis.trace import InvocationView, StepView, TraceView
from rootproof.domain.run import COMPATIBILITY_NOTE, RunStatus
from rootproof.domain.step import StepKind
from rootproof.domain.window import iso
from rootproof.redaction import visible

_RESULT_CHARS = 600


def render_run_list(console: Console, views: Iterable[RunSummaryView], session: str | None) -> None:
    """One line a run."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    table.add_column("created", no_wrap=True)
    table.add_column("run", no_wrap=True)
    table.add_column("outcome", ratio=1)
    count = 0
    for view in views:
        count += 1
        created = iso(view.created_at) if view.created_at else ""
        table.add_row(Text(created), Text(visible(view.run_id)), Text(visible(_outcome(view)), overflow="ellipsis"))
    if count:
        console.print(table)
    else:
        where = f" in session {session}" if session else " yet; `rootproof demo` makes two"
        console.print(Text(visible(f"no runs{where}")))


def _outcome(view: RunSummaryView) -> str:
    if view.compatibility:
        return f"{view.status} (compatibility data): {' '.join(view.summary.split())[:120] or 'no answer'}"
    if view.root_causes:
        return f"{view.status}: {', '.join(cause.cause_id for cause in view.root_causes)}"
    if view.healthy:
        return f"{view.status}: healthy"
    if view.status in (RunStatus.QUEUED, RunStatus.RUNNING):
        return f"{view.status}: under way, or its process ended (`rootproof runs resume {view.run_id[:12]}` goes on)"
    return f"{view.status}: {' '.join(view.summary.split())[:120] or 'no report yet'}"


def render_trace(console: Console, view: TraceView) -> None:
    """Steps in order, each with its calls, what they gave and how long they took."""
    console.print(Text(visible(f"run {view.run_id} of session {view.session_id}: {view.status}"), style="bold"))
    if view.compatibility:
        console.print(Text(COMPATIBILITY_NOTE))
    for step in view.steps:
        console.print(Text(visible(_step_line(step)), style="bold"))
        for line in _step_body(step):
            console.print(Padding(Text(visible(line), overflow="fold"), (0, 0, 0, 4)))
        for call in step.invocations:
            _call(console, call)


def _step_line(step: StepView) -> str:
    tokens = f", {step.input_tokens}+{step.output_tokens} tokens" if step.input_tokens or step.output_tokens else ""
    return f"{step.step_no:>3} {step.agent} {step.kind} ({step.duration_ms} ms{tokens})"


def _step_body(step: StepView) -> list[str]:
    output = step.output
    match step.kind:
        case StepKind.BRIEFING:
            lines = [f"mode {output['mode']}, tools: {', '.join(output['tools']) or 'none'}"]
            if output["recommendedQuery"]:
                lines.append(f"recommended knowledge query: {output['recommendedQuery']}")
            return lines
        case StepKind.SKILL_READ:
            how = "answered from context" if output["repeated"] else "read"
            return [f"{output['name']}: {how} (asked {output['timesRead']} times)"]
        case StepKind.PLAN:
            answer = output["answer"]
            return [f"intent {answer['intent']}, skills: {', '.join(answer['skills']) or 'none'}", answer["reason"]]
        case StepKind.DRAFT:
            return [f"{len(output['answer']['claims'])} claims: {output['answer']['summary'][:200]}"]
        case StepKind.LEGACY:
            return [output["summary"]] if output["summary"] else []
        case StepKind.END:
            return [f"{output['status']} {output['reason']} {output['detail']}".strip()]
        case _:
            problem = output.get("problem") or output.get("reason")
            return [problem] if problem else []


def _call(console: Console, call: InvocationView) -> None:
    counts = f", {call.scanned} scanned, {call.shown} shown" if call.scanned is not None else ""
    cut = ", truncated" if call.truncated else ""
    head = f"{call.step_no}.{call.call_index} {call.tool_name} {json.dumps(call.request, ensure_ascii=False)}"
    told = f"-> {call.status}{counts}{cut}, {call.agent_visible_bytes} bytes, {call.duration_ms} ms"
    console.print(Padding(Text(visible(head), style="cyan", overflow="fold"), (0, 0, 0, 4)))
    console.print(Padding(Text(visible(told)), (0, 0, 0, 8)))
    body = call.summary or call.error
    if body:
        console.print(Padding(Text(visible(body[:_RESULT_CHARS]), style="dim", overflow="fold"), (0, 0, 0, 8)))
    if call.retrieval_details:
        keys = ", ".join(call.retrieval_details)
        console.print(Padding(Text(visible(f"retrieval_details: {keys}"), style="dim"), (0, 0, 0, 8)))
