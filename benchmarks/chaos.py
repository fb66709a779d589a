"""Runs over workers that are killed with -9 again and again, and a queue that is flushed in the middle.

`python -m benchmarks.chaos [--runs 200] [--workers 3] [--store URL --redis URL] [--kill-every 3.0] [--seed 7]`

Prints what was lost (no such run), unfinished (not COMPLETED), doubled (a step, a call or an END twice, or rows that
are not those of a run that nobody disturbed), and the time it took. Exit 1 unless all three are 0. Without `--store` it
uses the embedded SQLite file and no Redis. With `--store` the database must exist, and be one that may be filled.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

from rootproof.bootstrap.backend import open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.diagnosis.work import Worker, WorkTerms
from rootproof.domain.invocation import is_final
from rootproof.domain.run import RunStatus, is_terminal
from rootproof.domain.step import StepKind
from rootproof.ports.run_store import RunRows
from rootproof.settings import RedisSettings, Settings, SourceSettings, StoreSettings

LEASE = timedelta(seconds=4)
SWEEP_S = 0.5
LONGEST_S = 1_200
LINES = """\
2026-05-04T10:00:00Z ERROR billing-api Connection is not available, request timed out after 30000ms
2026-05-04T10:00:05Z ERROR billing-api could not reach db.example at 10.3.4.5: connection refused
"""


def shape(rows: RunRows) -> tuple[object, ...]:
    """What must be the same in every run, disturbed or not."""
    steps = tuple((step.step_no, step.agent, step.kind) for step in rows.steps)
    calls = tuple((call.step_no, call.call_index, call.tool_name, call.status) for call in rows.invocations)
    claims = rows.run.report["claims"] if rows.run.report else ()
    return steps, calls, tuple((item["claim"]["text"], item["verdict"]) for item in claims)


def is_doubled(rows: RunRows) -> bool:
    """Whether something of the run is there twice, or a call was left open."""
    steps = Counter(step.step_no for step in rows.steps)
    calls = Counter((call.step_no, call.call_index) for call in rows.invocations)
    ends = sum(step.kind is StepKind.END for step in rows.steps)
    seqs = Counter([*(step.seq for step in rows.steps), *(call.seq for call in rows.invocations)])
    left_open = any(not is_final(call.status) for call in rows.invocations)
    return ends != 1 or left_open or any(n > 1 for counts in (steps, calls, seqs) for n in counts.values())


def worker_process(settings: Settings, number: int) -> int:
    """The id of a new worker process. Forked: it begins at once, with what this process has imported."""
    pid = os.fork()
    if pid:
        return pid
    try:
        asyncio.run(_work(settings, f"chaos:{os.getpid()}:{number}"))
    finally:
        os._exit(0)


async def _work(settings: Settings, name: str) -> None:
    backend = await open_backend(settings)
    await Worker(backend, WorkTerms(name, 2, LEASE, SWEEP_S)).work()


async def _begin(settings: Settings, count: int) -> list[str]:
    backend = await open_backend(settings)
    basis = backend.basis
    ids = []
    for _ in range(count):
        run = await start_run(backend.services, RunRequest("why?", now=basis.now, sources=dict(basis.sources)))
        await backend.queue.enqueue(run.run_id)
        ids.append(run.run_id)
    await backend.close()
    return ids


async def _undisturbed(settings: Settings) -> tuple[object, ...]:
    """The shape of a run in this process; what it imports, no worker has to."""
    [run_id] = await _begin(settings, 1)
    backend = await open_backend(settings)
    worker = Worker(backend, WorkTerms("undisturbed", 1, LEASE, 0.1))
    working = asyncio.create_task(worker.work())
    while True:
        rows = await backend.services.runs.load(run_id)
        if rows is not None and is_terminal(rows.run.status):
            break
        await asyncio.sleep(0.05)
    await worker.stop(5)
    await working
    await backend.close()
    return shape(rows)


class Chaos:
    """The workers, and who kills them."""

    def __init__(self, settings: Settings, workers: int, kill_every_s: float, chance: random.Random) -> None:
        self._settings = settings
        self._kill_every_s = kill_every_s
        self._chance = chance
        self._pids = [worker_process(settings, number) for number in range(workers)]
        self.kills = 0
        self.flushes = 0

    async def until_over(self, ids: list[str]) -> None:
        """Kill one of them from time to time, flush once half is done, until every run is over."""
        backend = await open_backend(self._settings)
        begun = time.monotonic()
        next_kill = begun + self._kill_every_s
        while time.monotonic() < begun + LONGEST_S:
            open_runs = sum((await backend.directory.counts()).values())
            if not open_runs:
                break
            if time.monotonic() >= next_kill:
                self._kill_one()
                next_kill = time.monotonic() + self._kill_every_s * self._chance.uniform(0.3, 1.7)
            if self._settings.redis.url and not self.flushes and open_runs < len(ids) / 2:
                await self._flush()
            await asyncio.sleep(0.1)
        await backend.close()

    def _kill_one(self) -> None:
        place = self._chance.randrange(len(self._pids))
        os.kill(self._pids[place], signal.SIGKILL)
        os.waitpid(self._pids[place], 0)
        self._pids[place] = worker_process(self._settings, 1_000 + self.kills)
        self.kills += 1

    async def _flush(self) -> None:
        from redis.asyncio import Redis

        client = Redis.from_url(self._settings.redis.url)
        await client.flushall()
        await client.aclose()
        self.flushes += 1

    def end(self) -> None:
        """End the workers."""
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


async def _figures(backend: Backend, ids: list[str], whole: tuple[object, ...]) -> dict[str, int]:
    figures = Counter({"lost": 0, "unfinished": 0, "doubled": 0, "claims": 0})
    for run_id in ids:
        rows = await backend.services.runs.load(run_id)
        if rows is None:
            figures["lost"] += 1
            continue
        figures["claims"] += rows.run.lease_epoch
        if rows.run.status is not RunStatus.COMPLETED:
            figures["unfinished"] += 1
        elif is_doubled(rows) or shape(rows) != whole:
            figures["doubled"] += 1
    return dict(figures)


def bundle_in(folder: Path) -> Path:
    """A small incident: what matters here is that there are many."""
    bundle = folder / "bundle"
    (bundle / "logs").mkdir(parents=True)
    (bundle / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why is billing slow?"\n')
    (bundle / "logs" / "billing-api.log").write_text(LINES)
    return bundle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=3.0, help="seconds between kills, on average")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", default="", help="SQLAlchemy URL of an empty database; default: a SQLite file")
    parser.add_argument("--redis", default="", help="address of a Redis that may be flushed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(
            store=StoreSettings(url=given.store, home=str(folder / "home")),
            redis=RedisSettings(url=given.redis, prefix="rootproof-chaos"),
            sources=SourceSettings(bundle=str(bundle_in(folder))),
        )
        whole = asyncio.run(_undisturbed(settings))
        ids = asyncio.run(_begin(settings, given.runs))
        begun = time.monotonic()
        chaos = Chaos(settings, given.workers, given.kill_every, random.Random(given.seed))
        try:
            asyncio.run(chaos.until_over(ids))
        finally:
            chaos.end()
        took_s = time.monotonic() - begun

        async def look() -> dict[str, int]:
            backend = await open_backend(settings)
            figures = await _figures(backend, ids, whole)
            await backend.close()
            return figures

        figures = asyncio.run(look())
    again = figures.pop("claims") - len(ids)
    where = f"{given.store.partition('+')[0] or 'sqlite'}{' + redis' if given.redis else ', embedded'}"
    print(f"{given.runs} runs over {given.workers} workers on {where}: {chaos.kills} kills, {chaos.flushes} flushes")
    print(f"claimed again {again} times; " + ", ".join(f"{name} {count}" for name, count in figures.items()))
    print(f"{took_s:.1f} s, {given.runs / took_s:.1f} runs/s")
    return 1 if any(figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
