"""The stages joined: transform, search, fuse, rerank, decide, pack; the answer in the seed's raw shape.

Pure: the index is handed in as a `Search`. Every stage leaves its entry in the answer, found or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rootproof.knowledge.corpus import CorpusStatistics, DocumentTerms
from rootproof.knowledge.document import Chunk, Document
from rootproof.knowledge.fuse import Candidate, Hit, fuse
from rootproof.knowledge.pack import PackedBlock, context_pack, pack_block
from rootproof.knowledge.rerank import DECISION_SCORE, Ranked, query_view, rerank
from rootproof.knowledge.transform import QueryTerm, TransformedQuery, transform_query

MAX_TOP_K = 8
CANDIDATES = 50
_LEG_LIMITS: Mapping[str, int] = {"documents": 60, "chunks": 150}
_FLOOR = 0.1
"""Confidence below which a document is not even a runner-up."""
_NEAR_MISSES = 5


class Search(Protocol):
    """The lexical legs over one corpus."""

    def document_hits(self, query: Sequence[QueryTerm], *, limit: int) -> list[Hit]:
        """Documents, best first."""
        ...

    def chunk_hits(self, query: Sequence[QueryTerm], *, limit: int) -> list[Hit]:
        """Chunks, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents with their chunks and terms, by position."""

    documents: tuple[Document, ...]
    chunks: tuple[tuple[Chunk, ...], ...]
    terms: tuple[DocumentTerms, ...]
    statistics: CorpusStatistics


def retrieve(corpus: Corpus, search: Search, query: str, *, top_k: int) -> dict[str, Any]:
    """The raw answer to `query`.

    Shape: at most `min(top_k, 8)` evidence blocks, one a document, best first; none, with `fallbackReason`, when no
    document is more likely right than wrong. `score` is the confidence, 0 to 1.
    """
    transformed = transform_query(query)
    legs = _search(search, transformed)
    candidates = fuse(legs, limit=CANDIDATES)
    ranked = rerank(transformed, candidates, corpus.terms, corpus.statistics)
    fallback = _fallback(corpus, transformed, ranked)
    blocks: list[PackedBlock] = []
    if fallback is None:
        view = query_view(transformed, corpus.statistics)
        kept = [item for item in ranked if item.confidence >= _FLOOR][: max(1, min(top_k, MAX_TOP_K))]
        packed = [
            pack_block(view, item, corpus.documents[item.candidate.document], corpus.chunks[item.candidate.document])
            for item in kept
        ]
        blocks = [block for block in packed if block is not None]
    return {
        "evidenceBlocks": [block.as_raw() for block in blocks],
        "contextPack": context_pack(blocks, considered=len(ranked)),
        "queryTransform": _query_trace(transformed, corpus.statistics),
        "retrievalTrace": _retrieval_trace(corpus, legs, candidates),
        "rerankTrace": _rerank_trace(corpus, ranked),
        "fallbackReason": fallback,
        "documents": len(corpus.documents),
    }


def _search(search: Search, query: TransformedQuery) -> dict[str, list[Hit]]:
    if not query.terms:
        return {"documents": [], "chunks": []}
    return {
        "documents": search.document_hits(query.terms, limit=_LEG_LIMITS["documents"]),
        "chunks": search.chunk_hits(query.terms, limit=_LEG_LIMITS["chunks"]),
    }


def _fallback(corpus: Corpus, query: TransformedQuery, ranked: Sequence[Ranked]) -> str | None:
    if not corpus.documents:
        return "there are no documents to search"
    if not query.terms:
        return "the query holds no word to search for"
    if not ranked:
        return f"none of {len(corpus.documents)} documents holds a word of the query"
    best = ranked[0]
    if best.score < DECISION_SCORE:
        title = corpus.documents[best.candidate.document].title
        return (
            f"no document fits well enough: the nearest of {len(corpus.documents)}, {title!r}, has confidence "
            f"{best.confidence:.2f}, below 0.50"
        )
    return None


def _query_trace(query: TransformedQuery, statistics: CorpusStatistics) -> dict[str, Any]:
    return {
        "original": query.original,
        "cleaned": query.cleaned,
        "terms": [term.term for term in query.terms if term.origin == "word"],
        "identifiers": list(query.identifiers),
        "synonyms": {phrase: list(added) for phrase, added in (query.synonyms or {}).items()},
        "removedTemplates": list(query.removed),
        "unknownTerms": [term.term for term in query.words if not statistics.known(term.term)],
    }


def _retrieval_trace(corpus: Corpus, legs: Mapping[str, Sequence[Hit]], fused: Sequence[Candidate]) -> dict[str, Any]:
    return {
        "legs": [
            {
                "leg": leg,
                "hits": len(hits),
                "top": [
                    {"documentId": corpus.documents[hit.document].id, "score": round(hit.score, 3)}
                    for hit in hits[:_NEAR_MISSES]
                ],
            }
            for leg, hits in legs.items()
        ],
        "fusion": "reciprocal rank",
        "candidates": len(fused),
    }


def _rerank_trace(corpus: Corpus, ranked: Sequence[Ranked]) -> dict[str, Any]:
    return {
        "threshold": DECISION_SCORE,
        "candidates": [
            {
                "documentId": corpus.documents[item.candidate.document].id,
                "title": corpus.documents[item.candidate.document].title,
                "score": round(item.score, 3),
                "confidence": round(item.confidence, 3),
                "contributions": {name: round(value, 3) for name, value in item.contributions().items()},
            }
            for item in ranked[:_NEAR_MISSES]
        ],
    }
