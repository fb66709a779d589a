"""The loop: pure. `decide` says what to do next from the state alone; `read_reply` turns a model's reply into a step.

Planner, executor and verifier go through the same path. Every way to go wrong has its bound here, and a run that
reaches one still ends with a report of what there is.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

from rootproof.aci.summary import tool_trace_summary
from rootproof.aci.toolset import READ_SKILL, tool_specs
from rootproof.agent.answers import SUBMIT_PLAN, SUBMIT_REPORT, SUBMIT_VERDICTS, answer_spec, parse_answer
from rootproof.agent.commands import AskModel, Brief, Command, Finish, GiveUpModel, ReadSkill, RunTool
from rootproof.agent.conversation import conversation
from rootproof.agent.prompts import system_prompt
from rootproof.agent.render import render_briefing
from rootproof.agent.state import RunState
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.model import FinishReason, Message, ModelReply, ModelRequest, ToolSpec, UserMessage

PLAYBOOK = "playbook"
_ANSWERS = {Agent.PLANNER: SUBMIT_PLAN, Agent.EXECUTOR: SUBMIT_REPORT, Agent.VERIFIER: SUBMIT_VERDICTS}
_ANSWER_KINDS = {Agent.PLANNER: StepKind.PLAN, Agent.EXECUTOR: StepKind.DRAFT, Agent.VERIFIER: StepKind.VERDICTS}
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
        pending = None if spent else _pending(state)
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


def _pending(state: RunState) -> Command | None:
    """The first call of the executor's last turn that has no answer yet."""
    turns = state.turns_of(Agent.EXECUTOR)
    if not turns or turns[-1].problem:
        return None
    turn = turns[-1]
    for index, call in enumerate(turn.tool_calls):
        key = (turn.step_no, index)
        if call.name == READ_SKILL:
            if key not in state.skill_reads:
                return ReadSkill(turn.step_no, index, call)
        elif key not in state.invocations:
            return RunTool(turn.step_no, index, call)
    return None


def _ask_or_give_up(state: RunState, agent: Agent, limits: RunLimits, spent: str | None = None) -> Command:
    """Ask, unless this agent's last turns were all unusable: then the model is given up."""
    turns = state.turns_of(agent)
    if not state.given_up:
        bad = turns[-limits.max_invalid_calls :]
        if len(bad) == limits.max_invalid_calls and all(turn.problem for turn in bad):
            return GiveUpModel(f"{limits.max_invalid_calls} replies in a row could not be used: {bad[-1].problem}")
        if _refused_too_often(state, limits):
            return GiveUpModel(f"{limits.max_invalid_calls} calls in a row were refused: {_last_refusal(state)}")
        if spent and any(turn.problem and turn.step_no == turns[-1].step_no for turn in turns):
            return GiveUpModel(f"{spent}, and the last reply was no report")
    return _ask(state, agent, limits, spent)


def _refused_too_often(state: RunState, limits: RunLimits) -> bool:
    """Whether the last calls were all refused before any source was asked (bad arguments, unknown tools, repeats).

    What a source denies is an answer, not the model's fault.
    """
    calls = list(state.invocations.values())
    asked = Counter(call.request_key for call in calls)
    recent = calls[-limits.max_invalid_calls - 1 :]
    return len(recent) > limits.max_invalid_calls and all(
        call.status == "DENIED" and ("invalid" in call.request or asked[call.request_key] > limits.max_identical_calls)
        for call in recent
    )


def _last_refusal(state: RunState) -> str:
    return list(state.invocations.values())[-1].error


def _spent(state: RunState, limits: RunLimits, elapsed_s: float) -> str | None:
    """Why the investigation must stop now, or None. The playbook reasoner is only held to tool calls and time."""
    usage = state.usage
    if elapsed_s >= limits.max_run_s:
        return f"the run has used its {limits.max_run_s:g} seconds"
    if usage.tool_calls >= limits.max_tool_calls:
        return f"the run has used its {limits.max_tool_calls} tool calls"
    if usage.agent_visible_bytes >= limits.max_agent_visible_bytes:
        return f"the run has shown its {limits.max_agent_visible_bytes} bytes to the model"
    if reasoner_of(state) == PLAYBOOK:
        return None
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
        UserMessage(render_briefing(agent, briefing, state.checked)),
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


def read_reply(state: RunState, command: AskModel, reply: ModelReply, duration_ms: int) -> Step:
    """The step that stores this reply: an answer that parses, tool calls to run, or a problem to tell the model."""
    output: dict[str, Any] = {
        "text": reply.text,
        "toolCalls": [{"id": c.tool_call_id, "name": c.name, "arguments": c.arguments} for c in reply.tool_calls],
        "finishReason": reply.finish_reason.value,
        "model": reply.model,
    }
    kind = StepKind.TURN
    answers = [call for call in reply.tool_calls if call.name == command.answer]
    if answers:
        try:
            output["answer"] = parse_answer(command.answer, answers[0].arguments)
            kind = _ANSWER_KINDS[command.agent]
        except ValueError as error:
            output["problem"] = f"{error}. Call {command.answer} again with this mended."
    elif not reply.tool_calls:
        output["problem"] = _no_call(reply, command.answer)
    elif command.agent is not Agent.EXECUTOR or len(command.request.tools) == 1:
        output["problem"] = f"only {command.answer} can be called here"
    return Step(
        step_no=state.next_step_no,
        agent=command.agent,
        kind=kind,
        output=output,
        input_hash=request_hash(command.request),
        input_summary=f"{len(command.request.messages)} messages, {len(command.request.tools)} tools",
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        duration_ms=duration_ms,
    )


def _no_call(reply: ModelReply, answer: str) -> str:
    match reply.finish_reason:
        case FinishReason.LENGTH:
            return f"the reply was cut off at the output limit before any tool call; call {answer}, shorter"
        case FinishReason.REFUSAL:
            return "the model refused to answer"
        case _:
            said = "an empty reply" if not reply.text.strip() else "text without a tool call"
            return f"{said} is no answer; call a tool, or {answer} to end"


def request_hash(request: ModelRequest) -> str:
    """SHA-256 of what was sent, so that runs can be compared without storing prompts."""
    digest = hashlib.sha256()
    for part in (request.system, *(repr(message) for message in request.messages), *(t.name for t in request.tools)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
