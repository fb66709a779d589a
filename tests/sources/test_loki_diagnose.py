"""A diagnosis that looks into configured log servers: from rootproof.toml to cited lines, coverage and exit code."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from rootproof.bootstrap import SourceSpec, open_inputs
from rootproof.bootstrap.backend import memory_backend
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.window import TimeWindow
from rootproof.errors import UsageError
from rootproof.ports.sources import LogQuery
from rootproof.settings import load_settings
from tests.cli.conftest import cli  # noqa: F401 - the command line with a home of its own
from tests.fakes.loki_server import LokiServer
from tests.fakes.victorialogs_server import VictoriaLogsServer

CANARY = "egret-canary-0c7d5e21b9"
QUESTION = "Why do payments at the till fail?"


def ago(seconds):
    return int((datetime.now(UTC) - timedelta(seconds=seconds)).timestamp() * 10**9)


@pytest.fixture
def loki():
    with LokiServer() as server:
        failing = [
            (ago(900 - n * 10), f"ERROR payment {n} failed: could not obtain connection from pool within 3000 ms")
            for n in range(60)
        ]
        calm = [(ago(2_400 - n * 10), f"INFO payment {n} accepted") for n in range(150)]
        server.streams = [({"service_name": "till", "pod": "till-7c9d8f6b54-x2k4p"}, calm + failing)]
        yield server


@pytest.fixture
def configured(tmp_path, monkeypatch):
    """Writes rootproof.toml for a server, with a token in the environment."""

    def write(server, section="loki", **more):
        monkeypatch.setenv("TILL_TOKEN", CANARY)
        lines = [
            f"[{section}]",
            f'url = "{server if isinstance(server, str) else server.url}"',
            'token_env = "TILL_TOKEN"',
        ]
        (tmp_path / "rootproof.toml").write_text(
            "\n".join([*lines, *(f'{key} = "{value}"' for key, value in more.items())])
        )

    return write


def coverage(done):
    return {line["source"]: line for line in done.json["report"]["coverage"] if line["source"]}


def test_the_report_cites_lines_from_loki_and_no_secret_is_anywhere(cli, loki, configured, tmp_path):  # noqa: F811
    loki.token, loki.tenant = CANARY, "team-a"
    configured(loki, tenant="team-a")
    done = cli("diagnose", QUESTION, "--json")
    assert done.code == 0
    cited = {c["evidenceId"] for claim in done.json["report"]["claims"] for c in claim["citations"]}
    texts = [item["text"] for item in done.json["evidence"] if item["id"] in cited]
    assert any("60 x ERROR till" in text and "could not obtain connection from pool" in text for text in texts)
    lines = coverage(done)
    assert (lines["Loki APPLICATION"]["status"], lines["Loki APPLICATION"]["scanned"]) == ("OK", 210)
    assert lines["Loki SYSTEM_EVENTS"]["status"] == "NO_EVIDENCE"
    shown = cli("runs", "show", done.json["runId"])
    assert CANARY not in done.out + done.err + shown.out
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path


def test_a_replay_asks_no_source(cli, loki, configured):  # noqa: F811
    configured(loki)
    done = cli("diagnose", QUESTION, "--json")
    asked = len(loki.asked)
    again = cli("runs", "replay", done.json["runId"])
    assert (again.code, len(loki.asked)) == (0, asked)


def test_a_server_that_is_down_is_told_and_exits_with_unavailable(cli, configured):  # noqa: F811
    with LokiServer() as gone:
        configured(gone)
    done = cli("diagnose", QUESTION, "--json")
    assert done.code == 3
    assert {line["status"] for line in coverage(done).values()} == {"ERROR"}
    detail = coverage(done)["Loki APPLICATION"]["detail"]
    assert "cannot be reached" in detail
    assert "refused" in detail
    assert done.json["report"]["rootCauses"] == []


def test_credentials_that_are_refused_are_told(cli, loki, configured):  # noqa: F811
    loki.token = "another"
    configured(loki)
    done = cli("diagnose", QUESTION, "--json")
    assert (done.code, coverage(done)["Loki APPLICATION"]["status"]) == (3, "ERROR")
    assert "401" in coverage(done)["Loki APPLICATION"]["detail"]
    assert CANARY not in done.out + done.err


def test_files_beside_a_server_are_merged_and_a_half_that_fails_is_told(cli, loki, configured, tmp_path):  # noqa: F811
    configured(loki)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    (tmp_path / "gate.log").write_text(f"{now} ERROR gate upstream till answered 503\n")
    done = cli("diagnose", QUESTION, "--logs", tmp_path / "gate.log", "--json")
    both = coverage(done)["log files + Loki APPLICATION"]
    assert (both["status"], both["scanned"]) == ("OK", 211)
    assert any("gate" in item["text"] for item in done.json["evidence"])
    loki.faults = [{"status": 500, "body": "ring is unhealthy", "times": 99}]
    half = cli("diagnose", QUESTION, "--logs", tmp_path / "gate.log", "--json")
    line = coverage(half)["log files + Loki APPLICATION"]
    assert (half.code, line["status"], line["scanned"]) == (0, "OK", 1)
    assert "ring is unhealthy" in json.dumps(half.json)


def test_a_bundle_is_investigated_without_asking_servers(cli, loki, configured):  # noqa: F811
    configured(loki)
    from rootproof.scenarios import scenario_names, scenario_path

    assert cli("diagnose", "--bundle", scenario_path(scenario_names()[0])).code == 0
    assert not loki.asked


def test_victorialogs_works_the_same_way(cli, configured):  # noqa: F811
    with VictoriaLogsServer(token=CANARY) as server:
        at = datetime.now(UTC) - timedelta(minutes=9)
        server.records = [
            {
                "_time": (at + timedelta(seconds=n)).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "_msg": f"payment {n} failed: no pool",
                "level": "error",
                "service.name": "till",
            }
            for n in range(30)
        ]
        configured(server, "victorialogs")
        done = cli("diagnose", QUESTION, "--json")
    assert coverage(done)["VictoriaLogs APPLICATION"]["scanned"] == 30
    assert any("30 x ERROR till" in item["text"] for item in done.json["evidence"])


async def test_runs_of_the_service_look_into_it_too(loki, configured, tmp_path):
    configured(loki)
    settings = load_settings({"ROOTPROOF_STORE_HOME": str(tmp_path / "home")}, folder=tmp_path)
    backend = memory_backend(settings)
    run = await start_run(backend.services, RunRequest(question=QUESTION))
    inputs = await backend.inputs_of(run)
    window = TimeWindow.lookback(datetime.now(UTC), 60)
    assert inputs.sources.logs is not None
    answer = await inputs.sources.logs.fetch(LogQuery("application-logs", "default", window, 500), deadline_s=9)
    assert json.loads(answer)["total"] == 210
    await backend.close()


def test_config_check_asks_the_servers(cli, loki, configured):  # noqa: F811
    loki.token = CANARY
    configured(loki)
    done = cli("config", "check")
    assert done.code == 0
    assert f"ok   loki: {loki.url} answers (" in done.err + done.out
    loki.token = "another"
    done = cli("config", "check", "--json")
    assert done.code == 1
    assert "401" in next(item["detail"] for item in done.json["checks"] if item["what"] == "loki")
    assert done.json["settings"]["loki"]["token_env"] == "TILL_TOKEN"
    configured(f"http://ann:{CANARY}@127.0.0.1:1")
    done = cli("config", "check", "--json")
    assert done.code == 1
    assert CANARY not in done.out + done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[loki]\nurl = "http://l:3100"\ntoken_env = "NOT_SET"', "loki.token_env names the .* 'NOT_SET'"),
        ('[loki]\nurl = "http://l:3100"\npassword_env = "TILL_TOKEN"', "loki.user"),
        ('[loki]\nurl = "http://l:3100"\ntoken_env = "TILL_TOKEN"\nuser = "ann"', "both set"),
        ('[loki]\nurl = "http://l:3100"\nsystem_events = "job"', "stream selector"),
        ('[loki]\nurl = "l:3100"', "`url`"),
        ('[victorialogs]\nurl = "http://v:9428"\napplication = "a | delete"', "LogsQL filter"),
        ('[victorialogs]\nurl = "http://v:9428"\naccount_id = "1\\n2"', "AccountID"),
        ('[elasticsearch]\nurl = "http://e:9200"\ntoken_env = "NOT_SET"', "elasticsearch.token_env"),
        ('[loki]\nurl = "https://l"\nca_file = "absent.pem"', "ca_file"),
    ],
)  # fmt: skip
def test_a_server_that_is_set_up_wrong_is_a_usage_error(tmp_path, monkeypatch, text, said):
    monkeypatch.setenv("TILL_TOKEN", CANARY)
    (tmp_path / "rootproof.toml").write_text(text)
    settings = load_settings({}, folder=tmp_path)
    with pytest.raises(UsageError, match=said) as found:
        open_inputs(settings, SourceSpec())
    assert CANARY not in str(found.value)


def test_files_that_are_named_set_the_clock_and_configured_ones_do_not(tmp_path):
    (tmp_path / "old.log").write_text("2024-02-01T10:00:00Z ERROR gate closed\n")
    (tmp_path / "rootproof.toml").write_text(f'[loki]\nurl = "http://l:3100"\n[sources]\nlogs = ["{tmp_path}/old.log"]')
    settings = load_settings({}, folder=tmp_path)
    assert open_inputs(settings, SourceSpec(logs=(str(tmp_path / "old.log"),))).dated_by is not None
    both = open_inputs(settings, SourceSpec())
    assert (both.dated_by, both.sources.logs.kind) == (None, "FILES+LOKI")
    (tmp_path / "rootproof.toml").write_text(f'[sources]\nlogs = ["{tmp_path}/old.log"]')
    alone = open_inputs(load_settings({}, folder=tmp_path), SourceSpec())
    assert alone.dated_by is alone.sources.logs
