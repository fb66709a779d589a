"""Text that varies without telling the cause: literals in SQL statements, chains of stack frames, memory addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, Span

_STATEMENT: Final = re.compile(
    r"\b(?:select\s|insert\s{1,4}(?:ignore\s{1,4})?into\s|update\s{1,4}[\w.`\"]{1,128}\s{1,4}set\s|delete\s{1,4}from\s"
    r"|replace\s{1,4}into\s|merge\s{1,4}into\s|values\s{0,4}\(|where\s{1,4}[\w.`\"]{1,128}\s{0,4}"
    r"(?:[=<>!]|in\b|like\b|between\b)|call\s{1,4}[\w.]{1,128}\s{0,4}\()"
)
_WORDS: Final = ("select ", "insert ", "update ", "delete ", "replace into", "merge into", "values", "where ", "call ")
_STRING: Final = r"[NnEeXx]?'(?:[^'\\\n]|''|\\[^\n]){0,4000}+(?:'|(?=\n)|\Z)"
_LITERAL: Final = re.compile(
    rf"(?P<text>(?<![\w']){_STRING})"
    r"|(?:[=<>(,]|\b(?i:like|between|and|then|else|values|in|interval|when|set))\s{0,4}"
    r"(?P<number>-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?|0[xX][0-9A-Fa-f]{1,64})"
    r"(?![\w.:-]|\s?(?:ms|us|s|sec|seconds|rows?|bytes|%)\b)"
)
_FROM: Final = re.compile(r"(?i:\sfrom\s)")
_REGION: Final = 16_384
_DETAIL: Final = re.compile(r"\bKey \([^)\n]{1,512}\)=\(|\bFailing row contains \(")
_DETAIL_END: Final = re.compile(r"\)(?= (?:already|is|conflicts)|[.\"'\n]|\Z)")
_DETAIL_SIZE: Final = 2_048
_DUPLICATE: Final = re.compile(r"(?i:\bduplicate entry )\\?'(?P<value>[^'\n]{1,1024})'(?= for key)")
_PARAMETERS: Final = re.compile(r"\$\d{1,4} = (?P<value>'(?:[^'\n]|''){0,2048}+')")
_JVM_FRAME: Final = (
    r"at\s(?:[\w.$@-]{1,128}/)?[\w.$<>]{3,512}"
    r"\((?:[\w$-]{1,128}\.(?:java|kt|scala|groovy|clj)(?::\d{1,6})?|Native Method|Unknown Source|<generated>)\)"
    r"(?:\s~?\[[^\]\n]{1,128}\])?"
)
_JS_FRAME: Final = (
    r"at\s(?:(?:async\s|new\s)?[\w.$<>\[\]]{1,256}(?:\s\[as\s\w{1,64}\])?\s\()?"
    r"(?:file://|node:|webpack:|/|[A-Za-z]:\\)[^\s():]{1,512}:\d{1,7}:\d{1,7}\)?"
)
_NET_FRAME: Final = (
    r"at\s[\w.`<>+,\[\]]{3,512}\([^()\n]{0,512}\)\sin\s[^\s:]{1,256}(?::\\?[^\s:]{1,256})?:line\s\d{1,7}"
)
_FRAMES: Final = re.compile(
    rf"(?<=\s)(?:{_JVM_FRAME}|{_JS_FRAME}|{_NET_FRAME})"
    rf"(?:\s{{1,12}}(?:{_JVM_FRAME}|{_JS_FRAME}|{_NET_FRAME}|\.\.\. \d{{1,5}} more))*+",
    re.ASCII,
)
# What user space, Go heaps and kernels use; error codes and session ids have other shapes.
_POINTER: Final = re.compile(
    r"(?<![\w.])0x(?:7f[0-9a-fA-F]{10}|5[56][0-9a-fA-F]{10}|c0[0-9a-f]{8}|ffff[0-9a-fA-F]{12}|0{4}[0-9a-fA-F]{12})(?!\w)"
)


def noise(text: str, lowered: str) -> Iterator[Span]:
    """Yield SQL literals, stack frames and memory addresses."""
    yield from (span for span in _literals(text, lowered) if text[span[0] : span[1]].strip("?"))
    if "0x" in text:
        for match in _POINTER.finditer(text):
            yield match.start(), match.end(), "addr"
    if ("at " in text) and ("(" in text or ":" in text):
        for match in _FRAMES.finditer(text):
            yield match.start(), match.end(), "stack"


def _literals(text: str, lowered: str) -> Iterator[Span]:
    if any(map(lowered.__contains__, _WORDS)):
        yield from _statements(text, lowered)
    if "Key (" in text or "uplicate entry" in text or "Failing row" in text or "$1 = '" in text:
        yield from _details(text)
        for pattern in (_DUPLICATE, _PARAMETERS):
            for match in pattern.finditer(text):
                yield match.start("value"), match.end("value"), "sql"


def _details(text: str) -> Iterator[Span]:
    """Yield the row that PostgreSQL tells: `Key (email)=(v) already exists.`, `Failing row contains (v).`"""
    position = 0
    while (detail := _DETAIL.search(text, position)) is not None:
        start = detail.end()
        line_end = text.find("\n", start, start + _DETAIL_SIZE)
        position = line_end if line_end >= 0 else min(len(text), start + _DETAIL_SIZE)
        end = _DETAIL_END.search(text, start + 1, position)
        if end is not None:
            yield start, end.start(), "sql"
            position = end.end()


def _statements(text: str, lowered: str) -> Iterator[Span]:
    """Yield the literals of each statement: strings without their quotes, numbers where a value is due."""
    position = 0
    while (statement := _STATEMENT.search(lowered, position)) is not None:
        start = max(position, statement.start())
        end = _statement_end(text, statement)
        if statement.group()[:6] == "select" and not _FROM.search(text, start, end):
            position = end  # prose, or a statement without a table: nothing to hide up to the end of its line
            continue
        for literal in _LITERAL.finditer(text, start, end):
            if literal["number"] is not None:
                yield literal.start("number"), literal.end("number"), "sql"
                continue
            first = literal.start("text") + (literal["text"][0] != "'") + 1
            last = literal.end("text") - literal["text"].endswith("'")
            if first < last and (text[first] != "<" or not PLACEHOLDER.fullmatch(text, first, last)):
                yield first, last, "sql"
        position = max(end, statement.end())


def _statement_end(text: str, statement: re.Match[str]) -> int:
    """Return where the statement ends: its line, or the quote that it stands in."""
    limit = min(len(text), statement.end() + _REGION)
    end = text.find("\n", statement.end(), limit)
    end = limit if end < 0 else end
    before = text[max(0, statement.start() - 1) : statement.start()]
    if before and before in '"`':
        close = text.find(before, statement.end(), end)
        end = close if close >= 0 else end
    return end
