"""Every budget ends the investigation with a report of what there is, and says which one it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.scripted_model import calls
from rootproof.diagnosis.present import run_view
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import Agent
from rootproof.errors import SourceDenied
from rootproof.ports.model import ModelReply, ModelRequest
from rootproof.ports.sources import Sources
from tests.fakes.driving import NOW, World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

END = report(claim("The pool is full.", "E2"))


def obedient(request: ModelRequest) -> ModelReply:
    """Asks another question as long as it may, and reports when it is told to stop."""
    if request.briefing.limits_note:
        return END
    return _ask(request)


def _ask(request: ModelRequest) -> ModelReply:
    turn = len(request.messages)
    return calls(("query_logs", {"topic": "APPLICATION", "lookback_minutes": 1 + turn}))


def stubborn(request: ModelRequest) -> ModelReply:
    """Asks another question whatever it is told."""
    return _ask(request)


class Ticking:
    """A stopwatch that goes on by a second each time it is looked at."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 1.0
        return self.seconds


def world(behaviour: Callable[[ModelRequest], ModelReply], **limits: Any) -> World:
    clock = FixedClock(NOW, Ticking()) if "max_run_s" in limits else FixedClock(NOW)
    model = scripted([behaviour] * 200)
    return World(model, Sources(logs=FakeLogs([log("The pool is full.")])), limits=RunLimits(**limits), clock=clock)


BUDGETS = [
    ({"max_tool_calls": 3}, "3 tool calls"),
    ({"max_model_requests": 6}, "6 model requests"),
    ({"max_tokens": 700}, "700 tokens"),
    ({"max_agent_visible_bytes": 900}, "900 bytes"),
    ({"max_run_s": 60.0}, "60 seconds"),
]


@pytest.mark.parametrize(("limits", "words"), BUDGETS, ids=lambda value: str(value)[:24])
async def test_a_spent_budget_ends_with_a_report_that_says_which(limits: dict[str, Any], words: str) -> None:
    case = world(obedient, **limits)
    rows = await case.diagnose()
    assert (rows.run.status, rows.run.status_reason) == (RunStatus.COMPLETED, StatusReason.BUDGET_SPENT)
    view = run_view(rows)
    assert words in view.status_detail
    assert view.report is not None
    assert words in view.report.summary
    assert [item.verdict for item in view.report.claims] == ["SUPPORTED"]
    usage = view.usage
    assert usage.tool_calls <= limits.get("max_tool_calls", 40)
    assert usage.model_requests <= limits.get("max_model_requests", 30) + 1, "the verifier's turn comes on top"
    last = [request for request in case.model.requests if request.agent is Agent.EXECUTOR][-1]  # type: ignore[attr-defined]
    assert [tool.name for tool in last.tools] == ["submit_report"]
    assert words in last.messages[-1].text


@pytest.mark.parametrize(("limits", "words"), BUDGETS, ids=lambda value: str(value)[:24])
async def test_a_model_that_does_not_stop_is_given_up(limits: dict[str, Any], words: str) -> None:
    case = world(stubborn, **limits)
    rows = await case.diagnose()
    assert (rows.run.status, rows.run.status_reason) == (RunStatus.COMPLETED, StatusReason.MODEL_FAILED)
    assert words in run_view(rows).status_detail
    assert rows.run.report is not None
    assert len(case.model.requests) < 45  # type: ignore[attr-defined]


async def test_a_slow_run_stops_at_its_seconds_on_the_runs_own_clock() -> None:
    few, many = world(obedient, max_run_s=60.0), world(obedient, max_run_s=300.0)
    lengths = [run_view(await case.diagnose()).usage.tool_calls for case in (few, many)]
    assert 0 < lengths[0] < lengths[1]


async def test_calls_over_the_budget_in_one_turn_are_not_made() -> None:
    turn = calls(*[("query_logs", {"topic": "APPLICATION", "lookback_minutes": n}) for n in range(1, 9)])
    source = FakeLogs([log("x")])
    case = World(scripted([turn, END, END]), Sources(logs=source), limits=RunLimits(max_tool_calls=3))
    rows = await case.diagnose()
    assert len(source.queries) == 3
    assert rows.run.status_reason is StatusReason.BUDGET_SPENT
    assert {call.status for call in rows.invocations} == {InvocationStatus.OK}


async def test_a_source_that_denies_everything_is_not_the_models_fault() -> None:
    asked = calls(*[("query_logs", {"topic": "APPLICATION", "lookback_minutes": n}) for n in range(1, 7)])
    case = World(scripted([asked, END]), Sources(logs=FakeLogs(answer=SourceDenied("403 no rights"))))
    rows = await case.diagnose()
    assert rows.run.status_reason is StatusReason.REPORTED
    assert [call.status for call in rows.invocations] == [InvocationStatus.DENIED] * 6
