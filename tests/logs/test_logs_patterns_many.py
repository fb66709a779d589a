"""More shapes than are compared: counts are exact, and the rest still finds its template."""

from __future__ import annotations

import random

import pytest

from rootproof.logs import templates
from rootproof.logs.templates import OTHER, templates_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices(LETTERS, k=7)) for _ in range(count)]


def test_the_rest_joins_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_SHAPES", 50)
    names = words(random.Random(1), 400)
    mined = templates_of([(f"rope of {name} was torn", 1) for name in names])
    assert mined.templates == ("rope of <*> was torn",)
    assert set(mined.assignment) == {0}


def test_a_state_never_joins_as_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_SHAPES", 50)
    names = words(random.Random(1), 400)
    mined = templates_of([*((f"rope of {name} was torn", 2) for name in names), ("rope of failed was torn", 1)])
    assert mined.assignment[-1] == OTHER


def test_too_many_parts_are_a_cap_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_PARTS", 100)
    rng = random.Random(1)
    examples = [(" ".join(words(rng, 10)), 1 + at % 3) for at in range(200)]
    mined = templates_of(examples)
    assert len(mined.assignment) == len(examples)
    assert sum(index != OTHER for index in mined.assignment) == 10
    assert all(count == 3 for (_, count), index in zip(examples, mined.assignment, strict=True) if index != OTHER)


def test_the_choice_does_not_depend_on_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_SHAPES", 30)
    rng = random.Random(2)
    examples = [(f"rope of {name} was {other}", 1) for name, other in zip(words(rng, 90), words(rng, 90), strict=True)]
    shuffled = rng.sample(examples, len(examples))
    first, second = templates_of(examples), templates_of(shuffled)
    one = {example: first.assignment[at] == OTHER for at, example in enumerate(examples)}
    two = {example: second.assignment[at] == OTHER for at, example in enumerate(shuffled)}
    assert one == two
    assert sorted(first.templates) == sorted(second.templates)
