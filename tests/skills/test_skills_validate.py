"""The Agent Skills format: what is refused, on which line, and what is merely advised against."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.skills.validate import ProblemSeverity, check

GOOD = (
    "---\nname: check-the-pump\ndescription: Looks at the pump. Use when water is low.\n---\n\n# Pump\n\nLook at it.\n"
)


def front(text: str) -> str:
    return f"---\n{text}\n---\n\n# Body\n\nText.\n"


def test_a_good_skill_has_no_problem() -> None:
    assert check("check-the-pump", GOOD) == []


def test_all_keys_of_the_format_are_allowed() -> None:
    text = front(
        "name: a\ndescription: d\nlicense: Apache-2.0\ncompatibility: needs logs\n"
        'metadata:\n  area: water\n  version: "1"\nallowed-tools: query_logs query_metrics'
    )

    assert check("a", text) == []


@pytest.mark.parametrize(
    ("directory", "text", "said", "line"),
    [
        ("a", "# no front matter\n", "first line must be ---", 1),
        ("a", "", "first line must be ---", 1),
        ("a", "---\nname: a\n", "not closed", 1),
        ("a", front("name: a\ndescription: d\nversion: 3"), "unknown key 'version'", 4),
        ("a", front("name: a\nDescription: d\ndescription: d"), "unknown key 'Description'", 3),
        ("b", front("name: a\ndescription: d"), "differs from its directory", 2),
        ("a", front("description: d"), "name is missing", 1),
        ("a", front("name: a"), "description is missing", 1),
        ("a", front("name: a\ndescription: ' '"), "description is missing", 3),
        ("a", front("name: a\ndescription: 12"), "description is missing", 3),
        ("A", front("name: A\ndescription: d"), "lower-case", 2),
        ("a_b", front("name: a_b\ndescription: d"), "lower-case", 2),
        ("-a", front("name: -a\ndescription: d"), "lower-case", 2),
        ("a--b", front("name: a--b\ndescription: d"), "lower-case", 2),
        ("a" * 65, front("name: " + "a" * 65 + "\ndescription: d"), "65 characters", 2),
        ("a", front("name: a\ndescription: " + "d" * 1025), "1025 characters", 3),
        ("a", front("name: a\ndescription: d\ncompatibility: " + "c" * 501), "1 to 500", 4),
        ("a", front("name: a\ndescription: d\nlicense: [x]"), "license must be text", 4),
        ("a", front("name: a\ndescription: d\nmetadata: x"), "metadata must be a mapping", 4),
        ("a", front("name: a\ndescription: d\nmetadata:\n  v: 1.0"), "put it in quotes", 4),
        ("a", front("name: a\ndescription: d: e"), "not valid YAML", 3),
        ("a", front("- a"), "must be a mapping", 2),
        ("a", front("name: &n a\ndescription: *n"), "alias", 3),
        ("a", front("name: a\ndescription: " + "[" * 40 + "]" * 40), "nested deeper", 3),
        ("a", front("name: a\ndescription: d\nlicense: " + "x" * 20_000), "longer than", 1),
    ],
)
def test_what_is_against_the_format_is_an_error(directory: str, text: str, said: str, line: int) -> None:
    errors = [problem for problem in check(directory, text) if problem.severity is ProblemSeverity.ERROR]

    assert any(said in problem.message and problem.line == line for problem in errors), errors


@pytest.mark.parametrize(
    ("body", "said"), [("\n\n", "the body is empty"), ("line\n" * 500, "500 lines; keep it under 500")]
)
def test_advice_is_a_warning(body: str, said: str) -> None:
    (problem,) = check("a", f"---\nname: a\ndescription: d\n---\n{body}")

    assert problem.severity is ProblemSeverity.WARNING
    assert said in problem.message


def test_a_body_of_499_lines_is_fine() -> None:
    assert check("a", "---\nname: a\ndescription: d\n---\n" + "line\n" * 499) == []


def test_windows_line_ends_are_read() -> None:
    assert check("check-the-pump", "\ufeff" + GOOD.replace("\n", "\r\n")) == []


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_judged(text: str) -> None:
    assert check("a", text)
    check("a", f"---\n{text}\n---\nbody")
