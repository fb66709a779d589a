"""The end of a run: the END step that holds the report, and the run row that repeats it for readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from rootproof.agent.advice import screened
from rootproof.agent.commands import Finish
from rootproof.agent.coverage import coverage_of
from rootproof.agent.grounding.confidence import evaluate
from rootproof.agent.loop import PLAYBOOK, reasoner_of
from rootproof.agent.render import alert_fields
from rootproof.agent.report import assemble
from rootproof.agent.state import RunState
from rootproof.diagnosis.headline import headline_of
from rootproof.domain.report import Coverage, CoverageStatus, Draft, Report, SelfEvaluation
from rootproof.domain.run import Run, RunStatus, StatusReason
from rootproof.domain.step import Agent, Step, StepKind

REPORT = TypeAdapter(Report)
_WRITABLE_RESULTS = frozenset({"query_alerts", "query_logs", "query_metrics"})
EVALUATION = TypeAdapter(SelfEvaluation)


def final_step(state: RunState, command: Finish, notes: tuple[str, ...], elapsed_ms: int) -> Step:
    """The END step. A run stopped before its draft still has a report: what was looked at, why it ended."""
    tools = state.briefing.tools if state.briefing else ()
    coverage = (*coverage_of(tools, state.invocations.values(), notes), *_of_the_session(state))
    draft = state.draft or Draft(summary=f"The run ended before a report could be written: {command.detail}")
    invents = reasoner_of(state) != PLAYBOOK
    clean = screened(
        draft,
        state.checked or (),
        state.evidence,
        _guidance(state),
        told=_told(state),
        invents=invents,
    )
    report = assemble(clean.draft, clean.checked, state.evidence, coverage, state.plan, invents=invents)
    if command.status is RunStatus.COMPLETED and command.reason is not StatusReason.REPORTED:
        report = replace(report, summary=f"{report.summary}\nNote: {_note(command)}")
    evaluation = replace(
        evaluate(state.checked or ()), root_cause_supported=bool(report.root_causes), withheld=clean.withheld
    )
    output: dict[str, Any] = {
        "status": command.status.value,
        "reason": command.reason.value,
        "detail": command.detail,
        "report": REPORT.dump_python(report, mode="json"),
        "selfEvaluation": EVALUATION.dump_python(evaluation, mode="json"),
        "usage": {
            "toolCalls": state.usage.tool_calls,
            "modelRequests": state.usage.model_requests,
            "inputTokens": state.usage.input_tokens,
            "outputTokens": state.usage.output_tokens,
            "agentVisibleBytes": state.usage.agent_visible_bytes,
            "durationMs": elapsed_ms,
        },
    }
    return Step(state.next_step_no, Agent.SUPERVISOR, StepKind.END, output, duration_ms=elapsed_ms)


def _of_the_session(state: RunState) -> Iterator[Coverage]:
    """What the run was not given of its session; no source broke down for that."""
    for note in state.briefing.history_notes if state.briefing else ():
        yield Coverage("session", "", CoverageStatus.NO_EVIDENCE, detail=note)


def _guidance(state: RunState) -> tuple[str, ...]:
    """The texts that whoever runs this chose: skills that were read, names of tools and skills."""
    briefing = state.briefing
    names = [*briefing.tools, *(skill.name for skill in briefing.skills)] if briefing else []
    return (*(read.text for read in state.skill_reads.values() if read.name), " ".join(names))


def _told(state: RunState) -> dict[str, str]:
    """What the reasoner saw beside the evidence: all fields of alerts, whole results but for cluster state, and what
    the session spoke of before.
    """
    briefing = state.briefing
    pairs = zip(briefing.reported, briefing.alerts, strict=False) if briefing else ()
    found = {item.id: json.dumps(alert_fields(alert), ensure_ascii=False) for item, alert in pairs}
    for call in state.invocations.values():
        if call.tool_name in _WRITABLE_RESULTS:
            found[call.tool_name] = f"{found.get(call.tool_name, '')} {call.result}"
    if briefing and briefing.history and reasoner_of(state) != PLAYBOOK:  # which copies nothing from there
        found["the session's history"] = " ".join(f"{each.question} {each.answer}" for each in briefing.history)
    return found


def finished_run(run: Run, end: Step, now: datetime, identifiers: Mapping[str, str]) -> Run:
    """The run row after its END step; `identifiers` are shown in its headline."""
    output: Mapping[str, Any] = end.output
    usage = output["usage"]
    return replace(
        run,
        status=RunStatus(output["status"]),
        status_reason=StatusReason(output["reason"]),
        report=output["report"],
        self_evaluation=output["selfEvaluation"],
        headline=headline_of(output["report"], identifiers, output["selfEvaluation"]),
        total_duration_ms=usage["durationMs"],
        total_token_count=usage["inputTokens"] + usage["outputTokens"],
        updated_at=now,
    )


def _note(command: Finish) -> str:
    match command.reason:
        case StatusReason.BUDGET_SPENT:
            return f"the investigation was stopped early, since {command.detail}."
        case StatusReason.MODEL_FAILED:
            return f"the model was given up ({command.detail}); the built-in playbook reasoner finished the run."
        case _:
            return command.detail
