"""A worker that is suspended in the middle of a run and wakes up when another one has finished it.

`python -m tests.fakes.stopped_driver FOLDER URL REDIS BUNDLE N`: a forked worker stops itself (SIGSTOP) before its N-th
write; when its lease has run out another worker finishes the run; then the first is woken. One JSON line: the rows
before and after that, and how the first one ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from rootproof.bootstrap.backend import open_backend
from rootproof.settings import Settings
from tests.fakes.worker_driver import WRITES, begin, settings_of, until_over, work


def stop_before(store: Any, fatal: int) -> None:
    """Suspend this process before its `fatal`-th write."""
    made = 0
    for name in WRITES:
        original = getattr(store, name)

        async def counted(*args: Any, _original: Any = original) -> Any:
            nonlocal made
            made += 1
            if made == fatal:
                os.kill(os.getpid(), signal.SIGSTOP)
            return await _original(*args)

        setattr(store, name, counted)


async def sleeper(settings: Settings, run_id: str, fatal: int) -> None:
    """Work on the run until it is over, with a long sleep in between."""
    backend = await open_backend(settings)
    inside: Any = backend.services.runs
    stop_before(inside.inside, fatal)
    await until_over(backend, run_id, "sleeper")
    await backend.close()


async def everything(settings: Settings, run_id: str) -> list[str]:
    """Every row of the run, as text."""
    backend = await open_backend(settings)
    rows = await backend.services.runs.load(run_id)
    assert rows is not None
    await backend.close()
    return [repr(rows.run), *map(repr, rows.steps), *map(repr, rows.invocations)]


def main() -> None:
    settings = settings_of(Path(sys.argv[1]), *sys.argv[2:5])
    [first] = asyncio.run(begin(settings, 1))
    asyncio.run(work(settings, first, "nobody stops it", 0))
    [run_id] = asyncio.run(begin(settings, 1))
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(sleeper(settings, run_id, int(sys.argv[5])))
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - the child must end here whatever happens
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    _, status = os.waitpid(pid, os.WUNTRACED)
    stopped = os.WIFSTOPPED(status)
    try:
        done = asyncio.run(work(settings, run_id, "other", 0))
        before = asyncio.run(everything(settings, run_id))
    finally:
        os.kill(pid, signal.SIGCONT)
    ends = time.monotonic() + 30
    ended, status = 0, 0
    while not ended and time.monotonic() < ends:
        ended, status = os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)
    if not ended:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    after = asyncio.run(everything(settings, run_id))
    answer = {"stopped": stopped, "ended": bool(ended), "code": status, "before": before, "after": after, **done}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
