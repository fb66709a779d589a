"""What a model's reply means: an answer that parses, calls to run, or a problem to tell it. Pure.

Nothing about a reply is trusted: its texts are cut to what may be stored, its numbers to what a row can hold.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rootproof.agent.answers import parse_answer
from rootproof.agent.commands import AskModel
from rootproof.agent.state import RunState
from rootproof.domain.limits import RunLimits
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.model import FinishReason, ModelReply, ModelRequest, ToolCall

_ANSWER_KINDS = {Agent.PLANNER: StepKind.PLAN, Agent.EXECUTOR: StepKind.DRAFT, Agent.VERIFIER: StepKind.VERDICTS}
_TEXT_CHARS = 20_000
_ARGUMENT_CHARS = 100_000
_NAME_CHARS = 120
_MOST_TOKENS = 10_000_000


def read_reply(state: RunState, command: AskModel, reply: ModelReply, limits: RunLimits, duration_ms: int) -> Step:
    """The step that stores this reply."""
    calls = [_storable_call(call) for call in reply.tool_calls[: limits.max_calls_per_turn]]
    output: dict[str, Any] = {
        "text": _storable(reply.text, _TEXT_CHARS),
        "toolCalls": [{"id": c.tool_call_id, "name": c.name, "arguments": c.arguments} for c in calls],
        "finishReason": reply.finish_reason.value,
        "model": _storable(reply.model, _NAME_CHARS),
    }
    if reply.broke_off:
        output["brokeOff"] = _storable(reply.broke_off, _TEXT_CHARS)
    if len(reply.tool_calls) > len(calls):
        output["droppedCalls"] = len(reply.tool_calls) - len(calls)
    if command.shortened_before:
        output["shortenedBefore"] = command.shortened_before
    kind = StepKind.TURN
    problem = _unusable(command, reply)
    answers = [call for call in reply.tool_calls if call.name == command.answer]
    if problem is None and answers:
        try:
            output["answer"] = parse_answer(command.answer, _encodable(answers[0].arguments))
            kind = _ANSWER_KINDS[command.agent]
        except ValueError as error:
            problem = f"{error}. Call {command.answer} again with this mended."
    if problem is not None:
        output["problem"] = problem
    return Step(
        step_no=state.next_step_no,
        agent=command.agent,
        kind=kind,
        output=output,
        input_hash=request_hash(command.request),
        input_summary=f"{len(command.request.messages)} messages, {len(command.request.tools)} tools",
        input_tokens=_tokens(reply.input_tokens),
        output_tokens=_tokens(reply.output_tokens),
        duration_ms=duration_ms,
    )


def _unusable(command: AskModel, reply: ModelReply) -> str | None:
    """Why nothing of the reply can be used, in our own words."""
    answer = command.answer
    if reply.finish_reason is FinishReason.BROKEN_OFF:
        return f"it broke off before its end, so nothing of it was used; call a tool, or {answer} to end"
    long = [call for call in reply.tool_calls if len(call.arguments) > _ARGUMENT_CHARS]
    if long:
        return f"the arguments of a call have {len(long[0].arguments)} characters; at most {_ARGUMENT_CHARS} are read"
    if reply.finish_reason is FinishReason.LENGTH and not all(_whole(call) for call in reply.tool_calls):
        return f"it was cut off at the output limit inside a tool call; call {answer} or the tool again, shorter"
    if not reply.tool_calls:
        return _no_call(reply, answer)
    if any(call.name == answer for call in reply.tool_calls):
        return None
    if command.agent is not Agent.EXECUTOR or len(command.request.tools) == 1:
        return f"only {answer} can be called here"
    return None


def _no_call(reply: ModelReply, answer: str) -> str:
    match reply.finish_reason:
        case FinishReason.LENGTH:
            return f"the reply was cut off at the output limit before any tool call; call {answer}, shorter"
        case FinishReason.REFUSAL:
            return "the model refused to answer"
        case _:
            said = "an empty reply" if not reply.text.strip() else "text without a tool call"
            return f"{said} is no answer; call a tool, or {answer} to end"


def _whole(call: ToolCall) -> bool:
    try:
        json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return False
    return True


def _storable_call(call: ToolCall) -> ToolCall:
    return ToolCall(
        _storable(call.tool_call_id, _NAME_CHARS),
        _storable(call.name, _NAME_CHARS),
        _storable(call.arguments, _ARGUMENT_CHARS),
    )


def _storable(text: str, limit: int) -> str:
    """`text` as a row can hold it. What is too long is cut between words: half a secret is not recognised as one."""
    if len(text) > limit:
        kept = text[:limit].rpartition(" ")[0]
        text = f"{kept} … [{len(text) - len(kept)} more characters]"
    return _encodable(text)


def _encodable(text: str) -> str:
    """`text` with lone surrogates as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _tokens(count: object) -> int:
    """A provider's count, as a row can hold it; what is no count is none."""
    return min(max(count, 0), _MOST_TOKENS) if isinstance(count, int) else 0


def request_hash(request: ModelRequest) -> str:
    """SHA-256 of what was sent, so that runs can be compared without storing prompts."""
    digest = hashlib.sha256()
    for part in (request.system, *(repr(message) for message in request.messages), *(t.name for t in request.tools)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
