"""Real workers in processes of their own, killed, suspended, asked to end; on the embedded default and on servers."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rootproof.bootstrap.backend import open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.domain.run import RunStatus
from rootproof.domain.step import StepKind
from rootproof.ports.run_store import RunRows
from tests.contracts.redis_server import RedisServer, redis_process
from tests.contracts.sql_servers import ServerDatabases
from tests.fakes.processes import ROOT, environment, fake_provider
from tests.fakes.worker_driver import begin, settings_of

__all__ = ["redis_process"]

T = TypeVar("T")

LINES = """\
2026-05-04T10:00:00Z ERROR billing-api Connection is not available, request timed out after 30000ms
2026-05-04T10:00:05Z ERROR billing-api could not reach db.example at 10.3.4.5: connection refused
"""


@dataclass
class Place:
    """Where runs are kept, and what they look at."""

    folder: Path
    url: str
    redis: RedisServer | None
    bundle: Path

    @property
    def arguments(self) -> list[str]:
        return [str(self.folder), self.url, self.redis.url if self.redis else "", str(self.bundle)]

    def driver(self, module: str, *more: str) -> list[Any]:
        """What a driver program printed, line by line."""
        command = [sys.executable, "-m", module, *self.arguments, *more]
        done = subprocess.run(
            command, cwd=ROOT, env=environment(self.folder), capture_output=True, text=True, check=False, timeout=280
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def begin(self, count: int, *, reasoner: str = "playbook") -> list[str]:
        """New runs, queued as the server queues them."""
        settings = settings_of(self.folder, *self.arguments[1:])

        async def work(backend: Backend) -> list[str]:
            ids = await begin(settings, count, reasoner=reasoner)
            for run_id in ids:
                await backend.queue.enqueue(run_id)
            return ids

        return self.asked(work)

    def rows(self, run_id: str) -> RunRows:
        """The rows of a run as they are now."""

        async def work(backend: Backend) -> RunRows:
            rows = await backend.services.runs.load(run_id)
            assert rows is not None
            return rows

        return self.asked(work)

    def asked(self, work: Callable[[Backend], Awaitable[T]]) -> T:
        """What `work` gives with a backend of this process."""

        async def call() -> T:
            backend = await open_backend(settings_of(self.folder, *self.arguments[1:]))
            try:
                return await work(backend)
            finally:
                await backend.close()

        return asyncio.run(call())

    @contextmanager
    def workers(self, count: int = 1, more: Mapping[str, str] | None = None) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Worker processes over this place, ended afterwards."""
        settings = {
            "ROOTPROOF_STORE_URL": self.url,
            "ROOTPROOF_STORE_HOME": str(self.folder),
            "ROOTPROOF_SOURCES_BUNDLE": str(self.bundle),
            "ROOTPROOF_WORKER_LEASE_S": "2",
            "ROOTPROOF_WORKER_SWEEP_S": "1",
            "ROOTPROOF_WORKER_CONCURRENCY": "2",
            "ROOTPROOF_REDIS_PREFIX": f"rootproof-test-{self.folder.name}",
            **({"ROOTPROOF_REDIS_URL": self.redis.url} if self.redis else {}),
        }
        command = [sys.executable, "-m", "rootproof", "worker"]
        env = environment(self.folder) | settings | dict(more or {})
        started = []
        try:
            for _ in range(count):
                with self.log.open("ab") as log:
                    started.append(subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log))
            yield started
        finally:
            for process in started:
                process.kill()
                process.wait()

    @property
    def log(self) -> Path:
        """What the workers wrote."""
        return self.folder / "workers.log"


@pytest.fixture(scope="module")
def databases() -> Iterator[ServerDatabases]:
    made = ServerDatabases()
    yield made
    made.drop_all()


@pytest.fixture(params=["embedded", "servers"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    bundle = tmp_path / "bundle"
    (bundle / "logs").mkdir(parents=True)
    (bundle / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why is billing slow?"\n')
    (bundle / "logs" / "billing-api.log").write_text(LINES)
    folder = tmp_path / "home"
    folder.mkdir()
    if request.param == "embedded":
        return Place(folder, f"sqlite+aiosqlite:///{folder / 'runs.db'}", None, bundle)
    redis: RedisServer = request.getfixturevalue("redis_process")
    redis.as_new()
    servers: ServerDatabases = request.getfixturevalue("databases")
    return Place(folder, servers.fresh("mysql"), redis, bundle)


def until(happened: Callable[[], bool], within_s: float = 60.0) -> None:
    ends = time.monotonic() + within_s
    while not happened():
        assert time.monotonic() < ends, f"not within {within_s} s"
        time.sleep(0.05)


@pytest.mark.timeout(300)
def test_a_worker_killed_at_any_write_is_replaced_as_if_nothing_had_happened(place: Place) -> None:
    every = "1" if place.redis else "4"
    whole, *others = place.driver("tests.fakes.worker_driver", every)
    killed = [item for item in others if item["killed"]]
    assert len(killed) >= (len(whole["steps"]) + 3 * len(whole["calls"])) // int(every)
    assert whole["status"] == "COMPLETED"
    assert whole["remembered"]
    for item in killed:
        assert item.get("error") is None, item
        assert item["doubled"] == [], item["deadly"]
        assert item["unfinished"] == [], item["deadly"]
        assert sum(step[1] == "END" for step in item["steps"]) == 1
        for part in ("status", "steps", "stepNumbers", "calls", "report", "remembered"):
            assert item[part] == whole[part], (item["deadly"], part)


@pytest.mark.timeout(120)
def test_a_worker_that_wakes_up_after_its_lease_cannot_write(place: Place) -> None:
    [answer] = place.driver("tests.fakes.stopped_driver", "6")
    assert answer["stopped"]
    assert (answer["ended"], answer["code"]) == (True, 0)
    assert (answer["status"], answer["doubled"], answer["unfinished"]) == ("COMPLETED", [], [])
    assert answer["epoch"] == 2
    assert answer["after"] == answer["before"]


@pytest.mark.timeout(120)
def test_a_signal_leaves_a_checkpoint_from_which_another_worker_goes_on(place: Place, tmp_path: Path) -> None:
    quick = {
        "planner": [{"calls": [["submit_plan", {"intent": "INCIDENT", "steps": ["look"], "reason": "r"}]]}],
        "executor": [{"calls": [["submit_report", {"summary": "Nothing was found.", "claims": []}]]}],
        "verifier": [{"calls": [["submit_verdicts", {"lower": []}]]}],
    }
    slow = quick | {"executor": [quick["executor"][0] | {"sleep_s": 60}]}
    script = {"slow": slow, "quick": quick}
    with fake_provider(tmp_path, script) as provider:
        model = {"ROOTPROOF_MODEL_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-none"}
        [run_id] = place.begin(1, reasoner="openai:slow")
        patient = {"ROOTPROOF_MODEL_REQUEST_TIMEOUT_S": "90", "ROOTPROOF_MODEL_IDLE_TIMEOUT_S": "90"}
        with place.workers(1, {"ROOTPROOF_SERVER_GRACE_S": "2"} | patient | model) as [first]:
            until(lambda: any(request["agent"] == "executor" for request in provider.requests))
            first.send_signal(signal.SIGTERM)
            assert first.wait(30) == 0, place.log.read_text()
            left = place.rows(run_id)
            assert (left.run.status, left.run.leased_until) == (RunStatus.RUNNING, None)
            assert [step.kind for step in left.steps] == [StepKind.BRIEFING, StepKind.PLAN]
            provider.log.unlink()
    with fake_provider(tmp_path, {"slow": quick}) as provider:
        model = {"ROOTPROOF_MODEL_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-none"}
        with place.workers(1, model):
            until(lambda: place.rows(run_id).run.status is RunStatus.COMPLETED)
    done = place.rows(run_id)
    assert done.steps[:2] == left.steps
    assert "planner" not in {request["agent"] for request in provider.requests}
    assert sum(step.kind is StepKind.END for step in done.steps) == 1


@pytest.mark.timeout(120)
def test_two_workers_share_the_runs_and_a_flushed_queue_loses_none(place: Place) -> None:
    ids = place.begin(8)
    with place.workers(2) as workers:
        until(lambda: any(place.rows(run_id).run.status is not RunStatus.QUEUED for run_id in ids))
        if place.redis is not None:
            place.redis.admin().flushall()

        def all_done() -> bool:
            return all(place.rows(run_id).run.status is RunStatus.COMPLETED for run_id in ids)

        until(all_done)
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        assert [worker.wait(30) for worker in workers] == [0, 0], place.log.read_text()
    rows = [place.rows(run_id) for run_id in ids]
    assert {item.run.lease_epoch for item in rows} == {1}
    assert len({tuple((step.step_no, step.kind) for step in item.steps) for item in rows}) == 1
