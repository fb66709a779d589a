"""Who did what to whom: the verbs of one thing acting on another, with the two sides told apart by voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rootproof.agent.grounding.entities import is_ordinary
from rootproof.agent.grounding.text import MAX_ATOMS, Kind, Token
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose

_SUFFERS: Final = {
    "block": words("block blocks blocked blocking obstruct obstructs obstructed"),
    "throttle": words("throttle throttles throttled throttling"),
    "evict": words("evict evicts evicted evicting preempt preempts preempted preempting"),
    "kill": words("kill kills killed killing terminate terminates terminated terminating"),
    "reject": words("reject rejects rejected rejecting refuse refuses refused refusing deny denies denied denying"),
    "starve": words("starve starves starved starving"),
    "reset": words("reset resets resetting"),
    "overload": words("overload overloads overloaded overloading flood floods flooded flooding"),
}
"""Verbs whose object bears it."""
TAKES: Final = words("""
    fill fills filled exhausts exhausted consumes consumed hogs hogged ate depletes depleted saturates saturated
    overloads overloaded overwhelms overwhelmed starves starved floods flooded
""")
"""Verbs whose subject is to blame."""
_NEEDS: Final = {
    "call": words("""
        calls called calling invoke invokes invoked invoking queried querying contact contacts
        contacted contacting reach reaches reached reaching resolve resolves resolved resolving
        depend depends depended depending rely relies relied relying
    """),
    "block": words("wait waits waited waiting queue queues queued queuing"),
    "replicate": words("replicate replicates replicated replicating"),
}
"""Verbs whose subject needs the other: the caller, the one that waits."""
_BEARS: Final = {word: family for family, members in _SUFFERS.items() for word in members}
_NEED: Final = {word: family for family, members in _NEEDS.items() for word in members}
_CALL_NOUNS: Final = words("call queries query requests connections timeouts request connection lookups lookup")
_TO_CALLED: Final = words("to calling reach reaching upstream contacting dependency lookup resolve resolving")
"""Right before the name of whom the writer of a log line calls."""
_STOPS: Final = words("; : . ! ? , while whereas but because which so when after before since until and although")
_REACH: Final = 12
"""Tokens on either side of a verb that may name who it is about."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing acting on another, each side as the tokens that name it."""

    family: str
    at: int
    bearer: tuple[Token, ...]
    """Who waits, calls, is blocked or killed."""
    other: tuple[Token, ...]
    """Whom it waits for or calls, who blocks or kills it."""


def relations(tokens: Sequence[Token], start: int = 0, speaker: int | None = None) -> list[Relation]:
    """The relations that a text states from `start` on, at most MAX_ATOMS; where a side is left out, it is the
    token at `speaker` (a log line's writer).
    """
    found: list[Relation] = []
    for position in range(start, len(tokens)):
        if tokens[position].kind is not Kind.WORD or len(found) >= MAX_ATOMS:
            continue
        left = _left(tokens, position, start, speaker)
        right = _right(tokens, position)
        relation = _bears(tokens, position, left, right, speaker) or _needs(tokens, position, left, right)
        if relation is not None:
            found.append(relation)
    return found


_NUMBERED: Final = words("process processes session pid backend transaction thread connection job")
_BE: Final = words("is are was were be been being gets got get")
_Side = tuple[Token, ...]


def _bears(tokens: Sequence[Token], position: int, left: _Side, right: _Side, speaker: int | None) -> Relation | None:
    family = _BEARS.get(tokens[position].lower)
    if family is None:
        return None
    for index, token in enumerate(right):
        if token.lower in {"by", "behind"} or (token.lower == "on" and family == "block"):
            return Relation(family, position, left, right[index + 1 :])
    if left and left[-1].lower in _BE:
        return Relation(family, position, left, ())
    before = tokens[position - 1] if position else None
    numbered = position > 1 and tokens[position - 2].lower in _NUMBERED
    if before is not None and tokens[position].lower.endswith("ed") and _qualifies(before) and not numbered:
        return None
    if not right and speaker is not None:
        if tokens[position].lower == "rejected" and not {token.lower for token in left} & _CALL_NOUNS:
            return None  # `token rejected:` is as often what its writer does to a token.
        return Relation(family, position, (tokens[speaker],), left)
    return Relation(family, position, right, left)


def _needs(tokens: Sequence[Token], position: int, left: _Side, right: _Side) -> Relation | None:
    word = tokens[position].lower
    following = right[0].lower if right else ""
    family = "call" if word in _CALL_NOUNS and following in {"to", "from", "against"} else _NEED.get(word)
    if word in {"to", "against"} and right and not is_ordinary(right[0].lower) and right[0].kind is Kind.WORD:
        named = [token for token in left if token.kind is Kind.WORD and not is_ordinary(token.lower)]
        return Relation("to", position, tuple(named), right[:1]) if named else None
    if word in {"retries", "requests", "calls", "queries", "attempts"} and following == "by":
        cut = next((index for index, token in enumerate(right) if token.lower in {"on", "to", "against"}), len(right))
        return Relation("call", position, right[1:cut], right[cut:])
    counted = bool(left) and left[-1].kind is Kind.NUMBER and following not in {"to", "from"}
    if family is None or (word in {"calls", "call"} and (counted or following in {"for", "of"})):
        return None
    if following == "by":
        return Relation(family, position, right[1:], left)
    if family == "call" and following == "from" and word in {"timeouts", "timeout"}:
        return Relation(family, position, left, right[1:])
    if family == "call" and following == "from":
        cut = next((index for index, token in enumerate(right) if token.lower == "to"), len(right))
        return Relation(family, position, right[1:cut], right[cut:])
    if family == "block" and following not in {"for", "on", "behind"}:
        return None
    return Relation(family, position, left, right)


def _right(tokens: Sequence[Token], position: int) -> _Side:
    """What follows a position in its clause."""
    end = position + 1
    while end < len(tokens) and end - position <= _REACH:
        if tokens[end].lower in _STOPS and not (tokens[end].text == "," and _lists(tokens, end)):
            break
        end += 1
    return tuple(tokens[position + 1 : end])


def _left(tokens: Sequence[Token], position: int, start: int, speaker: int | None) -> _Side:
    """What precedes a position in its clause; the clause before, or the speaker, where nothing does."""
    end = position
    while end > start and tokens[end - 1].lower in _STOPS:
        end -= 1
    begin = end
    while begin > start and end - begin < _REACH and tokens[begin - 1].lower not in _STOPS:
        begin -= 1
    if begin == end and speaker is not None:
        return (tokens[speaker],)
    return tuple(tokens[begin:end])


def _lists(tokens: Sequence[Token], comma: int) -> bool:
    """Whether a comma stands between two names: `calls cart-api, user-db`."""
    return comma + 1 < len(tokens) and all(
        each.kind is Kind.WORD and not is_ordinary(each.lower) for each in (tokens[comma - 1], tokens[comma + 1])
    )


def _qualifies(token: Token) -> bool:
    """Whether what stands before a participle makes it an adjective: `the first refused connection`."""
    return token.kind is Kind.NUMBER or (token.kind is Kind.WORD and is_prose(token.lower))


_METHODS: Final = words("GET POST PUT DELETE PATCH HEAD")


def called(tokens: Sequence[Token], start: int) -> str | None:
    """Whom the writer of a log message calls, by the name behind `to`, `calling`, `upstream`; None where none is."""
    end = min(len(tokens), start + 40)
    for position in range(start, end - 1):
        after = tokens[position + 1]
        if after.kind is Kind.PATH and "://" in after.text:
            return after.text.split("://", 1)[1].partition("/")[0].partition(":")[0]
        if tokens[position].text in _METHODS and after.kind is Kind.WORD and "/" in after.text:
            return after.text.partition("/")[0]
        if tokens[position].lower not in _TO_CALLED:
            continue
        if after.kind is Kind.WORD and not is_ordinary(after.lower):
            return after.text
    if start + 1 < len(tokens) and tokens[start].kind is Kind.WORD and tokens[start + 1].text == ":":
        return None if is_ordinary(tokens[start].lower) else tokens[start].text
    if end - start > 3 and [tokens[end - 3].text, tokens[end - 1].text] == ["(", ")"]:
        return None if is_ordinary(tokens[end - 2].lower) else tokens[end - 2].text
    return None
