"""No planted secret, nor eight characters of one, leaves the tool boundary: whichever model diagnoses."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rootproof import bootstrap
from rootproof.adapters.memory.scripted_model import ScriptedModel, calls
from rootproof.domain.step import Agent
from rootproof.entrypoints.cli.main import main
from rootproof.ports.model import ModelRequest, ToolMessage
from tests.core.canaries import KINDS, Canaries, planted_bundle

RAW_TABLES = ("canonical_invocation",)
PLAN = calls(("submit_plan", {"intent": "INCIDENT", "skills": [], "steps": [], "reason": "look"}))
LOOK = calls(
    ("query_logs", {"topic": "APPLICATION"}),
    ("query_logs", {"topic": "APPLICATION", "contains": "pool"}),
    ("query_metrics", {}),
    ("query_alerts", {}),
    ("query_cluster", {"view": "overview"}),
    ("query_cluster", {"view": "describe", "kind": "pod", "name": "ledger-0", "namespace": "shop"}),
    ("lookup_knowledge", {"query": "ledger connection pool exhausted"}),
)


def echo(request: ModelRequest) -> Any:
    """A report that repeats what the tools said, as a careless model would."""
    seen = [message.content for message in request.messages if isinstance(message, ToolMessage)]
    claims = [
        {"kind": "SYMPTOM", "text": text[at : at + 1_000], "citations": [{"evidence_id": "E2", "quote": text[:200]}]}
        for text in seen
        for at in range(0, min(len(text), 4_000), 2_000)
    ]
    return calls(("submit_report", {"summary": " ".join(seen)[:1_500], "claims": claims[:5]}))


def echo_verdicts(request: ModelRequest) -> Any:
    return calls(("submit_verdicts", {"lower": []}))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("ROOTPROOF_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home" / ".local" / "share" / "rootproof"


def scripted(monkeypatch: pytest.MonkeyPatch, canaries: Canaries) -> ScriptedModel:
    """A model that asks everything, carries secrets of its own into a request, and repeats what it saw."""
    own = canaries.text("github", "model request")
    stray = calls(("query_logs", {"topic": "APPLICATION", "contains": own}), ("query_logs", f'{{"broken {own}'))
    script = {Agent.PLANNER: [PLAN], Agent.EXECUTOR: [LOOK, stray, echo], Agent.VERIFIER: [echo_verdicts]}
    model = ScriptedModel(script, name="openai:scripted")
    monkeypatch.setattr(bootstrap, "models", lambda _settings: lambda _spec, _skills: model)
    return model


def stored_bytes(home: Path, tmp_path: Path) -> str:
    """All files of the store as text, the compressed raw outputs taken out."""
    copy = tmp_path / "copy.db"
    source = sqlite3.connect(home / "rootproof.db")
    target = sqlite3.connect(copy)
    with target:
        source.backup(target)
    tables = {row[0] for row in target.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert set(RAW_TABLES) <= tables
    with target:
        for table in RAW_TABLES:
            held = target.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            assert held > 0, "the raw outputs are kept there"
            target.execute(f"DELETE FROM {table}")
    target.execute("VACUUM")
    source.close()
    target.close()
    return copy.read_bytes().decode("latin-1")


def test_the_canaries_are_found_where_they_are_planted(tmp_path: Path) -> None:
    """The check itself can fail: the inputs hold every secret."""
    canaries = Canaries()
    planted_bundle(tmp_path / "bundle", canaries)
    inputs = "\n".join(path.read_text() for path in (tmp_path / "bundle").rglob("*") if path.is_file())
    assert set(canaries.found_in(inputs)) == set(canaries.planted)
    assert len(canaries.planted) >= len(KINDS) * 11


@pytest.mark.parametrize("reasoner", ["playbook", "openai:scripted"])
def test_no_planted_secret_leaves_the_boundary(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], reasoner: str
) -> None:
    canaries = Canaries()
    question = planted_bundle(tmp_path / "bundle", canaries)
    model = scripted(monkeypatch, canaries) if reasoner != "playbook" else None

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert main(list(arguments)) == 0
        out, err = capsys.readouterr()
        return out + err

    outputs = {
        "diagnose": run("diagnose", "--bundle", "bundle", "--model", reasoner),
        "diagnose --json": run("diagnose", question, "--bundle", "bundle", "--model", reasoner, "--json"),
        "runs list": run("runs", "list"),
        "runs list --json": run("runs", "list", "--json"),
        "runs show": run("runs", "show", "latest"),
        "runs show --json": run("runs", "show", "latest", "--json"),
        "runs trace": run("runs", "trace", "latest"),
        "runs trace --json": run("runs", "trace", "latest", "--json"),
    }
    for name, text in outputs.items():
        assert canaries.found_in(text) == [], name

    trace = json.loads(outputs["runs trace --json"])
    asked = {call["toolName"] for step in trace["steps"] for call in step["invocations"] if call["status"] == "OK"}
    assert {"query_logs", "query_metrics", "query_alerts", "query_cluster"} <= asked, "or nothing was tested"
    run_view = json.loads(outputs["diagnose --json"])
    assert "<secret:" in json.dumps(run_view)
    assert "<secret:" in run_view["question"]

    if model is not None:
        prompts = "\n".join(repr(request) for request in model.requests)
        assert "ledger" in prompts
        assert canaries.found_in(prompts) == []
        assert "lookup_knowledge" in asked
    assert canaries.found_in(stored_bytes(home, tmp_path)) == []
    files = [path for path in home.glob("rootproof.db*") if path.is_file()]
    assert canaries.found_in("".join(path.read_bytes().decode("latin-1") for path in files)) == []


async def test_the_secrets_of_an_error_reach_no_row(tmp_path: Path) -> None:
    """A source's own error text passes the same way."""
    from rootproof.errors import SourceUnavailable
    from rootproof.ports.sources import Sources
    from tests.fakes.driving import World, claim, report
    from tests.fakes.driving import scripted as world_model
    from tests.fakes.sources import FakeLogs

    canaries = Canaries()
    words = "; ".join(canaries.all_in("error").values())
    model = world_model([calls(("query_logs", {"topic": "APPLICATION"})), report(claim("x", "E1"))])
    for failure in (SourceUnavailable(words), RuntimeError(words)):
        rows = await World(model, Sources(logs=FakeLogs(answer=failure))).diagnose()
        assert canaries.found_in(repr(rows) + repr(model.requests)) == []
        assert "<secret:" in rows.invocations[0].error
