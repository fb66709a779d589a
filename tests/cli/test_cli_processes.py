"""The real command line in processes of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.processes import environment, rootproof

HEAVY = (
    "pydantic_ai", "openai", "anthropic", "sqlalchemy", "polars", "tantivy", "fastapi", "rich", "pydantic", "alembic",
    "yaml", "httpx",
)  # fmt: skip


@pytest.mark.parametrize("module", ["rootproof.entrypoints.cli.main", "rootproof"])
def test_importing_the_command_line_loads_nothing_heavy(tmp_path: Path, module: str) -> None:
    code = (
        f"import sys, json, {module}\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert not set(json.loads(done.stdout)) & set(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["diagnose", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    code = (
        f"import sys\nfrom rootproof.entrypoints.cli.main import main\nmain({arguments})\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    # Typer itself reads the signature of a sub-command with pydantic where that is installed.
    heavy = set(HEAVY) - ({"pydantic"} if len(arguments) > 1 else set())
    assert not [name for name in heavy if f"'{name}'" in done.stderr]


def test_data_and_exit_codes_of_real_processes(tmp_path: Path) -> None:
    done = rootproof("redact", home=tmp_path, stdin="password=Hunter2Hunter2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "password=<secret:password:1>\n", "")
    done = rootproof("runs", "show", "run-absent", "--json", home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "rootproof runs list" in done.stderr
    done = rootproof("alerts", "normalize", "-", home=tmp_path, stdin="[]")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_run_in_one_process_is_seen_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "cart.log").write_text("2026-05-04T10:00:00Z ERROR cart disk full\n")
    made = rootproof("diagnose", "why is cart down?", "--logs", "logs", "--json", home=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stderr == ""
    seen = rootproof("runs", "show", "latest", "--json", home=tmp_path)
    assert json.loads(seen.stdout) == json.loads(made.stdout)


def test_a_report_is_written_on_a_terminal_that_lacks_its_letters(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("2026-05-04T10:00:00Z ERROR caf\u00e9 \u6f22 is down\n", encoding="utf-8")
    env = {"PYTHONIOENCODING": "ascii"}
    done = rootproof("diagnose", "why is caf\u00e9 down?", "--logs", "a.log", home=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "\\u6f22" in done.stdout


def test_output_in_another_encoding_is_still_json(tmp_path: Path) -> None:
    line = "ERROR caf\u00e9 \u6f22\n"
    env = {"PYTHONIOENCODING": "ascii:surrogateescape"}
    (tmp_path / "a.log").write_text(line, encoding="utf-8")
    done = rootproof("logs", "parse", "a.log", "--json", home=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "caf\u00e9 \u6f22" in json.loads(done.stdout)["message"]
