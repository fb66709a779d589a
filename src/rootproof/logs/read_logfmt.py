"""Lines of `key=value` pairs."""

from __future__ import annotations

import re
from functools import lru_cache

from rootproof.logs.fields import LINE_KEYS, MAX_FIELDS

_KEY_AND_VALUE = r"""([A-Za-z_@][\w.@/\-]{0,63})=("[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^']*+'|[^\s"]*)(?=\s|$)\s*"""
_PAIR = re.compile(_KEY_AND_VALUE)
_ALL_PAIRS = re.compile(f"(?>{_KEY_AND_VALUE})++")


_QUOTES = ('"', "'")


def logfmt(text: str) -> dict[str, str] | None:
    """The pairs of a line that is logfmt from its first character on and holds a level, a time or a message."""
    pairs: dict[str, str] = {}
    position = 0
    if _ALL_PAIRS.fullmatch(text):
        position = len(text)
        for key, value in _PAIR.findall(text)[:MAX_FIELDS]:
            if key not in pairs:
                pairs[key] = _unquoted(value) if value[:1] in _QUOTES else value
    while position < len(text) and len(pairs) < MAX_FIELDS:
        match = _PAIR.match(text, position)
        if match is None:
            break
        pairs.setdefault(match[1], _unquoted(match[2]))
        position = match.end()
    if not pairs:
        return None
    known = _known_keys(tuple(pairs))
    if known == 0 or (known < 2 and len(pairs) < 2) or (position < len(text) and len(pairs) < 2):
        return None
    if position < len(text):
        pairs.setdefault("msg", text[position:])
    return pairs


@lru_cache(maxsize=512)
def _known_keys(keys: tuple[str, ...]) -> int:
    return sum(1 for key in keys if key.lower() in LINE_KEYS)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        if "\\" not in value:
            return value[1:-1]
        return value[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    return value
