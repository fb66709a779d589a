"""Strict reading of raw outputs: what does not have the contract's shape is refused, never repaired."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NoReturn

from rootproof.errors import ProjectionError


def read_success(raw: str, tool: str) -> dict[str, Any]:
    """The raw answer as an object whose `success` is true.

    Raises: ProjectionError for anything else; with the source's own message where it said that it failed.
    """
    body = read_object(raw, tool)
    if body.get("success") is not True:
        message = body.get("message") or body.get("error") or "the source said that it failed and not why"
        raise ProjectionError(f"{tool}: {message}")
    return body


def read_object(raw: str, tool: str) -> dict[str, Any]:
    """The raw answer as a JSON object. Raises: ProjectionError."""
    try:
        body = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProjectionError(f"{tool}: the source's answer is not valid JSON ({error})") from error
    if not isinstance(body, dict):
        raise ProjectionError(f"{tool}: the source answered with a JSON {type(body).__name__}, not an object")
    return body


def objects(body: dict[str, Any], key: str, tool: str) -> list[dict[str, Any]]:
    """`body[key]` as a list of objects. Raises: ProjectionError."""
    value = body.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ProjectionError(f"{tool}: `{key}` of the source's answer is not a list of objects")
    return value


def text_of(value: Any) -> str:
    """A scalar as text; empty for None, objects and lists."""
    if value is None or isinstance(value, dict | list):
        return ""
    return str(value)


def instant(value: Any) -> datetime | None:
    """An RFC 3339 string as an aware datetime, None for anything else."""
    if not isinstance(value, str) or not value:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo is not None else None


def count_of(body: dict[str, Any], key: str, default: int) -> int:
    """A non-negative count of the source's answer, or `default` where it gives none."""
    value = body.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
