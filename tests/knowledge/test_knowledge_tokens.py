"""Terms: identifiers are split and kept whole, words meet by their stem, CJK runs become bigrams."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.knowledge.tokens import is_identifier, parts, stem, terms, tokens


@pytest.mark.parametrize(
    ("identifier", "words", "whole"),
    [
        ("LedgerPoolExhausted", ["ledger", "pool", "exhaust"], "ledgerpoolexhausted"),
        ("ledger_pool_active", ["ledger", "pool", "activ"], "ledger_pool_active"),
        ("ledger.pool.size", ["ledger", "pool", "siz"], "ledger.pool.size"),
        ("ledger-api", ["ledger", "api"], "ledger-api"),
        ("HTTPServerErrors5xx", ["http", "serv", "error", "xx"], "httpservererrors5xx"),
    ],
)
def test_an_identifier_gives_its_parts_and_the_whole(identifier: str, words: list[str], whole: str) -> None:
    found = terms(identifier)

    assert found[-1] == whole
    for word in words:
        assert stem(word) in found or word in found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expires", "expiration"),
        ("failed", "failing"),
        ("replicas", "replication"),
        ("unavailable", "unavailability"),
        ("scheduler", "scheduling"),
        ("latencies", "latency"),
        ("connections", "connection"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("server", "service"), ("node", "note"), ("disk", "dish"), ("pod", "port")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_unsegmented_text_is_searchable_by_a_part() -> None:
    assert set(terms("连接池")) <= set(terms("数据库连接池耗尽"))
    assert terms("池") == ["池"]


def test_cjk_and_latin_in_one_run_are_both_found() -> None:
    assert terms("节点NotReady状态") == ["节点", "ready", "notready", "状态"]


def test_stop_words_and_single_letters_are_left_out() -> None:
    assert terms("what is the cause of a b") == ["caus"]


def test_only_identifiers_are_whole() -> None:
    found = [(token.term, token.whole) for token in tokens("disk of node_7")]

    assert found == [("disk", False), ("nod", False), ("node_7", True)]
    assert is_identifier("node_7")
    assert not is_identifier("node")


def test_camel_humps_with_acronyms() -> None:
    assert parts("KubeAPIServerPVCs2XX") == ["kube", "api", "server", "pvcs", "2", "xx"]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(character.isspace() for character in term)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_terms_do_not_depend_on_what_stands_around(text: str) -> None:
    assert terms(f"zebra {text} zebra")[1:-1] == terms(f" {text} ") or not text.strip()


@pytest.mark.parametrize(
    "text", ["a" * 300_000, "a-" * 150_000, "A" * 300_000, "aA" * 150_000, "数" * 300_000, "._-" * 100_000]
)
def test_long_runs_take_linear_time(text: str) -> None:
    started = time.process_time()
    terms(text)

    assert time.process_time() - started < 5
