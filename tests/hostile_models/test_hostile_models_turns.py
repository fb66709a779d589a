"""What a turn may be: bounded, storable, told back in ids that every provider takes; and when a model is given up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.scripted_model import calls
from rootproof.diagnosis.present import run_view
from rootproof.domain.invocation import InvocationStatus as S
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import StatusReason
from rootproof.domain.step import Agent, StepKind
from rootproof.errors import ContextOverflow, ModelError
from rootproof.ports.model import AssistantMessage, FinishReason, ModelReply, ModelRequest, ToolCall, ToolMessage
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from tests.fakes.driving import NOW, World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

END = report(claim("The pool is full.", "E2"))


def look(minutes: int = 60, **more: Any) -> tuple[str, dict[str, Any]]:
    return "query_logs", {"topic": "APPLICATION", "lookback_minutes": minutes} | more


def world(*executor: Any, verifier: Any = None, **limits: Any) -> World:
    given = {} if verifier is None else {"verifier": [verifier]}
    model = scripted(executor, **given)
    return World(model, Sources(logs=FakeLogs([log("The pool is full.")])), limits=RunLimits(**limits))


def asked(case: World, agent: Agent = Agent.EXECUTOR) -> list[ModelRequest]:
    return [request for request in case.model.requests if request.agent is agent]  # type: ignore[attr-defined]


def turn(rows: RunRows) -> dict[str, Any]:
    return next(step.output for step in rows.steps if step.kind is StepKind.TURN)


@pytest.mark.parametrize(
    "ids", [["call_0", "call_0"], ["", ""], ["\ud800", "a b"], ["x" * 5_000, "ok"], ["call-2-1", ""], ["call-3-1", ""]]
)
async def test_call_ids_are_unique_and_plain_whatever_the_server_sends(ids: list[str]) -> None:
    reply = ModelReply(tool_calls=tuple(ToolCall(name, *_text(60 + n)) for n, name in enumerate(ids)))
    case = world(reply, reply, END)
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED
    messages = asked(case)[-1].messages
    said = [call.tool_call_id for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    told = [m.tool_call_id for m in messages if isinstance(m, ToolMessage)]
    assert said == told
    assert len(set(said)) == len(said) == 4
    assert all(name.isascii() and 0 < len(name) <= 64 for name in said)
    repr(rows).encode("utf-8")


def _text(minutes: int) -> tuple[str, str]:
    name, arguments = look(minutes)
    return name, json.dumps(arguments)


async def test_a_name_that_no_provider_takes_is_told_back_as_another() -> None:
    case = world(calls(("query logs; drop \ud800", {})), END)
    rows = await case.diagnose()
    assert rows.invocations[0].status is S.DENIED
    messages = asked(case)[-1].messages
    assert [m.name for m in messages if isinstance(m, ToolMessage)] == ["unknown_tool"]


async def test_long_texts_are_cut_before_they_are_stored() -> None:
    reply = ModelReply("word " * 1_000_000, (ToolCall("c", "query_logs", '{"topic": "' + "x" * 1_000_000 + '"}'),))
    case = world(reply, END)
    rows = await case.diagnose()
    output = turn(rows)
    assert len(json.dumps(output)) < 150_000
    assert "more characters" in output["text"]
    assert "1000013 characters" in output["problem"]
    assert not rows.invocations
    assert rows.run.status_reason is StatusReason.REPORTED


@pytest.mark.parametrize(("given", "stored"), [(-5, 0), (10**30, 10_000_000), (float("nan"), 0), ("many", 0), (7, 7)])
async def test_counts_of_tokens_fit_a_row(given: Any, stored: int) -> None:
    reply = ModelReply(tool_calls=calls(look()).tool_calls, input_tokens=given, output_tokens=given)
    rows = await world(reply, END).diagnose()
    step = next(step for step in rows.steps if step.kind is StepKind.TURN)
    assert (step.input_tokens, step.output_tokens) == (stored, stored)


async def test_a_reply_that_broke_off_is_told_and_nothing_of_it_used() -> None:
    broken = ModelReply(finish_reason=FinishReason.BROKEN_OFF, broke_off="peer closed the connection")
    case = world(broken, calls(look()), END)
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED
    assert turn(rows)["brokeOff"] == "peer closed the connection"
    told = asked(case)[1].messages[-1].text  # type: ignore[union-attr]
    assert "broke off" in told
    assert "peer closed" not in told


@pytest.mark.parametrize("cut", ['{"summary": "The po', '{"summary": "x"}'])
async def test_a_call_that_was_cut_at_the_output_limit_is_not_run(cut: str) -> None:
    reply = ModelReply(tool_calls=(ToolCall("c", "submit_report", cut),), finish_reason=FinishReason.LENGTH)
    rows = await world(reply, END).diagnose()
    whole = cut.endswith("}")
    assert (rows.steps[2].kind is StepKind.DRAFT) is whole
    assert ("cut off at the output limit inside a tool call" in rows.steps[2].output.get("problem", "")) is not whole


async def test_one_turn_of_wrong_calls_is_told_and_not_the_end() -> None:
    wrong = calls(*(look(60 + n, since="1h") for n in range(6)))
    rows = await world(wrong, calls(look()), END).diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED
    assert [row.status for row in rows.invocations] == [S.DENIED] * 6 + [S.OK]


async def test_turns_that_lead_nowhere_in_a_row_are_the_end_whatever_they_are() -> None:
    bad = [calls(("restart", {})), ModelReply(text="hm"), calls(look(1, since="1h"))]
    case = world(*bad, END)
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.MODEL_FAILED
    assert "3 turns in a row led nowhere" in run_view(rows).status_detail
    rows = await world(*bad[:2], calls(look()), bad[2], END).diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED


async def test_reading_one_skill_for_ever_leads_nowhere() -> None:
    case = world(*[calls(("read_skill", {"name": "diagnose-pool"}))] * 85)
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.MODEL_FAILED
    assert len(asked(case)) == 4


class Window:
    """A model whose window holds so many characters of tool results."""

    name = "window:test"

    def __init__(self, inner: Any, holds: int) -> None:
        self._inner, self._holds = inner, holds
        self.requests: list[ModelRequest] = []
        self.refused = 0

    async def complete(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        if sum(len(m.content) for m in request.messages if isinstance(m, ToolMessage)) > self._holds:
            self.refused += 1
            raise ContextOverflow("window:test: too large")
        self.requests.append(request)
        reply: ModelReply = await self._inner.complete(request, deadline_s=deadline_s)
        return reply


def long_logs() -> FakeLogs:
    return FakeLogs([log(f"The pool is full, caller {word}", service=word) for word in ("red", "green", "blue")])


async def test_a_request_that_does_not_fit_is_sent_again_with_results_in_short_and_the_run_stays_so() -> None:
    turns = [calls(look(60)), calls(look(61)), calls(look(62)), END]
    plain = World(scripted(turns), Sources(logs=long_logs()))
    whole = await plain.diagnose()
    size = len(whole.invocations[0].result)
    model = Window(scripted(turns), int(size * 2.6))
    case = World(model, Sources(logs=long_logs()))
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED
    assert model.refused == 1, "what was shortened stays short"
    results = [m.content for m in model.requests[-2].messages if isinstance(m, ToolMessage)]
    assert ["shortened to fit" in text for text in results] == [True, True, False]
    assert "[E2]" in results[0]
    assert [step.output.get("shortenedBefore") for step in rows.steps if step.agent is Agent.EXECUTOR][-1] is not None
    assert run_view(rows).report == run_view(whole).report


async def test_where_even_that_does_not_fit_the_playbook_reasoner_goes_on() -> None:
    model = Window(scripted([calls(look(60)), calls(look(61)), END]), 10)
    rows = await World(model, Sources(logs=long_logs())).diagnose()
    assert rows.run.status_reason is StatusReason.MODEL_FAILED
    assert "ContextOverflow" in run_view(rows).status_detail
    assert model.refused == 2


class Slow:
    """A stopwatch that a model's turns move on."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_slow_model_leaves_time_for_its_report_and_for_who_takes_over(stubborn: bool) -> None:
    watch = Slow()
    limits = RunLimits(max_run_s=600.0, model_deadline_s=120.0)

    def reply(request: ModelRequest) -> ModelReply:
        watch.seconds += 50.0
        if request.briefing.limits_note and not stubborn:
            return END
        return calls(look(60 + len(request.messages)))

    case = World(
        scripted([reply] * 40, verifier=[calls(("submit_verdicts", {"lower": []}))]),
        Sources(logs=FakeLogs([log("The pool is full.")])),
        limits=limits,
        clock=FixedClock(NOW, watch),
    )
    rows = await case.diagnose()
    assert limits.investigate_until_s < limits.model_until_s < limits.max_run_s
    assert watch.seconds <= limits.max_run_s
    expected = StatusReason.MODEL_FAILED if stubborn else StatusReason.BUDGET_SPENT
    assert rows.run.status_reason is expected
    assert "of its 600 seconds" in run_view(rows).status_detail
    assert rows.run.report is not None


async def test_the_plan_and_the_turns_of_a_model_that_was_given_up_are_gone_for_who_takes_over() -> None:
    spent = [calls(*(look(60 + turn * 16 + n) for n in range(16))) for turn in range(3)]
    case = world(*spent, ModelError("gone"))
    rows = await case.diagnose()
    after = next(step.step_no for step in rows.steps if step.kind is StepKind.MODEL_FAILURE)
    own = [row for row in rows.invocations if row.step_no > after]
    assert own
    assert all(row.status is not S.BUDGET_EXCEEDED for row in own)
    assert len(rows.invocations) <= RunLimits().max_tool_calls + RunLimits().max_fallback_calls
    assert [step.output["model"] for step in rows.steps if step.kind is StepKind.PLAN] == ["", "playbook"]
