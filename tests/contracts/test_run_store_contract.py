"""What every RunStore keeps to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rootproof.domain.context import ExecutionContext
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.ids import new_run_id, new_session_id
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.run import RUN_TRANSITIONS, Run, RunMode, RunStatus, StatusReason, is_terminal
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.run_store import RunStore
from tests.contracts.conftest import T0, House

TRICKY = "déjà vu 漢字かな 한국어 🦊👩‍🚒 \u202eabc\u0000\ud83d tail 'quote' \"double\" \\back %s ${x} \r\n\t"
TRICKY_KEPT = TRICKY.replace("\u0000", "\\x00").replace("\ud83d", "\\ud83d")


def a_session(owner: str = "ana", session_id: str | None = None) -> ChatSession:
    return ChatSession(session_id or new_session_id(), owner)


def a_run(session: ChatSession, **changes: Any) -> Run:
    run = Run(
        run_id=new_run_id(),
        session_id=session.session_id,
        owner=session.owner,
        mode=RunMode.CHAT,
        question="why is checkout slow?",
        now=T0,
        sources={"bundle": "somewhere"},
    )
    return replace(run, **changes)


async def started(store: RunStore, owner: str = "ana", session_id: str | None = None) -> Run:
    session = a_session(owner, session_id)
    return await store.create_run(session, a_run(session))


def a_step(number: int, **changes: Any) -> Step:
    step = Step(number, Agent.EXECUTOR, StepKind.TURN, {"text": f"turn {number}"}, input_tokens=7, output_tokens=5)
    return replace(step, **changes)


def a_call(step_no: int = 0, call_index: int = 0, **changes: Any) -> Invocation:
    call = Invocation(step_no, call_index, "call_0", "query_logs", {"topic": "APPLICATION"}, request_key="query_logs{}")
    return replace(call, **changes)


async def rows(store: RunStore, run_id: str) -> Any:
    loaded = await store.load(run_id)
    assert loaded is not None
    return loaded


# -- creating and loading ------------------------------------------------------------------------------------------


async def test_a_new_run_comes_back_as_created(house: House) -> None:
    session = a_session()
    created = await house.runs.create_run(session, a_run(session))
    assert created.seq == 1
    assert created.status is RunStatus.QUEUED
    assert created.created_at == created.updated_at
    loaded = await rows(house.runs, created.run_id)
    assert loaded.run == created
    assert loaded.steps == loaded.invocations == ()


async def test_an_unknown_run_is_none(house: House) -> None:
    assert await house.runs.load(new_run_id()) is None
    assert await house.runs.latest_run("no-such-session") is None
    assert await house.runs.list_runs(session_id="no-such-session") == ()


@pytest.mark.parametrize("odd", ["", " ", "run-\ud800", "run-\x00", "x" * 10_000, "run-1 ", "' OR 1=1 --", "漢字🦊"])
async def test_an_id_that_cannot_exist_is_absent_not_an_error(house: House, odd: str) -> None:
    run = await started(house.runs)
    assert await house.runs.load(odd) is None
    assert await house.runs.load(run.run_id + " ") is None
    assert await house.runs.load(run.run_id, owner=odd) is None
    assert await house.runs.latest_run(odd) is None
    assert await house.runs.list_runs(owner=odd) == ()
    assert len(await house.runs.list_runs(before=(T0 + timedelta(days=1), odd))) == 1


async def test_a_foreign_owner_sees_nothing(house: House) -> None:
    run = await started(house.runs, "ana")
    assert await house.runs.load(run.run_id, owner="bob") is None
    assert await house.runs.latest_run(run.session_id, owner="bob") is None
    assert await house.runs.list_runs(owner="bob") == ()
    assert await house.runs.load(run.run_id, owner="ana") is not None
    assert await house.runs.latest_run(run.session_id, owner="ana") == run


@pytest.mark.parametrize("almost", ["Ana", "ana ", "anä", "ana\u0301"])
async def test_owners_are_compared_exactly(house: House, almost: str) -> None:
    run = await started(house.runs, "ana")
    assert await house.runs.load(run.run_id, owner=almost) is None
    assert await house.runs.list_runs(owner=almost) == ()
    with pytest.raises(StoreError):
        await house.runs.append_step(ExecutionContext(run.session_id, run.run_id, almost), a_step(0))


async def test_ids_differ_by_case(house: House) -> None:
    lower = await started(house.runs, session_id="case-test")
    upper = await started(house.runs, "bob", session_id="CASE-TEST")
    assert await house.runs.latest_run("case-test") == lower
    assert await house.runs.latest_run("CASE-TEST") == upper
    session = a_session(session_id="case-test")
    await house.runs.create_run(session, a_run(session, run_id="run-a"))
    await house.runs.create_run(session, a_run(session, run_id="run-A"))
    assert (await rows(house.runs, "run-a")).run.run_id == "run-a"
    assert (await rows(house.runs, "run-A")).run.run_id == "run-A"


async def test_a_session_of_another_owner_takes_no_run(house: House) -> None:
    run = await started(house.runs, "ana", "shared")
    session = a_session("bob", "shared")
    with pytest.raises(StoreError, match="another owner"):
        await house.runs.create_run(session, a_run(session))
    assert await house.runs.list_runs() == (run,)


async def test_a_run_id_is_used_once(house: House) -> None:
    session = a_session()
    run = a_run(session)
    await house.runs.create_run(session, run)
    other = a_session("bob")
    for again in (session, other):
        with pytest.raises(StoreError, match="taken") as caught:
            await house.runs.create_run(again, a_run(again, run_id=run.run_id))
        assert not isinstance(caught.value, StaleWrite)
    assert len(await house.runs.list_runs()) == 1


@pytest.mark.parametrize(
    "change",
    [{"owner": "bob"}, {"session_id": "other"}, {"status": RunStatus.RUNNING}, {"run_id": ""}, {"run_id": "r" * 65}],
)
async def test_a_run_that_does_not_fit_its_session_is_refused(house: House, change: dict[str, Any]) -> None:
    session = a_session()
    with pytest.raises(StoreError):
        await house.runs.create_run(session, a_run(session, **change))
    assert await house.runs.list_runs() == ()


async def test_many_runs_start_in_one_new_session_at_once(house: House) -> None:
    session = a_session()
    created = await asyncio.gather(*(house.runs.create_run(session, a_run(session)) for _ in range(12)))
    listed = await house.runs.list_runs(session_id=session.session_id)
    assert {run.run_id for run in listed} == {run.run_id for run in created}


# -- values --------------------------------------------------------------------------------------------------------


async def test_every_field_survives_to_the_microsecond(house: House) -> None:
    session = a_session()
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    run = a_run(
        session,
        mode=RunMode.PAYLOAD_TARGETED,
        question=TRICKY,
        now=datetime(2026, 1, 1, 5, 0, 0, 1, tzinfo=kathmandu),
        reasoner="openai:gpt-5",
        sources={"z": 1, "a": [1, 2.5, None, True, 2**60, {"漢": "字"}]},
        created_at=datetime(2026, 1, 1, 0, 0, 0, 999_999, tzinfo=UTC),
    )
    created = await house.runs.create_run(session, run)
    step = a_step(0, agent=Agent.PLANNER, kind=StepKind.PLAN, output={"b": TRICKY, "a": []}, input_hash="f" * 64)
    written_step = await house.runs.append_step(run.context, replace(step, input_summary=TRICKY, duration_ms=2**40))
    seen_at = datetime(2026, 1, 1, 1, 2, 3, 4, tzinfo=UTC)
    evidence = Evidence(
        "E1", EvidenceClass.OBSERVATION, "query_logs", "call_0", TRICKY_KEPT, "app", "cart", seen_at, None, 12
    )
    call = a_call(
        request={"q": TRICKY_KEPT},
        result="{}",
        summary=TRICKY_KEPT,
        evidence=(evidence, replace(evidence, id="E2", subject=None, first_at=None, last_at=seen_at, count=None)),
        retrieval_details={"k": {"deep": [1]}},
        identifiers={"<pod:cart-1>": "cart-7d9f"},
        source="bundle",
        error="",
        scanned=2**40,
        shown=0,
        truncated=True,
        raw_sha256="a" * 64,
        raw_bytes=2**40,
        agent_visible_bytes=3,
        duration_ms=9,
    )
    opened = await house.runs.open_invocation(run.context, call)
    done = await house.runs.update_invocation(
        run.context, replace(opened, status=InvocationStatus.OK, finished_at=seen_at)
    )
    loaded = await rows(house.runs, run.run_id)
    assert loaded.steps == (written_step,)
    assert loaded.invocations == (done,)
    assert done == replace(call, status=InvocationStatus.OK, finished_at=seen_at, created_at=opened.created_at, seq=4)
    assert written_step.input_summary == TRICKY_KEPT
    assert written_step.output["a"] == []
    assert list(written_step.output) == ["b", "a"]
    assert loaded.run.question == TRICKY_KEPT
    assert loaded.run.sources == run.sources
    assert list(loaded.run.sources) == ["z", "a"]
    assert created.created_at == loaded.run.created_at == run.created_at
    assert loaded.run.now == run.now
    assert loaded.run.now.utcoffset() == timedelta(0)


async def test_what_no_database_keeps_becomes_visible(house: House) -> None:
    run = await started(house.runs)
    output = {"nan": float("nan"), "inf": float("-inf"), "lone \udc80": ["\ud83d", ("tuple", 1)]}
    step = await house.runs.append_step(run.context, a_step(0, output=output, input_summary="a\x00b\udc80"))
    assert step.output == {"nan": "NaN", "inf": "-Infinity", "lone \\udc80": ["\\ud83d", ["tuple", 1]]}
    assert step.input_summary == "a\\x00b\\udc80"
    assert (await rows(house.runs, run.run_id)).steps == (step,)


async def test_what_is_no_json_is_refused_by_column(house: House) -> None:
    run = await started(house.runs)
    with pytest.raises(StoreError, match=r"agent_step\.output"):
        await house.runs.append_step(run.context, a_step(0, output={"when": T0}))
    with pytest.raises(StoreError, match=r"created_at.*aware"):
        await house.runs.append_step(run.context, a_step(0, created_at=T0.replace(tzinfo=None)))
    assert (await house.runs.append_step(run.context, a_step(0))).seq == 2


async def test_a_megabyte_result_survives(house: House) -> None:
    run = await started(house.runs)
    result = "0123456789 漢字🦊 " * 70_000
    opened = await house.runs.open_invocation(run.context, a_call())
    await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.OK, result=result))
    (call,) = (await rows(house.runs, run.run_id)).invocations
    assert call.result == result


async def test_a_models_odd_names_fit(house: House) -> None:
    run = await started(house.runs)
    long = "n" * 5_000
    await house.runs.open_invocation(run.context, a_call(tool_name=long, tool_call_id=long, request_key=long))
    (call,) = (await rows(house.runs, run.run_id)).invocations
    assert (call.tool_name, call.tool_call_id, call.request_key) == (long, long, long)


async def test_rows_do_not_share_objects_with_the_caller(house: House) -> None:
    run = await started(house.runs)
    output: dict[str, Any] = {"list": [1]}
    written = await house.runs.append_step(run.context, a_step(0, output=output))
    output["list"].append(2)
    written.output["list"].append(3)
    loaded = await rows(house.runs, run.run_id)
    loaded.steps[0].output["list"].append(4)
    assert (await rows(house.runs, run.run_id)).steps[0].output == {"list": [1]}


# -- seq, counts, isolation ----------------------------------------------------------------------------------------


async def test_every_write_takes_the_next_seq(house: House) -> None:
    run = await started(house.runs)
    step = await house.runs.append_step(run.context, a_step(0))
    opened = await house.runs.open_invocation(run.context, a_call())
    running = await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.RUNNING))
    updated = await house.runs.update_run(replace(run, status=RunStatus.RUNNING))
    ok = await house.runs.update_invocation(run.context, replace(running, status=InvocationStatus.OK))
    assert [run.seq, step.seq, opened.seq, running.seq, updated.seq, ok.seq] == [1, 2, 3, 4, 5, 6]
    loaded = await rows(house.runs, run.run_id)
    assert (loaded.run.seq, loaded.steps[0].seq, loaded.invocations[0].seq) == (5, 2, 6)


async def test_a_refused_write_takes_no_seq(house: House) -> None:
    run = await started(house.runs)
    await house.runs.append_step(run.context, a_step(0))
    with pytest.raises(StaleWrite):
        await house.runs.append_step(run.context, a_step(0))
    with pytest.raises(StaleWrite):
        await house.runs.update_invocation(run.context, a_call(status=InvocationStatus.OK))
    assert (await house.runs.append_step(run.context, a_step(1))).seq == 3
    assert (await rows(house.runs, run.run_id)).run.step_count == 2


async def test_counts_are_the_stores_own(house: House) -> None:
    run = await started(house.runs)
    for number in range(3):
        await house.runs.append_step(run.context, a_step(number))
    opened = await house.runs.open_invocation(run.context, a_call(2))
    await house.runs.open_invocation(run.context, a_call(2))  # taken over: the same call
    await house.runs.open_invocation(run.context, a_call(2, 1))
    await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.OK))
    ended = await house.runs.update_run(replace(run, status=RunStatus.RUNNING, total_token_count=36, step_count=99))
    assert (ended.step_count, ended.tool_call_count, ended.total_token_count) == (3, 2, 36)
    assert (await rows(house.runs, run.run_id)).run == ended


async def test_concurrent_runs_of_one_session_never_mix(house: House) -> None:
    session = a_session()
    runs = [await house.runs.create_run(session, a_run(session)) for _ in range(4)]

    async def work(run: Run) -> None:
        for number in range(6):
            await house.runs.append_step(run.context, a_step(number, output={"run": run.run_id}))
            opened = await house.runs.open_invocation(run.context, a_call(number, request={"run": run.run_id}))
            await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.OK))

    await asyncio.gather(*(work(run) for run in runs))
    for run in runs:
        loaded = await rows(house.runs, run.run_id)
        assert [step.output["run"] for step in loaded.steps] == [run.run_id] * 6
        assert [call.request["run"] for call in loaded.invocations] == [run.run_id] * 6
        assert [step.seq for step in loaded.steps] == [2, 5, 8, 11, 14, 17]
        assert [call.seq for call in loaded.invocations] == [4, 7, 10, 13, 16, 19]
        assert (loaded.run.step_count, loaded.run.tool_call_count) == (6, 6)


async def test_seq_is_gapless_when_many_write_to_one_run(house: House) -> None:
    run = await started(house.runs)
    other, _ = await house.reopened()
    stores = (house.runs, other)
    written = await asyncio.gather(
        *(stores[number % 2].append_step(run.context, a_step(number)) for number in range(24))
    )
    assert sorted(step.seq for step in written) == list(range(2, 26))
    assert (await rows(house.runs, run.run_id)).run.step_count == 24


async def test_of_two_writers_of_one_step_exactly_one_wins(house: House) -> None:
    run = await started(house.runs)
    other, _ = await house.reopened()
    for number in range(5):
        outcomes = await asyncio.gather(
            house.runs.append_step(run.context, a_step(number, output={"writer": "first"})),
            other.append_step(run.context, a_step(number, output={"writer": "second"})),
            return_exceptions=True,
        )
        won = [outcome for outcome in outcomes if isinstance(outcome, Step)]
        assert len(won) == 1
        assert [type(outcome) for outcome in outcomes if not isinstance(outcome, Step)] == [StaleWrite]
        assert (await rows(house.runs, run.run_id)).steps[number] == won[0]
    assert (await rows(house.runs, run.run_id)).run.step_count == 5


@pytest.mark.parametrize("change", [{"run_id": new_run_id()}, {"session_id": "other"}, {"owner": "bob"}])
async def test_a_foreign_context_writes_nothing(house: House, change: dict[str, str]) -> None:
    run = await started(house.runs)
    await started(house.runs, session_id="other")
    foreign = replace(run.context, **change)
    opened = await house.runs.open_invocation(run.context, a_call())
    before = await rows(house.runs, run.run_id)
    for write in (
        house.runs.append_step(foreign, a_step(0)),
        house.runs.open_invocation(foreign, a_call(1)),
        house.runs.update_invocation(foreign, replace(opened, status=InvocationStatus.OK)),
        house.runs.update_run(replace(run, status=RunStatus.RUNNING, **change)),
    ):
        with pytest.raises(StoreError, match="no run") as caught:
            await write
        assert not isinstance(caught.value, StaleWrite)
    assert await rows(house.runs, run.run_id) == before


async def test_another_connection_sees_everything(house: House) -> None:
    run = await started(house.runs)
    await house.runs.append_step(run.context, a_step(0))
    opened = await house.runs.open_invocation(run.context, a_call())
    await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.NO_EVIDENCE))
    other, _ = await house.reopened()
    assert await rows(other, run.run_id) == await rows(house.runs, run.run_id)
    await other.append_step(run.context, a_step(1))
    assert len((await rows(house.runs, run.run_id)).steps) == 2


async def test_rows_come_in_order_whatever_the_order_of_writing(house: House) -> None:
    run = await started(house.runs)
    for number in (10, 2, 0):
        await house.runs.append_step(run.context, a_step(number))
        for index in (10, 9, 1):
            await house.runs.open_invocation(run.context, a_call(number, index))
    loaded = await rows(house.runs, run.run_id)
    assert [step.step_no for step in loaded.steps] == [0, 2, 10]
    assert [(call.step_no, call.call_index) for call in loaded.invocations] == [
        (number, index) for number in (0, 2, 10) for index in (1, 9, 10)
    ]


# -- invocations ---------------------------------------------------------------------------------------------------

UNFINISHED = [InvocationStatus.RECEIVED, InvocationStatus.RUNNING]
FINAL = [status for status in InvocationStatus if is_final(status)]


@pytest.mark.parametrize("left_in", UNFINISHED)
async def test_a_call_that_died_is_taken_over(house: House, left_in: InvocationStatus) -> None:
    run = await started(house.runs)
    opened = await house.runs.open_invocation(run.context, a_call(3, 1, request={"by": "first"}))
    if left_in is InvocationStatus.RUNNING:
        await house.runs.update_invocation(run.context, replace(opened, status=left_in, source="half"))
    other, _ = await house.reopened()
    again = await other.open_invocation(run.context, a_call(3, 1, tool_call_id="call_b", request={"by": "second"}))
    assert again.status is InvocationStatus.RECEIVED
    (call,) = (await rows(house.runs, run.run_id)).invocations
    assert call == again
    assert (call.request, call.source, call.tool_call_id) == ({"by": "second"}, "", "call_b")
    done = await other.update_invocation(run.context, replace(again, status=InvocationStatus.OK))
    with pytest.raises(StaleWrite):
        await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.TIMEOUT))
    assert (await rows(house.runs, run.run_id)).invocations == (done,)


@pytest.mark.parametrize("status", FINAL)
async def test_a_finished_call_stays_finished(house: House, status: InvocationStatus) -> None:
    run = await started(house.runs)
    opened = await house.runs.open_invocation(run.context, a_call())
    done = await house.runs.update_invocation(run.context, replace(opened, status=status))
    assert done.finished_at is not None
    with pytest.raises(StaleWrite, match=status):
        await house.runs.open_invocation(run.context, a_call())
    for later in (InvocationStatus.RUNNING, InvocationStatus.OK, status):
        with pytest.raises(StaleWrite):
            await house.runs.update_invocation(run.context, replace(opened, status=later))
    assert (await rows(house.runs, run.run_id)).invocations == (done,)


async def test_a_running_call_is_not_received_again_by_an_update(house: House) -> None:
    run = await started(house.runs)
    opened = await house.runs.open_invocation(run.context, a_call(status=InvocationStatus.OK))
    assert opened.status is InvocationStatus.RECEIVED
    await house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.RUNNING))
    with pytest.raises(StaleWrite):
        await house.runs.update_invocation(run.context, opened)


async def test_of_two_who_finish_one_call_exactly_one_wins(house: House) -> None:
    run = await started(house.runs)
    opened = await house.runs.open_invocation(run.context, a_call())
    other, _ = await house.reopened()
    outcomes = await asyncio.gather(
        house.runs.update_invocation(run.context, replace(opened, status=InvocationStatus.OK)),
        other.update_invocation(run.context, replace(opened, status=InvocationStatus.TIMEOUT)),
        return_exceptions=True,
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Invocation", "StaleWrite"]


# -- the run's life ------------------------------------------------------------------------------------------------


async def in_status(store: RunStore, status: RunStatus) -> Run:
    run = await started(store)
    if status is RunStatus.QUEUED:
        return run
    run = await store.update_run(replace(run, status=RunStatus.RUNNING))
    if status is RunStatus.RUNNING:
        return run
    return await store.update_run(replace(run, status=status, report={"summary": "x"}))


@pytest.mark.parametrize("old", list(RunStatus))
@pytest.mark.parametrize("new", list(RunStatus))
async def test_a_run_moves_only_along_the_table(house: House, old: RunStatus, new: RunStatus) -> None:
    run = await in_status(house.runs, old)
    changed = replace(run, status=new, report={"summary": "other"})
    if new in RUN_TRANSITIONS[old] or (new is old and not is_terminal(old)):
        updated = await house.runs.update_run(changed)
        assert (updated.status, updated.report, updated.seq) == (new, {"summary": "other"}, run.seq + 1)
    else:
        with pytest.raises(StaleWrite):
            await house.runs.update_run(changed)
        assert (await rows(house.runs, run.run_id)).run == run


async def test_the_end_of_a_run_is_written_whole(house: House) -> None:
    run = await in_status(house.runs, RunStatus.RUNNING)
    ended = await house.runs.update_run(
        replace(
            run,
            status=RunStatus.COMPLETED,
            status_reason=StatusReason.REPORTED,
            report={"summary": TRICKY_KEPT, "claims": [{"id": "C1"}]},
            self_evaluation={"supported_ratio": 0.5},
            total_duration_ms=1234,
            total_token_count=56,
        )
    )
    assert ended.status_reason is StatusReason.REPORTED
    assert ended.report == {"summary": TRICKY_KEPT, "claims": [{"id": "C1"}]}
    assert (ended.self_evaluation, ended.total_duration_ms, ended.total_token_count) == (
        {"supported_ratio": 0.5},
        1234,
        56,
    )
    assert ended.updated_at is not None
    assert ended.created_at is not None
    assert ended.updated_at > ended.created_at
    assert (await rows(house.runs, run.run_id)).run == ended


async def test_a_run_does_not_end_twice(house: House) -> None:
    run = await in_status(house.runs, RunStatus.RUNNING)
    other, _ = await house.reopened()
    ending = replace(run, status=RunStatus.COMPLETED, report={"summary": "the same"})
    outcomes = await asyncio.gather(house.runs.update_run(ending), other.update_run(ending), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Run", "StaleWrite"]


async def test_feedback_and_evaluation_may_follow_the_end_and_nothing_else(house: House) -> None:
    run = await in_status(house.runs, RunStatus.COMPLETED)
    judged = await house.runs.update_run(replace(run, feedback={"verdict": "helpful"}))
    judged = await house.runs.update_run(replace(judged, self_evaluation={"supported_ratio": 1.0}, feedback=None))
    assert (judged.feedback, judged.self_evaluation) == ({"verdict": "helpful"}, {"supported_ratio": 1.0})
    with pytest.raises(StaleWrite):
        await house.runs.update_run(replace(judged, feedback={"verdict": "wrong"}, report={"summary": "rewritten"}))
    assert (await rows(house.runs, run.run_id)).run == judged


# -- lists ---------------------------------------------------------------------------------------------------------


async def test_paging_is_stable_among_equal_times(house: House) -> None:
    session = a_session()
    made = []
    for number in range(9):
        created_at = T0 + timedelta(microseconds=number // 3)
        made.append(await house.runs.create_run(session, a_run(session, created_at=created_at)))
    expected = [run.run_id for run in reversed(made)]
    seen: list[str] = []
    before = None
    while page := await house.runs.list_runs(session_id=session.session_id, limit=2, before=before):
        seen += [run.run_id for run in page]
        assert page[-1].created_at is not None
        before = (page[-1].created_at, page[-1].run_id)
        await house.runs.create_run(session, a_run(session, created_at=T0 + timedelta(days=1)))
    assert seen == expected


async def test_lists_filter_by_owner_and_session(house: House) -> None:
    first = await started(house.runs, "ana", "s1")
    second = await started(house.runs, "ana", "s2")
    third = await started(house.runs, "bob", "s3")
    assert await house.runs.list_runs() == (third, second, first)
    assert await house.runs.list_runs(owner="ana") == (second, first)
    assert await house.runs.list_runs(owner="ana", session_id="s1") == (first,)
    assert await house.runs.list_runs(owner="ana", session_id="s3") == ()
    assert await house.runs.list_runs(limit=1) == (third,)
    assert await house.runs.list_runs(limit=0) == ()


async def test_the_latest_run_is_the_last_created_not_the_last_touched(house: House) -> None:
    older = await started(house.runs, session_id="talk")
    newer = await started(house.runs, session_id="talk")
    running = await house.runs.update_run(replace(older, status=RunStatus.RUNNING))
    await house.runs.update_run(replace(running, status=RunStatus.COMPLETED, feedback={"verdict": "helpful"}))
    assert await house.runs.latest_run("talk") == newer
    twin = a_session(session_id="talk")
    last = await house.runs.create_run(twin, a_run(twin, created_at=newer.created_at))
    assert await house.runs.latest_run("talk") == last


async def test_unfinished_runs_come_oldest_first(house: House) -> None:
    made = {status: await in_status(house.runs, status) for status in reversed(RunStatus)}
    assert await house.runs.unfinished() == (made[RunStatus.RUNNING].run_id, made[RunStatus.QUEUED].run_id)
