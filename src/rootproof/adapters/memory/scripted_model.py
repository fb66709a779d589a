"""A model that plays a script: the in-memory twin of a provider, for tests and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rootproof.domain.step import Agent
from rootproof.errors import ModelError
from rootproof.ports.model import AssistantMessage, FinishReason, ModelReply, ModelRequest, ToolCall

Reply = ModelReply | ModelError | Callable[[ModelRequest], ModelReply]


class ScriptedModel:
    """Gives the reply that the script of the agent that asks has for this point of the conversation.

    The point is the number of turns the request shows, so the same request has the same reply, as often as it is made.
    Keeps every request it was sent. Raises: ModelError where a script ends, or where it holds one.
    """

    def __init__(self, script: Mapping[Agent, Iterable[Reply]], *, name: str = "scripted:test") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._script = {agent: list(replies) for agent, replies in script.items()}

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:  # noqa: ARG002 - answers at once
        """See ports.model.Model."""
        self.requests.append(request)
        replies = self._script.get(request.agent, [])
        point = sum(isinstance(message, AssistantMessage) for message in request.messages)
        if point >= len(replies):
            raise ModelError(f"the script of {request.agent} ends after {len(replies)} turns")
        match replies[point]:
            case ModelError() as error:
                raise error
            case ModelReply() as reply:
                return reply
            case make:
                return make(request)


def calls(*wanted: tuple[str, Mapping[str, Any] | str], prefix: str = "call") -> ModelReply:
    """A turn with these tool calls, (name, arguments) each, with ids `call_0`, `call_1`, ... as some servers give."""
    made = tuple(
        ToolCall(f"{prefix}_{number}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for number, (name, arguments) in enumerate(wanted)
    )
    return ModelReply(tool_calls=made, finish_reason=FinishReason.TOOL_CALLS, input_tokens=100, output_tokens=20)
