"""Digits with their unit made a number, and the precision in which they are written."""

from __future__ import annotations

from collections.abc import Sequence

from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.units import Dimension, Unit, unit


def loose_step(digits: str, step: float) -> float:
    """One unit in the last place that is not a trailing zero: 600 -> 100."""
    mantissa = digits.lower().partition("e")[0].replace(",", "")
    if "." in mantissa:
        return step
    zeros = len(mantissa) - len(mantissa.rstrip("0"))
    return step * 10.0 ** min(zeros, 300) if mantissa.strip("0") else step


def following_unit(tokens: Sequence[Token], end: int, scale: float, text: str) -> tuple[Unit | None, float, int, str]:
    """The unit in the words after the digits: `5 million`, `30 seconds`, `3 times as many`, `30-second`, `95 %`."""
    for _ in range(2):
        nxt = end
        if nxt < len(tokens) and tokens[nxt].text == "-" and tokens[nxt].start == tokens[nxt - 1].end:
            nxt += 1
        if nxt >= len(tokens) or tokens[nxt].kind not in {Kind.WORD, Kind.PUNCT}:
            break
        word = tokens[nxt].text
        found = unit(word) if len(word) > 1 or word == "%" or (word in "sBhd" and nxt == end) else None
        if found is None or (found.dimension is Dimension.RATIO and word.lower() == "x"):
            break
        text = f"{text} {word}" if word != "%" else f"{text}%"
        end = nxt + 1
        if found.dimension is Dimension.NONE and not found.rate:
            scale *= found.factors[0]
            continue
        return (found if found.dimension is not Dimension.NONE else None), scale, end, text
    return None, scale, end, text


def build(digits: str, value: float, step: float, known: Unit | None, text: str, start: int, end: int) -> Quantity:
    """The number at tokens [start, end) in base units."""
    loose = loose_step(digits, step)
    if known is None:
        return Quantity(text, (value,), step, loose, Dimension.NONE, start, end)
    factor = known.factors[0]
    return Quantity(
        text, tuple(value * each for each in known.factors), step * factor, loose * factor, known.dimension, start, end
    )
