"""Who listens in this process: what every EventBus does between its publishers and its subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from rootproof.ports.event_bus import MAX_PASSING


class Listener:
    """A `Subscription`: a flag, and the ephemeral events that wait."""

    def __init__(self) -> None:
        self._moved = asyncio.Event()
        self._passing: deque[Mapping[str, Any]] = deque(maxlen=MAX_PASSING)

    def tell(self, passing: Mapping[str, Any] | None) -> None:
        """Something moved."""
        if passing is not None:
            self._passing.append(passing)
        self._moved.set()

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
    """Listeners by what they listen to: a run id, or None for every run."""

    def __init__(self) -> None:
        self._by_run: dict[str | None, set[Listener]] = {}

    def __contains__(self, run_id: str | None) -> bool:
        return run_id in self._by_run

    def runs(self) -> list[str | None]:
        """What is listened to now."""
        return list(self._by_run)

    def add(self, run_id: str | None) -> Listener:
        """A new listener."""
        listener = Listener()
        self._by_run.setdefault(run_id, set()).add(listener)
        return listener

    def remove(self, run_id: str | None, listener: Listener) -> bool:
        """Take it away; whether it was the last one of its run."""
        others = self._by_run[run_id]
        others.discard(listener)
        if others:
            return False
        del self._by_run[run_id]
        return True

    def tell(self, listened_to: str | None, passing: Mapping[str, Any] | None) -> None:
        """Tell those who listen to exactly this."""
        for listener in self._by_run.get(listened_to, ()):
            listener.tell(passing)

    def wake_all(self) -> None:
        """Tell everybody that something may have moved."""
        for run_id in self._by_run:
            self.tell(run_id, None)
