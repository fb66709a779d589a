"""The invariants of `benchmarks/fuzz`, checked here for a moment and on every input that once broke one of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import HERE, Hang, Mutator, bounded, crash_of, growth_of, minimised
from benchmarks.fuzz_targets import BY_NAME, TARGETS, Broken, Target

SEEDS = sorted(path for path in HERE.rglob("*") if path.is_file())
KNOWN: set[tuple[str, str]] = set()
"""Reported, not mended yet."""
LINES = st.lists(
    st.one_of(st.sampled_from([path.read_bytes() for path in SEEDS if path.parent == HERE]), st.binary(max_size=60)),
    max_size=4,
)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_input_of_the_corpus_keeps_the_invariants(target: Target) -> None:
    for path in SEEDS:
        if (target.name, path.name) not in KNOWN:
            assert crash_of(target, path.read_bytes()[: target.longest]) is None, path.name


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_inputs_made_of_them_keep_the_invariants(target: Target) -> None:
    @settings(max_examples=12, deadline=None, derandomize=True)  # what is random is the benchmark's
    @given(LINES)
    def holds(parts: list[bytes]) -> None:
        target.run(b"\n".join(parts)[: target.longest])

    holds()


def test_the_same_seed_makes_the_same_inputs_within_the_limit() -> None:
    seeds = [path.read_bytes() for path in SEEDS]
    made = [Mutator(random.Random(7), seeds) for _ in range(2)]
    inputs = [[mutator.next(300) for _ in range(200)] for mutator in made]
    assert inputs[0] == inputs[1]
    assert max(map(len, inputs[0])) <= 300
    assert len(set(inputs[0])) > 150


def test_a_crash_is_told_by_its_place_and_made_small() -> None:
    def breaks(data: bytes) -> int:
        if b"\xff" in data:
            raise Broken("an invariant of the test")
        return len(data)

    target = Target("test", breaks)
    assert crash_of(target, b"harmless") is None
    found = crash_of(target, b"x" * 500 + b"\xff" + b"y" * 500)
    assert found is not None
    assert found[0] == "Broken an invariant of the test"
    assert minimised(target, b"x" * 500 + b"\xff" + b"y" * 500, found[0]) == b"\xff"


def test_a_hang_ends() -> None:
    def spin() -> None:
        while True:
            pass

    with pytest.raises(Hang), bounded(0.05):
        spin()


def test_quadratic_time_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.fuzz.SLOW_S", 0.01)
    quadratic = Target("quadratic", lambda data: sum(1 for _ in data for _ in data))
    linear = Target("linear", lambda data: sum(1 for _ in data for _ in range(900)))
    assert growth_of(quadratic, b"x" * 900) > growth_of(linear, b"x" * 900)


def test_a_planted_secret_that_survives_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks can fail: with a redactor that does nothing, each of them does."""
    for name in ("redact", "without_credentials"):
        monkeypatch.setattr(f"benchmarks.fuzz_targets.{name}", lambda text, *_: text)
    monkeypatch.setattr("benchmarks.fuzz_targets.redact_structure", lambda value, *_: value)
    for name in ("redact", "structure"):
        with pytest.raises(Broken, match="planted secret"):
            BY_NAME[name].run(Path(SEEDS[0]).read_bytes())
