"""What kind of value stands in a slot, for the reader of a pattern. It never decides which pattern a message has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rootproof.logs.masking import UNITS

ANY = "<*>"

_EDGES = "([{\"'`)]},;:.!?|*#@ "
_PLACEHOLDER = re.compile(r"<([a-z][a-z-]{0,23})(?::[^<>\s]{1,120})?>")
_DUR = r"(?:ns|us|µs|ms|msecs?|millis(?:econds)?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)"
_SIZE = r"(?:bytes?|[KMGTP]i?B|[kmgt]b|[KMGT]i|B)"
_NUM = r"[+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_DATE_FIRST = r"\d{4}[-/.]\d\d?[-/.]\d\d?(?:[T :_-]\d\d?[:.]\d\d(?:[:.]\d\d)?(?:[.,]\d+)?)?\s?"
_DAY_MONTH = r"(?:\w{3},? )?(?:\d{1,2}[ /-]\w{3}[ /-]\d{2,4}|\w{3}\s+\d{1,2}(?: \d{4})?)"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE if kind in {"uuid", "hex", "ts"} else 0))
    for kind, pattern in (
        ("num", rf"{_NUM}(?:%| (?:USD|EUR|GBP|JPY|CHF|CNY|INR))?|\d+/\d+|\d+ ?[x×]"),
        ("uuid", r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
        ("ip", r"/?\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{1,5})?(?: port \d+)?"),
        ("ip", r"(?=[0-9a-fA-F:]*:[0-9a-fA-F:]*:)\[?[0-9a-fA-F:]{3,39}(?:%\w+)?\]?(?::\d{1,5})?"),
        ("ts", rf"{_DATE_FIRST}(?:z|utc|gmt|[+-]\d\d:?\d\d)?"),
        ("ts", rf"{_DAY_MONTH}[ :t]\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?(?: [+-]\d{{4}}| \w{{3,4}}| \d{{4}}){{0,2}}"),
        ("ts", r"\d\d?:\d\d:\d\d(?:[.,]\d+)?(?: [ap]m)?"),
        ("dur", rf"(?:{_NUM}\s?{_DUR})(?:[ ,]?{_NUM}\s?{_DUR}){{0,4}}"),
        ("size", rf"{_NUM}\s?{_SIZE}(?:/s)?"),
        ("hex", r"0x[0-9a-f]+|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,64}"),
        ("email", r"[^@\s:/]+@[\w-]+(?:\.[\w-]+)+"),
        ("url", r"[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+"),
        ("path", r"(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/]|\\\\)[^\s]*"),
        ("host", r"(?:[A-Za-z0-9_-]+\.)+[A-Za-z]{2,}(?::\d{1,5})?|[A-Za-z][A-Za-z0-9_.-]*:\d{2,5}"),
        ("bool", r"true|false|null|none|nil|None|True|False|NULL|yes|no|on|off|undefined|NaN"),
        ("id", r"(?=\S*\d)[\w.:#$@+-]+"),
    )
)
_LONGEST_CLASSIFIED = 200
_LONGEST_RUN = 5


def kind_of(value: str) -> str:
    """The kind of one value (`num`, `ip`, `dur`, ... or `*`)."""
    core = value.strip(_EDGES)
    placeholder = _PLACEHOLDER.fullmatch(core.rpartition(":")[0] if core[-1:].isdigit() else core)
    if placeholder:
        return placeholder[1]
    if len(core) > _LONGEST_CLASSIFIED:
        core = core[:_LONGEST_CLASSIFIED]
    core = core.lstrip("<>=~")
    for kind, pattern in _KINDS:
        if pattern.fullmatch(core):
            return kind
    return "*"


_TECHNICAL = re.compile(
    r"(?:x509|tls(?:v?1(?:\.\d)?)|sslv3|ssh2|socks[45]|ipv[46]|http(?:2|/[123](?:\.\d)?)|h2c|oauth2|sha-?(?:1|256|384|512)|"
    r"md5|utf-?(?:8|16|32)|base64|i18n|k8s|ext[34]|u?int(?:8|16|32|64)|float(?:32|64)|x86_64|amd64|arm64|aarch64|log4j2?|"
    r"p(?:50|90|95|99)|[245]xx|s3|ec2|mp[34]|sse2|iso-?8859-1)",
    re.IGNORECASE,
)
"""Words of the trade that hold a digit and are no value."""


def slot(values: Iterable[str]) -> str:
    """The slots for these values of one or more words: typed where all agree, else `<*>`; terms of the trade stay."""
    values = list(values)
    if all(value == values[0] for value in values) and not any(map(str.isalnum, values[0])):
        return values[0]
    kinds = {kind_of(value) for value in values}
    if len(kinds) == 1 and (kind := kinds.pop()) != "*":
        return framed(values[0], _shown(values, kind))
    columns = [_columns(value) for value in values]
    width = len(columns[0])
    if not 1 < width <= _LONGEST_RUN or any(len(column) != width for column in columns):
        return framed(values[0], _shown(values, "*"))
    return " ".join(slot(cell) for cell in zip(*columns, strict=True))


def _shown(values: list[str], kind: str) -> str:
    first = values[0].strip(_EDGES)
    if _TECHNICAL.fullmatch(first) and all(value.strip(_EDGES) == first for value in values):
        return first
    return f"<{kind}>"


def _columns(value: str) -> list[str]:
    """The words of a value, a unit or a piece of punctuation kept with the word before it."""
    columns: list[str] = []
    for word in value.split():
        core = word.strip(_EDGES)
        if columns and (not core or core.lower() in UNITS):
            columns[-1] += " " + word
        else:
            columns.append(word)
    return columns or [""]


_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


def framed(value: str, inner: str) -> str:
    """`inner` with the brackets and punctuation that stand around `value`."""
    left = len(value) - len(value.lstrip("([{\"'`"))
    rest = value[left:]
    right = len(rest.rstrip(")]},;:.!?\"'`"))
    opening, core, closing = value[:left], rest[:right], rest[right:]
    closing = "".join(mark for mark in closing if _PAIRS.get(mark, "") not in core or mark not in _PAIRS)
    if len(opening) > 2 or len(closing) > 3:
        opening, closing = opening[:1], closing[-1:]
    return f"{opening}{inner}{closing}"
