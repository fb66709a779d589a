"""Every command, option and setting is documented, and nothing is documented that does not exist."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from rootproof.settings import Settings
from tests.docs.cli_reference import PAGE, commands, options, page

CONFIGURATION = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"
ROW = re.compile(r"^\| `(\w+)\.(\w+)` \| `(ROOTPROOF_\w+)` \| (?:`([^`]*)`|empty) \| (.+) \|$", re.MULTILINE)


def settings() -> list[tuple[str, str, object]]:
    whole = Settings()
    return [
        (section, item.name, getattr(getattr(whole, section), item.name))
        for section in ("store", "model", "limits", "sources")
        for item in fields(getattr(whole, section))
    ]


def test_every_command_of_the_tree_has_its_part_of_the_page() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "run `python -m tests.docs.cli_reference` and commit docs/reference/cli.md"
    for path, command in commands():
        assert f"\n## rootproof {' '.join(path)}\n" in written
        for name, _ in options(command):
            assert f"| `{name}` |" in written


def test_every_command_option_and_argument_says_what_it_does() -> None:
    found = list(commands())
    assert len(found) >= 16
    for path, command in found:
        assert len(command.help or "") > 10, path
        for name, text in options(command):
            assert len(text) > 5, (path, name)


def test_every_setting_is_documented_with_its_variable_and_its_default() -> None:
    rows = {(m[1], m[2]): (m[3], m[4], m[5]) for m in ROW.finditer(CONFIGURATION.read_text(encoding="utf-8"))}
    expected = {(section, key) for section, key, _ in settings()}
    assert set(rows) == expected
    for section, key, default in settings():
        variable, shown, meaning = rows[section, key]
        assert variable == f"ROOTPROOF_{section}_{key}".upper()
        assert (shown or "") == (str(default) if default not in ("", ()) else "")
        assert len(meaning) > 10


@pytest.mark.parametrize("name", ["ROOTPROOF_CONFIG", "ROOTPROOF_DATA", "ROOTPROOF_REQUIRE_SERVICES"])
def test_variables_that_are_no_settings_are_documented(name: str) -> None:
    assert f"`{name}`" in CONFIGURATION.read_text(encoding="utf-8")
