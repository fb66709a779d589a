"""Bytes of a log as text: no byte is lost without a visible sign of it."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 << 10
NUL_SIGN = "\u2400"


def encoding_of(sample: bytes) -> str:
    """The codec of a file that begins with `sample`: by its mark, by its NULs, UTF-8, or an East Asian encoding.

    Text that is none of these is UTF-8 with replaced bytes. Big5 is not told apart, nor are the Western code pages.
    """
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name
    head = sample[:_SAMPLE]
    if wide := _wide(head):
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "utf-8" if _mostly_utf8(head) else _shift_jis(head) or _cjk(head) or "utf-8"
    return "utf-8"


def _wide(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: the high bytes of ASCII characters are NUL."""
    pairs = len(head) // 2
    if pairs < 4 or 0 not in head:
        return None
    whole = head[: len(head) // 4 * 4]
    nuls = [whole[at::4].count(0) / (len(whole) // 4) for at in range(4)]
    for name, (first, second, _, low) in (("utf-32-le", nuls[::-1]), ("utf-32-be", nuls)):
        if first > _ALL_NUL and second > _MOST_NUL and low < _FEW_NUL and _decodes(head, name):
            return name
    even, odd = (nuls[0] + nuls[2]) / 2, (nuls[1] + nuls[3]) / 2
    for name, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if high > _SOME_NUL and low < _FEW_NUL and _decodes(head, name):
            return name
    return None


_ALL_NUL, _MOST_NUL, _SOME_NUL, _FEW_NUL = 0.95, 0.6, 0.25, 0.05


def _decodes(head: bytes, name: str) -> bool:
    """Whether `head`, which may end inside a character, is text in this encoding."""
    try:
        codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return False
    return True


_UTF8_CHARACTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|[\xf1-\xf4][\x80-\xbf]{3}")


def _mostly_utf8(head: bytes) -> bool:
    """Whether most bytes above ASCII are whole UTF-8 characters: a few broken bytes do not make it another encoding."""
    high = sum(1 for byte in head if byte >= 0x80)
    return sum(map(len, _UTF8_CHARACTER.findall(head))) > high * 0.7


_SJIS_PAIR = re.compile(rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]")
_SJIS_KANA = re.compile(rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]")


def _shift_jis(head: bytes) -> str | None:
    """Shift_JIS, told by the kana that Japanese text is full of."""
    pairs = len(_SJIS_PAIR.findall(head))
    if pairs < 3 or len(_SJIS_KANA.findall(head)) < pairs * 0.2:
        return None
    return "cp932" if _decodes(head, "cp932") else None


def _cjk(head: bytes) -> str | None:
    """The double-byte encoding of bytes that are not UTF-8, or None.

    Nearly all high bytes must come in pairs of high bytes: in Western text they stand alone.
    """
    leads: list[int] = []
    odd = index = 0
    while index < len(head):
        lead, trail = head[index], head[index + 1] if index + 1 < len(head) else 0
        if lead < 0x80:
            index += 1
        elif lead >= 0xA1 and trail >= 0xA1:
            leads.append(lead)
            index += 2
        else:
            odd += 1
            index += 2 if lead != 0x80 and 0x40 <= trail != 0x7F else 1
    if len(leads) < 3 or odd > len(leads) * 0.2:
        return None
    kana = sum(1 for lead in leads if lead in (0xA4, 0xA5))
    if kana > len(leads) * 0.2:
        return "euc_jp"
    return "euc_kr" if len(leads) >= 8 and all(0xB0 <= lead <= 0xC8 for lead in leads) else "gb18030"


def decode(data: bytes) -> str:
    """The text of `data`. Bytes that are no text become U+FFFD, a NUL becomes U+2400."""
    text = data.decode(encoding_of(data), "replace")
    return text.replace("\x00", NUL_SIGN).removeprefix("\ufeff")


def split_lines(text: str) -> list[str]:
    """The physical lines of `text`, split at line feeds only, as `wc -l` and editors count them; no last empty line."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
