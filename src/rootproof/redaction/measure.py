"""What a text is made of, measured once, so that a detector whose finds cannot be in it is never started."""

from __future__ import annotations

from typing import Final, NamedTuple

_TOKEN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_RUNS: Final = bytes(code if code in _TOKEN else 32 for code in range(256))
_NO_DIGITS: Final = bytes(code for code in range(256) if not 48 <= code <= 57)


class Measure(NamedTuple):
    """Bounds on what a text can hold."""

    run: int
    """Length of the longest run of ASCII letters, digits and `+ / _ -`: at least as long as any token in the text."""
    digits: int
    """Number of ASCII digits."""


def measured(text: str) -> Measure:
    """Return the measure of a text."""
    raw = text.encode("ascii", "replace")
    return Measure(max(map(len, raw.translate(_RUNS).split()), default=0), len(raw.translate(None, _NO_DIGITS)))
