"""Many streams at once: how late events are, and whether any is lost or comes twice when clients hang up at random.

    python -m benchmarks.streams [--streams 500] [--runs 50] [--disconnects 1000]

A server of its own process (uvicorn, the embedded SQLite store) holds the runs and writes their steps, as the embedded
worker does; this process reads all streams. A step says when it was about to be written, so its lag counts the
transaction, the look at the rows, the network and this process's own reading.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

HOST = "127.0.0.1"
_WROTE = re.compile(rb'"wroteAt":([0-9.]+)')
_STEP_NO = re.compile(rb'"stepNo":(\d+)')


# -- the server's process ------------------------------------------------------------------------------------------


async def serve(port: int, home: str, runs: int, steps: int, every_s: float) -> None:
    """Serve, print the run ids, write the steps once a line comes in, then stay until the input ends."""
    import uvicorn

    from rootproof.bootstrap.backend import open_backend
    from rootproof.diagnosis.request_run import AskedRun, request_run
    from rootproof.domain.api_key import LOCAL_OWNER, Principal, Scope
    from rootproof.entrypoints.http.app import create_app
    from rootproof.settings import Settings, StoreSettings

    settings = Settings(store=StoreSettings(home=home))
    backend = await open_backend(settings)
    caller = Principal(LOCAL_OWNER, frozenset(Scope))
    made = [await request_run(backend, caller, AskedRun(question="why?"), max_queued=10**6) for _ in range(runs)]
    config = uvicorn.Config(create_app(settings, backend), HOST, port, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn says it nowhere else
        await asyncio.sleep(0.05)
    print(json.dumps([run.run_id for run in made]), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        await asyncio.gather(*(write(backend, run, steps, every_s) for run in made))
        print("written", flush=True)
    server.should_exit = True
    await serving
    await backend.close()


async def write(backend: Any, run: Any, steps: int, every_s: float) -> None:
    """The steps of one run, one every so often, and its end."""
    from rootproof.domain.run import RunStatus, StatusReason
    from rootproof.domain.step import Agent, Step, StepKind

    store = backend.services.runs
    running = await store.update_run(replace(run, status=RunStatus.RUNNING))
    await asyncio.sleep(random.random() * every_s)
    for number in range(steps):
        step = Step(number, Agent.EXECUTOR, StepKind.TURN, {"text": "x" * 300, "toolCalls": [], "wroteAt": time.time()})
        await store.append_step(run.context, step)
        await asyncio.sleep(every_s)
    ended = replace(running, status=RunStatus.COMPLETED, status_reason=StatusReason.REPORTED)
    await store.update_run(ended)


# -- the readers ---------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What one client has read."""

    ids: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    lags_ms: list[float] = field(default_factory=list)
    ends: int = 0
    disconnects: int = 0


async def read(port: int, run_id: str, seen: Seen, *, at_most: int | None = None) -> None:
    """Read a stream from where it was, to its end or for so many events."""
    after = seen.ids[-1] if seen.ids else 0
    reader, writer = await asyncio.open_connection(HOST, port, limit=1 << 22)
    request = f"GET /api/runs/{run_id}/events HTTP/1.1\r\nHost: {HOST}:{port}\r\nLast-Event-ID: {after}\r\n\r\n"
    writer.write(request.encode())
    count = 0
    name = b""
    try:
        status = await reader.readline()
        if b" 204 " in status:
            raise SystemExit(f"the end of {run_id} was taken for seen at {after}")
        if b" 200 " not in status:
            raise SystemExit(f"{run_id}: {status!r}")
        while line := await reader.readline():
            if line.startswith(b"id: "):
                seen.ids.append(int(line[4:]))
            elif line.startswith(b"event: "):
                name = line[7:].strip()
            elif line.startswith(b"data: "):
                took(seen, name, line)
                count += 1
                if name == b"end" or count == at_most:
                    return
    finally:
        writer.close()


def took(seen: Seen, name: bytes, line: bytes) -> None:
    """Note one event."""
    if name == b"end":
        seen.ends += 1
    elif name == b"step":
        wrote, number = _WROTE.search(line), _STEP_NO.search(line)
        assert wrote is not None
        assert number is not None
        seen.lags_ms.append((time.time() - float(wrote.group(1))) * 1000)
        seen.steps.append(int(number.group(1)))


@asynccontextmanager
async def server(runs: int, steps: int, every_s: float) -> AsyncIterator[tuple[int, list[str], subprocess.Popen[str]]]:
    """A server with its runs; a line to its input begins the writing."""
    import socket

    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        arguments = ["--serve", str(port), "--home", home, "--runs", str(runs), "--steps", str(steps)]
        process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
            [sys.executable, "-m", "benchmarks.streams", *arguments, "--every-s", str(every_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield port, json.loads(await asyncio.to_thread(process.stdout.readline)), process
        finally:
            process.stdin.close()
            process.wait(30)
            process.stdout.close()
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"  the server has used {used.ru_utime + used.ru_stime:.1f} s of a processor by now", flush=True)


def begin(process: subprocess.Popen[str]) -> None:
    """Let the server write."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


async def lag(streams: int, runs: int, steps: int, every_s: float) -> bool:
    """Print how late events are; whether everybody saw everything once."""
    async with server(runs, steps, every_s) as (port, run_ids, process):
        everybody = [Seen() for _ in range(streams)]
        readers = [
            asyncio.create_task(read(port, run_ids[number % runs], seen)) for number, seen in enumerate(everybody)
        ]
        while not all(seen.ids for seen in everybody):  # noqa: ASYNC110 - said by many
            await asyncio.sleep(0.05)
        begin(process)
        await asyncio.gather(*readers)
    lags = sorted(value for seen in everybody for value in seen.lags_ms)
    figures = ", ".join(f"{name} {lags[int(len(lags) * part)]:.1f} ms" for name, part in (("p50", 0.5), ("p99", 0.99)))
    print(f"{streams} streams of {runs} runs, {len(lags):,} steps read: lag {figures}, most {lags[-1]:.1f} ms")
    return report(everybody, steps)


async def disconnects(wanted: int, runs: int, steps: int, every_s: float) -> bool:
    """Print what clients miss or get twice that hang up at random and come again; whether it is nothing."""
    clients = runs * 4
    share = wanted // clients + 1
    async with server(runs, steps, every_s) as (port, run_ids, process):

        async def restless(run_id: str, seen: Seen, dice: random.Random) -> None:
            while not seen.ends:
                hang_up = seen.disconnects < share
                await read(port, run_id, seen, at_most=dice.randint(1, max(1, steps // share)) if hang_up else None)
                seen.disconnects += not seen.ends

        everybody = [Seen() for _ in range(clients)]
        readers = [
            asyncio.create_task(restless(run_ids[number % runs], seen, random.Random(number)))
            for number, seen in enumerate(everybody)
        ]
        begin(process)
        await asyncio.gather(*readers)
    print(f"{clients} clients, {sum(seen.disconnects for seen in everybody):,} disconnects with resume")
    return report(everybody, steps)


def report(everybody: list[Seen], steps: int) -> bool:
    """Print gaps, repetitions and ends; whether they are as they must be."""
    gaps = sum(len(set(range(steps)) - set(seen.steps)) for seen in everybody)
    again = sum(len(seen.steps) - len(set(seen.steps)) + len(seen.ids) - len(set(seen.ids)) for seen in everybody)
    disorder = sum(seen.ids != sorted(seen.ids) for seen in everybody)
    ends = sum(seen.ends != 1 for seen in everybody)
    print(f"  gaps {gaps}, duplicates {again}, streams out of order {disorder}, streams without exactly one end {ends}")
    return not (gaps or again or disorder or ends)


def main() -> int:
    """Exit 1 when anything was lost or came twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--every-s", type=float, default=1.0)
    parser.add_argument("--disconnects", type=int, default=1_000)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--home", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        from rootproof.entrypoints.worker import run_in_loop  # the loop of `rootproof serve`

        run_in_loop(serve(given.serve, given.home, given.runs, given.steps, given.every_s))
        return 0
    good = asyncio.run(lag(given.streams, given.runs, given.steps, given.every_s))
    good &= asyncio.run(disconnects(given.disconnects, given.runs, given.steps, given.every_s / 2))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
