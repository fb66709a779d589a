"""An agent's earlier turns as messages, rebuilt from the state: what it said, and what it was told."""

from __future__ import annotations

from collections.abc import Iterator

from rootproof.agent.state import RunState, Turn
from rootproof.domain.step import Agent
from rootproof.ports.model import AssistantMessage, Message, ToolMessage, UserMessage

_NOT_RUN = '{"status":"DENIED","message":"not run: the turn had a problem, told below"}'


def conversation(state: RunState, agent: Agent) -> list[Message]:
    """The turns of `agent` and their answers, in order; results of a turn keep the order of its calls."""
    return [message for turn in state.turns_of(agent) for message in _exchange(state, turn)]


def _exchange(state: RunState, turn: Turn) -> Iterator[Message]:
    if not turn.text.strip() and not turn.tool_calls:
        yield AssistantMessage("(no content)")
    else:
        yield AssistantMessage(turn.text, turn.tool_calls)
    for index, call in enumerate(turn.tool_calls):
        key = (turn.step_no, index)
        if key in state.invocations:
            yield ToolMessage(call.tool_call_id, call.name, state.invocations[key].result)
        elif key in state.skill_reads:
            yield ToolMessage(call.tool_call_id, call.name, state.skill_reads[key].text)
        elif turn.problem:
            yield ToolMessage(call.tool_call_id, call.name, _NOT_RUN)
        else:
            yield ToolMessage(call.tool_call_id, call.name, '{"status":"CANCELLED","message":"not run"}')
    if turn.problem:
        yield UserMessage(f"Your last reply could not be used: {turn.problem}")
