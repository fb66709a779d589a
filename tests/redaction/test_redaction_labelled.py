"""Recall and precision on our own labelled lines, family by family, each with three sets of random values."""

from __future__ import annotations

from collections import Counter

import pytest

from rootproof.redaction import PLACEHOLDER, Numbering, redact
from tests.redaction.labelled_lines import Labelled, labelled

SEEDS = range(3)
FLOORS = {"credentials": 0.99, "identifiers": 0.99}


def lines(name: str) -> list[Labelled]:
    return [line for seed in SEEDS for line in labelled(name, seed=seed)]


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_what_must_go_goes_in_every_family(name: str) -> None:
    values: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for line in lines(name):
        hidden = PLACEHOLDER.sub("<>", redact(line.text, Numbering()))
        values[line.family] += len(line.hidden)
        left[line.family] += sum(value in hidden for value in line.hidden)
    short = {family: f"{left[family]} of {size} left" for family, size in values.items() if left[family]}
    assert sum(left.values()) <= (1 - FLOORS[name]) * sum(values.values()), short
    assert all(left[family] <= max(1, 0.02 * size) for family, size in values.items()), short


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_what_must_stay_stays(name: str) -> None:
    gone = [
        (line.text, kept) for line in lines(name) for kept in line.kept if kept not in redact(line.text, Numbering())
    ]
    assert gone == []


def test_benign_lines_stay_as_they_are() -> None:
    benign = lines("benign")
    changed = {line.text: redact(line.text, Numbering()) for line in benign}
    changed = {text: out for text, out in changed.items() if out != text}
    assert len(changed) <= 0.01 * len(benign), changed


def test_the_set_is_large_enough_to_say_something() -> None:
    sizes = {name: sum(1 for _ in labelled(name)) for name in ("credentials", "identifiers", "benign")}
    assert sizes["credentials"] >= 500
    assert sizes["identifiers"] >= 100
    assert sizes["benign"] >= 500


def test_no_piece_of_eight_characters_of_a_credential_is_left_by_any_cut() -> None:
    """Redact, then cut: whatever a limit leaves of the text, it holds no piece of the credential."""
    for line in labelled("credentials"):
        out = PLACEHOLDER.sub("<>", redact(line.text, Numbering()))
        around = line.text
        for value in line.hidden:
            around = around.replace(value, "")
        leaks = [
            value[at : at + 8]
            for value in line.hidden
            for at in range(len(value) - 7)
            if value[at : at + 8] in out and value[at : at + 8] not in around
        ]
        assert leaks == [], line.text
