"""What a broken disk, another program or a closed terminal does to runs, results and exports: told in words, typed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.fakes.processes import environment


@pytest.fixture
def result(cli: Cli, tmp_path: Path, bundle: Path) -> Path:
    """A result of `eval run`."""
    (bundle / "expected.toml").write_text("healthy = true\n")
    file = tmp_path / "result.json"
    assert cli("eval", "run", bundle, "--output", file).code == 0
    return file


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("repeat",), 0),
        (("repeat",), 10**9),
        (("cases",), []),
        (("cases", 0, "repeats"), []),
        (("cases", 0, "passRate"), float("nan")),
        (("totals", "supportedRatio"), float("inf")),
    ],
)
def test_a_result_that_no_run_writes_is_no_baseline(
    cli: Cli, result: Path, bundle: Path, place: tuple[Any, ...], value: Any
) -> None:
    view = json.loads(result.read_text())
    part = view
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    result.write_text(json.dumps(view))
    done = cli("eval", "diff", result, bundle, "--json")
    assert (done.code, done.out) == (2, "")
    assert str(place[-1]) in done.err


def test_a_case_that_stands_twice_in_a_result_is_refused(cli: Cli, result: Path) -> None:
    view = json.loads(result.read_text())
    view["cases"] *= 2
    result.write_text(json.dumps(view))
    assert "twice" in cli("eval", "diff", result, result).err


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "healthy = true\nx = " + "9" * 6000, "healthy = true\n" + "a." * 50_000]
)
def test_expectations_and_judgements_that_no_parser_takes_are_usage_errors(
    cli: Cli, bundle: Path, tmp_path: Path, text: str
) -> None:
    (bundle / "expected.toml").write_text(text)
    assert cli("eval", "run", bundle).code == 2
    (bundle / "expected.toml").write_text("healthy = true\n")
    (tmp_path / "judged.json").write_text(text)
    assert cli("eval", "run", bundle, "--judged", tmp_path / "judged.json").code == 2


def test_a_result_that_cannot_be_written_is_told_before_the_work(cli: Cli, result: Path, bundle: Path) -> None:
    done = cli("eval", "run", bundle, "--output", bundle)
    assert done.code == 2
    assert done.err.count("\n") == 1, "a bundle was diagnosed before"


def test_the_folder_itself_has_its_own_name_as_id(
    cli: Cli, result: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bundle)
    assert [case["id"] for case in cli("eval", "run", ".", "--json").json["cases"]] == [bundle.name]


def test_a_result_is_replaced_whole_or_not_at_all(cli: Cli, result: Path, bundle: Path) -> None:
    before = result.read_text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rootproof.entrypoints.cli.output._fill", _disk_full)
        done = cli("eval", "run", bundle, "--output", result)
    assert done.code == 2
    assert "No space left" in done.err
    assert result.read_text() == before
    assert not list(result.parent.glob(".*part"))


def _disk_full(path: Path, text: str, mode: str) -> None:
    path.write_text(text[: len(text) // 2])
    raise OSError(28, "No space left on device")


def test_an_export_does_not_write_through_a_link_and_its_head_is_last(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    assert cli("diagnose", "--bundle", bundle).code == 0
    victim, folder = tmp_path / "victim.txt", tmp_path / "out"
    victim.write_text("kept")
    folder.mkdir()
    (folder / "bundle.toml").symlink_to(victim)
    assert cli("runs", "export", "latest", "--bundle", folder, "--force").code == 0
    assert victim.read_text() == "kept"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert max(files, key=lambda path: path.stat().st_mtime_ns).name == "bundle.toml"


DAMAGE = {
    "a step without its keys": "UPDATE agent_step SET output = '{}'",
    "a step that is no object": "UPDATE agent_step SET output = '[1]'",
    "a step that is no JSON": "UPDATE agent_step SET output = '{\"a\":'",
    "a report of another shape": 'UPDATE agent_step SET output = \'{"status": 7, "report": {"claims": [1]}}\' '
    "WHERE kind = 'END'",
    "evidence of another shape": "UPDATE tool_invocation SET evidence = '[1]'",
    "bytes for a text": "UPDATE diagnosis_run SET reasoner = X'FFFE'",
    "no time": "UPDATE tool_invocation SET finished_at = 'soon', created_at = 'soon'",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_run_is_told_as_such_and_hides_no_other(cli: Cli, bundle: Path, tmp_path: Path, damage: str) -> None:
    assert cli("diagnose", "--bundle", bundle).code == 0
    store = tmp_path / "home" / ".local" / "share" / "rootproof" / "rootproof.db"
    with sqlite3.connect(store) as connection:
        connection.execute(DAMAGE[damage])
    damaged = cli("runs", "list", "--json")
    sound = cli("diagnose", "--bundle", bundle, "--json").json["runId"]
    listed = cli("runs", "list", "--json")
    assert listed.code == 0
    assert next(view["runId"] for view in listed.json) == sound
    if "UPDATE diagnosis_run" in DAMAGE[damage]:  # a list reads the runs' own rows, and no others
        assert damaged.json == []
        assert "cannot be read" in damaged.err or "no version writes" in damaged.err or "does not hold" in damaged.err
    else:
        assert [view["status"] for view in damaged.json] == ["COMPLETED"]
    with sqlite3.connect(store) as connection:
        (first,) = connection.execute("SELECT run_id FROM diagnosis_run ORDER BY id LIMIT 1").fetchone()
    for command in (["show"], ["trace"], ["replay"], ["export"], ["diff", sound]):
        done = cli("runs", command[0], first, *command[1:])
        assert done.code == 1
        assert "internal error" not in done.err


def test_closed_standard_streams_are_empty_ones(tmp_path: Path) -> None:
    code = "import sys; from rootproof.entrypoints.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = f'exec "{sys.executable}" -c "{code}"'
    for arguments, closed, wanted in (
        ("skills validate", ">&-", 0), ("skills validate", "2>&-", 0), ("alerts normalize -", "<&-", 2)
    ):  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", f"{command} {arguments} {closed}"], env=environment(tmp_path), capture_output=True, text=True
        )
        assert (done.returncode, "internal error" in done.stderr) == (wanted, False), (closed, done.stderr)
