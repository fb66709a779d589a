"""The catalog: metadata for the planner, bodies for the executor, faults told, the user's skill wins."""

from __future__ import annotations

import pytest

from rootproof.domain.skill import SkillInfo
from rootproof.errors import UsageError
from rootproof.skills.catalog import Catalog, has_errors


def skill(name: str, description: str = "Looks.", extra: str = "", body: str = "Look at it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}\n"


def test_infos_are_name_and_description_by_name() -> None:
    catalog = Catalog([("b/SKILL.md", skill("b", "Second.")), ("a/SKILL.md", skill("a", "First."))])

    assert catalog.infos() == (SkillInfo("a", "First."), SkillInfo("b", "Second."))
    assert len(catalog) == 2
    assert "a" in catalog
    assert "c" not in catalog


def test_reading_gives_the_body_without_front_matter() -> None:
    catalog = Catalog(
        [("x/a/SKILL.md", skill("a", extra='license: MIT\nmetadata:\n  v: "1"\nallowed-tools: query_logs\n'))]
    )
    found = catalog.read("a")

    assert found.body == "Look at it."
    assert found.path == "x/a/SKILL.md"
    assert (found.license, found.metadata, found.allowed_tools) == ("MIT", {"v": "1"}, "query_logs")


def test_a_folded_description_is_one_line() -> None:
    catalog = Catalog([("a/SKILL.md", "---\nname: a\ndescription: >-\n  one\n  two\n---\nx\n")])

    assert catalog.infos()[0].description == "one two"


def test_an_unknown_name_gets_the_nearest_ones() -> None:
    catalog = Catalog([("diagnose-pump/SKILL.md", skill("diagnose-pump"))])

    with pytest.raises(UsageError, match="did you mean diagnose-pump"):
        catalog.read("diagnose-pumps")
    with pytest.raises(UsageError, match="there are: diagnose-pump"):
        catalog.read("x")


def test_the_later_skill_of_a_name_wins_with_a_notice() -> None:
    catalog = Catalog([("builtin/a/SKILL.md", skill("a", "Ours.")), ("mine/a/SKILL.md", skill("a", "Mine."))])

    assert catalog.read("a").description == "Mine."
    assert catalog.notices == ("skill 'a': mine/a/SKILL.md is used instead of builtin/a/SKILL.md",)


def test_a_cosmetic_fault_is_told_and_the_skill_loaded() -> None:
    catalog = Catalog([("other/SKILL.md", skill("a", extra="colour: red\n"))])

    assert "a" in catalog
    assert {item.problem.line for item in catalog.problems} == {2, 4}
    assert not any(item.skipped for item in catalog.problems)
    assert has_errors(catalog.problems)


@pytest.mark.parametrize(
    "text", ["", "no front matter", "---\nname: a\n---\nx", "---\nname: A B\ndescription: d\n---\nx"]
)
def test_a_skill_that_cannot_be_chosen_is_skipped(text: str) -> None:
    catalog = Catalog([("a/SKILL.md", text), ("b/SKILL.md", skill("b"))])

    assert [info.name for info in catalog.infos()] == ["b"]
    assert catalog.problems[0].skipped
    assert catalog.problems[0].path == "a/SKILL.md"


def test_a_broken_user_skill_does_not_displace_a_builtin_one() -> None:
    catalog = Catalog([("builtin/a/SKILL.md", skill("a")), ("mine/a/SKILL.md", "---\nname: a\n---\n")])

    assert catalog.read("a").path == "builtin/a/SKILL.md"
    assert catalog.notices == ()
