"""Characters that a reader cannot see, shown as escapes.

Terminal codes, bidi controls, tag characters and zero-width characters can hide text, reorder it or drive a terminal.
"""

from __future__ import annotations

import re
from typing import Final

# Cf and friends: soft hyphen, Hangul fillers, zero-width and bidi controls, separators, invisible operators, BOM,
# interlinear marks, tags, supplementary variation selectors. (U+FE0F stays: it only picks the colour of an emoji.)
INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_TAGS: Final = re.compile("[\U000e0000-\U000e0fff]+")
_HIDDEN: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{INVISIBLE}]")


def visible(text: str) -> str:
    r"""Return the text with every unseen character but tab and newline as an escape such as `\x1b` or `\u202e`.

    Tag characters (U+E0000 and up) can spell a whole sentence that only a model reads: a run of them is taken out, and
    a note in its place says how many there were. See `hidden_tags`.
    """
    if text.isascii() and text.isprintable():
        return text
    return _TAGS.sub(_note, text).translate(_ESCAPES)


def hidden_tags(text: str) -> int:
    """Return how many notes on tag characters that were taken out stand in the text."""
    return text.count(_NOTE)


_NOTE: Final = "[hidden text taken out: "


def _note(match: re.Match[str]) -> str:
    return f"{_NOTE}{len(match.group())} tag characters]"


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPES: Final = {
    code: _escape(code)
    for code in (*range(0x3200), *range(0xD800, 0xE000), *range(0xFE00, 0x10000), *range(0x1D100, 0x1D200))
    if _HIDDEN.match(chr(code))
}
"""(The tag characters of the last plane are gone by then.)"""
