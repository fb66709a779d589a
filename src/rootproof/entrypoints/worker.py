"""`rootproof worker`: a process that carries out runs; and what `rootproof serve` has in common with it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.work import Round, Worker, WorkTerms
from rootproof.entrypoints.cli.output import tell
from rootproof.settings import Settings

T = TypeVar("T")

_INTAKE_S = 1.0
_SEND_S = 2.0
_PURGE_S = 3_600.0
_SHORTEST_LEASE_S = 2
_MARGIN_S = 3.0
"""Of the grace period, for what comes after the runs: giving them back, closing connections."""
_HOST_CHARS = 60


def worker_name() -> str:
    """A name that no other process has: host, process id, a random part."""
    return f"{socket.gethostname()[:_HOST_CHARS]}:{os.getpid()}:{secrets.token_hex(4)}"


def lease_of(settings: Settings) -> timedelta:
    """How long a silent worker keeps a run."""
    return timedelta(seconds=max(_SHORTEST_LEASE_S, settings.worker.lease_s))


def work_grace_s(settings: Settings) -> float:
    """Seconds that runs under way may take after the signal, so that the process ends within the grace period."""
    grace_s = settings.server.grace_s
    return max(0.0, grace_s - min(_MARGIN_S, grace_s / 4))


async def open_worker(settings: Settings, backend: Backend, closing: AsyncExitStack) -> Worker:
    """The worker of this process with everything that comes due from time to time; `closing` releases what it opens."""
    chosen = settings.worker
    terms = WorkTerms(worker_name(), chosen.concurrency, lease_of(settings), max(0.2, float(chosen.sweep_s)))
    rounds = [Round("start the runs of incidents", _INTAKE_S, lambda: _start_due(backend, settings))]
    rounds.append(Round("delete expired raw outputs", _PURGE_S, lambda: _purge(backend)))
    rounds.append(Round("forget old deliveries", _PURGE_S, lambda: _forget(backend)))
    if backend.notify.targets:
        from rootproof.bootstrap.backend import report_sender
        from rootproof.diagnosis.send_report import send_due

        sender = report_sender(settings)
        closing.push_async_callback(sender.close)
        clock = backend.services.clock
        rounds.append(Round("send reports", _SEND_S, lambda: send_due(backend, sender, now=clock.now())))
    return Worker(backend, terms, rounds)


async def _start_due(backend: Backend, settings: Settings) -> object:
    from rootproof.diagnosis.start_due_runs import start_due_runs

    return await start_due_runs(backend, settings.intake, now=backend.services.clock.now())


async def _forget(backend: Backend) -> object:
    from rootproof.diagnosis.start_due_runs import forget_old_deliveries

    return await forget_old_deliveries(backend, now=backend.services.clock.now())


async def _purge(backend: Backend) -> object:
    return await backend.services.canonical.purge(now=backend.services.clock.now())


class Signals:
    """SIGINT and SIGTERM: the first asks for an orderly end, the second ends the process where it is."""

    def __init__(self) -> None:
        self.stopped_at: float | None = None
        """When the first came, on the monotonic clock."""
        self._asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on, number)

    async def wait(self) -> None:
        """Return when the process is asked to end."""
        await self._asked.wait()

    def _on(self, number: signal.Signals) -> None:
        if self._asked.is_set():
            tell("rootproof: ended at once; runs under way are finished by another worker when their lease is over")
            os._exit(128 + number)
        self.stopped_at = time.monotonic()
        self._asked.set()


def run_in_loop(main: Coroutine[Any, Any, T]) -> T:
    """What `main` gives, in the fastest event loop that is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def work(settings: Settings) -> None:
    """Carry out runs until SIGINT or SIGTERM. Raises: UsageError; StoreError."""
    from rootproof.errors import UsageError

    if settings.worker.concurrency < 1:
        raise UsageError(
            "a worker carries out at least one run at a time: set worker.concurrency or --concurrency to 1 or more"
        )
    run_in_loop(_work(settings))


async def _work(settings: Settings) -> None:
    from rootproof.bootstrap.backend import open_backend, service_telemetry

    telemetry = service_telemetry(settings)
    backend = await open_backend(settings, telemetry=telemetry)
    async with AsyncExitStack() as closing:
        closing.callback(telemetry.close)
        closing.push_async_callback(backend.close)
        worker = await open_worker(settings, backend, closing)
        signals = Signals()
        tell(_greeting(settings))
        working = asyncio.create_task(worker.work())
        asked = asyncio.create_task(signals.wait())
        await asyncio.wait({working, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            tell(f"rootproof: ending; {worker.busy} runs under way have up to {work_grace_s(settings):g} s")
            await worker.stop(work_grace_s(settings))
        asked.cancel()
        await working


def _greeting(settings: Settings) -> str:
    store = "the configured store" if settings.store.url else f"the embedded store in {settings.home}"
    at_once = f"rootproof: carrying out up to {settings.worker.concurrency} runs at once from {store}"
    if settings.redis.url:
        return at_once
    return (
        f"{at_once}; without redis.url no queue wakes this worker: it looks for runs every {settings.worker.sweep_s} s"
    )


def with_concurrency(settings: Settings, concurrency: int | None) -> Settings:
    """The settings with another number of runs at once, where one is given."""
    return (
        settings if concurrency is None else replace(settings, worker=replace(settings.worker, concurrency=concurrency))
    )
