"""Pages of lists: `limit` and an opaque `cursor` that names the last item seen, so that new items shift nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, TypeVar

from fastapi import Query

from rootproof.domain.storable import ID_LENGTH, is_storable_id
from rootproof.entrypoints.http.problems import Problem, invalid

T = TypeVar("T")
Position = tuple[datetime, str]
"""When the last item seen was made, and its id."""

MAX_LIMIT = 200
MAX_CURSOR_CHARS = 2_000

LimitQuery = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items at most.")]
CursorQuery = Annotated[
    str | None,
    Query(max_length=MAX_CURSOR_CHARS, description="`nextCursor` of the page before; without it the first page."),
]


def encode_cursor(at: datetime, item_id: str) -> str:
    """The cursor of the page after this item."""
    text = json.dumps([at.astimezone(UTC).isoformat(), item_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> Position | None:
    """The item that a page begins after; None for the first page. Raises: Problem 422 for what no page gave."""
    if cursor is None:
        return None
    match _value(cursor):
        case [str(at), str(item_id)] if is_storable_id(item_id, ID_LENGTH):
            try:
                return datetime.fromisoformat(at).astimezone(UTC), item_id
            except (ValueError, OverflowError):
                raise _unknown() from None
        case _:
            raise _unknown()


def encode_name(name: str) -> str:
    """The cursor of the page after the item of this name, in lists that are sorted by name."""
    return base64.urlsafe_b64encode(json.dumps([name]).encode()).decode().rstrip("=")


def decode_name(cursor: str | None) -> str | None:
    """The name that a page begins after; None for the first page. Raises: Problem 422 for what no page gave."""
    if cursor is None:
        return None
    match _value(cursor):
        case [str(name)]:
            return name
        case _:
            raise _unknown()


def next_cursor(asked: Sequence[T], limit: int, position: Callable[[T], Position]) -> str | None:
    """The cursor of the next page, where `asked` holds `limit + 1` items or fewer; None on the last page."""
    return encode_cursor(*position(asked[limit - 1])) if len(asked) > limit else None


def _value(cursor: str) -> object:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        value: object = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        raise _unknown() from None
    return value


def _unknown() -> Problem:
    return invalid("the cursor is none that a page gave; leave it out to begin with the first page")
