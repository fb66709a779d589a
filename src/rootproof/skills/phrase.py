"""Phrases: literal words with `*` for anything and `{name}` for one word. Matching is linear by construction.

A part between two `*` is found left to right, once; a `{name}` ends before the character that follows it, so nothing is
ever tried twice. There is no way to write a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_PHRASE = 200
_LEAST_LITERAL = 4
_NAME = re.compile(r"\{([a-z][a-z0-9_]{0,30})\}")
_WORD_END = r"""\s"'`,;()\[\]{}|"""
_MAX_WORD = 100


@dataclass(frozen=True, slots=True)
class Found:
    """Where a phrase was found."""

    words: str
    """From the first literal word to the last."""
    values: Mapping[str, str]
    """What its names caught."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that can be looked for."""

    parts: tuple[re.Pattern[str], ...]

    def find(self, text: str) -> Found | None:
        """The first place where `text` holds the phrase."""
        values: dict[str, str] = {}
        begin, end = len(text), 0
        for part in self.parts:
            found = part.search(text, end)
            if found is None:
                return None
            values.update(found.groupdict())
            begin, end = min(begin, found.start()), found.end()
        return Found(text[begin:end], values)


def phrase_faults(text: str) -> list[str]:
    """What is wrong with a phrase."""
    found = []
    if len(text) > MAX_PHRASE:
        found.append(f"a phrase has {len(text)} characters; at most {MAX_PHRASE} are allowed")
    literal = _NAME.sub(" ", text)
    if "{" in literal or "}" in literal:
        found.append("braces hold a name of lower-case letters, digits and _ such as {printer}; write no others")
    if sum(char.isalnum() for char in literal) < _LEAST_LITERAL:
        found.append(f"the phrase {text[:60]!r} would match nearly everything; give at least {_LEAST_LITERAL} letters")
    names = names_of(text)
    if len(names) != len(set(names)):
        found.append(f"a name stands twice in {text[:60]!r}; use each name once")
    if re.search(r"\}\{", text):
        found.append("two names need a literal character between them")
    return found


def names_of(text: str) -> list[str]:
    """The names that a phrase catches."""
    return _NAME.findall(text)


def parse_phrase(text: str) -> Phrase:
    """The phrase of a text in which `phrase_faults` finds nothing."""
    parts = [part.strip() for part in text.split("*")]
    return Phrase(tuple(re.compile(_part(part), re.IGNORECASE) for part in parts if part))


def _part(text: str) -> str:
    pieces = _NAME.split(text)
    out = []
    for index, piece in enumerate(pieces):
        if index % 2 == 0:
            out.append(re.escape(piece))
            continue
        after = re.escape(pieces[index + 1][:1])
        out.append(f"(?P<{piece}>[^{_WORD_END}{after}]{{1,{_MAX_WORD}}}+)")
    return "".join(out)
