"""Shares in words: half, a third, three quarters: against the percentages of the cited items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.derived import changes, factor_fits
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, joined
from rootproof.agent.grounding.text import Token
from rootproof.agent.grounding.units import Dimension, unit
from rootproof.agent.grounding.wordlists import words

_PARTS: Final = {
    "half": 50.0,
    "third": 100 / 3,
    "thirds": 100 / 3,
    "quarter": 25.0,
    "quarters": 25.0,
    "fifth": 20.0,
    "fifths": 20.0,
    "tenth": 10.0,
}
_TIMES: Final = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_MORE: Final = frozenset({"over", "than", "above", "exceeding", "beyond"})
_LESS: Final = words("under below less fewer")
_NEAR: Final = signs.APPROXIMATE | {"just", "well", "a", "of", "to", "little", "the"}
_MAX_SHARE: Final = 1.75
"""`More than a third` may be said of up to this many thirds."""


@dataclass(frozen=True, slots=True)
class _Share:
    text: str
    at: int
    end: int
    lead: int
    """Where its modifiers begin: `by | almost a third`."""
    low: float
    high: float


def check_shares(ground: Ground) -> Iterator[Finding]:
    """One finding for each share in words whose items hold percentages; others cannot be told and are left alone."""
    tokens = ground.parsed.tokens
    for position in range(len(tokens)):
        share = _share(tokens, position)
        if share is None or share.at in ground.parsed.hypothesis:
            continue
        if share.at == share.lead and share.end - share.at > 2 and share.at not in shown_shares(ground):
            continue
        bound = ground.bound_items(share.at, share.end)[1]
        read: Callable[[Item], Iterator[float]] = _percentages
        if tokens[share.lead - 1].lower == "by":
            read = _changes
        if read is _percentages:
            read = _reader(tokens)
        items = [item for item in bound if list(read(item))]
        if not items:
            continue
        holder = next((item for item in items if any(share.low <= value <= share.high for value in read(item))), None)
        ids = joined([item.id for item in items])
        if holder is not None:
            yield Finding(State.FOUND, f"{share.text} is what {holder.id} gives in percent.")
        else:
            yield Finding(State.MISSING, f"{share.text} is not among the percentages of {ids}.")


_MULTIPLES: Final = {"twice": 2.0, "double": 2.0, "triple": 3.0, "thrice": 3.0}


def check_multiples(ground: Ground) -> Iterator[Finding]:
    """One finding for `twice`, `double` said of series only: two of their statistics must be that far apart."""
    for position, token in enumerate(ground.parsed.tokens):
        factor = _MULTIPLES.get(token.lower)
        _, items = ground.bound_items(position, position + 1)
        if factor is None or any(item.series is None for item in items):
            continue
        holder = next((item for item in items if factor_fits(item, factor, (0.2, 0.4))), None)
        if holder is not None:
            yield Finding(State.FOUND, f"{holder.id} changed by about {token.text}.")
        else:
            yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {ground.ids} does not show that.")


def _percentages(item: Item) -> Iterator[float]:
    for seen in item.quantities:
        if seen.dimension is Dimension.PERCENT:
            yield seen.value
        if seen.whole is not None and seen.whole.value > 0:
            yield 100 * seen.value / seen.whole.value


def _reader(tokens: Sequence[Token]) -> Callable[[Item], Iterator[float]]:
    """What gives the percentages to compare with: also the rest of a rate of success where failures are told."""
    return _missed if _MISSED & {token.lower for token in tokens} else _percentages


_MISSED: Final = words("fail fails failed failing failure failures miss misses missed lost errors error down")


def _missed(item: Item) -> Iterator[float]:
    """The percentages, and of a rate of success what is left."""
    for value in _percentages(item):
        yield value
        if {"success", "hit", "availability"} & item.head:
            yield 100 - value


_SMALL: Final = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
    )
}


def _of(tokens: Sequence[Token], position: int) -> _Share | None:
    """`one in three`, `four out of five`: shares where the items hold percentages only."""
    middle = [token.lower for token in tokens[position + 1 : position + 4]]
    length = 2 if middle[:1] == ["in"] else 3 if middle[:2] == ["out", "of"] or middle[1:2] == ["in"] else 0
    if not length or position + length >= len(tokens):
        return None
    part, whole = (_small(tokens[index]) for index in (position, position + length))
    if not part or not whole or part >= whole:
        return None
    value = 100.0 * part / whole
    text = " ".join(token.text for token in tokens[position : position + length + 1])
    if [token.lower for token in tokens[max(0, position - 2) : position]] == ["more", "than"]:
        return _Share(text, position, position + length + 1, position, value, value * _MAX_SHARE)
    return _Share(text, position, position + length + 1, position, value * 0.88, value * 1.12)


def _small(token: Token) -> int | None:
    return _SMALL.get(token.lower) or (int(token.text) if token.text.isdigit() and len(token.text) < 3 else None)


def shown_shares(ground: Ground) -> frozenset[int]:
    """Positions of numbers that a share in words covers and the items bear out: `four out of five` for 0.8."""
    tokens = ground.parsed.tokens
    found: set[int] = set()
    for position in range(len(tokens)):
        share = _of(tokens, position)
        if share is None or any(seen.whole is not None for item in ground.items for seen in item.quantities):
            continue
        if any(share.low <= value <= share.high for item in ground.items for value in _reader(tokens)(item)):
            found.update(range(share.at, share.end))
    return frozenset(found)


def _changes(item: Item) -> Iterator[float]:
    """By how many percent a series changed between two of its statistics."""
    for _, change in changes([item]):
        yield change.value


def _share(tokens: Sequence[Token], position: int) -> _Share | None:
    """The share written at a position, with the percentages it may stand for."""
    part = _PARTS.get(tokens[position].lower)
    if part is None:
        return _of(tokens, position)
    first, count = position, 1
    if position and tokens[position - 1].lower in _TIMES:
        first, count = position - 1, _TIMES[tokens[position - 1].lower]
    elif tokens[position].lower != "half":
        return None
    following = [token.lower for token in tokens[position + 1 : position + 4]]
    rest = following[1:] if following[:1] == ["of"] else following
    if rest[:1] in (["a"], ["an"]) or (rest and unit(rest[0]) is not None and rest[0] != "of"):
        return None
    lead = [token.lower for token in tokens[max(0, first - 4) : first]]
    near: set[str] = set()
    begin = first
    for word in reversed(lead):
        if word not in _NEAR | _MORE | _LESS | {"more"}:
            break
        near.add(word)
        begin -= 1
    value = part * count
    text = " ".join(token.text for token in tokens[first : position + 1])
    if near & _LESS:
        return _Share(text, first, position + 1, begin, value * 0.6, value)
    if near & _MORE:
        return _Share(text, first, position + 1, begin, value, min(100.0, value * _MAX_SHARE))
    if near & signs.NEARLY or "close" in near:
        return _Share(text, first, position + 1, begin, value * 0.84, value * 1.02)
    return _Share(text, first, position + 1, begin, value * 0.88, value * 1.12)
