"""The model: one turn for a planner, an executor or a verifier, from the request alone. No state, no clock, no I/O."""

from __future__ import annotations

import json
from typing import Any

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.focus import focus
from rootproof.agent.playbook.health import health
from rootproof.agent.playbook.incident_report import write_causes
from rootproof.agent.playbook.interpret import interpret
from rootproof.agent.playbook.investigate import next_calls
from rootproof.agent.playbook.knowledge_answer import cite_guidance, write_answer
from rootproof.agent.playbook.lookup_report import is_lookup, write_lookup
from rootproof.agent.playbook.observations import Observations, observe
from rootproof.agent.playbook.planner import plan
from rootproof.agent.playbook.quiet_report import write_abstention, write_healthy
from rootproof.agent.playbook.reasoning import judge
from rootproof.agent.playbook.signals import SignalSet
from rootproof.agent.playbook.surroundings import surroundings
from rootproof.agent.playbook.wording import said
from rootproof.domain.plan import Intent
from rootproof.domain.step import Agent
from rootproof.ports.model import FinishReason, ModelReply, ModelRequest, ToolCall

_FAILED = frozenset({"TIMEOUT", "TOOL_ERROR", "DENIED", "PROJECTION_ERROR", "BUDGET_EXCEEDED"})


class PlaybookModel:
    """A deterministic model: the same request always gives the same reply."""

    name = "playbook"

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:  # noqa: ARG002 - no waiting here
        """Return the next turn: tool calls only."""
        briefing = request.briefing
        if not isinstance(briefing, Briefing):
            raise TypeError(f"the playbook model needs a Briefing, not {type(briefing).__name__}")
        match request.agent:
            case Agent.PLANNER:
                return _reply(request, [("submit_plan", plan(briefing))])
            case Agent.VERIFIER:
                return _reply(request, [("submit_verdicts", {"lower": []})])
            case _:
                return _reply(request, _execute(request, briefing))


def _execute(request: ModelRequest, briefing: Briefing) -> list[tuple[str, dict[str, Any]]]:
    seen = observe(request.messages)
    signals = interpret(seen, briefing.now)
    tools = frozenset(tool.name for tool in request.tools)
    calls = next_calls(briefing, seen, signals, tools)
    return list(calls) or [("submit_report", report(briefing, seen, signals))]


def report(briefing: Briefing, seen: Observations, signals: SignalSet) -> dict[str, Any]:
    """The arguments of `submit_report`: the report that the evidence allows."""
    draft = DraftBuilder()
    if briefing.plan is not None and briefing.plan.intent is Intent.KNOWLEDGE:
        write_answer(draft, briefing, seen)
        return draft.answer()
    if is_lookup(briefing.question) and not briefing.alerts:
        scanned = max((call.number("scanned") for call in seen.named("query_logs")), default=0)
        write_lookup(draft, seen.logs, scanned)
        return draft.answer()
    about = focus(briefing, seen)
    around = surroundings(seen, seen.latest() or briefing.now)
    judgement = judge(signals, about, around)
    found = health(signals, about, judgement, briefing)
    if judgement.causes:
        write_causes(draft, judgement, signals, found, about, around)
        _add_complaint(draft, briefing)
    elif found.healthy:
        write_healthy(draft, found, about, briefing, around)
    else:
        write_abstention(draft, judgement, found)
    _add_failures(draft, seen)
    cite_guidance(draft, seen)
    return draft.answer()


def _add_complaint(draft: DraftBuilder, briefing: Briefing) -> None:
    """The alert's own words at the end: what the cause explains. Reported words prove nothing."""
    for alert in briefing.alerts[:1]:
        told = " ".join((alert.summary or alert.description or "").split())
        if told:
            draft.summary += f" This answers the alert {said(told, 150)}."


def _add_failures(draft: DraftBuilder, seen: Observations) -> None:
    """Which sources could not be read: their silence is no finding."""
    failed = {call.name for call in seen.calls if call.status in _FAILED}
    answered = {call.name for call in seen.calls if call.status in ("OK", "NO_EVIDENCE")}
    silent = sorted(failed - answered)
    if silent:
        draft.summary += f" Could not be read: {', '.join(silent)}."


def _reply(request: ModelRequest, calls: list[tuple[str, dict[str, Any]]]) -> ModelReply:
    turn = sum(1 for message in request.messages if hasattr(message, "tool_calls"))
    return ModelReply(
        tool_calls=tuple(
            ToolCall(f"pb-{turn}-{index}", name, json.dumps(arguments, ensure_ascii=False, sort_keys=True))
            for index, (name, arguments) in enumerate(calls)
        ),
        finish_reason=FinishReason.TOOL_CALLS,
        model="playbook",
    )
