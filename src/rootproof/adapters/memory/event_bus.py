"""An EventBus inside one process."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from rootproof.ports.event_bus import MAX_PASSING


class _Listener:
    """One subscription: a flag, and the ephemeral events that wait."""

    def __init__(self) -> None:
        self._moved = asyncio.Event()
        self._passing: deque[Mapping[str, Any]] = deque(maxlen=MAX_PASSING)

    def tell(self, passing: Mapping[str, Any] | None) -> None:
        if passing is not None:
            self._passing.append(passing)
        self._moved.set()

    async def moved(self, timeout_s: float) -> bool:
        """True as soon as something moved since the last call; False after `timeout_s`."""
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


class InMemoryEventBus:
    """Every subscriber of this process hears every publisher of it."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str | None, set[_Listener]] = defaultdict(set)
        self._closed = False

    async def publish(self, run_id: str, passing: Mapping[str, Any] | None = None) -> None:
        """Say that the run moved."""
        if self._closed:
            return
        for listener in (*self._listeners.get(run_id, ()), *self._listeners.get(None, ())):
            listener.tell(passing)

    @asynccontextmanager
    async def subscribe(self, run_id: str | None) -> AsyncIterator[_Listener]:
        """Listen to a run; None: to every run."""
        listener = _Listener()
        self._listeners[run_id].add(listener)
        try:
            yield listener
        finally:
            self._listeners[run_id].discard(listener)
            if not self._listeners[run_id]:
                del self._listeners[run_id]

    async def close(self) -> None:
        """Wake every subscriber once; nothing is heard after it."""
        self._closed = True
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.tell(None)
