"""`runs replay`, `runs diff` and `runs export` over the real store."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rootproof.aci.projection.metrics import MetricsProjector
from rootproof.errors import SourceUnavailable
from tests.cli.conftest import HOSTILE, Cli
from tests.core.canaries import Canaries, planted_bundle


def database(tmp_path: Path) -> sqlite3.Connection:
    return sqlite3.connect(tmp_path / "home" / ".local" / "share" / "rootproof" / "rootproof.db")


@pytest.fixture
def no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way to open a source raises."""

    def refuse(*_: object, **__: object) -> Any:
        raise SourceUnavailable("a replay opens no source")

    for name in ("open_inputs", "open_knowledge_source", "read_alert"):
        monkeypatch.setattr(f"rootproof.bootstrap.{name}", refuse)
    monkeypatch.setattr("rootproof.adapters.sources.bundle.open_bundle", refuse)
    monkeypatch.setattr("rootproof.agent.playbook.model.PlaybookModel.complete", refuse)


def diagnosed(cli: Cli, bundle: Path, *more: str) -> dict[str, Any]:
    done = cli("diagnose", "--bundle", bundle, "--json", *more)
    assert done.code == 0, done.err
    run: dict[str, Any] = done.json
    return run


def test_a_replay_gives_the_bytes_of_the_report_without_the_bundle(
    cli: Cli, bundle: Path, request: pytest.FixtureRequest
) -> None:
    run = diagnosed(cli, bundle)
    stored = cli("runs", "show", "latest", "--json").out
    shutil.rmtree(bundle)
    request.getfixturevalue("no_sources")
    done = cli("runs", "replay", run["runId"])
    assert done.code == 0, done.out
    assert "identical" in done.out
    as_json = cli("runs", "replay", "latest", "--json").json
    assert as_json["identical"]
    assert as_json["replayedFrom"] == "raw"
    assert json.dumps(as_json["run"]) == json.dumps(json.loads(stored))
    assert json.dumps(as_json["run"]["report"]).encode() == json.dumps(run["report"]).encode()


def test_a_replay_with_the_raw_results_deleted_says_so_and_is_identical(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    diagnosed(cli, bundle)
    with database(tmp_path) as connection:
        connection.execute("DELETE FROM canonical_invocation")
    done = cli("runs", "replay", "latest")
    assert done.code == 0, done.out
    assert "identical" in done.out
    assert "stored bounded results were used" in done.out


def test_a_replay_under_another_projection_shows_what_differs_and_exits_1(
    cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diagnosed(cli, bundle)
    project = MetricsProjector.project

    def louder(self: Any, tool_call_id: str, scope: Any, raw: str) -> Any:
        return project(self, tool_call_id, scope, raw.replace("10.0", "77.0"))

    monkeypatch.setattr(MetricsProjector, "project", louder)
    done = cli("runs", "replay", "latest")
    assert done.code == 1
    assert "DIFFERS" in done.out
    assert "query_metrics" in done.out
    changed = cli("runs", "replay", "latest", "--json")
    assert changed.code == 1
    assert not changed.json["identical"]
    assert {"section", "what", "a", "b"} == set(changed.json["changes"][0])


def test_a_replay_of_planted_secrets_is_identical_and_shows_none(cli: Cli, tmp_path: Path) -> None:
    canaries = Canaries()
    planted_bundle(tmp_path / "planted", canaries)
    diagnosed(cli, tmp_path / "planted")
    done = cli("runs", "replay", "latest", "--json")
    assert canaries.found_in(done.out) == []
    assert done.json["changes"] == []
    assert done.json["identical"]


def test_a_run_that_is_not_there_is_a_usage_error(cli: Cli) -> None:
    for command in (("replay", "run-none"), ("diff", "run-none", "latest"), ("export", "run-none")):
        assert cli("runs", *command).code == 2


def test_a_diff_of_a_run_with_itself_is_empty(cli: Cli, bundle: Path) -> None:
    diagnosed(cli, bundle)
    done = cli("runs", "diff", "latest", "latest", "--json", "--exit-code")
    assert done.code == 0
    assert done.json["changes"] == []
    assert done.json["sameConclusion"]
    assert done.json["sameEvidence"]
    assert done.json["schemaVersion"] == 1


def test_a_diff_shows_conclusion_claims_calls_evidence_inputs_and_usage(cli: Cli, bundle: Path) -> None:
    first = diagnosed(cli, bundle)
    shutil.rmtree(bundle / "metrics")
    (bundle / "logs" / "ledger.log").write_text("2026-05-04T10:05:00Z INFO ledger all is well\n")
    second = diagnosed(cli, bundle)
    done = cli("runs", "diff", first["runId"], second["runId"], "--json")
    assert done.code == 0
    assert not done.json["sameConclusion"]
    sections = {change["section"] for change in done.json["changes"]}
    assert {"root cause", "claim", "tool call", "evidence", "coverage", "input", "usage"} <= sections
    only = {(item["a"] is None, item["b"] is None) for item in done.json["changes"] if item["section"] == "evidence"}
    assert only == {(True, False), (False, True)}
    gone = [change for change in done.json["changes"] if change["section"] == "root cause"]
    assert gone
    assert all(change["b"] is None for change in gone)
    assert cli("runs", "diff", first["runId"], second["runId"], "--exit-code").code == 1
    text = cli("runs", "diff", first["runId"], second["runId"]).out
    assert "NOT the same conclusion" in text


def test_people_see_no_control_character_of_the_input(cli: Cli, bundle: Path) -> None:
    first = diagnosed(cli, bundle)
    (bundle / "logs" / "ledger.log").write_text(f"2026-05-04T10:05:00Z ERROR ledger {HOSTILE} refused\n")
    diagnosed(cli, bundle)
    out = cli("runs", "diff", first["runId"], "latest").out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_an_exported_run_is_its_report_and_its_trace(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    run = diagnosed(cli, bundle)
    done = cli("runs", "export", run["runId"])
    assert done.json["run"] == run
    assert done.json["trace"]["runId"] == run["runId"]
    file = tmp_path / "out" / "run.json"
    assert cli("runs", "export", run["runId"], "--output", file).code == 0
    assert json.loads(file.read_text()) == done.json
    refused = cli("runs", "export", run["runId"], "--output", file)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert cli("runs", "export", run["runId"], "--output", file, "--bundle", tmp_path / "b").code == 2


def test_an_exported_bundle_comes_to_the_same_conclusion(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    run = diagnosed(cli, bundle)
    folder = tmp_path / "exported"
    done = cli("runs", "export", "latest", "--bundle", folder)
    assert done.code == 0
    again = diagnosed(cli, folder)
    assert same(again, run)
    assert cli("runs", "diff", run["runId"], "latest", "--exit-code").code == 0


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    def told(run: dict[str, Any]) -> Any:
        report = run["report"]
        causes = [(cause["causeId"], cause["objects"]) for cause in report["rootCauses"]]
        return report["healthy"], causes, run["selfEvaluation"]["verdicts"]["SUPPORTED"]

    assert told(a) == told(b)
    return True


@pytest.mark.parametrize("scenario", ["order-pool-leak", "node-flap-recovered"])
def test_the_bundle_of_a_demo_scenario_comes_to_the_same_conclusion(cli: Cli, tmp_path: Path, scenario: str) -> None:
    run = cli("demo", scenario, "--json").json
    folder = tmp_path / "exported"
    assert cli("runs", "export", run["runId"], "--bundle", folder).code == 0
    assert same(diagnosed(cli, folder), run)


@pytest.mark.parametrize("number", [0, 9, 20])
def test_the_bundle_of_a_real_incident_comes_to_the_same_conclusion(
    cli: Cli, tmp_path: Path, data: Path, number: int
) -> None:
    real = sorted((data / "bundles").iterdir())[number]
    run = diagnosed(cli, real)
    folder = tmp_path / "exported"
    assert cli("runs", "export", run["runId"], "--bundle", folder).code == 0
    assert same(diagnosed(cli, folder), run)


def test_a_folder_that_holds_something_is_not_written_over_without_force(
    cli: Cli, bundle: Path, tmp_path: Path
) -> None:
    diagnosed(cli, bundle)
    folder = tmp_path / "taken"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    refused = cli("runs", "export", "latest", "--bundle", folder)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    (folder / "bundle.toml").write_text("old")
    done = cli("runs", "export", "latest", "--bundle", folder, "--force")
    assert done.code == 0
    assert "still in the folder: mine.txt" in done.err
    assert "folder: bundle.toml" not in done.err
    assert (folder / "mine.txt").read_text() == "mine"
    assert "now = " in (folder / "bundle.toml").read_text()


def test_what_could_not_be_exported_is_said(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    diagnosed(cli, bundle)
    with database(tmp_path) as connection:
        connection.execute("DELETE FROM canonical_invocation")
    done = cli("runs", "export", "latest", "--bundle", tmp_path / "empty")
    assert done.code == 0
    assert "gone (expired or deleted)" in done.err
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == ["bundle.toml"]


def test_no_credential_of_the_raw_results_is_exported_and_identifiers_are(cli: Cli, tmp_path: Path) -> None:
    canaries = Canaries()
    planted_bundle(tmp_path / "planted", canaries)
    log = tmp_path / "planted" / "logs" / "ledger.log"
    log.write_text(log.read_text() + "2026-05-04T10:20:00Z ERROR ledger lost 10.44.55.66, called ann@lark.example\n")
    run = diagnosed(cli, tmp_path / "planted")
    folder = tmp_path / "exported"
    done = cli("runs", "export", "latest", "--bundle", folder)
    whole = "\n".join(path.read_text() for path in folder.rglob("*") if path.is_file()) + done.out + done.err
    assert canaries.found_in(whole) == []
    assert {"alert.json", "alerts.json", "logs", "metrics", "cluster", "knowledge", "bundle.toml"} <= {
        path.name for path in folder.iterdir()
    }
    assert "10.44.55.66" in whole
    assert "ann@lark.example" in whole
    assert canaries.found_in(cli("runs", "export", "latest").out) == []
    again = diagnosed(cli, folder)
    assert [c["causeId"] for c in again["report"]["rootCauses"]] == [c["causeId"] for c in run["report"]["rootCauses"]]


def test_a_unique_beginning_of_an_id_is_enough_and_one_of_several_is_told(
    cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ["run-b1c40000", "run-b1d50000", "run-b1d60000", "run-c0000000"]
    for run_id in ids:
        monkeypatch.setattr("rootproof.diagnosis.start_run.new_run_id", lambda run_id=run_id: run_id)
        diagnosed(cli, bundle)
    monkeypatch.setattr("rootproof.entrypoints.cli.runs._PAGE", 2)
    for start, whole in (("run-c", ids[3]), ("run-b1c", ids[0]), ("run-b1d6", ids[2])):
        assert cli("runs", "show", start, "--json").json["runId"] == whole
    several = cli("runs", "show", "run-b")
    assert several.code == 2
    assert "begins the ids of 3 runs: run-b1d60000, run-b1d50000, run-b1c40000; give more of it" in several.err
    assert "begins the ids of 2 runs" in cli("runs", "show", "run-b1d").err
    assert "begins the id of every run" in cli("runs", "show", "run-").err
    assert "there is no run 'run-d'" in cli("runs", "show", "run-d").err
