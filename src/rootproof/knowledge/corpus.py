"""The terms of an indexed document by field, and how rare each term is in the corpus."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rootproof.knowledge.document import Chunk, Document
from rootproof.knowledge.families import Families
from rootproof.knowledge.tokens import terms

INTRO_CHARS = 500
_INTRO_CHUNKS = 8
BACKGROUND = 50
"""Documents without any term of the corpus that rarity counts with."""


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """The fields that are searched and compared, as terms in order."""

    title: tuple[str, ...]
    """Title and file name."""
    names: tuple[str, ...]
    """Alert names, their parts and wholes."""
    headings: tuple[str, ...]
    intro: tuple[str, ...]
    """The first INTRO_CHARS characters of text: mostly what the alert means."""
    body: tuple[str, ...]

    @property
    def length(self) -> int:
        """Terms in the whole document."""
        return len(self.title) + len(self.names) + len(self.headings) + len(self.body)


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """How many documents there are, and in how many of them each term occurs, near-duplicates counted as one."""

    documents: int
    frequency: Mapping[str, int]

    def idf(self, term: str) -> float:
        """BM25's inverse document frequency over the corpus and BACKGROUND documents without the term.

        The background keeps a corpus of one or two documents from calling every word of theirs worthless.
        """
        count = self.frequency.get(term, 0)
        return math.log(1.0 + (self.documents + BACKGROUND - count + 0.5) / (count + 0.5))

    def known(self, term: str) -> bool:
        """Whether any document has the term."""
        return term in self.frequency


def chunk_terms(chunk: Chunk) -> tuple[str, ...]:
    """The terms of a chunk's own text."""
    return tuple(terms(chunk.text))


def document_terms(document: Document, chunks: Sequence[Chunk], bodies: Sequence[tuple[str, ...]]) -> DocumentTerms:
    """The terms of `document`, field by field; `bodies` are the terms of `chunks`, in order."""
    intro = "\n".join(chunk.text for chunk in chunks[:_INTRO_CHUNKS])[:INTRO_CHARS]
    stem = document.id.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    headings = [section.heading for section in document.sections if section.heading != document.title]
    title = f"{document.title} {document.front_matter.get('title', '')}"
    return DocumentTerms(
        title=tuple(terms(title if stem in title else f"{title} {stem}")),
        names=tuple(terms(" ".join(document.alert_names))),
        headings=tuple(terms("\n".join(headings))),
        intro=tuple(terms(intro)),
        body=tuple(term for body in bodies for term in body),
    )


def corpus_statistics(documents: Iterable[DocumentTerms]) -> CorpusStatistics:
    """Document frequencies over all fields, near-duplicates counted as one document.

    A word is common where many documents chose it, not where one document was copied a thousand times: without this,
    every word of the copies is worth nothing beside one word of the question that none of them has.
    """
    frequency: Counter[str] = Counter()
    families = Families()
    for item in documents:
        words = frozenset({*item.title, *item.names, *item.headings, *item.body})
        frequency.update(families.new_words(words))
    return CorpusStatistics(families.count, dict(frequency))
