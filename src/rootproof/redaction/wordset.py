"""Word lists that read as text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, split at white space."""
    return frozenset(text.split())
