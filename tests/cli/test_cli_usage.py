"""Mistakes: one message that says what, where and what to do next; the right exit code; never a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rootproof.entrypoints.cli import output
from rootproof.entrypoints.cli.main import main
from rootproof.errors import LimitExceeded, ModelError, SourceUnavailable, StoreError, UsageError
from tests.cli.conftest import Cli
from tests.fakes.processes import environment


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["diagnose"], ["nothing to diagnose", "--alert FILE or --bundle DIR", "rootproof demo"]),
        (["diagnose", "   "], ["nothing to diagnose"]),
        (["diagnose", "--logs", "logs"], ["nothing to diagnose"]),
        (["diagnose", "--bundle", "nowhere"], ["nowhere"]),
        (["diagnose", "--bundle", "empty/bundle.toml"], ["is a file", "Name its folder: ", "/empty\n"]),
        (["diagnose", "why?", "--logs", "nowhere"], ["nowhere"]),
        (["diagnose", "why?", "--knowledge", "nowhere"], ["nowhere"]),
        (["diagnose", "--alert", "nowhere.json"], ["nowhere.json", "No such file"]),
        (["diagnose", "--alert", "odd.json"], ["no alert that is recognised", "rootproof alerts normalize"]),
        (["diagnose", "why?", "--model", "clever:model"], ["clever:model", "playbook", "openai:<model>"]),
        (["diagnose", "why?", "--model", "openai:"], ["openai:", "playbook"]),
        (["diagnose", "why?", "--session", "no spaces please"], ["session id", "1-64 letters"]),
        (["diagnose", "x" * 8_001], ["8001 characters", "at most 8000"]),
        (["diagnose", "--nonsense"], ["No such option", "--nonsense"]),
        (["demo", "no-such-scenario"], ["no-such-scenario", "there are:"]),
        (["runs", "show", "run-absent"], ["no run 'run-absent'", "rootproof runs list"]),
        (["runs", "trace", "run-absent"], ["no run 'run-absent'"]),
        (["runs", "resume", "run-absent"], ["no run 'run-absent'"]),
        (["runs", "show", "latest"], ["no run 'latest'"]),
        (["runs", "list", "--limit", "0"], ["--limit"]),
        (["skills", "show", "no-such-skill"], ["no skill 'no-such-skill'", "there are:"]),
        (["skills", "validate", "nowhere"], ["nowhere", "not a folder of skills"]),
        (["skills", "validate", "empty"], ["holds no SKILL.md"]),
        (["knowledge", "search"], ["either a query or --queries"]),
        (["knowledge", "search", "x"], ["no runbooks to search", "--knowledge DIR"]),
        (["knowledge", "search", "--queries", "odd.json", "--knowledge", "empty"], ["odd.json, line 1"]),
        (["logs", "patterns", "nowhere.log"], ["nowhere.log", "neither a file nor a folder"]),
        (["logs", "parse", "odd.json", "--timezone", "Mars/Base"], ["Mars/Base", "Asia/Tokyo"]),
        (["logs", "patterns"], ["Missing argument"]),
        (["verify", "nowhere.json"], ["nowhere.json cannot be read"]),
        (["verify", "empty"], ["empty cannot be read"]),
        (["verify", "odd.json"], ["no claims"]),
        (["alerts", "normalize", "nowhere.json"], ["nowhere.json cannot be read"]),
        (["redact", "nowhere.txt"], ["nowhere.txt cannot be read: No such file or directory"]),
        (["frobnicate"], ["No such command", "frobnicate"]),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
def test_a_mistake_is_told_with_what_to_do_next(
    cli: Cli, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    (tmp_path / "odd.json").write_text('{"weather": "fine"}\n')
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "bundle.toml").touch()
    done = cli(*arguments)
    assert done.code == 2, done.err
    assert done.out == ""
    for word in words:
        assert word in done.err
    assert len(done.err) < 2_000


def test_a_wrong_setting_stops_every_command_that_reads_settings(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rootproof.toml").write_text("[limit]\nrun_s = 1\n")
    for command in (["config", "check"], ["diagnose", "why?"], ["runs", "list"], ["skills", "list"]):
        done = cli(*command)
        assert done.code == 2
        assert "did you mean 'limits'" in done.err


def test_nothing_and_help_show_the_commands(cli: Cli) -> None:
    for arguments in (["--help"], ["-h"]):
        done = cli(*arguments)
        assert done.code == 0
        for name in ("demo", "diagnose", "runs", "skills", "knowledge", "logs", "redact", "verify", "alerts", "config"):
            assert name in done.out
    assert "diagnose" in cli().out + cli().err


def test_the_version(cli: Cli) -> None:
    from rootproof import __version__

    assert cli("--version").out == f"rootproof {__version__}\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("told"), 2),
        (SourceUnavailable("told"), 3),
        (ModelError("told"), 3),
        (StoreError("told"), 1),
        (LimitExceeded("told", limit="x"), 1),
        (OSError("told"), 1),
        (KeyboardInterrupt(), 130),
        (ValueError("secret value"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_kind_of_ending_has_its_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("rootproof.settings.load_settings", fail)
    assert main(["skills", "list"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("rootproof: ")
    assert "secret value" not in err


def test_messages_show_unseen_characters(cli: Cli) -> None:
    done = cli("runs", "show", "run-\x1b[31m\u202e")
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


def test_json_is_exact_on_a_terminal_of_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding in ("ascii", "latin-1", "utf-8", "cp1252"):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        value = {"text": "é 漢字 😀 \ud800 \x9b"}
        output.emit_json(value)
        output.emit_json_line(value)
        stream.flush()
        text = raw.getvalue().decode(encoding)
        first, _, second = text.partition("}\n")
        assert json.loads(first + "}") == json.loads(second) == value


@pytest.mark.parametrize("lines", [3, 20_000], ids=["buffered", "written"])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, lines: int) -> None:
    """`| head`: neither what was written nor what is still buffered may fail when the interpreter ends."""
    log = tmp_path / "a.log"
    log.write_text("".join(f"2026-05-04T10:00:00Z INFO a line {n}\n" for n in range(lines)))
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "rootproof", "logs", "parse", str(log)],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={key: value for key, value in environment(tmp_path).items() if key != "PYTHONUNBUFFERED"},
    )
    os.close(writing)
    os.close(reading)
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode in (0, 1)
