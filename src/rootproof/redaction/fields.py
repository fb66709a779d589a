r"""Secrets beside a name: `key=value`, JSON, YAML, XML attributes, URLs, headers, flags; escaped too.

One pass over the text: find a secret-like word, widen it to the whole name, read the separator, read the value. The
scan goes on behind what was read, so its time grows with the length of the text whatever the text holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.headers import authorization, cookies
from rootproof.redaction.keys import STEMS, KeyName, Trust, secret_name
from rootproof.redaction.layouts import argument
from rootproof.redaction.prose import embedded, from_to, is_set_to, is_told
from rootproof.redaction.reading import Value, is_accepted, value_at, whole
from rootproof.redaction.values import is_mixed, is_reference, is_strong, looks_random

_NAME_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$")
_NAME_END: Final = re.compile(r"[A-Za-z0-9_.$-]*+")
_NAME_LIMIT: Final = 64
_ESCAPE_TAIL: Final = re.compile(r"(?:[nrt]|u00[0-9a-fA-F]{2}|x[0-9a-fA-F]{2})")
_SEPARATOR: Final = re.compile(
    r"""(?:\[[^\]\n]{0,16}\]|[ ]\d(?=:[ ])|[ ]\([^()\n]{1,40}\)(?=[ ]?[:=]))?
    (?P<close>\\{0,8}["'`]|%22|%27|&quot;|&\#34;)?\]?
    (?:
      (?P<pair>\s{0,32},?\s{0,32}(?:\#[^\n]{0,256}\n\s{0,32})?
       (?:\\{0,8}["'])?(?:[vV]alue|VALUE)(?:\\{0,8}["'])?[ \t]{0,8}[:=])
     |[ \t]{0,8}(?P<sign>[-=]>|<-|<=(?=[ ]?["'])|→|[–—](?=[ ])|:=
       |(?::[ ]?&?(?:'\w{1,16}[ ])?[A-Za-z_][\w<>\[\].?|]{0,40}|\*?(?:\[\])?(?:[sS]tring|byte|str))[ ]?=(?=[ ]?["'`])
       |(?<=[ \t])\.(?=[ ]["'])
       |[=!]==?|=|:(?![:/]/)(?!:)|%3[AaDd]|\\u003[adAD]|,(?=[ ]?\\{0,8}["']|[ ][^\s"']))
     |(?P<tag>(?:[ ][\w:-]{1,32}="[^"<>\n]{0,200}"){0,4}>)
     |(?P<call>\((?=\\{0,8}["'`]))
     |(?P<space>[ \t]{1,8}
       (?:(?i:(?:is|was)[ ](?:generated|created|set)[ ]for[ ]\S{1,64}[ ]?[=:]
       |(?:is[ ]|was[ ])?(?:re)?set[ ]to|(?:was[ ])?changed[ ]to|to|(?:for[ ]\S{1,64}[ ])?(?:is|was):?
       |for[ ]\S{1,64}[ ]?[=:]|id|[05-9](?=[ ][0-9A-Fa-f]{8}))[ \t]{1,8})?)
    )
    (?P<gap>(?:[ \t]|%20|\+(?=[^=])){0,8})(?:!{1,2}[\w/]{1,16}[ ])?
    (?:[@bBnNrRuUfF]{1,2}(?=["'])|string\(\d{1,6}\)[ ](?="))?""",
    re.VERBOSE,
)
_REMARK: Final = re.compile(r"<[^<>\n]{1,160}>(?=[\s,;]|\Z)")
_BLOCK: Final = re.compile(
    r"[|>][+-]?[ \t]*\n(?P<body>(?:(?P<indent>[ \t]+)\S[^\n]*(?:\n|\Z))(?:(?P=indent)[^\n]*(?:\n|\Z))*+)"
)


_NEXT_LINE: Final = re.compile(
    r"[ \t]{0,8}(?:\r?\n|\\r?\\n|\\n)(?:[ \t]{0,32}\#[^\n]{0,256}\n)?"
    r"(?P<indent>[ \t]{0,32})(?P<item>-[ ]{1,4})?(?=[^\s\\#|>])"
)
_MAPPING: Final = re.compile(r"""["']?[\w.$/-]{1,64}["']?:(?:\s|\Z|\\n)""")
_LINE_END: Final = re.compile(r"""["'`]?,?[ \t]{0,8}(?:\r?\n|\\r?\\n|\\n|\#|\Z|(?<=["'`])[ ]?[}\])])""")
_FLAG_ITEM: Final = re.compile(r"""["'`]?,?[ \t]{0,8}\r?\n[ \t]{0,32}(?:-[ ]{1,4}(?=[^\s-])|(?=["'`][^\s-]))""")
_ITEMS: Final = 64
_ARROWS: Final = frozenset({"->", "\u2192", "\u2013", "\u2014"})
_MEMBER: Final = re.compile(
    r"""(?:\\{0,8}["'])?[,;]?[ ]?(?:\\{0,8}["'])?[A-Za-z_][\w.-]{0,64}(?:\\{0,8}["'])?[ ]?[:=][ ]?"""
)
_COMPOUND: Final = re.compile(r"[_-]key\Z|[a-z]Key\Z|KEY\Z")
_TOLD_KINDS: Final = frozenset({"token", "key", "api-key", "secret", "jwt", "password", "session"})
_SETTER: Final = re.compile(r"(?:set|with|use)(?:[A-Z_]|[a-z]{1,12}\()")
_CROWD: Final = 4_000
_ROOM: Final = 20
_ROOM_IN_LINE: Final = 32
"""More names than `_CROWD`, on average less than so many characters apart (in one line), are not read one by one."""
_SECOND_WORD: Final = re.compile(r" (?:phrase|word|code)\b")


def crowded(text: str, stems: list[int]) -> Span | None:
    """Return the stretch that is hidden whole: behind thousands of secret-like names with hardly anything between them.

    That is no text to read, and reading it name by name is what somebody who writes it may want.
    """
    if len(stems) <= _CROWD:
        return None
    room = (stems[-1] - stems[0]) / len(stems)
    if room > _ROOM and (room > _ROOM_IN_LINE or text.find("\n", stems[_CROWD], stems[-1]) >= 0):
        return None
    return stems[_CROWD], stems[-1], SECRET + "crowd"


def fields(text: str, lowered: str, stems: list[int]) -> Iterator[Span]:
    """Yield the values that stand beside a secret-like name. `lowered` has the offsets of `text`; see `stems_in`."""
    position = 0
    for at in stems:
        if at < position:
            continue
        inside = PLACEHOLDER.match(text, at - 1) if text[at - 1 : at] == "<" else None
        if inside is not None:
            position = inside.end()
            continue
        start, end = _widened(text, at, position)
        position = end
        if end - start > _NAME_LIMIT * 2:
            continue
        name = secret_name(text[start:end])
        if end - start > 12 and (inner := embedded(text, start, end)) is not None:
            yield inner
        if lowered[start:end] == "pass" and (second := _SECOND_WORD.match(lowered, end)) is not None:
            position = end = second.end()
            name = KeyName("password", Trust.NEVER_PROSE)
        if name is None and text[start:end].lower() == "passe" and lowered.endswith("mot de ", 0, start):
            name = KeyName("password", Trust.NEVER_PROSE)
        separator = _SEPARATOR.match(text, end) if name is not None else None
        if name is not None and separator is None and _is_flag(text, start):
            yield from _next_item(text, name, end)
        if name is None or separator is None or text[max(0, start - 3) : start] == "://":
            continue  # (a user's name in a URL may look like a key: `https://access-token:...@host`)
        remark = _REMARK.match(text, separator.end())
        if remark is not None:
            position = remark.end()  # `<set to the key 'password' in secret 'db'>`: nothing in it is a value
            continue
        for span in _values(text, name, separator, start):
            yield span
            position = max(position, span[1])


def _values(text: str, name: KeyName, separator: re.Match[str], name_start: int) -> Iterator[Span]:
    """Yield what a name tells: both values of a change, else the value behind its separator."""
    changed = False
    for span in from_to(text, name, separator.start()):
        changed = True
        yield span
    if not changed:
        yield from _read(text, name, separator, name_start)


def stems_in(lowered: str) -> list[int]:
    """Return where the parts of secret-like names start, in order."""
    found: list[int] = []
    for stem in filter(lowered.__contains__, STEMS):
        at = lowered.find(stem)
        while at >= 0:
            found.append(at)
            at = lowered.find(stem, at + len(stem))
    found.sort()
    return found


def _widened(text: str, start: int, floor: int) -> tuple[int, int]:
    """Return the bounds of the whole name around a place in it, at most `_NAME_LIMIT` to the left."""
    floor = max(floor, start - _NAME_LIMIT)
    while start > floor and text[start - 1] in _NAME_CHARACTERS:
        start -= 1
    tail = _NAME_END.match(text, start)
    end = tail.end() if tail else start + 1
    while end > start + 1 and text[end - 1] in ".-":
        end -= 1
    before = text[start - 1] if start else ""
    if before == "%":
        start = min(start + 2, end)
    elif before == "\\":
        escape = _ESCAPE_TAIL.match(text, start)
        start = min(escape.end(), end) if escape else start
    return start, end


def _read(text: str, name: KeyName, separator: re.Match[str], name_start: int) -> Iterator[Span]:
    """Yield the secret part of the value behind a name and its separator."""
    if separator["tag"]:
        if not _in_tag(text, name_start, quoted=separator["close"] is not None):
            return
    elif separator["call"]:
        if name.trust in {Trust.NEVER_PROSE, Trust.LIKELY}:
            yield from _called(text, name, separator.end(), name_start)
        return
    elif separator["space"] is not None:
        yield from _behind_space(text, name, separator, name_start)
        return
    position = separator.end()
    if (following := _NEXT_LINE.match(text, position)) is not None and separator["sign"] not in {None, ","}:
        yield from _on_next_line(text, name, following)
        return
    if name.trust is Trust.AUTHORIZATION:
        yield from authorization(text, position)
    elif name.trust is Trust.COOKIE:
        yield from cookies(text, position)
    elif text[position : position + 1] in {"[", "("}:
        yield from _list(text, name, position)
    elif text[position : position + 1] == "{" and (first := _MEMBER.match(text, position + 1)) is not None:
        yield from _map(text, name, first)
    elif text[position : position + 1] in {"|", ">"} and (block := _BLOCK.match(text, position)) is not None:
        yield block.start("body"), block.end("body"), SECRET + name.kind
    else:
        yield from _single(text, name, separator, name_start)


def _in_tag(text: str, name_start: int, *, quoted: bool) -> bool:
    """Return True for `<password>`, `<a:password>` and `<entry key="password">`, not for a closing tag."""
    if quoted:
        return text[max(0, name_start - 2) : name_start] in {'="', "='"}
    opened = text.rfind("<", max(0, name_start - _NAME_LIMIT), name_start)
    if opened < 0 or text[opened + 1 : opened + 2] == "/" or PLACEHOLDER.match(text, opened):
        return False
    return text[name_start - 1] in "<:"


def _called(text: str, name: KeyName, position: int, name_start: int) -> Iterator[Span]:
    """Yield the argument of `setPassword("v")`, and a strong one of any other call: `Password("v")`."""
    value = value_at(text, position)
    if value is None or not is_accepted(text, name, value, loose=False):
        return
    if _SETTER.match(text, name_start) or (is_strong(value.text) and name.kind != "secret"):
        yield whole(text, value, name)


def _single(text: str, name: KeyName, separator: re.Match[str], name_start: int) -> Iterator[Span]:
    """Yield the one value behind a separator, or the argument that fills its slot."""
    value = value_at(text, separator.end())
    if value is None:
        return
    if separator["sign"] == "," and _is_flag(text, name_start):
        if value.text.startswith("-"):
            return  # the next flag
    elif separator["sign"] == ",":
        if not value.quoted or (name.trust is Trust.NEVER_PROSE and not _is_pair(text, name_start, value)):
            return
        if name.trust is not Trust.NEVER_PROSE:
            name = KeyName(name.kind, Trust.IF_RANDOM)
    if separator["sign"] in _ARROWS and not (value.quoted or is_mixed(value.text)):
        return
    if is_accepted(text, name, value, loose=separator["sign"] == ":" and separator["close"] is None):
        yield whole(text, value, name)
    else:
        yield from argument(text, name, value.start)


def _is_flag(text: str, name_start: int) -> bool:
    return text[name_start : name_start + 1] == "-" and (name_start == 0 or text[name_start - 1] in " \t\"'=,[(\n")


def _is_pair(text: str, name_start: int, value: Value) -> bool:
    """Return True for `("password", "v")` alone in its brackets, if the second is no further name."""
    opened = text[max(0, name_start - 3) : name_start].replace("\\", "")[-2:-1]
    closed = text[value.end : value.end + 6].lstrip("\\")[1:2]
    return opened in {"(", "["} and closed in {")", "]"} and is_strong(value.text)


def _on_next_line(text: str, name: KeyName, following: re.Match[str]) -> Iterator[Span]:
    """Yield the value, or the items of a list, that stand alone on the lines below `name:`."""
    if name.trust in {Trust.AUTHORIZATION, Trust.COOKIE}:
        return
    for _ in range(_ITEMS):
        value = value_at(text, following.end())
        if value is None or _MAPPING.match(text, following.end()) or not _LINE_END.match(text, value.end):
            return
        if not following["indent"] and not following["item"] and not is_strong(value.text):
            return
        if is_accepted(text, name, value, loose=True):
            yield whole(text, value, name)
        again = _NEXT_LINE.match(text, value.end + value.quoted)
        if not following["item"] or again is None or not again["item"]:
            return
        following = again


def _next_item(text: str, name: KeyName, position: int) -> Iterator[Span]:
    """Yield the value of a flag that stands on the line below: `- --password`, `- v`."""
    joint = _FLAG_ITEM.match(text, position)
    value = value_at(text, joint.end()) if joint is not None else None
    if value is not None and is_accepted(text, name, value, loose=False):
        yield whole(text, value, name)


def _behind_space(text: str, name: KeyName, separator: re.Match[str], name_start: int) -> Iterator[Span]:
    """Yield a value with nothing but a space before it: of a flag, or a random one, or a quoted password."""
    if separator["close"]:
        return
    if name.trust in {Trust.AUTHORIZATION, Trust.COOKIE}:
        return
    flag = _is_flag(text, name_start)
    value = value_at(text, separator.end())
    if value is None or (flag and value.text.startswith("-")):
        return
    said = text[separator.start("space") : separator.end("space")].strip()
    bounds = (name_start, separator.start())
    if not flag and not (name.trust is Trust.NEVER_PROSE and _is_said(text, said, bounds, value)):
        told = said.isdigit() or (name.kind == "credential" and said.endswith(":"))
        if is_strong(value.text) and (told or _is_long_key(text, name, bounds, value)):
            name = KeyName(name.kind, Trust.LIKELY)  # a network device writes `password 7 0822455D0A16`
        elif name.kind not in _TOLD_KINDS or len(value.text) < 20 or (name.kind == "session" and said != "id"):
            return
        else:
            name = KeyName(name.kind, Trust.IF_RANDOM)
    if is_accepted(text, name, value, loose=not flag):
        yield whole(text, value, name)
    elif flag:
        yield from argument(text, name, value.start)


def _is_long_key(text: str, name: KeyName, bounds: tuple[int, int], value: Value) -> bool:
    """Return True for a strong value behind a name of several words that ends in key: `secret_key v`."""
    sure = name.kind in {"key", "api-key"} and name.trust is Trust.LIKELY
    return sure and len(value.text) >= 12 and _COMPOUND.search(text, *bounds) is not None


def _is_said(text: str, said: str, bounds: tuple[int, int], value: Value) -> bool:
    """Return True if the words between a name for a password and the value, or around them, tell a password."""
    if said == "to":
        return is_set_to(text, *bounds, value.text)
    return value.quoted or (is_mixed(value.text) if said else is_told(text, bounds[0], (value.start, value.end)))


def _map(text: str, name: KeyName, member: re.Match[str] | None) -> Iterator[Span]:
    """Yield the strong values of `secrets: {db: v, mq: w}`."""
    for _ in range(_ITEMS):
        value = value_at(text, member.end()) if member is not None else None
        if value is None:
            return
        if (is_strong(value.text) or looks_random(value.text)) and is_accepted(text, name, value, loose=False):
            yield whole(text, value, name)
        member = _MEMBER.match(text, value.end)


def _list(text: str, name: KeyName, position: int) -> Iterator[Span]:
    """Yield the values of a list such as `["a", "b"]` or `[abc]` beside a name that alone says enough."""
    masked = text.find("]", position, position + 64)
    if (
        masked > 0
        and is_reference(text[position : masked + 1])
        and text[masked + 1 : masked + 2] in {"", " ", ",", "}", ";", "\n"}
    ):
        inner = text[position + 1 : masked]
        if inner.isupper() or not inner.isalnum():
            return
    position += 1
    if (broken := _NEXT_LINE.match(text, position)) is not None and not broken["item"]:
        position = broken.end()
    for _ in range(64):
        value = value_at(text, position)
        if value is None:
            return
        if is_accepted(text, name, value, loose=False):
            yield whole(text, value, name)
        position = value.end
        while text[position : position + 1] in {"\\", '"', "'", "`", ",", " "}:
            position += 1
        if not value.quoted or text[position : position + 1] in {"]", ")", ""}:
            return
