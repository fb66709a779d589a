"""The tantivy index of one corpus: a document leg with field weights and a chunk leg, both over our own terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rootproof.knowledge.corpus import DocumentTerms
from rootproof.knowledge.fuse import Hit
from rootproof.knowledge.transform import QueryTerm

_WRITER_HEAP_BYTES = 15_000_000
"""tantivy's smallest heap for one thread."""
DOCUMENT_WEIGHTS: Mapping[str, float] = {"title": 3.0, "names": 2.0, "headings": 1.0, "intro": 1.0, "body": 1.0}
CHUNK_WEIGHTS: Mapping[str, float] = {"header": 1.0, "text": 1.0}


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """A chunk's terms and where it belongs."""

    position: int
    """Of its document in the corpus."""
    ordinal: int
    header: tuple[str, ...]
    text: tuple[str, ...]


class LexicalIndex:
    """BM25 over documents and over chunks. Read-only once made; searching is thread-safe."""

    def __init__(self, documents: Any, chunks: Any) -> None:
        self._documents = documents
        self._chunks = chunks

    @classmethod
    def build(
        cls, documents: Sequence[DocumentTerms], chunks: Sequence[ChunkTerms], *, folder: Path | None = None
    ) -> LexicalIndex:
        """The index of the terms given; in memory, or written to `folder` (which must exist and be empty)."""
        of_documents = (
            ({name: getattr(item, name) for name in DOCUMENT_WEIGHTS}, position, 0)
            for position, item in enumerate(documents)
        )
        of_chunks = (({"header": row.header, "text": row.text}, row.position, row.ordinal) for row in chunks)
        return cls(
            _build(DOCUMENT_WEIGHTS, of_documents, folder and folder / "documents"),
            _build(CHUNK_WEIGHTS, of_chunks, folder and folder / "chunks"),
        )

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """The index that `build` wrote to `folder`. Raises ValueError where there is none or it is damaged."""
        return cls(_load(folder / "documents"), _load(folder / "chunks"))

    def document_hits(self, query: Sequence[QueryTerm], *, limit: int) -> list[Hit]:
        """Documents by weighted BM25 over their fields, best first."""
        return [Hit(position, score) for position, _, score in _search(self._documents, DOCUMENT_WEIGHTS, query, limit)]

    def chunk_hits(self, query: Sequence[QueryTerm], *, limit: int) -> list[Hit]:
        """Chunks by BM25 over contextual header and text, best first."""
        return [
            Hit(position, score, ordinal)
            for position, ordinal, score in _search(self._chunks, CHUNK_WEIGHTS, query, limit)
        ]


def _build(
    fields: Iterable[str], rows: Iterable[tuple[Mapping[str, Sequence[str]], int, int]], folder: Path | None
) -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in fields:
        builder.add_text_field(name, stored=False, tokenizer_name="terms", index_option="freq")
    builder.add_integer_field("position", stored=True, indexed=False)
    builder.add_integer_field("ordinal", stored=True, indexed=False)
    if folder is not None:
        folder.mkdir()
    index = _with_tokenizer(tantivy.Index(builder.build(), path=None if folder is None else str(folder)))
    writer = index.writer(heap_size=_WRITER_HEAP_BYTES, num_threads=1)
    for texts, position, ordinal in rows:
        document = tantivy.Document()
        for name, words in texts.items():
            document.add_text(name, " ".join(words))
        document.add_integer("position", position)
        document.add_integer("ordinal", ordinal)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def _load(folder: Path) -> Any:
    import tantivy

    return _with_tokenizer(tantivy.Index.open(str(folder)))


def _with_tokenizer(index: Any) -> Any:
    """Our terms hold no white space, so they are joined by it and cut at it."""
    import tantivy

    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def _search(
    index: Any, weights: Mapping[str, float], query: Sequence[QueryTerm], limit: int
) -> list[tuple[int, int, float]]:
    """Rows (position, ordinal, score), best first; equal scores by position and ordinal."""
    import tantivy

    if not query:
        return []
    clauses = [
        (
            tantivy.Occur.Should,
            tantivy.Query.boost_query(tantivy.Query.term_query(index.schema, name, term.term), weight * term.weight),
        )
        for term in query
        for name, weight in weights.items()
    ]
    searcher = index.searcher()
    found = []
    for score, address in searcher.search(tantivy.Query.boolean_query(clauses), limit).hits:
        stored = searcher.doc(address)
        found.append((stored["position"][0], stored["ordinal"][0], score))
    return sorted(found, key=lambda row: (-row[2], row[0], row[1]))
