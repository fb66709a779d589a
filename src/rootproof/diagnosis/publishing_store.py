"""A RunStore that says on the bus that a run has moved, after every write that was stored."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from rootproof.diagnosis.forwarding_store import ForwardingRunStore
from rootproof.ports.event_bus import EventBus
from rootproof.ports.run_store import RunStore

T = TypeVar("T")

_log = logging.getLogger(__name__)


class PublishingRunStore(ForwardingRunStore):
    """The store inside, with its writes told to who listens. The bus never makes a write fail."""

    def __init__(self, inside: RunStore, bus: EventBus) -> None:
        super().__init__(inside)
        self._bus = bus

    async def _write(self, run_id: str, write: Callable[[], Awaitable[T]]) -> T:
        stored = await write()
        try:
            await self._bus.publish(run_id)
        except Exception as error:  # noqa: BLE001 - the row is stored; a stream that hears of it later is all that is lost
            _log.warning("a change could not be announced: %s", type(error).__name__)
        return stored
