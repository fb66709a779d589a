"""The best documents to quotable blocks: whole steps, from the section that answers best, within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rootproof.domain.cutting import within
from rootproof.knowledge.document import Chunk, Document
from rootproof.knowledge.rerank import QueryView, Ranked
from rootproof.knowledge.tokens import parts, stem, terms

CONTENT_CHARS = 1_800
"""Neighbouring sections are added up to this; one procedure may be longer."""
MAX_CONTENT_CHARS = 6_000
_ANSWERING = frozenset(
    stem(word)
    for word in """
    meaning diagnosis diagnose mitigation mitigate resolution resolve troubleshooting investigation investigate symptoms
    procedure steps remediation actions fix recovery recover checks verify impact overview
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_ANSWERING_BONUS = 0.1
_RANK_BONUS = 0.25
_MAX_REASONS = 6


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """One document's quotable part."""

    document: Document
    breadcrumb: tuple[str, ...]
    content: str
    line_start: int
    line_end: int
    score: float
    reasons: tuple[str, ...]
    cut: bool = False
    """True where even the best section did not fit in MAX_CONTENT_CHARS."""

    def as_raw(self) -> dict[str, object]:
        """The block in the raw answer's shape."""
        return {
            "source": self.document.source,
            "title": self.document.title,
            "breadcrumb": " > ".join(self.breadcrumb) or self.document.title,
            "content": self.content,
            "score": round(self.score, 4),
            "documentId": self.document.id,
            "version": self.document.version[:12],
            "lineStart": self.line_start,
            "lineEnd": self.line_end,
            "hitReasons": list(self.reasons),
            "cut": self.cut,
        }


def pack_block(view: QueryView, ranked: Ranked, document: Document, chunks: Sequence[Chunk]) -> PackedBlock | None:
    """The document's best section and the ones after it that fit; None for a document without text."""
    if not chunks:
        return None
    first = last = _best_chunk(view, ranked, chunks)
    size = len(chunks[first].text)
    while last + 1 < len(chunks) and size + len(chunks[last + 1].text) <= CONTENT_CHARS:
        last += 1
        size += len(chunks[last].text)
    while first > 0 and size + len(chunks[first - 1].text) <= CONTENT_CHARS:
        first -= 1
        size += len(chunks[first].text)
    taken = chunks[first : last + 1]
    content, lines = _cut("\n\n".join(_with_heading(chunk, index > 0) for index, chunk in enumerate(taken)))
    return PackedBlock(
        document=document,
        breadcrumb=taken[0].breadcrumb,
        content=content,
        line_start=taken[0].line_start,
        line_end=taken[-1].line_end if lines is None else min(taken[-1].line_end, taken[0].line_start + lines - 1),
        score=ranked.confidence,
        reasons=_reasons(ranked.contributions()),
        cut=lines is not None,
    )


def context_pack(blocks: Sequence[PackedBlock], *, considered: int) -> dict[str, object]:
    """The summary of what was packed, for the trace."""
    return {
        "documents": [
            {
                "documentId": block.document.id,
                "title": block.document.title,
                "version": block.document.version[:12],
                "lineStart": block.line_start,
                "lineEnd": block.line_end,
                "chars": len(block.content),
                "cut": block.cut,
            }
            for block in blocks
        ],
        "chars": sum(len(block.content) for block in blocks),
        "omittedDocuments": max(0, considered - len(blocks)),
    }


def _best_chunk(view: QueryView, ranked: Ranked, chunks: Sequence[Chunk]) -> int:
    hits = {ordinal: rank for rank, ordinal in enumerate(ranked.candidate.chunks)}

    def value(index: int) -> float:
        chunk = chunks[index]
        have = frozenset(terms(f"{chunk.header}\n{chunk.text}"))
        covered = sum(view.weight[word] for word in view.words if word in have) / view.total
        heading = {stem(part) for part in parts(chunk.breadcrumb[-1])} if chunk.breadcrumb else set()
        bonus = _ANSWERING_BONUS if heading & _ANSWERING else 0.0
        rank = hits.get(index)
        return covered + bonus + (_RANK_BONUS / (1 + rank) if rank is not None else 0.0)

    looked_at = sorted(hits) if hits else range(min(len(chunks), 50))
    return max(looked_at, key=lambda index: (value(index), -index))


def _with_heading(chunk: Chunk, inner: bool) -> str:
    return f"{chunk.breadcrumb[-1]}\n{chunk.text}" if inner and chunk.breadcrumb else chunk.text


def _cut(content: str) -> tuple[str, int | None]:
    """The content, cut after the last whole line that fits; and the number of lines kept where it was cut."""
    if len(content) <= MAX_CONTENT_CHARS:
        return content, None
    kept = content[:MAX_CONTENT_CHARS]
    kept = kept[: kept.rfind("\n")] if "\n" in kept else within(content, MAX_CONTENT_CHARS)
    return kept.rstrip(), kept.count("\n") + 1


def _reasons(contributions: Mapping[str, float]) -> tuple[str, ...]:
    best = sorted(contributions.items(), key=lambda item: (-item[1], item[0]))[:_MAX_REASONS]
    return tuple(f"{name.replace('_', ' ')} {value:.2f}" for name, value in best)
