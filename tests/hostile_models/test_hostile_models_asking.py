"""Asking a model: which failures are tried again, how long is waited, and what a reply that broke off becomes."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.models.provider import ProviderModel
from rootproof.adapters.models.wire import MOST_BYTES, PLAIN, bounded, bounded_events
from rootproof.diagnosis import ask_model as asking
from rootproof.diagnosis.ask_model import ask_model
from rootproof.domain.limits import RunLimits
from rootproof.domain.step import Agent
from rootproof.errors import ContextOverflow, ModelError
from rootproof.ports.model import FinishReason, ModelReply, ModelRequest, ToolSpec, UserMessage
from tests.fakes.driving import NOW
from tests.fakes.processes import Provider, fake_provider
from tests.fakes.provider_faults import KEY, LOOK, REPORT

ASK = ModelRequest(Agent.EXECUTOR, "system", [UserMessage("go")], [ToolSpec("query_logs", "", {"type": "object"})])
FINE = ModelReply(text="fine")


class Stopwatch:
    """Seconds that only waiting uses."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


class Failing:
    """Fails with these errors, then answers."""

    name = "failing:test"

    def __init__(self, *errors: ModelError) -> None:
        self._errors = list(errors)
        self.asked = 0

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        self.asked += 1
        if self._errors:
            raise self._errors.pop(0)
        return FINE


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    watch = Stopwatch()
    monkeypatch.setattr(asking.asyncio, "sleep", watch.sleep)
    return watch


async def ask(model: Failing, watch: Stopwatch, within_s: float = 1e6, **limits: Any) -> ModelReply:
    return await ask_model(model, ASK, RunLimits(**limits), FixedClock(NOW, watch), within_s=within_s)


def busy(retry_after_s: float | None = None) -> ModelError:
    return ModelError("busy", retryable=True, retry_after_s=retry_after_s)


async def test_the_providers_own_waiting_time_is_kept(watch: Stopwatch) -> None:
    assert await ask(Failing(busy(7.5), busy(3)), watch) is FINE
    assert watch.waits == [7.5, 3]


async def test_without_one_the_waits_grow(watch: Stopwatch) -> None:
    await ask(Failing(busy(), busy()), watch)
    assert 0 < watch.waits[0] < watch.waits[1]


@pytest.mark.parametrize("wait_s", [31.0, 3600.0, float("inf")])
async def test_a_wait_longer_than_a_run_waits_is_not_begun(watch: Stopwatch, wait_s: float) -> None:
    model = Failing(busy(wait_s))
    with pytest.raises(ModelError):
        await ask(model, watch)
    assert (model.asked, watch.waits) == (1, [])


@pytest.mark.parametrize("bound", [{"model_deadline_s": 10.0}, {"within_s": 10.0}])
async def test_tries_and_waits_share_one_deadline(watch: Stopwatch, bound: dict[str, float]) -> None:
    model = Failing(busy(6), busy(6))
    with pytest.raises(ModelError):
        await ask(model, watch, **bound)
    assert (model.asked, watch.waits) == (2, [6])


async def test_where_no_time_is_left_nothing_is_asked(watch: Stopwatch) -> None:
    model = Failing()
    with pytest.raises(ModelError, match="within 0 s"):
        await ask(model, watch, within_s=-3)
    assert model.asked == 0


@pytest.mark.parametrize("error", [ModelError("bad key"), ContextOverflow("too large")])
async def test_what_cannot_work_is_not_tried_again(watch: Stopwatch, error: ModelError) -> None:
    model = Failing(error)
    with pytest.raises(type(error)):
        await ask(model, watch)
    assert model.asked == 1


SCRIPTS = {
    "seconds": {"status": 429, "headers": {"Retry-After": "17"}, "body": {"error": {"message": "m"}}},
    "date": {"status": 429, "retry_after_date_s": 20, "body": {"error": {"message": "m"}}},
    "nonsense": {"status": 429, "headers": {"Retry-After": "soon"}, "body": {"error": {"message": "m"}}},
    "overflow": {"status": 400, "body": {"error": {"message": "m", "code": "context_length_exceeded"}}},
    "cut": REPORT | {"cut_after": 5},
    "stalls": REPORT | {"stall_after": 5, "stall_s": 60},
    "stalls at once": REPORT | {"sleep_s": 60},
    "late error": {
        "events": [
            {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "delta": {"content": "It"}}],
            },
            {"error": {"message": f"overloaded {KEY}", "code": "server_is_overloaded"}},
        ]
    },
    "early error": {"events": [{"error": {"message": "overloaded", "code": "server_is_overloaded"}}]},
    "broken arguments": {"calls": [["query_logs", '{"topic": "APPLI']]},
    "document": LOOK | {"whole": True},
    "indented": {"raw": "\n \n" + json.dumps({"choices": [{"message": {"content": "hello"}}]}, indent=2)},
    "error document": {"raw": '{"error": {"message": "no such model", "code": "model_not_found"}}'},
    "large": {"raw": "", "fill_chars": 17_000_000},
    "none of it": {"status": 404, "body": {"error": {"message": "there is none"}}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    scripts = {name: {"planner": [], "executor": [entry], "verifier": []} for name, entry in SCRIPTS.items()}
    with fake_provider(tmp_path_factory.mktemp("asking"), scripts) as provider:
        yield provider


@pytest.fixture
def model(server: Provider, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async def complete(name: str, idle_s: float = 60) -> ModelReply:
        asked = ProviderModel(f"openai:{name}", base_url=server.base_url, idle_s=idle_s)
        return await asked.complete(ASK, deadline_s=60)

    return complete


async def failure(model: Any, name: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model(name)
    return caught.value


async def test_both_forms_of_retry_after_are_understood(model: Any) -> None:
    assert (await failure(model, "seconds")).retry_after_s == 17
    dated = await failure(model, "date")
    assert dated.retryable
    assert dated.retry_after_s is not None
    assert 1 < dated.retry_after_s <= 20
    odd = await failure(model, "nonsense")
    assert (odd.retryable, odd.retry_after_s) == (True, None)


async def test_an_overflow_is_told_apart(model: Any) -> None:
    assert isinstance(await failure(model, "overflow"), ContextOverflow)


@pytest.mark.parametrize("name", ["cut", "late error"])
async def test_after_output_a_failure_is_a_reply_that_broke_off(model: Any, name: str) -> None:
    reply = await model(name)
    assert reply.finish_reason is FinishReason.BROKEN_OFF
    assert reply.tool_calls == ()
    assert reply.broke_off
    assert KEY not in reply.broke_off


async def test_before_output_it_may_be_tried_again(model: Any) -> None:
    assert (await failure(model, "early error")).retryable


async def test_a_reply_that_stands_still_is_left_at_the_idle_deadline(model: Any) -> None:
    reply = await model("stalls", idle_s=0.2)
    assert reply.finish_reason is FinishReason.BROKEN_OFF
    assert "nothing more for 0.2 s" in reply.broke_off


async def test_the_idle_deadline_does_not_begin_before_the_reply(model: Any) -> None:
    waiting = asyncio.create_task(model("stalls at once", idle_s=0.05))
    done, _ = await asyncio.wait([waiting], timeout=0.5)
    assert not done
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_arguments_come_as_the_model_wrote_them(model: Any) -> None:
    assert (await model("broken arguments")).tool_calls[0].arguments == '{"topic": "APPLI'


async def test_a_server_that_does_not_stream_is_read_all_the_same(model: Any, server: Provider) -> None:
    reply = await model("document")
    assert [call.name for call in reply.tool_calls] == ["query_logs"]
    assert (reply.input_tokens, reply.output_tokens) == (321, 45)
    assert (await model("indented")).text == "hello"
    assert sum(item["model"] == "document" for item in server.requests) == 1, "it was paid once"
    assert "no such model" in str(await failure(model, "error document"))


async def test_a_provider_that_needs_no_key_may_say_none(server: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ProviderModel("openai:none of it", base_url=server.base_url)
    with pytest.raises(ModelError, match="there is none"):
        await asked.complete(ASK, deadline_s=60)


@pytest.mark.parametrize("hook", [bounded, bounded_events])
async def test_what_a_compressed_answer_would_unpack_to_is_never_held(hook: Any) -> None:
    bomb = gzip.compress(b"0" * (MOST_BYTES * 2))

    def answer(request: httpx2.Request) -> httpx2.Response:
        assert request.headers["Accept-Encoding"] == "identity"
        status = int(request.url.path[1:])
        return httpx2.Response(status, headers={"Content-Encoding": "gzip"}, stream=httpx2.ByteStream(bomb))

    transport = httpx2.MockTransport(answer)
    async with httpx2.AsyncClient(transport=transport, event_hooks={"response": [hook]}, headers=PLAIN) as http:
        with pytest.raises(ModelError, match="compressed"):
            await http.get("http://model.example/200")
        refused = await http.get("http://model.example/429")
        assert (refused.status_code, refused.content) == (429, b"")


async def test_a_reply_has_a_largest_size(model: Any) -> None:
    assert "more than 16777216 bytes" in str(await failure(model, "large"))
