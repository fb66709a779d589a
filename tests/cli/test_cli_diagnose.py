"""`diagnose`, `demo` and `runs`: the main job as a user and as a program sees it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rootproof.adapters.memory.scripted_model import ScriptedModel
from rootproof.diagnosis.present import RunView
from rootproof.domain.run import RunStatus
from rootproof.errors import SourceUnavailable
from rootproof.settings import ModelSettings
from tests.cli.conftest import Cli

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
RUN_KEYS = {
    "schemaVersion", "sessionId", "runId", "status", "statusReason", "statusDetail", "mode", "reasoner", "question",
    "report", "evidence", "selfEvaluation", "usage",
}  # fmt: skip
REPORT_KEYS = {"summary", "healthy", "rootCauses", "claims", "timeline", "nextSteps", "coverage"}
CAUSE_KEYS = {"claimId", "text", "causeId", "category", "objects", "confidence"}
CLAIM_KEYS = {"id", "kind", "text", "citations", "verdict", "reasons"}
USAGE_KEYS = {"toolCalls", "modelRequests", "inputTokens", "outputTokens", "agentVisibleBytes", "durationMs"}
CATEGORIES = {
    "RESOURCE_EXHAUSTION", "CONFIGURATION_ERROR", "DEPENDENCY_FAILURE", "INFRASTRUCTURE_FAILURE", "NETWORK_FAILURE",
    "CODE_DEFECT", "TRAFFIC_SURGE", "CERTIFICATE_OR_CREDENTIAL", "DATA_OR_STORAGE", "UNKNOWN",
}  # fmt: skip


def check_shape(run: dict[str, Any]) -> None:
    """The shape of DESIGN 4.8, key by key."""
    assert set(run) == RUN_KEYS
    assert run["schemaVersion"] == 1
    assert run["status"] in {"QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"}
    assert run["mode"] in {"CHAT", "PAYLOAD_TARGETED", "AUTO_DISCOVERY"}
    assert set(run["usage"]) == USAGE_KEYS
    assert {"verdicts", "supportedRatio", "rootCauseSupported"} <= set(run["selfEvaluation"])
    report = run["report"]
    assert set(report) == REPORT_KEYS
    ids = {item["id"] for item in run["evidence"]}
    for item in run["evidence"]:
        assert {"id", "class", "tool", "toolCallId", "text"} <= set(item)
        assert item["class"] in {"OBSERVATION", "GUIDANCE", "MEMORY", "REPORTED"}
    for cause in report["rootCauses"]:
        assert set(cause) == CAUSE_KEYS
        assert cause["category"] in CATEGORIES
        assert cause["confidence"] in {"HIGH", "MEDIUM", "LOW"}
        assert cause["claimId"] in {claim["id"] for claim in report["claims"]}
    for claim in report["claims"]:
        assert set(claim) >= CLAIM_KEYS
        for citation in claim["citations"]:
            assert set(citation) == {"evidenceId", "quote"}
            if claim["verdict"] == "SUPPORTED":
                assert citation["evidenceId"] in ids
    for entry in report["timeline"]:
        assert set(entry) == {"time", "text", "evidenceId"}
        assert entry["time"].endswith("Z")
    for step in report["nextSteps"]:
        assert set(step) == {"text", "query", "risk"}
    for line in report["coverage"]:
        assert set(line) == {"tool", "source", "status", "scanned", "shown", "detail"}
        assert line["status"] in {"OK", "NO_EVIDENCE", "ERROR", "UNAVAILABLE", "NOT_ASKED"}
    RunView.model_validate(run)
    assert sum(run["selfEvaluation"]["verdicts"].values()) == len(report["claims"])


def test_a_bundle_as_json_has_exactly_the_documented_shape(cli: Cli, bundle: Path) -> None:
    done = cli("diagnose", "--bundle", bundle, "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    check_shape(done.json)
    assert done.json["question"] == "why is ledger slow?"
    assert done.json["mode"] == "CHAT"
    assert done.json["usage"]["toolCalls"] > 0
    asked = {(line["tool"], line["status"]) for line in done.json["report"]["coverage"]}
    assert {("query_logs", "OK"), ("query_alerts", "UNAVAILABLE"), ("query_cluster", "UNAVAILABLE")} <= asked


def test_the_report_for_people_is_plain_when_piped(cli: Cli, bundle: Path) -> None:
    done = cli("diagnose", "--bundle", bundle)
    assert done.code == 0
    assert UNSEEN.search(done.out) is None
    assert max(map(len, done.out.splitlines())) <= 100
    for part in (
        "Claims, each checked by code",
        "Coverage: what was looked at",
        "Evidence cited",
        "rootproof runs trace run-",
    ):
        assert part in done.out


def test_hostile_characters_of_the_input_reach_no_output(cli: Cli, bundle: Path) -> None:
    run_id = cli("diagnose", "--bundle", bundle, "--json").json["runId"]
    for command in ("show", "trace"):
        for done in (cli("runs", command, run_id), cli("runs", command, run_id, "--json")):
            assert "client said" in done.out or command == "show"
            assert UNSEEN.search(done.out) is None


def test_an_alert_file_gives_a_targeted_run_with_the_alert_as_reported(
    cli: Cli, bundle: Path, alert_file: Path
) -> None:
    done = cli("diagnose", "--alert", alert_file, "--logs", bundle / "logs", "--json")
    assert done.code == 0, done.err
    assert done.json["mode"] == "PAYLOAD_TARGETED"
    reported = [item for item in done.json["evidence"] if item["class"] == "REPORTED"]
    assert "LedgerSlow" in reported[0]["text"]
    assert not any(
        claim["kind"] == "CAUSE" and claim["citations"] == [{"evidenceId": "E1"}]
        for claim in done.json["report"]["claims"]
    )


def test_a_question_about_a_folder_of_logs(cli: Cli, bundle: Path) -> None:
    done = cli("diagnose", "why does ledger time out?", "--logs", bundle / "logs", "--json")
    assert done.code == 0, done.err
    check_shape(done.json)
    assert done.json["question"] == "why does ledger time out?"
    assert [line for line in done.json["report"]["coverage"] if line["tool"] == "query_logs"]


def test_a_how_to_question_is_answered_from_the_runbooks_without_a_cause(cli: Cli, bundle: Path) -> None:
    done = cli("diagnose", "how do I find who holds connections?", "--knowledge", bundle / "knowledge", "--json")
    assert done.code == 0, done.err
    assert done.json["report"]["rootCauses"] == []
    assert any(item["class"] == "GUIDANCE" for item in done.json["evidence"])


def test_the_question_on_the_command_line_beats_the_one_of_the_bundle(cli: Cli, bundle: Path) -> None:
    assert cli("diagnose", "is ledger healthy?", "--bundle", bundle, "--json").json["question"] == "is ledger healthy?"


def test_a_run_is_put_into_the_session_that_is_named(cli: Cli, bundle: Path) -> None:
    done = cli("diagnose", "--bundle", bundle, "--session", "ses-mine", "--json")
    assert done.json["sessionId"] == "ses-mine"
    listed = cli("runs", "list", "--session", "ses-mine", "--json").json
    assert [run["runId"] for run in listed] == [done.json["runId"]]
    assert cli("runs", "list", "--session", "ses-other", "--json").json == []


def test_runs_are_listed_shown_and_traced(cli: Cli, bundle: Path) -> None:
    assert cli("runs", "list", "--json").json == []
    assert "no runs yet" in cli("runs", "list").out
    first = cli("diagnose", "--bundle", bundle, "--json").json
    second = cli("diagnose", "why?", "--logs", bundle / "logs", "--json").json
    listed = cli("runs", "list", "--json").json
    assert [run["runId"] for run in listed] == [second["runId"], first["runId"]]
    assert len(cli("runs", "list", "--limit", "1", "--json").json) == 1
    assert first["runId"] in cli("runs", "list").out
    assert cli("runs", "show", first["runId"], "--json").json == first
    assert cli("runs", "show", "latest", "--json").json == second
    trace = cli("runs", "trace", "latest", "--json").json
    assert trace["runId"] == second["runId"]
    assert [step["stepNo"] for step in trace["steps"]] == list(range(len(trace["steps"])))
    assert trace["steps"][0]["kind"] == "BRIEFING"
    assert trace["steps"][-1]["kind"] == "END"
    calls = [call for step in trace["steps"] for call in step["invocations"]]
    assert {call["toolName"] for call in calls} >= {"query_logs"}
    assert all(len(call["rawSha256"]) == 64 for call in calls if call["status"] == "OK")
    resumed = cli("runs", "resume", "latest", "--json")
    assert (resumed.code, resumed.json) == (0, second), "nothing of a run that is over is done again"
    told = cli("runs", "trace", "latest").out
    assert "EXECUTOR TURN" in told
    assert "query_logs" in told


def test_a_run_whose_process_died_is_resumed(cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = _die_in(cli, bundle, monkeypatch)
    stored = cli("runs", "show", run_id, "--json").json
    assert (stored["status"], stored["report"]) == ("RUNNING", None)
    assert "no report yet" in cli("runs", "show", run_id).out
    done = cli("runs", "resume", run_id)
    assert done.code == 0
    assert cli("runs", "show", run_id, "--json").json["status"] == "COMPLETED"


def test_a_resumed_run_that_fails_exits_with_1(cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = _die_in(cli, bundle, monkeypatch)

    async def broken(*_: Any, **__: Any) -> Any:
        raise ValueError("a bug in us")

    with monkeypatch.context() as patched:
        patched.setattr("rootproof.diagnosis.drive_run.ask_model", broken)
        done = cli("runs", "resume", run_id)
    assert done.code == 1
    assert cli("runs", "show", run_id, "--json").json["status"] == RunStatus.FAILED


def _die_in(cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a run whose process went away at its first model turn."""

    class Died(BaseException):
        pass

    async def die(*_: Any, **__: Any) -> Any:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr("rootproof.diagnosis.drive_run.ask_model", die)
        with pytest.raises(Died):
            cli("diagnose", "--bundle", bundle)
    return str(cli("runs", "list", "--json").json[0]["runId"])


def test_a_run_that_fails_exits_with_1_and_keeps_its_rows(
    cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> Any:
        raise ValueError("a bug in us")

    monkeypatch.setattr("rootproof.diagnosis.drive_run.ask_model", broken)
    done = cli("diagnose", "--bundle", bundle)
    assert done.code == 1
    assert "internal error (ValueError)" in done.err
    assert "a bug in us" not in done.err
    shown = cli("runs", "show", "latest", "--json").json
    assert (shown["status"], shown["statusReason"]) == ("FAILED", "INTERNAL_ERROR")
    assert shown["report"]["coverage"]


def test_the_demo_as_json_is_one_list_of_runs(cli: Cli) -> None:
    done = cli("demo", "--json")
    assert done.code == 0, done.err
    assert len(done.json) == 2
    for run in done.json:
        check_shape(run)
        assert run["reasoner"] == "playbook"
        claims = run["report"]["claims"]
        assert [claim["text"] for claim in claims if claim["verdict"] not in ("SUPPORTED", "NOT_CHECKABLE")] == []
        assert not any("NodeReady" in claim["text"] and claim["kind"] != "CAUSE" for claim in claims)
    assert sorted(run["report"]["healthy"] for run in done.json) == [False, True]
    assert sorted(bool(run["report"]["rootCauses"]) for run in done.json) == [False, True]
    told = "".join(cli("runs", "show", run["runId"]).out for run in done.json)
    assert "NOTHING IS WRONG NOW" in told
    assert "ROOT CAUSE" in told


def test_one_scenario_of_the_demo_is_one_run(cli: Cli) -> None:
    from rootproof.scenarios import scenario_names

    name = scenario_names()[0]
    check_shape(cli("demo", name, "--json").json)
    plain = cli("demo", name)
    assert f"# demo scenario: {name}" in plain.err
    assert "# demo scenario" not in plain.out
    assert UNSEEN.search(plain.out) is None


def test_a_model_that_is_not_there_is_finished_by_the_playbook(
    cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rootproof import bootstrap

    whole = bootstrap.models

    def open_model(spec: str, skills: Any) -> Any:
        return ScriptedModel({}, name=spec) if ":" in spec else whole(ModelSettings())(spec, skills)

    monkeypatch.setattr(bootstrap, "models", lambda _settings: open_model)
    done = cli("diagnose", "--bundle", bundle, "--model", "openai:gone", "--json")
    assert done.code == 0
    assert done.json["statusReason"] == "MODEL_FAILED"
    assert json.dumps(done.json).count("playbook reasoner") >= 1


async def _down(*_: Any, **__: Any) -> str:
    raise SourceUnavailable("the disk is gone")


def test_a_run_whose_every_source_failed_exits_with_3(cli: Cli, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rootproof.adapters.sources.files.FolderLogs.fetch", _down)
    done = cli("diagnose", "why is ledger slow?", "--logs", bundle / "logs", "--json")
    assert done.code == 3
    failed = [line for line in done.json["report"]["coverage"] if line["status"] == "ERROR"]
    assert failed
    assert all("the disk is gone" in line["detail"] for line in failed)
