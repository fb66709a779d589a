"""The worker over in-memory stores: taking, holding, cancelling, giving back, giving up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.bootstrap.backend import memory_backend
from rootproof.diagnosis.backend import Backend, RunInputs
from rootproof.diagnosis.cancel_run import cancel_run
from rootproof.diagnosis.capacity import capacity_of, check_capacity
from rootproof.diagnosis.carry_out import MAX_FRUITLESS_CLAIMS
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.diagnosis.work import Round, Worker, WorkTerms
from rootproof.domain.invocation import InvocationStatus
from rootproof.domain.run import Run, RunStatus, StatusReason
from rootproof.domain.step import StepKind
from rootproof.errors import LimitExceeded, StaleWrite, StoreError, UsageError
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from rootproof.settings import Settings
from tests.contracts.polling import wait_until
from tests.fakes.skills import FakeSkills

LEASE = timedelta(seconds=0.6)
LONG = timedelta(seconds=60)


@dataclass
class Door:
    """A log source that answers when it is opened; `reached` is set by the first question."""

    name: str = "door"
    kind: str = "files"
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def fetch(self, query: object, *, deadline_s: float) -> str:
        self.reached.set()
        await self.opened.wait()
        return '{"success": true, "total": 0, "logs": []}'


def backend_with(inputs: Callable[[Run], Awaitable[RunInputs]], settings: Settings | None = None) -> Backend:
    return replace(memory_backend(settings or Settings()), inputs_of=inputs)


def looking_at(door: Door) -> Callable[[Run], Awaitable[RunInputs]]:
    async def inputs_of(_run: Run) -> RunInputs:
        return RunInputs(Sources(logs=door), FakeSkills())

    return inputs_of


async def queued(backend: Backend, *, enqueue: bool = True) -> str:
    run = await start_run(backend.services, RunRequest("why is billing slow?"))
    if enqueue:
        await backend.queue.enqueue(run.run_id)
    return run.run_id


async def rows_of(backend: Backend, run_id: str) -> RunRows:
    rows = await backend.services.runs.load(run_id)
    assert rows is not None
    return rows


@asynccontextmanager
async def working(backend: Backend, *, lease: timedelta = LONG, **more: Any) -> AsyncIterator[Worker]:
    worker = Worker(backend, WorkTerms("w:1", more.pop("concurrency", 2), lease, 0.05), **more)
    task = asyncio.create_task(worker.work())
    try:
        yield worker
    finally:
        await worker.stop(0)
        await task


async def over(backend: Backend, run_id: str) -> RunRows:
    async def is_over() -> bool:
        return (await rows_of(backend, run_id)).run.status in (
            RunStatus.COMPLETED,
            RunStatus.FAILED,
            RunStatus.CANCELLED,
        )

    await wait_until(is_over)
    return await rows_of(backend, run_id)


def ends(rows: RunRows) -> int:
    return len([step for step in rows.steps if step.kind is StepKind.END])


async def test_a_queued_run_is_carried_out_under_a_lease_that_ends_with_it() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend)
    async with working(backend):
        await door.reached.wait()
        held = (await rows_of(backend, run_id)).run
        assert (held.status, held.lease_epoch, held.worker) == (RunStatus.RUNNING, 1, "w:1")
        assert held.leased_until is not None
        door.opened.set()
        rows = await over(backend, run_id)
    assert (rows.run.status, rows.run.leased_until, ends(rows)) == (RunStatus.COMPLETED, None, 1)


async def test_listeners_are_told_whose_turn_has_begun_and_never_what_is_said() -> None:
    door = Door()
    door.opened.set()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend, enqueue=False)
    async with backend.bus.subscribe(run_id) as subscription, working(backend):
        rows = await over(backend, run_id)
        asked = [step.agent.value for step in rows.steps if "finishReason" in step.output]
        told: list[Mapping[str, Any]] = []

        async def all_told() -> bool:
            told.extend(subscription.passing())
            return len(told) >= len(asked)

        await wait_until(all_told)
    assert [said["agent"] for said in told] == asked
    assert all(set(said) == {"agent", "status"} for said in told)


async def test_a_run_that_the_queue_lost_is_found_in_the_rows() -> None:
    door = Door()
    door.opened.set()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend, enqueue=False)
    async with working(backend):
        assert (await over(backend, run_id)).run.status is RunStatus.COMPLETED


async def test_a_run_is_carried_out_also_where_the_queue_swallows_every_job() -> None:
    class Hole:
        async def enqueue(self, run_id: str, *, epoch: int = 0) -> None: ...
        async def work(self, handle: object, *, concurrency: int) -> None:
            await asyncio.Event().wait()

        async def close(self) -> None: ...

    door = Door()
    door.opened.set()
    backend = replace(backend_with(looking_at(door)), queue=Hole())
    run_id = await queued(backend)
    async with working(backend):
        assert (await over(backend, run_id)).run.status is RunStatus.COMPLETED


async def test_the_lease_of_long_work_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend)
    async with working(backend, lease=LEASE):
        await door.reached.wait()
        first = (await rows_of(backend, run_id)).run.leased_until
        assert first is not None

        async def beyond() -> bool:
            return backend.services.clock.now() > first + LEASE

        await wait_until(beyond)
        assert await backend.leases.claim(run_id, "w:2", now=backend.services.clock.now(), until=first) is None
        door.opened.set()
        assert (await over(backend, run_id)).run.lease_epoch == 1


async def test_a_cancel_in_the_middle_of_a_tool_call_ends_run_and_call_once() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend)
    async with working(backend):
        await door.reached.wait()
        assert await cancel_run(backend, run_id, owner="somebody else") is None
        asked = await cancel_run(backend, run_id, owner="local")
        assert asked is not None
        rows = await over(backend, run_id)
        again = await cancel_run(backend, run_id, owner="local")
    assert (rows.run.status, rows.run.status_reason) == (RunStatus.CANCELLED, StatusReason.CANCELLED)
    assert {call.status for call in rows.invocations} == {InvocationStatus.CANCELLED}
    assert ends(rows) == 1
    assert rows.run.report is not None
    assert again == rows.run == (await rows_of(backend, run_id)).run


async def test_a_cancel_before_anybody_works_on_the_run_ends_it_at_once() -> None:
    backend = backend_with(looking_at(Door()))
    run_id = await queued(backend)
    run = await cancel_run(backend, run_id, owner="local")
    assert run is not None
    assert (run.status, ends(await rows_of(backend, run_id))) == (RunStatus.CANCELLED, 1)
    assert await cancel_run(backend, "run-none", owner="local") is None


async def test_a_cancel_closes_the_calls_that_a_dead_worker_left_open() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend)
    async with working(backend, lease=LEASE):
        await door.reached.wait()
    # given back in the middle of the call: its row stays open
    assert {call.status for call in (await rows_of(backend, run_id)).invocations} == {InvocationStatus.RUNNING}
    await cancel_run(backend, run_id, owner="local")
    rows = await rows_of(backend, run_id)
    assert rows.run.status is RunStatus.CANCELLED
    assert {call.status for call in rows.invocations} == {InvocationStatus.CANCELLED}


async def test_a_worker_that_lost_its_run_writes_nothing_more() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    inside = backend.services.runs
    run_id = await queued(backend)
    async with working(backend, lease=LEASE) as worker:
        await door.reached.wait()
        later = backend.services.clock.now() + timedelta(hours=1)
        taken = await backend.leases.claim(run_id, "w:2", now=later, until=later + LONG)
        assert taken is not None
        before = await rows_of(backend, run_id)
        await wait_until(lambda: worker.busy == 0)
        door.opened.set()
    assert await rows_of(backend, run_id) == before
    with pytest.raises(StaleWrite):
        await inside.update_run(replace(before.run, lease_epoch=1))


async def test_work_whose_lease_nobody_can_keep_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    door = Door()
    backend = backend_with(looking_at(door))

    class Broken:
        def __getattr__(self, name: str) -> Any:
            return getattr(backend.leases, name)

        async def renew(self, *_: object, **__: object) -> Run:
            raise RuntimeError("a defect")

    run_id = await queued(backend)
    async with working(replace(backend, leases=Broken()), lease=LEASE) as worker:
        await door.reached.wait()
        await wait_until(lambda: worker.busy == 0)
    assert (await rows_of(backend, run_id)).run.status is RunStatus.RUNNING
    assert "kept no longer" in caplog.text


async def test_what_is_under_way_is_given_back_without_an_end_and_finished_by_another() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    run_id = await queued(backend)
    async with working(backend) as worker:
        await door.reached.wait()
        await worker.stop(0)
        free = await rows_of(backend, run_id)
    assert (free.run.status, free.run.worker, free.run.leased_until) == (RunStatus.RUNNING, None, None)
    assert ends(free) == 0
    door.opened.set()
    async with working(backend):
        rows = await over(backend, run_id)
    assert (rows.run.status, ends(rows)) == (RunStatus.COMPLETED, 1)
    assert rows.steps[: len(free.steps)] == free.steps


async def test_a_stop_waits_for_runs_that_end_in_time_and_takes_no_more() -> None:
    door = Door()
    backend = backend_with(looking_at(door))
    first, second = await queued(backend), ""
    async with working(backend) as worker:
        await door.reached.wait()
        stopping = asyncio.create_task(worker.stop(30))
        await asyncio.sleep(0)
        second = await queued(backend)
        door.opened.set()
        await stopping
    assert (await rows_of(backend, first)).run.status is RunStatus.COMPLETED
    assert (await rows_of(backend, second)).run.status is RunStatus.QUEUED


@pytest.mark.parametrize("error", [UsageError("the logs /gone are not there"), OSError("disk"), ValueError("bad file")])
async def test_inputs_that_cannot_be_opened_end_the_run_with_the_reason(error: Exception) -> None:
    async def gone(_run: Run) -> RunInputs:
        raise error

    backend = backend_with(gone)
    run_id = await queued(backend)
    async with working(backend):
        rows = await over(backend, run_id)
    assert (rows.run.status, rows.run.lease_epoch) == (RunStatus.FAILED, 1)
    said = rows.steps[-1].output["detail"]
    assert str(error) in said if isinstance(error, UsageError) else type(error).__name__ in said


async def test_a_run_that_no_worker_survives_is_given_up() -> None:
    backend = backend_with(looking_at(Door()))
    run_id = await queued(backend, enqueue=False)
    now = backend.services.clock.now()
    for _ in range(MAX_FRUITLESS_CLAIMS):
        assert await backend.leases.claim(run_id, "dead", now=now, until=now) is not None
    async with working(backend):
        rows = await over(backend, run_id)
    assert (rows.run.status, rows.run.status_reason) == (RunStatus.FAILED, StatusReason.INTERNAL_ERROR)
    assert f"{MAX_FRUITLESS_CLAIMS} workers" in rows.steps[-1].output["detail"]


async def test_what_follows_a_run_cannot_make_it_fail_and_is_done_again_after_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[RunStatus] = []

    async def broken(_backend: Backend, rows: RunRows) -> None:
        seen.append(rows.run.status)
        raise RuntimeError("no")

    monkeypatch.setattr("rootproof.diagnosis.after_run.note_case_uses", broken)
    door = Door()
    door.opened.set()
    backend = backend_with(looking_at(door))
    store: Any = backend.services.runs
    whole = store.update_run

    async def dies_at_the_end(run: Run) -> Run:
        if run.status is RunStatus.COMPLETED and len(seen) == 1:
            raise StoreError("the store is gone for a moment")
        stored: Run = await whole(run)
        return stored

    monkeypatch.setattr(store, "update_run", dies_at_the_end)
    run_id = await queued(backend)
    async with working(backend, lease=LEASE):
        rows = await over(backend, run_id)
    assert (rows.run.status, rows.run.lease_epoch, ends(rows)) == (RunStatus.COMPLETED, 2, 1)
    assert seen == [RunStatus.COMPLETED, RunStatus.COMPLETED]


async def test_rounds_go_on_after_a_failure() -> None:
    done: list[int] = []

    async def fails_first() -> None:
        done.append(1)
        if len(done) == 1:
            raise StoreError("away")
        if len(done) == 2:
            raise RuntimeError("a defect")

    backend = backend_with(looking_at(Door()))
    async with working(backend, rounds=[Round("try", 0.01, fails_first)]):
        await wait_until(lambda: len(done) > 3)


async def test_a_full_queue_is_said() -> None:
    backend = backend_with(looking_at(Door()))
    await queued(backend, enqueue=False)
    await check_capacity(backend, 2)
    assert (await capacity_of(backend, 2)).room == 1
    with pytest.raises(LimitExceeded, match=r"worker\.max_queued"):
        await check_capacity(backend, 1)


async def test_every_write_is_announced_and_a_broken_bus_costs_nothing() -> None:
    door = Door()
    door.opened.set()
    backend = backend_with(looking_at(door))
    assert not isinstance(backend.services.runs, InMemoryRunStore)
    run_id = await queued(backend, enqueue=False)
    async with backend.bus.subscribe(run_id) as news, working(backend):
        assert await news.moved(20)
        await over(backend, run_id)

    class Broken:
        async def publish(self, run_id: str, passing: object = None) -> None:
            raise OSError("away")

    monkey: Any = backend.services.runs
    monkey._bus = Broken()
    assert await queued(backend, enqueue=False)
