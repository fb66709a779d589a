"""A run from briefing to report, with a scripted model: what is stored, what is shown, what is never done twice."""

from __future__ import annotations

import json

import pytest

from rootproof.adapters.memory.scripted_model import ScriptedModel, calls
from rootproof.agent.state import fold
from rootproof.diagnosis.present import run_view
from rootproof.domain.claim import Verdict
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import Agent, StepKind
from rootproof.errors import ModelError, StaleWrite
from rootproof.ports.sources import Sources
from tests.fakes.driving import PLAN, World, claim, report, scripted
from tests.fakes.sources import FakeKnowledge, FakeLogs, log

POOL = "pool 'main' has 20 of 20 connections in use, 7 callers waiting"
LOOK = ("query_logs", {"topic": "APPLICATION", "lookback_minutes": 60})


def logs() -> FakeLogs:
    return FakeLogs([log(POOL), log("request took 31 s", "WARN", at="2026-05-04T10:01:00Z")])


async def test_a_run_ends_with_a_report_whose_claims_are_checked() -> None:
    model = scripted([calls(LOOK), report(claim("The pool has 20 of 20 connections in use.", "E2"))])
    rows = await World(model, Sources(logs=logs())).diagnose()

    assert rows.run.status is RunStatus.COMPLETED
    assert rows.run.status_reason is StatusReason.REPORTED
    view = run_view(rows)
    assert view.report is not None
    assert [item.verdict for item in view.report.claims] == [Verdict.SUPPORTED]
    assert {item.id for item in view.evidence} >= {"E1", "E2"}
    kinds = [step.kind for step in rows.steps]
    assert kinds == [StepKind.BRIEFING, StepKind.PLAN, StepKind.TURN, StepKind.DRAFT, StepKind.VERDICTS, StepKind.END]


async def test_a_false_number_is_not_supported() -> None:
    model = scripted([calls(LOOK), report(claim("The pool has 20 of 50 connections in use.", "E2", kind="CAUSE"))])
    rows = await World(model, Sources(logs=logs())).diagnose()
    view = run_view(rows)
    assert view.report is not None
    assert view.report.claims[0].verdict is not Verdict.SUPPORTED
    assert view.report.summary.startswith("Root cause not verified")


async def test_steps_keep_the_prompt_by_hash_only() -> None:
    model = scripted([calls(LOOK), report(claim("The pool is full.", "E2"))])
    rows = await World(model, Sources(logs=logs())).diagnose()
    asked = [step for step in rows.steps if step.agent in (Agent.PLANNER, Agent.EXECUTOR)]
    assert all(len(step.input_hash) == 64 for step in asked)
    assert "You are the executor" not in json.dumps([step.output for step in rows.steps])


async def test_the_planner_sees_names_and_descriptions_only() -> None:
    model = scripted([report(claim("Nothing.", "E1"))])
    await World(model, Sources(logs=logs())).diagnose()
    planner = next(request for request in model.requests if request.agent is Agent.PLANNER)
    told = repr(planner.messages[0]) + planner.system
    assert "diagnose-pool" in told
    assert "Body of" not in told
    assert [tool.name for tool in planner.tools] == ["submit_plan"]


async def test_the_second_read_of_a_skill_is_answered_from_context_and_counted() -> None:
    read = ("read_skill", {"name": "diagnose-pool"})
    world = World(
        scripted([calls(read), calls(read, LOOK), report(claim("The pool is full.", "E2"))]), Sources(logs=logs())
    )
    rows = await world.diagnose()
    reads = [step.output for step in rows.steps if step.kind is StepKind.SKILL_READ]
    assert [item["repeated"] for item in reads] == [False, True]
    assert [item["timesRead"] for item in reads] == [1, 2]
    assert world.skills.reads == ["diagnose-pool"]
    assert "Body of" not in reads[1]["text"]
    assert all(call.tool_name != "read_skill" for call in rows.invocations)


async def test_the_verifier_reads_the_facts_that_the_invocation_holds_and_never_the_raw_output() -> None:
    records = [log(POOL), *(log(f"noise {n}", "DEBUG") for n in range(200))]
    model = scripted([calls(LOOK), report(claim("The pool has 20 of 20 connections in use.", "E2"))])
    rows = await World(model, Sources(logs=FakeLogs(records))).diagnose()
    verifier = next(request for request in model.requests if request.agent is Agent.VERIFIER)
    summary = verifier.briefing.tool_trace_summary
    assert "20 of 20 connections in use" in summary
    assert "billing-api" in summary
    assert "ERROR" in summary
    assert "noise 150" not in repr(verifier.messages[0])
    assert rows.invocations[0].summary.splitlines()[0] in summary


async def test_allow_listed_record_metrics_reach_the_verifier_and_not_the_executor() -> None:
    records = [log("slow checkout", metrics={"duration_ms": 31_000.0})]
    model = scripted([calls(LOOK), report(claim("slow checkout", "E2"))])
    rows = await World(model, Sources(logs=FakeLogs(records))).diagnose()
    assert "31000" not in rows.invocations[0].result
    verifier = next(request for request in model.requests if request.agent is Agent.VERIFIER)
    assert "duration_ms: min 31000" in verifier.briefing.tool_trace_summary


async def test_modular_retrieval_keys_are_in_retrieval_details() -> None:
    blocks = [
        {
            "source": "pools.md",
            "title": "Pools",
            "breadcrumb": "Pools > Full",
            "content": "Check idle connections.",
            "score": 3.0,
        }
    ]
    model = scripted(
        [calls(("lookup_knowledge", {"query": "pool full"})), report(claim("Check idle connections.", "E2"))]
    )
    rows = await World(model, Sources(knowledge=FakeKnowledge(blocks))).diagnose()
    details = rows.invocations[0].retrieval_details
    assert details is not None
    assert {
        "queryTransform",
        "retrievalTrace",
        "rerankTrace",
        "contextPack",
        "fallbackReason",
        "evidenceSummaries",
    } <= set(details)
    assert "score" not in rows.invocations[0].result


async def test_a_runbook_can_not_confirm_a_cause() -> None:
    blocks = [
        {
            "source": "x.md",
            "title": "X",
            "breadcrumb": "X",
            "content": "The cause is always a leaked connection pool.",
            "score": 3.0,
        }
    ]
    said = claim("The cause is a leaked connection pool.", "E2", kind="CAUSE", cause_id="leak", category="CODE_DEFECT")
    model = scripted([calls(("lookup_knowledge", {"query": "pool"})), report(said)])
    view = run_view(await World(model, Sources(knowledge=FakeKnowledge(blocks))).diagnose())
    assert view.report is not None
    assert view.report.root_causes == []
    assert view.report.claims[0].verdict is Verdict.NO_EVIDENCE


async def test_a_failing_model_takes_its_plan_with_it() -> None:
    blind = calls(("submit_plan", {"intent": "INCIDENT", "skills": [], "steps": []}))
    rows = await World(scripted([ModelError("gone")], planner=[blind]), Sources(logs=logs())).diagnose()
    plans = [step.output["model"] for step in rows.steps if step.kind is StepKind.PLAN]
    assert plans[-1] == "playbook"
    assert len(plans) == 2
    assert {call.request["topic"] for call in rows.invocations if call.tool_name == "query_logs"} >= {"APPLICATION"}


async def test_a_provider_outage_is_finished_by_the_playbook_reasoner_and_says_so() -> None:
    model = scripted([calls(LOOK), ModelError("scripted:test: 503 overloaded")])
    rows = await World(model, Sources(logs=logs())).diagnose()
    view = run_view(rows)
    assert view.status is RunStatus.COMPLETED
    assert view.status_reason is StatusReason.MODEL_FAILED
    assert "503 overloaded" in view.status_detail
    assert view.report is not None
    assert "playbook reasoner" in view.report.summary


@pytest.mark.parametrize(
    "bad",
    [
        calls(("query_everything", {})),
        calls(("query_logs", {"topic": "APPLICATION", "since": "1h"})),
        calls(("query_logs", "{not json")),
        calls(("submit_report", {"claims": [{"kind": "NONSENSE", "text": "x"}]})),
        calls(LOOK, prefix="same"),
    ],
    ids=["unknown tool", "unknown field", "broken arguments", "broken report", "same call"],
)
async def test_an_endless_loop_ends_typed_and_within_budget(bad: object) -> None:
    model = scripted([bad] * 100)  # type: ignore[list-item]
    rows = await World(model, Sources(logs=logs())).diagnose()
    assert rows.run.status is RunStatus.COMPLETED
    assert rows.run.status_reason is StatusReason.MODEL_FAILED
    assert len(model.requests) <= 9
    assert rows.run.report is not None


async def test_refused_calls_are_recorded_and_call_nothing() -> None:
    source = logs()
    turn = calls(("query_everything", {}), ("query_logs", {"topic": "APPLICATION", "since": "1h"}))
    rows = await World(scripted([turn, report(claim("x", "E1"))]), Sources(logs=source)).diagnose()
    assert [call.status for call in rows.invocations] == [InvocationStatus.DENIED, InvocationStatus.DENIED]
    assert "there is no tool of that name" in rows.invocations[0].error
    assert "since" in rows.invocations[1].error
    assert source.queries == []


async def test_identical_calls_are_answered_once_and_refused_after_three() -> None:
    source = logs()
    turns = [calls(LOOK), calls(LOOK), calls(LOOK), calls(LOOK), report(claim("The pool is full.", "E2"))]
    rows = await World(scripted(turns), Sources(logs=source)).diagnose()
    assert [call.status for call in rows.invocations] == [InvocationStatus.OK] * 3 + [InvocationStatus.DENIED]
    assert len(source.queries) == 1
    assert rows.invocations[1].result == rows.invocations[0].result
    assert rows.invocations[1].evidence == ()


async def test_the_run_resumes_after_a_death_between_any_two_rows() -> None:
    def script() -> ScriptedModel:
        read = ("read_skill", {"name": "diagnose-pool"})
        return scripted([calls(read, LOOK), report(claim("The pool has 20 of 20 connections in use.", "E2"))])

    whole = await World(script(), Sources(logs=logs())).diagnose()
    writes = 40
    for deadly in range(1, writes):
        model, source = script(), logs()
        world = World(model, Sources(logs=source))
        run_id = await world.start()
        dying = _DyingStore(world.runs, deadly)
        world.runs, living = dying, world.runs
        try:
            await world.drive(run_id)
        except _Killed:
            world.runs = living
            rows = await world.drive(run_id)
            assert [(s.kind, s.agent) for s in rows.steps] == [(s.kind, s.agent) for s in whole.steps], deadly
            assert rows.run.status is RunStatus.COMPLETED
            assert len(source.queries) <= 2, "a call that was under way may be made again, a finished one not"
            assert run_view(rows).report == run_view(whole).report
        else:
            assert deadly > len(whole.steps)
            break


async def test_concurrent_runs_in_one_session_never_mix_rows() -> None:
    import asyncio

    world = World(scripted([]))
    run_ids = []
    for number in range(6):
        run_ids.append(await world.start(f"question {number}", session_id="ses-shared"))

    async def one(number: int, run_id: str) -> None:
        mine = World(
            scripted([calls(LOOK), report(claim(f"marker {number} seen", "E2"))]),
            Sources(logs=FakeLogs([log(f"marker {number} seen")], delay_s=0.002 * (6 - number))),
            runs=world.runs,
            canonical=world.canonical,
        )
        await mine.drive(run_id)

    await asyncio.gather(*(one(number, run_id) for number, run_id in enumerate(run_ids)))
    for number, run_id in enumerate(run_ids):
        rows = await world.runs.load(run_id)
        assert rows.run.session_id == "ses-shared"
        texts = json.dumps([call.result for call in rows.invocations])
        assert f"marker {number} seen" in texts
        assert not any(f"marker {other} seen" in texts for other in range(6) if other != number)
        assert fold(rows.run, rows.steps, rows.invocations).end is not None
        assert [step.step_no for step in rows.steps] == list(range(len(rows.steps)))


class _Killed(BaseException):
    """The process died here."""


class _DyingStore:
    """Lets a number of writes through, then dies before the next one, whatever it is."""

    def __init__(self, inner: object, writes: int) -> None:
        self._inner = inner
        self._left = writes

    def __getattr__(self, name: str) -> object:
        method = getattr(self._inner, name)
        if name not in ("append_step", "open_invocation", "update_invocation", "update_run"):
            return method

        async def counted(*args: object, **kwargs: object) -> object:
            if self._left <= 0:
                raise _Killed
            self._left -= 1
            return await method(*args, **kwargs)

        return counted


async def test_a_worker_that_was_overtaken_stops_without_writing() -> None:
    world = World(scripted([calls(LOOK), report(claim("The pool is full.", "E2"))]), Sources(logs=logs()))
    run_id = await world.start()
    slow = World(
        scripted([calls(LOOK), report(claim("Another story.", "E2"))], planner=[lambda _request: PLAN]),
        Sources(logs=logs()),
        runs=_OvertakenStore(world.runs, world, run_id),
        canonical=world.canonical,
    )
    with pytest.raises(StaleWrite):
        await slow.drive(run_id)
    rows = await world.runs.load(run_id)
    assert rows.run.status is RunStatus.COMPLETED
    assert "Another story" not in json.dumps([step.output for step in rows.steps])


class _OvertakenStore:
    """Before its second step is written, another worker drives the whole run."""

    def __init__(self, inner: object, other: World, run_id: str) -> None:
        self._inner, self._other, self._run_id = inner, other, run_id
        self._steps = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def append_step(self, *args: object) -> object:
        self._steps += 1
        if self._steps == 2:
            await self._other.drive(self._run_id)
        return await self._inner.append_step(*args)  # type: ignore[attr-defined]
