"""An EventBus inside one process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from rootproof.ports.event_bus import bounded_passing
from rootproof.ports.listeners import Listener, Listeners


class InMemoryEventBus:
    """Every subscriber of this process hears every publisher of it."""

    def __init__(self) -> None:
        self._listeners = Listeners()
        self._closed = False

    async def publish(self, run_id: str, passing: Mapping[str, Any] | None = None) -> None:
        """Say that the run moved."""
        if self._closed:
            return
        passing, _ = bounded_passing(passing)
        self._listeners.tell(run_id, passing)
        self._listeners.tell(None, passing)

    @asynccontextmanager
    async def subscribe(self, run_id: str | None) -> AsyncIterator[Listener]:
        """Listen to a run; None: to every run."""
        listener = self._listeners.add(run_id)
        try:
            yield listener
        finally:
            self._listeners.remove(run_id, listener)

    async def close(self) -> None:
        """Wake every subscriber once; nothing is heard after it."""
        self._closed = True
        self._listeners.wake_all()
