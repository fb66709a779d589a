"""An agent's earlier turns as messages, rebuilt from the state: what it said, and what it was told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from rootproof.agent.state import RunState, Turn
from rootproof.domain.invocation import Invocation
from rootproof.domain.step import Agent
from rootproof.ports.model import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

_NOT_RUN = '{"status":"DENIED","message":"not run: the turn had a problem, told below"}'
_CANCELLED = '{"status":"CANCELLED","message":"not run"}'
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORT_CHARS = 400


def conversation(state: RunState, agent: Agent) -> list[Message]:
    """The turns of `agent` and their answers, in order; results of a turn keep the order of its calls."""
    used: set[str] = set()
    return [message for turn in state.turns_of(agent) for message in _exchange(state, _named(turn, used))]


def _named(turn: Turn, used: set[str]) -> Turn:
    """The turn with ids and names that every provider takes: some servers repeat `call_0`, some send none."""
    calls = []
    for index, call in enumerate(turn.tool_calls):
        name = call.tool_call_id
        if name in used or not _PLAIN_ID.fullmatch(name):
            name = f"call-{turn.step_no}-{index}"
            while name in used:
                name += "x"
        used.add(name)
        tool = call.name if _PLAIN_NAME.fullmatch(call.name) else "unknown_tool"
        calls.append(ToolCall(name, tool, call.arguments))
    return replace(turn, tool_calls=tuple(calls))


def _exchange(state: RunState, turn: Turn) -> Iterator[Message]:
    if not turn.text.strip() and not turn.tool_calls:
        yield AssistantMessage("(no content)")
    else:
        yield AssistantMessage(turn.text, turn.tool_calls)
    for index, call in enumerate(turn.tool_calls):
        yield ToolMessage(call.tool_call_id, call.name, _result(state, turn, index))
    if turn.problem:
        yield UserMessage(f"Your last reply could not be used: {turn.problem}")
    if turn.dropped:
        yield UserMessage(
            f"Only the first {len(turn.tool_calls)} calls of a turn are run; {turn.dropped} more were left out."
        )


def _result(state: RunState, turn: Turn, index: int) -> str:
    key = (turn.step_no, index)
    if key in state.invocations:
        call = state.invocations[key]
        return _short(call) if turn.step_no < state.shortened_before else call.result
    if key in state.skill_reads:
        return state.skill_reads[key].text
    return _NOT_RUN if turn.problem else _CANCELLED


def _short(call: Invocation) -> str:
    """A result that was shown before, in short: its evidence can still be cited."""
    if len(call.result) <= _SHORT_CHARS:
        return call.result
    note = "shortened to fit the model's window; its evidence ids can still be cited, or ask again, more narrowly"
    summary = call.summary if len(call.summary) <= _SHORT_CHARS else call.summary[:_SHORT_CHARS] + "…"
    return json.dumps({"status": call.status.value, "note": note, "facts": summary}, ensure_ascii=False)
