"""A RunQueue over Redis streams, by pydocket: jobs go to whichever process has room (decision 7).

What is used of the library: one job a key, delivery to many workers, redelivery of what a dead worker held. What is
not: its retries, results and schedules (the rows do that), and its in-memory backend.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rootproof.errors import StoreUnavailable, UsageError
from rootproof.ports.run_queue import RunQueue

if TYPE_CHECKING:
    from docket import Docket, Execution, Worker

Handle = Callable[[str], Awaitable[None]]

_log = logging.getLogger(__name__)

_JOB = "carry_out"
_LOOK_EVERY = timedelta(milliseconds=100)
"""Between looks for the next job; an idle slot costs a third of a percent of a core."""
_HEARTBEAT = timedelta(seconds=10)
_RECONNECT = timedelta(seconds=1)
_SCHEDULES = timedelta(seconds=30)
"""Nothing is ever scheduled for later, so the library need not look four times a second."""
_HUNG_S = 75
"""A connection that says nothing for so long is broken; the library itself waits 60 s for some answers."""
_PAUSES_S = (0.5, 1.0, 2.0, 5.0)
_BACKOFF_S = 2.0


class _Shift:
    """One call of `work`: its jobs under way, and whether any more are taken."""

    def __init__(self, handle: Handle, concurrency: int) -> None:
        self.over = asyncio.Event()
        self._handle = handle
        self._slots = asyncio.Semaphore(concurrency)
        self._under_way: dict[str, asyncio.Task[Any] | None] = {}

    async def carry_out(self, run_id: str) -> None:
        """Do one job. A run that is under way already is not begun again: the claim in its rows would refuse it."""
        if run_id in self._under_way:
            return
        self._under_way[run_id] = asyncio.current_task()
        try:
            async with self._slots:
                await self._handle(run_id)
        except Exception:  # noqa: BLE001 - not retried by the library: the sweep of the rows does that
            _log.exception("the job of run %s failed", run_id)
        finally:
            del self._under_way[run_id]

    def cancel_jobs(self) -> None:
        """Cancel what is under way."""
        _cancel(task for task in self._under_way.values() if task is not None)


class DocketRunQueue:
    """Jobs in Redis, shared by every process with the same prefix.

    `fallback` (a queue of this process) takes jobs while Redis is away, so that a process that works goes on with the
    runs that it is asked for or that its sweep finds. Two processes may then be asked for one run: the claim in the
    rows lets one have it.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = "rootproof",
        timeout_s: float = 2.0,
        redelivery_s: float = 30.0,
        fallback: RunQueue | None = None,
    ) -> None:
        """Raises: UsageError for an address that is none; it is not repeated, since it may hold a password."""
        self._url = _checked(url)
        self._name = f"{prefix}:queue"
        self._timeout_s = timeout_s
        self._redelivery = timedelta(seconds=redelivery_s)
        self._fallback = fallback
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._docket: Docket | None = None
        self._failures = 0
        self._asked_again_at = 0.0

    async def enqueue(self, run_id: str, *, epoch: int = 0) -> None:
        """Ask for a worker; nothing while a job of that key waits or is carried out. Waits `timeout_s` at most,
        and the first time for the library to be imported."""
        if time.monotonic() >= self._asked_again_at:
            try:
                docket = await self._open()
                async with asyncio.timeout(self._timeout_s):
                    await _add(docket, run_id, f"{run_id}:{epoch}")
            except Exception as error:  # noqa: BLE001 - a run must not fail for want of a queue, whatever it raises
                pause = _PAUSES_S[min(self._failures, len(_PAUSES_S) - 1)]
                self._failures += 1
                self._asked_again_at = time.monotonic() + pause
                _log.warning("run %s could not be put into the queue (%s)", run_id, type(error).__name__)
            else:
                self._failures = 0
                return
        if self._fallback is not None:
            await self._fallback.enqueue(run_id, epoch=epoch)

    async def work(self, handle: Handle, *, concurrency: int) -> None:
        """Take jobs, `concurrency` at a time, until cancelled; then wait for those under way."""
        shift = _Shift(handle, concurrency)
        takers = [asyncio.create_task(self._take(shift, n), name=f"run queue taker {n}") for n in range(concurrency)]
        local = []
        if self._fallback is not None:
            work = self._fallback.work(shift.carry_out, concurrency=concurrency)
            local.append(asyncio.create_task(work, name="run queue fallback"))
        try:
            await asyncio.gather(*(asyncio.shield(task) for task in (*takers, *local)))
        finally:
            shift.over.set()
            _cancel(local)
            try:
                await _ended(*takers, *local)
            finally:  # where a second cancellation came meanwhile: the jobs end too
                shift.cancel_jobs()
                _cancel(local)
                await _ended(*takers, *local, timeout_s=4 * self._timeout_s)
                _cancel(takers)  # the library waits for a Redis that hangs
                await _ended(*takers)

    async def close(self) -> None:
        """Release connections."""
        self._docket = None
        try:
            async with asyncio.timeout(2 * self._timeout_s):
                await self._stack.aclose()
        except Exception as error:  # noqa: BLE001 - what is broken cannot be closed properly, and need not be
            _log.warning("the queue was not closed cleanly (%s)", type(error).__name__)
        if self._fallback is not None:
            await self._fallback.close()

    async def _take(self, shift: _Shift, number: int) -> None:
        """One worker with one slot: when Redis breaks, a busy one ends its job and the others are back at once."""
        name = f"{socket.gethostname()}#{os.getpid()}#{number}#{secrets.token_hex(4)}"
        while not shift.over.is_set():
            try:
                docket = await self._open()
                from docket import Worker

                docket.register(shift.carry_out, names=[_JOB])
                worker = Worker(
                    docket,
                    name=name,
                    concurrency=1,
                    redelivery_timeout=self._redelivery,
                    reconnection_delay=_RECONNECT,
                    minimum_check_interval=_LOOK_EVERY,
                    scheduling_resolution=_SCHEDULES,
                    schedule_automatic_tasks=False,
                )
                await _until(shift.over, worker)
            except Exception as error:  # noqa: BLE001 - a defect in the library must not end this process's work
                _log.warning("a taker of the queue begins again (%s)", type(error).__name__)
                await asyncio.sleep(_BACKOFF_S)

    async def _open(self) -> Docket:
        """The library's object, made once. It connects when it is used, so this works without Redis."""
        async with self._opening:
            if self._docket is None:
                # Half a second of imports, not on the event loop.
                library: Any = await asyncio.to_thread(importlib.import_module, "docket")
                docket: Docket = library.Docket(
                    name=self._name,
                    url=self._url,
                    heartbeat_interval=_HEARTBEAT,
                    execution_ttl=timedelta(),
                )
                docket.tasks.clear()  # the library's own: nobody has a use for them here
                docket.register(_nobody_works, names=[_JOB])
                self._docket = await self._stack.enter_async_context(docket)
            return self._docket


async def _nobody_works(run_id: str) -> None:
    """Stands for the job in a process that only enqueues."""
    raise NotImplementedError(run_id)


async def _until(over: asyncio.Event, worker: Worker) -> None:
    """Run the library's worker until `over`, then wait for its job. A cancellation would get lost in the library."""
    running: asyncio.Task[None] | None = None
    try:
        async with worker:
            running = asyncio.create_task(worker.run_forever(), name=f"run queue worker {worker.name}")
            stop = asyncio.create_task(over.wait())
            await asyncio.wait([running, stop], return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
        await running
        if not over.is_set():
            raise StoreUnavailable("the queue's worker ended by itself")
    finally:
        if running is not None:
            running.cancel()


def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()


async def _ended(*tasks: asyncio.Task[None], timeout_s: float | None = None) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=timeout_s)


async def _add(docket: Docket, run_id: str, key: str) -> None:
    job = await docket.add(_JOB, key=key)(run_id)
    if job.disposition.value == "already_scheduled" and await _is_lost(docket, job):
        await docket.replace(_JOB, when=datetime.now(UTC), key=key)(run_id)


async def _is_lost(docket: Docket, job: Execution) -> bool:
    """Whether a job that is said to wait or run has no message any more: Redis may evict the one without the other.

    Without this look its key would stay taken for ever.
    """
    async with docket.redis() as redis:
        client: Any = redis
        message_id = await client.hget(docket.runs_key(job.key), "stream_id")
        if message_id is not None:
            return not await client.xrange(docket.stream_key, message_id, message_id)
        return not await client.xlen(docket.stream_key)


def _checked(url: str) -> str:
    """The address, with a bound on silence. Raises: UsageError."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise UsageError(
            "redis.url is no address of a Redis: it looks like redis://host:6379/0 "
            "(rediss:// with TLS, unix:// for a socket); special characters of a password are written as %XX"
        )
    if "socket_timeout=" in parts.query:
        return url
    return f"{url}{'&' if parts.query else '?'}socket_timeout={_HUNG_S}"
