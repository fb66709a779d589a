"""The trace of a run: steps and invocations, column by column, identifiers shown to their owner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from rootproof.aci.identifiers import restore
from rootproof.diagnosis.present import (
    EvidenceView,
    ReportView,
    RunView,
    SelfEvaluationView,
    View,
    evidence_view,
    identifiers_of,
    run_view,
)
from rootproof.domain.feedback import ResolvedBy
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import RunMode, RunStatus, StatusReason
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.run_store import RunRows

_SUMMARY_CHARS = 500


class InvocationView(View):
    """One tool call: a row of `tool_invocation`."""

    step_no: int
    """The step whose model turn asked for it."""
    call_index: int
    """Its place in that turn, from 0."""
    tool_call_id: str
    """The provider's name of the call; some servers use one again every turn."""
    tool_name: str
    request: dict[str, Any]
    """The arguments; `{"invalid": text}` where they could not be read."""
    request_key: str = ""
    """Tool and canonical arguments: equal keys are identical calls."""
    status: InvocationStatus
    source: str
    """Which source was asked."""
    error: str
    """Why the call failed, in the source's own words."""
    result: str
    """The bounded result that the model saw, with identifiers shown again."""
    summary: str
    """The concrete facts that the verifier reads."""
    retrieval_details: dict[str, Any] | None
    """How documents were found and ranked, where the call searched some."""
    evidence: list[EvidenceView]
    """What a claim may cite of the call."""
    identifiers: dict[str, str] = Field(default_factory=dict)
    """Placeholders that the call gave out, and what they stand for; nothing holds what credentials were."""
    scanned: int | None
    """Records that the source looked at."""
    shown: int | None
    """Records in the result."""
    truncated: bool
    raw_sha256: str
    """Of the complete output, hex."""
    raw_bytes: int
    agent_visible_bytes: int
    duration_ms: int
    created_at: datetime | None
    finished_at: datetime | None
    seq: int
    """The run's change counter at the last change of this row."""


class StepRowView(View):
    """One step: a row of `agent_step`."""

    step_no: int
    """From 0, without gaps."""
    agent: Agent
    kind: StepKind
    status: Literal["OK", "FAILED"] = "OK"
    """FAILED where the step says that a model failed."""
    output: dict[str, Any]
    """What the agent gave back; one shape a kind."""
    output_summary: str = ""
    """The beginning of `output` as text."""
    input_hash: str
    """SHA-256 of what the agent was given; the text itself is not kept."""
    input_summary: str
    token_count: int = 0
    input_tokens: int
    output_tokens: int
    duration_ms: int
    created_at: datetime | None
    seq: int
    """The run's change counter when the step was written."""


class StepView(StepRowView):
    """One step with the calls of its turn."""

    invocations: list[InvocationView]


class TraceView(View):
    """The trace of one run."""

    schema_version: Literal[1] = 1
    run_id: str
    """The run that the trace is of, whether it was named or not."""
    session_id: str
    resolved_by: ResolvedBy = ResolvedBy.RUN_ID
    """`latest_run`: no run was named, so the session's newest was taken."""
    status: RunStatus
    status_reason: StatusReason | None = None
    mode: RunMode = RunMode.CHAT
    reasoner: str = "playbook"
    question: str = ""
    compatibility: bool = False
    """Made from a row of the old schema: its steps may be those of several rounds."""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    seq: int = 0
    """The run's change counter: the events of this trace go on after it."""
    report: ReportView | None = None
    """With its claims, their verdicts and citations; null until the run has ended."""
    evidence: list[EvidenceView] = Field(default_factory=list)
    """Everything that claims may cite."""
    self_evaluation: SelfEvaluationView | None = None
    feedback: dict[str, Any] | None = None
    """The latest that people said of the run."""
    step_count: int = 0
    """Of the run, however many are in this answer."""
    next_steps_after: int | None = None
    """`stepsAfter` of the rest; null where nothing is left out."""
    steps: list[StepView]


def trace_view(
    rows: RunRows,
    resolved_by: ResolvedBy = ResolvedBy.RUN_ID,
    *,
    steps_after: int = -1,
    limit: int | None = None,
) -> TraceView:
    """The run's trace, steps in order, each with its calls in order: those after a step, at most `limit` of them."""
    view, run = run_view(rows), rows.run
    identifiers = identifiers_of(rows.steps, rows.invocations)
    calls: dict[int, list[Invocation]] = {}
    for call in rows.invocations:
        calls.setdefault(call.step_no, []).append(call)
    wanted = [step for step in rows.steps if step.step_no > steps_after]
    shown = wanted[:limit]
    return TraceView(
        **_about(view),
        resolved_by=resolved_by,
        compatibility=run.compatibility,
        created_at=run.created_at,
        updated_at=run.updated_at,
        seq=max([run.seq, *(step.seq for step in rows.steps), *(call.seq for call in rows.invocations)]),
        feedback=run.feedback,
        step_count=len(rows.steps),
        next_steps_after=shown[-1].step_no if shown and len(shown) < len(wanted) else None,
        steps=[
            StepView(
                **step_fields(step, identifiers),
                invocations=[invocation_view(call, identifiers) for call in calls.get(step.step_no, [])],
            )
            for step in shown
        ],
    )


def _about(view: RunView) -> dict[str, Any]:
    names = ("run_id", "session_id", "status", "status_reason", "mode", "reasoner", "question")
    return {name: getattr(view, name) for name in (*names, "report", "evidence", "self_evaluation")}


def step_fields(step: Step, identifiers: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a `StepRowView`."""
    output = restore({key: value for key, value in step.output.items() if key != "identifiers"}, identifiers)
    text = json.dumps(output, ensure_ascii=False)
    return {
        "step_no": step.step_no,
        "agent": step.agent,
        "kind": step.kind,
        "status": "FAILED" if step.kind is StepKind.MODEL_FAILURE else "OK",
        "output": output,
        "output_summary": text if len(text) <= _SUMMARY_CHARS else text[: _SUMMARY_CHARS - 1] + "…",
        "input_hash": step.input_hash,
        "input_summary": step.input_summary,
        "token_count": step.input_tokens + step.output_tokens,
        "input_tokens": step.input_tokens,
        "output_tokens": step.output_tokens,
        "duration_ms": step.duration_ms,
        "created_at": step.created_at,
        "seq": step.seq,
    }


def invocation_view(call: Invocation, identifiers: Mapping[str, str]) -> InvocationView:
    """One tool call with identifiers shown again."""
    return InvocationView(
        step_no=call.step_no,
        call_index=call.call_index,
        tool_call_id=call.tool_call_id,
        tool_name=call.tool_name,
        request=restore(call.request, identifiers),
        request_key=restore(call.request_key, identifiers),
        status=call.status,
        source=call.source,
        error=restore(call.error, identifiers),
        result=restore(call.result, identifiers),
        summary=restore(call.summary, identifiers),
        retrieval_details=restore(call.retrieval_details, identifiers),
        evidence=[evidence_view(item, identifiers) for item in call.evidence],
        identifiers=dict(call.identifiers),
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
