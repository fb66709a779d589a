"""Indexes on disk by content hash: an unchanged corpus is not read word by word again.

A cache entry is written beside its place and moved there whole, so concurrent processes see all of it or nothing, and a
damaged or foreign entry is built again. Nothing in it is the truth: deleting the folder costs time only. It holds the
documents' words as they are, secrets included, so only the user who made it may read it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rootproof import __version__
from rootproof.adapters.index.lexical import ChunkTerms, LexicalIndex
from rootproof.adapters.index.private import make_folder, tighten, tighten_below
from rootproof.knowledge.chunk import chunk_document
from rootproof.knowledge.corpus import DocumentTerms, chunk_terms
from rootproof.knowledge.document import Document
from rootproof.knowledge.load import load_markdown
from rootproof.knowledge.tokens import STOP_WORDS
from rootproof.knowledge.tokens import terms as terms_of

_FORMAT = "1"
"""Raised when what is written here changes."""
_TERMS = "terms.json"
_MAX_ENTRIES = 16
_PROBE = """# ProbeMemberReady of probe_total.sum-1m

Ready, latencies, expiry, expiration, availability, failures, scheduled, PVCs, 数据库连接, ディスク, 5xx; these words
are analysed as a document's are.

1. First.

```
code
```

2. Second.

| a | b |
"""
"""A document whose terms and chunks show most changes of the rules that make them."""


class IndexCache:
    """The cache entries in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, documents: Sequence[Document]) -> str:
        """The hash of a corpus, ids and versions in order, and of the rules that turn it into terms."""
        probe = load_markdown("probe/ProbeName.md", _PROBE)
        rules = [(chunk, chunk_terms(chunk), terms_of(chunk.header)) for chunk in chunk_document(probe)]
        digest = hashlib.sha256(f"{_FORMAT} {__version__} {rules} {sorted(STOP_WORDS)}".encode())
        for document in documents:
            digest.update(f"\0{document.id}\0{document.version}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:32]

    def load(self, key: str, documents: int) -> tuple[list[DocumentTerms], LexicalIndex] | None:
        """The terms and index of an entry, or None where there is none that is whole."""
        place = self._folder / key
        tighten(self._folder)
        tighten_below(place)
        try:
            rows = json.loads((place / _TERMS).read_bytes())
            terms = [DocumentTerms(**{name: tuple(words.split()) for name, words in row.items()}) for row in rows]
            return (terms, LexicalIndex.load(place)) if len(terms) == documents else None
        except (OSError, ValueError, TypeError, AttributeError):
            return None

    def store(self, key: str, terms: Sequence[DocumentTerms], chunks: Sequence[ChunkTerms]) -> LexicalIndex | None:
        """Build the entry and return its index; None where the folder cannot be written."""
        try:
            make_folder(self._folder)
            tighten(self._folder)
            work = Path(tempfile.mkdtemp(prefix=f".{key}.", dir=self._folder))
        except OSError:
            return None
        try:
            rows = [{name: " ".join(words) for name, words in asdict(item).items()} for item in terms]
            (work / _TERMS).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
            LexicalIndex.build(terms, chunks, folder=work)
            tighten_below(work)
            shutil.rmtree(self._folder / key, ignore_errors=True)
            work.rename(self._folder / key)
            self._forget_oldest()
            return LexicalIndex.load(self._folder / key)
        except (OSError, ValueError):
            shutil.rmtree(work, ignore_errors=True)
            found = self.load(key, len(terms))
            return found[1] if found else None

    def _forget_oldest(self) -> None:
        """Keep the newest entries only: a corpus that changes every day would fill the disk otherwise."""
        entries = sorted(self._folder.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in entries[_MAX_ENTRIES:]:
            shutil.rmtree(entry, ignore_errors=True)
