"""Templates of log messages: what stays the same, with typed slots for what varies; their ids.

One configuration for every system. The partition of the messages does not depend on their order, and counts are exact:
every message has a template, or is counted as "other" when there are more shapes than `MAX_SHAPES`.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from rootproof.logs.masking import GLUE, Shape, ShapeReader, is_mark, pattern_text, texts, words
from rootproof.logs.merging import merge
from rootproof.logs.rules import Rules
from rootproof.logs.slots import slot

MAX_SHAPES = 20_000
MAX_PARTS = 150_000
"""Only so many distinct shapes, with so many parts, are compared with each other: the most frequent and shortest. The
rest join the templates found, or are "other"."""
OTHER = -1
_SLOT_SAMPLES = 8
_BETWEEN = "\0"
"""Between the parts of a shape in its key; a part has no such character, or else only its own shape suffers."""
_MAX_REMEMBERED = 50_000

_SLOTS = re.compile(r"<[a-z*][a-z-]{0,23}>(?:\W{0,8}<[a-z*][a-z-]{0,23}>)*")


@dataclass(frozen=True, slots=True)
class Mined:
    """The templates of a job and which one each message has."""

    templates: tuple[str, ...]
    """Distinct, in the order of the first message that has them."""
    assignment: Sequence[int]
    """One index into `templates` per message; -1 is "other"."""

    def counts(self) -> Counter[int]:
        """How many messages each index has, `OTHER` included when there are any."""
        return Counter(self.assignment)


def pattern_id(template: str) -> str:
    """A short id that depends on the template only, and not on the kinds shown in its slots.

    Shape: `p-` and 12 hexadecimal digits.
    """
    plain = _SLOTS.sub("<*>", template)
    return "p-" + hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def templates_of(examples: Sequence[tuple[str, int]]) -> Mined:
    """The templates of `(message, how often)`; the assignment is per example, in the same order."""
    reader = ShapeReader()
    found = _distinct_shapes(examples, reader)
    kept = _within_cap(found)
    plain = [reader.shape(reader.erased(found.smallest[index])) for index in kept]
    merged = merge(plain)
    groups: defaultdict[tuple[str, ...], list[tuple[str, Shape, int]]] = defaultdict(list)
    for index, shape in zip(kept, merged, strict=True):
        groups[texts(shape)].append((found.smallest[index], shape, index))
    numbers: dict[str, int] = {}
    shown: dict[str, str] = {}
    of_shape = [OTHER] * len(found.keys)
    for members in groups.values():
        template = _render(members, reader)
        name = pattern_id(template)
        shown[name] = min(template, shown.get(name, template))
        number = numbers.setdefault(name, len(numbers))
        for _, _, index in members:
            of_shape[index] = number
    if len(kept) < len(of_shape):
        rules = Rules()
        for index, before, after in zip(kept, plain, merged, strict=True):
            rules.learn(before, after, of_shape[index])
        for index, key in enumerate(found.keys):
            if of_shape[index] == OTHER:
                of_shape[index] = rules.number(tuple(key.split(_BETWEEN)), OTHER)
    return Mined(tuple(shown.values()), array("i", [of_shape[index] for index in found.of_example]))


@dataclass(slots=True)
class _Shapes:
    """The distinct shapes of a job, by their number."""

    keys: list[str] = field(default_factory=list)
    """The texts of the parts, joined."""
    totals: list[int] = field(default_factory=list)
    smallest: list[str] = field(default_factory=list)
    """The smallest text that has the shape: a choice that no order can change, and that polars makes too."""
    of_example: array[int] = field(default_factory=lambda: array("i"))


def _distinct_shapes(examples: Iterable[tuple[str, int]], reader: ShapeReader) -> _Shapes:
    by_erased: dict[tuple[tuple[str, ...], ...], int] = {}
    by_key: dict[str, int] = {}
    found = _Shapes()
    for example, count in examples:
        message = pattern_text(example)
        erased = reader.erased(message)
        index = by_erased.get(erased)
        if index is None:
            key = _BETWEEN.join(texts(reader.shape(erased)))
            index = by_key.setdefault(key, len(by_key))
            if index == len(found.keys):
                found.keys.append(key)
                found.totals.append(0)
                found.smallest.append(message)
            if len(by_erased) < _MAX_REMEMBERED:
                by_erased[erased] = index
        found.totals[index] += count
        found.smallest[index] = min(found.smallest[index], message)
        found.of_example.append(index)
    return found


def _within_cap(found: _Shapes) -> list[int]:
    """The shapes that are compared with each other, in order; all of them unless there are too many."""
    widths = [key.count(_BETWEEN) + 1 for key in found.keys]
    if len(widths) <= MAX_SHAPES and sum(widths) <= MAX_PARTS:
        return list(range(len(widths)))
    ranked = sorted(range(len(widths)), key=lambda index: (-found.totals[index], widths[index], found.keys[index]))
    parts = accumulate(widths[index] for index in ranked)
    return sorted(index for index, sum_of in zip(ranked[:MAX_SHAPES], parts, strict=False) if sum_of <= MAX_PARTS)


def _render(members: list[tuple[str, Shape, int]], reader: ShapeReader) -> str:
    """The text of a template: constants as written in its smallest example, a typed slot for each value."""
    members = sorted(members, key=lambda member: member[0])[:_SLOT_SAMPLES]
    spans = [(words(example), reader.erased(example)) for example, _, _ in members]
    pieces: list[str] = []
    for position, part in enumerate(members[0][1]):
        glued = part.text.startswith(GLUE)
        if is_mark(part.text):
            values = [_value(span, shape, position) for span, (_, shape, _) in zip(spans, members, strict=True)]
            text = slot(values)
        else:
            text = part.text.removeprefix(GLUE)
        pieces.append(text if glued or not pieces else " " + text)
    return "".join(pieces)


def _value(span: tuple[list[str], tuple[tuple[str, ...], ...]], shape: Shape, position: int) -> str:
    """The words behind a mark; of `key=value` only what follows the key."""
    part = shape[position]
    found, erased = span
    if part.last >= len(found):
        return ""
    text = " ".join(found[part.first : part.last + 1])
    if part.text.startswith(GLUE):
        key = erased[part.first][0]
        text = text[len(key) :] if len(erased[part.first]) > 1 else text
    return text
