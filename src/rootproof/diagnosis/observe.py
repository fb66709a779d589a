"""A finished run as measurements and as one tree of spans: both are projections of its rows, made when it ends.

So nothing in the loop knows of telemetry, and a run that several workers carried out is still one trace.
Source: OpenTelemetry GenAI semantic conventions (agent, chat, tool and retrieval spans, evaluation events).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from rootproof import telemetry as names
from rootproof.aci.toolset import ALL_EVIDENCE_TOOLS
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.run import RunStatus
from rootproof.domain.step import MODEL_STEPS, Step, StepKind
from rootproof.ports.run_store import RunRows
from rootproof.ports.telemetry import Attribute, SpanEvent, SpanRecord, Telemetry

_CONTENT_CHARS = 8_000
_NEVER = datetime.fromtimestamp(0, UTC)
"""The time of a row that has none: no store gives one out."""
_UNHAPPY = frozenset({InvocationStatus.TIMEOUT, InvocationStatus.TOOL_ERROR, InvocationStatus.PROJECTION_ERROR})


def observe_run(telemetry: Telemetry, rows: RunRows, *, content: bool = False) -> None:
    """Count what the run did and hand over its spans; `content`: with the (redacted) words of models and tools."""
    end = _end_of(rows)
    if end is None:
        return
    mode, output = rows.run.mode.value, end.output
    telemetry.add(
        names.RUNS_ENDED,
        {
            "status": output["status"],
            "reason": output["reason"],
            "mode": mode,
            "reasoner": rows.run.reasoner.partition(":")[0],
        },
    )
    telemetry.observe(names.RUN_SECONDS, {"mode": mode}, output["usage"]["durationMs"] / 1000)
    for call in filter(lambda each: is_final(each.status), rows.invocations):
        tool = _tool_label(call.tool_name)
        telemetry.add(names.TOOL_CALLS, {"tool": tool, "status": call.status.value})
        telemetry.observe(names.TOOL_SECONDS, {"tool": tool}, call.duration_ms / 1000)
    for step in rows.steps:
        if step.kind in MODEL_STEPS or step.kind is StepKind.MODEL_FAILURE:
            outcome = "failed" if step.kind is StepKind.MODEL_FAILURE else "answered"
            telemetry.add(names.MODEL_REQUESTS, {"agent": step.agent.value, "outcome": outcome})
            telemetry.add(names.MODEL_TOKENS, {"direction": "input"}, step.input_tokens)
            telemetry.add(names.MODEL_TOKENS, {"direction": "output"}, step.output_tokens)
    for checked in _claims(output):
        telemetry.add(names.CLAIMS, {"kind": checked["claim"]["kind"], "verdict": checked["verdict"]})
    telemetry.span(span_of(rows, content=content))


def span_of(rows: RunRows, *, content: bool = False) -> SpanRecord:
    """The span of the whole run: model turns and tool calls inside it, a verdict of each claim as an event."""
    run, end = rows.run, _end_of(rows)
    begun = run.created_at or run.now
    ended = (end.created_at if end else None) or run.updated_at or begun
    failed = end is not None and end.output["status"] == RunStatus.FAILED.value
    return SpanRecord(
        f"{names.SPAN_RUN} rootproof",
        begun,
        max(begun, ended),
        {
            "gen_ai.operation.name": names.SPAN_RUN,
            "gen_ai.agent.name": "rootproof",
            "gen_ai.conversation.id": run.session_id,
            "gen_ai.request.model": run.reasoner,
            "rootproof.run.id": run.run_id,
            "rootproof.run.mode": run.mode.value,
            "rootproof.run.status": end.output["status"] if end else run.status.value,
            "gen_ai.usage.input_tokens": sum(step.input_tokens for step in rows.steps),
            "gen_ai.usage.output_tokens": sum(step.output_tokens for step in rows.steps),
        },
        error=end.output["reason"] if end and failed else None,
        events=tuple(_evaluations(end, ended, content=content)) if end else (),
        children=tuple(_children(rows, content=content)),
    )


def _children(rows: RunRows, *, content: bool) -> Iterator[SpanRecord]:
    for step in rows.steps:
        if step.kind in MODEL_STEPS or step.kind is StepKind.MODEL_FAILURE:
            yield _chat(step, rows.run.reasoner, content=content)
    for call in rows.invocations:
        if is_final(call.status):
            yield _tool(call, content=content)


def _chat(step: Step, reasoner: str, *, content: bool) -> SpanRecord:
    provider, _, model = reasoner.partition(":")
    ended = step.created_at or _NEVER
    failure = step.kind is StepKind.MODEL_FAILURE
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": names.SPAN_CHAT,
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model or provider,
        "gen_ai.response.model": str(step.output.get("model") or model or provider),
        "gen_ai.agent.name": step.agent.value.lower(),
        "gen_ai.usage.input_tokens": step.input_tokens,
        "gen_ai.usage.output_tokens": step.output_tokens,
        "rootproof.step.no": step.step_no,
    }
    if reason := step.output.get("finishReason"):
        attributes["gen_ai.response.finish_reasons"] = [str(reason)]
    if content:
        attributes["gen_ai.output.messages"] = _text(step.output)
    error = str(step.output.get("reason", "")).partition(":")[0] if failure else None
    return SpanRecord(
        f"{names.SPAN_CHAT} {model or provider}",
        ended - timedelta(milliseconds=step.duration_ms),
        ended,
        attributes,
        error=error,
    )


def _tool(call: Invocation, *, content: bool) -> SpanRecord:
    begun = call.created_at or _NEVER
    tool = _tool_label(call.tool_name)
    retrieval = tool == "lookup_knowledge"
    operation = names.SPAN_RETRIEVAL if retrieval else names.SPAN_TOOL
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": operation,
        "gen_ai.tool.name": tool,
        "gen_ai.tool.type": "datastore" if retrieval else "function",
        "gen_ai.tool.call.id": f"{call.step_no}.{call.call_index}",
        "rootproof.call.status": call.status.value,
        "rootproof.call.evidence": len(call.evidence),
    }
    if content:
        attributes["gen_ai.tool.call.arguments"] = _text(call.request)
        attributes["gen_ai.tool.call.result"] = call.result[:_CONTENT_CHARS]
    return SpanRecord(
        f"{operation} {tool}",
        begun,
        begun + timedelta(milliseconds=call.duration_ms),
        attributes,
        error=call.status.value if call.status in _UNHAPPY else None,
    )


def _evaluations(end: Step, at: datetime, *, content: bool) -> Iterator[SpanEvent]:
    for checked in _claims(end.output):
        attributes: dict[str, Attribute] = {
            "gen_ai.evaluation.name": "grounding",
            "gen_ai.evaluation.score.label": checked["verdict"],
            "rootproof.claim.id": checked["claim"]["id"],
            "rootproof.claim.kind": checked["claim"]["kind"],
        }
        if content:
            attributes["gen_ai.evaluation.explanation"] = "; ".join(checked["reasons"])[:_CONTENT_CHARS]
        yield SpanEvent(names.EVENT_EVALUATION, at, attributes)


def _claims(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    claims: list[Mapping[str, Any]] = output["report"]["claims"]
    return claims


def _end_of(rows: RunRows) -> Step | None:
    return next((step for step in reversed(rows.steps) if step.kind is StepKind.END), None)


def _tool_label(tool: str) -> str:
    """Tool names are a model's words until they are checked."""
    return tool if tool in ALL_EVIDENCE_TOOLS else "other"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_CONTENT_CHARS]
