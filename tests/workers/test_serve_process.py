"""`rootproof serve` as a process: its address, its end, and what it says when it cannot begin."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rootproof.entrypoints.serve import listening
from rootproof.errors import UsageError
from tests.fakes.processes import ROOT, environment, rootproof


@contextmanager
def serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    command = [sys.executable, "-m", "rootproof", "serve", "--port", "0", *arguments]
    env = environment(home) | {"ROOTPROOF_TELEMETRY_LOG_FORMAT": "text"}
    process = subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("rootproof: listening on "), line + process.stderr.read()
        yield process, line.removeprefix("rootproof: listening on ").strip()
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def answered(url: str, within_s: float = 60.0) -> str:
    ends = time.monotonic() + within_s
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                text: str = answer.read().decode()
                return text
        except OSError:
            assert time.monotonic() < ends, f"{url} does not answer"
            time.sleep(0.05)


@pytest.mark.timeout(120)
def test_it_answers_and_ends_in_order_on_a_signal(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, address):
        assert json.loads(answered(f"{address}/healthz"))["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
        assert process.stderr is not None
        said = process.stderr.read()
    assert "rootproof keys create" in said
    assert "Traceback" not in said


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--host", "0.0.0.0"), "there is no API key"),
        (("--bundle", "/no/such/bundle"), "/no/such/bundle"),
        (("--logs", "/no/such/logs"), "/no/such/logs is not there"),
        (("--model", "oracle"), "model 'oracle' is not known"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = rootproof("serve", "--port", "0", *arguments, home=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("port", [-1, 65_536, 99_999])
def test_a_number_that_is_no_port_is_said(port: int) -> None:
    with pytest.raises(UsageError, match="65535"), listening("127.0.0.1", port):
        raise AssertionError("it listens")


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(UsageError, match=rf"cannot listen on 127\.0\.0\.1 port {port}.*--port"),
            listening("127.0.0.1", port),
        ):
            pass
