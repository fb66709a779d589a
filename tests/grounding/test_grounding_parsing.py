"""How text is read: numbers, units, ranges, comparisons, times, names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.entities import is_identifier
from rootproof.agent.grounding.quantities import quantities
from rootproof.agent.grounding.quantity import Bound
from rootproof.agent.grounding.text import Kind, Token, clean, plain_words, tokenize
from rootproof.agent.grounding.times import matches, mentions
from rootproof.agent.grounding.units import Dimension


def claimed(text: str):
    found = quantities(tokenize(plain_words(clean(text, 500))), claim=True)
    assert found, text
    return found[0]


def seen(text: str):
    return quantities(tokenize(text), claim=False)[0]


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("1,140 s", 1140, Dimension.TIME),
        ("19 minutes", 1140, Dimension.TIME),
        ("two hours and ten minutes", 7800, Dimension.TIME),
        ("5m0s", 300, Dimension.TIME),
        ("1.2k errors", 1200, Dimension.NONE),
        ("4 million rows", 4_000_000, Dimension.NONE),
        ("64Mi", 64 * 2**20, Dimension.BYTES),
        ("1.5 GiB", 1.5 * 2**30, Dimension.BYTES),
        ("93.5 %", 93.5, Dimension.PERCENT),
        ("sixty-one times", 61, Dimension.NONE),
        ("two hundred requests", 200, Dimension.NONE),
        ("3x", 3, Dimension.RATIO),
        ("a 30-second limit", 30, Dimension.TIME),
        ("٣ errors", 3, Dimension.NONE),
    ],
)
def test_numbers_are_read_in_base_units(text: str, value: float, dimension: Dimension) -> None:
    found = claimed(text)
    assert found.value == pytest.approx(value)
    assert found.dimension is dimension


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("30 seconds", "30000ms"),
        ("19 min", "1140 s"),
        ("1.2k", "1,184"),
        ("64 MB", "64Mi"),
        ("about 600", "598.7"),
        ("nearly 1,200", "1140"),
        ("over 1,000", "1140"),
        ("fewer than 10", "6"),
        ("at least 40", "42"),
        ("0.5 cores", "500m"),
        ("570", "570.2"),
    ],
)
def test_numbers_agree_within_what_is_written(claim: str, evidence: str) -> None:
    assert agrees(claimed(claim), seen(evidence))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("30 seconds", "30ms"),
        ("571", "570.2"),
        ("1.3k", "1,184"),
        ("64 GB", "64Mi"),
        ("about 700", "598.7"),
        ("over 1,200", "1140"),
        ("fewer than 5", "6"),
        ("5000 ms", "5000"),
        ("1140 bytes", "1140 s"),
        ("over 100", "1140"),
    ],
)
def test_numbers_disagree_beyond_it(claim: str, evidence: str) -> None:
    assert not agrees(claimed(claim), seen(evidence))


def test_a_range_and_a_share_are_one_number() -> None:
    assert claimed("between 55 and 62 ms").high is not None
    assert claimed("1,984-2,247 rows").high is not None
    assert claimed("469 of 500 connections").whole is not None
    assert seen("0/3 nodes").whole is not None


def test_a_negated_comparison_turns_round() -> None:
    assert claimed("never above 90%").bound is Bound.AT_MOST
    assert claimed("not below 90%").bound is Bound.AT_LEAST
    assert claimed("over 14 minutes").bound is Bound.EXACT


@pytest.mark.parametrize(
    ("text", "instant", "expected"),
    [
        ("11:22", datetime(2026, 3, 26, 11, 22, 40, tzinfo=UTC), True),
        ("11:22", datetime(2026, 3, 26, 11, 23, 0, tzinfo=UTC), False),
        ("11:22:40", datetime(2026, 3, 26, 11, 22, 41, tzinfo=UTC), False),
        ("2026-03-26T13:22:40+02:00", datetime(2026, 3, 26, 11, 22, 40, tzinfo=UTC), True),
        ("2026-03-27 11:22", datetime(2026, 3, 26, 11, 22, tzinfo=UTC), False),
        ("around 11:20", datetime(2026, 3, 26, 11, 22, tzinfo=UTC), True),
        ("3:15 pm", datetime(2026, 3, 26, 15, 15, tzinfo=UTC), True),
        ("26 March", datetime(2026, 3, 26, 15, 15, tzinfo=UTC), True),
        ("March 27", datetime(2026, 3, 26, 15, 15, tzinfo=UTC), False),
    ],
)
def test_times_match_in_their_own_precision(text: str, instant: datetime, expected: bool) -> None:
    (mention,) = mentions(tokenize(text))
    assert matches(mention, instant) is expected


@pytest.mark.parametrize("text", ["25:99", "2026-13-45T99:00:00Z", "2026-02-31"])
def test_impossible_times_are_never_a_match(text: str) -> None:
    assert not any(matches(each, datetime(2026, 2, 28, tzinfo=UTC)) for each in mentions(tokenize(text)))


@pytest.mark.parametrize(
    "name",
    [
        "tea-db-1",
        "OOMKilled",
        "POOL_SIZE",
        "<pod:tea-1>",
        "db.tea.internal",
        "tea:5432",
        "reg.io/tea/pot:1.2",
        "ECONNREFUSED",
        "p99",
        "10.0.0.7",
    ],
)
def test_identifiers_are_known_by_shape(name: str) -> None:
    (token,) = tokenize(name)
    assert is_identifier(token, frozenset())


@pytest.mark.parametrize(
    "word",
    ["read-only", "out-of-memory", "CPU", "MySQL", "however", "e.g", "on-call", "user-facing", "1st", "half-open"],
)
def test_ordinary_words_are_not(word: str) -> None:
    assert not is_identifier(Token(Kind.WORD, word, 0, len(word)), frozenset())


def test_a_plain_word_is_a_name_where_evidence_is_about_it() -> None:
    assert is_identifier(Token(Kind.WORD, "teapot", 0, 6), frozenset({"teapot"}))


def test_a_hidden_control_makes_another_name() -> None:
    assert clean("pay\u202eroll", 50) != clean("payroll", 50)
    assert "\u202e" not in clean("pay\u202eroll", 50)
