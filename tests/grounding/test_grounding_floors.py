"""The benchmark's floors on a sample, so that a change that lets false claims through fails here."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from benchmarks.verifier import believed, missed, overlap, refused
from benchmarks.verifier_claims import mutate
from benchmarks.verifier_claims.load import load, load_false

MIN_CAUGHT = 0.975
MIN_OF_A_KIND = 0.9
"""On a sample of a kind; the whole set must reach 0.95 (`benchmarks.verifier` fails below)."""
MIN_FALSE_CAUGHT = 0.95
MAX_REFUSED = 0.02


def test_most_mutants_are_caught_and_few_true_claims_refused() -> None:
    cases = load()
    sample = cases[::5]
    made = mutate.mutants(sample, seed=7)
    assert len(made) >= 500
    lost = missed(made)
    assert 1 - len(lost) / len(made) >= MIN_CAUGHT
    total, weak = (Counter(each.kind for each in group) for group in (made, lost))
    assert {
        kind: weak[kind] / count
        for kind, count in total.items()
        if count >= 20 and weak[kind] / count > 1 - MIN_OF_A_KIND
    } == {}
    assert len(refused(cases)) / len(cases) <= MAX_REFUSED


def test_false_claims_written_by_hand_are_not_believed() -> None:
    false = load_false()
    assert len(false) >= 300
    assert 1 - len(believed(false)) / len(false) >= MIN_FALSE_CAUGHT


def test_the_mutator_knows_nothing_of_the_grounding_code() -> None:
    imported = {
        name
        for node in ast.walk(ast.parse(Path(mutate.__file__).read_text()))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert not any("grounding" in name for name in imported)


def test_the_baseline_scores_between_nothing_and_all() -> None:
    case = load()[0]
    assert 0 <= overlap(case, case.claim) <= 1
