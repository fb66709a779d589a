"""What is wrong with recorded manifests and changes, told when a bundle is opened: a query answers without them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rootproof.adapters.sources.clusterfiles import MAX_MANIFEST_BYTES, ClusterFiles
from rootproof.adapters.sources.documents import read_json, read_text
from rootproof.cluster.reading.yaml_text import Unreadable, documents
from rootproof.errors import SourceError

MOST_NOTES = 8
"""Notes on manifests, and as many on changes."""
_CHECKED_BYTES = 16 * 1024 * 1024
"""Of manifests together: those behind are read at a query, which says of each whether it could be."""
_SUBJECTS = ("object", "service", "app", "workload", "deployment")
"""Keys under which a change may name what was changed; the first is the format's own."""


def notes_on(files: ClusterFiles) -> list[str]:
    """One note for each manifest that is no YAML within our bounds and each change that says too little; bounded.

    A file that cannot be read at all is not noted here: the source fails at the query and says why.
    """
    changes = _changes(*files.changes) if files.changes else iter(())
    return [*_bounded(_manifests(files.manifests), "manifests"), *_bounded(changes, "changes.json")]


def _bounded(notes: Iterator[str], what: str) -> list[str]:
    listed = list(notes)
    more = len(listed) - MOST_NOTES
    return [*listed[:MOST_NOTES], f"{what}: and {more} more like these"] if more > 0 else listed


def _manifests(manifests: tuple[tuple[Path, str], ...]) -> Iterator[str]:
    left = _CHECKED_BYTES
    for path, label in manifests:
        try:
            text = read_text(path, label, max_bytes=MAX_MANIFEST_BYTES)
        except SourceError:
            continue
        left -= len(text)
        if left < 0:
            return
        try:
            if not any("kind" in document for document in documents(text)):
                yield f"{label}: holds no object with a `kind`; not used"
        except Unreadable as error:
            yield f"{label}: {' '.join(str(error).split())}; not used"


def _changes(path: Path, label: str) -> Iterator[str]:
    try:
        body = read_json(path, label)
    except SourceError:
        return
    listed = body.get("items") if isinstance(body, dict) else body
    for number, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, dict) and (lacking := lacking_in(item)):
            yield f"{label}: item {number} has no {' and no '.join(f'`{key}`' for key in lacking)}"


def lacking_in(change: dict[str, Any]) -> list[str]:
    """The keys that a change needs to say anything and does not have as text."""
    lacking = [] if any(_is_text(change.get(key)) for key in _SUBJECTS) else ["object"]
    return lacking if _is_text(change.get("summary")) else [*lacking, "summary"]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
