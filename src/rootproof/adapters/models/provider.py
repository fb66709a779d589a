"""A provider's model: our request to its messages, its answer to our reply, its errors to two kinds of ours.

Retries are not made here: `diagnosis.ask_model` makes them, and only where nothing was received.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic_ai import direct, exceptions, messages, models, settings, tools

from rootproof.adapters.models.fence import fenced
from rootproof.errors import ContextOverflow, ModelError, UsageError
from rootproof.ports.model import (
    AssistantMessage,
    FinishReason,
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolMessage,
    UserMessage,
)

if TYPE_CHECKING:
    from pydantic_ai.models import Model as ProviderClient

_KEY_NAMES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_ERROR_CHARS = 400
_RETRYABLE = (
    exceptions.ModelRateLimitError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
)
_RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FINISH = {
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
    "tool_call": FinishReason.TOOL_CALLS,
}


class ProviderModel:
    """`openai:<model>` or `anthropic:<model>`, at the provider's own address or any compatible one."""

    def __init__(self, spec: str, *, base_url: str | None = None, api_key_env: str | None = None) -> None:
        """Raises: UsageError when the key's environment variable is not set."""
        self.name = spec
        provider, _, model = spec.partition(":")
        key_name = api_key_env or _KEY_NAMES[provider]
        key = os.environ.get(key_name)
        if not key and not base_url:
            raise UsageError(f"model {spec!r} needs a key: set {key_name}, or use --model playbook, which needs none")
        self._key = key or "none"
        self._client = _client(provider, model, base_url, self._key)

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        """See ports.model.Model."""
        try:
            response = await direct.model_request(
                self._client,
                _history(request),
                model_settings=_settings(request, deadline_s),
                model_request_parameters=models.ModelRequestParameters(
                    function_tools=[
                        tools.ToolDefinition(
                            name=spec.name, description=spec.description, parameters_json_schema=dict(spec.parameters)
                        )
                        for spec in request.tools
                    ],
                    allow_text_output=True,
                ),
            )
            return _reply(response)
        except exceptions.ModelContextWindowExceededError as error:
            why = f"{self.name}: the request is larger than the model's window ({self._words(error)})"
            raise ContextOverflow(why) from error
        except exceptions.ModelAPIError as error:
            raise self._failed(error) from error
        except Exception as error:
            raise ModelError(f"{self.name} sent an answer that cannot be read: {self._words(error)}") from error

    def _words(self, error: BaseException) -> str:
        """The provider's own words, on one line and bounded; a provider may repeat the key it was sent, we do not."""
        said = " ".join(str(error).split()).replace(self._key, "<the key>")
        return said[:_ERROR_CHARS] or type(error).__name__

    def _failed(self, error: exceptions.ModelAPIError) -> ModelError:
        status = getattr(error, "status_code", None)
        retryable = not error.in_stream and (isinstance(error, _RETRYABLE) or status in _RETRYABLE_STATUS)
        if isinstance(error, exceptions.ModelQuotaExceededError):
            retryable = False
        return ModelError(f"{self.name}: {self._words(error)}", retryable=retryable, retry_after_s=error.retry_after)


def _client(provider: str, model: str, base_url: str | None, key: str) -> ProviderClient:
    """The provider's client, without retries of its own."""
    if provider == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0)
        return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=anthropic))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    openai = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=openai))


def _settings(request: ModelRequest, deadline_s: float) -> settings.ModelSettings:
    chosen = settings.ModelSettings(max_tokens=request.max_output_tokens, timeout=deadline_s)
    if request.require_tool:
        chosen["tool_choice"] = "required"
    return chosen


def _history(request: ModelRequest) -> list[messages.ModelMessage]:
    """Our messages as the provider's turns: consecutive ones from our side go into one request."""
    history: list[messages.ModelMessage] = []
    parts: list[Any] = [messages.SystemPromptPart(request.system)]
    for message in request.messages:
        if isinstance(message, AssistantMessage):
            history += [messages.ModelRequest(parts), _said(message)]
            parts = []
        else:
            parts.append(_told(message))
    return [*history, messages.ModelRequest(parts)] if parts else history


def _told(message: Message) -> Any:
    match message:
        case UserMessage(text):
            return messages.UserPromptPart(_safe(text))
        case ToolMessage(call_id, name, content):
            return messages.ToolReturnPart(name, fenced(name, _safe(content)), call_id)
        case _:
            raise TypeError(f"{type(message).__name__} is not from our side")


def _said(message: AssistantMessage) -> messages.ModelResponse:
    parts: list[Any] = [messages.TextPart(_safe(message.text))] if message.text else []
    parts += [messages.ToolCallPart(c.name, _safe(c.arguments), c.tool_call_id) for c in message.tool_calls]
    return messages.ModelResponse(parts)


def _reply(response: messages.ModelResponse) -> ModelReply:
    usage = response.usage
    return ModelReply(
        text="".join(part.content for part in _of(response, messages.TextPart)),
        tool_calls=tuple(
            ToolCall(part.tool_call_id, part.tool_name, part.args_as_json_str())
            for part in _of(response, messages.ToolCallPart)
        ),
        finish_reason=_FINISH.get(response.finish_reason or "", FinishReason.STOP),
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        model=response.model_name or "",
    )


def _of(response: messages.ModelResponse, kind: Any) -> Iterable[Any]:
    return (part for part in response.parts if isinstance(part, kind))


def _safe(text: str) -> str:
    """Text that encodes to UTF-8 whatever it holds."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
