"""The knowledge projection, line by line of the seed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from tests.aci.projecting import SECRET_60, Projecting, leaked


def block(source: str = "pools.md", content: str = "Look at idle connections.", **more: Any) -> dict[str, Any]:
    return {"source": source, "title": "Pools", "breadcrumb": "Pools > Full", "content": content, "score": 0.913} | more


def test_a_document_shows_five_fields_and_nothing_of_how_it_was_found() -> None:
    hidden = {"hitReasons": ["lexical"], "domain": "database", "rank": 1, "documentId": "d-77", "message": "m"}
    view = Projecting().knowledge(
        [block(**hidden)],
        contextPack={"text": "packed words"},
        retrievalTrace={"legs": [{"name": "lexical"}]},
        rerankTrace={"features": [0.913]},
        message="found one",
    )
    item = view["evidence"][0]
    assert item == {
        "evidence_id": "E1",
        "document_id": "pools.md",
        "source": "pools.md",
        "title": "Pools",
        "breadcrumb": "Pools > Full",
        "excerpt": "Look at idle connections.",
    }
    text = json.dumps(view)
    for word in ("0.913", "score", "lexical", "packed", "d-77", "found one", "hitReasons", "database"):
        assert word not in text


def test_it_is_guidance() -> None:
    projecting = Projecting()
    projecting.knowledge([block()])
    assert projecting.last is not None
    assert projecting.last.evidence[0].cls == "GUIDANCE"
    assert projecting.last.evidence[0].text == "Pools > Full: Look at idle connections."


def test_a_document_is_shown_once_with_its_first_excerpt() -> None:
    view = Projecting().knowledge([block(content="first"), block(content="second"), block("disk.md", "third")])
    assert [(item["document_id"], item["excerpt"]) for item in view["evidence"]] == [
        ("pools.md", "first"),
        ("disk.md", "third"),
    ]
    assert view["omitted"] == {"same_document": 1}


@pytest.mark.parametrize("blank", ["", "  \n\t", None, {}, []], ids=repr)
def test_a_block_without_usable_words_is_skipped(blank: object) -> None:
    view = Projecting().knowledge([block(content=blank), block("disk.md")])  # type: ignore[arg-type]
    assert [item["document_id"] for item in view["evidence"]] == ["disk.md"]
    assert view["omitted"] == {"blank": 1}


def test_the_excerpt_field_stands_in_for_a_blank_content() -> None:
    view = Projecting().knowledge([block(content="  ", excerpt="From the excerpt.")])
    assert view["evidence"][0]["excerpt"] == "From the excerpt."


def test_nothing_usable_is_no_evidence() -> None:
    view = Projecting().knowledge([block(content=" ")])
    assert view["status"] == "NO_EVIDENCE"
    assert view["scanned"] == 9
    assert Projecting().knowledge([])["status"] == "NO_EVIDENCE"


def test_the_id_of_a_document_falls_back_to_title_and_then_to_its_place() -> None:
    blocks = [
        block(source="", title="Pools"),
        {"content": "no name at all"},
        {"content": "nor this", "source": None},
    ]
    view = Projecting().knowledge(blocks)
    assert [item["document_id"] for item in view["evidence"]] == ["Pools", "document-2", "document-3"]


def test_top_k_and_the_limit_bound_the_documents() -> None:
    blocks = [block(f"doc-{n}.md") for n in range(20)]
    assert len(Projecting().knowledge(blocks, top_k=3)["evidence"]) == 3
    view = Projecting(ToolProjectionLimits(max_items=4)).knowledge(blocks, top_k=8)
    assert len(view["evidence"]) == 4
    assert view["omitted"] == {"evidence": 16}


def test_a_long_excerpt_is_cut_and_says_by_how_much() -> None:
    text = "\n".join(f"Step {n} of the long procedure." for n in range(200))
    shown = Projecting().knowledge([block(content=text)])["evidence"][0]["excerpt"]
    assert len(shown) <= 900
    kept, _, note = shown.rpartition(" [… ")
    assert text.startswith(kept)
    assert int(note.split()[0]) == len(text) - len(kept)


@pytest.mark.parametrize(
    "raw",
    ["", "[]", "{}", '{"evidenceBlocks": "x"}', '{"evidenceBlocks": [1]}', '{"evidenceBlocks": [], "score": NaN}'],
    ids=repr,
)
def test_what_has_not_the_contracts_shape_is_refused(raw: str) -> None:
    with pytest.raises(ProjectionError):
        Projecting().knowledge(raw)


def test_an_index_that_failed_is_quoted() -> None:
    with pytest.raises(ProjectionError, match="index is locked"):
        Projecting().knowledge('{"success": false, "message": "index is locked", "evidenceBlocks": []}')


def test_retrieval_details_are_redacted_and_no_part_of_the_view() -> None:
    projecting = Projecting()
    transform = {"original": "why does 10.9.8.7 refuse", "terms": ["refuse"]}
    view = projecting.knowledge([block()], queryTransform=transform, retrievalTrace={"legs": []}, rerankTrace={})
    assert projecting.last is not None
    details = projecting.last.details
    assert details is not None
    assert "queryTransform" in details
    assert "10.9.8.7" not in json.dumps(details)
    assert "queryTransform" not in json.dumps(view)


def test_no_cut_of_an_excerpt_leaves_a_piece_of_a_secret() -> None:
    limits = ToolProjectionLimits(max_excerpt_chars=150, max_bytes=4_000)
    for filler in range(20, 160, 1):
        text = "w" * (filler % 5) + " word" * (filler // 5) + f" api_key: {SECRET_60} and more words" * 2
        view = Projecting(limits).knowledge([block(content=text, title=text, breadcrumb=text)])
        assert leaked(SECRET_60, json.dumps(view)) == [], filler


@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(block, st.text(max_size=300), st.text(max_size=1_500)), max_size=10), st.integers(600, 5_000))
def test_the_byte_budget_holds_and_every_block_is_accounted_for(blocks: list[dict[str, Any]], budget: int) -> None:
    try:
        view = Projecting(ToolProjectionLimits(max_bytes=budget)).knowledge(blocks)
    except ProjectionError:
        return
    assert view["shown"] + sum(view["omitted"].values()) == len(blocks)
