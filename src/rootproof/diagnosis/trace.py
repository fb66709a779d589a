"""The trace of a run: steps and invocations, column by column, identifiers shown to their owner."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rootproof.aci.identifiers import restore
from rootproof.agent.state import fold
from rootproof.diagnosis.present import EvidenceView, View, evidence_view
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import RunStatus
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.run_store import RunRows


class InvocationView(View):
    """One tool call."""

    step_no: int
    call_index: int
    tool_call_id: str
    tool_name: str
    request: dict[str, Any]
    status: InvocationStatus
    source: str
    error: str
    result: str
    """The bounded result that the model saw, with identifiers shown again."""
    summary: str
    retrieval_details: dict[str, Any] | None
    evidence: list[EvidenceView]
    scanned: int | None
    shown: int | None
    truncated: bool
    raw_sha256: str
    raw_bytes: int
    agent_visible_bytes: int
    duration_ms: int
    created_at: datetime | None
    finished_at: datetime | None
    seq: int


class StepView(View):
    """One step with the calls of its turn."""

    step_no: int
    agent: Agent
    kind: StepKind
    output: dict[str, Any]
    input_hash: str
    input_summary: str
    input_tokens: int
    output_tokens: int
    duration_ms: int
    created_at: datetime | None
    seq: int
    invocations: list[InvocationView]


class TraceView(View):
    """The whole trace."""

    run_id: str
    session_id: str
    status: RunStatus
    steps: list[StepView]


def trace_view(rows: RunRows) -> TraceView:
    """The run's trace, steps in order, each with its calls in order."""
    identifiers = fold(rows.run, rows.steps, rows.invocations).identifiers
    calls: dict[int, list[Invocation]] = {}
    for call in rows.invocations:
        calls.setdefault(call.step_no, []).append(call)
    steps = [_step(step, calls.get(step.step_no, []), dict(identifiers)) for step in rows.steps]
    return TraceView(run_id=rows.run.run_id, session_id=rows.run.session_id, status=rows.run.status, steps=steps)


def _step(step: Step, calls: list[Invocation], identifiers: dict[str, str]) -> StepView:
    output = {key: value for key, value in step.output.items() if key != "identifiers"}
    return StepView(
        step_no=step.step_no,
        agent=step.agent,
        kind=step.kind,
        output=restore(output, identifiers),
        input_hash=step.input_hash,
        input_summary=step.input_summary,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        duration_ms=step.duration_ms,
        created_at=step.created_at,
        seq=step.seq,
        invocations=[_invocation(call, identifiers) for call in calls],
    )


def _invocation(call: Invocation, identifiers: dict[str, str]) -> InvocationView:
    return InvocationView(
        step_no=call.step_no,
        call_index=call.call_index,
        tool_call_id=call.tool_call_id,
        tool_name=call.tool_name,
        request=restore(call.request, identifiers),
        status=call.status,
        source=call.source,
        error=restore(call.error, identifiers),
        result=restore(call.result, identifiers),
        summary=restore(call.summary, identifiers),
        retrieval_details=restore(call.retrieval_details, identifiers),
        evidence=[evidence_view(item, identifiers) for item in call.evidence],
        scanned=call.scanned,
        shown=call.shown,
        truncated=call.truncated,
        raw_sha256=call.raw_sha256,
        raw_bytes=call.raw_bytes,
        agent_visible_bytes=call.agent_visible_bytes,
        duration_ms=call.duration_ms,
        created_at=call.created_at,
        finished_at=call.finished_at,
        seq=call.seq,
    )
