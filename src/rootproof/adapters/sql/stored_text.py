"""Texts and JSON on their way into and out of columns, with the column's name in every complaint."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from rootproof.errors import StoreError


def visible(text: str) -> str:
    """`text` with what some database cannot keep written out: lone surrogates as `\\udc80`, NUL as `\\x00`."""
    if "\x00" in text:
        text = text.replace("\x00", "\\x00")
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_storable_id(text: str, length: int) -> bool:
    """Whether `text` can be an id or owner: 1 to `length` printable characters, no outer spaces.

    MySQL compares `utf8mb4_bin` texts without their trailing spaces, so `"a "` must never stand for `"a"`.
    """
    return 0 < len(text) <= length and text.isprintable() and text == text.strip()


def utc(instant: datetime, where: str) -> datetime:
    """`instant` in UTC. Raises: StoreError naming `where` for a naive one."""
    if instant.tzinfo is None:
        raise StoreError(f"{where} needs an aware datetime, got {instant.isoformat()}")
    return instant.astimezone(UTC)


def json_text(value: Any, where: str) -> str:
    """`value` as compact JSON in UTF-8; NaN and infinities become strings, lone surrogates visible escapes.

    Raises: StoreError naming `where` for what JSON cannot hold.
    """
    try:
        try:
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            text.encode("utf-8")
        except (ValueError, UnicodeEncodeError):
            text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{where} cannot be kept as JSON: {error}") from error
    return text


def json_object(text: str | None, where: str) -> dict[str, Any] | None:
    """The object in a JSON column, None for NULL. Raises: StoreError naming `where` when it holds anything else."""
    value = _parsed(text, where)
    if value is not None and not isinstance(value, dict):
        raise StoreError(f"{where} does not hold a JSON object: {text!r:.120}")
    return value


def json_array(text: str | None, where: str) -> list[Any]:
    """The array in a JSON column, empty for NULL. Raises: StoreError naming `where` when it holds anything else."""
    value = _parsed(text, where)
    if value is None:
        return []
    if not isinstance(value, list):
        raise StoreError(f"{where} does not hold a JSON array: {text!r:.120}")
    return value


def _parsed(text: str | None, where: str) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{where} does not hold JSON ({error}): {text!r:.120}") from error


def _plain(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        case dict():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
