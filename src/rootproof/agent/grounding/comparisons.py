"""How a claim limits a number: about, over, at least, never above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words


def _follows(tokens: Sequence[Token], end: int, phrases: Sequence[tuple[str, ...]]) -> int:
    """How many tokens a phrase that stops right before `end` has; 0 where none does."""
    for phrase in phrases:
        first = end - len(phrase)
        if first >= 0 and tuple(token.lower for token in tokens[first:end]) == phrase:
            return len(phrase)
    return 0


def _rose_up_to(tokens: Sequence[Token], end: int) -> bool:
    """Whether `up to` belongs to a verb of motion: shot up to, went up to."""
    words = [token.lower for token in tokens[max(0, end - 3) : end]]
    return words[-2:] == ["up", "to"] and (
        words[0] in signs.UP or words[0] in {"went", "going", "ticked", "moved", "pushed", "driven"}
    )


_FILLERS: Final = words("a an the its their of to by with at just well as around")


_PHRASE_BOUNDS: Final = (
    (signs.AT_LEAST_PHRASES, Bound.AT_LEAST),
    (signs.AT_MOST_PHRASES, Bound.AT_MOST),
    (signs.MORE_THAN, Bound.ABOVE),
    (signs.LESS_THAN, Bound.BELOW),
)


def with_comparison(item: Quantity, tokens: Sequence[Token]) -> Quantity:
    """`item` with the limit and the approximation that the words around it give it."""
    bound, hints, position = _words_before(item, tokens)
    approximate = bool(hints & signs.APPROXIMATE) or _just(item, tokens)
    if bound is Bound.ABOVE and _is_period(item, tokens, position):
        bound = Bound.EXACT
    if item.end < len(tokens) and tokens[item.end].text == "+":
        bound = Bound.AT_LEAST
    if bound is Bound.EXACT and item.after[:2] == ("or", "more"):
        bound = Bound.AT_LEAST
    return replace(
        item,
        approximate=approximate or item.after[:2] == ("or", "so"),
        nearly=bool(hints & signs.NEARLY),
        bound=_unless_negated(bound, tokens[max(0, position - 7) : position]),
    )


def _words_before(item: Quantity, tokens: Sequence[Token]) -> tuple[Bound, set[str], int]:
    """The limit before a number, the approximating words met on the way, and where the reading stopped."""
    hints: set[str] = set()
    position = item.start
    for _ in range(5):
        if position <= 0:
            break
        for phrases, found in _PHRASE_BOUNDS:
            if _follows(tokens, position, phrases) and not _rose_up_to(tokens, position):
                return found, hints, position
        word = tokens[position - 1].lower
        if word in signs.ABOVE:
            return Bound.ABOVE, hints, position - 1
        if word in signs.BELOW:
            return Bound.BELOW, hints, position - 1
        if word in {"within", "inside"} and item.dimension is Dimension.TIME:
            return Bound.AT_MOST, hints, position - 1
        if word in signs.APPROXIMATE:
            hints.add(word)
        elif word not in _FILLERS:
            break
        position -= 1
    return Bound.EXACT, hints, position


def _just(item: Quantity, tokens: Sequence[Token]) -> bool:
    """Whether `just over` or `just under` stands before a number: it is then near, whatever statistic it is of."""
    lead = tokens[max(0, item.start - 2) : item.start]
    return len(lead) == 2 and lead[0].lower == "just" and lead[1].lower in signs.ABOVE | signs.BELOW


def _unless_negated(bound: Bound, lead: Sequence[Token]) -> Bound:
    """`never above` is at most, `not below` is at least."""
    words: list[str] = []
    for token in reversed(lead):
        if token.kind is not Kind.WORD or token.lower in {"for", "in"}:
            break
        words.append(token.lower)
    if not {"never", "not", "no"} & set(words):
        return bound
    return {Bound.ABOVE: Bound.AT_MOST, Bound.BELOW: Bound.AT_LEAST}.get(bound, bound)


def _is_period(item: Quantity, tokens: Sequence[Token], position: int) -> bool:
    """Whether "over" means "during": `over 14 minutes`, `over the 9 minutes`."""
    return (
        item.dimension is Dimension.TIME
        and position < len(tokens)
        and tokens[position].lower == "over"
        and tokens[position - 1].lower not in {"little", "just", "slightly", "well", "bit", "somewhat"}
        and item.step >= 1.0
    )
