"""The recommended knowledge query: the alert's own words, compact, the same every time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.agent.retrieval_query import MAX_QUERY_CHARS, recommended_query
from rootproof.domain.alert import Alert, Severity

ALERT = Alert(
    name="LedgerPoolExhausted",
    severity=Severity.CRITICAL,
    raw_severity="P1",
    service="ledger-api",
    summary="Connections of ledger-api are not available",
    description="The pool of {{ $labels.instance }} is at 98.5% and requests are timing out, see https://wiki.example/ledger",
)


def test_name_service_severity_and_symptoms_in_this_order() -> None:
    assert recommended_query(ALERT) == (
        "LedgerPoolExhausted ledger-api critical Connections not available pool requests timing out"
    )


def test_blank_fields_are_skipped() -> None:
    bare = Alert(name="LedgerDown", service="  ", summary="", description=None)

    assert recommended_query(bare) == "LedgerDown"
    assert recommended_query(Alert(name="")) == ""


def test_the_vendors_word_stands_in_for_an_unknown_severity() -> None:
    assert recommended_query(replace(ALERT, severity=None)).startswith("LedgerPoolExhausted ledger-api P1 ")


def test_a_word_occurs_once_whatever_its_case() -> None:
    words = recommended_query(replace(ALERT, summary="pool POOL Pool ledgerpoolexhausted")).split()

    assert len([word for word in words if word.casefold() == "pool"]) == 1
    assert len([word for word in words if word.casefold() == "ledgerpoolexhausted"]) == 1


def test_words_that_carry_the_symptom_stay() -> None:
    assert recommended_query(Alert(name="N", summary="node is not ready and is out of memory")) == (
        "N node not ready out memory"
    )


def test_it_is_cut_between_words() -> None:
    found = recommended_query(replace(ALERT, description=" ".join(f"symptom{number}x" for number in range(200))))

    assert len(found) <= MAX_QUERY_CHARS
    assert found.split()[-1].endswith("x")


def test_a_long_service_does_not_displace_the_symptoms() -> None:
    found = recommended_query(replace(ALERT, service="s" * 400))

    assert found.startswith("LedgerPoolExhausted critical Connections")


texts = st.one_of(st.none(), st.text(max_size=400))


@settings(deadline=None)
@given(st.text(max_size=300), texts, texts, texts)
def test_it_is_deterministic_bounded_and_one_line(
    name: str, service: str | None, summary: str | None, description: str | None
) -> None:
    alert = Alert(name=name, service=service, summary=summary, description=description)
    found = recommended_query(alert)

    assert found == recommended_query(alert)
    assert len(found) <= MAX_QUERY_CHARS
    assert found == " ".join(found.split())
