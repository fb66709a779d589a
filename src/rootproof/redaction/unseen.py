"""Characters that a reader cannot see: shown as escapes, and looked through when secrets are searched.

Terminal codes, bidi controls, tag characters and zero-width characters can hide text, reorder it or drive a terminal.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

# Cf and friends: soft hyphen, Hangul fillers, zero-width and bidi controls, separators, invisible operators, BOM,
# interlinear marks, tags, supplementary variation selectors. (U+FE0F stays: it only picks the colour of an emoji.)
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_INVISIBLE}]")
# What may stand inside a token without changing how it looks: colour codes and invisible characters.
_LOOK_THROUGH: Final = re.compile(f"\x1b\\[[0-9;?]{{0,32}}[A-Za-z]|[\x00\x7f{_INVISIBLE}]")


def visible(text: str) -> str:
    r"""Return the text with every unseen character but tab and newline as an escape such as `\x1b` or `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class Folded:
    """A text without unseen characters, and the way back to the offsets of the original."""

    __slots__ = ("_from", "_to", "text")

    def __init__(self, original: str) -> None:
        self.text = original
        self._from: list[int] = []
        self._to: list[int] = []
        if original.isascii() and original.isprintable():
            return
        pieces: list[str] = []
        length = end = 0
        for match in _LOOK_THROUGH.finditer(original):
            if match.start() > end or not pieces:
                self._from.append(length)
                self._to.append(end)
                pieces.append(original[end : match.start()])
                length += match.start() - end
            end = match.end()
        if not pieces:
            return
        self._from.append(length)
        self._to.append(end)
        pieces.append(original[end:])
        self.text = "".join(pieces)

    @property
    def changed(self) -> bool:
        """True if an offset of `text` may differ from the offset in the original."""
        return bool(self._from)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where the (not empty) span of `text` lies in the original."""
        return self._back(start), self._back(end - 1) + 1

    def _back(self, offset: int) -> int:
        index = bisect_right(self._from, offset) - 1
        return self._to[index] + offset - self._from[index]
