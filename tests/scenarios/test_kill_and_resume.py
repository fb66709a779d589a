"""kill -9 of the real process at every write, and another process that goes on from the real store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.processes import ROOT, environment

LINES = """\
2026-05-04T10:00:00Z ERROR billing-api Connection is not available, request timed out after 30000ms
2026-05-04T10:00:05Z ERROR billing-api could not reach db.example at 10.3.4.5: connection refused
"""


@pytest.mark.timeout(300)
def test_a_killed_run_is_completed_by_another_process_as_if_nothing_had_happened(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    (bundle / "logs").mkdir(parents=True)
    (bundle / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why is billing slow?"\n')
    (bundle / "logs" / "billing-api.log").write_text(LINES)
    url = f"sqlite+aiosqlite:///{tmp_path / 'runs.db'}"
    command = [sys.executable, "-m", "tests.fakes.kill_driver", str(tmp_path), url, str(bundle)]
    done = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    whole, *others = [json.loads(line) for line in done.stdout.splitlines()]
    killed = [item for item in others if item["killed"]]
    writes = len(whole["steps"]) + 3 * len(whole["calls"])
    assert len(killed) >= writes * 2 // 3
    assert whole["status"] == "COMPLETED"
    for item in killed:
        assert item.get("error") is None, item
        assert item["doubled"] == [], item["deadly"]
        assert item["unfinished"] == [], item["deadly"]
        for part in ("status", "steps", "stepNumbers", "calls", "report"):
            assert item[part] == whole[part], (item["deadly"], part)
