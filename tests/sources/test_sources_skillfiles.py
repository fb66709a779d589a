"""Sidecars that are there and are not read are told, whatever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from rootproof.adapters.sources.skillfiles import read_skills

SKILL = "---\nname: spool\ndescription: Use it when the spool is full.\n---\nLook.\n"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "skills" / "spool"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    return folder


@pytest.mark.parametrize("target", ["nothing-here", "playbook.toml", "/dev/zero", "/"])
def test_a_link_to_no_file_is_told(skill: Path, target: str) -> None:
    (skill / "playbook.toml").symlink_to(target)
    found = read_skills(skill.parent)
    assert found.sidecars == ()
    assert "spool/playbook.toml: not a regular file" in found.problems[0]


@pytest.mark.parametrize("content", ["schema = 1\n# caf\xe9\n".encode("latin-1"), "schema = 1\n".encode("utf-16")])
def test_one_that_is_not_utf_8_is_told_and_not_half_read(skill: Path, content: bytes) -> None:
    (skill / "playbook.toml").write_bytes(content)
    found = read_skills(skill.parent)
    assert found.sidecars == ()
    assert "not UTF-8 at byte" in found.problems[0]


def test_one_with_a_byte_order_mark_is_read(skill: Path) -> None:
    (skill / "playbook.toml").write_bytes(b"\xef\xbb\xbfschema = 1\n")
    assert [text for _, text in read_skills(skill.parent).sidecars] == ["schema = 1\n"]


def test_one_without_a_skill_is_told(skill: Path) -> None:
    (skill.parent / "ledger").mkdir()
    (skill.parent / "ledger" / "playbook.toml").write_text("schema = 1\n")
    assert "ledger/playbook.toml: there is no SKILL.md beside it" in read_skills(skill.parent).problems[0]
