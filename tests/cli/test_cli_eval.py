"""`eval run` and `eval diff` over folders of bundles; a diagnosis never sees what is right."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

RIGHT = 'root_cause = "connection_pool_exhausted"\ncategory = "pools"\n'


@pytest.fixture
def cases(tmp_path: Path, bundle: Path) -> Path:
    """Three bundles: one whose cause is as expected, one whose is not, one for a reader."""
    folder = tmp_path / "cases"
    expected = {
        "case-a": RIGHT,
        "case-b": 'root_cause = "zebra_canary"\ncategory = "pools"\n',
        "case-c": 'statements = ["The pool is full."]\n',
    }
    for name, text in expected.items():
        shutil.copytree(bundle, folder / name)
        (folder / name / "expected.toml").write_text(text)
    return folder


def result(cli: Cli, *arguments: str | Path) -> dict[str, Any]:
    done = cli("eval", "run", *arguments, "--json")
    assert done.code == 0, done.err
    view: dict[str, Any] = done.json
    return view


def test_a_folder_is_scored(cli: Cli, cases: Path) -> None:
    view = result(cli, cases)
    assert {item["id"]: item["outcome"] for item in view["cases"]} == {
        "case-a": "right", "case-b": "wrong", "case-c": "read"
    }  # fmt: skip
    assert view["categories"] == [
        {"category": "pools", "cases": 2, "right": 1, "wrong": 1, "read": 0},
        {"category": "uncategorised", "cases": 1, "right": 0, "wrong": 0, "read": 1},
    ]
    assert view["totals"]["toolCalls"] > 0
    assert view["totals"]["verdicts"]["SUPPORTED"] > 0
    text = cli("eval", "run", cases).out
    assert "case-b  wrong" in text
    assert "1 of 3 right, 1 wrong, 1 to be read" in text
    assert "expected: The pool is full." in text


def test_repeats_only_judged_and_output(cli: Cli, cases: Path, tmp_path: Path) -> None:
    judged = tmp_path / "judged.json"
    judged.write_text('{"case-c": true}')
    file = tmp_path / "out" / "result.json"
    options = ("--only", "case-c", "--only", "case-a", "--repeat", "2", "--judged", judged, "--output", file)
    view = result(cli, cases, *options)
    assert [(item["id"], item["outcome"], len(item["repeats"])) for item in view["cases"]] == [
        ("case-a", "right", 2), ("case-c", "right", 2)
    ]  # fmt: skip
    assert not any(item["flaky"] for item in view["cases"])
    assert json.loads(file.read_text()) == view


def test_a_broken_bundle_is_wrong_and_the_others_go_on(cli: Cli, cases: Path) -> None:
    (cases / "case-a" / "bundle.toml").write_text("now = never")
    (cases / "case-b" / "expected.toml").write_text(RIGHT)
    view = result(cli, cases)
    assert [item["outcome"] for item in view["cases"]] == ["wrong", "right", "read"]
    assert "bundle.toml" in view["cases"][0]["why"]


@pytest.mark.parametrize(
    ("text", "words"), [("root_cause = 3", "root_cause"), ("x = ", "end of document"), ("note = 1", "nothing says")]
)
def test_a_malformed_expectation_is_a_usage_error_with_file_and_key(
    cli: Cli, cases: Path, text: str, words: str
) -> None:
    (cases / "case-b" / "expected.toml").write_text(text)
    done = cli("eval", "run", cases)
    assert done.code == 2
    assert "case-b/expected.toml" in done.err
    assert words in done.err


def test_what_cannot_be_evaluated_is_a_usage_error(cli: Cli, cases: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    bad = tmp_path / "bad.json"
    bad.write_text('{"case-a": "yes"}')
    for arguments in (
        (tmp_path / "none",), (tmp_path / "empty",), (cases, "--only", "case-z"), (cases, "--judged", bad),
        (cases, "--model", "nonsense"),
    ):  # fmt: skip
        assert cli("eval", "run", *arguments).code == 2, arguments


def test_runs_are_kept_only_on_request(cli: Cli, cases: Path) -> None:
    result(cli, cases, "--only", "case-a")
    assert cli("runs", "list", "--json").json == []
    view = result(cli, cases, "--only", "case-a", "--keep")
    (kept,) = cli("runs", "list", "--json").json
    assert kept["runId"] == view["cases"][0]["repeats"][0]["runId"]
    assert cli("runs", "replay", "latest").code == 0


def test_a_regression_exits_1_and_says_where(cli: Cli, cases: Path, tmp_path: Path) -> None:
    before, now = tmp_path / "before.json", tmp_path / "now.json"
    result(cli, cases, "--output", before)
    same = cli("eval", "diff", before, before)
    assert (same.code, "no regression" in same.out) == (0, True)
    (cases / "case-a" / "expected.toml").write_text('root_cause = "other"\n')
    (cases / "case-b" / "expected.toml").write_text(RIGHT)
    result(cli, cases, "--output", now)
    done = cli("eval", "diff", before, now)
    assert done.code == 1
    assert "worse: case-a: right before, wrong now" in done.out
    assert "better: case-b: wrong before, right now" in done.out
    as_json = cli("eval", "diff", before, now, "--json")
    assert (as_json.code, as_json.json["regressed"], as_json.json["schemaVersion"]) == (1, True, 1)
    assert cli("eval", "diff", before, cases).code == 1, "a folder is run now"
    assert cli("eval", "diff", cases / "case-a" / "bundle.toml", now).code == 2


GUARDED = """
import sys
def guard(event, arguments):
    if event == "open" and "expected" in str(arguments[0]):
        print("OPENED", arguments[0], file=sys.stderr)
        raise SystemExit(99)
sys.addaudithook(guard)
from rootproof.entrypoints.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def guarded(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", GUARDED, *arguments]
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)


def test_a_diagnosis_never_opens_what_is_expected(cases: Path, tmp_path: Path) -> None:
    done = guarded(tmp_path, "diagnose", "--bundle", str(cases / "case-b"), "--json")
    assert done.returncode == 0, done.stderr
    assert "zebra_canary" not in done.stdout
    assert guarded(tmp_path, "eval", "run", str(cases)).returncode == 99, "the guard sees the file opened"


def test_nothing_of_what_is_expected_reaches_a_run(cli: Cli, cases: Path) -> None:
    view = result(cli, cases, "--only", "case-b", "--keep")
    for command in ("show", "trace"):
        assert "zebra_canary" not in cli("runs", command, "latest", "--json").out
    assert "zebra_canary" in view["cases"][0]["why"]
