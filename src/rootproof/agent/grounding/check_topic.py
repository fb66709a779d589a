"""Topic: the ordinary words of a claim must be about what the cited evidence is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rootproof.agent.grounding.atoms import Parsed
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.vocabulary import COMPONENTS, EVENTS, HARD, LOOSE, STRICT
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem

MIN_SHARE_NAMED = 0.3
"""Of a claim's content words, this share must be in the evidence by stem or concept where only a name was found;
beside found numbers, times or quotes one word of it is enough.
"""
MIN_SHARE_ALONE = 0.5
"""The same where the words are all there is."""
INSIDE_CHARS = 5
_EVENT_STEMS = frozenset(stem(word) for word in EVENTS)
MIN_WORDS = 4
"""Fewer foreign words than this beside found names and numbers are a paraphrase, not another topic."""


def _inside(word: str, text: str) -> bool:
    """Whether a word, or its first letters, is part of a longer one: memory in maxmemory."""
    root = stem(word)
    return len(word) >= INSIDE_CHARS and (word in text or (len(root) >= INSIDE_CHARS and root in text))


def check_topic(ground: Ground, *, anchored: bool, named: bool, proven: bool) -> Iterator[Finding]:
    """A finding for each subject the claim brings in by itself, and one for the topic as a whole.

    `anchored` says that numbers, times, directions or quotes of the claim were found, `named` that anything
    else was (a name), `proven` that anything but names was.
    """
    offered = _Offered(ground)
    unknown = False
    lowers = offered.lowers
    denied = _denied(ground.parsed, lowers)
    hits = total = 0
    foreign: list[str] = []
    excusable: list[str] = []
    for position in ground.parsed.topic:
        if position in denied or position in ground.parsed.hypothesis:
            continue
        word = lowers[position]
        found = offered.has(position)
        meaning = offered.meaning(position)
        hits += found
        unknown = unknown or not found
        total += found or bool(meaning) or not named
        if found or _is_of_setting(lowers, position):
            continue
        if (
            word in STRICT | EVENTS
            or (word.endswith("ed") and stem(word) in _EVENT_STEMS)
            or {"timeout", "oom"} & set(meaning)
            or _is_component(ground.parsed, position)
        ):
            foreign.append(word)
        elif meaning and word not in LOOSE and all(concept in HARD for concept in meaning):
            excusable.append(word)
    if hits * 2 < total and not anchored:
        foreign += excusable
    for word in dict.fromkeys(foreign):
        yield Finding(State.MISSING, f"{ground.ids} says nothing about {word}.")
    few = MIN_WORDS if anchored else MIN_WORDS - 1 if len({name.text for name in ground.parsed.names}) > 1 else 0
    if not proven and not foreign and not hits and unknown:
        yield Finding(State.MISSING, f"{ground.ids} names it, and says nothing else of what the claim says.")
        return
    if total == 0 or (hits == 0 and total < few):
        return
    share = hits / total
    if (anchored and hits) or share >= (MIN_SHARE_NAMED if named else MIN_SHARE_ALONE):
        yield Finding(State.FOUND, f"The words of the claim are those of {ground.ids}.", soft=anchored or named)
    elif not foreign:
        yield Finding(State.MISSING, f"{ground.ids} is about something else than what the claim says.")


_ENDS = frozenset({"because", "since", "as", "but", ",", ";", ":", "."})


def _denied(parsed: Parsed, lowers: Sequence[str]) -> set[int]:
    """Positions that a negation covers, up to the end of what it says."""
    found: set[int] = set()
    for denial in parsed.denials:
        for position in range(denial.at, min(max(denial.at + 6, denial.end), len(lowers))):
            if position > denial.at + 1 and lowers[position] in _ENDS:
                break
            found.add(position)
    return found


class _Offered:
    """What the cited items offer to the words of a claim."""

    def __init__(self, ground: Ground) -> None:
        self.lowers = [token.lower for token in ground.parsed.tokens]
        self._in_phrase: dict[int, tuple[str, ...]] = {}
        for position in range(len(self.lowers)):
            length, meaning = phrase_at(self.lowers, position)
            for index in range(position, position + length):
                self._in_phrase.setdefault(index, meaning)
        self._stems = frozenset().union(*(item.words[0] for item in ground.items))
        self._concepts = frozenset().union(*(item.words[1] for item in ground.items)) | ground.kinds
        self._text = " ".join(item.searched for item in ground.items)

    def meaning(self, position: int) -> tuple[str, ...]:
        """The concepts that the word at a position stands for."""
        word = self.lowers[position]
        return self._in_phrase.get(position) or concepts_of(word) or concepts_of(stem(word))

    def has(self, position: int) -> bool:
        """Whether an item has the word, or something it means."""
        word = self.lowers[position]
        return (
            word in self._stems
            or stem(word) in self._stems
            or any(concept in self._concepts for concept in self.meaning(position))
            or _inside(word, self._text)
        )


def _is_of_setting(lowers: Sequence[str], position: int) -> bool:
    """Whether a word only says what a setting is for: `the eviction policy`."""
    return bool({"policy", "threshold", "strategy"} & set(lowers[position + 1 : position + 2]))


def _is_component(parsed: Parsed, position: int) -> bool:
    """Whether a word names a part of the system as such: `the broker refused`, not `broker errors`."""
    lead = parsed.tokens[position - 1].lower if position else "the"
    return parsed.tokens[position].lower in COMPONENTS and lead in {"the", "its", "a", "by"}
