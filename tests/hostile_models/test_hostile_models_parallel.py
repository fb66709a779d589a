"""The calls of one turn: sources at once, everything else in the order of the calls, whoever is faster."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from rootproof.aci.boundary import ToolBoundary
from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.ledger import RunLedger
from rootproof.aci.toolset import ToolSet
from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.scripted_model import calls
from rootproof.agent.loop import decide
from rootproof.agent.state import fold
from rootproof.diagnosis.present import run_view
from rootproof.domain.context import ToolEnvelope
from rootproof.domain.invocation import InvocationStatus as S
from rootproof.domain.invocation import is_final
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus
from rootproof.domain.step import StepKind
from rootproof.errors import ModelError, SourceUnavailable
from rootproof.ports.model import ToolCall, ToolMessage
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import LogQuery, Sources
from tests.fakes.driving import NOW, World, claim, report, scripted
from tests.fakes.sources import log

END = report(claim("word 60 was seen", "E2"))


def look(minutes: int) -> tuple[str, dict[str, Any]]:
    return "query_logs", {"topic": "APPLICATION", "lookback_minutes": minutes}


@dataclass
class GatedLogs:
    """Logs that name the minutes they were asked for; `gate` decides what a query waits for."""

    gate: Callable[[GatedLogs, int], Any]
    name: str = "gated logs"
    kind: str = "MOCK"
    asked: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    most_at_once: int = 0
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        minutes = round((query.window.end - query.window.start).total_seconds() / 60)
        async with self.arrived:
            self.asked.append(minutes)
            self.most_at_once = max(self.most_at_once, len(self.asked) - len(self.answered))
            self.arrived.notify_all()
        await self.gate(self, minutes)
        async with self.arrived:
            self.answered.append(minutes)
            self.arrived.notify_all()
        logs = [log(f"word {minutes} was seen", service=f"svc-{minutes}")]
        return json.dumps({"success": True, "total": 1, "scanned": 1, "logs": logs})

    async def until(self, there: Callable[[], bool]) -> None:
        async with self.arrived:
            await self.arrived.wait_for(there)


async def at_once(_source: GatedLogs, _minutes: int) -> None:
    """No waiting."""


def last_first(order: list[int]) -> Callable[[GatedLogs, int], Any]:
    """Each query waits for the one after it: only sources that are asked at once can answer."""

    async def gate(source: GatedLogs, minutes: int) -> None:
        after = order[order.index(minutes) + 1 :]
        if after:
            await source.until(lambda: after[0] in source.answered)

    return gate


async def run(source: GatedLogs, *turns: Any, **limits: Any) -> tuple[World, RunRows]:
    world = World(scripted([*turns, END]), Sources(logs=source), limits=RunLimits(**limits))
    return world, await world.diagnose()


def shown(rows: RunRows) -> list[Any]:
    return [(row.call_index, row.status, row.result, row.summary, row.evidence) for row in rows.invocations]


async def test_who_answers_first_changes_nothing() -> None:
    order = [60, 61, 62, 63]
    turn = calls(*map(look, order))
    slow_first = GatedLogs(last_first(order))
    world, rows = await run(slow_first, turn)
    assert slow_first.answered == order[::-1], "they were not asked at once"
    _, plain = await run(GatedLogs(at_once), turn, max_parallel_calls=1)
    assert shown(rows) == shown(plain)
    assert [item.id for row in rows.invocations for item in row.evidence] == [f"E{n}" for n in range(2, 10)]
    told = [m for m in world.model.requests[-2].messages if isinstance(m, ToolMessage)]  # type: ignore[attr-defined]
    assert [f"word {n} was seen" in message.content for n, message in zip(order, told, strict=True)] == [True] * 4
    assert [message.tool_call_id for message in told] == [f"call_{n}" for n in range(4)]


async def test_no_more_than_a_few_are_under_way_at_once() -> None:
    async def gate(_source: GatedLogs, _minutes: int) -> None:
        for _ in range(50):  # whoever may come meanwhile has come
            await asyncio.sleep(0)

    source = GatedLogs(gate)
    await run(source, calls(*(look(minutes) for minutes in range(60, 70))))
    assert source.most_at_once == 4


async def test_a_slow_source_holds_nobody_up_beyond_its_deadline() -> None:
    async def gate(_source: GatedLogs, minutes: int) -> None:
        if minutes == 60:
            await asyncio.Event().wait()

    source = GatedLogs(gate)
    _, rows = await run(source, calls(*map(look, [60, 61, 62])), max_call_s=0.05)
    assert [row.status for row in rows.invocations] == [S.TIMEOUT, S.OK, S.OK]
    assert [item.id for row in rows.invocations for item in row.evidence] == ["E2", "E3", "E4", "E5"]


async def test_equal_calls_of_one_turn_ask_once() -> None:
    source = GatedLogs(at_once)
    spelt = [
        ("query_logs", text)
        for text in (
            '{"topic":"APPLICATION","lookback_minutes":60}',
            '{"lookback_minutes" : 60, "topic": "APPLICATION"}',
            '{"topic": "APPLICATION"}',
            '\n{"topic": "APPLICATION"}',
        )
    ]
    _, rows = await run(source, calls(*spelt))
    assert source.asked == [60]
    assert [row.status for row in rows.invocations] == [S.OK, S.OK, S.OK, S.DENIED]
    assert len({row.request_key for row in rows.invocations}) == 1
    assert [len(row.evidence) for row in rows.invocations] == [2, 0, 0, 0]


async def test_equal_calls_that_are_refused_are_equal_too() -> None:
    spelt = [("query_logs", '{"since": 1, "topic": 2}'), ("query_logs", '{ "topic":2, "since":1 }')]
    _, rows = await run(GatedLogs(at_once), calls(*spelt))
    assert [row.status for row in rows.invocations] == [S.DENIED, S.DENIED]
    assert len({row.request_key for row in rows.invocations}) == 1


async def test_an_equal_call_is_made_where_the_first_one_failed() -> None:
    async def gate(source: GatedLogs, _minutes: int) -> None:
        if len(source.asked) == 1:
            raise SourceUnavailable("down for a moment")

    source = GatedLogs(gate)
    _, rows = await run(source, calls(look(60), look(60)))
    assert [row.status for row in rows.invocations] == [S.TOOL_ERROR, S.OK]


async def test_an_equal_call_has_only_what_is_left_of_the_turns_time() -> None:
    """The first one fails when the time is over: the others end at once, however long one call may take."""

    async def gate(_source: GatedLogs, _minutes: int) -> None:
        await asyncio.Event().wait()

    world = World(scripted([]), Sources(logs=GatedLogs(gate)))
    rows = await world.runs.load(await world.start())
    ledger = RunLedger(rows.run.context, RunLimits(), identifiers=IdentifierMap())
    boundary = ToolBoundary(world.runs, world.canonical, FixedClock(NOW, time.monotonic), ledger)
    tools = ToolSet(boundary, world.sources, NOW)
    name, arguments = look(60)
    call = ToolCall("c", name, json.dumps(arguments))
    envelopes = [ToolEnvelope(rows.run.context, f"c{index}", 1, index, 3_600.0) for index in range(3)]
    results = await asyncio.wait_for(tools.call_all([(each, call) for each in envelopes], within_s=0.05), timeout=30)
    assert [result.status for result in results] == [S.TIMEOUT] * 3


async def test_bytes_that_run_out_in_a_turn_end_it_there() -> None:
    _, rows = await run(GatedLogs(at_once), calls(*map(look, [60, 61, 62])), max_agent_visible_bytes=300)
    assert [row.status for row in rows.invocations] == [S.OK, S.BUDGET_EXCEEDED, S.BUDGET_EXCEEDED]


async def test_calls_over_the_limit_of_a_turn_are_left_out_and_said() -> None:
    source = GatedLogs(at_once)
    world, rows = await run(source, calls(*(look(60 + n) for n in range(200))))
    assert len(rows.invocations) == RunLimits().max_calls_per_turn
    told = world.model.requests[-2].messages[-1]  # type: ignore[attr-defined]
    assert "184 more were left out" in told.text
    assert next(step for step in rows.steps if step.kind is StepKind.TURN).output["droppedCalls"] == 184


async def test_a_cancelled_turn_leaves_no_call_open() -> None:
    started = asyncio.Event()

    async def gate(_source: GatedLogs, _minutes: int) -> None:
        started.set()
        await asyncio.Event().wait()

    world = World(scripted([calls(*map(look, [60, 61, 62]))]), Sources(logs=GatedLogs(gate)))
    run_id = await world.start()
    task = asyncio.create_task(world.drive(run_id))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    rows = await world.runs.load(run_id)
    assert rows.run.status is RunStatus.CANCELLED
    assert [row.status for row in rows.invocations] == [S.CANCELLED] * 3


class Killed(BaseException):
    """The process died here."""


class DyingStore:
    """Lets a number of writes through, then dies."""

    def __init__(self, inner: Any, writes: int) -> None:
        self._inner, self._left = inner, writes

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in ("append_step", "open_invocation", "update_invocation", "update_run"):
            return method

        async def counted(*args: Any) -> Any:
            if self._left <= 0:
                raise Killed
            self._left -= 1
            return await method(*args)

        return counted


async def test_after_a_death_the_unfinished_calls_are_made_again_and_the_finished_ones_are_not() -> None:
    order = [60, 61, 62]
    turn = calls(*map(look, order))
    _, whole = await run(GatedLogs(last_first(order)), turn)
    deaths = 0
    for deadly in range(1, 40):
        source = GatedLogs(last_first(order))
        world = World(scripted([turn, END]), Sources(logs=source))
        run_id = await world.start()
        living = world.runs
        world.runs = DyingStore(living, deadly)
        try:
            await world.drive(run_id)
        except Killed:
            deaths += 1
        else:
            break
        at_death = await living.load(run_id)
        finished = {row.call_index for row in at_death.invocations if is_final(row.status)}
        world.runs = living
        source.gate = at_once
        source.asked.clear()
        rows = await world.drive(run_id)
        assert set(source.asked) == {order[n] for n in range(3) if n not in finished}, deadly
        assert shown(rows) == shown(whole), deadly
        assert run_view(rows).report == run_view(whole).report
    assert deaths > len(whole.steps) + 3 * len(order)


async def test_a_takeover_by_the_playbook_reasoner_survives_a_death() -> None:
    """It counts its own calls and repeats from where it took over, in whichever process."""
    same = ("query_logs", {"topic": "APPLICATION", "lookback_minutes": 1_440})
    turns = [calls(same, same, same), ModelError("gone")]

    def world() -> World:
        return World(scripted(turns), Sources(logs=GatedLogs(at_once)), limits=RunLimits(max_tool_calls=4))

    whole = await world().diagnose()
    assert S.BUDGET_EXCEEDED not in {row.status for row in whole.invocations}
    assert [row.status for row in whole.invocations if row.request == whole.invocations[0].request] == [S.OK] * 4
    for deadly in range(1, 60):
        case = world()
        run_id = await case.start()
        living = case.runs
        case.runs = DyingStore(living, deadly)
        try:
            await case.drive(run_id)
        except Killed:
            case.runs = living
            assert shown(await case.drive(run_id)) == shown(whole), deadly
        else:
            break
    assert deadly > len(whole.steps)


async def test_all_waiting_calls_are_one_command() -> None:
    world, rows = await run(GatedLogs(at_once), calls(look(60), ("read_skill", {"name": "diagnose-pool"}), look(61)))
    turn = next(step for step in rows.steps if step.kind is StepKind.TURN)
    before = fold(rows.run, [step for step in rows.steps if step.step_no <= turn.step_no], [])
    command = decide(before, world.limits, 0.0)
    assert type(command).__name__ == "ReadSkill"
    read = [step for step in rows.steps if step.step_no <= turn.step_no + 1]
    both = decide(fold(rows.run, read, []), world.limits, 0.0)
    assert [index for index, _ in both.calls] == [0, 2]  # type: ignore[union-attr]
    rest = decide(fold(rows.run, read, rows.invocations[:1]), world.limits, 0.0)
    assert [index for index, _ in rest.calls] == [2]  # type: ignore[union-attr]
