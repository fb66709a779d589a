"""One strict reader of JSON for all bodies: what two parsers could read in two ways is refused."""

from __future__ import annotations

import json
import math
from typing import Any

from rootproof.entrypoints.http.problems import bad_json

MAX_DEPTH = 64
"""Arrays and objects in one another."""


class _Refused(Exception):
    """What is wrong with the body; never a value of it."""


def strict_json(body: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises: Problem 400 for invalid UTF-8, duplicate keys, NaN and infinities, lone surrogates, nesting beyond
    `MAX_DEPTH` and everything that is not JSON. The message never repeats what stands in the body.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_json(f"the body is not UTF-8: byte {error.start} cannot be read; send JSON in UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except _Refused as refused:
        raise bad_json(str(refused)) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise bad_json(f"the body is not JSON: {error.msg} at {where}") from None
    except RecursionError:
        raise bad_json(_too_deep()) from None
    except ValueError:  # more digits than Python reads
        raise bad_json("the body holds a number that is too long") from None
    if text.count("[") + text.count("{") > MAX_DEPTH or "\\u" in text:
        _walk(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("the body has an object with the same key twice: every key may stand there once")
    return value


def _constant(name: str) -> Any:
    raise _Refused(f"the body holds {name}, which JSON does not know; use null or a number")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Refused("the body holds a number that is too large")
    return value


def _walk(value: Any) -> None:
    """Raises: Problem 400 for nesting beyond `MAX_DEPTH` and for a lone surrogate. Needs no recursion."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            match item:
                case str():
                    _check_text(item)
                case list():
                    below.extend(item)
                case dict():
                    below.extend(item)
                    below.extend(item.values())
                case _:
                    pass
        if not below:
            return
        level = below
    if any(isinstance(item, list | dict) for item in level):
        raise bad_json(_too_deep())
    for item in level:
        if isinstance(item, str):
            _check_text(item)


def _check_text(text: str) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise bad_json("the body holds half of a surrogate pair (\\ud800 to \\udfff), which is no text") from None


def _too_deep() -> str:
    return f"the body nests deeper than {MAX_DEPTH} levels"
