"""An incident and its look-alike for each skill, from the folder to the judged report. Composed by people who did not
know the reasoner's rules: a scenario that fails is a fault of the reasoner, or an unfair scenario."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bundles import SCENARIOS, bundles_of
from rootproof.diagnosis.scoring import judge, read_expected
from rootproof.entrypoints.cli.main import main

BUNDLES = bundles_of(SCENARIOS)
MAX_BYTES = 40_000
MARK = "osprey-7741-not-for-the-agent"


def name_of(bundle: Path) -> str:
    return bundle.relative_to(SCENARIOS).as_posix()


def run_of(
    bundle: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    """The run of `rootproof diagnose --bundle`, as JSON."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    capsys.readouterr()
    code = main(["diagnose", "--bundle", str(bundle), "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    run: dict[str, Any] = json.loads(out)
    return run


@pytest.mark.parametrize("bundle", BUNDLES, ids=name_of)
def test_report_is_right(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = read_expected((bundle / "expected.toml").read_text(encoding="utf-8"), name_of(bundle))
    run = run_of(bundle, tmp_path, monkeypatch, capsys)
    judgement = judge(expected, run)
    assert judgement.right, f"{judgement.why}\n{run['report']['summary']}"


def test_each_skill_has_an_answer_and_a_decoy() -> None:
    skills = {bundle.parent for bundle in BUNDLES}
    lacking = [name_of(skill / kind) for skill in skills for kind in ("answer", "decoy") if skill / kind not in BUNDLES]
    assert BUNDLES
    assert lacking == []


@pytest.mark.parametrize("bundle", BUNDLES, ids=name_of)
def test_bundle_is_small(bundle: Path) -> None:
    assert sum(file.stat().st_size for file in bundle.rglob("*") if file.is_file()) < MAX_BYTES


def test_id_and_expectation_are_not_shown_to_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "incident"
    shutil.copytree(BUNDLES[0], bundle)
    head = (bundle / "bundle.toml").read_text(encoding="utf-8").splitlines()
    marked = [f'id = "{MARK}"', *(line for line in head if not line.startswith("id ="))]
    (bundle / "bundle.toml").write_text("\n".join(marked) + "\n", encoding="utf-8")
    (bundle / "expected.toml").write_text(f'healthy = true\nwhy = "{MARK}"\n', encoding="utf-8")

    run = run_of(bundle, tmp_path, monkeypatch, capsys)
    code = main(["runs", "trace", run["runId"], "--json"])
    trace = capsys.readouterr().out

    assert code == 0
    assert "query_logs" in trace
    assert MARK not in json.dumps(run)
    assert MARK not in trace
