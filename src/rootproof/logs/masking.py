"""From a message to its shape: every token that looks like a value becomes the mark, everything else stays.

The rules know the forms of values (numbers, addresses, paths, durations, placeholders) and never the name of a system.
They work in two steps. `coarse` replaces every word that holds a digit; the polars path does the same with one regex,
so both paths agree. `ShapeReader` then works on the few distinct coarse tokens that are left, each of them once.

Invariant: the shape of a message is a function of its coarse text alone; the kind of a slot (`<ip>`, `<dur>`) is only
shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rootproof.logs.wordlists import STATE_WORDS, word_set

MARK = "\x01"
"""Stands for one variable part inside shapes. A control character keeps Rust's regex engine on its fast path."""

GLUE = "\x02"
"""Begins a part that stands directly behind the one before it, as the value of `key=value` does."""
GLUED_MARK = GLUE + MARK

MAX_MESSAGE_CHARS = 2_000
"""Only this much of a message takes part in its pattern; the rest cannot change it."""
MAX_TOKENS = 96

_PLACEHOLDER = r"""<[a-z][a-z-]*(?::[^<>\s"']*)?>"""
COARSE_PATTERN = _PLACEHOLDER + r"|[A-Za-z0-9_.+\-]*[0-9][A-Za-z0-9_.+\-]*"
"""A placeholder (`<pod:cart-1>`), or a word that holds a digit. In the subset of syntax that Python and Rust share."""
_WORD = re.compile(_PLACEHOLDER + r"|[A-Za-z0-9_.+\-]+", re.ASCII)
_DIGIT = re.compile(r"[0-9]")

_KEYED = re.compile(r"([A-Za-z_][A-Za-z_.\-]{0,63}(?:=|:=))(.*)", re.DOTALL)
_LABELLED = re.compile(r"([A-Za-z_][A-Za-z_\-]{0,63}(?::|\(|\[|#|@|=|\|))(.*)", re.DOTALL)
_NAMED = re.compile(r"([A-Za-z_][A-Za-z_\-]{1,63}:)([^:\s][^\s]*)")
_URL = re.compile(r"[a-z][a-z0-9+.\-]{1,15}://\S", re.IGNORECASE)
_PATH = re.compile(r"(?:/[^/\s]+/|/[^/\s]*\x01|~/|\./|\.\./|[A-Za-z]:[\\/]|\\\\[^\\\s]+\\)\S*")
_LABEL = r"[\w\x01\-]+"
_HOST = re.compile(
    rf"(?!(?:com|org|net|edu|gov)\.)(?:(?:{_LABEL}\.)+(?:com|org|edu|gov|local)|(?:{_LABEL}\.){{2,}}"
    r"(?:net|mil|lan|internal|intranet|localdomain|corp|arpa|example|de|uk|fr|jp|cn|ru|br|nl|pl|eu|ch|au|kr))"
)
"""A domain name. Names of classes and properties end otherwise, or begin with the top level."""
_HEX_WORDS = re.compile(r"(?:[a-f]{8})+|(?:[A-F]{8})+|[\w.$\x01\-]*@[0-9a-f\x01]{5,16}")
"""Hexadecimal digits that happen to be letters only, alone or as the address of an object."""
_HEX_GROUPS = re.compile(r"/?(?:[0-9a-fA-F]{0,4}|\x01)(?:::?(?:[0-9a-fA-F]{1,4}|\x01)){2,}(?::?|[%/].*)", re.DOTALL)
"""Addresses of six bytes and of IPv6, whose first group may hold letters only."""
_EMAIL = re.compile(r"[^@\s:/=<>()\[\]{}\"',;|]+@[A-Za-z\x01][A-Za-z\-\x01]*(?:\.[A-Za-z\-\x01]+)+")
_OPENERS = "([{<\"'`|*#@"
_CLOSERS = ")]}>\"'`|,;:.!?*"
_NULLISH = frozenset({"true", "false", "null", "nil", "nan", "undefined"})
_VALUE_NULLISH = _NULLISH | {"none", "yes", "no", "on", "off", "n/a", "empty"}
UNITS = word_set(
    "ms msec msecs millis milliseconds millisecond s sec secs second seconds us usec micros microseconds ns "
    "nanos nanoseconds min mins minute minutes h hr hrs hour hours d day days b byte bytes kb mb gb tb pb kib "
    "mib gib tib k m g kbps mbps gbps kb/s mb/s gb/s % percent pct hz khz mhz ghz am pm usd eur gbp jpy chf cny inr"
)
_CALENDAR = word_set(
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may "
    "jun jul aug sep oct nov dec january february march april june july august september october november "
    "december utc gmt cet cest est edt cst cdt pst pdt jst ist bst msk"
)
_EMPTY = frozenset({"()", "[]", "{}", "<>", '""', "''"})
_JOINERS = frozenset({"-", ",", "/", "|", ":", "->", "=>", "..", ";", "+", "*", "=", "~", "_", "."})


def pattern_text(message: str) -> str:
    """The part of a message that makes its pattern: the first line, and of a stack trace its deepest cause too.

    Shape: one line, at most `MAX_MESSAGE_CHARS` characters.
    """
    if len(message) > MAX_MESSAGE_CHARS * 8:
        message = message[: MAX_MESSAGE_CHARS * 8]
    if "\n" not in message and "\r" not in message:
        return message[:MAX_MESSAGE_CHARS]
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return ""
    cause = _deepest_cause(lines[1:])
    head = lines[0] if cause is None or cause == lines[0] else f"{lines[0]} / {cause}"
    return head[:MAX_MESSAGE_CHARS]


_CAUSE = re.compile(r"(?:[Cc]aused by: |-{2,3}> |\[cause\]: )(.*)")
_NUMBERED = re.compile(r"[0-9]{1,3}: (.*)")
_RAISED = re.compile(r"[A-Za-z_][\w.$:]{0,200}(?:Error|Exception|Failure|Exit|Interrupt|Timeout|Warning)(?::.*)?")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")


def _deepest_cause(lines: list[str]) -> str | None:
    """The last `Caused by` of a trace, or the exception it began with."""
    for at in range(len(lines) - 1, -1, -1):
        if found := _CAUSE.match(lines[at]):
            return found[1]
        if lines[at] == "Caused by:" and at + 1 < len(lines):
            return _last_numbered(lines[at + 1 :])
    raised = [line for line in lines if _RAISED.fullmatch(line)]
    if not raised:
        return None
    return raised[0 if any(line.startswith(_CHAINED) for line in lines) else -1]


def _last_numbered(lines: list[str]) -> str:
    """The last of the numbered lines at the begin of `lines`, or the first line."""
    last = lines[0]
    for line in lines:
        found = _NUMBERED.fullmatch(line)
        if not found:
            break
        last = found[1]
    return last


def coarse(token: str) -> str:
    """`token` with placeholders and digit-holding words replaced by the mark, as `COARSE_PATTERN` does.

    Words are found whole and then looked into: searching for the digit inside would be quadratic without Rust's engine.
    """
    return _WORD.sub(_mark_if_digit, token) if "<" in token or _DIGIT.search(token) else token


def _mark_if_digit(match: re.Match[str]) -> str:
    word = match[0]
    return MARK if word[0] == "<" or _DIGIT.search(word) else word


def _value(core: str) -> bool:
    """Whether a bare core (no brackets around it) is a value as a whole."""
    if core.lower() in _NULLISH:
        return True
    if (
        _URL.match(core)
        or _PATH.match(core)
        or _EMAIL.fullmatch(core)
        or _HEX_WORDS.fullmatch(core)
        or _HEX_GROUPS.fullmatch(core)
    ):
        return True
    return bool(_HOST.fullmatch(core)) or ("," in core and all(_names_date(word) for word in core.split(",")))


def erase(token: str) -> tuple[str, ...]:
    """The parts of one coarse token: the mark, a constant, or a `key=` and what is glued to it.

    Brackets and punctuation around a mark are swallowed, so that `[12],` and `12` are the same shape.
    """
    core = token.strip(_OPENERS + _CLOSERS)
    if not core:
        return (MARK,) if MARK in token else (token,)
    if core.isalpha():
        return (MARK,) if core.lower() in _NULLISH or _HEX_WORDS.fullmatch(core) else (token,)
    if _value(core):
        return (MARK,)
    keyed = _KEYED.match(core)
    if keyed and keyed[2] and MARK not in keyed[1]:
        opening, closing = _around(token, core)
        return (opening + keyed[1], GLUE + _erase_value(keyed[1], keyed[2], closing))
    labelled = _LABELLED.match(core)
    if MARK not in core and not (labelled and _value(labelled[2].strip(_OPENERS + _CLOSERS))):
        named = _NAMED.fullmatch(core)
        if not named:
            return (token,)
        opening, closing = _around(token, core)
        return (opening + named[1], GLUE + named[2] + closing)
    if labelled:
        return (_around(token, core)[0] + labelled[1], GLUED_MARK)
    return (MARK,)


def _around(token: str, core: str) -> tuple[str, str]:
    at = token.index(core)
    return token[:at], token[at + len(core) :]


def _erase_value(key: str, value: str, closing: str) -> str:
    """The right side of `key=value`: the mark when it is a value and not a word."""
    bare = value.strip(_OPENERS + _CLOSERS)
    if MARK in value or (bare and _value(bare)):
        return MARK
    if key[-1] == "=" and bare.lower() in _VALUE_NULLISH:
        return MARK
    return value + closing


def is_mark(part: str) -> bool:
    """Whether a part is nothing but a value."""
    return part in (MARK, GLUED_MARK)


class Part(NamedTuple):
    """One piece of a shape and the range of words it came from (both ends included)."""

    text: str
    first: int
    last: int


Shape = tuple[Part, ...]


def collapse(parts: Sequence[Part]) -> Shape:
    """`parts` with runs of marks folded into one.

    A unit after a mark, a month or weekday beside one, and a joiner between two belong to the value.
    """
    if not any(MARK in part.text for part in parts):
        return tuple(parts)
    folded: list[Part] = []
    index, end = 0, len(parts)
    while index < end:
        part = parts[index]
        if not is_mark(part.text) and not _calendar_before_mark(parts, index):
            folded.append(part)
            index += 1
            continue
        last = index
        while last + 1 < end and _continues(parts, last + 1):
            last += 1
        text = GLUED_MARK if part.text == GLUED_MARK else MARK
        folded.append(Part(text, part.first, parts[last].last))
        index = last + 1
    return tuple(folded)


def texts(shape: Sequence[Part]) -> tuple[str, ...]:
    """What decides the pattern: the texts of the parts alone."""
    return tuple(part.text for part in shape)


def _bare(text: str) -> str:
    return text.strip(_OPENERS + _CLOSERS).lower()


def _calendar_before_mark(parts: Sequence[Part], index: int) -> bool:
    """`Sun Dec <mark>`: names of days and months that lead into a value."""
    while index < len(parts) and _names_date(parts[index].text):
        index += 1
        if index < len(parts) and parts[index].text == MARK:
            return True
    return False


def _names_date(text: str) -> bool:
    """Whether a part is the name of a day, a month or a zone, written with a capital letter."""
    core = text.strip(_OPENERS + _CLOSERS + " ")
    return core[:1].isupper() and core.lower() in _CALENDAR


def _continues(parts: Sequence[Part], index: int) -> bool:
    """Whether the part at `index`, just after a value, still belongs to it."""
    text = parts[index].text
    if is_mark(text):
        return True
    bare = _bare(text)
    if bare in UNITS or _names_date(text):
        return True
    joins = text in _JOINERS or (not bare and text.strip(",;:.") not in _EMPTY)
    return joins and index + 1 < len(parts) and is_mark(parts[index + 1].text)


class ShapeReader:
    """Reads shapes, each distinct word once. Not thread-safe; make one per job.

    Memory: the memo holds at most `memo_limit` words and starts afresh when it is full.
    """

    def __init__(self, memo_limit: int = 200_000) -> None:
        self._memo: dict[str, tuple[str, ...]] = {}
        self._limit = memo_limit

    def erased(self, message: str) -> tuple[tuple[str, ...], ...]:
        """The parts of each word of `message`: messages that agree here have one shape."""
        memo = self._memo
        erased: list[tuple[str, ...]] = []
        sql = holds_sql(message)
        for word in words(message):
            read = _SQL_LITERAL.sub("0", word) if sql and "'" in word else word
            known = memo.get(read)
            if known is None:
                if len(memo) >= self._limit:
                    memo.clear()
                known = memo[read] = erase(coarse(read))
            erased.append(known)
        return tuple(erased)

    def shape(self, erased: Sequence[tuple[str, ...]]) -> Shape:
        """The shape of a message whose words are `erased`."""
        return collapse([Part(text, at, at) for at, parts in enumerate(erased) for text in parts])


_PLAIN = rf"""(?:{_PLACEHOLDER}|[^\s"'=<,()\[\]{{}}])"""
"""A character of a word that stands in a list or a phrase; a placeholder counts as one, as `COARSE_PATTERN` has it."""
_CLOSED = r"[^\s\w]*(?!\S)"
_TELLING = r"[A-Za-z_]*(?:err|msg|error|message|reason|output|detail|desc|info|cause|text)="
"""The key of a text whose words tell what happened, so they are read one by one."""
_WORDS = re.compile(
    rf"""(?!{_TELLING})[^\s="']+=(?:"[^"]*"|'[^']*')\S*"""
    r"""|"[A-Za-z][A-Za-z\-]*/[^"]*"\S*"""
    r"""|[^\s"'\w<]*(["'])"""
    rf"""(?:(?:/|~/|[A-Za-z]:\\)[^"']*|[^\s"'=<0-9]+(?: [^\s"'=<0-9]+){{1,5}}|(?![A-Z]{{3,}} ){_PLAIN}+ {_PLAIN}+)"""
    rf"""\1{_CLOSED}"""
    rf"""|(?:{_PLACEHOLDER}|[^\s\[(<{{])*[\[({{]{_PLAIN}+(?:, ?{_PLAIN}+)+[\])}}]{_CLOSED}"""
    r"""|\S+"""
)
"""`key="a b"`; a quoted path; a short quoted phrase; a list in brackets; else what stands between spaces."""


_STATEMENT = re.compile(r"(?:^|[\s(:\"=])(?:select|insert\s+into|update|delete\s+from)\s", re.IGNORECASE)
_CLAUSE = re.compile(r"\s(?:from|values|set|where)[\s(]", re.IGNORECASE)
_SQL_WORDS = re.compile(r"(?:(?<=[\s=(,])'[^']*'|\S)+")
_SQL_LITERAL = re.compile(r"(?:(?<=[=(,])|^)'[^']*'")


def holds_sql(text: str) -> bool:
    """Whether `text` holds a statement with quoted literals."""
    return "'" in text and bool(_STATEMENT.search(text)) and bool(_CLAUSE.search(text))


def words(message: str) -> list[str]:
    """The words of a message that take part in its pattern, at most `MAX_TOKENS`; `key="a b"` is one word."""
    text = pattern_text(message)
    if holds_sql(text):
        return _SQL_WORDS.findall(text)[:MAX_TOKENS]
    if '"' in text or "'" in text or ", " in text:
        found = [match[0] for match, _ in zip(_WORDS.finditer(text), range(MAX_TOKENS), strict=False)]
    else:
        found = text.split(None, MAX_TOKENS)[:MAX_TOKENS]
    return found if text.islower() else _with_names(found)


_NAME_WORD = re.compile(r"[A-Z][A-Za-z'\-]*[,;:.)\]]*")
_LOWER = re.compile(r"[a-z]")


def _with_names(found: list[str]) -> list[str]:
    """`found` with runs of capitalised words inside a sentence made one word: a name."""
    joined: list[str] = []
    run = False
    for word in found:
        capital = "A" <= word[0] <= "Z" and _in_name(word, begins=not run)
        if capital and run:
            joined[-1] += " " + word
        else:
            joined.append(word)
        run = capital and len(joined) > 1 and word[-1].isalpha() and coarse(joined[-2])[-1] not in ".!?;"
    return joined


def _in_name(word: str, *, begins: bool) -> bool:
    """Whether a word may stand in a name; the first word of one is not all capitals."""
    core = word.lower().strip(_CLOSERS)
    if not _NAME_WORD.fullmatch(word) or (begins and not _LOWER.search(word)):
        return False
    return core not in STATE_WORDS and core not in _CALENDAR
