r"""Secrets beside a name: `key=value`, JSON, YAML, XML attributes, URLs, headers, flags; escaped too.

One pass over the text: find a secret-like word, widen it to the whole name, read the separator, read the value. The
scan goes on behind what was read, so its time grows with the length of the text whatever the text holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.keys import STEMS, KeyName, Trust, secret_name
from rootproof.redaction.values import is_reference, is_secret
from rootproof.redaction.wordset import word_set

_NAME_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$")
_NAME_END: Final = re.compile(r"[A-Za-z0-9_.$-]*+")
_NAME_LIMIT: Final = 64
_ESCAPE_TAIL: Final = re.compile(r"(?:[nrt]|u00[0-9a-fA-F]{2}|x[0-9a-fA-F]{2})")
_SEPARATOR: Final = re.compile(
    r"""(?:\[[^\]\n]{0,16}\])?
    (?P<close>\\{0,8}["'`]|%22|%27|&quot;|&\#34;)?\]?
    (?:
      (?P<pair>\s{0,32},?\s{0,32}(?:\\{0,8}["'])?(?:[vV]alue|VALUE)(?:\\{0,8}["'])?[ \t]{0,8}[:=])
     |[ \t]{0,8}(?P<sign>=>|:=|[=!]==?|=|:(?![:/]/)(?!:)|%3[AaDd]|\\u003[adAD]|,(?=[ ]?\\{0,8}["']))
     |(?P<tag>>)
     |(?P<space>[ \t]{1,8}
       (?:(?:(?:is[ ]|was[ ])?(?:re)?set[ ]to|changed[ ]to|(?:for[ ]\S{1,64}[ ])?(?:is|was))[ \t]{1,8})?)
    )
    (?P<gap>(?:[ \t]|%20|\+(?=[^=])){0,8})
    (?:[@bBrRuUfF]{1,2}(?=["']))?""",
    re.VERBOSE,
)
_OPEN: Final = re.compile(r"""(\\{0,8})(["'`])|%22|%27|&quot;|&\#34;""")
_BARE: Final = re.compile(r"""[^\s"'`]{1,300}+""")
_BARE_REST: Final = re.compile(r"""[^\s"'`]*+""")
# Where a bare value ends before white space: a list goes on, a string or an element closes, a line break is escaped.
_BARE_STOP: Final = re.compile(
    r"""[,;&](?=$|[\s\\}\])]|[A-Za-z_][\w.\[\]-]{0,40}[=:])|&(?=[\w.\[\]%-]{1,40}=|amp;)|\\(?=[nrt"'\\/]|u00)|%26|%22|</|\x00"""
)
_REMARK: Final = re.compile(r"<[^<>\n]{1,160}>(?=[\s,;]|\Z)")
_OPENED: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_SCHEME: Final = re.compile(
    r"(?:bearer|basic|token|apikey|api-key|digest|negotiate|ntlm|oauth|hawk|key|jwt|aws4-hmac-sha256|hmac-[\w-]{1,16}"
    r"|genie-?key|sso-key|splunk|ghost|bot|ssws|dpop|discogs|client-id)(?:[ \t]|%20|\+){1,8}",
    re.IGNORECASE,
)
# `Credential=a/b, SignedHeaders=c, Signature=d` is one value; only in schemes of parameters may they be quoted.
_AUTH_REST: Final = re.compile(r"""(?:[^\s"'`\\,\]})]++|,[ ]?(?=[A-Za-z_-]{1,40}=)|,(?=[^\s"'`\\]))++""")
_AUTH_PARAMETERS: Final = re.compile(r"""(?:[^\s"'`\\,]++|,[ ]?|(?<==)\\{0,8}"[^"\\\n]{0,2048}+\\{0,8}")++""")
_PARAMETER_SCHEMES: Final = ("digest", "oauth", "hawk")
_COOKIE: Final = re.compile(r"""([A-Za-z0-9_.!#$%&*+^|~-]{1,128})=([^;,\s"'`\\]{1,8192})""")
_COOKIE_JOINT: Final = re.compile(r";[ ]?")
_COOKIE_ATTRIBUTES: Final = word_set("path domain expires max-age samesite version priority comment partitioned")
_BLOCK: Final = re.compile(
    r"[|>][+-]?[ \t]*\n(?P<body>(?:(?P<indent>[ \t]+)\S[^\n]*(?:\n|\Z))(?:(?P=indent)[^\n]*(?:\n|\Z))*+)"
)


class _Value(NamedTuple):
    start: int
    end: int
    text: str
    """The value; of a long bare one the beginning, enough to judge it."""
    quoted: bool


def fields(text: str, lowered: str) -> Iterator[Span]:
    """Yield the values that stand beside a secret-like name. `lowered` has the offsets of `text`."""
    position = 0
    for at in _stems(lowered):
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
        separator = _SEPARATOR.match(text, end) if name is not None else None
        if name is None or separator is None or text[max(0, start - 3) : start] == "://":
            continue  # (a user's name in a URL may look like a key: `https://access-token:...@host`)
        remark = _REMARK.match(text, separator.end())
        if remark is not None:
            position = remark.end()  # `<set to the key 'password' in secret 'db'>`: nothing in it is a value
            continue
        for span in _read(text, name, separator, start):
            yield span
            position = max(position, span[1])


def _stems(lowered: str) -> list[int]:
    """Return where the parts of secret-like names start, in order."""
    found: list[int] = []
    for stem in STEMS:
        if stem in lowered:
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
        if not (name_start and text[name_start - 1] in "</:"):
            return
    elif separator["space"] is not None:
        yield from _behind_space(text, name, separator, name_start)
        return
    position = separator.end()
    if name.trust is Trust.AUTHORIZATION:
        yield from _authorization(text, position)
        return
    if name.trust is Trust.COOKIE:
        yield from _cookies(text, position)
        return
    if text[position : position + 1] in "[(":
        yield from _list(text, name, position)
        return
    block = _BLOCK.match(text, position) if text[position : position + 1] in "|>" else None
    if block is not None:
        yield block.start("body"), block.end("body"), SECRET + name.kind
        return
    if separator["sign"] == "," and name.trust is not Trust.NEVER_PROSE:
        name = KeyName(name.kind, Trust.IF_RANDOM)
    elif separator["sign"] == ",":
        return
    value = _value(text, position)
    loose = separator["sign"] == ":" and separator["close"] is None
    if value is not None and _accepts(text, name, value, loose=loose):
        yield _whole(text, value, name)


def _behind_space(text: str, name: KeyName, separator: re.Match[str], name_start: int) -> Iterator[Span]:
    """Yield a value with nothing but a space before it: of a flag, or a random one, or a quoted password."""
    if separator["close"]:
        return
    position = separator.end()
    flag = text[name_start : name_start + 1] == "-" and (name_start == 0 or text[name_start - 1] in " \t\"'=,[")
    if name.trust in {Trust.AUTHORIZATION, Trust.COOKIE}:
        return
    value = _value(text, position)
    if value is None or (flag and value.text.startswith("-")):
        return
    said = text[separator.start("space") : separator.end("space")].strip()
    if not flag and not (said and name.trust is Trust.NEVER_PROSE and (value.quoted or _mixed(value.text))):
        if name.trust is Trust.NEVER_PROSE and value.quoted and not said:
            pass
        elif name.kind in {"token", "key", "api-key", "secret", "jwt", "password"} and len(value.text) >= 20:
            name = KeyName(name.kind, Trust.IF_RANDOM)
        else:
            return
    if _accepts(text, name, value, loose=not flag):
        yield _whole(text, value, name)


def _mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _accepts(text: str, name: KeyName, value: _Value, *, loose: bool) -> bool:
    more = text[value.end : value.end + 1] == " " and text[value.end + 1 : value.end + 2].isalpha()
    return is_secret(name, value.text, quoted=value.quoted, loose=loose, more=more)


def _whole(text: str, value: _Value, name: KeyName) -> Span:
    """Return the span of the value; one that was only read in part is followed to its end."""
    end = value.end
    if not value.quoted and end - value.start >= 300:
        rest = _BARE_REST.match(text, end)
        run = rest.end() if rest else end
        stop = _BARE_STOP.search(text, end, run)
        end = stop.start() if stop else run
    return value.start, end, SECRET + name.kind


def _value(text: str, position: int) -> _Value | None:
    """Return the value that starts at `position`, None if there is none or it is a placeholder of ours."""
    opening = _OPEN.match(text, position)
    if opening is not None:
        start = opening.end()
        end = _closing(text, opening)
        if start == end:
            return None
        return _Value(start, end, text[start : min(end, start + 4096)], quoted=True)
    bare = _BARE.match(text, position)
    if bare is None:
        return None
    placeholder = PLACEHOLDER.match(text, position)
    if placeholder is not None and placeholder.end() == bare.end():
        return None
    end = bare.end()
    stop = _BARE_STOP.search(text, position, end)
    if stop is not None:
        end = stop.start()
    end = _trimmed(text, position, end)
    if end <= position:
        return None
    return _Value(position, end, text[position:end], quoted=False)


def _closing(text: str, opening: re.Match[str]) -> int:
    """Return where a quoted value ends: at the quote of its own depth of escaping, or at the end of the line."""
    line_end = text.find("\n", opening.end())
    line_end = len(text) if line_end < 0 else line_end
    if opening[2] is None:
        end = text.find(opening.group(), opening.end(), line_end)
        return line_end if end < 0 else end
    depth = len(opening[1])
    quote = opening[2]
    position = opening.end()
    while (at := text.find(quote, position, line_end)) >= 0:
        run = at
        while run > opening.end() and text[run - 1] == "\\":
            run -= 1
        if (at - run) % (2 * (depth + 1)) == depth:
            return at - depth
        if at - run < depth:
            return run  # a quote of an outer string: the value was cut
        position = at + 1
    return line_end


def _trimmed(text: str, start: int, end: int) -> int:
    """Return the end without closing brackets that the value did not open and without the dot of a sentence."""
    while end > start:
        last = text[end - 1]
        if last in ".,;:" or (last in _OPENED and text.count(last, start, end) > text.count(_OPENED[last], start, end)):
            end -= 1
        else:
            break
    return end


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
    for _ in range(64):
        value = _value(text, position)
        if value is None:
            return
        if _accepts(text, name, value, loose=False):
            yield _whole(text, value, name)
        position = value.end
        while text[position : position + 1] in {"\\", '"', "'", "`", ",", " "}:
            position += 1
        if not value.quoted or text[position : position + 1] in {"]", ")", ""}:
            return


def _authorization(text: str, position: int) -> Iterator[Span]:
    """Yield the credentials of an authorization value; the scheme stays."""
    while text[position : position + 1] == "[":
        position += 1
    opening = _OPEN.match(text, position)
    if opening is not None:
        position = opening.end()
    scheme = _SCHEME.match(text, position)
    if scheme is not None:
        position = scheme.end()
        if PLACEHOLDER.match(text, position):
            return
        rest = (_AUTH_PARAMETERS if scheme.group().lower().startswith(_PARAMETER_SCHEMES) else _AUTH_REST).match(
            text, position
        )
        if rest is not None and not is_reference(rest.group()):
            yield (
                position,
                _trimmed(text, position, rest.end()),
                SECRET + ("basic" if scheme.group()[:5].lower() == "basic" else "token"),
            )
        return
    value = _value(text, position)
    if value is not None and _accepts(text, KeyName("token", Trust.LIKELY), value, loose=opening is None):
        yield _whole(text, value, KeyName("token", Trust.LIKELY))


def _cookies(text: str, position: int) -> Iterator[Span]:
    """Yield the value of every cookie in a Cookie or Set-Cookie value; names and attributes stay."""
    while text[position : position + 1] in {"[", " "}:
        position += 1
    opening = _OPEN.match(text, position)
    if opening is not None:
        position = opening.end()
    pair = _COOKIE.match(text, position)
    if pair is None:
        value = _value(text, position)
        if value is not None and _accepts(text, KeyName("cookie", Trust.IF_RANDOM), value, loose=True):
            yield _whole(text, value, KeyName("cookie", Trust.IF_RANDOM))
        return
    while pair is not None:
        if pair[1].lower() not in _COOKIE_ATTRIBUTES and not is_reference(pair[2]) and not PLACEHOLDER.match(pair[2]):
            yield pair.start(2), pair.end(2), SECRET + "cookie"
        joint = _COOKIE_JOINT.match(text, pair.end())
        pair = _COOKIE.match(text, joint.end()) if joint else None
