"""Redis servers of our own for tests: on a free loopback port, without files, killed and emptied at will."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from redis import Redis
from redis.exceptions import RedisError

from rootproof.adapters.redis.client import RedisLink

TIMEOUT_S = 0.5
"""Of the adapters under test: short, so that a test of an outage is."""
FEW_TIMEOUTS_S = 6 * TIMEOUT_S
"""No call may take longer, whatever happens to Redis (a loaded machine included)."""


class RedisServer:
    """One `redis-server` process."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it (again), empty, and wait until it answers."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 20
        while True:
            with suppress(RedisError):
                self.admin().ping()
                return
            assert self._process.poll() is None, "redis-server ended at once"
            assert time.monotonic() < ends, "redis-server does not answer"
            time.sleep(0.01)

    def kill(self) -> None:
        """End it with everything in it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Let it take connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """The end of `hang`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def admin(self) -> Redis:
        """A client that is not under test."""
        return Redis(port=self.port, socket_timeout=5, decode_responses=False)

    def fill_up(self) -> None:
        """From here on every write is refused for want of memory."""
        self.admin().config_set("maxmemory-policy", "noeviction")
        self.admin().config_set("maxmemory", "1")

    def make_room(self) -> None:
        """The end of `fill_up`."""
        self.admin().config_set("maxmemory", "0")

    def as_new(self) -> None:
        """Running, answering, with room, and empty."""
        if self._process is None:
            self.start()
        with suppress(ProcessLookupError):
            self.go_on()
        self.make_room()
        self.admin().flushall()


def started_or_skipped() -> RedisServer:
    """A server, or a skip with its reason where none is installed."""
    if shutil.which("redis-server") is None:
        reason = "no redis-server program"
        if os.environ.get("ROOTPROOF_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return RedisServer()


@pytest.fixture(scope="module")
def redis_process() -> Iterator[RedisServer]:
    """One server for the tests of a module."""
    server = started_or_skipped()
    yield server
    server.kill()


@pytest.fixture
def redis_server(redis_process: RedisServer) -> RedisServer:
    """The module's server, as new."""
    redis_process.as_new()
    return redis_process


def a_link(server: RedisServer, *, timeout_s: float = TIMEOUT_S) -> RedisLink:
    """What adapters of one process share."""
    return RedisLink(server.url, prefix="test", timeout_s=timeout_s)
