"""Does an alert find its runbook, and does the search abstain where there is none?

    .venv/bin/python benchmarks/retrieval.py [--ablate] [--curve]

Reads alert/runbook pairs and their documents below ROOTPROOF_DATA (default ../shared/data from the project's root) and
prints R@1, R@3, R@5 and MRR as a macro average over the pairs' `source`, with the alert's name and from its text alone
(the name removed from query and text), beside plain BM25 over heading chunks in the same run; then the share of alerts
without a runbook that get none. "recommended" queries are what the product sends; "plain" ones are name, summary and
description as they stand.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rootproof.adapters.index.folder import FolderKnowledge, open_knowledge
from rootproof.agent.retrieval_query import recommended_query
from rootproof.domain.alert import Alert, Severity
from rootproof.knowledge import rerank
from rootproof.knowledge.chunk import chunk_document
from rootproof.knowledge.load import load_markdown

Row = Mapping[str, Any]
Ranking = Callable[[str], list[str]]
_WORD = re.compile(r"[a-z0-9_]+")
_TOP = 8


def main() -> int:
    """Print the tables; exit 1 when a target is missed."""
    options = _options()
    data: Path = options.data
    if not (data / "alert_runbook_pairs.jsonl").is_file():
        print(f"no pairs in {data}: set ROOTPROOF_DATA", file=sys.stderr)
        return 2
    pairs = _rows(data / "alert_runbook_pairs.jsonl")
    without = _rows(data / "alerts_without_runbook.jsonl")
    started = time.perf_counter()
    knowledge = open_knowledge([data / "runbooks"])
    print(f"{knowledge.documents} documents read and indexed in {time.perf_counter() - started:.2f} s\n")
    ours, bm25 = _ours(knowledge), _plain_bm25(data / "runbooks")
    print(f"{'query':24}{'search':26}{'R@1':>7}{'R@3':>7}{'R@5':>7}{'MRR':>7}{'abstained':>11}")
    reached = {}
    for form, query in (("plain", plain_query), ("recommended", product_query)):
        for named in (False, True):
            label = f"{form}, {'with name' if named else 'text only'}"
            queries = [query(row, named) for row in pairs]
            reached[form, named] = _line(label, "rootproof", pairs, queries, ours)
            if form == "plain":
                _line("", "BM25 over heading chunks", pairs, queries, bm25)
    _abstention(knowledge, pairs, without)
    _latency(knowledge, [plain_query(row, True) for row in pairs])
    if options.ablate:
        _ablate(knowledge, pairs)
    if options.curve:
        _curve(knowledge, pairs, without)
    return 0 if reached["plain", False] >= 0.74 and reached["plain", True] >= 0.85 else 1


def plain_query(row: Row, named: bool) -> str:
    """Name, summary and description as they stand, or without the name."""
    text = f"{row['summary'] or ''} {row['description'] or ''}"
    return f"{row['alertname']} {text}" if named else _without_name(row, text)


def product_query(row: Row, named: bool) -> str:
    """What the product recommends to look up for this alert."""
    known = {item.value: item for item in Severity}
    text = (lambda value: value or "") if named else (lambda value: _without_name(row, value or ""))
    return recommended_query(
        Alert(
            name=row["alertname"] if named else "",
            severity=known.get(row.get("severity") or ""),
            raw_severity=row.get("severity"),
            service=(row.get("labels") or {}).get("service"),
            summary=text(row["summary"]),
            description=text(row["description"]),
        )
    )


def _without_name(row: Row, text: str) -> str:
    return re.sub(re.escape(row["alertname"]), " ", text, flags=re.IGNORECASE)


def _ours(knowledge: FolderKnowledge) -> Ranking:
    def ranking(query: str) -> list[str]:
        answer = json.loads(knowledge.search_now(query, top_k=_TOP))
        return [block["documentId"] for block in answer["evidenceBlocks"]]

    return ranking


def _plain_bm25(root: Path) -> Ranking:
    """The peer: lower-case words, title and heading before each chunk, k1 1.2, b 0.75, a document by its best chunk."""
    owners: list[str] = []
    bags: list[Counter[str]] = []
    for path in sorted(root.rglob("*.md")):
        document = load_markdown(path.relative_to(root).as_posix(), path.read_text("utf-8", "replace"))
        for chunk in chunk_document(document):
            text = f"{document.title} {' '.join(chunk.breadcrumb)} {chunk.text}"
            owners.append(document.id)
            bags.append(Counter(_WORD.findall(text.lower())))
    frequency = Counter(word for bag in bags for word in bag)
    lengths = [sum(bag.values()) for bag in bags]
    mean = statistics.fmean(lengths)

    def ranking(query: str) -> list[str]:
        best: dict[str, float] = {}
        words = _WORD.findall(re.sub(r"\{\{.*?\}\}", " ", query).lower())
        for owner, bag, length in zip(owners, bags, lengths, strict=True):
            score = 0.0
            for word in words:
                if count := bag.get(word, 0):
                    idf = math.log(1 + (len(bags) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                    score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
            best[owner] = max(best.get(owner, 0.0), score)
        return [owner for owner, score in sorted(best.items(), key=lambda item: -item[1])[:_TOP] if score > 0]

    return ranking


def _line(label: str, search: str, pairs: Sequence[Row], queries: Sequence[str], ranking: Ranking) -> float:
    by_source: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    empty = 0
    for row, query in zip(pairs, queries, strict=True):
        found = ranking(query)
        empty += not found
        wanted = set(row["acceptable_doc_paths"])
        rank = next((place for place, item in enumerate(found, 1) if item in wanted), math.inf)
        by_source[row["source"]].append((rank == 1, rank <= 3, rank <= 5, 1 / rank))
    figures = [
        statistics.fmean(statistics.fmean(values[column] for values in group) for group in by_source.values())
        for column in range(4)
    ]
    print(f"{label:24}{search:26}" + "".join(f"{value:7.3f}" for value in figures) + f"{empty / len(pairs):11.3f}")
    return figures[0]


def _abstention(knowledge: FolderKnowledge, pairs: Sequence[Row], without: Sequence[Row]) -> None:
    print("\nrefused: alerts without a runbook that get none; lost: pairs whose right first document is withheld")
    for form, query in (("plain", plain_query), ("recommended", product_query)):
        for named in (False, True):
            refused = sum(_top(knowledge, query(row, named))[0] < rerank.DECISION_SCORE for row in without)
            lost = sum(
                score < rerank.DECISION_SCORE and document in row["acceptable_doc_paths"]
                for row in pairs
                for score, document in [_top(knowledge, query(row, named))]
            )
            label = f"{form}, {'with name' if named else 'text only'}"
            print(f"{label:24}refused {refused / len(without):.3f}   lost {lost / len(pairs):.3f}")


def _top(knowledge: FolderKnowledge, query: str) -> tuple[float, str]:
    candidates = json.loads(knowledge.search_now(query, top_k=1))["rerankTrace"]["candidates"]
    return (candidates[0]["score"], candidates[0]["documentId"]) if candidates else (0.0, "")


def _curve(knowledge: FolderKnowledge, pairs: Sequence[Row], without: Sequence[Row]) -> None:
    print("\nthreshold   refused without a runbook   right documents lost   wrong ones shown (text only, plain)")
    negative = [_top(knowledge, plain_query(row, False))[0] for row in without]
    positive = [(*_top(knowledge, plain_query(row, False)), set(row["acceptable_doc_paths"])) for row in pairs]
    for threshold in (1.4, 1.6, 1.7, 1.8, 1.9, 2.0, 2.2, 2.5):
        refused = sum(score < threshold for score in negative) / len(negative)
        lost = sum(score < threshold and item in wanted for score, item, wanted in positive) / len(positive)
        shown = sum(score >= threshold and item not in wanted for score, item, wanted in positive) / len(positive)
        print(f"{threshold:9.1f}{refused:28.3f}{lost:23.3f}{shown:19.3f}")


def _ablate(knowledge: FolderKnowledge, pairs: Sequence[Row]) -> None:
    print("\nwithout one feature of the reranker (plain queries, first five candidates, no abstention)")
    weights: dict[str, float] = rerank.WEIGHTS  # type: ignore[assignment]  # a dict; the annotation only forbids writing
    kept = dict(weights)
    for named in (False, True):
        queries = [plain_query(row, named) for row in pairs]
        for name in ("", *kept):
            weights.update(kept | ({name: 0.0} if name else {}))
            label = "with name" if named else "text only"
            _line(label, f"without {name}" if name else "all", pairs, queries, _candidates(knowledge))
    weights.update(kept)


def _candidates(knowledge: FolderKnowledge) -> Ranking:
    def ranking(query: str) -> list[str]:
        answer = json.loads(knowledge.search_now(query, top_k=1))
        return [candidate["documentId"] for candidate in answer["rerankTrace"]["candidates"]]

    return ranking


def _latency(knowledge: FolderKnowledge, queries: Sequence[str]) -> None:
    times = []
    for query in queries:
        started = time.perf_counter()
        knowledge.search_now(query, top_k=5)
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(f"\nsearch p50 {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _options() -> argparse.Namespace:
    default = os.environ.get("ROOTPROOF_DATA") or Path(__file__).parents[1] / "../shared/data"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--ablate", action="store_true", help="print what each feature of the reranker is worth")
    parser.add_argument("--curve", action="store_true", help="print the abstention curve")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
