"""The model: one turn for a planner, an executor or a verifier, from the request alone. No state, no clock, no I/O."""

from __future__ import annotations

import json
from typing import Any

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.alert_match import answered
from rootproof.agent.playbook.asked import write_asked
from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.costly_statement import write_costliest
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.focus import focus
from rootproof.agent.playbook.health import Health, health
from rootproof.agent.playbook.incident_report import write_causes
from rootproof.agent.playbook.interpret import interpret, revived
from rootproof.agent.playbook.investigate import next_calls
from rootproof.agent.playbook.knowledge_answer import cite_guidance, write_answer
from rootproof.agent.playbook.lookup_report import is_lookup, write_lookup
from rootproof.agent.playbook.observations import Observations, observe
from rootproof.agent.playbook.past_cases import tell_past_cases
from rootproof.agent.playbook.past_report import asked_about, span_words
from rootproof.agent.playbook.planner import plan
from rootproof.agent.playbook.quiet_logs import quiet_logs
from rootproof.agent.playbook.quiet_report import write_abstention, write_healthy
from rootproof.agent.playbook.reasoning import Judgement, judge
from rootproof.agent.playbook.signals import SignalSet
from rootproof.agent.playbook.surroundings import surroundings
from rootproof.domain.plan import Intent
from rootproof.domain.step import Agent
from rootproof.ports.model import FinishReason, ModelReply, ModelRequest, ToolCall

_FAILED = frozenset({"TIMEOUT", "TOOL_ERROR", "DENIED", "PROJECTION_ERROR", "BUDGET_EXCEEDED"})


class PlaybookModel:
    """A deterministic model: the same request always gives the same reply."""

    name = "playbook"

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

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
                return _reply(request, _execute(request, briefing, self._catalogue))


def _execute(request: ModelRequest, briefing: Briefing, catalogue: Catalogue) -> list[tuple[str, dict[str, Any]]]:
    seen = observe(request.messages)
    signals = interpret(seen, briefing.now, catalogue.watches)
    tools = frozenset(tool.name for tool in request.tools)
    calls = next_calls(briefing, seen, signals, tools, catalogue)
    return list(calls) or [("submit_report", report(briefing, seen, signals, catalogue))]


def report(briefing: Briefing, seen: Observations, signals: SignalSet, catalogue: Catalogue) -> dict[str, Any]:
    """The arguments of `submit_report`: the report that the evidence allows."""
    draft = DraftBuilder()
    if briefing.plan is not None and briefing.plan.intent is Intent.KNOWLEDGE:
        write_answer(draft, briefing, seen)
        return draft.answer()
    if is_lookup(briefing.question) and not briefing.alerts:
        write_lookup(draft, seen)
        _add_failures(draft, seen)
        write_asked(draft, briefing.question, seen)
        return draft.answer()
    about = focus(briefing, seen)
    around = surroundings(seen, seen.latest() or briefing.now)
    judgement = judge(signals, about, catalogue, around)
    quiet = quiet_logs(seen)
    found = health(signals, about, judgement, briefing, quiet)
    earlier = Judgement()
    if _asks_for_the_past(briefing, judgement, found):
        earlier = judge(revived(signals), about, catalogue, around)
    if judgement.causes or earlier.causes:
        told = judgement if judgement.causes else earlier
        write_causes(draft, told, signals if judgement.causes else revived(signals), found, about, around)
        if earlier.causes:
            over = [s for cause in earlier.causes[:1] for s in cause.matched]
            draft.summary = f"It is over. {draft.summary} {span_words(over, around.now)}".strip()
        draft.summary = f"{draft.summary} {answered(briefing, told, about, around)}".strip()
    elif found.healthy:
        write_healthy(draft, found, about, briefing, around, quiet)
    else:
        write_abstention(draft, judgement, found, around, seen, quiet)
    if not draft.healthy:
        write_costliest(draft, seen)
    _add_failures(draft, seen)
    write_asked(draft, briefing.question, seen)
    cite_guidance(draft, seen)
    tell_past_cases(draft, seen, earlier if earlier.causes and not judgement.causes else judgement, catalogue)
    return draft.answer()


def _asks_for_the_past(briefing: Briefing, judgement: Judgement, found: Health) -> bool:
    """Whether nothing is wrong now, and trouble that is over is what was asked about."""
    past = [s for s in found.past if "item" in s.values]
    if judgement.causes or found.abnormal or found.healthy or not past:
        return False
    return asked_about(briefing, past)


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
