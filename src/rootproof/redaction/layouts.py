"""Secrets that stand away from their name: in the column of a table, among the arguments of a message, in a pair."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
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
_VALUE_FOR: Final = re.compile(
    r"(?i:\bvalue[:=]? )(?P<quote>[\"'`]?)(?P<value>[^\s\"'`]{8,256})(?P=quote)"
    r" (?:for|of) [\"'`]?(?P<name>[\w.-]{1,64})"
)
_RULE: Final = re.compile(r"(?=[^-\n]*+-)[ \t:|+=-]{3,}+\r?\Z")
_PADDING: Final = " \t`*\"'\r"
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
_LISTS: Final = re.compile(
    r"[(\[](?P<names>\s?\\{0,4}[\"'`]?[A-Za-z_][\w.-]{0,40}\\{0,4}[\"'`]?(?:\s?,\s?\\{0,4}[\"'`]?[A-Za-z_][\w.-]{0,40}\\{0,4}[\"'`]?){1,24}+)\s?[)\]]"
    r"[;,\s]{0,4}\\{0,4}[\"']?(?i:values?|params|parameters|args|arguments|binds?|row|data|tuples?|with)?\\{0,4}[\"']?\s?[:=]?\s?[(\[]{1,2}"
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
    header = [_heading(text[start:end]) for start, end in _cells(_row(text, lines[index]), lines[index][0])]
    names = [(column, name) for column, name in enumerate(header) if name is not None]
    index += 2
    while index < len(lines):
        row = _row(text, lines[index])
        is_rule = "-" in row and _RULE.match(row) is not None
        if not is_rule and "|" not in row:
            break
        cells = () if is_rule else _cells(row, lines[index][0])
        index += 1
        for column, name in names:
            if column < len(cells) and (span := _cell(text, name, cells[column])) is not None:
                yield span
        if len(cells) != 2 or not is_strong(text[slice(*cells[1])].strip()):
            continue
        side = _heading(text[slice(*cells[0])])
        if side is not None and (span := _cell(text, side, cells[1])) is not None:
            yield span
    return index


def _separated(text: str, lines: list[tuple[int, int]], index: int, joint: str) -> Generator[Span, None, int]:
    columns = _split(text, lines[index], joint)
    names = [_heading(text[start:end]) for start, end in columns]
    index += 1
    while index < len(lines) and _row(text, lines[index]).count(joint) == len(columns) - 1:
        for name, cell in zip(names, _split(text, lines[index], joint), strict=True):
            if name is not None and (span := _cell(text, name, cell)) is not None:
                yield span
        index += 1
    return index


def _cells(row: str, start: int) -> Sequence[tuple[int, int]]:
    """Return the bounds of the cells of a row that starts at `start`; an empty one counts for nothing."""
    cells = []
    for number, cell in enumerate(row.split("|")):
        if cell and (number or not cell.isspace()):
            cells.append((start, start + len(cell)))
        start += len(cell) + 1
    return cells


def _split(text: str, line: tuple[int, int], joint: str) -> list[tuple[int, int]]:
    start, end = line
    out = []
    while (at := text.find(joint, start, end)) >= 0:
        out.append((start, at))
        start = at + 1
    return [*out, (start, end)]


def _heading(cell: str) -> KeyName | None:
    name = cell.strip(" \t`*\"'_\r")
    if not 1 < len(name) <= 64 or "<" in name or "?" in name:
        return None  # what holds a placeholder was longer before
    return secret_name(name)


def _cell(text: str, name: KeyName, cell: tuple[int, int]) -> Span | None:
    """Return the span of a cell's value if it is a secret."""
    start, end = cell
    padded = text[start:end].rstrip(_PADDING)
    value = padded.lstrip(_PADDING)
    if not value or " " in value or "\t" in value or (value[0] == "<" and PLACEHOLDER.fullmatch(value)):
        return None
    start, end = start + len(padded) - len(value), start + len(padded)
    if not is_secret(name, value, quoted=False, loose=True, more=False):
        return None
    return start, end, SECRET + name.kind


def pairs(text: str) -> Iterator[Span]:
    """Yield the second of `auth=('user', 'password')`."""
    for match in _PAIR.finditer(text):
        if not is_reference(match["secret"]) and not PLACEHOLDER.fullmatch(match["secret"]):
            yield match.start("secret"), match.end("secret"), SECRET + "password"


def parallel_lists(text: str) -> Iterator[Span]:
    """Yield what stands in one list at the place of a secret-like name in the list before it.

    `columns: ["user", "password"] values: ["svc", "v"]`, `(login, password) VALUES ('svc', 'v')`.
    """
    for match in _LISTS.finditer(text):
        names = [_heading(name) for name in match["names"].split(",")]
        if not any(names):
            continue
        at = match.end()
        for name in names:
            item = _ARGUMENT.match(text, at)
            if item is None:
                break
            at = item.end()
            group = "text" if item["quote"] else "bare"
            value = item[group]
            if name is None or not value or PLACEHOLDER.fullmatch(value):
                pass
            elif is_secret(name, value, quoted=bool(item["quote"]), loose=False, more=False):
                yield *item.span(group), SECRET + name.kind
            if not item["more"]:
                break


def reversed_pairs(text: str) -> Iterator[Span]:
    """Yield the value that stands before its name: `- value: v`, `name: DB_PASSWORD`, `invalid value v for api_key`."""
    for match in _VALUE_FOR.finditer(text):
        holder = secret_name(match["name"])
        if holder is not None and is_strong(match["value"]):
            yield *match.span("value"), SECRET + holder.kind
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
