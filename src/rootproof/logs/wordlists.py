"""Lists of words, written as running text so that they stay readable."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    """The words of `text`, in order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())
