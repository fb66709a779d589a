"""What stands between the timestamp and the message: level, thread, process id, logger, in any order.

The level is the anchor: everything before it must look like a header (brackets, numbers, names), else the words are
prose and no level is taken from them. What cannot be told apart from the message stays in the message.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rootproof.logs.draft import Draft
from rootproof.logs.levels import LETTERS, level_field, level_token
from rootproof.logs.record import Level

_MAX_HEADER_TOKENS = 7

_TOKEN = re.compile(
    r"\s*(\[[^\[\]]{0,120}\]|\([^()]{0,120}\)|<[^<>\s]{1,40}>|\|[^|\s]{1,40}\|?|[^\s|\[]{1,200})(\s+[-|:]+(?=\s)|\s*\||(?=\s|$|\[|:))"
)
_PID_DASHES = re.compile(r"^(?:\d{1,8}\s+)?---\s+")
_DASHES = re.compile(r"^(?:-{1,3}|\|)\s+")
_DASHED = re.compile(r"(\S{1,120}) +- +")
_COLONED = re.compile(
    r"((?:\w{1,60}::){1,8}\w{1,60}|[^\s:\[\]=\"'()]{1,120}(?:\[[^\]\s]{1,60}\])?(?:\([^)\s]{1,40}\))?(?::\d+)?(?:\.\w+\(\d+\))?)\s{0,60}:\s+"
)
_PADDED_COLON = re.compile(r"([^\s:\[\]=\"']{1,120})\s+:\s+")
_CLASS = re.compile(r"((?:[a-z]\w*\.)+[A-Z][\w$]*(?:\.[a-z]\w*)?(?:[#:]\w+)*)\s+(?=\S)")
_BRACKET = re.compile(r"\s*\[([^\[\]]{0,160})\]\s*:?")
_SOURCE_LINE = re.compile(r"([\w./\-]{1,120}\.(?:go|py|js|ts|rb|cc?|cpp|h|java|rs|ex|php|cs|kt|scala):\d+)[:\]]?\s+")
_LOGGER_NAME = re.compile(r"[A-Za-z_$@~][\w.$@#/~:\-<>]*\*?")
_PROBLEM = re.compile(
    r"(?:[A-Z]\w*)?(?:Error|Exception|Failure|Fault|Timeout|Warning|Panic)\*?$|"
    r"^(?:error|failed|failure|warning|caused by|note|usage|hint)$",
    re.IGNORECASE,
)
_THREADISH = re.compile(r"[\w.\-$#@/:*()+ ]{1,120}")
_HEADERISH = re.compile(r"[\[(<|].*|[-+]?\d[\d.:,/]*|\S*[\d._:/@#$\-]\S*|[A-Z]{2,12}|-")
_BARE_WORD = re.compile(r"[a-z][\w]{1,40}")
_ID_LIKE = re.compile(r"[0-9a-fA-F]{4,40}|\d{1,10}")


def read_header(text: str, draft: Draft) -> Draft:
    """Fill `draft` from the header at the front of `text`; its message becomes the rest."""
    found = _glued_level(text) or _find_level(text)
    if found is None:
        draft.message = text.lstrip(" \t")
        return draft
    level, before, rest = found
    draft.level = level
    for token in before:
        _note(token, draft)
    tagged = _TAGGED.match(rest) if _LETTER_END.search(text[: len(text) - len(rest)]) else None
    if tagged is not None:
        name_source(draft, tagged[1])
        draft.message = rest[tagged.end() :]
        return draft
    draft.message = _after_level(rest, draft)
    return draft


_LETTER_END = re.compile(r"(?:^|\s)[A-Z]$")
_TAGGED = re.compile(r"(?:/|\s{1,4})([\w.$\-]{1,80})\s{0,40}(?:\(\s*\d+\))?: ")


_TAIL_WORD = re.compile(r"[^\s/|,;]{1,120}")


def read_bracketed_tail(text: str, start: int, draft: Draft) -> Draft | None:
    """`[time: LEVEL/Process] message`, `[time LEVEL file.py:12] message`: more than the time in the first bracket."""
    closing = text.find("]", start, start + 120)
    inner = text[start:closing].strip(" :,|-") if closing > start else ""
    if not inner or not text[closing + 1 :].strip():
        return None
    for word in _TAIL_WORD.findall(inner):
        level = level_token(word.rstrip(":"))
        if level is not None and draft.level is None:
            draft.level = level
        elif "." in word and draft.logger is None:
            draft.logger = word
    if draft.level is None:
        return None
    draft.message = text[closing + 1 :].lstrip(" :-")
    return draft


_KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


def name_source(draft: Draft, name: str) -> None:
    """Keep the name that a header gives: `kebab-case` names are services, others loggers; the first one stays."""
    if _KEBAB.fullmatch(name):
        draft.service = draft.service or name
    else:
        draft.logger = draft.logger or name


_GLUED = re.compile(r"\s*([A-Z]{4,9})[:|](?=\S)")


def _glued_level(text: str) -> tuple[Level, list[str], str] | None:
    """`LEVEL:message`, with nothing between them."""
    match = _GLUED.match(text)
    level = level_token(match[1]) if match else None
    return (level, [], text[match.end() :]) if match and level else None


def _find_level(text: str) -> tuple[Level, list[str], str] | None:
    """The level, the tokens before it, and the text after it."""
    position = 0
    before: list[str] = []
    bare = 0
    for _ in range(_MAX_HEADER_TOKENS):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        token, joint = match[1], match[2]
        end = match.end()
        delimited = bool(joint.strip(" ")) or text[end : end + 1] == ":"
        level = _as_level(token, delimited=delimited, before=before, after=text[end : end + 24])
        if level is not None:
            if bare and before and not delimited and not _plausible(before):
                return None
            return level, before, text[end:]
        if _combined := _level_inside(token):
            return _combined[0], [*before, _combined[1]], text[end:]
        if not _headerish(token) and not joint.strip():
            bare += 1
            if bare > 1 or before[1:]:
                return None
        before.append(token)
        position = end
        if text[end : end + 1] == ":":
            position += 1
    return None


def _plausible(before: list[str]) -> bool:
    """Whether bare words before a bare level are names and not the beginning of a sentence."""
    return all(_headerish(word) or _BARE_WORD.fullmatch(word) for word in before)


@lru_cache(maxsize=4096)
def _headerish(token: str) -> bool:
    return _HEADERISH.fullmatch(token) is not None


_COMBINED = re.compile(r"[\[<(]?([\w.\-]{1,60})[:./]([A-Za-z]{3,9})[\])>]?")


@lru_cache(maxsize=4096)
def _level_inside(token: str) -> tuple[Level, str] | None:
    """`[proxy:error]`, `app.ERROR`: a name and a level in one token."""
    match = _COMBINED.fullmatch(token.removesuffix(":"))
    if match is None:
        return None
    bracketed = token[0] in "[<("
    level = level_field(match[2]) if bracketed or match[2].isupper() else None
    return (level, match[1]) if level is not None else None


def _as_level(token: str, *, delimited: bool, before: list[str], after: str) -> Level | None:
    if token[0] in "[<(|":
        inner = token.strip("[]<>()| ")
        return level_field(inner) if inner.isalpha() and len(inner) > 1 else _letter(inner)
    word = token.rstrip(":,")
    if len(word) == 1:
        follows_id = bool(before) and all(_ID_LIKE.fullmatch(known) or known[0] in "[(" for known in before)
        sure = follows_id or after.startswith("/") or bool(re.match(r"\s+[A-Z]{2,30}\s", after))
        return LETTERS.get(word) if sure else None
    level = level_token(word)
    if level is None or word.isupper():
        return level
    if delimited or len(word) < len(token) or after.startswith(("  ", "\t", " [")):
        return level
    return level if not before and word in ("err", "warn", "info", "notice", "crit", "debug", "trace") else None


def _letter(inner: str) -> Level | None:
    return LETTERS.get(inner) if len(inner) == 1 else None


_THREAD = re.compile(
    r"main|\d.*|.*(?:thread|exec|pool|worker|nio|http|task|conn|timer|scheduler|async).*", re.IGNORECASE
)


def _note(token: str, draft: Draft) -> None:
    """Keep what a token before the level names: a logger or service; numbers, ids and threads are let go."""
    inner = token.strip("[]()<>|: ")
    if not inner or _ID_LIKE.fullmatch(inner) or inner == "-":
        return
    if token[0] in "[(" and (" " in inner or (_THREAD.fullmatch(inner) and "." not in inner)):
        return
    if _LOGGER_NAME.fullmatch(inner):
        name_source(draft, inner)


_COMPONENT = re.compile(r"([A-Z][A-Z_]{2,30})\s+(?=\[[^\]]{1,60}\]\s)")
_PIPED = re.compile(r"(?:\|\s*([^\s|]{1,120})|([\w$]{1,60}(?:\.[\w$]{1,60}){1,12}))\s*\|\s*")
_WORKER_IDS = re.compile(r"\d{1,9}#\d{1,9}: (?:\*\d{1,12} )?")


def _after_level(rest: str, draft: Draft) -> str:
    """The message behind the level, its thread and logger noted."""
    if piped := _PIPED.match(rest):
        name_source(draft, piped[1] or piped[2])
        return rest[piped.end() :]
    text = _PID_DASHES.sub("", rest.lstrip(" \t|,;:-"))
    if ids := _WORKER_IDS.match(text):
        return text[ids.end() :]
    if component := _COMPONENT.match(text):
        draft.logger = draft.logger or component[1]
        text = text[component.end() :]
    for _ in range(3):
        bracket = _BRACKET.match(text)
        if bracket is None or not _is_context(bracket[1], text[bracket.end() :]):
            break
        _note_bracket(bracket[1], draft)
        text = text[bracket.end() :].lstrip(" \t")
        text = _DASHES.sub("", text)
    return _strip_logger(text, draft)


_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def _is_context(inner: str, rest: str) -> bool:
    """Whether a bracket holds a thread or logger and not a part of the message."""
    if not rest.strip():
        return False
    stripped = inner.strip()
    if stripped.startswith("client ") or _ADDRESS.search(stripped):
        return False
    return not stripped or (bool(_THREADISH.fullmatch(stripped)) and not _TICKET.fullmatch(stripped))


def _note_bracket(inner: str, draft: Draft) -> None:
    name = inner.strip()
    if draft.logger is None and _LOGGER_NAME.fullmatch(name) and re.search(r"[a-z]\.[A-Za-z]", name):
        draft.logger = name


def _logger_forms(text: str) -> tuple[re.Pattern[str], ...]:
    """The forms that a logger at the front of `text` may have, in order: those whose mark is somewhere in it."""
    dashed = (_DASHED,) if " - " in text else ()
    return (*dashed, _PADDED_COLON, _SOURCE_LINE, _COLONED, _CLASS) if ":" in text else (*dashed, _CLASS)


def _strip_logger(text: str, draft: Draft) -> str:
    for pattern in _logger_forms(text):
        match = pattern.match(text)
        if match is None or not text[match.end() :].strip():
            continue
        name = match[1].rstrip(":")
        certain = pattern in (_PADDED_COLON, _CLASS, _SOURCE_LINE) or (
            pattern is _DASHED and "=" not in name and not name[0].isdigit()
        )
        if certain or _names_logger(name):
            if draft.logger is None or pattern is not _SOURCE_LINE:
                draft.logger = None
                name_source(draft, name)
            return text[match.end() :]
    return text


_COMPOUND = re.compile(r"[a-z][A-Z]|[._$/\[#@-]\w|::")
_TICKET = re.compile(r"[A-Z]{2,}-\d+")


@lru_cache(maxsize=4096)
def _names_logger(name: str) -> bool:
    """Whether a word before a colon is the name of a logger and not the first word of the message."""
    if _PROBLEM.search(name) or not _LOGGER_NAME.match(name):
        return False
    return bool(_COMPOUND.search(name)) and not _TICKET.fullmatch(name)


_PROSE_LEVEL = re.compile(
    r"(?:[\w./\-]{1,60}: )?\[?(fatal|error|err|warning|warn|info|debug|critical|notice|emerg|trace)\]?: "
)


def level_in_words(message: str) -> Level | None:
    """The level at the very front of a message (`error: ...`, `prog: warning: ...`), which stays part of it."""
    match = _PROSE_LEVEL.match(message) if ": " in message else None
    return level_field(match[1]) if match else None
