"""`retrieval_details`: always the seed's keys, always small, whatever the raw answer is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.knowledge.details import MAX_BYTES, retrieval_details

KEYS = {"queryTransform", "retrievalTrace", "rerankTrace", "contextPack", "fallbackReason", "evidenceSummaries"}
BLOCK = {
    "source": "a.md",
    "title": "A",
    "breadcrumb": "A > B",
    "content": "first line\nsecond line",
    "score": 0.9,
    "documentId": "a.md",
    "lineStart": 3,
    "lineEnd": 9,
    "hitReasons": ["title coverage 0.50"],
    "version": "abc",
}


def test_the_modular_keys_are_there() -> None:
    details = retrieval_details(
        {
            "evidenceBlocks": [BLOCK],
            "queryTransform": {"original": "q", "terms": ["q"]},
            "retrievalTrace": {"legs": []},
            "rerankTrace": {"threshold": 1.5},
            "contextPack": {"chars": 10},
            "fallbackReason": None,
        }
    )

    assert set(details) == KEYS
    assert details["queryTransform"]["terms"] == ["q"]
    assert details["evidenceSummaries"][0]["summary"] == "first line second line"
    assert details["evidenceSummaries"][0]["lineEnd"] == 9


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"evidenceBlocks": "no list", "queryTransform": ["no mapping"], "fallbackReason": 3},
        {"evidenceBlocks": [None, 4, {"content": 5, "hitReasons": "x"}]},
    ],
)
def test_what_is_missing_or_malformed_is_empty(raw: dict[str, Any]) -> None:
    details = retrieval_details(raw)

    assert set(details) == KEYS
    assert details["queryTransform"] == {}
    assert details["fallbackReason"] is None


def test_long_texts_are_cut_and_the_whole_is_bounded() -> None:
    huge = {f"key{number}": ["x" * 5_000] * 500 for number in range(500)}
    details = retrieval_details(
        {
            "evidenceBlocks": [BLOCK | {"content": "y" * 100_000, "title": "t" * 9_000}] * 500,
            "contextPack": huge,
            "queryTransform": huge,
            "retrievalTrace": huge,
            "rerankTrace": huge,
            "fallbackReason": "z" * 90_000,
        }
    )

    assert len(json.dumps(details, ensure_ascii=False).encode()) <= MAX_BYTES
    assert details["rerankTrace"] == {"omitted": True}
    assert details["fallbackReason"].endswith("…")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=30), inner, max_size=12),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*sorted(KEYS), "evidenceBlocks", "other"]), json_values))
def test_any_raw_answer_gives_bounded_details(raw: dict[str, Any]) -> None:
    details = retrieval_details(raw)

    assert set(details) == KEYS
    assert len(json.dumps(details, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= MAX_BYTES
