"""Topic: the ordinary words of a claim must be about what the cited evidence is about."""

from __future__ import annotations

from collections.abc import Iterator

from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.vocabulary import HARD, STRICT
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem

MIN_SHARE = 0.2
"""Of a claim's content words, this share must be in the evidence by stem or concept, where names or numbers
carry the rest.
"""
MIN_SHARE_NAMED = 0.3
"""The same where only a name was found."""
MIN_SHARE_ALONE = 0.5
"""The same where the words are all there is."""
INSIDE_CHARS = 5
MIN_WORDS = 4
"""Fewer foreign words than this beside found names and numbers are a paraphrase, not another topic."""


def _inside(word: str, text: str) -> bool:
    """Whether a word, or its first letters, is part of a longer one: memory in maxmemory."""
    root = stem(word)
    return len(word) >= INSIDE_CHARS and (word in text or (len(root) >= INSIDE_CHARS and root in text))


def check_topic(ground: Ground, *, anchored: bool, named: bool) -> Iterator[Finding]:
    """A finding for each subject the claim brings in by itself, and one for the topic as a whole.

    `anchored` says that numbers, times, directions or quotes of the claim were found, `named` that anything
    else was (a name).
    """
    parsed = ground.parsed
    lowers = [token.lower for token in parsed.tokens]
    in_phrase: dict[int, tuple[str, ...]] = {}
    for position in range(len(lowers)):
        length, meaning = phrase_at(lowers, position)
        for index in range(position, position + length):
            in_phrase.setdefault(index, meaning)
    denied = {
        position
        for denial in parsed.denials
        for position in range(denial.at, min(max(denial.at + 6, denial.end), len(lowers)))
    }
    stems = frozenset().union(*(item.words[0] for item in ground.items))
    concepts = frozenset().union(*(item.words[1] for item in ground.items))
    text = " ".join(f"{item.text} {item.subject}" for item in ground.items).lower()
    hits = total = 0
    foreign: list[tuple[str, bool]] = []
    for position in parsed.topic:
        if position in denied or position in parsed.hypothesis:
            continue
        word = lowers[position]
        meaning = in_phrase.get(position) or concepts_of(word) or concepts_of(stem(word))
        found = (
            _inside(word, text)
            or word in stems
            or stem(word) in stems
            or any(concept in concepts for concept in meaning)
        )
        total += 1
        hits += found
        if not found and meaning and all(concept in HARD for concept in meaning):
            foreign.append((word, all(concept in STRICT for concept in meaning)))
    excused = hits * 2 >= total
    foreign = [(word, strict) for word, strict in foreign if strict or not excused]
    for word, _ in dict.fromkeys(foreign):
        yield Finding(State.MISSING, f"{ground.ids} says nothing about {word}.")
    if total == 0 or (anchored and hits == 0 and total < MIN_WORDS):
        return
    share = hits / total
    if share >= (MIN_SHARE if anchored else MIN_SHARE_NAMED if named else MIN_SHARE_ALONE):
        yield Finding(State.FOUND, f"The words of the claim are those of {ground.ids}.", soft=anchored or named)
    elif not foreign:
        yield Finding(State.MISSING, f"{ground.ids} is about something else than what the claim says.")
