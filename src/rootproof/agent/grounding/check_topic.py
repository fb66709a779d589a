"""Topic: the ordinary words of a claim must be about what the cited evidence is about."""

from __future__ import annotations

from collections.abc import Iterator

from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.vocabulary import HARD
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem

MIN_SHARE = 0.25
"""Of a claim's content words, this share must be in the evidence by stem or concept, where names or numbers carry the rest."""
MIN_SHARE_ALONE = 0.5
"""The same where the words are all there is."""
MIN_WORDS = 4
"""Fewer foreign words than this beside found names and numbers are a paraphrase, not another topic."""


def check_topic(ground: Ground, *, anchored: bool) -> Iterator[Finding]:
    """A finding for each subject the claim brings in by itself, and one for the topic as a whole.

    `anchored` says that names, numbers or quotes of the claim were found.
    """
    parsed = ground.parsed
    lowers = [token.lower for token in parsed.tokens]
    in_phrase: dict[int, tuple[str, ...]] = {}
    for position in range(len(lowers)):
        length, meaning = phrase_at(lowers, position)
        for index in range(position, position + length):
            in_phrase.setdefault(index, meaning)
    denied = {position for denial in parsed.denials for position in range(denial.at, min(max(denial.at + 6, denial.end), len(lowers)))}
    stems = frozenset().union(*(item.words[0] for item in ground.items))
    concepts = frozenset().union(*(item.words[1] for item in ground.items))
    hits = total = 0
    foreign: list[str] = []
    for position in parsed.topic:
        if position in denied or position in parsed.hypothesis:
            continue
        word = lowers[position]
        meaning = in_phrase.get(position) or concepts_of(word) or concepts_of(stem(word))
        found = word in stems or stem(word) in stems or any(concept in concepts for concept in meaning)
        total += 1
        hits += found
        if not found and meaning and all(concept in HARD for concept in meaning):
            foreign.append(word)
    for word in dict.fromkeys(foreign):
        yield Finding(State.MISSING, f"{ground.ids} says nothing about {word}.")
    if total == 0 or (anchored and hits == 0 and total < MIN_WORDS):
        return
    share = hits / total
    if share >= (MIN_SHARE if anchored else MIN_SHARE_ALONE):
        yield Finding(State.FOUND, f"The words of the claim are those of {ground.ids}.", soft=anchored)
    elif not foreign:
        yield Finding(State.MISSING, f"{ground.ids} is about something else than what the claim says.")
