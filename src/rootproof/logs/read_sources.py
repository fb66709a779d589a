"""Who says it: the logger or service, the thread and the context between the level and the message.

What cannot be told apart from the message stays in the message.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rootproof.logs.access import REQUEST_LINE, status_level
from rootproof.logs.draft import Draft
from rootproof.logs.levels import level_field
from rootproof.logs.read_levels import AT, ID_LIKE

_PID_DASHES = re.compile(r"^(?:\d{1,8}\s+)?---\s+")
_DASHES = re.compile(r"^(?:-{1,3}|\|)\s+")
_DASHED = re.compile(
    r"(?:[\w\-]{1,40} (?=(?:[a-z]\w{0,60}\.){1,12}[A-Z]))?([^\s:]\S{0,119})"
    r"(?: +(?:\[[^\]]{0,120}\]|\([^()\s]{0,80}\))){0,2} +- +"
)
_COLONED = re.compile(
    r"((?:\w{1,60}::){1,8}\w{1,60}|[^\s:\[\]=\"'()]{1,120}(?:\[[^\]\s]{1,60}\])?(?:\([^)\s]{1,40}\))?(?::\d+)?(?:\.\w+\(\d+\))?)\s{0,60}:\s+"
)
_PADDED_COLON = re.compile(r"([^\s:\[\]=\"']{1,120})\s+:\s+")
_CLASS = re.compile(
    r"((?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,120}(?:\.[a-z]\w{0,60})?(?:[#:]\w{1,60}){0,3});?\s{1,60}(?=\S)|"
    r"([a-z]\w{0,60}(?:\.\w{1,60}){1,8})\s{1,4}(?=\[)|"
    r"([a-z]\w{0,60}(?:\.\w{1,60}){0,8}:\w{1,60}:\d{1,6})\s(?=\S)"
)
_TWO_NAMES = re.compile(r"[a-z]\w{0,40} ([a-z]\w{0,60}(?:\.\w{1,60}){1,8}): ")
_EMPTY_CONTEXT = re.compile(r"\[(?:-|[\w\- ]{0,160} -(?: [\w\-]{1,40}){0,4}|req-[\w\- ]{0,200})\] ?")
_BRACKET = re.compile(r"\s*\[([^\[\]]{0,160})\]\s*:?")
_NESTED = re.compile(r"\s*\[([^\s\[\]]{0,80}\[[^\s\[\]]{0,40}\][^\s\[\]]{0,160})\](?= - )")
_SOURCE_LINE = re.compile(r"([\w./\-]{1,120}\.(?:go|py|js|ts|rb|cc?|cpp|h|java|rs|ex|php|cs|kt|scala):\d+)[:\]]?\s+")
_LOGGER_NAME = re.compile(r"[A-Za-z_$@~][\w.$@#/~:\-<>]*\*?")
_PROBLEM = re.compile(
    r"(?:[A-Z]\w*)?(?:Error|Exception|Failure|Fault|Timeout|Warning|Panic)\*?$|"
    r"^(?:error|failed|failure|warning|caused by|note|usage|hint)$",
    re.IGNORECASE,
)
_THREADISH = re.compile(r"[\w.\-$#@/:*()+ ]{1,120}|\S{1,120}\[\S{1,40}\]\S{1,160}|[a-z]{1,20}: [\w= ]{1,100}")
_FRONT_SOURCE = re.compile(
    r"\(?([\w./\-]{1,120}\.(?:go|py|js|ts|rb|cc?|cpp|h|java|rs|ex|php|cs|kt)[:.]\d{1,6})\)?:? +(?=\S)"
)
_FRONT_PROGRAM = re.compile(
    r"(\w[\w\-]{0,60}\.(?:exe|dll|bin|sh|py|jar)(?: \*\d\d)?|[a-z][\w]{0,30}(?:-[\w]{1,30})+)(?: - |: )(?=\S)"
)
_FRONT_BRACKET = re.compile(r"\[([A-Z]{3,20}|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)\] (?=[A-Za-z])")
_FRONT_PIPE = re.compile(r"([A-Za-z_][\w.\-]{1,60})\|(?:\d{1,12}\|)?(?=\S)")
_FRONT_PID = re.compile(r"([A-Za-z][\w.\-]{0,60})\[(?:\d{1,10}\](?:: (?=\S)| (?=\[))|\d{1,10}:\w{1,12}\]:? (?=\S))")
_FRONTS = (_FRONT_SOURCE, _FRONT_PROGRAM, _FRONT_BRACKET, _FRONT_PIPE, _FRONT_PID)
_LEVEL_AT_END = re.compile(r"LEVEL: ([A-Z][a-z]{2,12})$")


def without_level(text: str, draft: Draft) -> str:
    """The message of a header that names no level but perhaps a source file, a program or a service."""
    if text[:1] == '"' and (request := REQUEST_LINE.match(text)):
        status = int(request["status"])
        draft.level, draft.metrics["status"] = status_level(status), float(status)
        return text
    if "LEVEL: " in text and (level := _LEVEL_AT_END.search(text[-40:])):
        draft.level, draft.takes_plain = level_field(level[1]), True
        return ""
    for pattern in _FRONTS:
        if match := pattern.match(text):
            name_source(draft, match[1])
            return text[match.end() :]
    return text


_KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


def name_source(draft: Draft, name: str) -> None:
    """Keep the name that a header gives: `kebab-case` names are services, others loggers; the first one stays."""
    if _KEBAB.fullmatch(name):
        draft.service = draft.service or name
    else:
        draft.logger = draft.logger or name


_THREAD = re.compile(
    r"main|\d.*|.*(?:thread|exec|pool|worker|nio|http|task|conn|timer|scheduler|async).*", re.IGNORECASE
)
_CLASS_AT = re.compile(r"[:/]([A-Za-z_][\w.$]{0,120})@\d{1,6}$")
_PADDED_LINE = re.compile(r"([\w.]{1,80}) {1,40}:\d{1,6}")
_NUMBERED_NAME = re.compile(r"[A-Za-z]{1,20}:\d{0,6}")


_NUMBERED_THREAD = re.compile(r".{0,80}(?:exec|thread|pool|worker)\w{0,20}-\d{1,6}", re.IGNORECASE)


def note(token: str, draft: Draft) -> None:
    """Keep what a token before the level names: a logger or service; numbers, ids and threads are let go."""
    inner = token.strip("[](){}<>|:- ")
    if source := _CLASS_AT.search(inner):
        draft.logger = draft.logger or source[1]
        return
    if users := AT.search(inner):
        inner = users[0]
    if padded := _PADDED_LINE.fullmatch(inner):
        inner = padded[1]
    if not inner or _NUMBERED_NAME.fullmatch(inner) or ID_LIKE.fullmatch(inner) or inner == "-":
        return
    if _NUMBERED_THREAD.fullmatch(inner):
        return
    if token[0] in "[(" and (" " in inner or (_THREAD.fullmatch(inner) and "." not in inner)):
        return
    if _LOGGER_NAME.fullmatch(inner):
        name_source(draft, inner)


_COMPONENT = re.compile(r"([A-Z][A-Z_]{2,30})(?:\s{2,}(?=\S)|\s(?=\[[^\]]{1,60}\]\s))")
_PIPED = re.compile(
    r"(?:\|\s*([^\s|]{0,80}(?:[._:\-]|[a-z][A-Z])[^\s|]{1,80})|([\w$]{1,60}(?:\.[\w$]{1,60}){1,12}))\s*\|\s*"
)
_MORE_PIPED = re.compile(r"(?:([\w.$\-]{1,80})|\d{1,6} - [^|]{1,120})\s{0,40}\| ?(?=\S)")
_PIPED_TAIL = re.compile(r" \| ((?:[\w$]{1,60}\.){1,12}[\w$]{1,80}) \| [^|]{1,80}$")
_WORKER_IDS = re.compile(r"\d{1,9}#\d{1,9}: (?:\*\d{1,12} )?")
_COLUMNS_OF_SPRING = re.compile(
    r"\s*(?:\[[^\]]{0,160}\]\s{1,4})?\d{1,8}\s{1,4}---\s{1,4}(?:\[[^\]]{0,120}\]\s{0,4}){0,4}(\S{1,160})\s{0,60}\s:\s"
)
_SUBSYSTEM = re.compile(r"\s<([\w.$\-]{1,80})>(?:\s(?=<)|: )")
_PARENTHESES = re.compile(r"\s*\(([^()]{1,120})\)\s*(:?)\s*(?=\S)")
_GLUED_NAME = re.compile(r"([A-Za-z_][\w.]{0,100}\.[\w.]{1,100}):(?=[^\s\d])")
_SPANS = re.compile(r"(?:[\w\-]{1,60}\{[^{}]{0,300}\}:){1,8} ")
_UNIFIED = re.compile(r"0x[0-9a-f]{1,16}\s{1,24}\d{1,8}\s{1,24}\d{1,3}\s{1,8}([\w.\-]{1,80}): ")
_NAME_AND_IDS = re.compile(r"([A-Za-z_][\w.]{0,80}) \d{1,8} \d{12,20} (?=\S)")
_SOURCE_FUNCTION = re.compile(r"[\w./]{1,120}\.\w{1,4}:\d{1,6} ([\w:]{1,120}) - ")


def after_level(rest: str, draft: Draft, *, glued: bool) -> str:
    """The message behind the level, its thread and logger noted; `glued`: a bracket follows that of the level."""
    if (tail := _short_forms(rest, draft)) is not None:
        return tail
    text = _PID_DASHES.sub("", rest.lstrip(" \t|,;:-"))
    if ids := _WORKER_IDS.match(text):
        return text[ids.end() :]
    for pattern in _WHOLE_FRONTS:
        if named := pattern.match(text):
            name_source(draft, named[1])
            return text[named.end() :]
    if "{" in text[:64] and (spans := _SPANS.match(text)):
        text = text[spans.end() :]
    if component := _COMPONENT.match(text):
        draft.logger = draft.logger or component[1]
        text = text[component.end() :]
        if text[:1] != "[":
            return text
    text, dashed = _without_context(text, draft, glued=glued)
    return _strip_tail(_strip_logger(text, draft, dashed=dashed), draft)


def _without_context(text: str, draft: Draft, *, glued: bool) -> tuple[str, bool]:
    """`text` without the brackets and parentheses of a header at its front, and whether a dash ended them."""
    dashed = False
    for at in range(6):
        if text[:2] == "[[":
            break
        if text[:1] == "(" and (paren := _PARENTHESES.match(text)) and _sets_apart(paren, text, draft):
            text = text[paren.end() :]
            continue
        bracket = _BRACKET.match(text) or _NESTED.match(text)
        if bracket is None:
            break
        certain = bracket.re is _NESTED or (glued and at == 0 and bool(_CATEGORY_NAME.fullmatch(bracket[1].strip())))
        if not certain and not _is_context(bracket[1], text[bracket.end() :]):
            break
        _note_bracket(bracket[1], draft, certain=certain)
        text = text[bracket.end() :].lstrip(" \t")
        if dash := _DASHES.match(text):
            text, dashed = text[dash.end() :], True
    return text, dashed


def _short_forms(rest: str, draft: Draft) -> str | None:
    """The message of headers that one look at what follows the level settles."""
    if "|" in rest[:200]:
        if piped := _PIPED.match(rest):
            name_source(draft, piped[1] or piped[2])
            rest = rest[piped.end() :]
            while more := _MORE_PIPED.match(rest):
                if draft.logger is None or _THREAD.fullmatch(draft.logger):
                    draft.logger = more[1]
                rest = rest[more.end() :]
            return rest
        if tail := _PIPED_TAIL.search(rest[-240:]):
            draft.logger = draft.logger or tail[1]
            return rest[: -len(tail[0])].lstrip(" |")
    if " --- " in rest[:200] and (spring := _COLUMNS_OF_SPRING.match(rest)):
        draft.logger = spring[1]
        return rest[spring.end() :]
    if rest[:2] == " <" and (named := _SUBSYSTEM.match(rest)):
        name_source(draft, named[1])
        return rest[named.end() :]
    if named := _GLUED_NAME.match(rest):
        name_source(draft, named[1])
        return rest[named.end() :]
    return None


_WHOLE_FRONTS = (_FRONT_PID, _UNIFIED, _NAME_AND_IDS, _SOURCE_FUNCTION)
_ON_HOST = re.compile(r"(?:([\w.@/\-]{1,80})/)?\d{1,8} on \S{1,120}")


def _sets_apart(paren: re.Match[str], text: str, draft: Draft) -> bool:
    """Whether parentheses behind the level hold a thread, a process or a code, and not the first words that follow."""
    after = text[paren.end() :]
    if on_host := _ON_HOST.fullmatch(paren[1]):
        if on_host[1]:
            name_source(draft, on_host[1])
        return True
    if paren[2]:
        return bool(ID_LIKE.fullmatch(paren[1]))
    if draft.logger is not None and "." in draft.logger:
        return bool(_THREADISH.fullmatch(paren[1])) and (after[:1].isalnum() or after[:1] == "[")
    return after[:1] == "[" and bool(_THREADISH.fullmatch(paren[1]))


_TRAILING_LOGGER = re.compile(r" \(((?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,120})\)$")
_TRAILING_BRACKET = re.compile(r"\S( {2,}\[([A-Za-z_]\w{0,60}(?:\.\w{1,60}){1,8})\])(?= |$)")


def _strip_tail(text: str, draft: Draft) -> str:
    """`message (a.b.Class)` and `message     [a.b] key=value`: loggers that stand behind the message."""
    if draft.logger is not None and "." in draft.logger:
        return text
    if text[-1:] == ")" and (last := _TRAILING_LOGGER.search(text[-400:])):
        draft.logger = last[1]
        return text[: -len(last[0])]
    if "  [" in text[:400] and (last := _TRAILING_BRACKET.search(text[:500])):
        draft.logger = last[2]
        return text[: last.start(1)] + text[last.end(1) :]
    return text


_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def _is_context(inner: str, rest: str) -> bool:
    """Whether a bracket holds a thread or logger and not a part of the message."""
    if not rest.strip():
        return False
    stripped = inner.strip()
    if stripped.startswith("client ") or _ADDRESS.match(stripped):
        return False
    return not stripped or (bool(_THREADISH.fullmatch(stripped)) and not _TICKET.fullmatch(stripped))


_CATEGORY_NAME = re.compile(r"[A-Za-z][\w.,+\\\-]{1,80}")
_SIMPLE = re.compile(r"[A-Za-z][A-Za-z_\-]{1,60}")
_BEGINS_NAME = re.compile(r"#?[^\W\d]|\$")
_DOTTED = re.compile(r"[a-z]\.[A-Za-z]")
_ACTOR = re.compile(r"[a-z]{3,8}://\S{1,160}")


def _note_bracket(inner: str, draft: Draft, *, certain: bool = False) -> None:
    """Keep the logger of a bracket behind the level; `certain`: it stands where only a logger stands."""
    name = inner.strip()
    if _ACTOR.fullmatch(name):
        draft.logger = name
        return
    if source := _CLASS_AT.search(name):
        draft.logger = source[1]
        return
    if draft.logger is not None:
        return
    dotted = _LOGGER_NAME.fullmatch(name) and _DOTTED.search(name)
    simple = _SIMPLE.fullmatch(name) and not _THREAD.fullmatch(name)
    if dotted or simple or (certain and _CATEGORY_NAME.fullmatch(name)):
        draft.logger = name


def _logger_forms(text: str) -> tuple[re.Pattern[str], ...]:
    """The forms that a logger at the front of `text` may have, in order: those whose mark is somewhere in it."""
    dashed = (_DASHED,) if " - " in text else ()
    return (*dashed, _PADDED_COLON, _SOURCE_LINE, _COLONED, _TWO_NAMES, _CLASS) if ":" in text else (*dashed, _CLASS)


def _strip_logger(text: str, draft: Draft, *, dashed: bool) -> str:
    """The text behind a logger at its front; `dashed`: a dash has ended the header already."""
    for pattern in _logger_forms(text):
        match = None if dashed and pattern is _DASHED else pattern.match(text)
        if match is None or not text[match.end() :].strip():
            continue
        name = (match[1] or match[match.lastindex or 1]).rstrip(":")
        if not name:
            continue
        certain = pattern in (_PADDED_COLON, _CLASS, _SOURCE_LINE, _TWO_NAMES) or (
            pattern is _DASHED and "=" not in name and _BEGINS_NAME.match(name) is not None
        )
        if certain or _names_logger(name):
            if draft.logger is None or pattern is not _SOURCE_LINE:
                draft.logger = None
                name_source(draft, name)
            return after_logger(text[match.end() :])
    return text


def after_logger(rest: str) -> str:
    """`rest` without a bracket that holds the ids of a request or a dash in their place."""
    if rest[:1] == "[" and (context := _EMPTY_CONTEXT.match(rest)) and rest[context.end() :].strip():
        return rest[context.end() :]
    return rest


_COMPOUND = re.compile(r"[a-z][A-Z]|[._$/\[#@-]\w|::")
_TICKET = re.compile(r"[A-Z]{2,}-\d+")


@lru_cache(maxsize=4096)
def _names_logger(name: str) -> bool:
    """Whether a word before a colon is the name of a logger and not the first word of the message."""
    if _PROBLEM.search(name) or not _LOGGER_NAME.match(name):
        return False
    return bool(_COMPOUND.search(name)) and not _TICKET.fullmatch(name)
