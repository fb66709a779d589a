"""Every command, option and setting is documented, and nothing is documented that does not exist."""

from __future__ import annotations

import pytest

from tests.docs.cli_reference import PAGE, commands, options, page
from tests.docs.settings_reference import PAGE as CONFIGURATION
from tests.docs.settings_reference import page as page_of_settings
from tests.docs.settings_reference import settings


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
    written = CONFIGURATION.read_text(encoding="utf-8")
    assert written == page_of_settings(written), (
        "run `python -m tests.docs.settings_reference`, commit configuration.md"
    )
    found = list(settings())
    assert len(found) > 40
    for section, key, _ in found:
        assert f"| `{section}.{key}` | `ROOTPROOF_{section}_{key}`".upper() in written.upper()


@pytest.mark.parametrize("name", ["ROOTPROOF_CONFIG", "ROOTPROOF_DATA", "ROOTPROOF_REQUIRE_SERVICES"])
def test_variables_that_are_no_settings_are_documented(name: str) -> None:
    assert f"`{name}`" in CONFIGURATION.read_text(encoding="utf-8")
