"""Numbers in words: seventeen, two dozen, three and a half minutes, three quarters of an hour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rootproof.agent.grounding.digits import build, following_unit
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import Token
from rootproof.agent.grounding.units import Dimension, unit

_WORD_NUMBERS: Final[dict[str, int]] = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final[dict[str, int]] = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}


_NUMBERS: Final = _WORD_NUMBERS | _TENS


def number_word(tokens: Sequence[Token], position: int) -> Quantity | None:
    """The number that the words at a position say, or None."""
    end = position + 1
    spelled = tokens[position].lower.split("-")
    match spelled:
        case ["half"]:
            return _half(tokens, position)
        case ["a" | "an"]:
            return _a_unit(tokens, position)
        case [word, name] if word in _NUMBERS and (known := unit(name)) is not None and len(name) > 2:
            number = float(_NUMBERS[word])
            return build(str(int(number)), number, 1.0, known, tokens[position].text, position, end)
        case _:
            value = _value(spelled, tokens, position)
    if value is None or (position and tokens[position - 1].lower in {"few", "several", "couple", "many"}):
        return None
    following = [token.lower for token in tokens[end : end + 4]]
    if following[:1] == ["quarters"] and following[1:4] in (["of", "an", "hour"], ["of", "a", "day"]):
        known = unit(following[3])
        if known is not None:
            text = " ".join(token.text for token in tokens[position : end + 4])
            return build(str(value / 4), value / 4, 0.25, known, text, position, end + 4)
    if following[:1] and following[0] in _PARTS:
        return None
    scale, text = 1.0, tokens[position].text
    step = 1.0
    if [token.lower for token in tokens[end : end + 3]] == ["and", "a", "half"]:
        value, step, text, end = value + 0.5, 0.5, f"{text} and a half", end + 3
    if end < len(tokens) and tokens[end].lower in {"hundred", "dozen"}:
        scale, text, end = (100.0 if tokens[end].lower == "hundred" else 12.0), f"{text} {tokens[end].text}", end + 1
    known, scale, end, text = following_unit(tokens, end, scale, text)
    return build(str(int(value)), value * scale, step * scale, known, text, position, end)


def _value(spelled: list[str], tokens: Sequence[Token], position: int) -> float | None:
    """What a word is as a number; `one` only where it counts or measures."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    match spelled:
        case [tens, ones] if tens in _TENS and 0 < _WORD_NUMBERS.get(ones, 0) < 10:
            return float(_TENS[tens] + _WORD_NUMBERS[ones])
        case [word] if word in _TENS:
            return float(_TENS[word])
        case [word] if word in _WORD_NUMBERS and word != "one":
            return float(_WORD_NUMBERS[word])
        case ["one"] if following is not None and following.lower == "of" and _is_one_of(tokens, position):
            return 1.0
        case ["one"] if following is not None and len(following.text) > 1 and unit(following.lower) is not None:
            return 1.0
        case ["dozen"]:
            return 12.0
        case _:
            return None


def _is_one_of(tokens: Sequence[Token], position: int) -> bool:
    """Whether `one of the two` is written, not `every one of the 20`."""
    lead = tokens[position - 1].lower if position else ""
    following = [token.lower for token in tokens[position + 2 : position + 4] if token.lower not in {"the", "its"}]
    return (
        lead not in {"every", "each", "any", "no", "not"}
        and bool(following)
        and (following[0] in _WORD_NUMBERS or following[0].isdigit())
    )


_PARTS: Final = frozenset({"thirds", "quarters", "fifths", "tenths", "third", "quarter", "fifth", "tenth"})
"""`two thirds` is a share, which is checked as such."""


_LIMITING: Final = frozenset({"than", "within", "about", "over", "under", "nearly", "almost", "least", "by", "roughly"})


def _a_unit(tokens: Sequence[Token], position: int) -> Quantity | None:
    """`less than a minute`, `a minute and a half`: one of a unit of time where a limit or a half makes it a number."""
    known = unit(tokens[position + 1].lower) if position + 1 < len(tokens) else None
    if known is None or known.dimension is not Dimension.TIME or len(tokens[position + 1].text) < 3:
        return None
    if [token.lower for token in tokens[position + 2 : position + 5]] == ["and", "a", "half"]:
        text = " ".join(token.text for token in tokens[position : position + 5])
        return build("1.5", 1.5, 0.5, known, text, position, position + 5)
    if not position or tokens[position - 1].lower not in _LIMITING:
        return None
    return build("1", 1.0, 1.0, known, f"a {tokens[position + 1].text}", position, position + 2)


def _half(tokens: Sequence[Token], position: int) -> Quantity | None:
    """`half a minute`, `half an hour`."""
    rest = [token.lower for token in tokens[position + 1 : position + 3]]
    known = unit(rest[1]) if len(rest) == 2 and rest[0] in {"a", "an"} and len(rest[1]) > 2 else None
    if known is None or known.dimension is not Dimension.TIME:
        return None
    text = " ".join(token.text for token in tokens[position : position + 3])
    return build("0.5", 0.5, 0.5, known, text, position, position + 3)
