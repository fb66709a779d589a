"""A stored run played again comes out the same byte for byte, whatever its end was; a changed code shows."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from rootproof.aci.projection.logs import QueryLogsProjector
from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.recorded import Echo
from rootproof.adapters.memory.scripted_model import calls
from rootproof.bootstrap import replay_stage
from rootproof.diagnosis.present import run_view
from rootproof.diagnosis.replay import ReplayView, replay_run
from rootproof.domain.alert import Alert
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import StepKind
from rootproof.errors import ContextOverflow, ModelError, SourceDenied, SourceTimeout, SourceUnavailable, UsageError
from rootproof.ports.model import FinishReason, ModelReply
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from tests.fakes.driving import NOW, PLAN, World, claim, report, scripted
from tests.fakes.sources import FakeAlerts, FakeCluster, FakeKnowledge, FakeLogs, FakeMetrics, log

POOL = "pool 'main' has 20 of 20 connections in use, 7 callers waiting on 10.20.30.40"
LOOK = ("query_logs", {"topic": "APPLICATION", "lookback_minutes": 60})
LATER = ("query_logs", {"topic": "APPLICATION", "lookback_minutes": 5})
END = report(claim("The pool has 20 of 20 connections in use.", "E2", kind="CAUSE", cause_id="pool_full"))
ALERT = Alert("BillingSlow", service="billing-api", summary="slow at 10.20.30.40", labels={"pod": "heron"})

REPEATED = "Tr0ub4dor&3abc"
LEAKY = Alert("LoginsFail", service="billing-api", summary=f"login with password={REPEATED} failed")


def logs(*extra: dict[str, Any]) -> FakeLogs:
    return FakeLogs([log(POOL), log("heron lost 10.9.8.7, then bob@lark.example called", "WARN"), *extra])


def all_sources() -> Sources:
    series = [{"name": "busy", "labels": {"app": "billing-api"}, "unit": None, "values": [[1.0, 2.0], [61.0, 9.0]]}]
    blocks = [{"source": "a.md", "title": "Pools", "breadcrumb": "Pools", "content": "Find the holder.", "score": 0.9}]
    return Sources(
        logs=logs(),
        metrics=FakeMetrics(series),
        alerts=FakeAlerts([{"name": "A", "state": "firing", "labels": {}, "annotations": {}}]),
        cluster=FakeCluster(),
        knowledge=FakeKnowledge(blocks),
        payload=(ALERT,),
    )


class FailingMetrics:
    """A source whose error holds a credential."""

    name = "failing metrics"
    kind = "MOCK"

    async def fetch(self, _query: object, *, deadline_s: float) -> str:
        raise SourceUnavailable(f"no answer in {deadline_s > 0}: password=c0rrecth0rse99")


async def replayed(world: World, rows: RunRows) -> ReplayView:
    return await replay_run(world.services, rows, replay_stage, Echo())


def same_bytes(view: ReplayView, rows: RunRows) -> None:
    assert view.changes == []
    assert view.identical
    assert view.prompts_changed == 0
    assert view.run.model_dump_json(by_alias=True) == run_view(rows).model_dump_json(by_alias=True)


def turn_of(*looks: tuple[str, dict[str, Any]]) -> ModelReply:
    return calls(*looks)


ENDINGS: dict[str, tuple[list[Any], Sources]] = {
    "reported": ([turn_of(LOOK), END], Sources(logs=logs())),
    "an alert with a plain-word pod": ([turn_of(LOOK), END], Sources(logs=logs(), payload=(ALERT,))),
    "every tool in one turn": (
        [
            calls(
                LOOK,
                ("query_metrics", {"lookback_minutes": 60, "contains": ["busy"]}),
                ("query_alerts", {"state": "firing"}),
                ("query_cluster", {"view": "overview"}),
                ("lookup_knowledge", {"query": "pool is full", "top_k": 3}),
                LATER,
            ),
            END,
        ],
        all_sources(),
    ),
    "a placeholder asked for": (
        [turn_of(LOOK), calls(("query_logs", {"topic": "APPLICATION", "contains": "<ip:1>"})), END],
        Sources(logs=logs()),
    ),
    "repeats and refusals": ([turn_of(LOOK, LOOK), turn_of(LOOK), turn_of(LOOK), END], Sources(logs=logs())),
    "bad requests": ([calls(("query_logs", "{")), calls(("no_such_tool", {})), turn_of(LOOK), END], all_sources()),
    "skills": (
        [calls(*(("read_skill", {"name": n}) for n in ("diagnose-pool", "diagnose-pool", "none"))), turn_of(LOOK), END],
        Sources(logs=logs()),
    ),
    "a source that times out": ([turn_of(LOOK), END], Sources(logs=FakeLogs(answer=SourceTimeout("no answer, 3 s")))),
    "a source that denies": ([turn_of(LOOK, LATER), END], Sources(logs=FakeLogs(answer=SourceDenied("403 no")))),
    "a source that is down": ([turn_of(LOOK), END], Sources(logs=FakeLogs(answer=SourceUnavailable("10.1.1.1 down")))),
    "a source with a bug": ([turn_of(LOOK), END], Sources(logs=FakeLogs(answer=KeyError("x")))),
    "an answer that is garbled": ([turn_of(LOOK), END], Sources(logs=FakeLogs(answer='{"success": true'))),
    "no report at all": ([ModelReply("words"), ModelReply("words"), ModelReply("words")], Sources(logs=logs())),
    "a provider that fails at once": ([ModelError("boom at 10.7.7.7")], Sources(logs=logs())),
    "a provider that fails later": ([turn_of(LOOK), ModelError("boom")], Sources(logs=logs())),
    "a window that is too small": ([turn_of(LOOK), ContextOverflow("too long")], Sources(logs=logs())),
    "a reply that breaks off": (
        [turn_of(LOOK), ModelReply("half", finish_reason=FinishReason.BROKEN_OFF, broke_off="reset"), END],
        Sources(logs=logs()),
    ),
    "a secret in an error and another one later": (
        [
            calls(("query_metrics", {}), LOOK),
            calls(("query_logs", {"topic": "APPLICATION", "contains": "password=Tr0ub4dor&3abc"})),
            END,
        ],
        Sources(
            logs=logs(log("login with password=hunter2secret99 failed")),
            metrics=FailingMetrics(),
        ),
    ),
    "a secret of the alert that a log repeats": (
        [turn_of(LOOK), turn_of(LATER), END],
        Sources(logs=logs(log(f"login with password={REPEATED} failed")), payload=(LEAKY,)),
    ),
    "words that hold a secret": (
        [turn_of(LOOK), report(claim("x", "E2"), summary='password="hunter2secret99"\nand more')],
        Sources(logs=logs(log("connect with password=hunter2secret99 failed"))),
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
async def test_a_run_replays_to_the_same_bytes(name: str) -> None:
    replies, sources = ENDINGS[name]
    world = World(scripted(replies), sources)
    rows = await world.diagnose()
    assert rows.run.status is RunStatus.COMPLETED
    same_bytes(await replayed(world, rows), rows)


async def test_what_a_skill_names_is_hidden_from_the_model_shown_to_the_owner_and_replays() -> None:
    read = turn_of(("read_skill", {"name": "diagnose-pool"}))
    world = World(scripted([read, report(claim("x", "E1"), summary="Ask <ip:1>.")]), Sources(logs=logs()))
    skill = world.skills.read("diagnose-pool")
    told = "look at 10.7.7.7 with password=hunter2secret99"
    own = replace(skill, description=f"Pools: {told}", body=told + "\nword" * 6_000)
    world.skills._skills["diagnose-pool"] = own
    rows = await world.diagnose()
    sent = repr(world.model.requests)  # type: ignore[attr-defined]
    assert "Pools: look at <ip:1> with password=<secret:password:1>" in sent
    assert "look at <ip:1> with password=<secret:password:2>\\nword" in sent
    assert "hunter2" not in sent + repr(rows)
    assert "10.7.7.7" not in sent
    view = run_view(rows)
    assert view.report is not None
    assert "10.7.7.7" in view.report.summary
    same_bytes(await replayed(world, rows), rows)


async def test_a_verifier_that_fails_and_a_planner_that_fails_replay() -> None:
    for script in (
        scripted([turn_of(LOOK), END], verifier=[ModelError("no verdicts")]),
        scripted([turn_of(LOOK), END], planner=[ModelError("no plan")]),
        scripted([turn_of(LOOK), END], planner=[ModelReply("hm"), PLAN]),
    ):
        world = World(script, Sources(logs=logs()))
        rows = await world.diagnose()
        same_bytes(await replayed(world, rows), rows)


class Ticking:
    """A stopwatch that goes on by a second each time it is looked at."""

    seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 1.0
        return self.seconds


@pytest.mark.parametrize("stubborn", [False, True])
@pytest.mark.parametrize(
    "limits",
    [{"max_tool_calls": 3}, {"max_model_requests": 6}, {"max_tokens": 700}, {"max_agent_visible_bytes": 900},
     {"max_run_s": 60.0}],
    ids=str,
)  # fmt: skip
async def test_a_spent_budget_replays_under_the_limits_of_then(limits: dict[str, Any], stubborn: bool) -> None:
    def asks(request: Any) -> Any:
        if request.briefing.limits_note and not stubborn:
            return report(claim("The pool is full.", "E2"))
        return calls(("query_logs", {"topic": "APPLICATION", "lookback_minutes": 1 + len(request.messages)}))

    clock = FixedClock(NOW, Ticking()) if "max_run_s" in limits else FixedClock(NOW)
    world = World(scripted([asks] * 200), Sources(logs=logs()), limits=RunLimits(**limits), clock=clock)
    rows = await world.diagnose()
    assert rows.run.status_reason is (StatusReason.MODEL_FAILED if stubborn else StatusReason.BUDGET_SPENT)
    world.limits = RunLimits()
    view = await replayed(world, rows)
    assert view.changes == []
    assert view.run.report == run_view(rows).report


async def test_a_failed_run_replays_to_its_failure() -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    run_id = await world.start()
    append = world.runs.append_step

    async def full(context: Any, step: Any) -> Any:
        if step.kind is StepKind.DRAFT:
            raise UsageError("the disk of 10.4.4.4 is full")
        return await append(context, step)

    world.runs.append_step = full
    rows = await world.drive(run_id)
    assert rows.run.status is RunStatus.FAILED
    assert "disk" in run_view(rows).status_detail
    same_bytes(await replayed(world, rows), rows)


async def test_a_run_that_failed_before_its_first_step_replays() -> None:
    world = World(scripted([END]), Sources(logs=logs()))
    world.skills.infos = None  # type: ignore[assignment]
    with pytest.raises(TypeError):
        await world.diagnose()
    (run,) = await world.runs.list_runs()
    rows = await world.runs.load(run.run_id)
    assert [step.kind for step in rows.steps] == [StepKind.END]
    same_bytes(await replayed(world, rows), rows)


async def test_a_cancelled_run_replays_to_its_cancellation_and_the_replay_itself_can_be_cancelled() -> None:
    world = World(scripted([turn_of(LOOK), calls(LATER), END]), Sources(logs=logs()))
    run_id = await world.start()
    asked = asyncio.Event()
    source = world.sources.logs
    assert isinstance(source, FakeLogs)
    answer = source.fetch

    async def slow(query: Any, *, deadline_s: float) -> str:
        if len(source.queries) >= 1:
            asked.set()
            await asyncio.Event().wait()
        return await answer(query, deadline_s=deadline_s)

    source.fetch = slow  # type: ignore[method-assign]
    task = asyncio.create_task(world.drive(run_id))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    rows = await world.runs.load(run_id)
    assert rows.run.status is RunStatus.CANCELLED
    assert [call.status for call in rows.invocations] == ["OK", "CANCELLED"]
    same_bytes(await replayed(world, rows), rows)


async def test_a_run_under_way_is_not_replayed() -> None:
    world = World(scripted([END]), Sources(logs=logs()))
    rows = await world.runs.load(await world.start())
    with pytest.raises(UsageError, match="QUEUED"):
        await replayed(world, rows)


async def test_a_run_whose_raw_results_are_gone_replays_from_the_bounded_ones_and_says_so() -> None:
    world = World(scripted([turn_of(LOOK), turn_of(LATER), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    assert (await replayed(world, rows)).replayed_from == "raw"
    await world.canonical.purge(now=NOW + timedelta(days=400))
    view = await replayed(world, rows)
    assert (view.replayed_from, view.missing) == ("bounded", ["2.0", "3.0"])
    same_bytes(view, rows)


async def test_one_raw_result_gone_is_as_if_all_were() -> None:
    world = World(scripted([turn_of(LOOK, LATER), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    del world.canonical._kept[rows.run.run_id, "2.1"]
    view = await replayed(world, rows)
    assert (view.replayed_from, view.missing) == ("bounded", ["2.1"])
    same_bytes(view, rows)


async def test_an_expired_raw_result_is_not_used_though_it_still_lies_there() -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    world.clock = FixedClock(NOW + timedelta(days=400))
    view = await replayed(world, rows)
    assert view.replayed_from == "bounded"
    same_bytes(view, rows)


async def test_a_changed_projection_is_shown_by_call_claim_and_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    project = QueryLogsProjector.project

    def half(self: Any, request: Any, tool_call_id: str, scope: Any, raw: str) -> Any:
        return project(self, request, tool_call_id, scope, raw.replace("20 of 20", "14 of 31"))

    monkeypatch.setattr(QueryLogsProjector, "project", half)
    view = await replayed(world, rows)
    assert not view.identical
    assert {"tool call", "claim", "report"} <= {change.section for change in view.changes}
    verdicts = [change for change in view.changes if change.section == "claim" and "verdict" in change.what]
    assert [change.a for change in verdicts] == ["SUPPORTED"]
    assert verdicts[0].b != "SUPPORTED"
    assert any(change.what.startswith("2.0 query_logs") for change in view.changes)


async def test_a_changed_prompt_is_told_and_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    monkeypatch.setattr("rootproof.agent.loop.system_prompt", lambda agent: f"another prompt for the {agent}")
    view = await replayed(world, rows)
    assert view.identical
    assert view.prompts_changed == 4


async def test_a_tampered_report_is_seen() -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    end = rows.steps[-1]
    forged = json.loads(json.dumps(end.output).replace("20 of 20", "20 of 21"))
    view = await replayed(world, replace(rows, steps=(*rows.steps[:-1], replace(end, output=forged))))
    assert not view.identical
    assert view.changes


async def test_the_replay_writes_nothing_to_the_stores_and_asks_no_source() -> None:
    world = World(scripted([turn_of(LOOK), END]), Sources(logs=logs()))
    rows = await world.diagnose()
    source, model = world.sources.logs, world.model
    assert isinstance(source, FakeLogs)
    asked, requests = len(source.queries), len(model.requests)  # type: ignore[attr-defined]
    await replayed(world, rows)
    assert await world.runs.load(rows.run.run_id) == rows
    assert len(await world.runs.list_runs()) == 1
    assert (len(source.queries), len(model.requests)) == (asked, requests)  # type: ignore[attr-defined]


class Killed(BaseException):
    """The process is gone: nothing of ours runs any more."""


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_run_that_another_worker_finished_replays(at: int) -> None:
    turns = [turn_of(LOOK), turn_of(LATER), turn_of(LOOK), END]
    dead: list[bool] = []

    def dies_once(_request: Any) -> Any:
        if not dead:
            dead.append(True)
            raise Killed
        return turns[at]

    world = World(scripted([*turns[:at], dies_once, *turns[at + 1 :]]), Sources(logs=logs(), payload=(ALERT,)))
    run_id = await world.start()
    with pytest.raises(Killed):
        await world.drive(run_id)
    rows = await world.drive(run_id)
    assert rows.run.status is RunStatus.COMPLETED
    same_bytes(await replayed(world, rows), rows)
