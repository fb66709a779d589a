"""A webhook body as a JSON value, read strictly: what two parsers could read differently is refused."""

from __future__ import annotations

import json
import re
from typing import Any

from rootproof.errors import UsageError

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64

_SURROGATE = re.compile("[\ud800-\udfff]")
# What an error may show of the content: a plain word. Anything else may be, or hold, a secret.
_PLAIN_KEY = re.compile(r"[A-Za-z_]{1,32}\Z")
# The closing quote is optional so that a string without an end is read once, not again from each quote in it.
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def read_json(payload: bytes | str, *, what: str = "the alert payload") -> Any:
    """The JSON value in `payload`, strings free of lone surrogates.

    Raises: UsageError when it is too large, not UTF-8, not JSON, nested deeper than `MAX_DEPTH`, or names a key twice.
    """
    source = _decoded(payload, what)
    _check_depth(source, what)
    try:
        return json.loads(source, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno} of {len(source):,} "
            f"characters; it begins like {_first_byte(source)}. Pass the webhook body as the vendor sends it."
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} cannot be read: {error}. Pass the webhook body as the vendor sends it.") from error


def _decoded(payload: bytes | str, what: str) -> str:
    if len(payload) > MAX_BYTES:
        raise UsageError(
            f"{what} has {len(payload):,} bytes, more than {MAX_BYTES:,}. Send the alerts in smaller groups "
            "(Alertmanager: max_alerts)."
        )
    if isinstance(payload, bytes):
        try:
            source = payload.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{what} is not UTF-8 (byte {error.start}: {error.reason}). Send it as UTF-8 JSON."
            ) from error
    else:
        source = payload.removeprefix("\ufeff")
    if not source.strip():
        raise UsageError(f"{what} is empty. Pass the JSON body that the monitoring system sends.")
    return source


def _first_byte(source: str) -> str:
    """What kind of character the text begins with: enough to recognise a wrong file, and none of its content."""
    first = source.lstrip()[:1]
    if first in {"{", "["}:
        return "a JSON object" if first == "{" else "a JSON list"
    if first == "<":
        return "markup (`<`)"
    if first.isalpha():
        return "a letter"
    return "a digit" if first.isdigit() else "another character"


def _check_depth(source: str, what: str) -> None:
    """Before parsing, because the parser itself recurses."""
    depth = 0
    for match in _STRUCTURE.finditer(source):
        mark = match[0]
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise UsageError(f"{what} is nested deeper than {MAX_DEPTH} levels: no alert is. Send it flatter.")
        elif mark in "]}":
            depth -= 1


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            named = f"the key {key!r}" if _PLAIN_KEY.match(key) else f"the key at place {len(found) + 1}"
            raise ValueError(f"{named} occurs twice in one object")
        found[_clean(key)] = _clean(value)
    return found


def _clean(value: Any) -> Any:
    """Lone surrogates cannot be stored or sent as UTF-8; they become U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(item) if isinstance(item, str | list) else item for item in value]
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
