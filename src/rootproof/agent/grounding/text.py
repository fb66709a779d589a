"""Clean text and tokens: the only place where claim and evidence text is cut into pieces.

Invariant: whatever comes in (lone surrogates, bidi controls, foreign digits, 100 kB), what goes out is bounded,
printable and made in linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_CLAIM_CHARS = 4_000
"""A claim is one sentence; what is longer is not checked to its end, and says so."""
MAX_EVIDENCE_CHARS = 8_000
MAX_QUOTE_CHARS = 2_000
MAX_ATOMS = 60
"""Names, quotes, directions and denials each; a sentence has a handful."""

_QUOTE_MARKS = {"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2018": "'", "\u2019": "'"}
_DASHES = {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": " ; ", "\u2212": "-"}
_SIGNS = {
    "\u2265": ">=",
    "\u2264": "<=",
    "\u00d7": "x",
    "\u2248": "about ",
    "\u2192": " to ",
    "\u03bc": "\u00b5",
    "\u2026": "...",
}
_FIXED = {**_QUOTE_MARKS, **_DASHES, **_SIGNS}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


class Kind(StrEnum):
    """What a token is."""

    PLACEHOLDER = "placeholder"
    TIME = "time"
    DATE = "date"
    CLOCK = "clock"
    DURATION = "duration"
    FRACTION = "fraction"
    NUMBER = "number"
    PATH = "path"
    URL = "url"
    WORD = "word"
    PUNCT = "punct"


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of clean text; `start` and `end` are offsets into it."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


def clean(text: str, limit: int) -> str:
    """At most `limit` characters of `text` with typographic marks made plain and hidden characters made visible.

    A bidi or zero-width control inside a name becomes `\\uXXXX`, so that a name that only looks the same is
    not the same.
    """
    cut = text[:limit]
    if cut.isascii() and cut.isprintable():
        return cut
    return "".join(_visible(char) for char in cut)[:limit]


def _visible(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char.isspace():
        return " "
    fixed = _FIXED.get(char)
    if fixed is not None:
        return fixed
    if unicodedata.category(char) in _HIDDEN:
        return f"\\u{ord(char):04x}"
    return _plain_form(char)


_MICRO = "\u00b5"


def _plain_form(char: str) -> str:
    """A digit, superscript or numeral of any script as ASCII digits; else the compatibility form of `char`."""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if unicodedata.category(char) in {"No", "Nl"} and (number := unicodedata.numeric(char, None)) is not None:
        return f"{number:.6g}"
    return char if char == _MICRO else unicodedata.normalize("NFKC", char)


_TOKEN = re.compile(
    r"""
  (?P<placeholder><[a-z][a-z0-9_]{0,30}(?::[^<>\s]{1,160})?>)
| (?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?
      (?:\ ?Z|[+-][0-9]{2}:?[0-9]{2})?(?!\w))
| (?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w:]))
| (?P<clock>(?<![\w.:])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|\ ?[AaPp]\.?[Mm]\b)?(?!\w)(?!:\w))
| (?P<duration>(?<![\w.])(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ns|us|µs|ms|s|m|h|d)){2,9}(?!\w))
| (?P<fraction>(?<![\w./-])[0-9]{1,12}/[0-9]{1,12}(?![\w/]|\.[0-9]))
| (?P<number>(?<![\w.])
      (?:[0-9]{1,3}(?:,[0-9]{3}){1,8}(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?|\.[0-9]+)
      (?:[A-Za-zµ%]{1,12}(?:/[a-z]{1,6})?|/(?:s|sec|min|minute|second|hour|h|day))?(?![\w])(?!\.[0-9])(?![:@][\w])(?!/[\w]))
| (?P<url>[a-z][a-z0-9+]{1,15}://[^\s"'<>(){}\[\],;]{1,500})
| (?P<path>(?<![\w.>/])(?:/[\w.~%-]*[\w~%-])+/?)
| (?P<word>[^\W]+(?:(?:[-.:/@+]|::)[^\W]+)*)
| (?P<punct>[^\w\s])
""",
    re.VERBOSE,
)
_PLAIN_PAIR = re.compile(r"(?:[A-Za-z]+|[0-9]{1,5}(?=/[A-Z]{2,4}$))(?:/[A-Za-z]+)+")
_CONTRACTIONS = (
    (re.compile(r"\b[Cc]an't\b"), "can not"),
    (re.compile(r"\b[Ww]on't\b"), "will not"),
    (re.compile(r"\b([A-Za-z]{2,7})n't\b"), r"\1 not"),
    (re.compile(r"\b[Cc]annot\b"), "can not"),
    (re.compile(r"(?<=[\w>`])'s\b"), ""),
    (re.compile(r"(?<=s)'(?=\s)"), ""),
)


_NOT_ONE = re.compile(r"\b[Nn]ot (one|a single)( of)?(?= [a-z])")
"""`not one of the pods` is none of them."""


def plain_words(text: str) -> str:
    """`text` with contractions written out (`didn't` -> `did not`) and possessive endings dropped."""
    text = _NOT_ONE.sub(lambda found: "none of" if found[2] else "no", text)
    if "'" not in text and "annot" not in text:
        return text
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return text


def tokenize(text: str) -> list[Token]:
    """The tokens of clean text, in order; white space is dropped.

    Words joined by a slash are cut (`CPU/memory`), paths and `kind/name` pairs with a digit or hyphen are not.
    """
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        kind = Kind(found.lastgroup or "punct")
        piece, start = found.group(), found.start()
        if kind is Kind.URL:
            kind, piece = Kind.PATH, piece.rstrip(".:!?")
        if kind is Kind.WORD and "/" in piece and _PLAIN_PAIR.fullmatch(piece):
            for part in piece.split("/"):
                sort = Kind.NUMBER if part.isdigit() else Kind.WORD
                tokens.append(Token(sort, part, start, start + len(part)))
                start += len(part) + 1
            continue
        tokens.append(Token(kind, piece, start, found.end()))
    return tokens


_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def parts(name: str) -> list[str]:
    """The lower-case words inside a name: `HikariPool-1` -> hikari, pool, 1; `OOMKilled` -> oom, killed."""
    return [piece.lower() for piece in _CAMEL.findall(name)]


def shorten(text: str, limit: int = 80) -> str:
    """`text` in at most `limit` characters, for reasons that people read."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def reads(tokens: Sequence[Token], position: int, phrases: Sequence[tuple[str, ...]]) -> bool:
    """Whether one of `phrases` (lower-case words) starts at a position."""
    first = tokens[position].lower
    return any(
        phrase[0] == first and tuple(token.lower for token in tokens[position : position + len(phrase)]) == phrase
        for phrase in phrases
    )
