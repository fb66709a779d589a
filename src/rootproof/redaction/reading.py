"""Where a value starts and ends: quoted at any depth of escaping, or bare."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.keys import KeyName
from rootproof.redaction.values import is_secret

_BARE: Final = re.compile(r"""[^\s"'`]{1,300}+""")
_BARE_REST: Final = re.compile(r"""[^\s"'`]*+""")
# Where a bare value ends before white space: a list goes on, a string or an element closes, a line break is escaped.
_BARE_STOP: Final = re.compile(
    r"""[,;&](?=$|[\s\\}\])]|[A-Za-z_][\w.\[\]-]{0,40}[=:])|&(?=[\w.\[\]%-]{1,40}=|amp;)|\\(?=[nrt"'\\/]|u00)|%26|%22|</|\x00"""
)
OPENING: Final = re.compile(r"""(\\{0,8})(["'`])|%22|%27|&quot;|&\#34;""")
_OPENED: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


class Value(NamedTuple):
    start: int
    end: int
    text: str
    """The value; of a long bare one the beginning, enough to judge it."""
    quoted: bool


def is_accepted(text: str, name: KeyName, value: Value, *, loose: bool) -> bool:
    more = text[value.end : value.end + 1] == " " and text[value.end + 1 : value.end + 2].isalpha()
    return is_secret(name, value.text, quoted=value.quoted, loose=loose, more=more)


def whole(text: str, value: Value, name: KeyName) -> Span:
    """Return the span of the value; one that was only read in part is followed to its end."""
    end = value.end
    if not value.quoted and end - value.start >= 300:
        rest = _BARE_REST.match(text, end)
        run = rest.end() if rest else end
        stop = _BARE_STOP.search(text, end, run)
        end = stop.start() if stop else run
    return value.start, end, SECRET + name.kind


def value_at(text: str, position: int) -> Value | None:
    """Return the value that starts at `position`, None if there is none or it is a placeholder of ours."""
    opening = OPENING.match(text, position)
    if opening is not None:
        start = opening.end()
        if (opening[2] or "") and text.startswith(opening[2] * 2, start):  # Python and TOML: '''v'''
            start += 2
            end = text.find(opening[2] * 3, start, start + 4096)
            return Value(start, end, text[start:end], quoted=True) if end > start else None
        end = _closing(text, opening)
        if start == end:
            return None
        return Value(start, end, text[start : min(end, start + 4096)], quoted=True)
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
    end = trimmed(text, position, end)
    if end <= position:
        return None
    return Value(position, end, text[position:end], quoted=False)


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


def trimmed(text: str, start: int, end: int) -> int:
    """Return the end without closing brackets that the value did not open and without the dot of a sentence."""
    while end > start:
        last = text[end - 1]
        if last in ".,;:" or (last in _OPENED and text.count(last, start, end) > text.count(_OPENED[last], start, end)):
            end -= 1
        else:
            break
    return end
