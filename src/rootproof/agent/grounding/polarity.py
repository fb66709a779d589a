"""What a text says plainly and what it says under a negation."""

from __future__ import annotations

from collections.abc import Sequence

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import Kind, Token, parts
from rootproof.agent.grounding.words import concepts_of, stem


def polarity(
    tokens: Sequence[Token],
    numbers: Sequence[Quantity],
    words: frozenset[str] = signs.NEGATORS - {"free", "absence", "absent"},
    *,
    start: int = 0,
) -> tuple[frozenset[str], frozenset[str]]:
    """(stems and concepts under a negation, those said plainly); one may be in both."""
    denied: set[str] = set()
    plain: set[str] = set()
    zero_at = {quantity.start for quantity in numbers if quantity.value == 0 and quantity.end}
    zero_keys = {
        quantity.key for quantity in numbers if quantity.value == 0 and quantity.key and quantity.whole is None
    }
    reach = 0
    for position, token in enumerate(tokens):
        if token.text in {",", ";", ".", ":", "("}:
            reach = 0
        if position >= start and (token.lower in words or position in zero_at):
            reach = 5
            if position and position + 1 < len(tokens) and tokens[position + 1].lower in _LACKING:
                denied |= terms(tokens[position - 1].lower)
                plain -= terms(tokens[position - 1].lower)
            continue
        if token.kind is not Kind.WORD:
            continue
        inner = parts(token.text)
        if token.lower == "false" and position > 1 and tokens[position - 1].lower in {"is", "=", ":"}:
            denied |= terms(tokens[position - 2].lower)
            plain -= terms(tokens[position - 2].lower)
        if token.text in zero_keys or reach > 0:
            denied |= terms(token.lower, *inner)
            reach -= 1
        elif "not" in inner[:-1]:
            denied |= terms(*inner[inner.index("not") + 1 :])
            plain |= {token.lower}
        else:
            plain |= terms(token.lower, *inner)
    return frozenset(denied), frozenset(plain)


_LACKING = frozenset({"available", "found", "ready", "present", "defined", "exist", "reachable"})
"""`leader not available`: there is no leader."""


def terms(*words: str) -> set[str]:
    """The words, their stems and their concepts."""
    found: set[str] = set()
    for word in words:
        found |= {word, stem(word), *concepts_of(word)}
    return found
