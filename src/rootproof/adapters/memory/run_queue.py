"""A RunQueue inside one process: the embedded default (why not the queue library's own: decision 7).

Who asks and who works may be loops of different threads: jobs are handed over in the loop of whoever works.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from threading import Lock

from rootproof.ports.listeners import in_loop

_log = logging.getLogger(__name__)

_WAITING = 10_000
"""Jobs that may wait; one more is left to the sweep of the rows."""


class _Shift:
    """One call of `work`: who waits for a job, and whether any more are taken."""

    def __init__(self, handle: Callable[[str], Awaitable[None]]) -> None:
        self.handle = handle
        self.idle: set[int] = set()
        self.over = False


class InMemoryRunQueue:
    """Jobs of this process, in the order they came; gone with it, and found again by the sweep."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[str, int]] = deque()
        self._keys: set[tuple[str, int]] = set()
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._there_are = asyncio.Event()

    async def enqueue(self, run_id: str, *, epoch: int = 0) -> None:
        """Ask for a worker; nothing while a job of that key waits or is carried out."""
        key = (run_id, epoch)
        with self._lock:
            if key in self._keys:
                return
            if len(self._jobs) >= _WAITING:
                _log.warning("%d jobs wait already: run %s is left to the sweep", _WAITING, run_id)
                return
            self._keys.add(key)
            self._jobs.append(key)
            loop = self._loop
        if loop is not None:
            in_loop(loop, self._there_are.set)

    async def work(self, handle: Callable[[str], Awaitable[None]], *, concurrency: int) -> None:
        """Take jobs, `concurrency` at a time, until cancelled; then wait for those under way."""
        shift = _Shift(handle)
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._there_are = asyncio.Event()
        takers = [asyncio.create_task(self._take(shift, n), name=f"run queue taker {n}") for n in range(concurrency)]
        try:
            await asyncio.gather(*(asyncio.shield(taker) for taker in takers))
        finally:
            shift.over = True
            for number in shift.idle:
                takers[number].cancel()
            try:
                await _ended(takers)
            finally:  # cancelled a second time: the jobs under way are too
                for taker in takers:
                    taker.cancel()
                await _ended(takers)

    async def close(self) -> None:
        """Nothing to release."""

    async def _take(self, shift: _Shift, me: int) -> None:
        while not shift.over:
            shift.idle.add(me)
            key = await self._next()
            shift.idle.discard(me)
            try:
                await shift.handle(key[0])
            except Exception:  # noqa: BLE001 - the queue goes on; the run's rows say how it ended
                _log.exception("the job of run %s failed", key[0])
            finally:
                with self._lock:
                    self._keys.discard(key)

    async def _next(self) -> tuple[str, int]:
        while True:
            with self._lock:
                if self._jobs:
                    return self._jobs.popleft()
                self._there_are.clear()
            await self._there_are.wait()


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    if tasks:
        await asyncio.wait(tasks)
