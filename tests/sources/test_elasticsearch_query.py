"""The query of the Elasticsearch source: no value is a part of its structure, and it never finds too little."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.adapters.sources.elasticsearch_hits import entry_of
from rootproof.adapters.sources.elasticsearch_query import Fields, FieldTypes, query_of, search_body
from rootproof.adapters.sources.records import matcher
from rootproof.domain.window import TimeWindow, iso
from rootproof.ports.sources import LogQuery
from tests.fakes.elasticsearch_matching import Index
from tests.fakes.elasticsearch_server import ECS
from tests.sources.conftest import NOW

FIELDS = Fields.named("@timestamp", "message", "log.level", "service.name", "host.name")
LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
ANY_TEXT = st.text(st.characters(codec=None), min_size=1, max_size=40)
BREAKING = st.sampled_from(
    [
        '"}}}',
        "* OR *",
        "*",
        "?",
        "\\",
        '\\"',
        "a*b?c\\",
        '{"match_all": {}}',
        "${x}",
        "'; --",
        "\u202e",
        "(a|b)",
        "[* TO *]",
    ]
)
WORDS = st.lists(
    st.sampled_from(
        ["Read", "Timeout", "timeout", "pool-7", "a_b", "10.0.0.1", "文件", "x*y", "?", "\\", "é", "(", " ", "/"]
    ),
    min_size=1,
    max_size=6,
).map("".join)


def types_of(types: dict[str, str]) -> FieldTypes:
    return FieldTypes({name: frozenset({kind}) for name, kind in types.items()}, 1)


def asked(**changes) -> LogQuery:
    return LogQuery(
        **({"topic": "application-logs", "region": "x", "window": TimeWindow.lookback(NOW, 60), "limit": 9} | changes)
    )


def skeleton(value):
    """The structure: every key, and of texts only that they are some."""
    if isinstance(value, dict):
        return {key: skeleton(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [skeleton(inner) for inner in value]
    return type(value).__name__


def clauses(value, found):
    """The names of all clauses and keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            found.append(key)
            clauses(inner, found)
    elif isinstance(value, list):
        for inner in value:
            clauses(inner, found)
    return found


@given(st.lists(ANY_TEXT | BREAKING, min_size=1, max_size=3), ANY_TEXT | BREAKING)
def test_values_never_change_the_structure(services, part):
    whole = types_of(ECS | {"message": "keyword"})
    plain = query_of(asked(services=tuple("a" for _ in services), contains="a", level="WARN"), FIELDS, whole)
    hostile = query_of(asked(services=tuple(services), contains=part, level="WARN"), FIELDS, whole)
    assert skeleton(hostile) == skeleton(plain)
    assert json.loads(json.dumps(hostile, ensure_ascii=False).encode()) == hostile


@given(ANY_TEXT | BREAKING, st.sampled_from(["text", "match_only_text", "keyword", "wildcard"]))
def test_no_value_becomes_a_key_or_a_clause(part, kind):
    allowed = {
        "bool", "filter", "must_not", "should", "minimum_should_match", "range", "@timestamp", "gte", "lt", "format",
        "wildcard", "match_phrase", "match_all", "message", "value", "case_insensitive", "query",
    }  # fmt: skip
    query = query_of(asked(contains=part), FIELDS, types_of({"@timestamp": "date", "message": kind}))
    assert set(clauses(query, [])) <= allowed


@given(
    st.text("ab*?\\ \n", min_size=1, max_size=8),
    st.lists(st.text("ab*?\\ \n", max_size=12), min_size=1, max_size=5),
)
def test_wildcards_in_a_value_stand_for_themselves(part, texts):
    types = ECS | {"message": "wildcard"}
    documents = [{"@timestamp": iso(NOW - timedelta(seconds=1)), "message": text} for text in texts]
    index = Index("logs", types, documents)
    query = query_of(asked(contains=part), FIELDS, types_of(types))
    found = [document["message"] for document in documents if index.matches(document, query)]
    assert found == [text for text in texts if part in text]


@given(
    st.lists(
        st.tuples(
            WORDS,
            st.sampled_from([None, "info", "Warning", "ERROR", "crit", "odd"]),
            st.sampled_from(["Cart", "cart", "cart-db", "pay", None]),
            st.sampled_from([None, "cart-7f9c4b6d8-x2k4q", "pay-0", "node-1"]),
        ),
        max_size=6,
    ),
    st.none() | WORDS,
    st.none() | st.sampled_from(LEVELS),
    st.sampled_from([(), ("cart",), ("PAY", "x"), ("cart-7f9c4b6d8-x2k4q",)]),
    st.sampled_from(["text", "match_only_text", "keyword", "wildcard"]),
    st.sampled_from(["text", "keyword"]),
)
def test_what_we_would_keep_is_found_whatever_the_mapping(rows, part, level, services, kind, name_kind):
    """The server's filter may be wider than ours and never narrower."""
    types = ECS | {"message": kind, "service.name": name_kind, "log.level": name_kind}
    documents = []
    for message, word, service, pod in rows:
        found = {"@timestamp": iso(NOW - timedelta(seconds=1)), "message": message, "log": {"level": word}}
        documents.append(found | {"service": {"name": service}, "kubernetes": {"pod": {"name": pod}}})
    query = asked(contains=part, level=level, services=services)
    index, sent = Index("logs", types, documents), query_of(query, FIELDS, types_of(types))
    keeps = matcher(query)
    for document in documents:
        if keeps(entry_of({"_source": document}, FIELDS)):
            assert index.matches(document, sent)


def test_the_whole_request():
    body = search_body(query_of(asked(services=("cart",)), FIELDS, types_of(ECS)), "@timestamp", size=5, timeout_ms=900)
    assert body == {
        "size": 5,
        "query": {
            "bool": {
                "filter": [
                    {
                        "range": {
                            "@timestamp": {
                                "gte": "2026-05-01T11:00:00Z",
                                "lt": "2026-05-01T12:00:00Z",
                                "format": "strict_date_optional_time",
                            }
                        }
                    },
                    {
                        "bool": {
                            "should": [
                                {kind: {field: {"value": value, "case_insensitive": True}}}
                                for field in ("service.name", "kubernetes.pod.name", "host.name")
                                for kind, value in (("term", "cart"), ("prefix", "cart-"))
                            ],
                            "minimum_should_match": 1,
                        }
                    },
                ],
                "must_not": [],
            }
        },
        "sort": [{"@timestamp": {"order": "desc", "unmapped_type": "date", "numeric_type": "date"}}],
        "track_total_hits": True,
        "timeout": "900ms",
        "_source": {"excludes": body["_source"]["excludes"]},
    }


@pytest.mark.parametrize(
    ("kinds", "filters"),
    [({"keyword"}, 2), ({"keyword", "text"}, 2), ({"keyword", "long"}, 1), ({"text", "ip"}, 1)],
)
def test_a_mapping_in_conflict_is_asked_only_where_no_shard_fails_by_it(kinds, filters):
    types = FieldTypes({"@timestamp": frozenset({"date"}), "service.name": frozenset(kinds)}, 2)
    assert len(query_of(asked(services=("cart",)), FIELDS, types)["bool"]["filter"]) == filters


# Hits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2026-05-01T12:00:00Z", 0),
        ("2026-05-01T12:00:00.5+00:00", 0.5),
        ("2026-05-01T14:00:00.123456789+02:00", 0.123456),
        ("2026-05-01T12:00:00", 0),
        (1_777_636_800_000, 0),
        (1_777_636_800, 0),
        ("1777636800500", 0.5),
        (["2026-05-01T12:00:00Z"], 0),
    ],
)
def test_times_of_every_form(value, seconds):
    entry = entry_of({"_source": {"@timestamp": value, "message": "m"}}, FIELDS)
    assert entry.timestamp == NOW + timedelta(seconds=seconds)


KEYS = st.sampled_from(["@timestamp", "message", "log", "level", "service", "name", "kubernetes", "pod", "x.y"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)


def nested(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)


@given(st.recursive(SCALARS, nested, max_leaves=12))
def test_no_document_raises(source):
    entry = entry_of({"_source": source}, FIELDS)
    assert isinstance(entry.message, str)
    assert json.dumps(entry.as_json())


def test_deep_and_wide_documents_are_bounded():
    deep = source = {}
    for _ in range(2_000):
        source["a"] = {}
        source = source["a"]
    assert entry_of({"_source": {"message": "m", "deep": deep}}, FIELDS).message == "m"
    wide = {f"k{n}": n for n in range(100_000)}
    assert entry_of({"_source": {"message": "x" * 200_000, **wide}}, FIELDS).message.endswith("characters cut]")
