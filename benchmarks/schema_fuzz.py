"""schemathesis against a live server: no 5xx, and every answer as the OpenAPI document says.

`python -m benchmarks.schema_fuzz [--examples 25] [--seed 1]` starts `rootproof serve` with a store, a key and a bundle
of its own, sends what schemathesis makes of the document, prints what it found and exits 1 if there is anything.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rootproof.scenarios import scenario_names, scenario_path

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
START_S = 60
RUN_S = 1_800
_CASES = re.compile(r"([0-9,]+) generated")


@dataclass(frozen=True)
class Outcome:
    """What schemathesis said."""

    passed: bool
    output: str

    @property
    def cases(self) -> int:
        """How many requests were made up."""
        found = _CASES.search(self.output)
        return int(found[1].replace(",", "")) if found else 0


@dataclass(frozen=True)
class Server:
    """A server under test."""

    url: str
    key: str


def fuzz(server: Server, *, examples: int, seed: int, phases: Sequence[str], checks: Sequence[str] = CHECKS) -> Outcome:
    """What schemathesis finds at this server."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--header", f"Authorization:Bearer {server.key}"),
        *("--phases", ",".join(phases), "--checks", ",".join(checks)),
        *("--max-examples", str(examples), "--seed", str(seed), "--request-timeout", "60"),
        *("--continue-on-failure", "--no-color", "--warnings", "off", "--output-truncate", "true"),
    ]
    with tempfile.TemporaryDirectory(prefix="rootproof-fuzz-") as folder:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_S, check=False, cwd=folder)
    return Outcome(done.returncode == 0, done.stdout + done.stderr)


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """`rootproof serve` on a free port, with an embedded store and one key of every scope; stopped at the end."""
    with tempfile.TemporaryDirectory(prefix="rootproof-fuzz-") as folder:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("ROOTPROOF_", "XDG_"))}
        environ |= {
            "HOME": folder,
            "ROOTPROOF_STORE_HOME": str(Path(folder) / "home"),
            "ROOTPROOF_SOURCES_BUNDLE": str(scenario_path(scenario_names()[0])),
            "ROOTPROOF_SERVER_PORT": str(port),
            "ROOTPROOF_SERVER_GRACE_S": "2",
            "ROOTPROOF_TELEMETRY_LOG_LEVEL": "warning",
        }
        key = _made_key(environ, folder)
        log = Path(folder) / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "rootproof", "serve"], cwd=folder, env=environ, stdout=output, stderr=output
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, log)
            yield Server(url, key)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(30)
            problems = [line for line in log.read_text(errors="replace").splitlines() if "internal error" in line]
            for line in problems[:20]:
                print("server:", line[:600])


def _made_key(environ: Mapping[str, str], folder: str) -> str:
    command = [sys.executable, "-m", "rootproof", "keys", "create", "--owner", "fuzz", "--scope", "admin", "--json"]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=START_S, check=True)
    key: str = json.loads(done.stdout)["key"]
    return key


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Raises: RuntimeError with the server's words when it does not come up."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not come up: {log.read_text(errors='replace')[-2_000:]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz a server of our own; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=25, help="requests an operation and phase, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phases", default="examples,coverage,fuzzing")
    chosen = parser.parse_args(arguments)
    with running_server() as server:
        outcome = fuzz(server, examples=chosen.examples, seed=chosen.seed, phases=chosen.phases.split(","))
    print(outcome.output)
    print(
        json.dumps({"passed": outcome.passed, "cases": outcome.cases, "seed": chosen.seed, "examples": chosen.examples})
    )
    return 0 if outcome.passed else 1


if __name__ == "__main__":
    sys.exit(main())
