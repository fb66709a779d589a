"""How fast alerts are acknowledged while the same server diagnoses, and how many runs they make.

`python -m benchmarks.intake [--seconds 60] [--rate 1000] [--burst 500] [--database URL] [--redis URL] [--split]`.
A real `rootproof serve` process with its embedded worker; one client process beside it. Phases: `--rate` deliveries a
minute of one alert each over 20 incidents, with the health check beside them as the named peer (it waits for the same
event loop, and does nothing else); the same alerts five a body; a burst of single alerts at once; one body of 500
alerts. The server looks at a recorded incident, so that its runs have work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

GROUPS = 20
BUNDLE = Path(__file__).parent.parent / "tests" / "scenarios" / "skills" / "diagnose-cache-failure" / "answer"
_LISTENING = re.compile(r"listening on (http://\S+)")


@dataclass
class Figures:
    """Seconds of every answer of a phase."""

    name: str
    taken_s: list[float]
    failed: int = 0
    over_s: float = 0.0

    def at(self, share: float) -> float:
        """The percentile, in milliseconds."""
        ordered = sorted(self.taken_s)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000 if ordered else float("nan")

    def line(self) -> str:
        """For people."""
        rate = len(self.taken_s) / self.over_s * 60 if self.over_s else 0
        return (
            f"{self.name:<44} {len(self.taken_s):>5} answers {rate:>7.0f}/min  p50 {self.at(0.5):>7.1f}  "
            f"p95 {self.at(0.95):>7.1f}  p99 {self.at(0.99):>7.1f} ms  failed {self.failed}"
        )


def alert(number: int, group: int, severity: str = "critical") -> dict[str, Any]:
    """One alert of Alertmanager's shape."""
    return {
        "status": "firing",
        "labels": {
            "alertname": f"Alert{number % 50}",
            "service": f"service-{group}",
            "namespace": "shop",
            "cluster": "eu-1",
            "pod": f"service-{group}-7d9f8b6c5-{number:05d}",
            "severity": severity,
        },
        "annotations": {"summary": f"alert {number} of service-{group}", "description": "above 5 % for 5 minutes"},
        "startsAt": "2026-03-04T05:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": f"{number:016x}",
    }


def body(alerts: list[dict[str, Any]], group: int) -> bytes:
    """A webhook body."""
    return json.dumps({"version": "4", "groupKey": f"g{group}", "status": "firing", "alerts": alerts}).encode()


async def paced(name: str, count: int, rate: float, send: Callable[[int], Awaitable[int]]) -> Figures:
    """`count` requests at `rate` a minute, each begun on time whatever the others do."""
    found = Figures(name, [])
    began = time.perf_counter()

    async def one(number: int) -> None:
        due = began + number * 60 / rate if rate else began
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        started = time.perf_counter()
        status = await send(number)
        found.taken_s.append(time.perf_counter() - started)
        found.failed += status >= 300

    await asyncio.gather(*(one(number) for number in range(count)))
    found.over_s = time.perf_counter() - began
    return found


async def measure(url: str, arguments: argparse.Namespace) -> None:
    """Run the phases and print them."""
    limits = httpx2.Limits(max_connections=50, max_keepalive_connections=50)
    async with (
        httpx2.AsyncClient(base_url=url, timeout=60, limits=limits, trust_env=False) as client,
        httpx2.AsyncClient(base_url=url, timeout=60, limits=limits, trust_env=False) as peer_client,
    ):

        async def health(_number: int) -> int:
            return (await peer_client.get("/healthz")).status_code

        async def post(content: bytes) -> int:
            headers = {"Content-Type": "application/json"}
            return (await client.post("/api/alerts/alertmanager", content=content, headers=headers)).status_code

        count = int(arguments.rate * arguments.seconds / 60)
        steady, peer = await asyncio.gather(
            paced(
                f"alerts at {arguments.rate:g}/min, one a body",
                count,
                arguments.rate,
                lambda number: post(body([alert(number, number % GROUPS)], number % GROUPS)),
            ),
            paced("peer: GET /healthz meanwhile", count // 4, arguments.rate / 4, health),
        )
        fives = await paced(
            f"alerts at {arguments.rate:g}/min, five a body",
            count // 5,
            arguments.rate / 5,
            lambda number: post(
                body([alert(number * 5 + n, 40 + number % GROUPS) for n in range(5)], 40 + number % 20)
            ),
        )
        burst = await paced(
            f"burst of {arguments.burst} bodies, 50 connections",
            arguments.burst,
            0,
            lambda number: post(body([alert(10_000 + number, 90)], 90)),
        )
        storm = await paced(
            "one body of 500 alerts", 1, 0, lambda _: post(body([alert(20_000 + n, 91) for n in range(500)], 91))
        )
        for figures in (steady, peer, fives, burst, storm):
            print(figures.line())
        print(f"p95 of alerts / p95 of peer: {steady.at(0.95) / peer.at(0.95):.1f}")
        await report_runs(client, wait_s=arguments.wait)


async def report_runs(client: httpx2.AsyncClient, wait_s: float) -> None:
    """What the alerts became."""
    until = time.perf_counter() + wait_s
    while True:
        incidents = (await client.get("/api/incidents?limit=200")).json()["items"]
        waiting = [one for one in incidents if one["nextRunAt"] is not None]
        runs = (await client.get("/api/runs?limit=200")).json()["items"]
        open_runs = [run for run in runs if run["status"] in ("QUEUED", "RUNNING")]
        if not (waiting or open_runs) or time.perf_counter() > until:
            break
        await asyncio.sleep(0.5)
    delivered = sum(one["alertCount"] for one in incidents)
    print(
        f"incidents {len(incidents)}, alerts counted {delivered}, runs {sum(one['runCount'] for one in incidents)} "
        f"(most of one incident: {max(one['runCount'] for one in incidents)}), still waiting {len(waiting)}, "
        f"still open {len(open_runs)}"
    )


def main() -> None:
    """Start the server, measure, stop it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=1_000)
    parser.add_argument("--burst", type=int, default=500)
    parser.add_argument("--wait", type=float, default=90, help="seconds to wait for the last run")
    parser.add_argument("--database", default="")
    parser.add_argument("--redis", default="")
    parser.add_argument("--bundle", type=Path, default=BUNDLE)
    parser.add_argument("--split", action="store_true", help="runs in a `rootproof worker` process of their own")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("ROOTPROOF_")}
        environ |= {"ROOTPROOF_STORE_HOME": home, "ROOTPROOF_STORE_URL": arguments.database}
        environ |= {"ROOTPROOF_REDIS_URL": arguments.redis, "ROOTPROOF_TELEMETRY_LOG_LEVEL": "error"}
        command = [sys.executable, "-m", "rootproof", "serve", "--port", "0", "--bundle", str(arguments.bundle)]
        worker = [sys.executable, "-m", "rootproof", "worker"]
        environ |= {"ROOTPROOF_SOURCES_BUNDLE": str(arguments.bundle)}
        log = (Path(home) / "server.log").open("w+")
        beside: subprocess.Popen[str] | None = None
        if arguments.split:
            command += ["--concurrency", "0"]
        server = subprocess.Popen(command, env=environ, stderr=log, stdout=subprocess.DEVNULL, text=True)
        try:
            address = _address(server, Path(log.name))
            if arguments.split:
                beside = subprocess.Popen(worker, env=environ, stderr=log, stdout=subprocess.DEVNULL, text=True)
            asyncio.run(measure(address, arguments))
        finally:
            if beside is not None:
                beside.send_signal(signal.SIGTERM)
                beside.wait(60)
            server.send_signal(signal.SIGTERM)
            server.wait(60)
            log.close()


def _address(server: subprocess.Popen[str], log: Path) -> str:
    until = time.perf_counter() + 120
    while time.perf_counter() < until and server.poll() is None:
        if found := _LISTENING.search(log.read_text()):
            return found[1]
        time.sleep(0.05)
    raise SystemExit(f"the server did not begin: {log.read_text()[-2_000:]}")


if __name__ == "__main__":
    main()
