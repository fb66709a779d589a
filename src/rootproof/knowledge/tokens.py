"""Words of a text as search terms: the same rules for documents and queries, so that both always meet.

Identifiers give their parts *and* the whole (`EtcdMemberDown` -> etcd, member, down, etcdmemberdown), words are reduced
to a stem, Chinese, Japanese and Korean runs become bigrams. Everything is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}])\w)+(?:[.\-](?:(?![{_CJK}])\w)+)*)")
_CJK_TERM = re.compile(rf"[{_CJK}]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_MAX_WORD_CHARS = 80

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here him
    his how i if in into is it its itself just let me might more most must my no nor not now of off on once only
    or other our out over own per please same she should so some such than that the their them then there these
    they this those through to too under until up upon us use used using very via was we were what when where
    which while who why will with within would you your e g etc
    """.split()  # noqa: SIM905 - a list of words reads better as text
)

_SUFFIXES = (
    *(
        "abilities",
        "ability",
        "ations",
        "ation",
        "ators",
        "ator",
        "ating",
        "ated",
        "ates",
        "ate",
        "ition",
        "ings",
        "ing",
    ),
    *("ures", "ure", "ions", "ion", "ments", "ment", "able", "ible", "ance", "ence", "ness", "ive", "ors", "or", "ers"),
    *("er", "ed", "ly", "al", "ity"),
)
"""The first that fits is cut, so longer ones stand before those they end in."""
_MIN_STEM = 4
_LONG = 5
"""Up to here a final y stays, so that `ready` is not `read`."""


@dataclass(frozen=True, slots=True)
class Token:
    """A term and how it came about."""

    term: str
    whole: bool = False
    """True for an identifier kept whole (`kube_pod_info`, `etcdmemberdown`)."""
    raw: str = ""
    """The identifier as written, for whole tokens."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case word: plural and one suffix cut, never below four characters by a suffix."""
    if len(word) < _MIN_STEM or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            word = word[: -len(suffix)]
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) >= _MIN_STEM and word[-1] in ("eaoy" if len(word) > _LONG else "eao"):
        word = word[:-1]
    return word


def parts(identifier: str) -> list[str]:
    """The lower-case words inside an identifier: cut at CamelCase humps, underscores, dots, hyphens and digits."""
    return [piece.lower() for piece in _PART.findall(identifier)]


def is_identifier(raw: str) -> bool:
    """Whether `raw` is made of more than one part: CamelCase, snake_case, dotted or hyphenated."""
    return len(_PART.findall(raw)) > 1


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text` in order; stop words are left out, identifiers give their parts and then the whole."""
    for match in _RUN.finditer(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if match.lastgroup == "cjk":
            yield from (Token(pair) for pair in _bigrams(match.group()))
            continue
        raw = match.group().strip("_")
        if not raw or len(raw) > _MAX_WORD_CHARS:
            continue
        pieces = parts(raw)
        for piece in pieces:
            if piece not in STOP_WORDS and len(piece) > 1:
                yield Token(stem(piece))
        if len(pieces) > 1:
            yield Token(raw.lower(), whole=True, raw=raw)


def terms(text: str) -> list[str]:
    """The terms of `text`, in order, identifiers' parts and wholes alike."""
    return [token.term for token in tokens(text)]


def is_cjk(term: str) -> bool:
    """Whether `term` came from a Chinese, Japanese or Korean run."""
    return _CJK_TERM.fullmatch(term) is not None


def is_grammar(term: str) -> bool:
    """Whether `term` is hiragana only: endings and particles, rarely what a text is about."""
    return _HIRAGANA.fullmatch(term) is not None


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[index : index + 2] for index in range(len(run) - 1)]
