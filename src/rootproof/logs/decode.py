"""Bytes of a log as text: no byte is lost without a visible sign of it."""

from __future__ import annotations

import codecs

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
    """The codec that reads a file which begins with `sample`: by its mark, by its NULs, UTF-8, or a CJK encoding.

    Text that is none of these is UTF-8 with replaced bytes.
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
        return _cjk(head) or "utf-8"
    return "utf-8"


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: most of every second byte is NUL."""
    pairs = len(head) // 2
    if pairs < 4:
        return None
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if odd > pairs * 0.6 and even < pairs * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > pairs * 0.6 and odd < pairs * 0.1 else None


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
