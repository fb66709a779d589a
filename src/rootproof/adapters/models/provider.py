"""A provider's model: our request to its messages, its stream to our reply, its errors to two kinds of ours.

Retries are not made here: `diagnosis.ask_model` makes them, and only where nothing was received. What fails after a
part of the reply had come is no error but a reply that broke off: it was paid for, and the loop tells the model.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai import direct, exceptions, messages, models, settings, tools

from rootproof.adapters.models.fence import fenced, fenced_result
from rootproof.adapters.models.wire import PLAIN, bounded, bounded_events
from rootproof.domain.cutting import within
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
    from pydantic_ai.models import StreamedResponse

_KEY_NAMES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_NO_KEY = "none"
_ERROR_CHARS = 400
_RETRYABLE = (
    exceptions.ModelRateLimitError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
)
IDLE_S = 30.0
_RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FINISH = {
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
    "tool_call": FinishReason.TOOL_CALLS,
}


class ProviderModel:
    """`openai:<model>` or `anthropic:<model>`, at the provider's own address or any compatible one."""

    def __init__(
        self, spec: str, *, base_url: str | None = None, api_key_env: str | None = None, idle_s: float = IDLE_S
    ) -> None:
        """`idle_s` is how long a reply that has begun may stand still.

        Raises: UsageError when the key's environment variable is not set.
        """
        self.name = spec
        self._idle_s = idle_s
        self._provider, _, self._model = spec.partition(":")
        self._base_url = base_url
        key_name = api_key_env or _KEY_NAMES[self._provider]
        key = os.environ.get(key_name)
        if not key and not base_url:
            raise UsageError(f"model {spec!r} needs a key: set {key_name}, or use --model playbook, which needs none")
        self._key = key or _NO_KEY
        # A provider's odd fields are no news for whoever reads our stderr.
        warnings.filterwarnings("ignore", category=Warning, module=r"pydantic(_ai)?\.")

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        """See ports.model.Model."""
        progress = _Progress()
        try:
            async with self._client() as client:
                return await self._streamed(client, request, deadline_s, progress)
        except Exception as error:
            failed = self._failed(error)
            if progress.stream is None:
                raise failed from error
            usage = progress.stream.usage
            return ModelReply(
                finish_reason=FinishReason.BROKEN_OFF,
                broke_off=str(failed),
                input_tokens=usage.input_tokens or 0,
                output_tokens=usage.output_tokens or 0,
                model=self.name,
            )

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[ProviderClient]:
        """The provider's client, without retries of its own; its connections are closed afterwards."""
        if self._provider == "anthropic":
            from anthropic import AsyncAnthropic
            from anthropic import DefaultAsyncHttpxClient as AnthropicHttp
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            async with AnthropicHttp(event_hooks={"response": [bounded]}, headers=PLAIN) as http:
                anthropic = AsyncAnthropic(api_key=self._key, base_url=self._base_url, max_retries=0, http_client=http)
                yield AnthropicModel(self._model, provider=AnthropicProvider(anthropic_client=anthropic))
                return
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        async with DefaultAsyncHttpxClient(event_hooks={"response": [bounded_events]}, headers=PLAIN) as http:
            openai = AsyncOpenAI(api_key=self._key, base_url=self._base_url, max_retries=0, http_client=http)
            yield OpenAIChatModel(self._model, provider=OpenAIProvider(openai_client=openai))

    async def _streamed(
        self, client: ProviderClient, request: ModelRequest, deadline_s: float, progress: _Progress
    ) -> ModelReply:
        async with direct.model_request_stream(
            client,
            _history(request),
            model_settings=_settings(request, deadline_s),
            model_request_parameters=_parameters(request),
        ) as stream:
            async for _ in self._events(stream, progress):
                progress.stream = stream
            return _reply(stream.get())

    async def _events(self, stream: StreamedResponse, progress: _Progress) -> AsyncIterator[object]:
        """The stream's events. Raises: TimeoutError where it has begun and then stands still."""
        events = aiter(stream)
        while True:
            try:
                async with asyncio.timeout(self._idle_s if progress.stream is not None else None):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            yield event

    def _words(self, error: BaseException) -> str:
        """The provider's own words, on one line and bounded; a provider may repeat the key it was sent, we do not."""
        said = " ".join(str(error).split())
        if self._key != _NO_KEY:
            said = said.replace(self._key, "<the key>")
        return within(said, _ERROR_CHARS) or type(error).__name__

    def _failed(self, error: Exception) -> ModelError:
        """What went wrong as one of our two kinds, `retryable` where nothing was received."""
        match error:
            case ModelError():
                return ModelError(f"{self.name}: {self._words(error)}")
            case TimeoutError():
                return ModelError(f"{self.name} sent nothing more for {self._idle_s:g} s")
            case exceptions.ModelContextWindowExceededError():
                words = self._words(error)
                return ContextOverflow(f"{self.name}: the request is larger than the model's window ({words})")
            case exceptions.ModelAPIError():
                status = getattr(error, "status_code", None)
                retryable = isinstance(error, _RETRYABLE) or status in _RETRYABLE_STATUS
                if isinstance(error, exceptions.ModelQuotaExceededError):
                    retryable = False
                words = f"{self.name}: {self._words(error)}"
                return ModelError(words, retryable=retryable, retry_after_s=error.retry_after)
            case _:
                return ModelError(f"{self.name} sent an answer that cannot be read: {self._words(error)}")


@dataclass(slots=True)
class _Progress:
    """How far a reply has come."""

    stream: StreamedResponse | None = None
    """Known once any output of it has come."""


def _parameters(request: ModelRequest) -> models.ModelRequestParameters:
    return models.ModelRequestParameters(
        function_tools=[
            tools.ToolDefinition(
                name=spec.name, description=spec.description, parameters_json_schema=dict(spec.parameters)
            )
            for spec in request.tools
        ],
        allow_text_output=True,
    )


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
        case UserMessage(text, data):
            parts = [text, *(fenced(each.origin, each.content, each.use) for each in data)]
            return messages.UserPromptPart(_safe("\n\n".join(parts)))
        case ToolMessage(call_id, name, content):
            return messages.ToolReturnPart(name, fenced_result(name, _safe(content)), call_id)
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
            ToolCall(part.tool_call_id, part.tool_name, _as_written(part))
            for part in _of(response, messages.ToolCallPart)
        ),
        finish_reason=_FINISH.get(response.finish_reason or "", FinishReason.STOP),
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        model=response.model_name or "",
    )


def _as_written(part: messages.ToolCallPart) -> str:
    """The arguments as the model wrote them: what does not parse is for the loop to refuse."""
    return part.args if isinstance(part.args, str) else part.args_as_json_str()


def _of(response: messages.ModelResponse, kind: Any) -> Iterable[Any]:
    return (part for part in response.parts if isinstance(part, kind))


def _safe(text: str) -> str:
    """Text that encodes to UTF-8 whatever it holds."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
