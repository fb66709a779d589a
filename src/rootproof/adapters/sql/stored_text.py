"""Texts and JSON on their way into and out of columns, with the column's name in every complaint."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from rootproof.domain.storable import plain
from rootproof.errors import StoreError


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
            text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
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
