"""A RunQueue inside one process: the embedded default (why not the queue library's own: decision 7)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

_log = logging.getLogger(__name__)

_WAITING = 10_000
"""Jobs that may wait; one more is left to the sweep of the rows."""


class InMemoryRunQueue:
    """Jobs of this process, in the order they came; gone with it, and found again by the sweep."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[tuple[str, int]] = asyncio.Queue(_WAITING)
        self._keys: set[tuple[str, int]] = set()

    async def enqueue(self, run_id: str, *, epoch: int = 0) -> None:
        """Ask for a worker; nothing while a job of that key waits or is carried out."""
        key = (run_id, epoch)
        if key in self._keys:
            return
        try:
            self._jobs.put_nowait(key)
        except asyncio.QueueFull:
            _log.warning("%d jobs wait already: run %s is left to the sweep", _WAITING, run_id)
        else:
            self._keys.add(key)

    async def work(self, handle: Callable[[str], Awaitable[None]], *, concurrency: int) -> None:
        """Take jobs, `concurrency` at a time, until cancelled; then wait for those under way."""
        idle: set[asyncio.Task[None]] = set()
        takers = {asyncio.create_task(self._take(handle, idle), name=f"taker {n}") for n in range(concurrency)}
        try:
            await asyncio.wait(takers)
        finally:
            for taker in idle:
                taker.cancel()
            idle.clear()
            await _ended(takers)

    async def close(self) -> None:
        """Nothing to release."""

    async def _take(self, handle: Callable[[str], Awaitable[None]], idle: set[asyncio.Task[None]]) -> None:
        me = asyncio.current_task()
        assert me is not None
        while True:
            idle.add(me)
            key = await self._jobs.get()
            if me not in idle:  # a cancellation came in the same moment as the job: give it back
                self._jobs.put_nowait(key)
                return
            idle.discard(me)
            try:
                await handle(key[0])
            except Exception:  # whatever a job does, the queue goes on; the run's rows say how it ended
                _log.exception("the job of run %s failed", key[0])
            finally:
                self._keys.discard(key)
