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
from dataclasses import dataclass

from rootproof.logs.masking import GLUE, Shape, ShapeReader, is_mark, pattern_text, texts, words
from rootproof.logs.merging import merge
from rootproof.logs.slots import slot

MAX_SHAPES = 30_000
"""More distinct shapes than this in one job go to "other", the rarest and longest first."""
OTHER = -1
_SLOT_SAMPLES = 8

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
    messages = [pattern_text(message) for message, _ in examples]
    shapes, of_example = _distinct_shapes(messages)
    kept = _within_cap(shapes, of_example, [count for _, count in examples])
    smallest = _smallest_examples(of_example, messages, len(shapes))
    reader = ShapeReader()
    merged = merge([reader.shape(reader.erased(smallest[index])) for index in kept])
    groups: defaultdict[tuple[str, ...], list[tuple[str, Shape, int]]] = defaultdict(list)
    for index, shape in zip(kept, merged, strict=True):
        groups[texts(shape)].append((smallest[index], shape, index))
    numbers: dict[str, int] = {}
    of_shape = [OTHER] * len(shapes)
    for members in groups.values():
        number = numbers.setdefault(_render(members, reader), len(numbers))
        for _, _, index in members:
            of_shape[index] = number
    return Mined(tuple(numbers), array("i", [of_shape[index] for index in of_example]))


def _distinct_shapes(messages: Iterable[str]) -> tuple[list[Shape], list[int]]:
    reader = ShapeReader()
    by_erased: dict[tuple[tuple[str, ...], ...], int] = {}
    by_texts: dict[tuple[str, ...], int] = {}
    shapes: list[Shape] = []
    of_message: list[int] = []
    for message in messages:
        erased = reader.erased(message)
        index = by_erased.get(erased)
        if index is None:
            shape = reader.shape(erased)
            index = by_texts.setdefault(texts(shape), len(shapes))
            if index == len(shapes):
                shapes.append(shape)
            by_erased[erased] = index
        of_message.append(index)
    return shapes, of_message


def _within_cap(shapes: list[Shape], of_example: list[int], counts: list[int]) -> list[int]:
    """The shapes that take part, in order; all of them unless there are more than the cap."""
    if len(shapes) <= MAX_SHAPES:
        return list(range(len(shapes)))
    totals: Counter[int] = Counter()
    for index, count in zip(of_example, counts, strict=True):
        totals[index] += count
    ranked = sorted(range(len(shapes)), key=lambda index: (-totals[index], len(shapes[index]), texts(shapes[index])))
    return sorted(ranked[:MAX_SHAPES])


def _smallest_examples(of_example: list[int], messages: list[str], shapes: int) -> list[str]:
    """For each shape the smallest text that has it: a choice that no order can change, and that polars makes too."""
    smallest: list[str | None] = [None] * shapes
    for index, message in zip(of_example, messages, strict=True):
        known = smallest[index]
        if known is None or message < known:
            smallest[index] = message
    return [message or "" for message in smallest]


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
