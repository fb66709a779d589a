"""Parsing TOML that anybody may have written: one kind of error, in time proportional to the text."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 20
_KEY_PART = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
_LONG_KEY = re.compile(rf"(?<![\w\-\"'])(?:{_KEY_PART}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")
"""The parser takes time with the square of a key's parts."""


def parse_toml(text: str) -> dict[str, Any]:
    """The table that `text` holds. Raises: ValueError, with the line where the parser knows one."""
    long_key = _LONG_KEY.search(text)
    if long_key is not None:
        line = text.count("\n", 0, long_key.start()) + 1
        raise ValueError(f"more than {MAX_KEY_PARTS} parts joined by dots (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # the interpreter's own words about a number
        raise ValueError("a number or date that no computer word holds") from None
