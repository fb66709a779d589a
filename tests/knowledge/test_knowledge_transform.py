"""The query's words: template text gone, identifiers split and whole, synonyms added with less weight."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.knowledge.tokens import stem
from rootproof.knowledge.transform import MAX_TERMS, SYNONYM_WEIGHT, transform_query


def origins(query: str) -> dict[str, str]:
    return {term.term: term.origin for term in transform_query(query).terms}


def test_template_text_is_removed_and_told() -> None:
    found = transform_query('Pod {{ $labels.pod }} is at {{ printf "%.2f" $value }} of ${LIMIT} $value')

    assert found.cleaned == "Pod is at of"
    assert found.removed == ("{{ $labels.pod }}", '{{ printf "%.2f" $value }}', "${LIMIT}", "$value")
    assert "label" not in origins("{{ $labels.pod }} x")


def test_identifiers_are_kept_as_written() -> None:
    found = transform_query("LedgerQueueStuck on ledger_queue_depth of ledger-api")

    assert found.identifiers == ("LedgerQueueStuck", "ledger_queue_depth", "ledger-api")
    assert origins("LedgerQueueStuck")["ledgerqueuestuck"] == "identifier"


def test_synonyms_are_added_below_the_querys_own_words() -> None:
    found = transform_query("container out of memory")

    added = {term.term: term for term in found.terms if term.origin == "synonym"}
    assert added["oom"].weight == SYNONYM_WEIGHT
    assert found.terms[0].term == "contain"
    assert any("oom" in group for group in (found.synonyms or {}).values())


@pytest.mark.parametrize(
    ("query", "added"),
    [
        ("certificate expired", "tls"),
        ("tls handshake", "certificate"),
        ("pvc resize", "persistentvolumeclaim"),
        ("persistent volume claim", "pvc"),
        ("disk pressure", "volume"),
        ("time out", "timeout"),
        ("k8s", "kubernetes"),
    ],
)
def test_field_synonyms(query: str, added: str) -> None:
    assert origins(query)[stem(added)] == "synonym"


def test_a_word_of_the_query_is_never_its_own_synonym() -> None:
    found = transform_query("disk volume storage")

    assert [term.term for term in found.terms].count("disk") == 1
    assert origins("disk volume")["disk"] == "word"


def test_links_numbers_and_placeholders_do_not_search() -> None:
    found = origins("https://runbooks.example/x/y 1234 <ip:3> <secret:password:1> disk")

    assert "exampl" not in found
    assert "1234" not in found
    assert not any(term.startswith(("ip", "secret", "password")) for term in found)


def test_a_placeholder_keeps_the_stem_of_a_workload() -> None:
    assert stem("ledger") in origins("pod <pod:ledger-12> restarts")


def test_question_words_of_other_languages_are_passed_over() -> None:
    assert "怎么" not in origins("连接池耗尽怎么办")
    assert "连接" in origins("连接池耗尽怎么办")


@settings(deadline=None)
@given(st.text(max_size=3_000))
def test_any_query_gives_unique_bounded_terms(query: str) -> None:
    found = transform_query(query)

    names = [term.term for term in found.terms]
    assert len(names) == len(set(names))
    assert sum(term.origin != "synonym" for term in found.terms) <= MAX_TERMS
    assert transform_query(query) == found
