"""Where the level stands at the front of a line.

The level is the anchor of a header: everything before it must look like a header (brackets, numbers, names), else the
words are prose and no level is taken from them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rootproof.logs.levels import LETTERS, NOUNS, level_field, level_token
from rootproof.logs.record import Level

_MAX_HEADER_TOKENS = 7
_TOKEN = re.compile(
    r"\s*(\[[^\[\]]{0,120}\]|\([^()]{0,120}\)|<[^<>\s]{1,40}>|\{[^{}]{0,120}\}|\{\{[^{}]{0,120}\}\}|"
    r"\|[^|\s]{1,40}\|?|[^\s|\[]{1,200})(\s+[-|:]+(?=\s)|\s*\||(?=\s|$|\[|:))"
)
_HEADERISH = re.compile(r"[\[(<|{].*|[\w.]{1,40}=\S*|[-+]?\d[\d.:,/]*|\S*[\d._:/@#$\-]\S*|[A-Z]{2,12}|-")
_BARE_WORD = re.compile(r"[a-z][\w]{1,40}")
ID_LIKE = re.compile(r"[0-9a-fA-F]{4,40}|\d{1,10}")
_MARK = re.compile(
    r"[\w@.,=:()/\[\]\-' ]{0,200}?(?:^|[\s:])(DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC): {2}"
)


def marked_level(text: str) -> tuple[Level, list[str], str] | None:
    """`user=.. db=.. FATAL:  message`: two blanks behind the colon mark a database's level, whatever stands before."""
    match = _MARK.match(text) if ":  " in text[:260] else None
    level = level_field(match[1]) if match else None
    if match is None or level is None:
        return None
    users = AT.search(text[: match.start(1)])
    return level, [users[0]] if users else [], text[match.end() - 2 :]


AT = re.compile(r"(?<![\w@.])[\w\-]{1,60}@[\w\-]{1,60}(?![\w@.])")
_GLUED = re.compile(r"\s*(?:[\w.:]{1,40}\))?(?:##\[([a-z]{5,8})\]|([A-Z]{4,9})(?:[:|](?=\S)|(?<=\)WARNING): |> ))")


def glued_level(text: str) -> tuple[Level, list[str], str] | None:
    """`LEVEL:message`, with nothing between them."""
    match = _GLUED.match(text)
    level = level_field(match[1] or match[2]) if match else None
    return (level, [], text[match.end() :]) if match and level else None


def find_level(text: str) -> tuple[Level, list[str], str] | None:
    """The level, the tokens before it, and the text after it."""
    position = 0
    before: list[str] = []
    bare = 0
    bracket_only = False
    for _ in range(_MAX_HEADER_TOKENS):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        token, joint = match[1], match[2]
        end = match.end()
        delimited = bool(joint.strip(" ")) or text[end : end + 1] == ":"
        level = _as_level(token, delimited=delimited, before=before, after=text[end : end + 90])
        if level is not None:
            if bracket_only and token[0] not in "[<":
                return None
            if bare and not delimited and not _plausible(before) and not ID_LIKE.fullmatch(before[0]):
                return None
            return None if _is_phrase(token, joint, before) else (level, before, text[end:])
        if bracket_only:
            return None
        if inside := _level_inside(token):
            return inside[0], [*before, inside[1]], text[end:]
        if not _headerish(token) and (bare or not joint.strip()):
            bare += 1
            if bare > 1:
                return None
            bracket_only = len(before) > 1
        before.append(token if not joint.strip() else f"{token}{joint.strip()}")
        position = end
        if text[end : end + 1] == ":":
            position += 1
    return None


_WORD = re.compile(r"[A-Za-z]\w*")


def _is_phrase(token: str, joint: str, before: list[str]) -> bool:
    """Whether a level word ends a phrase and no header: `TLS Error: ...`, `host:443 error : ...`."""
    if not before:
        return False
    if token[0].isupper() and (token[1:2].islower() or token.rstrip(":").lower() in NOUNS):
        return _WORD.fullmatch(before[-1]) is not None
    return token[0].islower() and joint.strip() == ":" and not all(map(_is_id, before))


def _is_id(token: str) -> bool:
    return token[0] in "[(<" or ID_LIKE.fullmatch(token.rstrip(":|-")) is not None


def _plausible(before: list[str]) -> bool:
    """Whether bare words before a bare level are names and not the beginning of a sentence."""
    return all(_headerish(word) or _BARE_WORD.fullmatch(word) for word in before)


@lru_cache(maxsize=4096)
def _headerish(token: str) -> bool:
    return _HEADERISH.fullmatch(token) is not None


_COMBINED = re.compile(r"(?:[\[<(]([\w. #\-]{0,60})[:./#]|([\w.\-]{1,60})[:./])([A-Za-z]{3,9})[\])>]?")


_KEYED = re.compile(r"(?:log)?(?:level|severity|lvl)=(\w{3,9}),?", re.IGNORECASE)
_AMONG_IDS = re.compile(
    r"\[[0-9A-F]{4,16} (?:'[^']{1,40}' )?(?:\d{1,8} )?(error|warning|info|verbose)(?: [\w=\-]{1,60})?\]"
)


@lru_cache(maxsize=4096)
def _level_inside(token: str) -> tuple[Level, str] | None:
    """`[proxy:error]`, `app.ERROR`: a name and a level in one token."""
    match = _COMBINED.fullmatch(token.removesuffix(":"))
    if match is None:
        among = _AMONG_IDS.fullmatch(token) or _KEYED.fullmatch(token)
        return (level, "") if among and (level := level_field(among[1])) else None
    bracketed = token[0] in "[<("
    level = level_field(match[3]) if bracketed or match[3].isupper() else None
    name = match[2] or match[1] or ""
    return (level, name if " " not in name else "") if level is not None else None


def _as_level(token: str, *, delimited: bool, before: list[str], after: str) -> Level | None:
    if token[0] in "[<(|":
        inner = token.strip("[]<>()| ")
        return LETTERS.get(inner) if len(inner) == 1 else level_field(inner) if inner.isalpha() else None
    word = token.rstrip(":,").strip("*")
    if len(word) == 1 or (len(word) == 2 and word[1] == "!"):
        sure = len(word) == 2 or delimited or _follows_ids(before, after) or bool(_LETTER_NEXT.match(after))
        return LETTERS.get(word[0]) if sure else None
    level = level_token(word)
    if level is None or word.isupper():
        return level
    if delimited or len(word) < len(token) or after.startswith(("  ", "\t", " [")) or _PID_NEXT.match(after):
        return level
    return level if not before and word in _SHORT_LEVELS else None


_SHORT_LEVELS = frozenset({"err", "warn", "info", "notice", "crit", "debug", "trace"})
_LETTER_NEXT = re.compile(r"/|\s+[A-Z]{2,30}\s|\s\[[A-Z][A-Z]|\s[\w./\-]{1,70}\.[a-z]{1,4}:\d{1,6}\]|\s\|")
_PID_NEXT = re.compile(r" [\w.\-]{1,18}\[\d")


def _follows_ids(before: list[str], after: str) -> bool:
    if not before:
        return False
    if all(ID_LIKE.fullmatch(known) or known[0] in "[(" for known in before):
        return True
    return after.startswith(" ") and len(before) == 2 and bool(ID_LIKE.fullmatch(before[0]))


_PROSE_LEVEL = re.compile(
    r"(?:[\w./\-]{1,60}: )?\[?(fatal|error|err|warning|warn|info|debug|critical|notice|emerg|trace)\]?: |"
    r"[\w./\-]{1,60}: (Fatal|Error|Warning|Info|Debug): |"
    r"[A-Z]{3} (?:(Fatal)|Parse|(Warning|Notice|Deprecated))(?: (error))?: "
)


def level_in_words(message: str) -> Level | None:
    """The level at the very front of a message (`error: ...`, `prog: warning: ...`), which stays part of it."""
    match = _PROSE_LEVEL.match(message) if ": " in message else None
    if match is None:
        return None
    return level_field(match[1] or match[2] or match[3] or match[4] or match[5])
