"""Texts made to be slow for one pattern: parts of what it matches, repeated, and its own characters without an end."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import rootproof.redaction as package

_SPACES = {codes.CATEGORY_SPACE: " ", codes.CATEGORY_DIGIT: "4", codes.CATEGORY_WORD: "a"}
_NEGATED = {codes.CATEGORY_NOT_SPACE: "a", codes.CATEGORY_NOT_DIGIT: "a", codes.CATEGORY_NOT_WORD: "-"}


def patterns() -> Iterator[re.Pattern[str]]:
    """Yield every pattern that a module of the package has compiled."""
    seen = set()
    for module in pkgutil.iter_modules(package.__path__):
        for value in vars(importlib.import_module(f"{package.__name__}.{module.name}")).values():
            for item in _flat(value):
                if item not in seen:
                    seen.add(item)
                    yield item


def _flat(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _flat(item)


def hostile_to(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Yield texts of about `size` characters; the same ones, only longer, for another size."""
    sample = _sample(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), 3)
    for cut in sorted({1, len(sample) // 3, 2 * len(sample) // 3, len(sample) - 1, len(sample)} - {0, -1}):
        piece = sample[:cut]
        yield (piece * (size // len(piece) + 1))[:size]
        yield piece + piece[-1] * size


def _sample(parsed: Any, repeats: int) -> str:
    return "".join(_one(op, argument, repeats) for op, argument in parsed)


def _one(op: Any, argument: Any, repeats: int) -> str:
    """Return a text for one node of a parsed pattern: the first alternative, a few repetitions."""
    match op:
        case codes.LITERAL:
            return chr(argument)
        case codes.NOT_LITERAL | codes.ANY:
            return "a"
        case codes.IN:
            return _of_set(argument)
        case codes.BRANCH:
            return _sample(argument[1][0], repeats)
        case codes.SUBPATTERN:
            return _sample(argument[3], repeats)
        case codes.ATOMIC_GROUP:
            return _sample(argument, repeats)
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            low, high, inner = argument
            return _sample(inner, repeats) * max(low, min(int(high), repeats))
        case _:
            return ""


def _of_set(items: Any) -> str:
    if items[0][0] is codes.NEGATE:
        return next(char for char in "a 4-;" if not any(_holds(item, char) for item in items[1:]))
    op, argument = items[0]
    if op is codes.RANGE:
        return chr(argument[0])
    if op is codes.CATEGORY:
        return (_SPACES | _NEGATED)[argument]
    return chr(argument)


def _holds(item: Any, char: str) -> bool:
    op, argument = item
    if op is codes.RANGE:
        return bool(argument[0] <= ord(char) <= argument[1])
    if op is codes.CATEGORY:
        return {
            codes.CATEGORY_SPACE: char.isspace(),
            codes.CATEGORY_DIGIT: char.isdigit(),
            codes.CATEGORY_WORD: char.isalnum() or char == "_",
        }.get(argument, False)
    return bool(argument == ord(char))
