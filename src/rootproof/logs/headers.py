"""What stands between the timestamp and the message: level, thread, process id, logger, in any order."""

from __future__ import annotations

import re

from rootproof.logs.draft import Draft
from rootproof.logs.levels import LETTERS, level_field, level_token
from rootproof.logs.read_levels import ID_LIKE, find_level, glued_level, marked_level
from rootproof.logs.read_sources import after_level, after_logger, name_source, note, without_level
from rootproof.logs.record import Level

_POOL = r"\[(?:main|[\w\-]{0,40}(?:thread|exec|pool|worker|nio|http|task)[\w\-]{0,40})\] {1,3}"
_CLASS_NAME = r"((?:[A-Za-z_]\w{0,80}\.){1,12}[A-Za-z_$][\w$]{0,120})"
_COMMON = re.compile(
    rf" {{0,6}}(?:{_POOL})?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) {{1,3}}"
    rf"(?:(?:{_POOL})?{_CLASS_NAME}(?: {{1,3}}- {{1,3}}|: {{1,3}})|"
    rf"\d{{1,8}} --- \[[^\[\]]{{0,120}}\] {_CLASS_NAME} {{0,60}} : )(?=\S)",
    re.ASCII,
)
"""The commonest headers as one pattern: `[thread] LEVEL a.b.Class - `, `LEVEL [thread] a.b.Class: `, and Spring's."""


_PROBLEMS = ("Error", "Exception", "Throwable", "Failure", "Fault", "Timeout")
"""How names end that are a part of the message and no logger."""


def read_header(text: str, draft: Draft) -> Draft:
    """Fill `draft` from the header at the front of `text`; its message becomes the rest."""
    if (common := _COMMON.match(text)) and not (common[2] or common[3]).endswith(_PROBLEMS):
        draft.level, draft.logger = level_token(common[1]), common[2] or common[3]
        draft.message = after_logger(text[common.end() :])
        return draft
    if "\t" in text[:_MAX_COLUMN] and (rest := _columns(text, draft)) is not None:
        draft.message = rest
        return draft
    if tagged := _LETTER_TAG.match(text):
        draft.level = LETTERS.get(tagged[1])
        name_source(draft, tagged[2].strip())
        draft.message = text[tagged.end() :]
        return draft
    found = glued_level(text) or find_level(text) or marked_level(text)
    if found is None:
        draft.message = without_level(text.lstrip(" \t"), draft)
        return draft
    level, before, rest = found
    draft.level = level
    for token in before:
        note(token, draft)
    letter = _LETTER_END.search(text[: len(text) - len(rest)]) and all(map(ID_LIKE.fullmatch, before))
    tagged = _TAGGED.match(rest) if letter else None
    if tagged is not None:
        name_source(draft, tagged[1])
        draft.message = rest[tagged.end() :]
        return draft
    before_rest = text[len(text) - len(rest) - 1]
    if before_rest == "|" and rest[:1] != "|":
        rest = f"|{rest}"
    glued = rest[:1] == "[" and before_rest == "]"
    draft.message = after_level(rest, draft, glued=glued)
    return draft


_LETTER_END = re.compile(r"(?:^|\s)[A-Z]$")
_TAGGED = re.compile(r"(?:/|\s{1,4})([\w.$\-]{1,80})\s{0,40}(?:\(\s*\d+\))?: ")
_LETTER_TAG = re.compile(
    r"(?:\d{1,7}[-/]\d{1,7}/\S{1,120}\s{1,4})?([VDIWEFA])/([\w.$ \-]{1,80})(?:\(\s{0,6}\d{1,8}\))?: "
)
"""`W/Tag( 1702): message`: a letter and a name."""
_MAX_COLUMN = 120
_ID_COLUMN = re.compile(r"\d{1,12}|[0-9a-f]{3,16}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|-")
_NAME_COLUMN = re.compile(r"[A-Za-z_][\w.$@/#:\-]{0,119}")
_SOURCE_COLUMN = re.compile(r"[\w./@\-]{1,160}\.[a-z]{1,5}:\d{1,7}")


def _columns(text: str, draft: Draft) -> str | None:
    """The message of `LEVEL<tab>logger<tab>caller<tab>message<tab>fields`, in any such order; None without a level."""
    cells = text.split("\t", 7)
    names: list[str] = []
    source: str | None = None
    level: Level | None = None
    at = 0
    while at < len(cells) - 1:
        word = cells[at].strip().strip("[]").rstrip(":")
        if level is None and len(word) > 2 and word.isalpha() and (level := level_field(word)):
            pass
        elif _SOURCE_COLUMN.fullmatch(word):
            source = word
        elif word and not _ID_COLUMN.fullmatch(word):
            if not _NAME_COLUMN.fullmatch(word) or (level is not None and names and "." not in word):
                break
            names.append(word)
        at += 1
    rest = "\t".join(cells[at:])
    if level is None:
        found = find_level(rest)
        if found is None or not names or found[1]:
            return None
        level, rest = found[0], found[2].lstrip(" :")
    draft.level = level
    if len(cells) > 2 and at == len(cells) - 1 and rest[:1] == "{" and names and source is None:
        rest = f"{names.pop()}\t{rest}"  # the last name was a message of one word
    if names:
        name_source(draft, next((name for name in names if "." in name), names[0]))
    draft.logger = draft.logger or (source if draft.service is None else None)
    return rest


_VERBOSITY = re.compile(r", {1,3}\d{1,2}\] (?=\S)")
_TAIL_WORD = re.compile(r"[^\s/|,;]{1,120}")


def read_bracketed_tail(text: str, start: int, draft: Draft) -> Draft | None:
    """`[time: LEVEL/Process] message`, `[time LEVEL file.py:12] message`: more than the time in the first bracket."""
    if verbosity := _VERBOSITY.match(text, start):
        draft.message = text[verbosity.end() :]
        return draft
    closing = text.find("]", start, start + 120)
    inner = text[start:closing].strip(" :,|-") if closing > start else ""
    if not inner or not text[closing + 1 :].strip():
        return None
    for word in _TAIL_WORD.findall(inner):
        level = level_token(word.rstrip(":"))
        if level is not None and draft.level is None:
            draft.level = level
        elif ("." in word or "::" in word) and draft.logger is None:
            draft.logger = word
    if draft.level is None:
        return None
    draft.message = text[closing + 1 :].lstrip(" :-")
    return draft
