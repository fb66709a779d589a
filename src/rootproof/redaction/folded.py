r"""A text as a reader or a parser takes it, for the search only: findings are mapped back to the original.

Unseen characters vanish; wide and styled letters, letters with accents, `\u0077` and `%252F` become what they stand
for; and the words for "password" of languages that are not written in Latin letters become that word.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import Final

from rootproof.redaction.unseen import INVISIBLE

_WORD: Final = (
    "\u30d1\u30b9\u30ef\u30fc\u30c9|\u30d1\u30b9\u30d5\u30ec\u30fc\u30ba|\u6697\u8a3c\u756a\u53f7|\u5bc6\u7801"
    "|\u5bc6\u78bc|\u53e3\u4ee4|\ube44\ubc00\ubc88\ud638|\uc554\ud638|(?i:\u043f\u0430\u0440\u043e\u043b(?:\u044c|\u0430))"
    "|(?i:\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2)"
    "|\u0643\u0644\u0645\u0629 (?:\u0627\u0644\u0645\u0631\u0648\u0631|\u0627\u0644\u0633\u0631)"
    "|\u05e1\u05d9\u05e1\u05de\u05d4|\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19|(?i:m\u1eadt kh\u1ea9u)"
)
"""Japanese, Chinese, Korean, Russian, Greek, Arabic, Hebrew, Thai and Vietnamese words for password and pass phrase."""
_IS: Final = "\u306f|\u4e3a|\u662f|\u70ba"
# Spaces, wide forms, styled and circled letters, ligatures, accents: whatever has a plain form that looks the same.
_STYLED: Final = (
    "\u00a0\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff\u2000-\u200a\u202f\u2100-\u214f\u2460-\u24ff\u3000\ufb00-\ufb06\uff01-\uff5e"
    "\U0001d400-\U0001d7ff\U0001f130-\U0001f189"
)
_ESCAPED: Final = r"\\{1,8}(?:u00|x)(?P<code>2[0d]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|3[0-9])"
_UNSEEN: Final = (  # as JSON and loggers write them
    r"\\{1,8}(?:[ux]0{0,2}1[bB]|033|e)\[[0-9;]{0,32}m|\\{1,8}u(?:200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|00[aA][dD]|[fF][eE][fF][fF])"
)
_PERCENT: Final = r"%(?:25){1,4}(?=[0-9A-Fa-f]{2})|%(?P<letter>[46][1-9A-Fa-f]|[57][0-9Aa])"
_ASCII: Final = re.compile(rf"{_ESCAPED}|{_UNSEEN}|{_PERCENT}|\x1b\[[0-9;?]{{0,32}}[A-Za-z]|[\x00\x7f]")
_ANY: Final = re.compile(
    rf"{_ESCAPED}|{_UNSEEN}|{_PERCENT}|\x1b\[[0-9;?]{{0,32}}[A-Za-z]|[\x00\x7f{INVISIBLE}]"
    rf"|(?P<word>{_WORD})(?P<is>{_IS})?|(?P<styled>[{_STYLED}])"
)
_CODED: Final = re.compile(r"\\(?:[uxe]|033)")
_NO_DECOMPOSITION: Final = {
    "\u0142": "l",
    "\u0141": "L",
    "\u00f8": "o",
    "\u00d8": "O",
    "\u0131": "i",
    "\u0111": "d",
    "\u0110": "D",
}


def is_plain(text: str) -> bool:
    """Return True if nothing in the text can stand for something else."""
    return (
        text.isascii()
        and "%" not in text
        and ("\\" not in text or not _CODED.search(text))
        and (text.isprintable() or not ("\x1b" in text or "\x00" in text or "\x7f" in text))
    )


class Folded:
    """A text for the search, and the way back to the offsets of the original."""

    __slots__ = ("_ends", "_from", "_original", "_to", "text")

    def __init__(self, original: str) -> None:
        self._original = original
        self._from: list[int] = []
        self._to: list[int] = []
        self._ends: list[int | None] = []
        """Where a piece that was replaced ends in the original; None for one that was not."""
        self.text = self._pattern.sub(_shown, original)

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _ASCII if self._original.isascii() else _ANY

    @property
    def changed(self) -> bool:
        """True if an offset of `text` may differ from the offset in the original."""
        return self.text != self._original

    def _map(self) -> None:
        """Note where each piece of the text comes from."""
        length = end = 0
        starts, originals, ends = self._from, self._to, self._ends
        for match in self._pattern.finditer(self._original):
            piece = match.group()
            plain = _PLAIN[piece]
            if plain == piece:
                continue
            start = match.start()
            if start > end or not starts:
                starts.append(length)
                originals.append(end)
                ends.append(None)
                length += start - end
            end = match.end()
            if plain:
                starts.append(length)
                originals.append(start)
                ends.append(end)
                length += len(plain)
        starts.append(length)
        originals.append(end)
        ends.append(None)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where the (not empty) span of `text` lies in the original."""
        if not self._from:
            self._map()
        first = bisect_right(self._from, start) - 1
        last = bisect_right(self._from, end - 1) - 1
        begin = self._to[first] if self._ends[first] is not None else self._to[first] + start - self._from[first]
        replaced = self._ends[last]
        return begin, replaced if replaced is not None else self._to[last] + end - self._from[last]


class _Plain(dict[str, str]):
    """What a piece stands for, worked out once; the pieces are short and few."""

    def __missing__(self, piece: str) -> str:
        match = _ANY.match(piece + "00")  # (an escaped percent sign is one only before two digits)
        plain = _plain(match) if match is not None else piece
        if len(self) < _PIECES:
            self[piece] = plain
        return plain


_PIECES: Final = 4096
_PLAIN: Final = _Plain()


def _shown(match: re.Match[str]) -> str:
    return _PLAIN[match.group()]


def _plain(match: re.Match[str]) -> str:
    """Return what a matched piece stands for."""
    code = match["code"] or match["letter"]
    if code:
        return chr(int(code, 16))
    piece = match.group()
    if piece[0] == "%":
        return "%"
    if piece.isascii():
        return ""
    if match["word"]:
        return "password is " if match["is"] else "password"
    if not match["styled"]:
        return ""
    plain = _NO_DECOMPOSITION.get(piece) or "".join(
        c for c in unicodedata.normalize("NFKD", piece) if not unicodedata.combining(c)
    )
    return plain if plain.isascii() else piece
