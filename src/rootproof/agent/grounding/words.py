"""What the words of a text are about: stems, concepts, and how much of a claim's topic the evidence shares."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rootproof.agent.grounding.text import Kind, Token, parts
from rootproof.agent.grounding.vocabulary import CONCEPTS, IMPLIES, PHRASES, PROSE, STOP

_BY_WORD: dict[str, tuple[str, ...]] = {}
for _concept, _members in CONCEPTS.items():
    for _member in _members:
        _BY_WORD[_member] = (*_BY_WORD.get(_member, ()), _concept)
_PHRASES_BY_FIRST: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
for _sequence, _meaning in PHRASES:
    _PHRASES_BY_FIRST.setdefault(_sequence[0], []).append((_sequence, _meaning))

_SUFFIXES = (
    "ations",
    "ation",
    "ements",
    "ingly",
    "edly",
    "ions",
    "ion",
    "ings",
    "ing",
    "ers",
    "ies",
    "ied",
    "ed",
    "es",
    "er",
    "ly",
    "al",
    "s",
    "e",
    "y",
)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem of a lower-case word: the same for the usual inflections of a verb or noun."""
    if len(word) > 40:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not (suffix == "s" and word.endswith("ss")):
            root = word[: -len(suffix)]
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lse":
                root = root[:-1]
            return root[:-1] if len(root) > 3 and root[-1] in "ei" else root
    return word


_PROSE_STEMS = frozenset(stem(word) for word in PROSE)


@lru_cache(maxsize=20_000)
def concepts_of(word: str) -> tuple[str, ...]:
    """The concepts a lower-case word names; () for an ordinary word."""
    found = _BY_WORD.get(word)
    if found is None and word.endswith("s"):
        found = _BY_WORD.get(word[:-1])
    return found or ()


def is_prose(word: str) -> bool:
    """Whether a lower-case word carries no topic of its own."""
    return word in STOP or word in PROSE or (stem(word) in _PROSE_STEMS and not concepts_of(word))


def phrase_at(words: Sequence[str], position: int) -> tuple[int, tuple[str, ...]]:
    """Length and concepts of the phrase that starts at `position`; (0, ()) where there is none."""
    for sequence, meaning in _PHRASES_BY_FIRST.get(words[position], ()):
        if tuple(words[position : position + len(sequence)]) == sequence:
            return len(sequence), meaning
    return 0, ()


def spread(concepts: Iterable[str]) -> set[str]:
    """`concepts` and what evidence about them also says."""
    found = set(concepts)
    for concept in tuple(found):
        found.update(IMPLIES.get(concept, ()))
    return found


def offered(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """What an evidence text offers: (stems of its words and of the words inside its names, concepts with what
    they imply).
    """
    stems: set[str] = set()
    concepts: set[str] = set()
    lowers = [token.lower for token in tokens]
    for position, token in enumerate(tokens):
        length, meaning = phrase_at(lowers, position)
        if length:
            concepts.update(meaning)
        if token.kind in {Kind.WORD, Kind.PATH, Kind.PLACEHOLDER}:
            pieces = parts(token.text)
            for piece in {token.lower, *pieces}:
                stems.add(piece)
                stems.add(stem(piece))
                concepts.update(concepts_of(piece))
            if len(pieces) > 1:
                for left, right in itertools.pairwise(pieces):
                    concepts.update(concepts_of(left + right))
                for index in range(len(pieces)):
                    concepts.update(phrase_at(pieces, index)[1])
        elif token.kind is Kind.NUMBER:
            concepts.update(status(token.text))
    return frozenset(stems), frozenset(spread(concepts))


def status(number: str) -> tuple[str, ...]:
    """What well-known status and exit codes say."""
    match number:
        case "500" | "502" | "503":
            return ("error",)
        case "504":
            return ("error", "timeout")
        case "429":
            return ("throttle",)
        case "401" | "403":
            return ("auth",)
        case "404":
            return ("missing",)
        case "137":
            return ("kill",)
        case _:
            return ()
