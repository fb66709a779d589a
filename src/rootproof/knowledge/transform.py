"""A question or an alert's words to weighted search terms.

Template text goes, identifiers are split and kept whole, words that say the same thing are added with less weight.
What was done is kept, for `queryTransform` in the trace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rootproof.knowledge.synonyms import expansions
from rootproof.knowledge.tokens import is_identifier, tokens

MAX_QUERY_CHARS = 2_000
MAX_TERMS = 64
_TEMPLATE = re.compile(r"\{\{[^{}]{0,400}\}\}|\$\{[^{}]{0,200}\}|\{%[^{}]{0,200}%\}|\$labels\.\w{1,80}|\$value\b")
_URL = re.compile(r"\bhttps?://\S{1,2000}")
_PLACEHOLDER = re.compile(r"<[a-z_]{1,24}(?::[^<>\s]{0,80})?>")
_CJK_FILLER = re.compile(
    "怎么办|怎么样|怎么|怎样|如何|为什么|什么|请问|是否|应该|可以|出现|发生|一直|的|了|吗|呢|"
    "どうすればいい|どうすれば|どうやって|どのように|なぜ|ください|ですか|ますか|について|어떻게|무엇을"
)
"""Question words and particles that every question has."""
_NUMBER = re.compile(r"\d+")
WHOLE_WEIGHT = 1.0
SYNONYM_WEIGHT = 0.4


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to search for, with its weight against an ordinary word of weight 1."""

    term: str
    weight: float
    origin: str
    """`word`, `identifier` (a whole one) or `synonym`."""


@dataclass(frozen=True, slots=True)
class TransformedQuery:
    """What is searched. Terms are unique, in order of first appearance, own words before synonyms."""

    original: str
    cleaned: str
    terms: tuple[QueryTerm, ...]
    identifiers: tuple[str, ...] = ()
    """Whole identifiers as written, such as alert and metric names."""
    removed: tuple[str, ...] = ()
    """Template text that was taken out."""
    synonyms: Mapping[str, tuple[str, ...]] | None = None
    """Phrase found -> terms added for it."""

    @property
    def words(self) -> tuple[QueryTerm, ...]:
        """The query's own words, without whole identifiers and synonyms."""
        return tuple(term for term in self.terms if term.origin == "word")


def transform_query(text: str) -> TransformedQuery:
    """The terms of `text`; none when nothing searchable is in it. Reads at most MAX_QUERY_CHARS characters."""
    original = text[:MAX_QUERY_CHARS]
    removed = tuple(dict.fromkeys(" ".join(match.split()) for match in _TEMPLATE.findall(original)))
    cleaned = " ".join(_PLACEHOLDER.sub(_placeholder_stem, _URL.sub(" ", _TEMPLATE.sub(" ", original))).split())
    found: dict[str, QueryTerm] = {}
    identifiers: dict[str, None] = {}
    for token in tokens(_CJK_FILLER.sub(" ", cleaned)):
        if _NUMBER.fullmatch(token.term):
            continue
        if token.whole and is_identifier(token.raw):
            identifiers.setdefault(token.raw)
        origin, weight = ("identifier", WHOLE_WEIGHT) if token.whole else ("word", 1.0)
        found.setdefault(token.term, QueryTerm(token.term, weight, origin))
        if len(found) >= MAX_TERMS:
            break
    added = expansions(tuple(found))
    for new in (term for group in added.values() for term in group):
        found.setdefault(new, QueryTerm(new, SYNONYM_WEIGHT, "synonym"))
    return TransformedQuery(original, cleaned, tuple(found.values()), tuple(identifiers), removed, added)


def _placeholder_stem(match: re.Match[str]) -> str:
    """`<pod:cart-1>` -> `cart`: a pod's stem names its workload and may help; nothing else in a placeholder does."""
    kind, _, value = match.group().strip("<>").partition(":")
    return f" {value.rstrip('0123456789').rstrip('-')} " if kind == "pod" else " "
