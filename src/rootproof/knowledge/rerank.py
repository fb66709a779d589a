"""Candidates in their final order, by features a reader would name, each with its contribution kept for the trace.

Deterministic: equal inputs give equal scores and order. `benchmarks/retrieval.py --ablate` prints what each is worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rootproof.knowledge.corpus import CorpusStatistics, DocumentTerms
from rootproof.knowledge.fuse import Candidate
from rootproof.knowledge.tokens import is_cjk, is_grammar, parts, stem
from rootproof.knowledge.transform import TransformedQuery

WEIGHTS: Mapping[str, float] = {
    "document_leg": 0.25,
    "chunk_leg": 0.25,
    "title_coverage": 0.5,
    "title_precision": 1.0,
    "heading_coverage": 0.3,
    "intro_coverage": 0.2,
    "body_coverage": 0.5,
    "name_exact": 1.0,
    "name_overlap": 0.2,
    "phrases": 1.0,
}
DECISION_SCORE = 1.58
"""The score at which a candidate is as likely to be the right document as not."""
_SLOPE = 3.0
ENOUGH_WORDS = 8
"""A document that has the weight of this many of the query's heaviest words covers it: a long question is not held
against it."""
_SYNONYM_CREDIT = 0.6
_STRADDLING = 0.2


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the features that make it up."""

    candidate: Candidate
    score: float
    features: Mapping[str, float] = field(default_factory=dict)
    """Feature -> value before weighting, 0 to 1."""

    @property
    def confidence(self) -> float:
        """The score on a scale from 0 to 1, 0.5 at DECISION_SCORE."""
        return 1.0 / (1.0 + math.exp(-_SLOPE * (self.score - DECISION_SCORE)))

    def contributions(self, weights: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
        """Feature -> what it added to the score; features that added nothing are left out."""
        return {name: weights[name] * value for name, value in self.features.items() if weights.get(name) and value}


@dataclass(frozen=True, slots=True)
class QueryView:
    """The query as features need it: own words with their weight, and what may stand for them."""

    words: tuple[str, ...]
    weight: Mapping[str, float]
    alternatives: Mapping[str, frozenset[str]]
    names: frozenset[str]
    """Whole identifiers, lower case."""
    name_parts: tuple[frozenset[str], ...]
    straddling: frozenset[str]
    """Words that are probably none: unknown pairs of CJK characters."""
    total: float


def query_view(query: TransformedQuery, statistics: CorpusStatistics) -> QueryView:
    """The view of `query` over a corpus: a word weighs its rarity there."""
    words = tuple(term.term for term in query.words)
    weight = {word: statistics.idf(word) * _trust(word, statistics) for word in words}
    alternatives: dict[str, frozenset[str]] = {}
    for phrase, added in (query.synonyms or {}).items():
        for word in phrase.split():
            alternatives[word] = alternatives.get(word, frozenset()) | frozenset(added)
    return QueryView(
        words=words,
        weight=weight,
        alternatives=alternatives,
        names=frozenset(name.lower() for name in query.identifiers),
        name_parts=tuple(frozenset(stem(part) for part in parts(name)) for name in query.identifiers),
        straddling=frozenset(word for word in words if is_cjk(word) and not statistics.known(word)),
        total=sum(sorted(weight.values(), reverse=True)[:ENOUGH_WORDS]) or 1.0,
    )


def _trust(word: str, statistics: CorpusStatistics) -> float:
    """How far a word's rarity may be believed: pairs of characters across two words are rare and mean nothing."""
    if not is_cjk(word):
        return 1.0
    return 1.0 if statistics.known(word) and not is_grammar(word) else _STRADDLING


def rerank(
    query: TransformedQuery,
    candidates: Sequence[Candidate],
    documents: Sequence[DocumentTerms],
    statistics: CorpusStatistics,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Ranked]:
    """The candidates by score, best first; ties go by the fused order they came in."""
    view = query_view(query, statistics)
    ranked = []
    for candidate in candidates:
        values = features(view, candidate, documents[candidate.document], statistics)
        score = sum(weights.get(name, 0.0) * value for name, value in values.items())
        ranked.append(Ranked(candidate, score, values))
    ranked.sort(key=lambda item: -item.score)
    return ranked


def features(
    view: QueryView, candidate: Candidate, document: DocumentTerms, statistics: CorpusStatistics
) -> dict[str, float]:
    """Each feature of one candidate, 0 to 1."""
    title = frozenset(document.title)
    names = frozenset(document.names)
    return {
        "document_leg": candidate.scores.get("documents", 0.0),
        "chunk_leg": candidate.scores.get("chunks", 0.0),
        "title_coverage": _coverage(view, title | names),
        "title_precision": _precision(view, title, statistics),
        "heading_coverage": _coverage(view, frozenset(document.headings)),
        "intro_coverage": _coverage(view, frozenset(document.intro) | title),
        "body_coverage": _coverage(view, frozenset(document.body) | title | names),
        "name_exact": 1.0 if view.names & (names | title) else 0.0,
        "name_overlap": _name_overlap(view, title, statistics),
        "phrases": _phrases(view, document),
    }


def _coverage(view: QueryView, field_terms: frozenset[str]) -> float:
    """Share of the query's weight that the field has; a synonym counts for part of its word."""
    found = 0.0
    for word in view.words:
        if word in field_terms:
            found += view.weight[word]
        elif not field_terms.isdisjoint(view.alternatives.get(word, frozenset())):
            found += _SYNONYM_CREDIT * view.weight[word]
    return min(1.0, found / view.total)


def _precision(view: QueryView, title: frozenset[str], statistics: CorpusStatistics) -> float:
    """Share of the title's weight that the query has: low for a document about something more special, or else."""
    own = frozenset(view.words)
    near = frozenset[str]().union(*view.alternatives.values()) if view.alternatives else frozenset[str]()
    whole = found = 0.0
    for term in title:
        if _is_whole(term, title):
            continue
        weight = statistics.idf(term)
        whole += weight
        found += weight if term in own else _SYNONYM_CREDIT * weight if term in near else 0.0
    return found / whole if whole else 0.0


def _is_whole(term: str, title: frozenset[str]) -> bool:
    """Whether `term` is an identifier kept whole, whose parts are terms of their own."""
    return len(term) > 8 and any(other != term and term.startswith(other) for other in title)


def _name_overlap(view: QueryView, title: frozenset[str], statistics: CorpusStatistics) -> float:
    """How much the title and the query's best identifier share, over what either has (weighted Jaccard)."""
    best = 0.0
    own = frozenset(term for term in title if not _is_whole(term, title))
    for name in view.name_parts:
        both = sum(statistics.idf(term) for term in own & name)
        either = sum(statistics.idf(term) for term in own | name)
        best = max(best, both / either if either else 0.0)
    return best


def _phrases(view: QueryView, document: DocumentTerms) -> float:
    """Share of the query's neighbouring pairs (by weight) that are neighbours in the document too.

    A lone word has no neighbour: whether it is in the title stands for it.
    """
    wanted = list(pairwise([word for word in view.words if word not in view.straddling]))
    if not wanted:
        return _coverage(view, frozenset(document.title))
    have = set(pairwise(document.title)) | set(pairwise(document.body)) | set(pairwise(document.headings))
    weights = [math.sqrt(view.weight[first] * view.weight[second]) for first, second in wanted]
    found = sum(weight for pair, weight in zip(wanted, weights, strict=True) if pair in have)
    return min(1.0, found / (sum(sorted(weights, reverse=True)[:ENOUGH_WORDS]) or 1.0))
