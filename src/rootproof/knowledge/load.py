"""Markdown text to a Document: front matter, heading tree, and blocks with their line numbers.

A scanner over lines, not a renderer: it only needs to know where a heading, a procedure, a code block or a table starts
and ends. It reads any text without raising; what is odd is noted in `Document.problems`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from rootproof.knowledge.blocks import FENCE, closes_fence, scan_blocks
from rootproof.knowledge.document import Document, Section
from rootproof.knowledge.front_matter import split_front_matter
from rootproof.knowledge.tokens import parts

_ATX = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*)")
_SETEXT = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*")
_NOT_A_TITLE = re.compile(r"[ ]{0,3}(?:[-*+>|]|\d{1,9}[.)]|<|$)|[ ]{4}|\t")
_MARKUP = re.compile(r"`+|\*\*|__|<[^<>]{0,200}>|\{#[^{}]{0,80}\}|\{\{[^{}]{0,80}\}\}")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,400}\)")
_CAMEL = re.compile(r"\b[A-Za-z]{0,20}[a-z0-9][A-Z][A-Za-z0-9]{1,80}\b")
_ALERT_LINE = re.compile(
    r"\balert(?:_?name)?[\"']?\s{0,3}[:=]\s{0,3}[\"'`]{0,2}([A-Z][A-Za-z0-9]{3,80})\b", re.IGNORECASE
)
_MAX_HEADINGS = 2_000
_MAX_TITLE_CHARS = 200
_MAX_ALERT_NAMES = 40


def load_markdown(document_id: str, text: str, *, source: str | None = None) -> Document:
    """The document in `text`; without a title of its own it is named after `document_id`'s last part."""
    clean = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front, body_start, problems = split_front_matter(clean)
    lines = clean.split("\n")
    sections = _sections(lines, body_start)
    name = PurePosixPath(document_id).stem
    title = _title(front.get("title", ""), sections, document_id)
    return Document(
        id=document_id,
        source=source or document_id,
        title=title,
        sections=tuple(sections),
        version=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        alert_names=_alert_names(name, title, sections, clean),
        front_matter=front,
        problems=tuple(problems),
    )


def plain(heading: str) -> str:
    """A heading without its markup: backticks, emphasis, links, tags and anchors."""
    text = _MARKUP.sub("", _LINK.sub(r"\1", heading)).strip().rstrip("#").strip()
    return re.sub(r"\s+", " ", text)[:_MAX_TITLE_CHARS]


def _sections(lines: Sequence[str], start: int) -> list[Section]:
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    first = start
    heading_line = start + 1
    for index, level, text, width in _headings(lines, start):
        sections.append(Section(tuple(name for _, name in path), heading_line, scan_blocks(lines, first, index)))
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, text))
        first, heading_line = index + width, index + 1
    sections.append(Section(tuple(name for _, name in path), heading_line, scan_blocks(lines, first, len(lines))))
    return [section for section in sections if section.breadcrumb or section.blocks]


def _headings(lines: Sequence[str], start: int) -> list[tuple[int, int, str, int]]:
    """Each heading as (index, level, text, lines it takes), code blocks passed over."""
    found: list[tuple[int, int, str, int]] = []
    fence = ""
    index = start
    while index < len(lines) and len(found) < _MAX_HEADINGS:
        line = lines[index]
        mark = FENCE.match(line)
        if fence:
            fence = "" if closes_fence(line, fence) else fence
        elif mark is not None:
            fence = mark.group(1)
        elif (heading := _heading_at(lines, index, start)) is not None:
            level, text, width = heading
            if text:
                found.append((index, level, text, width))
            index += width
            continue
        index += 1
    return found


def _heading_at(lines: Sequence[str], index: int, start: int) -> tuple[int, str, int] | None:
    line = lines[index]
    atx = _ATX.fullmatch(line)
    if atx is not None:
        return len(atx.group(1)), plain(atx.group(2)), 1
    if index + 1 >= len(lines) or _NOT_A_TITLE.match(line):
        return None
    rule = _SETEXT.fullmatch(lines[index + 1])
    alone = index == start or not lines[index - 1].strip()
    if rule is not None and alone:
        return (1 if rule.group(1)[0] == "=" else 2), plain(line), 2
    return None


def _title(front_title: str, sections: Sequence[Section], document_id: str) -> str:
    """The first top heading; the front matter's title where there is none; else the file's name, or its folder's."""
    first = next((section.breadcrumb[0] for section in sections if section.breadcrumb), "")
    if first or front_title:
        return first or plain(front_title)
    path = PurePosixPath(document_id)
    stem = path.parent.name if path.stem.lower() in {"readme", "index"} and path.parent.name else path.stem
    return stem.replace("_", " ").replace("-", " ")[:_MAX_TITLE_CHARS] or document_id


def _alert_names(stem: str, title: str, sections: Sequence[Section], text: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for place in (stem, title, *(section.heading for section in sections)):
        names.update(dict.fromkeys(name for name in _CAMEL.findall(place) if len(parts(name)) > 1))
    names.update(dict.fromkeys(_ALERT_LINE.findall(text)))
    return tuple(names)[:_MAX_ALERT_NAMES]
