"""The worker: takes runs from the queue, looks in the rows for those that the queue lost, and does what comes due.

The rows are the truth: a job only says that there may be something to do, and a claim decides who does it. So jobs may
be lost, doubled or late, and the queue may be flushed.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.carry_out import carry_out, hold_of
from rootproof.diagnosis.hold_run import Hold
from rootproof.domain.run import Run
from rootproof.errors import StoreError
from rootproof.telemetry import log_about

_log = logging.getLogger(__name__)

_AFTER_CANCEL_S = 5.0
"""How long cancelled work may take to come to rest."""
_SPREAD = 0.2
"""Part by which the pauses differ, so that processes that start together do not stay in step."""
_AGAIN_S = 1.0


@dataclass(frozen=True, slots=True)
class Round:
    """Something to be done again and again. It may raise: that is logged, and it is done again."""

    name: str
    every_s: float
    do: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class WorkTerms:
    """How this process works."""

    name: str
    """Of this process, unlike any other's; stands in the rows of the runs that it holds."""
    concurrency: int = 4
    """Runs at once; 0: none, only the rounds."""
    lease: timedelta = timedelta(seconds=30)
    sweep_s: float = 5.0


class Worker:
    """One process's share of the work."""

    def __init__(self, backend: Backend, terms: WorkTerms, rounds: Sequence[Round] = ()) -> None:
        self._backend = backend
        self._terms = terms
        self._rounds = (Round("look for runs", terms.sweep_s, self._sweep), *rounds) if terms.concurrency else rounds
        self._slots = asyncio.Semaphore(max(1, terms.concurrency))
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._holds: dict[str, Hold] = {}
        self._seen: frozenset[tuple[str, int]] = frozenset()
        self._chores: list[asyncio.Task[None]] = []
        self._draining = False
        self._over = asyncio.Event()

    @property
    def busy(self) -> int:
        """Runs that are carried out here at this moment."""
        return len(self._holds)

    async def work(self) -> None:
        """Work until `stop` has been called and is through."""
        self._chores = [asyncio.create_task(self._go_round(each), name=each.name) for each in self._rounds]
        if self._terms.concurrency:
            self._chores.append(asyncio.create_task(self._take(), name="take runs"))
        try:
            await self._over.wait()
        finally:
            await self.stop(0)

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, let runs go on for `grace_s`, give back what is left; others can claim it at once."""
        if self._over.is_set():
            return
        self._draining = True
        for chore in self._chores:
            chore.cancel()
        if self._jobs:
            await asyncio.wait(self._jobs.values(), timeout=grace_s)
        await asyncio.gather(*(self._give_back(*item) for item in list(self._holds.items())))
        if self._jobs:
            await asyncio.wait(self._jobs.values(), timeout=_AFTER_CANCEL_S)
        for task in [*self._chores, *self._jobs.values()]:
            task.cancel()
        if self._chores:
            await asyncio.wait(self._chores, timeout=_AFTER_CANCEL_S)
        self._over.set()

    async def _give_back(self, run_id: str, hold: Hold) -> None:
        try:
            epoch = await hold.give_back()
            if epoch is not None:
                _log.info("run %s is given back unfinished: another worker goes on with it", run_id)
                await self._backend.queue.enqueue(run_id, epoch=epoch)
        except StoreError as error:
            _log.warning("run %s could not be given back, its lease runs out by itself: %s", run_id, error)

    async def _take(self) -> None:
        while True:
            try:
                await self._backend.queue.work(self._handle, concurrency=self._terms.concurrency)
            except Exception:  # noqa: BLE001 - without a queue the sweep finds the runs
                _log.exception("the queue failed; it is tried again")
            await asyncio.sleep(_AGAIN_S)

    async def _handle(self, run_id: str) -> None:
        """Carry the run out, if it is free. A cancellation of the taker does not reach it: see `stop`."""
        if not self._draining:
            await asyncio.shield(self._begun(run_id))

    def _begun(self, run_id: str) -> asyncio.Task[None]:
        known = self._jobs.get(run_id)
        if known is not None:
            return known
        task = self._jobs[run_id] = asyncio.create_task(self._carry_out(run_id), name=f"run {run_id}")
        task.add_done_callback(lambda _done: self._jobs.pop(run_id, None))
        return task

    async def _carry_out(self, run_id: str) -> None:
        clock = self._backend.services.clock
        async with self._slots:
            if self._draining:
                return
            try:
                now = clock.now()
                run = await self._backend.leases.claim(run_id, self._terms.name, now=now, until=now + self._terms.lease)
                if run is not None:
                    with log_about(run.session_id, run.run_id):
                        await self._claimed(run)
            except StoreError as error:  # the lease runs out, and the run is found again: that is the pause
                _log.warning("run %s stopped for the store, it is tried again: %s", run_id, error)
            except Exception:  # noqa: BLE001 - the run was ended for it; the other runs of this process go on
                _log.exception("run %s met a defect of ours", run_id)

    async def _claimed(self, run: Run) -> None:
        hold = self._holds[run.run_id] = hold_of(self._backend, run, self._terms.lease)
        try:
            if self._draining:
                await self._give_back(run.run_id, hold)
            else:
                await carry_out(self._backend, run, hold)
        finally:
            self._holds.pop(run.run_id, None)

    async def _sweep(self) -> None:
        """Ask for a worker for every run that nobody holds; take it here when asking has not helped."""
        found = await self._backend.leases.claimable(now=self._backend.services.clock.now())
        for run_id, epoch in found:
            if run_id in self._jobs:
                continue
            await self._backend.queue.enqueue(run_id, epoch=epoch)
            if (run_id, epoch) in self._seen and len(self._jobs) < self._terms.concurrency:
                self._begun(run_id)
        self._seen = frozenset(found)

    async def _go_round(self, each: Round) -> None:
        while True:
            try:
                await each.do()
            except StoreError as error:
                _log.warning("could not %s: %s", each.name, error)
            except Exception:  # noqa: BLE001 - one bad round must not end them all
                _log.exception("could not %s", each.name)
            await asyncio.sleep(each.every_s * random.uniform(1 - _SPREAD, 1 + _SPREAD))  # noqa: S311 - no secret
