"""What every RunQueue keeps to."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from rootproof.adapters.docket.run_queue import DocketRunQueue
from rootproof.adapters.memory.run_queue import InMemoryRunQueue
from rootproof.ports.run_queue import RunQueue
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(params=["memory", "docket"])
async def queue(request: pytest.FixtureRequest) -> AsyncIterator[RunQueue]:
    made: RunQueue
    if request.param == "memory":
        made = InMemoryRunQueue()
    else:
        server = request.getfixturevalue("redis_server")
        made = DocketRunQueue(server.url, prefix=f"test-{secrets.token_hex(4)}", timeout_s=5, redelivery_s=2)
    yield made
    await made.close()


@asynccontextmanager
async def working(
    queue: RunQueue, handle: Callable[[str], Awaitable[None]], *, concurrency: int = 2
) -> AsyncIterator[asyncio.Task[None]]:
    """A worker while the context lasts."""
    worker = asyncio.create_task(queue.work(handle, concurrency=concurrency))
    try:
        yield worker
    finally:
        worker.cancel()
        await asyncio.wait([worker], timeout=20)
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


class Job:
    """A job that lasts until it is let go, and remembers whom it was for."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.cancelled: list[str] = []
        self.may_end = asyncio.Event()

    async def __call__(self, run_id: str) -> None:
        self.begun.append(run_id)
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled.append(run_id)
            raise
        self.ended.append(run_id)


async def test_every_job_is_handled_once(queue: RunQueue) -> None:
    job = Job()
    job.may_end.set()
    wanted = [f"run-{number}" for number in range(30)]
    for run_id in wanted[:15]:
        await queue.enqueue(run_id)
    async with working(queue, job):
        for run_id in wanted[15:]:
            await queue.enqueue(run_id)
        await wait_until(lambda: len(job.ended) >= 30)
    assert Counter(job.ended) == Counter(wanted)


async def test_a_repeat_changes_nothing_while_the_job_waits_or_runs(queue: RunQueue) -> None:
    job = Job()
    for _ in range(3):
        await queue.enqueue("run-1", epoch=1)
    async with working(queue, job):
        await wait_until(lambda: len(job.begun) == 1)
        await queue.enqueue("run-1", epoch=1)
        await queue.enqueue("run-2")
        await wait_until(lambda: "run-2" in job.begun)
        job.may_end.set()
        await queue.enqueue("run-3")
        await wait_until(lambda: "run-3" in job.ended)
    assert job.begun == ["run-1", "run-2", "run-3"]


async def test_the_next_epoch_is_a_new_job_and_so_is_a_key_that_is_over(queue: RunQueue) -> None:
    job = Job()
    job.may_end.set()
    async with working(queue, job):
        for count, epoch in enumerate((0, 1, 1, 0), start=1):

            async def is_there(wanted: int = count, epoch: int = epoch) -> bool:
                await queue.enqueue("run-1", epoch=epoch)
                return len(job.ended) >= wanted

            await wait_until(is_there)
    assert set(job.ended) == {"run-1"}


async def test_no_more_than_the_concurrency_run_at_once(queue: RunQueue) -> None:
    under_way, most = 0, 0

    async def handle(_run_id: str) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        done.append(1)
        await asyncio.sleep(0)
        under_way -= 1

    done: list[int] = []
    for number in range(12):
        await queue.enqueue(f"run-{number}")
    async with working(queue, handle, concurrency=3):
        await wait_until(lambda: len(done) == 12)
    assert most <= 3


async def test_a_job_that_raises_is_logged_and_not_called_again(
    queue: RunQueue, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    async def handle(run_id: str) -> None:
        calls.append(run_id)
        if run_id == "run-bad":
            raise RuntimeError("broken")

    await queue.enqueue("run-bad")
    await queue.enqueue("run-good")
    async with working(queue, handle, concurrency=1):
        await wait_until(lambda: "run-good" in calls)
    assert calls.count("run-bad") == 1
    assert "the job of run run-bad failed" in caplog.text


async def test_the_first_cancellation_lets_jobs_end_and_takes_no_more(queue: RunQueue) -> None:
    job = Job()
    async with working(queue, job, concurrency=1) as worker:
        await queue.enqueue("run-1")
        await wait_until(lambda: job.begun == ["run-1"])
        await queue.enqueue("run-2")
        worker.cancel()
        finished, _ = await asyncio.wait([worker], timeout=0.1)
        assert not finished
        job.may_end.set()
        await asyncio.wait([worker], timeout=20)
        assert worker.cancelled()
    assert (job.begun, job.ended, job.cancelled) == (["run-1"], ["run-1"], [])


async def test_the_second_cancellation_cancels_the_jobs(queue: RunQueue) -> None:
    job = Job()
    async with working(queue, job, concurrency=2) as worker:
        await queue.enqueue("run-1")
        await queue.enqueue("run-2")
        await wait_until(lambda: len(job.begun) == 2)
        worker.cancel()
        await asyncio.wait([worker], timeout=0.1)
        worker.cancel()
        await asyncio.wait([worker], timeout=20)
        assert worker.cancelled()
    assert sorted(job.cancelled) == ["run-1", "run-2"]


async def test_an_idle_worker_ends_when_it_is_cancelled(queue: RunQueue) -> None:
    async with working(queue, Job()) as worker:
        await asyncio.wait([worker], timeout=0.1)
        worker.cancel()
        await asyncio.wait([worker], timeout=20)
        assert worker.cancelled()


async def test_what_one_worker_left_waiting_the_next_one_takes(queue: RunQueue) -> None:
    first, second = Job(), Job()
    second.may_end.set()
    async with working(queue, first, concurrency=1) as worker:
        await queue.enqueue("run-1")
        await wait_until(lambda: first.begun == ["run-1"])
        await queue.enqueue("run-2")
        worker.cancel()
        await asyncio.wait([worker], timeout=0.1)
        first.may_end.set()
        await asyncio.wait([worker], timeout=20)
    async with working(queue, second):
        await wait_until(lambda: second.ended == ["run-2"])
    assert first.begun == ["run-1"]


async def test_a_queue_that_is_full_leaves_the_run_to_the_sweep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rootproof.adapters.memory.run_queue._WAITING", 2)
    queue, job = InMemoryRunQueue(), Job()
    job.may_end.set()
    for number in range(3):
        await queue.enqueue(f"run-{number}")
    assert "run run-2 is left to the sweep" in caplog.text
    async with working(queue, job):
        await wait_until(lambda: len(job.ended) == 2)
        await queue.enqueue("run-2")
        await wait_until(lambda: "run-2" in job.ended)
