"""Processes of our own: the fake provider and the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass
class Provider:
    """A running fake provider."""

    base_url: str
    log: Path

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What it was sent, oldest first."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@contextmanager
def fake_provider(folder: Path, script: dict[str, Any]) -> Iterator[Provider]:
    """A fake OpenAI server in its own process, ended afterwards."""
    file, log = folder / "script.json", folder / "requests.jsonl"
    file.write_text(json.dumps(script), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fakes.openai_server", str(file), str(log)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Provider(f"http://127.0.0.1:{int(process.stdout.readline())}/v1", log)
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.stdout is not None:
            process.stdout.close()


def rootproof(
    *arguments: str, home: Path, env: dict[str, str] | None = None, check: bool = False, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with an empty home of its own."""
    return subprocess.run(
        [sys.executable, "-m", "rootproof", *arguments],
        env=environment(home) | (env or {}),
        capture_output=True,
        text=True,
        timeout=110,
        check=check,
        input=stdin,
        cwd=home,
    )


def environment(home: Path) -> dict[str, str]:
    """The environment of a user without any settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ROOTPROOF_", "XDG_", "OPENAI"))}
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
