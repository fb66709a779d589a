"""A knowledge source over folders of Markdown: read, chunked and indexed in memory when opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from rootproof.adapters.index.cache import IndexCache
from rootproof.adapters.index.files import FolderLimits, FolderReader
from rootproof.adapters.index.lexical import ChunkTerms, LexicalIndex
from rootproof.errors import SourceTimeout
from rootproof.knowledge.chunk import chunk_document
from rootproof.knowledge.corpus import DocumentTerms, chunk_terms, corpus_statistics, document_terms
from rootproof.knowledge.document import Chunk, Document
from rootproof.knowledge.load import load_markdown
from rootproof.knowledge.retrieve import Corpus, retrieve
from rootproof.knowledge.tokens import terms as words


class FolderKnowledge:
    """KnowledgeSource over the documents of some folders, as they were when it was opened."""

    kind = "FILES"

    def __init__(self, name: str, corpus: Corpus, index: LexicalIndex, problems: Sequence[str]) -> None:
        self.name = name
        self.problems = tuple(problems)
        """Files that were skipped or partly read, and why."""
        self._corpus = corpus
        self._index = index

    @property
    def documents(self) -> int:
        """How many documents are searched."""
        return len(self._corpus.documents)

    def contents(self) -> tuple[Document, ...]:
        """The documents that are searched, in order of path."""
        return self._corpus.documents

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.KnowledgeSource` says. Raises SourceTimeout at the deadline."""
        try:
            async with asyncio.timeout(deadline_s):
                return await asyncio.to_thread(self.search_now, query, top_k=top_k)
        except TimeoutError as error:
            raise SourceTimeout(
                f"knowledge search in {self.name!r} took longer than {deadline_s:g} s over {self.documents} documents; "
                "ask for fewer words or fewer documents"
            ) from error

    def search_now(self, query: str, *, top_k: int = 5) -> str:
        """The same answer without an event loop."""
        return json.dumps(retrieve(self._corpus, self._index, query, top_k=top_k), ensure_ascii=False)


def open_knowledge(
    paths: Sequence[Path], *, cache_dir: Path | None = None, limits: FolderLimits | None = None
) -> FolderKnowledge:
    """The documents of `paths` (folders or files), indexed. Files that cannot be read are in `.problems`.

    `cache_dir` holds indexes by content hash, so that an unchanged corpus opens without being read word by word again.
    Raises: UsageError when a path does not exist, or is a file that is no text document.
    """
    reader = FolderReader(limits or FolderLimits())
    documents = [load_markdown(file.id, file.text) for file in reader.read(paths)]
    corpus, index = index_documents(documents, IndexCache(cache_dir) if cache_dir is not None else None)
    problems = [f"{document.id}: {problem}" for document in documents for problem in document.problems]
    name = ", ".join(path.name or str(path) for path in paths) or "knowledge"
    return FolderKnowledge(name, corpus, index, [*reader.problems, *problems])


def index_documents(documents: Sequence[Document], cache: IndexCache | None = None) -> tuple[Corpus, LexicalIndex]:
    """The documents as they are searched: cut into chunks, their terms counted and indexed."""
    chunks = [chunk_document(document) for document in documents]
    terms, index = _indexed(documents, chunks, cache)
    return Corpus(tuple(documents), tuple(chunks), tuple(terms), corpus_statistics(terms)), index


def _indexed(
    documents: Sequence[Document], chunks: Sequence[tuple[Chunk, ...]], cache: IndexCache | None
) -> tuple[list[DocumentTerms], LexicalIndex]:
    key = cache.key(documents) if cache is not None else ""
    if cache is not None and (found := cache.load(key, len(documents))) is not None:
        return found
    terms: list[DocumentTerms] = []
    rows: list[ChunkTerms] = []
    for position, (document, parts) in enumerate(zip(documents, chunks, strict=True)):
        bodies = [chunk_terms(chunk) for chunk in parts]
        terms.append(document_terms(document, parts, bodies))
        rows += [
            ChunkTerms(position, chunk.ordinal, tuple(words(chunk.header)), body)
            for chunk, body in zip(parts, bodies, strict=True)
        ]
    index = cache.store(key, terms, rows) if cache is not None else None
    return terms, index or LexicalIndex.build(terms, rows)
