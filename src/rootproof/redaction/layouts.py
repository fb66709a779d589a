"""Secrets that stand away from their name: in the column of a table, among the arguments of a message, in a pair."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.keys import KeyName, Trust, secret_name
from rootproof.redaction.values import is_reference, is_secret, is_strong

_BREAK: Final = re.compile(r"\n|\\n")
_REVERSED: Final = re.compile(
    r"(?:^|\\n)[ \t-]{0,32}value:[ \t]{1,8}[\"']?(?P<plain>[^\s\"'\\]{1,512})[\"']?\r?(?:\n|\\n)"
    r"[ \t]{0,32}name:[ \t]{1,8}[\"']?(?P<of>[\w.-]{1,64})"
    r"|\\{0,4}[\"']value\\{0,4}[\"']\s{0,4}:\s{0,4}\\{0,4}[\"'](?P<quoted>[^\"'\\\n]{1,512})\\{0,4}[\"']\s{0,4},\s{0,32}"
    r"\\{0,4}[\"']name\\{0,4}[\"']\s{0,4}:\s{0,4}\\{0,4}[\"'](?P<whose>[\w.-]{1,64})",
    re.MULTILINE,
)
_RULE: Final = re.compile(r"(?=[^-\n]*+-)[ \t:|+=-]{3,}+\r?\Z")
_CELL: Final = re.compile(r"[^|]++")
_CSV_HEADER: Final = re.compile(
    r"\s*\"?[\w.-]{1,40}\"?(?P<joint>[,;\t])(?:\"?[\w.-]{1,40}\"?[,;\t]){0,40}\"?[\w.-]{1,40}\"?\s*\Z"
)
_WIDTH: Final = 4096
"""Lines longer than this are no rows of a table."""
_PAIR: Final = re.compile(
    r"(?i:(?:(?<![A-Za-z])(?:auth|credentials|creds|login|basic_?auth)[\"']?\s{0,2}(?:[=:]\s{0,2})?|basicauth))[(\[]\s{0,2}"
    r"(?P<first>\\{0,4}[\"'])[^\"'\n\\]{0,128}(?P=first)\s{0,2},\s{0,2}"
    r"(?P<quote>\\{0,4}[\"'])(?P<secret>[^\"'\n\\]{1,512})(?P=quote)\s{0,2}[)\]]"
)
_SLOT: Final = re.compile(r"%(?:\(\w{1,40}\))?[-#0-9.]{0,4}[sdrvqxif]|\{\d?\}|\?(?=[\s,;)\"']|\Z)")
_ARGUMENTS: Final = re.compile(
    r"(?i:\b(?:args|params|parameters|arguments|values|binds?|vars)\b[\"']?\s?[=:]\s?[\[(])"
    r"|[\"']\s?%\s?\(|[\"'],\s{1,4}(?=[\"'\[(])[\[(]?"
)
_ARGUMENT: Final = re.compile(
    r"\s{0,4}(?:[uUbBrR]?(?P<quote>\\{0,4}[\"'])(?P<text>[^\"'\n\\]{0,512})(?P=quote)|(?P<bare>[^,\s\"'()\[\]]{1,512}))\s{0,4}(?P<more>,?)"
)
_AHEAD: Final = 512


def tables(text: str) -> Iterator[Span]:
    """Yield the cells below a secret-like heading, of tables with `|` and of comma-separated values."""
    lines: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        lines.append((start, match.start()))
        start = match.end()
    lines.append((start, len(text)))
    index = 0
    while index + 1 < len(lines):
        header, below = (_row(text, lines[at]) for at in (index, index + 1))
        if "|" in header and _RULE.match(below):
            index = yield from _piped(text, lines, index)
        elif (csv := _CSV_HEADER.match(header)) is not None and below.count(csv["joint"]) == header.count(csv["joint"]):
            index = yield from _separated(text, lines, index, csv["joint"])
        else:
            index += 1


def _row(text: str, line: tuple[int, int]) -> str:
    """Return the line; empty if it is too long for a row."""
    start, end = line
    return "" if end - start > _WIDTH else text[start:end]


def _piped(text: str, lines: list[tuple[int, int]], index: int) -> Generator[Span, None, int]:
    names = [_heading(text[start:end]) for start, end in _cells(text, lines[index])]
    index += 2
    while index < len(lines) and "|" in _row(text, lines[index]):
        cells = _cells(text, lines[index])
        for name, cell in zip(names, cells, strict=False):
            if name is not None:
                yield from _cell(text, name, cell)
        if len(cells) == 2 and (name := _heading(text[slice(*cells[0])])) is not None:
            value = text[slice(*cells[1])].strip()
            if is_strong(value):
                yield from _cell(text, name, cells[1])
        index += 1
        while index < len(lines) and _RULE.match(_row(text, lines[index])):
            index += 1
    return index


def _separated(text: str, lines: list[tuple[int, int]], index: int, joint: str) -> Generator[Span, None, int]:
    columns = _split(text, lines[index], joint)
    names = [_heading(text[start:end]) for start, end in columns]
    index += 1
    while index < len(lines) and _row(text, lines[index]).count(joint) == len(columns) - 1:
        for name, cell in zip(names, _split(text, lines[index], joint), strict=True):
            if name is not None:
                yield from _cell(text, name, cell)
        index += 1
    return index


def _cells(text: str, line: tuple[int, int]) -> list[tuple[int, int]]:
    start, end = line
    bar = text.find("|", start, end)
    if not text[start:bar].strip():
        start = bar + 1
    return [match.span() for match in _CELL.finditer(text, start, end)]


def _split(text: str, line: tuple[int, int], joint: str) -> list[tuple[int, int]]:
    start, end = line
    out = []
    while (at := text.find(joint, start, end)) >= 0:
        out.append((start, at))
        start = at + 1
    return [*out, (start, end)]


def _heading(cell: str) -> KeyName | None:
    name = cell.strip(" \t`*\"'_\r")
    return secret_name(name) if 1 < len(name) <= 64 else None


def _cell(text: str, name: KeyName, cell: tuple[int, int]) -> Iterator[Span]:
    start, end = cell
    while start < end and text[start] in " \t`*\"'":
        start += 1
    while end > start and text[end - 1] in " \t`*\"'\r":
        end -= 1
    value = text[start:end]
    if not value or any(map(str.isspace, value)) or PLACEHOLDER.fullmatch(value):
        return
    if is_secret(name, value, quoted=False, loose=True, more=False):
        yield start, end, SECRET + name.kind


def pairs(text: str) -> Iterator[Span]:
    """Yield the second of `auth=('user', 'password')`."""
    for match in _PAIR.finditer(text):
        if not is_reference(match["secret"]) and not PLACEHOLDER.fullmatch(match["secret"]):
            yield match.start("secret"), match.end("secret"), SECRET + "password"


def reversed_pairs(text: str) -> Iterator[Span]:
    """Yield the value that stands before its name: `- value: v`, `name: DB_PASSWORD`."""
    for match in _REVERSED.finditer(text):
        group, name = ("plain", match["of"]) if match["plain"] else ("quoted", match["whose"])
        holder = secret_name(name)
        if holder is None or PLACEHOLDER.fullmatch(match[group]):
            continue
        if is_secret(holder, match[group], quoted=group == "quoted", loose=False, more=False):
            yield match.start(group), match.end(group), SECRET + holder.kind


def argument(text: str, name: KeyName, position: int) -> Iterator[Span]:
    """Yield the argument that fills the slot at `position`: `password=%s args=('v',)`."""
    if (slot := _SLOT.match(text, position)) is None:
        return
    ahead = text[slot.end() : slot.end() + _AHEAD]
    if "(" not in ahead and "[" not in ahead and "'" not in ahead and '"' not in ahead:
        return
    line = max(text.rfind("\n", max(0, position - _AHEAD), position) + 1, position - _AHEAD, 0)
    index = sum(1 for _ in _SLOT.finditer(text, line, position))
    found = _ARGUMENTS.search(text, slot.end(), slot.end() + _AHEAD)
    if found is None:
        return
    at = found.end()
    for _ in range(index):
        item = _ARGUMENT.match(text, at)
        if item is None or not item["more"]:
            return
        at = item.end()
    item = _ARGUMENT.match(text, at)
    if item is None:
        return
    group = "text" if item["quote"] else "bare"
    if item[group] and not PLACEHOLDER.fullmatch(item[group]):
        accepted = is_secret(name, item[group], quoted=bool(item["quote"]), loose=False, more=False)
        if accepted and (item["quote"] or name.trust is Trust.NEVER_PROSE):
            yield item.start(group), item.end(group), SECRET + name.kind
