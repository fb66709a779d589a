"""Numbers with their unit, precision, comparison and the words beside them; and when two of them agree."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.text import Kind, Token
from rootproof.agent.grounding.units import Dimension, Unit, key_unit, unit

MAX_QUANTITIES = 120
"""Numbers read from one text; the rest of a longer text is not needed to check one sentence."""


class Bound(StrEnum):
    """How a claim limits a number."""

    EXACT = "exact"
    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written. Values are in base units (seconds, bytes, percent points, cores)."""

    text: str
    values: tuple[float, ...]
    """More than one where the unit is used loosely (64 MB) or has two meanings (250m)."""
    step: float
    """One unit in the last written place."""
    loose_step: float
    """The same with trailing zeros not counted: 600 -> 100."""
    dimension: Dimension
    start: int
    end: int
    """Token positions [start, end)."""
    approximate: bool = False
    nearly: bool = False
    bound: Bound = Bound.EXACT
    before: tuple[str, ...] = ()
    """Lower-case words that lead to it, nearest first."""
    after: tuple[str, ...] = ()
    """Lower-case words that follow it, nearest first."""
    key: str | None = None
    """The field it is the value of (`active=10`), as written."""
    high: Quantity | None = None
    """The upper end where it is a range."""
    whole: Quantity | None = None
    """The second number of `A of B` or `A/B`."""

    @property
    def value(self) -> float:
        """The first reading."""
        return self.values[0]


_NUMBER = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?|\.[0-9]+)(.*)", re.DOTALL)
_TIMES = re.compile(r"x[0-9]{1,9}")
"""`(x14)`: how often a repeated event was seen."""
_AFTER_COLON = re.compile(r":([0-9]{1,6})$")
"""The line or port at the end of `Rule.java:118`, `db:5432`."""
_STATUSES = re.compile(r"[1-5][0-9]{2}s")
"""`129 503s`: status codes, not seconds."""
_PIECE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ns|us|µs|ms|s|m|h|d)")
_WORD_NUMBERS: Final[dict[str, int]] = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS: Final[dict[str, int]] = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
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
_SKIP_BEFORE: Final = frozenset("a an the of is was were are at to its it be by just only some had has".split())


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
            item = _with_range(_with_comparison(item, tokens), tokens)
        elif item.end < len(tokens) and tokens[item.end].lower == "of":
            item = _with_range(item, tokens)
        found.append(item)
        position = item.end
    return _with_compounds(found, tokens) if claim else found


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
            return _number_word(tokens, position)
        case Kind.WORD if _TIMES.fullmatch(token.text):
            return _plain(token.text[1:], position)
        case Kind.WORD if (ended := _AFTER_COLON.search(token.text)) is not None:
            return _plain(ended[1], position)
        case _:
            return None


def _plain(digits: str, position: int) -> Quantity:
    value = _float(digits)
    return Quantity(digits, (value,), 1.0, _loose(digits, 1.0), Dimension.NONE, position, position + 1)


def _float(digits: str) -> float:
    try:
        return float(digits.replace(",", ""))
    except (ValueError, OverflowError):
        return math.inf


def _step(digits: str) -> float:
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    power = int(exponent) if exponent else 0
    return 10.0 ** max(-300, min(300, power - decimals))


def _loose(digits: str, step: float) -> float:
    mantissa = digits.lower().partition("e")[0].replace(",", "")
    if "." in mantissa:
        return step
    zeros = len(mantissa) - len(mantissa.rstrip("0"))
    return step * 10.0 ** min(zeros, 300) if mantissa.strip("0") else step


def _number(tokens: Sequence[Token], position: int) -> Quantity | None:
    token = tokens[position]
    matched = _NUMBER.fullmatch(token.text)
    if matched is None:
        return None
    digits, suffix = matched.groups()
    end = position + 1
    value, step = _float(digits), _step(digits)
    suffix_word = suffix.partition("/")[0]
    known = unit(suffix_word) if suffix_word else None
    if suffix_word and known is None:
        return None
    scale = 1.0
    text = token.text
    if known is not None and known.dimension is Dimension.NONE:
        scale, known = known.factors[0], None
    if known is None:
        known, scale, end, text = _following_unit(tokens, end, scale, text)
    return _build(digits, value * scale, step * scale, known, text, position, end)


def _following_unit(tokens: Sequence[Token], end: int, scale: float, text: str) -> tuple[Unit | None, float, int, str]:
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


def _build(digits: str, value: float, step: float, known: Unit | None, text: str, start: int, end: int) -> Quantity:
    loose = _loose(digits, step)
    if known is None:
        return Quantity(text, (value,), step, loose, Dimension.NONE, start, end)
    factor = known.factors[0]
    return Quantity(
        text, tuple(value * each for each in known.factors), step * factor, loose * factor, known.dimension, start, end
    )


def _number_word(tokens: Sequence[Token], position: int) -> Quantity | None:
    words = tokens[position].lower.split("-")
    value: float | None = None
    end = position + 1
    match words:
        case [tens, ones] if tens in _TENS and 0 < _WORD_NUMBERS.get(ones, 0) < 10:
            value = float(_TENS[tens] + _WORD_NUMBERS[ones])
        case [word] if word in _TENS:
            value = float(_TENS[word])
        case [word] if word in _WORD_NUMBERS and word != "one":
            value = float(_WORD_NUMBERS[word])
        case ["one"] if end < len(tokens) and unit(tokens[end].lower) is not None and len(tokens[end].text) > 1:
            value = 1.0
        case ["dozen"]:
            value = 12.0
        case [word, name] if word in _WORD_NUMBERS and (known := unit(name)) is not None and len(name) > 2:
            number = float(_WORD_NUMBERS[word])
            return _build(str(int(number)), number, 1.0, known, tokens[position].text, position, end)
        case _:
            return None
    if value is None:
        return None
    scale, text = 1.0, tokens[position].text
    if end < len(tokens) and tokens[end].lower in {"hundred", "dozen"}:
        scale, text, end = (100.0 if tokens[end].lower == "hundred" else 12.0), f"{text} {tokens[end].text}", end + 1
    known, scale, end, text = _following_unit(tokens, end, scale, text)
    return _build(str(int(value)), value * scale, scale, known, text, position, end)


def _with_context(item: Quantity, tokens: Sequence[Token]) -> Quantity:
    """`item` with the words around it, its field name and the unit that the field name carries."""
    key: str | None = None
    begin = item.start
    if begin >= 2 and tokens[begin - 2].kind is Kind.WORD:
        field = tokens[begin - 2].text
        if tokens[begin - 1].text in {"=", ":"} or (tokens[begin - 1].text == "(" and ("." in field or "_" in field)):
            key = field
    before: list[str] = []
    for token in reversed(tokens[max(0, begin - 7) : begin]):
        if token.text in {",", ";", "(", ")", ".", "|"} or token.kind in {
            Kind.NUMBER,
            Kind.FRACTION,
            Kind.TIME,
            Kind.CLOCK,
        }:
            break
        if token.lower in {"and", "while", "but", "or", "then", "so"}:
            break
        if token.kind is Kind.WORD and token.lower not in _SKIP_BEFORE:
            before.append(token.lower)
    after: list[str] = []
    for token in tokens[item.end : item.end + 4]:
        if token.text == "-" and not after:
            continue
        if token.kind is not Kind.WORD or token.lower in {
            "at",
            "and",
            "while",
            "but",
            "with",
            "to",
            "between",
            "after",
            "before",
            "since",
            "because",
            "during",
            "in",
            "on",
            "by",
            "from",
            "for",
            "within",
        }:
            break
        if token.lower not in _SKIP_BEFORE:
            after.append(token.lower)
    item = replace(item, key=key, before=tuple(before[:4]), after=tuple(after[:3]))
    if item.whole is not None:
        item = replace(item, whole=replace(item.whole, before=item.before, after=item.after))
    if key is not None and item.dimension is Dimension.NONE and (known := key_unit(key)) is not None:
        factor = known.factors[0]
        return replace(item, values=(item.value * factor,), step=item.step * factor, dimension=known.dimension)
    return item


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


_FILLERS: Final = frozenset("a an the its their of to by with at just well as around".split())
_PHRASE_BOUNDS: Final = (
    (signs.AT_LEAST_PHRASES, Bound.AT_LEAST),
    (signs.AT_MOST_PHRASES, Bound.AT_MOST),
    (signs.MORE_THAN, Bound.ABOVE),
    (signs.LESS_THAN, Bound.BELOW),
)


def _with_comparison(item: Quantity, tokens: Sequence[Token]) -> Quantity:
    approximate = nearly = False
    bound = Bound.EXACT
    position = item.start
    if (
        position >= 2
        and tokens[position - 2].lower == "just"
        and tokens[position - 1].lower in signs.ABOVE | signs.BELOW
    ):
        approximate = True
    for _ in range(5):
        if position <= 0 or bound is not Bound.EXACT:
            break
        for phrases, found in _PHRASE_BOUNDS:
            if _follows(tokens, position, phrases) and not _rose_up_to(tokens, position):
                bound = found
                break
        word = tokens[position - 1].lower
        if bound is not Bound.EXACT:
            break
        if word in signs.ABOVE or word in {">"}:
            bound = Bound.ABOVE
        elif word in signs.BELOW:
            bound = Bound.BELOW
        elif word == "=" and position >= 2 and tokens[position - 2].text in {">", "<"}:
            bound = Bound.AT_LEAST if tokens[position - 2].text == ">" else Bound.AT_MOST
        elif word in signs.APPROXIMATE or word == "~":
            approximate, nearly = True, nearly or word in signs.NEARLY
        elif word not in _FILLERS:
            break
        position -= 1
    if bound is Bound.ABOVE and _is_period(item, tokens, position):
        bound = Bound.EXACT
    if item.end < len(tokens) and tokens[item.end].text == "+":
        bound = Bound.AT_LEAST
    if bound is Bound.EXACT and item.after[:1] == ("or",) and item.after[1:2] in {("more",), ("so",)}:
        bound, approximate = (Bound.AT_LEAST, approximate) if item.after[1] == "more" else (bound, True)
    return replace(
        item,
        approximate=approximate,
        nearly=nearly,
        bound=_unless_negated(bound, tokens[max(0, position - 7) : position]),
    )


def _unless_negated(bound: Bound, lead: Sequence[Token]) -> Bound:
    """`never above` is at most, `not below` is at least."""
    words: list[str] = []
    for token in reversed(lead):
        if token.kind is not Kind.WORD:
            break
        words.append(token.lower)
    if not {"never", "not"} & set(words):
        return bound
    return {Bound.ABOVE: Bound.AT_MOST, Bound.BELOW: Bound.AT_LEAST}.get(bound, bound)


def _is_period(item: Quantity, tokens: Sequence[Token], position: int) -> bool:
    """Whether "over" means "during": `over 14 minutes`, `over the 9 minutes`."""
    return (
        item.dimension is Dimension.TIME
        and position < len(tokens)
        and tokens[position].lower == "over"
        and item.step >= 1.0
    )


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
    while skip < len(tokens) and skip < end + 4 and tokens[skip].lower in {"of", "the", "about", "all", "a", "its"}:
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
        item, text=f"{item.text} of {other.text}", whole=other, end=other.end, after=_with_context(other, tokens).after
    )


def _rescale(item: Quantity, other: Quantity) -> Quantity:
    """`item` in the unit of `other`: the 55 of `55-62 ms`."""
    digits = re.match(r"[0-9.,]+", other.text)
    number = _float(digits.group().rstrip(".,")) if digits else 0.0
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


def readings(claimed: Quantity, seen: Quantity) -> list[tuple[float, float]]:
    """Pairs (claimed value, seen value) in one common unit; empty where the units cannot be compared."""
    if not all(math.isfinite(value) for value in (*claimed.values, *seen.values)):
        return []
    if seen.dimension is Dimension.NONE and _STATUSES.fullmatch(claimed.text):
        return [(claimed.value, seen.value)]
    if claimed.dimension is seen.dimension:
        return [(mine, theirs) for mine in claimed.values for theirs in seen.values]
    pair = (claimed.dimension, seen.dimension)
    if Dimension.NONE in pair and Dimension.CPU in pair:
        return [(claimed.value, seen.value)]
    if pair == (Dimension.TIME, Dimension.CPU) and seen.text.endswith("m"):
        return [(claimed.value, seen.value * 1000 * 60)]
    if pair == (Dimension.CPU, Dimension.TIME) and claimed.text.endswith("m"):
        return [(claimed.value * 1000 * 60, seen.value)]
    if claimed.dimension is Dimension.NONE:
        return [(claimed.value, raw) for raw in _raw(seen)]
    return []


def _raw(seen: Quantity) -> list[float]:
    """The number as it stands, without its unit: a claim may leave the unit out."""
    digits = re.match(r"[0-9.,]+", seen.text)
    number = _float(digits.group().rstrip(".,")) if digits else math.inf
    return [number] if math.isfinite(number) else []


def agrees(claimed: Quantity, seen: Quantity) -> bool:
    """Whether `seen` is what `claimed` says, within the precision in which it is written."""
    return any(_close(claimed, mine, theirs) for mine, theirs in readings(claimed, seen))


def _close(claimed: Quantity, mine: float, theirs: float) -> bool:
    step = claimed.step * (mine / claimed.value if claimed.value else 1.0)
    slack = 1e-9 * max(abs(mine), abs(theirs))
    match claimed.bound:
        case Bound.ABOVE:
            return mine < theirs <= max(mine + _loose_of(claimed, mine), 1.5 * mine) + slack
        case Bound.AT_LEAST:
            return mine - slack <= theirs <= max(mine + _loose_of(claimed, mine), 1.5 * mine) + slack
        case Bound.BELOW:
            return min(mine - _loose_of(claimed, mine), mine / 1.5) - slack <= theirs < mine
        case Bound.AT_MOST:
            return mine / 1.25 - slack <= theirs <= mine + step / 2 + slack
        case Bound.EXACT:
            if claimed.nearly and mine * 0.9 <= theirs <= mine:
                return True
            if claimed.approximate:
                loose = _loose_of(claimed, mine)
                width = max(step / 2, min(loose / 2, 0.085 * abs(mine)), 0.02 * abs(mine))
                return abs(mine - theirs) <= width + slack
            return abs(mine - theirs) <= step / 2 + slack


def _loose_of(claimed: Quantity, mine: float) -> float:
    return claimed.loose_step * (mine / claimed.value if claimed.value else 1.0)
