"""Where a policy file applies: `rootproof redact`, the check of the configuration, and the runs of a process."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from rootproof.adapters.memory.scripted_model import calls
from rootproof.bootstrap import open_services, replay
from rootproof.entrypoints.cli.main import main
from rootproof.errors import UsageError
from rootproof.ports.sources import Sources
from rootproof.redaction import HIDE_ALL, Policy
from rootproof.settings import RedactionSettings, Settings, StoreSettings
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

LINE = "peer 10.1.2.3 mail lea@lab.example password=Tr0ub4dor9\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("ROOTPROOF_", "XDG_", "OPENAI", "ANTHROPIC")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE.encode()), encoding="utf-8"))
    (tmp_path / "shown.toml").write_text("[identifiers]\nip = false\n")
    (tmp_path / "wrong.toml").write_text("[identifiers]\npassword = false\n")


@pytest.mark.parametrize("how", ["flag", "setting"])
def test_redact_follows_the_policy(
    how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if how == "setting":
        monkeypatch.setenv("ROOTPROOF_REDACTION_POLICY", "shown.toml")
    assert main(["redact", *(["--policy", "shown.toml"] if how == "flag" else [])]) == 0
    assert capsys.readouterr().out == "peer 10.1.2.3 mail <email:1> password=<secret:password:1>\n"


@pytest.mark.parametrize(
    ("file", "said"), [("wrong.toml", "always hidden"), ("none.toml", "cannot be read"), (".", "must be a file")]
)
def test_a_wrong_policy_stops_before_a_line_is_shown(file: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redact", "--policy", file]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert file in err


def test_the_configuration_is_checked_with_its_policy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROOTPROOF_REDACTION_POLICY", "wrong.toml")
    assert main(["config", "check"]) == 1
    assert "FAIL redaction policy wrong.toml: wrong.toml: identifiers.password" in capsys.readouterr().out
    monkeypatch.setenv("ROOTPROOF_REDACTION_POLICY", "shown.toml")
    assert main(["config", "check"]) == 0
    assert "shows ip; hides every other class" in capsys.readouterr().out


async def test_a_run_keeps_the_policy_it_began_with(tmp_path: Path) -> None:
    def settings(policy: str) -> Settings:
        return Settings(store=StoreSettings(home=str(tmp_path / "home")), redaction=RedactionSettings(policy))

    services = await open_services(settings("shown.toml"))
    await services.runs.close()
    assert services.policy == Policy(frozenset({"ip"}))

    look = calls(("query_logs", {"topic": "APPLICATION"}))
    sources = Sources(logs=FakeLogs([log("refused by 10.1.2.3, mail lea@lab.example")]))
    world = World(scripted([look, report(claim("It refused.", "E2"))]), sources, policy=services.policy)
    rows = await world.diagnose()
    shown = "".join(call.result for call in rows.invocations)
    assert "10.1.2.3" in shown
    assert "lea@lab.example" not in shown
    world.policy = HIDE_ALL
    again = await replay(world.services, rows)
    assert again.identical, "a replay takes the policy of the run, not that of its day"
    with pytest.raises(UsageError, match="always hidden"):
        await open_services(settings("wrong.toml"))
