"""The bus says only "run X moved"; what happened stands in the rows. A lost message slows a stream, no more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

MAX_PASSING = 256
"""Ephemeral events that wait for one subscriber; the oldest beyond them fall off."""
MAX_PASSING_BYTES = 64 * 1024
"""Of one ephemeral event as JSON; a larger one is left out, and the run still moved."""


class Subscription(Protocol):
    """One listener on one run, or on all."""

    async def moved(self, timeout_s: float) -> bool:
        """True as soon as something moved since the last call, however often; False after `timeout_s`.

        True too after the bus was away: something may have been missed. Never raises for a lost bus.
        """
        ...

    def passing(self) -> list[Mapping[str, Any]]:
        """Ephemeral events (token deltas) since the last call: at most `MAX_PASSING`, without an id, lost where nobody
        listens."""
        ...


class EventBus(Protocol):
    """Best effort, at most once; nothing here raises for a bus that cannot be reached, nor waits for it long."""

    async def publish(self, run_id: str, passing: Mapping[str, Any] | None = None) -> None:
        """Say that the run moved, with an ephemeral event (a JSON object) or without."""
        ...

    def subscribe(self, run_id: str | None) -> AbstractAsyncContextManager[Subscription]:
        """Listen to a run; None: to every run. Inside the context nothing that is published is missed, unless the bus
        is away: then `moved` is True when it is back."""
        ...

    async def close(self) -> None:
        """Release connections; every subscriber is woken once, and then hears nothing any more."""
        ...


def bounded_passing(passing: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, str]:
    """The ephemeral event as every subscriber gets it, and as JSON; (None, "null") for none, or one too large."""
    try:
        text = json.dumps(passing)
    except (TypeError, ValueError, RecursionError):
        return None, "null"
    if len(text) > MAX_PASSING_BYTES or not isinstance(passing, Mapping):
        return None, "null"
    return passing, text
