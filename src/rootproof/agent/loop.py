"""The loop: pure. `decide` says what to do next from the state alone; `replies` turns what came back into a step.

Planner, executor and verifier go through the same path. Every way to go wrong has its bound here, and a run that
reaches one still ends with a report of what there is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rootproof.aci.summary import tool_trace_summary
from rootproof.aci.toolset import READ_SKILL, tool_specs
from rootproof.agent.answers import SUBMIT_PLAN, SUBMIT_REPORT, SUBMIT_VERDICTS, answer_spec
from rootproof.agent.commands import AskModel, Brief, Command, Finish, GiveUpModel, ReadSkill, RunTools
from rootproof.agent.conversation import conversation
from rootproof.agent.prompts import system_prompt
from rootproof.agent.render import render_briefing
from rootproof.agent.state import RunState, Turn
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import Agent
from rootproof.ports.model import Message, ModelRequest, ToolCall, ToolSpec, UserMessage

PLAYBOOK = "playbook"
_ANSWERS = {Agent.PLANNER: SUBMIT_PLAN, Agent.EXECUTOR: SUBMIT_REPORT, Agent.VERIFIER: SUBMIT_VERDICTS}
_VERIFIER_TRIES = 2


def reasoner_of(state: RunState) -> str:
    """The model that goes on: the run's own, or the playbook reasoner once that was given up."""
    return PLAYBOOK if state.given_up else state.run.reasoner


def decide(state: RunState, limits: RunLimits, elapsed_s: float) -> Command | None:
    """The next command, or None when the run has ended."""
    if state.end is not None:
        return None
    if state.briefing is None:
        return Brief()
    if state.plan is None:
        return _ask_or_give_up(state, Agent.PLANNER, limits)
    if state.draft is None:
        spent = _spent(state, limits, elapsed_s)
        pending = None if spent else _pending(state, limits)
        return pending or _ask_or_give_up(state, Agent.EXECUTOR, limits, spent)
    if not state.verdicts_in and len(state.turns_of(Agent.VERIFIER)) < _VERIFIER_TRIES:
        return _ask(state, Agent.VERIFIER, limits)
    return _finish(state, limits, elapsed_s)


def _finish(state: RunState, limits: RunLimits, elapsed_s: float) -> Finish:
    if state.given_up:
        return Finish(RunStatus.COMPLETED, StatusReason.MODEL_FAILED, state.given_up)
    spent = _spent(state, limits, elapsed_s)
    if spent:
        return Finish(RunStatus.COMPLETED, StatusReason.BUDGET_SPENT, spent)
    return Finish(RunStatus.COMPLETED, StatusReason.REPORTED)


def _pending(state: RunState, limits: RunLimits) -> Command | None:
    """What the executor's last turn asked for and has no answer to yet: skills first, then all tools at once."""
    turns = state.turns_of(Agent.EXECUTOR)
    if not turns or turns[-1].problem:
        return None
    turn = turns[-1]
    waiting: list[tuple[int, ToolCall]] = []
    for index, call in enumerate(turn.tool_calls):
        key = (turn.step_no, index)
        if call.name == READ_SKILL:
            if key not in state.skill_reads:
                return ReadSkill(turn.step_no, index, call)
        elif key not in state.invocations:
            waiting.append((index, call))
    left = _most_calls(state, limits) - state.usage.tool_calls
    return RunTools(turn.step_no, tuple(waiting[:left])) if waiting else None


def _ask_or_give_up(state: RunState, agent: Agent, limits: RunLimits, spent: str | None = None) -> Command:
    """Ask, unless this agent's last turns all led nowhere: then the model is given up."""
    turns = state.turns_of(agent)
    if not state.given_up:
        last = turns[-limits.max_invalid_calls :]
        reasons = [_led_nowhere(state, turn, limits) for turn in last]
        if len(last) == limits.max_invalid_calls and all(reasons):
            return GiveUpModel(f"{len(last)} turns in a row led nowhere: {reasons[-1]}")
        if spent and turns and turns[-1].problem:
            return GiveUpModel(f"{spent}, and the last reply was no report")
    return _ask(state, agent, limits, spent)


def _led_nowhere(state: RunState, turn: Turn, limits: RunLimits) -> str | None:
    """Why a turn brought nothing: it could not be used, or nothing that it called could be called.

    What a source denies is an answer, not the model's fault.
    """
    if turn.problem:
        return turn.problem
    asked = Counter(call.request_key for call in state.invocations.values())
    reason: str | None = None
    for index in range(len(turn.tool_calls)):
        key = (turn.step_no, index)
        read, call = state.skill_reads.get(key), state.invocations.get(key)
        if read is not None and (read.repeated or not read.name):
            reason = read.text
        elif call is not None and call.status is InvocationStatus.DENIED and _ours(call, asked, limits):
            reason = call.error
        else:
            return None
    return reason


def _ours(call: Invocation, asked: Counter[str], limits: RunLimits) -> bool:
    """Whether it was us who refused the call: bad arguments, an unknown tool, one repeat too many."""
    return "invalid" in call.request or asked[call.request_key] > limits.max_identical_calls


def _most_calls(state: RunState, limits: RunLimits) -> int:
    if state.taken_over_at is None:
        return limits.max_tool_calls
    return max(limits.max_tool_calls, state.used_before.tool_calls + limits.fallback_calls)


def _spent(state: RunState, limits: RunLimits, elapsed_s: float) -> str | None:
    """Why the investigation must stop now, or None. The playbook reasoner is only held to calls, bytes and time."""
    usage = state.usage
    if elapsed_s >= limits.max_run_s:
        return f"the run has used its {limits.max_run_s:g} seconds"
    if usage.tool_calls >= _most_calls(state, limits):
        return f"the run has used its {usage.tool_calls} tool calls"
    if usage.agent_visible_bytes - state.used_before.agent_visible_bytes >= limits.max_agent_visible_bytes:
        return f"the run has shown its {limits.max_agent_visible_bytes} bytes to the model"
    if reasoner_of(state) == PLAYBOOK:
        return None
    if elapsed_s >= limits.investigate_until_s:
        return f"the run has used {limits.investigate_until_s:g} of its {limits.max_run_s:g} seconds"
    if usage.model_requests >= limits.max_model_requests - 1:
        return f"the run has used its {limits.max_model_requests} model requests"
    if usage.input_tokens + usage.output_tokens >= limits.max_tokens:
        return f"the run has used its {limits.max_tokens} tokens"
    return None


def _ask(state: RunState, agent: Agent, limits: RunLimits, spent: str | None = None) -> AskModel:
    assert state.briefing is not None  # noqa: S101 - `decide` asks only after the briefing
    note = f"Stop here: {spent}. Give the report now from the evidence you have." if spent else ""
    briefing = state.briefing
    if agent is not Agent.PLANNER:
        briefing = replace(briefing, plan=state.plan, limits_note=note)
    if agent is Agent.VERIFIER:
        briefing = replace(briefing, draft=state.draft, tool_trace_summary=summary_of(state, limits))
    messages: list[Message] = [
        render_briefing(agent, briefing, state.checked),
        *conversation(state, agent),
    ]
    if note:
        messages.append(UserMessage(note))
    request = ModelRequest(
        agent=agent,
        system=system_prompt(agent),
        messages=messages,
        tools=_tools(state, agent, final=bool(spent)),
        briefing=briefing,
        require_tool=True,
    )
    return AskModel(agent, request, _ANSWERS[agent])


def summary_of(state: RunState, limits: RunLimits) -> str:
    """`tool_trace_summary` of the run."""
    return tool_trace_summary(state.invocations.values(), limits)


def _tools(state: RunState, agent: Agent, *, final: bool) -> tuple[ToolSpec, ...]:
    answer = answer_spec(_ANSWERS[agent])
    if agent is not Agent.EXECUTOR or final or state.briefing is None:
        return (answer,)
    return (*tool_specs(state.briefing.tools, with_skills=bool(state.briefing.skills)), answer)


def shortened(state: RunState, command: AskModel, limits: RunLimits) -> AskModel | None:
    """The same request with the results of earlier turns in short, then with all of them; None when they are."""
    turns = state.turns_of(command.agent)
    if not turns:
        return None
    last, done = turns[-1].step_no, max(state.shortened_before, command.shortened_before)
    before = last if len(turns) > 1 and done < last else last + 1
    if before <= done:
        return None
    note = command.request.briefing.limits_note
    again = _ask(replace(state, shortened_before=before), command.agent, limits)
    messages = [*again.request.messages, *([UserMessage(note)] if note else [])]
    return replace(command, request=replace(command.request, messages=messages), shortened_before=before)
