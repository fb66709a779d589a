"""Runs of base64 that hold text: decoded once, so that `{"password":...}` is found where it is only encoded."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from typing import Final

_LIMIT: Final = 65_536
SHORTEST_RUN: Final = 22
"""Shorter runs are not decoded: they hold no name with a value."""
_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{22,}+={0,2}")
_ALPHABET: Final = str.maketrans("-_", "+/")


def decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and plain text of every run that is base64 of printable text.

    Shape: of a run longer than 64 KiB the beginning is decoded.
    """
    for match in _RUN.finditer(text):
        run = match.group()[:_LIMIT].rstrip("=").translate(_ALPHABET)
        run = run[: len(run) - (len(run) % 4 == 1)]
        try:
            plain = binascii.a2b_base64(run + "=" * (-len(run) % 4))
            inner = plain.decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if inner.isprintable() or inner.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
            yield match.start(), match.end(), inner
