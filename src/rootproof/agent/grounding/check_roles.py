"""Roles: who blocked, called, killed or rejected whom must be as the cited evidence has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rootproof.agent.grounding.entities import is_ordinary, stems_of_name
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.roles import TAKES, Relation, relations
from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose, stem

_BY_CALLER: Final = frozenset({"call", "throttle", "to"})
"""What a log line about a call decides by itself; either end may reject the other."""


def check_roles(ground: Ground) -> Iterator[Finding]:
    """One finding for each relation of the claim whose two sides an item states, the same way or the other way."""
    tokens = ground.parsed.tokens
    for mine in relations(tokens):
        sides = _terms(mine.bearer), _terms(mine.other)
        shown = ground.parsed.words(mine.at, mine.at + 1)
        outcomes = [
            (item, state)
            for item in ground.items
            if (state := _queued(mine, item) or _compare(mine, sides, item)) is not None
        ]
        if any(state is State.FOUND for _, state in outcomes):
            item = next(item for item, state in outcomes if state is State.FOUND)
            yield Finding(State.FOUND, f'Who and whom of "{shown}" are those of {item.id}.', soft=True)
        elif outcomes:
            yield Finding(State.CONTRADICTED, f'{outcomes[0][0].id} has who and whom of "{shown}" the other way round.')


def _queued(mine: Relation, item: Item) -> State | None:
    """What a lock's own list of holder and queue says of `A waits for B`."""
    lock = item.lock if mine.family == "block" else None
    if lock is None:
        return None
    waits, others = ([token.text for token in side if token.kind is Kind.NUMBER] for side in (mine.bearer, mine.other))
    told = {said for left in waits for right in others if (said := lock.says(left, right)) is not None}
    return None if not told else State.FOUND if told == {True} else State.CONTRADICTED


_Sides = tuple[frozenset[str], frozenset[str]]


def check_culprit(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `X filled the disk` where all an item says of X is that it was evicted, killed or refused."""
    for name in ground.parsed.names:
        following = ground.parsed.tokens[name.at + 1 : name.at + 3]
        if (finding := _other_doer(name.text, following, ground)) is not None:
            yield finding
        if not any(token.lower in TAKES for token in following) or any(token.lower in _BE for token in following[:1]):
            continue
        owned = ground.owners(name.text)
        if owned and all(item.log is not None and item.log.level in {"WARN", "ERROR", "FATAL"} for item in owned):
            yield Finding(State.MISSING, f"{owned[0].id} is a complaint of {name.text}, not what it did.")
        item = next((item for item in ground.items if _only_bears(name.text, item)), None)
        if item is not None and not any(name.text in each.about for each in ground.items if each is not item):
            yield Finding(State.CONTRADICTED, f"In {item.id} {name.text} is the one that it befell.")


_REPLIES: Final = words("answered answers returned returns responded responds replied replies")


def _other_doer(name: str, following: Sequence[Token], ground: Ground) -> Finding | None:
    """CONTRADICTED where the items say the verb right behind a name of another name only: `A answered`."""
    if not following or following[0].lower not in _REPLIES:
        return None
    root = stem(following[0].lower)
    doers: list[tuple[Item, str]] = []
    for item in ground.items:
        start = item.log.message_at if item.log is not None else len(item.tokens)
        for left, verb in pairwise(item.tokens[start:]):
            if stem(verb.lower) == root and verb.lower.isalpha():
                if left.kind is not Kind.WORD or is_ordinary(left.lower):
                    return None
                doers.append((item, left.text))
    if not doers or any(_known_as(name) & _known_as(doer) for _, doer in doers):
        return None
    return Finding(State.CONTRADICTED, f"In {doers[0][0].id} it is {doers[0][1]} that {following[0].lower}.")


def _only_bears(name: str, item: Item) -> bool:
    mine = _known_as(name)
    borne = [mine & _terms(each.bearer) or _starts(name, each.bearer) for each in item.relations]
    return bool(borne) and any(borne) and name not in item.about


def _starts(name: str, side: Sequence[Token]) -> bool:
    return any(token.text.startswith(f"{name}-") or f"/{name}-" in token.text for token in side)


_BE: Final = frozenset({"is", "was", "are", "were", "got", "gets", "be", "been"})


def _compare(mine: Relation, sides: _Sides, item: Item) -> State | None:
    found: set[State] = set()
    for theirs in item.relations:
        if theirs.family == mine.family:
            found |= _crossed(sides, (_terms(theirs.bearer), _terms(theirs.other)))
    edge = item.call
    if not found and mine.family in _BY_CALLER and edge is not None:
        found |= _crossed(sides, (_known_as(edge[0]), _known_as(edge[1])))
    if not found and mine.family == "reject" and edge is not None and "certificate" in item.words[1]:
        found |= _crossed(sides, (_known_as(edge[1]), _known_as(edge[0])))
    if State.FOUND in found:
        return State.FOUND
    return State.CONTRADICTED if found else None


def _crossed(mine: _Sides, theirs: _Sides) -> set[State]:
    """FOUND where the two sides are the same, CONTRADICTED where they are exchanged, nothing where one is unknown."""
    if any(_turned(mine[side] & theirs[1 - side], theirs[side], theirs[1 - side] & mine[1 - side]) for side in (0, 1)):
        return {State.CONTRADICTED}
    if not theirs[1] and mine[1] & theirs[0] and not mine[0] & theirs[0]:
        return {State.CONTRADICTED}
    straight = len(mine[0] & theirs[0]) + len(mine[1] & theirs[1])
    across = len(mine[0] & theirs[1]) + len(mine[1] & theirs[0])
    if across > straight and mine[0] & theirs[1] and mine[1] & theirs[0]:
        return {State.CONTRADICTED}
    return {State.FOUND} if mine[0] & theirs[0] and mine[1] & theirs[1] else set()


def _turned(exchanged: frozenset[str], own: frozenset[str], kept: frozenset[str]) -> bool:
    """Whether a name or id of one side is only on the other side there, and nothing else agrees."""
    return not kept and any("-" in term or (term.isdigit() and len(term) > 2) for term in exchanged - own)


def _terms(side: Sequence[Token]) -> frozenset[str]:
    """The names, numbers and telling words of a side."""
    found: set[str] = set()
    for token in side:
        if token.kind is Kind.WORD and is_prose(token.lower):
            continue
        if token.kind in {Kind.WORD, Kind.NUMBER, Kind.PLACEHOLDER, Kind.PATH}:
            found |= _known_as(token.text)
    return frozenset(found)


def _known_as(name: str) -> frozenset[str]:
    return frozenset(stem(each.lower()) if each.isalpha() else each.lower() for each in stems_of_name(name))
