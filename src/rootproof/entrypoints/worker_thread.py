"""The worker inside `rootproof serve`: a thread with a loop and connections of its own.

Reasoning takes tens of milliseconds at a time. In the server's loop every request would wait for it; beside it, the
interpreter changes threads many times meanwhile (`SWITCH_S`).
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from threading import Thread
from typing import TYPE_CHECKING

from rootproof.entrypoints.worker import open_worker, run_in_loop
from rootproof.settings import Settings

if TYPE_CHECKING:
    from rootproof.bootstrap.backend import ProcessChannels
    from rootproof.diagnosis.work import Worker
    from rootproof.ports.telemetry import Telemetry

SWITCH_S = 0.000_5
"""How long a thread may keep the interpreter while another one waits; Python's own value is ten times that."""


class WorkerThread:
    """A worker that is begun, asked to stop and waited for from the server's loop."""

    def __init__(self, settings: Settings, telemetry: Telemetry, shared: ProcessChannels) -> None:
        self._settings = settings
        self._telemetry = telemetry
        self._shared = shared
        self._worker: Worker | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def busy(self) -> int:
        """Runs that are carried out at this moment."""
        return self._worker.busy if self._worker is not None else 0

    async def begin(self) -> asyncio.Future[None]:
        """Work has begun; what is given back is done when it is over, with the exception if it ended by one.

        Raises: UsageError; StoreError.
        """
        outside = asyncio.get_running_loop()
        ready, over = outside.create_future(), outside.create_future()

        def settle(future: asyncio.Future[None], error: BaseException | None) -> None:
            def settle_outside() -> None:
                if not future.done():
                    future.set_exception(error) if error is not None else future.set_result(None)

            outside.call_soon_threadsafe(settle_outside)

        async def work() -> None:
            async with AsyncExitStack() as closing:
                worker = await self._opened(closing)
                settle(ready, None)
                await worker.work()

        def in_thread() -> None:
            error: BaseException | None = None
            try:
                run_in_loop(work())
            except BaseException as raised:  # noqa: BLE001 - raised again by whoever waits, in the server's loop
                error = raised
            settle(over if ready.done() else ready, error)
            settle(over, None)

        sys.setswitchinterval(SWITCH_S)
        Thread(target=in_thread, name="rootproof worker", daemon=True).start()
        await ready
        return over

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, let runs go on for `grace_s`, give back what is left."""
        if self._worker is not None and self._loop is not None and not self._loop.is_closed():
            stopping = asyncio.run_coroutine_threadsafe(self._worker.stop(grace_s), self._loop)
            await asyncio.wrap_future(stopping)

    async def _opened(self, closing: AsyncExitStack) -> Worker:
        from rootproof.bootstrap.backend import open_backend

        backend = await open_backend(self._settings, telemetry=self._telemetry, shared=self._shared)
        closing.push_async_callback(backend.close)
        self._loop = asyncio.get_running_loop()
        self._worker = await open_worker(self._settings, backend, closing)
        return self._worker
