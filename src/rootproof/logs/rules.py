"""Templates found among some shapes, put to use for the shapes that were too many to be compared.

A shape joins a template when it is equal to one of its shapes wherever merging left a word in place, and when no word
says how something went where merging saw a value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rootproof.logs.forms import Form, look
from rootproof.logs.masking import Shape, is_mark

_MAX_OPENINGS = 16
"""For each length of a shape only so many sets of opened positions are tried, the most frequent first."""

Opened = tuple[int, ...]


class Rules:
    """What merging has opened, by the length of the shapes."""

    def __init__(self) -> None:
        self._openings: defaultdict[int, Counter[Opened]] = defaultdict(Counter)
        self._numbers: dict[tuple[int, Opened, tuple[str, ...]], int] = {}
        self._ranked: dict[int, list[Opened]] = {}

    def learn(self, before: Shape, after: Shape, number: int) -> None:
        """Note that the shape `before` became `after`, which has the template `number`."""
        left = set(after)
        opened = tuple(at for at, part in enumerate(before) if part not in left and not is_mark(part.text))
        if not opened:
            return
        self._openings[len(before)][opened] += 1
        stay = tuple(part.text for at, part in enumerate(before) if at not in opened)
        self._numbers[len(before), opened, stay] = number

    def number(self, parts: Sequence[str], otherwise: int) -> int:
        """The template that a shape with these parts joins."""
        width = len(parts)
        if width not in self._ranked:
            common = sorted(self._openings[width].items(), key=lambda item: (-item[1], item[0]))
            self._ranked[width] = [opened for opened, _ in common[:_MAX_OPENINGS]]
        for opened in self._ranked[width]:
            stay = tuple(part for at, part in enumerate(parts) if at not in opened)
            number = self._numbers.get((width, opened, stay))
            if number is not None and all(look(parts[at]).form is not Form.FIXED for at in opened):
                return number
        return otherwise
