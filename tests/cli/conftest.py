"""The command line in this process, with a home of its own."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rootproof.entrypoints.cli.main import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout as one JSON value."""
        return json.loads(self.out)


Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run one command line; `stdin` is what it can read there."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("ROOTPROOF_", "XDG_", "OPENAI", "ANTHROPIC")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, stdin: bytes | str = b"") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Done(int(code), out, err)

    return run


HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202egnp.exe\u202c bell\x07 c1\x9b2J"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle with one fault, told by logs, metrics and a runbook, with hostile characters in it."""
    folder = tmp_path / "bundle"
    for name in ("logs", "metrics", "knowledge"):
        (folder / name).mkdir(parents=True)
    (folder / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why is ledger slow?"\n')
    lines = [
        f"2026-05-04T10:{minute:02d}:00Z ERROR ledger HikariPool-1 - Connection is not available, request timed out "
        "after 30000ms (total=10, active=10, idle=0, waiting=41)"
        for minute in range(5, 29)
    ]
    lines.append(f"2026-05-04T10:06:30Z WARN ledger client said {HOSTILE}")
    (folder / "logs" / "ledger.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [f"2026-05-04T10:{minute:02d}:00Z,{1 if minute < 6 else 10}" for minute in range(30)]
    (folder / "metrics" / "pool.csv").write_text("time,ledger hikaricp_connections_active\n" + "\n".join(rows) + "\n")
    (folder / "knowledge" / "pools.md").write_text(
        "# Connection pools\n\n## When full\n\nFind who holds connections.\n"
    )
    return folder


@pytest.fixture
def alert_file(tmp_path: Path) -> Path:
    """An Alertmanager payload with one alert."""
    payload = {
        "version": "4",
        "groupKey": '{}:{alertname="LedgerSlow"}',
        "status": "firing",
        "receiver": "r",
        "groupLabels": {"alertname": "LedgerSlow"},
        "commonLabels": {"alertname": "LedgerSlow"},
        "commonAnnotations": {},
        "externalURL": "http://am.example",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": "LedgerSlow", "service": "ledger", "severity": "critical", "note": HOSTILE},
                "annotations": {"summary": f"ledger answers slowly {HOSTILE}"},
                "startsAt": "2026-05-04T10:05:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "http://prom.example",
                "fingerprint": "abc",
            }
        ],
    }
    path = tmp_path / "alert.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    return path
