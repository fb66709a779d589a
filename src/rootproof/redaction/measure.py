"""What a text is made of, measured once, so that a detector whose finds cannot be in it is never started."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_TOKEN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_RUNS: Final = bytes(code if code in _TOKEN else 32 for code in range(256))
_QUAD: Final = re.compile(r"\d[.-]\d{1,3}[.-]\d{1,3}[.-]\d", re.ASCII)
_NO_DIGITS: Final = bytes(code for code in range(256) if not 48 <= code <= 57)


class Measure(NamedTuple):
    """Bounds on what a text can hold."""

    run: int
    """Length of the longest run of ASCII letters, digits and `+ / _ -`: at least as long as any token in the text."""
    digits: int
    """Number of ASCII digits."""
    has_quad: bool
    """Whether four numbers stand joined by dots or hyphens: an address, or a machine named after one."""


def measured(text: str) -> Measure:
    """Return the measure of a text."""
    raw = text.encode("ascii", "replace")
    digits = len(raw.translate(None, _NO_DIGITS))
    longest = max(map(len, raw.translate(_RUNS).split()), default=0)
    return Measure(longest, digits, digits >= 4 and _QUAD.search(text) is not None)
