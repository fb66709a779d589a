"""The same messages give the same patterns in every process, in any order and on every path."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.pattern_corpora import TUNED, UNTOUCHED, corpus
from rootproof.logs import patterns
from rootproof.logs.masking import COARSE_PATTERN, MARK, ShapeReader, texts
from rootproof.logs.patterns import mine
from rootproof.logs.templates import Mined, pattern_id

KINDS = (*TUNED, *UNTOUCHED)
SCRIPT = """
import json, sys
from rootproof.logs.masking import COARSE_PATTERN, MARK, ShapeReader, texts
from rootproof.logs.patterns import mine
from rootproof.logs.templates import pattern_id
mined = mine(json.load(sys.stdin))
print(json.dumps([pattern_id(mined.templates[index]) for index in mined.assignment]))
"""


def messages_of(kind: str) -> list[str]:
    return corpus(kind, lines=400)[0]


def groups(mined: Mined, messages: list[str]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for message, index in zip(messages, mined.assignment, strict=True):
        found[mined.templates[index]].add(message)
    return dict(found)


def test_the_ids_are_the_same_in_every_process() -> None:
    messages = [message for kind in ("linux", "brokers", "databases") for message in messages_of(kind)]
    answers = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(messages),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
    mined = mine(messages)
    assert answers[0] == [pattern_id(mined.templates[index]) for index in mined.assignment]


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_does_not_matter(kind: str) -> None:
    messages = messages_of(kind)
    shuffled = random.Random(3).sample(messages, len(messages))
    assert groups(mine(messages), messages) == groups(mine(shuffled), shuffled)


@pytest.mark.parametrize("kind", KINDS)
def test_the_vectorised_path_agrees(kind: str) -> None:
    messages = messages_of(kind)
    slow, fast = patterns._mine_in_python(messages), patterns._mine_distinct(messages)
    assert list(slow.assignment) == list(fast.assignment)
    assert slow.templates == fast.templates


PIECES = [" ", " ", " ", '"', "'", "=", ":", "(", ")", "[", "]", ", ", ".", "-", "/", "@", "|", "<", ">", "\\"]
WORDS = ["err=", 'k="a b"', "Blue ", "Star", "SELECT a FROM b ", "= 'x y'", "Mon ", "ab:cd:ef", "true", "GET /"]
FRAGMENTS = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(WORDS), st.none()), max_size=30)
VALUES = [
    "5",
    "x5",
    "5.",
    "-5",
    "err5",
    "Mon5",
    "5ab",
    "<pod:cart-1>",
    "<ip:2>",
    "a-5.b_c",
    "4444444444444444444444444",
]


def shape_of(message: str) -> tuple[str, ...]:
    reader = ShapeReader()
    return texts(reader.shape(reader.erased(message)))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("took 5. Blue Star away", "took 5 Blue Star away"),
        ('x5err="a b" c', 'x5="a b" c'),
        ("rope 'a <pod:b>' c", "rope 'a 5' c"),
        ("rope 5(a, b) c", "rope <pod:x>(a, b) c"),
        ('"GET5 a" b', '"AB5 a" b'),
        ("SELECT a FROM b WHERE c = 5'x y'", "SELECT a FROM b WHERE c = <pod:b>'x y'"),
    ],
)
def test_lines_with_one_coarse_text_have_one_shape(one: str, two: str) -> None:
    assert re.sub(COARSE_PATTERN, MARK, one) == re.sub(COARSE_PATTERN, MARK, two)
    assert shape_of(one) == shape_of(two)


@settings(deadline=None, max_examples=200)
@given(FRAGMENTS, st.randoms(use_true_random=False))
def test_a_shape_depends_on_the_coarse_text_alone(fragments: list[str | None], rng: random.Random) -> None:
    one, two = ("".join(rng.choice(VALUES) if part is None else part for part in fragments) for _ in range(2))
    if re.sub(COARSE_PATTERN, MARK, one) == re.sub(COARSE_PATTERN, MARK, two):
        assert shape_of(one) == shape_of(two)


def test_equal_messages_have_equal_patterns() -> None:
    messages = messages_of("linux")
    mined = mine(messages * 2)
    assert list(mined.assignment[: len(messages)]) == list(mined.assignment[len(messages) :])
    assert sum(mined.counts().values()) == 2 * len(messages)
