"""The tool boundary: lifecycle, ownership, budgets, deadlines, errors. Whatever happens, the model gets a value."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.context import ExecutionContext, ToolEnvelope
from rootproof.domain.invocation import InvocationStatus as S
from rootproof.domain.limits import RunLimits
from rootproof.errors import (
    ProjectionError,
    QueryRejected,
    SourceDenied,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
)
from tests.aci.boundary_case import CONTEXT, Case, message_of
from tests.fakes.driving import NOW

SECRET = "AKIA" + "Q7XJ2WPLZ4RTN6BM"


async def ready(**more: Any) -> Case:
    return await Case(**more).ready()


async def test_every_change_of_a_call_is_stored_before_it_goes_on() -> None:
    case = await ready()
    seen: list[S] = []

    async def source() -> str:
        seen.append(case.runs.written[-1].status)
        return "one two"

    await case.call(source)
    assert [row.status for row in case.runs.written] == [S.RECEIVED, S.RUNNING, S.OK]
    assert seen == [S.RUNNING]
    assert [row.seq for row in case.runs.written] == sorted({row.seq for row in case.runs.written})


async def test_an_empty_projection_is_an_answer_and_not_an_error() -> None:
    case = await ready()
    result = await case.call("")
    assert result.status is S.NO_EVIDENCE
    assert case.runs.written[-1].error == ""


@pytest.mark.parametrize(
    "foreign",
    [
        ExecutionContext("ses-1", "run-2", "owner-1"),
        ExecutionContext("ses-1", "run-1", "owner-2"),
        ExecutionContext("ses-2", "run-1", "owner-1"),
    ],
    ids=["run", "owner", "session"],
)
async def test_a_call_of_another_run_or_owner_is_refused_and_leaves_nothing(foreign: ExecutionContext) -> None:
    case = await ready()
    await case.call("the secret of run one")
    before = list(case.runs.written)
    result = await case.call(context=foreign)  # the same key as the finished call above
    other = await case.call(context=foreign, step=3)
    refused = await case.boundary.reject(ToolEnvelope(foreign, "c", 0, 0, 1), "query_logs", "{}", "why")
    assert [result.status, other.status, refused.status] == [S.DENIED] * 3
    assert "another run or owner" in message_of(result)
    assert "secret of run one" not in result.text + other.text + refused.text
    assert case.asked == 1
    assert case.runs.written == before
    again = await case.call("fresh words", step=3)
    assert again.status is S.OK, "the refused call must not have taken the key of our own"


async def test_the_same_key_returns_its_stored_result_without_a_call() -> None:
    case = await ready()
    first = await case.call("one two")
    again = await case.call("something else")
    assert again == first
    assert case.asked == 1
    resumed = Case(runs=case.runs, canonical=case.canonical, earlier=[case.runs.written[-1]])
    assert await resumed.call("something else") == first
    assert resumed.asked == 0


async def test_an_identical_call_is_answered_from_the_first_and_the_fourth_is_refused() -> None:
    case = await ready()
    results = [await case.call(step=step, arguments={"q": 1}) for step in range(4)]
    assert [item.status for item in results] == [S.OK, S.OK, S.OK, S.DENIED]
    assert case.asked == 1
    assert results[1].text == results[0].text
    assert results[1].evidence == ()
    assert "3 times" in message_of(results[3])


async def test_long_requests_that_differ_at_their_end_are_different_calls() -> None:
    case = await ready()
    long = ["s" * 190] * 4
    first = await case.call("one", step=0, arguments={"services": [*long, "a"]})
    other = await case.call("two", step=1, arguments={"services": [*long, "b"]})
    same = await case.call("three", step=2, arguments={"services": [*long, "a"]})
    assert "two" in other.text
    assert same.text == first.text
    assert case.asked == 2


async def test_the_order_of_arguments_does_not_make_a_call_another_one() -> None:
    case = await ready()
    await case.call(step=0, arguments={"a": 1, "b": 2})
    await case.call(step=1, arguments={"b": 2, "a": 1})
    assert case.asked == 1


async def test_a_failed_call_may_be_made_again() -> None:
    case = await ready()
    await case.call(SourceUnavailable("down"), step=0, arguments={"q": 1})
    again = await case.call("up again", step=1, arguments={"q": 1})
    assert again.status is S.OK
    assert case.asked == 2


async def test_the_budget_of_tool_calls_ends_the_calls() -> None:
    case = await ready(limits=RunLimits(max_tool_calls=2))
    results = [await case.call(step=step) for step in range(3)]
    assert results[2].status is S.BUDGET_EXCEEDED
    assert "2 tool calls" in message_of(results[2])
    assert "report what the evidence so far supports" in message_of(results[2])
    assert case.asked == 2


async def test_the_budget_of_visible_bytes_ends_the_calls() -> None:
    case = await ready(limits=RunLimits(max_agent_visible_bytes=50))
    first = await case.call(step=0)
    assert len(first.text.encode()) > 50
    second = await case.call(step=1)
    assert second.status is S.BUDGET_EXCEEDED
    assert "50 allowed" in message_of(second)
    assert case.asked == 1


async def test_visible_bytes_are_those_of_the_result() -> None:
    case = await ready()
    result = await case.call("größe 漢字")
    assert case.runs.written[-1].agent_visible_bytes == len(result.text.encode())
    assert case.ledger.agent_visible_bytes == len(result.text.encode())


async def _forever() -> str:
    await asyncio.sleep(60)
    return ""


async def _not_text() -> Any:
    return b"bytes"


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (_forever, S.TIMEOUT, "no answer within 0.01 s"),
        (SourceTimeout("the index took 31 s"), S.TIMEOUT, "the index took 31 s"),
        (SourceDenied("403 forbidden: role reader lacks logs:read"), S.DENIED, "role reader lacks logs:read"),
        (SourceUnavailable("connection refused by collector"), S.TOOL_ERROR, "connection refused by collector"),
        (QueryRejected("syntax error at offset 3"), S.TOOL_ERROR, "syntax error at offset 3"),
        (SourceGarbled("the body is HTML"), S.TOOL_ERROR, "the body is HTML"),
        (ZeroDivisionError("boom"), S.TOOL_ERROR, "ZeroDivisionError: boom"),
        (_not_text, S.TOOL_ERROR, "answered with bytes, not with text"),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
async def test_each_way_to_fail_has_its_status_and_the_sources_own_words(answer: Any, status: S, words: str) -> None:
    case = await ready()
    result = await case.call(answer, deadline_s=0.01)
    assert result.status is status
    assert words in message_of(result)
    row = case.runs.written[-1]
    assert (row.status, row.result) == (status, result.text)
    assert words in row.error
    assert row.evidence == ()


async def test_an_error_of_any_length_is_redacted_and_then_cut() -> None:
    case = await ready()
    filler = "stack frame at worker line; " * 26_000
    text = f"{filler[:580]}{SECRET} {filler} {SECRET}"
    assert len(text) > 720_000
    result = await case.call(RuntimeError(text))
    assert result.status is S.TOOL_ERROR
    assert len(result.text) < 1_500
    for piece in (SECRET[start : start + 8] for start in range(len(SECRET) - 7)):
        assert piece not in result.text + case.runs.written[-1].error


async def test_no_cut_of_an_error_leaves_a_piece_of_a_secret() -> None:
    case = await ready(limits=RunLimits(max_tool_calls=500))
    for step, filler in enumerate(range(530, 610)):
        result = await case.call(SourceUnavailable("w" * filler + " " + SECRET), step=step)
        assert not any(SECRET[at : at + 8] in result.text for at in range(len(SECRET) - 7)), filler


async def test_a_raw_output_that_is_too_large_is_not_projected() -> None:
    case = await ready(limits=RunLimits(max_raw_bytes=10))
    result = await case.call("ä" * 6)
    assert result.status is S.TOOL_ERROR
    assert "12 bytes" in message_of(result)
    assert case.runs.written[-1].raw_bytes == 12


async def test_a_projector_that_refuses_or_breaks_shows_nothing_of_the_raw_output() -> None:
    case = await ready()

    def refuses(raw: str) -> ProjectedToolResult:
        raise ProjectionError(f"query_logs: the source said: quota for {SECRET} is spent")

    def breaks(raw: str) -> ProjectedToolResult:
        raise KeyError(raw)

    refused = await case.call("raw words", step=0, project=refuses)
    broken = await case.call("raw words", step=1, project=breaks)
    assert [refused.status, broken.status] == [S.PROJECTION_ERROR] * 2
    assert "the source said: quota for" in message_of(refused)
    assert SECRET not in refused.text
    assert "raw words" not in broken.text
    assert "KeyError" in message_of(broken)


async def test_details_that_are_no_json_fail_closed() -> None:
    case = await ready()
    result = await case.call(project=lambda raw: replace(case.words(raw), details={"score": float("inf")}))
    assert result.status is S.PROJECTION_ERROR
    assert case.runs.written[-1].retrieval_details is None


async def test_a_large_answer_is_projected_off_the_event_loop() -> None:
    case = await ready()
    loop_went_on = threading.Event()
    asyncio.get_running_loop().call_later(0.01, loop_went_on.set)

    def project(_: str) -> ProjectedToolResult:
        assert loop_went_on.wait(timeout=5), "the loop stood still while the answer was projected"
        raise ProjectionError("seen")

    result = await case.call("x" * 100_000, project=project)
    assert "seen" in message_of(result)


async def test_a_cancelled_run_waits_for_a_projection_that_writes_into_its_identifiers() -> None:
    case = await ready()
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def project(_: str) -> ProjectedToolResult:
        begun.set()
        may_end.wait(timeout=5)
        ended.set()
        raise ProjectionError("late")

    task = asyncio.create_task(case.call("x" * 100_000, project=project))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    asyncio.get_running_loop().call_later(0.05, may_end.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert case.runs.written[-1].status is S.CANCELLED


async def test_a_cancelled_call_is_stored_as_such_and_the_cancellation_goes_on() -> None:
    case = await ready()
    started = asyncio.Event()

    async def slow() -> str:
        started.set()
        return await _forever()

    task = asyncio.create_task(case.call(slow))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert case.runs.written[-1].status is S.CANCELLED


async def test_the_canonical_store_holds_raw_and_bounded_under_the_hash_of_the_raw() -> None:
    case = await ready()
    raw = f"one {SECRET} two"
    result = await case.call(raw, step=4, index=1)
    kept = await case.canonical.fetch(CONTEXT, "4.1", now=NOW)
    assert kept is not None
    assert (kept.raw, kept.bounded) == (raw, result.text)
    row = case.runs.written[-1]
    assert kept.sha256 == row.raw_sha256 == hashlib.sha256(raw.encode()).hexdigest()
    assert row.raw_bytes == len(raw)
    foreign = replace(CONTEXT, owner="owner-2")
    assert await case.canonical.fetch(foreign, "4.1", now=NOW) is None


async def test_a_failed_projection_keeps_the_raw_output_for_its_owner() -> None:
    case = await ready()

    def refuses(raw: str) -> ProjectedToolResult:
        raise ProjectionError("no")

    await case.call("raw words", project=refuses)
    kept = await case.canonical.fetch(CONTEXT, "0.0", now=NOW)
    assert kept is not None
    assert kept.raw == "raw words"
    assert "raw words" not in kept.bounded


async def test_no_row_holds_the_raw_output_or_a_secret_of_the_request() -> None:
    case = await ready()
    await case.call(f"seen {SECRET} here", arguments={"contains": f"password=Tr0ub4dor&3x {SECRET}"})
    stored = repr(case.runs.written)
    assert SECRET not in stored
    assert "Tr0ub4dor" not in stored
    assert "<secret:" in stored


async def test_a_rejected_call_is_recorded_bounded_and_calls_nothing() -> None:
    case = await ready()
    envelope = ToolEnvelope(CONTEXT, "c", 7, 2, 1.0)
    result = await case.boundary.reject(
        envelope, "t" * 500, f'{{"key": "{SECRET}", "x": "{"y" * 9_000}"}}', "no such tool"
    )
    row = case.runs.written[-1]
    assert result.status is row.status is S.DENIED
    assert (row.step_no, row.call_index) == (7, 2)
    assert len(row.tool_name) <= 64
    assert len(row.request["invalid"]) <= 2_000
    assert SECRET not in repr(row)
    assert await case.boundary.reject(envelope, "t", "{}", "again") == result
    assert case.asked == 0


async def test_rejected_calls_count_against_the_budget() -> None:
    case = await ready(limits=RunLimits(max_tool_calls=1))
    await case.boundary.reject(ToolEnvelope(CONTEXT, "c", 0, 0, 1.0), "nope", "{}", "no such tool")
    assert (await case.call(step=1)).status is S.BUDGET_EXCEEDED


async def test_evidence_numbers_go_on_after_a_restart() -> None:
    case = await ready()
    await case.call("one two three")
    resumed = Case(runs=case.runs, canonical=case.canonical, earlier=[case.runs.written[-1]])
    result = await resumed.call("four", step=1)
    assert [item.id for item in result.evidence] == ["E4"]


async def test_the_result_is_json_whatever_the_source_sends() -> None:
    case = await ready()
    result = await case.call('lone \ud800 surrogate "quoted" \x1b[31m')
    assert json.loads(result.text)["status"] == "OK"
    assert "\x1b" not in result.text
    result.text.encode("utf-8")
