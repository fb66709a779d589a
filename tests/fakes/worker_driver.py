"""Kill -9 a real worker process at every write of a run, then let another worker finish it.

`python -m tests.fakes.worker_driver FOLDER URL REDIS BUNDLE EVERY`: for every EVERY-th n a forked worker is ended by
SIGKILL before its n-th write (claims and what is done after a run count too), then a second one works until the run is
over. One JSON line a boundary; ends at the n that no run reaches. Forking saves the imports: the processes are real.
"""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import rootproof.adapters.docket.run_queue
import rootproof.adapters.redis.client  # noqa: F401 - imported before forking, as the next ones
from rootproof.bootstrap.backend import open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.diagnosis.work import Worker, WorkTerms
from rootproof.domain.run import is_terminal
from rootproof.settings import RedisSettings, Settings, SourceSettings, StoreSettings
from tests.fakes.kill_driver import forked, kill_before, summary

LEASE = timedelta(milliseconds=300)
SWEEP_S = 0.05


def settings_of(folder: Path, url: str, redis: str, bundle: str) -> Settings:
    """Of every process; an empty `redis` is the embedded default."""
    return Settings(
        store=StoreSettings(url=url, home=str(folder)),
        redis=RedisSettings(url=redis, prefix=f"rootproof-test-{folder.name}"),
        sources=SourceSettings(bundle=bundle),
    )


async def begin(settings: Settings, count: int, *, reasoner: str = "playbook") -> list[str]:
    """Queued runs."""
    backend = await open_backend(settings)
    request = RunRequest("why?", reasoner=reasoner, now=backend.basis.now, sources=dict(backend.basis.sources))
    runs = [await start_run(backend.services, request) for _ in range(count)]
    await backend.close()
    return [run.run_id for run in runs]


async def until_over(backend: Backend, run_id: str, name: str) -> None:
    """Work until the run is over."""
    worker = Worker(backend, WorkTerms(name, 1, LEASE, SWEEP_S))
    working = asyncio.create_task(worker.work())
    while True:
        rows = await backend.services.runs.load(run_id)
        if rows is not None and is_terminal(rows.run.status):
            break
        await asyncio.sleep(0.02)
    await worker.stop(5)
    await working


async def work(settings: Settings, run_id: str, name: str, deadly: int) -> dict[str, Any]:
    """What the run came to, carried out by a worker that dies before its `deadly`-th write (0: never)."""
    backend = await open_backend(settings)
    if deadly:
        inside: Any = backend.services.runs
        kill_before([(inside.inside, WRITES), (backend.leases, ("claim",)), (backend.sessions, ("append",))], deadly)
    await until_over(backend, run_id, name)
    rows = await backend.services.runs.load(run_id)
    assert rows is not None
    history = await backend.sessions.history(rows.run.session_id, rows.run.owner)
    await backend.close()
    more = {"epoch": rows.run.lease_epoch, "remembered": [pair.run_id for pair in history.pairs] == [run_id]}
    return summary(rows) | more


WRITES = ("append_step", "open_invocation", "update_invocation", "update_run")


def main() -> None:
    folder, every = Path(sys.argv[1]), int(sys.argv[5])
    settings = settings_of(folder, *sys.argv[2:5])
    out = folder / "answer.json"
    # The first run is carried out here: what it imports and caches, no forked process has to.
    [first] = asyncio.run(begin(settings, 1))
    whole = asyncio.run(work(settings, first, "nobody kills it", 0))
    print(json.dumps({"deadly": 0, "killed": False, **whole}), flush=True)
    for deadly in range(1, 400, every):
        [run_id] = asyncio.run(begin(settings, 1))

        def attempt(name: str, deadly: int, run_id: str = run_id) -> Any:
            return asyncio.run(work(settings, run_id, name, deadly))

        out.write_text("null")
        status = forked(partial(attempt, "first", deadly), out)
        killed = bool(status)
        if killed:
            forked(partial(attempt, "second", 0), out)
        print(json.dumps({"deadly": deadly, "killed": killed, **json.loads(out.read_text())}), flush=True)
        if not killed:
            return


if __name__ == "__main__":
    main()
