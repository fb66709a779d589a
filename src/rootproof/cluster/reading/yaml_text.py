"""YAML or JSON text as plain documents, within bounds that keep hostile text cheap."""

from __future__ import annotations

import re
from typing import Any

from rootproof.domain.cutting import within

MAX_CHARS = 4_000_000
MAX_DOCUMENTS = 500
_MAX_ALIASES = 100
_ALIAS = re.compile(r"(?m)(?:^|[\s\[,{:-])\*[A-Za-z0-9_-]+")


class Unreadable(ValueError):
    """The text is no YAML within our bounds; the message says why."""


def documents(text: str) -> list[dict[str, Any]]:
    """The mappings of a multi-document YAML (or JSON) text, lists of objects flattened.

    Shape: at most 500 documents of at most 4,000,000 characters together.
    Raises: Unreadable when the text does not parse, is too long, or uses aliases beyond any manifest's need.
    """
    import yaml

    if len(text) > MAX_CHARS:
        raise Unreadable(f"YAML text of {len(text)} characters is over the limit of {MAX_CHARS}")
    # Aliases of aliases grow without bound when followed; no tool writes them into manifests.
    if sum(1 for _ in _ALIAS.finditer(text)) > _MAX_ALIASES:
        raise Unreadable(f"YAML text uses more than {_MAX_ALIASES} aliases")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[dict[str, Any]] = []
    try:
        for document in yaml.load_all(text, Loader=loader):
            found.extend(_flattened(document))
            if len(found) > MAX_DOCUMENTS:
                raise Unreadable(f"YAML text holds more than {MAX_DOCUMENTS} documents")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"not YAML: {within(str(error), 200)}") from error
    return found


def _flattened(document: object) -> list[dict[str, Any]]:
    if isinstance(document, list):
        return [item for item in document[: MAX_DOCUMENTS + 1] if isinstance(item, dict)]
    if not isinstance(document, dict):
        return []
    items = document.get("items")
    if isinstance(items, list) and str(document.get("kind", "List")).endswith("List"):
        return [item for item in items[: MAX_DOCUMENTS + 1] if isinstance(item, dict)]
    return [document]
