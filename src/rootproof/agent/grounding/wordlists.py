"""How word lists are written: as text, one blank apart."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The different words of `text`."""
    return frozenset(text.split())
