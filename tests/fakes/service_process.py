"""`rootproof serve` and `rootproof worker` as processes of their own, and a small client for what they answer."""

from __future__ import annotations

import json
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.fakes.processes import environment

START_S = 40.0
"""How long a process may take until it answers, on a machine that does other things too."""


@dataclass
class Service:
    """One installation: a store, perhaps Redis, and processes over them."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    """`ROOTPROOF_...` variables of every process."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    clients: list[Client] = field(default_factory=list)

    def environment(self, **more: str) -> dict[str, str]:
        """Of every command; the home folder is this installation's own."""
        own = {
            "ROOTPROOF_STORE_HOME": str(self.folder / "home"),
            "ROOTPROOF_REDIS_PREFIX": f"rootproof-test-{secrets.token_hex(4)}",
        }
        return environment(self.folder) | own | dict(self.settings) | more

    def rootproof(self, *arguments: str) -> str:
        """What a command writes to stdout. Raises: AssertionError with its words when it fails."""
        command = [sys.executable, "-m", "rootproof", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def key(self, owner: str, *scopes: str) -> str:
        """A new API key of that owner."""
        wanted = [part for scope in scopes or ("diagnose",) for part in ("--scope", scope)]
        made = json.loads(self.rootproof("keys", "create", "--owner", owner, *wanted, "--json"))
        return str(made["key"])

    def client(self, address: str, key: str | None = None) -> Client:
        """A caller, whose connections are closed at the end."""
        self.clients.append(Client(address, key))
        return self.clients[-1]

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """A process that goes on until `stop`."""
        with (self.folder / f"{arguments[0]}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "rootproof", *arguments],
                cwd=self.folder,
                env=self.environment(**more),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def serve(self, **more: str) -> tuple[str, subprocess.Popen[bytes]]:
        """A server that answers, and its address."""
        port = free_port()
        process = self.start("serve", "--port", str(port), **more)
        address = f"http://127.0.0.1:{port}"
        self.wait_until_ready(address, process)
        return address, process

    def wait_until_ready(self, address: str, process: subprocess.Popen[bytes]) -> None:
        """Raises: AssertionError with the server's words when it does not answer in time."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            assert process.poll() is None, self.words()
            try:
                if httpx2.get(f"{address}/readyz", timeout=5).status_code == 200:
                    return
            except httpx2.HTTPError:
                time.sleep(0.1)
        raise AssertionError(f"the server did not become ready: {self.words()}")

    def words(self) -> str:
        """What all processes wrote."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        """End every process: politely, then not."""
        for client in self.clients:
            client.close()
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Service]:
    """An installation whose processes are ended afterwards."""
    service = Service(folder, settings | {"ROOTPROOF_REDIS_PREFIX": f"rootproof-test-{secrets.token_hex(4)}"})
    try:
        yield service
    finally:
        service.stop()


class Client:
    """One caller."""

    def __init__(self, address: str, key: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(base_url=address, headers=headers, timeout=60)

    def get(self, path: str, **query: str) -> Any:
        """The JSON of an answer. Raises: AssertionError for an error."""
        answer = self._http.get(path, params=query)
        assert answer.status_code == 200, f"GET {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def post(self, path: str, body: object, *, status: int = 200, **headers: str) -> Any:
        """The JSON of an answer. Raises: AssertionError for another status."""
        answer = self._http.post(path, json=body, headers=headers)
        assert answer.status_code == status, f"POST {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def status(self, method: str, path: str, **rest: Any) -> int:
        """The status of an answer, whatever it is."""
        return self._http.request(method, path, **rest).status_code

    def events(self, path: str, body: object = None, *, headers: Mapping[str, str] | None = None) -> list[SentEvent]:
        """Every message of a stream until the server ends it."""
        method = "GET" if body is None else "POST"
        accept = {"Accept": "text/event-stream", **(headers or {})}
        with self._http.stream(method, path, json=body, headers=accept, timeout=120) as answer:
            assert answer.status_code == 200, answer.read()
            return list(read_events(answer.iter_lines()))

    def close(self) -> None:
        """Close connections."""
        self._http.close()


@dataclass(frozen=True)
class SentEvent:
    """One server-sent message."""

    data: str
    event: str = "message"
    id: str | None = None

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def read_events(lines: Iterator[str]) -> Iterator[SentEvent]:
    """Messages of a stream, comments left out. Source: the HTML standard, server-sent events."""
    data: list[str] = []
    event, last_id = "message", None
    for line in lines:
        if not line:
            if data:
                yield SentEvent("\n".join(data), event, last_id)
            data, event, last_id = [], "message", None
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                data.append(value)
            case "event":
                event = value
            case "id":
                last_id = value


def free_port() -> int:
    """A port of loopback that nobody listens on at this moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
