"""The command line says nothing secret: of a run, of a provider that fails, of files and settings that are wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import pytest

from rootproof.entrypoints.cli.main import main
from tests.canary.forms import Canaries
from tests.canary.incident import question, write_incident
from tests.fakes.processes import fake_provider

Said = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command in a home of its own; gives everything that it writes."""
    for name in [name for name in os.environ if name.startswith(("ROOTPROOF_", "XDG_", "OPENAI"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **env: str) -> str:
        capsys.readouterr()
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            main(list(arguments))
        out, err = capsys.readouterr()
        assert "internal error" not in err, err
        return out + err

    return run


def refusing(canaries: Canaries) -> dict[str, Any]:
    """A provider that repeats the key and the prompt's secrets in its refusal."""
    words = canaries.every("refusal")
    message = "bad key; " + "; ".join(words.values())
    return {"status": 401, "body": {"error": {"message": message, "param": words["bearer"], "code": words["github"]}}}


def test_a_run_whose_provider_refuses_and_all_that_is_shown_of_it(tmp_path: Path, said: Said) -> None:
    canaries = Canaries()
    write_incident(tmp_path / "bundle", canaries)
    fault = refusing(canaries)
    env = {"OPENAI_API_KEY": canaries.word("model provider", "key")}
    with fake_provider(tmp_path, {"planner": [fault], "executor": [fault], "verifier": [fault]}) as provider:
        env["ROOTPROOF_MODEL_BASE_URL"] = provider.base_url
        asked = question(canaries, "command line")
        shown = [said("diagnose", asked, "--bundle", "bundle", "--model", "openai:fake-1", **env)]
        assert len(provider.requests) >= 1
    shown.append(said("diagnose", "--bundle", "bundle"))
    commands = [
        "runs list",
        "runs show latest",
        "runs trace latest",
        "runs replay latest",
        "runs export latest --output b",
    ]
    shown += [said(*command.split()) for command in commands]
    exported = sorted(path for path in tmp_path.glob("b*") if path.name != "bundle")
    assert exported, shown[-1]
    shown += [text for path in exported for text in texts(path)]
    for text in shown:
        assert canaries.found_in(text) == []
    assert sum("<secret:" in text for text in shown) >= 5


def texts(path: Path) -> list[str]:
    """Names and contents of an export, a folder or an archive."""
    if path.is_dir():
        return [f"{file} {file.read_text()}" for file in path.rglob("*") if file.is_file()]
    if is_zipfile(path):
        with ZipFile(path) as archive:
            return [f"{name} {archive.read(name).decode()}" for name in archive.namelist()]
    return [path.read_text()]


FILES = {
    "alert.json": '{{"alerts": [{{"labels": "{}"}}], "x": ',
    "alerts.json": '{{"status": "{}"}}',
    "changes.json": '[{{"time": "{}", "object": 5}}]',
    "topology.json": '{{"calls": ["{}"]}}',
    "cluster/commands.json": '{{"{}": 5}}',
    "cluster/pods.json": '["{}"]',
    "metrics/pool.json": '{{"status": "error", "error": "{}"}}',
    "metrics/other.csv": "{}\n{}\n",
    "skills/own/SKILL.md": "---\nname: {}\n{}\n---\n",
    "bundle.toml": 'now = "{}"\n',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_wrong(tmp_path: Path, said: Said, name: str) -> None:
    """An error says where and what is wrong, and repeats no secret that stands there."""
    canaries = Canaries()
    place = tmp_path / "bundle" / name
    place.parent.mkdir(parents=True)
    if name != "bundle.toml":
        (tmp_path / "bundle" / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why?"\n')
    for form in ("github", "url userinfo", "key=value"):
        words = json.dumps(canaries.text(form, name))[1:-1]
        place.write_text(FILES[name].format(words, words))
        text = said("diagnose", "--bundle", "bundle", "--json")
        assert canaries.found_in(text) == []


def addresses(canaries: Canaries) -> dict[str, str]:
    """Settings that hold a password, each of a server that is not there."""
    word = canaries.planted_word
    return {
        "ROOTPROOF_STORE_URL": f"postgresql+psycopg://app:{word('store')}@127.0.0.1:1/rootproof",
        "ROOTPROOF_REDIS_URL": f"redis://:{word('redis')}@127.0.0.1:1/0",
        "ROOTPROOF_MODEL_BASE_URL": f"http://svc:{word('model')}@127.0.0.1:1/v1",
        "ROOTPROOF_NOTIFY_WEBHOOK_URL": f"http://svc:{word('webhook')}@127.0.0.1:1/in?token={word('query')}",
        "ROOTPROOF_TELEMETRY_OTLP_ENDPOINT": f"http://svc:{word('spans')}@127.0.0.1:1/",
        "ROOTPROOF_STORE_RAW_TTL_DAYS": f"password={word('number')}",
        "ROOTPROOF_MODEL_NAME": canaries.word("github", "model name"),
        "ROOTPROOF_SOURCES_BUNDLE": f"/nowhere/{canaries.word('gitlab', 'path')}",
        "ROOTPROOF_PASSWORD": f"password={word('unknown setting')}",
    }


@pytest.mark.parametrize("name", addresses(Canaries()))
def test_a_setting_that_is_wrong(tmp_path: Path, said: Said, name: str) -> None:
    canaries = Canaries()
    value = addresses(canaries)[name]
    for command in (
        "config check",
        "diagnose why --json",
        "runs list",
        "serve --port 0" if "TTL" in name else "db check",
    ):
        text = said(*command.split(), **{name: value, "OPENAI_API_KEY": "x"})
        assert canaries.found_in(text) == [], command
    (tmp_path / "rootproof.toml").write_text(
        f"[store]\n{json.dumps(value)} = {json.dumps(value)}\n[{json.dumps(value)}]\n"
    )
    assert canaries.found_in(said("config", "check")) == []
