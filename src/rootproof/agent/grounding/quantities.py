"""Numbers with their unit, precision, comparison and the words beside them; and when two of them agree."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding.comparisons import with_comparison
from rootproof.agent.grounding.digits import build, following_unit, loose_step
from rootproof.agent.grounding.number_words import number_word
from rootproof.agent.grounding.quantity import Quantity, to_float
from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.units import Dimension, key_unit, unit
from rootproof.agent.grounding.wordlists import words

MAX_QUANTITIES = 120
"""Numbers read from one text; the rest of a longer text is not needed to check one sentence."""


_NUMBER = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?|\.[0-9]+)(.*)", re.DOTALL)
_TIMES = re.compile(r"x[0-9]{1,9}")
"""`(x14)`: how often a repeated event was seen."""
_AFTER_COLON = re.compile(r":([0-9]{1,12})([kKMGT]i?B|ms|s)?$")
"""The line or port at the end of `Rule.java:118`, `db:5432`."""
_PIECE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ns|us|µs|ms|s|m|h|d)")
_DURATION_FACTORS: Final = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
_WALLS: Final = frozenset({",", ";", "(", ")", ".", "|"})
_NUMERIC: Final = frozenset({Kind.NUMBER, Kind.FRACTION, Kind.TIME, Kind.CLOCK})
_JOINERS: Final = frozenset({"and", "while", "but", "or", "then", "so"})
_PREPOSITIONS: Final = words(
    "at and while but with to between after before since because during in on by from for within"
)
_SKIP_BEFORE: Final = words("""
    a an the of is was were are at to its it be by just only some had has
""")


def quantities(tokens: Sequence[Token], *, claim: bool) -> list[Quantity]:
    """The numbers of a token list, in order, at most MAX_QUANTITIES.

    `claim` also reads number words, ranges, comparisons and approximations, which evidence does not use.
    """
    found: list[Quantity] = []
    position = 0
    while position < len(tokens) and len(found) < MAX_QUANTITIES:
        item = _at(tokens, position, claim=claim)
        if item is None:
            position += 1
            continue
        item = _with_context(item, tokens)
        if claim:
            item = _with_range(with_comparison(item, tokens), tokens)
        elif item.end < len(tokens) and tokens[item.end].lower == "of":
            item = _with_range(item, tokens)
        found.append(item)
        position = item.end
    found = _with_shared_unit(found, tokens)
    return _with_compounds(found, tokens) if claim else found


def _with_shared_unit(found: list[Quantity], tokens: Sequence[Token]) -> list[Quantity]:
    """`found` with the unit of B also for A in `from A to B`: from 1.6 to 3.2 GiB."""
    for index, (left, right) in enumerate(itertools.pairwise(found)):
        between = [token.lower for token in tokens[left.end : right.start] if token.lower not in _VAGUE]
        from_to = between == ["to"] and tokens[left.start - 1].lower in {"from", *_VAGUE}
        if from_to and left.dimension is Dimension.NONE and right.dimension is not Dimension.NONE and right.value:
            found[index] = _rescale(left, right)
    return found


_VAGUE: Final = words("about around roughly nearly almost over some just")


def _with_compounds(found: list[Quantity], tokens: Sequence[Token]) -> list[Quantity]:
    """`found` with spans such as `two hours and ten minutes` made one number."""
    merged: list[Quantity] = []
    for item in found:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.dimension is item.dimension is Dimension.TIME
            and last.step >= 60 * item.step * 0.99
        ):
            between = [token.lower for token in tokens[last.end : item.start]]
            if between in (["and"], [], [","]) and last.high is None:
                total = last.value + item.value
                merged[-1] = replace(
                    last,
                    text=f"{last.text} {item.text}",
                    values=(total,),
                    step=item.step,
                    loose_step=item.step,
                    end=item.end,
                    after=item.after,
                )
                continue
        merged.append(item)
    return merged


def _at(tokens: Sequence[Token], position: int, *, claim: bool) -> Quantity | None:
    token = tokens[position]
    match token.kind:
        case Kind.NUMBER:
            return _number(tokens, position)
        case Kind.DURATION:
            total = sum(float(value) * _DURATION_FACTORS[name] for value, name in _PIECE.findall(token.text))
            smallest = _DURATION_FACTORS[_PIECE.findall(token.text)[-1][1]]
            return Quantity(token.text, (total,), smallest, smallest, Dimension.TIME, position, position + 1)
        case Kind.FRACTION:
            part, whole = (_plain(number, position) for number in token.text.split("/"))
            return replace(part, text=token.text, whole=whole)
        case Kind.WORD if claim:
            return number_word(tokens, position)
        case Kind.WORD if _TIMES.fullmatch(token.text):
            return _plain(token.text[1:], position)
        case Kind.WORD if (ended := _AFTER_COLON.search(token.text)) is not None:
            known = unit(ended[2]) if ended[2] else None
            if known is not None:
                return build(ended[1], float(ended[1]), 1.0, known, ended[1] + ended[2], position, position + 1)
            return _plain(ended[1], position) if len(ended[1]) < 7 else None
        case _:
            return None


def _plain(digits: str, position: int) -> Quantity:
    value = to_float(digits)
    return Quantity(digits, (value,), 1.0, loose_step(digits, 1.0), Dimension.NONE, position, position + 1)


def _step(digits: str) -> float:
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    power = int(exponent) if exponent else 0
    return 10.0 ** max(-300, min(300, power - decimals))


def _number(tokens: Sequence[Token], position: int) -> Quantity | None:
    token = tokens[position]
    matched = _NUMBER.fullmatch(token.text)
    if matched is None:
        return None
    digits, suffix = matched.groups()
    end = position + 1
    value, step = to_float(digits), _step(digits)
    suffix_word = suffix.partition("/")[0]
    known = unit(suffix_word) if suffix_word else None
    if token.start and position > 1 and [each.lower for each in tokens[position - 2 : position]] == ["factor", "of"]:
        known, suffix_word = unit("x"), "x"
    if suffix_word and known is None:
        return None
    scale = 1.0
    text = token.text
    if known is not None and known.dimension is Dimension.NONE:
        scale, known = known.factors[0], None
    if known is None:
        known, scale, end, text = following_unit(tokens, end, scale, text)
    return build(digits, value * scale, step * scale, known, text, position, end)


def _with_context(item: Quantity, tokens: Sequence[Token]) -> Quantity:
    """`item` with the words around it, its field name and the unit that the field name carries."""
    key: str | None = None
    begin = item.start
    if begin >= 2 and tokens[begin - 2].kind is Kind.WORD:
        field = tokens[begin - 2].text
        if tokens[begin - 1].text in {"=", ":"} or (tokens[begin - 1].text == "(" and ("." in field or "_" in field)):
            key = field
    before, after = _words_beside(item, tokens)
    item = replace(item, key=key, before=tuple(before[:4]), after=tuple(after[:3]))
    if item.whole is not None:
        item = replace(item, whole=replace(item.whole, before=item.before, after=item.after))
    if key is not None and item.dimension is Dimension.NONE and (known := key_unit(key)) is not None:
        factor = known.factors[0]
        return replace(item, values=(item.value * factor,), step=item.step * factor, dimension=known.dimension)
    return item


def _words_beside(item: Quantity, tokens: Sequence[Token]) -> tuple[list[str], list[str]]:
    """The words that lead to a number and those that follow it, nearest first, within its phrase."""
    before: list[str] = []
    for token in reversed(tokens[max(0, item.start - 7) : item.start]):
        if token.text in _WALLS or token.kind in _NUMERIC or token.lower in _JOINERS | {"any", "both"}:
            break
        if token.kind is Kind.WORD and token.lower not in _SKIP_BEFORE:
            before.append(token.lower)
    after: list[str] = []
    for token in tokens[item.end : item.end + 4]:
        if token.text == "-" and not after:
            continue
        if token.kind is not Kind.WORD or token.lower in _PREPOSITIONS:
            break
        if token.lower not in _SKIP_BEFORE:
            after.append(token.lower)
    return before, after


def _with_range(item: Quantity, tokens: Sequence[Token]) -> Quantity:
    """`item` with its upper end where `A-B`, `between A and B` or `A of B` is written."""
    end = item.end
    if end + 1 >= len(tokens) or item.whole is not None:
        return item
    middle = tokens[end].lower
    begins = tokens[item.start - 1].lower if item.start else ""
    joined = middle == "-" and tokens[end + 1].kind is Kind.NUMBER
    spelled = middle == "and" and begins == "between"
    if (
        not joined
        and not spelled
        and middle not in {"of", "/"}
        and not (middle == "out" and tokens[end + 1].lower == "of")
    ):
        return item
    skip = end + 1
    while (
        skip < len(tokens)
        and skip < end + 4
        and tokens[skip].lower in {"of", "the", "about", "all", "a", "its", "at", "most"}
    ):
        skip += 1
    if skip >= len(tokens):
        return item
    other = _at(tokens, skip, claim=True)
    if other is None:
        return item
    if joined or spelled:
        if item.dimension is Dimension.NONE and other.dimension is not Dimension.NONE and other.value:
            item = _rescale(item, other)
        return replace(
            item, text=f"{item.text}-{other.text}", high=other, end=other.end, after=_with_context(other, tokens).after
        )
    if item.dimension is Dimension.PERCENT or other.dimension is not item.dimension:
        return item
    return replace(
        item,
        text=f"{item.text} of {other.text}",
        whole=other,
        end=other.end,
        after=_with_context(other, tokens).after,
        tail=tuple(token.lower for token in tokens[other.end : other.end + 6]),
    )


def _rescale(item: Quantity, other: Quantity) -> Quantity:
    """`item` in the unit of `other`: the 55 of `55-62 ms`."""
    digits = re.match(r"[0-9.,]+", other.text)
    number = to_float(digits.group().rstrip(".,")) if digits else 0.0
    if not number or not math.isfinite(number):
        return item
    factor = other.value / number
    return replace(
        item,
        values=(item.value * factor,),
        step=item.step * factor,
        loose_step=item.loose_step * factor,
        dimension=other.dimension,
    )
