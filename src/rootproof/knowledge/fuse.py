"""Candidates of several search legs to one list of documents, by reciprocal rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

RRF_K = 60


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of one leg."""

    document: int
    """Position of the document in the corpus."""
    score: float
    chunk: int | None = None
    """Ordinal of the chunk inside its document, for legs that search chunks."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document some leg found. A document appears once, with its best place in each leg."""

    document: int
    fused: float
    ranks: Mapping[str, int] = field(default_factory=dict)
    """Leg -> rank among that leg's documents, from 1."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Leg -> score of its best hit in the document, as a share of the leg's best score."""
    chunks: tuple[int, ...] = ()
    """Chunks of the document that were hit, best first."""


def fuse(legs: Mapping[str, Sequence[Hit]], *, limit: int) -> list[Candidate]:
    """At most `limit` documents, best first; ties go by the document's position."""
    ranks: dict[int, dict[str, int]] = {}
    scores: dict[int, dict[str, float]] = {}
    chunks: dict[int, list[int]] = {}
    for leg, hits in legs.items():
        top = max((hit.score for hit in hits), default=0.0) or 1.0
        place = 0
        for hit in hits:
            if hit.chunk is not None:
                chunks.setdefault(hit.document, []).append(hit.chunk)
            of_document = ranks.setdefault(hit.document, {})
            if leg in of_document:
                continue
            place += 1
            of_document[leg] = place
            scores.setdefault(hit.document, {})[leg] = hit.score / top
    found = [
        Candidate(
            document=document,
            fused=sum(1.0 / (RRF_K + rank) for rank in of_leg.values()),
            ranks=of_leg,
            scores=scores[document],
            chunks=tuple(dict.fromkeys(chunks.get(document, ()))),
        )
        for document, of_leg in ranks.items()
    ]
    found.sort(key=lambda item: (-item.fused, item.document))
    return found[:limit]
