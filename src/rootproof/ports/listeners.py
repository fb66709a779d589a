"""Who listens in this process: what every EventBus does between its publishers and its subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from rootproof.ports.event_bus import MAX_PASSING


def in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Call it in that loop: at once from inside, soon from another thread, never in one that is closed."""
    if _running_loop() is loop:
        call()
        return
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Listener:
    """A `Subscription`: a flag, and the ephemeral events that wait."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        self._passing: deque[Mapping[str, Any]] = deque(maxlen=MAX_PASSING)

    def tell(self, passing: Mapping[str, Any] | None) -> None:
        """Something moved. The publisher may be in another thread's loop."""
        if passing is not None:
            self._passing.append(passing)
        in_loop(self._loop, self._moved.set)

    async def moved(self, timeout_s: float) -> bool:
        """True as soon as something moved since the last call, or may have; False after `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._moved.wait()
        except TimeoutError:
            return False
        self._moved.clear()
        return True

    def passing(self) -> list[Mapping[str, Any]]:
        """Ephemeral events since the last call."""
        events = list(self._passing)
        self._passing.clear()
        return events


class Listeners:
    """Listeners by what they listen to: a run id, or None for every run. For all threads of the process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_run: dict[str | None, set[Listener]] = {}

    def __contains__(self, run_id: str | None) -> bool:
        return run_id in self._by_run

    def runs(self) -> list[str | None]:
        """What is listened to now."""
        with self._lock:
            return list(self._by_run)

    def add(self, run_id: str | None) -> Listener:
        """A new listener."""
        listener = Listener()
        with self._lock:
            self._by_run.setdefault(run_id, set()).add(listener)
        return listener

    def remove(self, run_id: str | None, listener: Listener) -> bool:
        """Take it away; whether it was the last one of its run."""
        with self._lock:
            others = self._by_run[run_id]
            others.discard(listener)
            if others:
                return False
            del self._by_run[run_id]
            return True

    def tell(self, listened_to: str | None, passing: Mapping[str, Any] | None) -> None:
        """Tell those who listen to exactly this."""
        with self._lock:
            found = tuple(self._by_run.get(listened_to, ()))
        for listener in found:
            listener.tell(passing)

    def wake_all(self) -> None:
        """Tell everybody that something may have moved."""
        for run_id in self.runs():
            self.tell(run_id, None)
