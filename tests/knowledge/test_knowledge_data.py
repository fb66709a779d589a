"""The recall that was measured, held as a floor, on the public pairs where they are at hand."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from benchmarks.retrieval import plain_query
from rootproof.adapters.index.folder import FolderKnowledge, open_knowledge

DATA = Path(os.environ.get("ROOTPROOF_DATA") or Path(__file__).parents[2] / "../shared/data")
pytestmark = pytest.mark.skipif(
    not (DATA / "alert_runbook_pairs.jsonl").is_file(), reason="no alert/runbook pairs: ROOTPROOF_DATA is not set"
)


@pytest.fixture(scope="module")
def knowledge() -> FolderKnowledge:
    return open_knowledge([DATA / "runbooks"])


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def found(knowledge: FolderKnowledge, query: str) -> list[str]:
    return [block["documentId"] for block in json.loads(knowledge.search_now(query, top_k=5))["evidenceBlocks"]]


@pytest.mark.parametrize(("named", "floor"), [(False, 0.78), (True, 0.90)])
def test_the_first_document_is_the_runbook(knowledge: FolderKnowledge, named: bool, floor: float) -> None:
    by_source: dict[str, list[bool]] = defaultdict(list)
    for row in rows("alert_runbook_pairs.jsonl"):
        first = found(knowledge, plain_query(row, named))[:1]
        by_source[row["source"]].append(bool(first) and first[0] in row["acceptable_doc_paths"])

    assert fmean(fmean(hits) for hits in by_source.values()) >= floor


def test_alerts_without_a_runbook_get_none(knowledge: FolderKnowledge) -> None:
    refused = [not found(knowledge, plain_query(row, True)) for row in rows("alerts_without_runbook.jsonl")]

    assert fmean(refused) >= 0.8
