"""Settings: environment over file over default; whatever is wrong is named with its place and the nearest right one."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from rootproof.bootstrap import limits_of
from rootproof.errors import UsageError
from rootproof.settings import Settings, load_settings


def load(folder: Path, text: str | None = None, **env: str) -> Settings:
    if text is not None:
        (folder / "rootproof.toml").write_text(text, encoding="utf-8")
    return load_settings({"HOME": str(folder / "home")} | env, folder=folder)


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path) == Settings()


def test_the_environment_beats_the_file_and_the_file_the_default(tmp_path: Path) -> None:
    text = '[limits]\ntool_calls = 11\nrun_s = 12\n[model]\nname = "openai:a"\n'
    settings = load(tmp_path, text, ROOTPROOF_LIMITS_TOOL_CALLS="13")
    assert settings.limits.tool_calls == 13
    assert settings.limits.run_s == 12
    assert settings.limits.call_s == Settings().limits.call_s
    assert settings.model.name == "openai:a"
    assert settings.config_file == str(tmp_path / "rootproof.toml")


def test_the_named_file_beats_the_folders_and_the_folders_the_users(tmp_path: Path) -> None:
    users = tmp_path / "home" / ".config" / "rootproof"
    users.mkdir(parents=True)
    (users / "rootproof.toml").write_text("[limits]\nrun_s = 1\n")
    assert load(tmp_path).limits.run_s == 1
    assert load(tmp_path, "[limits]\nrun_s = 2\n").limits.run_s == 2
    named = tmp_path / "other.toml"
    named.write_text("[limits]\nrun_s = 3\n")
    assert load(tmp_path, ROOTPROOF_CONFIG=str(named)).limits.run_s == 3
    xdg = tmp_path / "xdg"
    (xdg / "rootproof").mkdir(parents=True)
    (xdg / "rootproof" / "rootproof.toml").write_text("[limits]\nrun_s = 4\n")
    (tmp_path / "rootproof.toml").unlink()
    assert load(tmp_path, XDG_CONFIG_HOME=str(xdg)).limits.run_s == 4


def test_lists_come_as_toml_lists_or_as_paths(tmp_path: Path) -> None:
    assert load(tmp_path, '[sources]\nlogs = ["/a", "/b"]\n').sources.logs == ("/a", "/b")
    assert load(tmp_path, ROOTPROOF_SOURCES_LOGS="/c:/d:").sources.logs == ("/c", "/d")


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(FrozenInstanceError):
        load(tmp_path).limits.run_s = 5  # type: ignore[misc]


def test_the_limits_reach_the_run(tmp_path: Path) -> None:
    text = (
        "[limits]\ntool_calls = 1\nmodel_requests = 2\ncall_s = 3\nrun_s = 4\ntokens = 5\nprojection_bytes = 600\n"
        "[model]\nrequest_timeout_s = 7\nmax_retries = 8\n"
    )
    limits = limits_of(load(tmp_path, text))
    assert (limits.max_tool_calls, limits.max_model_requests, limits.max_call_s, limits.max_run_s) == (1, 2, 3, 4)
    assert (limits.max_tokens, limits.projection.max_bytes) == (5, 600)
    assert (limits.model_deadline_s, limits.max_model_retries) == (7, 8)


def test_the_home_is_where_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert load(tmp_path).home == tmp_path / ".local" / "share" / "rootproof"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert load(tmp_path).home == tmp_path / "data" / "rootproof"
    assert load(tmp_path, ROOTPROOF_STORE_HOME="~/here").home == tmp_path / "here"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[limit]\nrun_s = 1\n", ["no section 'limit'", "did you mean 'limits'", "rootproof.toml"]),
        ("[zzz]\na = 1\n", ["no section 'zzz'", "store, model, limits, sources"]),
        ("[limits]\nrun_seconds = 1\n", ["no key 'run_seconds'", "section 'limits'", "run_s"]),
        ("[limits]\nrun_s = 1.5\n", ["limits.run_s", "whole number", "1.5"]),
        ('[limits]\nrun_s = "soon"\n', ["limits.run_s", "whole number", "soon"]),
        ("[limits]\nrun_s = true\n", ["limits.run_s", "whole number"]),
        ("[limits]\nrun_s = -1\n", ["limits.run_s", "negative"]),
        ("[limits]\ntokens = 9999999999999\n", ["limits.tokens", "at most"]),
        ("[store]\nraw_ttl_days = 99999999\n", ["store.raw_ttl_days", "days"]),
        ("[model]\nname = 5\n", ["model.name", "must be text"]),
        ("[sources]\nlogs = [1]\n", ["sources.logs", "list of texts"]),
        ("[sources]\nlogs = 7\n", ["sources.logs", "list of texts"]),
        ("limits = 5\n", ["`limits` must be a table"]),
        ("[limits\n", ["cannot be read as TOML", "rootproof.toml"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, text)
    for part in words:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ROOTPROOF_LIMITS_RUN_S", "soon", ["environment variable ROOTPROOF_LIMITS_RUN_S", "whole number"]),
        ("ROOTPROOF_LIMITS_RUN", "1", ["ROOTPROOF_LIMITS_RUN", "did you mean 'run_s'"]),
        ("ROOTPROOF_MODELS_NAME", "x", ["ROOTPROOF_MODELS_NAME", "did you mean 'model'"]),
        ("ROOTPROOF_STORE", "x", ["ROOTPROOF_STORE", "no key ''"]),
        (
            "ROOTPROOF_CONFIG",
            "/nowhere/rootproof.toml",
            ["ROOTPROOF_CONFIG", "/nowhere/rootproof.toml", "no such file"],
        ),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(tmp_path: Path, name: str, value: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, **{name: value})
    for part in words:
        assert part in str(error.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "rootproof.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as TOML"):
        load(tmp_path)
