"""What a value looks like after a trip through a database, so that the in-memory stores hide no defect of a caller.

Texts lose what no database can keep (lone surrogates and NUL become visible escapes), JSON columns become plain JSON
values detached from the caller's objects, datetimes come back in UTC. The SQL codec does the same on its own way.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar

from rootproof.domain.storable import plain, visible
from rootproof.errors import StoreError

T = TypeVar("T")


def stored_form(row: T, *, where: str) -> T:
    """The dataclass `row` as a database would give it back.

    Raises: StoreError naming `where` and the field for a naive datetime or a value that is not JSON.
    """
    if not is_dataclass(row) or isinstance(row, type):
        raise TypeError(f"only rows have a stored form, got {type(row).__name__}")
    changed = {}
    for field in fields(row):
        value = getattr(row, field.name)
        form = _value(value, f"{where}.{field.name}")
        if form is not value:
            changed[field.name] = form
    return replace(row, **changed) if changed else row


def _value(value: Any, where: str) -> Any:
    match value:
        case Enum():
            return value
        case str():
            return visible(value)
        case datetime():
            if value.tzinfo is None:
                raise StoreError(f"{where} needs an aware datetime, got {value.isoformat()}")
            return value.astimezone(UTC)
        case dict():
            return _detached(value, where)
        case tuple():
            return tuple(stored_form(item, where=where) for item in value)
        case _:
            return value


def _detached(value: dict[str, Any], where: str) -> dict[str, Any]:
    try:
        copy: dict[str, Any] = json.loads(json.dumps(plain(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{where} cannot be kept as JSON: {error}") from error
    return copy
