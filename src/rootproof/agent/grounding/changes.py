"""What came in the place of what, and who did it: `A -> B`, `from A to B`, `A renamed to B`, `by NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose

_TURNED: Final = words("""
    renamed changed switched moved edited converted migrated upgraded downgraded updated bumped set replaced reverted
    rolled cut raised lowered reduced increased extended shortened
""")
_VALUES: Final = frozenset({Kind.WORD, Kind.NUMBER, Kind.PLACEHOLDER, Kind.PATH, Kind.DURATION})
_FILL: Final = words("a an the about its old new value version class key back")


def pairs(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """(what was, what came in its place) for each replacement that a text states."""
    lowers = [token.lower for token in tokens]
    found: list[tuple[str, str]] = []
    for position, word in enumerate(lowers):
        before, after = _value(tokens, position, -1), _value(tokens, position, 1)
        if word == "-" and lowers[position + 1 : position + 2] == [">"]:
            after = _value(tokens, position + 1, 1)
            found += _made(before, after)
        elif word == "to" and "from" in lowers[max(0, position - 4) : position]:
            found += _made(before, after)
        elif word == "from" and "to" in lowers[max(0, position - 4) : position] and "to" not in lowers[position:]:
            found += _made(after, before)
        elif word == "to" and _turns(lowers, position):
            found += _made(before if before not in _TURNED else _renamed(tokens, position), after)
        elif (word == "instead" and lowers[position + 1 : position + 2] == ["of"]) or (
            word == "rather" and lowers[position + 1 : position + 2] == ["than"]
        ):
            found += _made(_value(tokens, position + 1, 1), before)
        elif word in {"with", "by"} and {"replaced", "replaces", "replace"} & set(
            lowers[max(0, position - 4) : position]
        ):
            found += _made(before if before != "replaced" else _renamed(tokens, position), after)
    return found


def _made(old: str | None, new: str | None) -> list[tuple[str, str]]:
    return [(old, new)] if old and new and old != new else []


def _turns(lowers: Sequence[str], position: int) -> bool:
    """Whether a verb of change stands before `to`: `renamed A to B`, `A renamed to B`."""
    return bool(_TURNED & set(lowers[max(0, position - 4) : position]))


def _renamed(tokens: Sequence[Token], position: int) -> str | None:
    """What stands before the verb of `A was renamed to B`."""
    for index in range(position - 1, max(-1, position - 4), -1):
        if tokens[index].lower in _TURNED:
            lead = index - 1
            while lead >= 0 and tokens[lead].lower in {"was", "were", "been", "is", "has", "had", "be"}:
                lead -= 1
            return _plain(tokens[lead]) if lead >= 0 else None
    return None


def _value(tokens: Sequence[Token], position: int, step: int) -> str | None:
    """The value beside a position: the next token that is no filling word."""
    index = position + step
    while 0 <= index < len(tokens) and tokens[index].lower in _FILL:
        index += step
    return _plain(tokens[index]) if 0 <= index < len(tokens) else None


def _plain(token: Token) -> str | None:
    if token.kind not in _VALUES or (token.kind is Kind.WORD and is_prose(token.lower) and token.lower not in _TURNED):
        return None
    return token.lower.rstrip(":,.").replace(",", "")


def doers(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """Each NAME behind a `by` that tells who did it, with its position."""
    for position, token in enumerate(tokens[:-1]):
        name = tokens[position + 1]
        if token.lower == "by" and name.kind in {Kind.WORD, Kind.PLACEHOLDER} and not is_prose(name.lower):
            yield name.text, position + 1
