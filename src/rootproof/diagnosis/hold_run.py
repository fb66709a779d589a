"""Holding a run: its lease is kept while somebody works on it, and the work ends when the lease or the run does.

Two fences keep a worker that has lost its run from writing: the lease epoch in the store, which holds whatever this
process believes, and `HeldRunStore`, which holds where the store cannot be reached to be told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from rootproof.diagnosis.forwarding_store import ForwardingRunStore
from rootproof.domain.run import Run
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.clock import Clock
from rootproof.ports.event_bus import EventBus
from rootproof.ports.run_leases import RunLeases
from rootproof.ports.run_store import RunStore

T = TypeVar("T")

_log = logging.getLogger(__name__)

_RENEWALS = 3
"""Tries to renew within the time of a lease."""
_LEAST_PAUSE_S = 0.05
"""Between two renewals, however often the bus wakes us."""


class Ending(StrEnum):
    """Why work on a run was stopped from outside."""

    CANCELLED = "CANCELLED"
    """Somebody asked for the run's end."""
    LOST = "LOST"
    """The run is another worker's, or over."""
    GIVEN_BACK = "GIVEN_BACK"
    """This process ends; another one goes on."""


def cancel_topic(run_id: str) -> str:
    """The bus topic on which only whoever holds the run listens."""
    return f"cancel:{run_id}"


class Hold:
    """One claimed run in this process."""

    def __init__(self, leases: RunLeases, bus: EventBus, clock: Clock, claimed: Run, lease: timedelta) -> None:
        self.ending: Ending | None = None
        """Why the work was stopped; None while it goes on, and when it ended by itself."""
        self._leases = leases
        self._bus = bus
        self._clock = clock
        self._run = claimed
        self._lease = lease
        self._renewed_at = clock.monotonic()
        self._work: asyncio.Task[Any] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing may be written any more."""
        return self.ending in (Ending.LOST, Ending.GIVEN_BACK)

    async def during(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What `work` gives, the lease kept meanwhile; None when it was stopped for the reason in `ending`.

        A cancellation of the caller passes on to `work`. Raises: whatever `work` raises.
        """
        task: asyncio.Task[T] = asyncio.create_task(work)
        self._work = task
        keeper = asyncio.create_task(self._keep(), name=f"lease of {self._run.run_id}")
        try:
            return await task
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if self.ending is None or (caller is not None and caller.cancelling()):
                raise
            return None
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)

    async def give_back(self) -> int | None:
        """Stop the work without a trace, the run free for others; its new lease epoch, None where it was lost.

        Raises: StoreError when it could not be given back; the work is stopped all the same.
        """
        if self.ending is not None:
            return None
        try:
            released = await self._leases.release(self._run.context)
        finally:
            self._stop(Ending.GIVEN_BACK)
        return released.lease_epoch if released is not None else None

    async def _keep(self) -> None:
        pause_s = self._lease.total_seconds() / _RENEWALS
        try:
            async with self._bus.subscribe(cancel_topic(self._run.run_id)) as news:
                while await self._renewed():
                    await asyncio.sleep(min(_LEAST_PAUSE_S, pause_s))
                    await news.moved(pause_s)
        except Exception:  # noqa: BLE001 - a lease must not run out under good work for want of a bus
            _log.exception("the lease is kept without the event bus")
            try:
                while await self._renewed():  # noqa: ASYNC110 - nothing else says when
                    await asyncio.sleep(pause_s)
            except Exception:  # noqa: BLE001 - work that nobody keeps the lease of must not go on
                _log.exception("the lease can be kept no longer")
                self._stop(Ending.LOST)

    async def _renewed(self) -> bool:
        """Whether the work goes on."""
        try:
            run = await self._leases.renew(self._run.context, until=self._clock.now() + self._lease)
        except StoreError as error:
            if self._clock.monotonic() - self._renewed_at <= self._lease.total_seconds():
                return True
            _log.warning("the lease could not be renewed in time: %s", error)
            return self._stop(Ending.LOST)
        if run is None:
            return self._stop(Ending.LOST)
        self._renewed_at = self._clock.monotonic()
        return True if run.cancel_requested_at is None else self._stop(Ending.CANCELLED)

    def _stop(self, ending: Ending) -> bool:
        """Stop the work, unless it is being stopped already; False."""
        if self.ending is None:
            self.ending = ending
            if self._work is not None:
                self._work.cancel()
        return False


class HeldRunStore(ForwardingRunStore):
    """The store as the worker of a held run may use it: nothing is written once the hold is over."""

    def __init__(self, inside: RunStore, hold: Hold) -> None:
        super().__init__(inside)
        self._hold = hold

    async def _write(self, run_id: str, write: Callable[[], Awaitable[T]]) -> T:
        if self._hold.is_over:
            raise StaleWrite(f"run {run_id} is no longer held here ({self._hold.ending})")
        return await write()
