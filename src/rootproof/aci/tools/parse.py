"""From a model's argument text to a typed request, with errors a model can act on."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import ValidationError

from rootproof.aci.requests import ToolRequest

RequestT = TypeVar("RequestT", bound=ToolRequest)
_MAX_ARGUMENT_CHARS = 20_000
_NAME_CHARS = 80
"""A field name that a model made up may be of any length; the allowed ones must still fit beside it."""


class InvalidRequest(ValueError):
    """The request does not parse; the message says which field and what is allowed."""


def arguments_object(text: str) -> dict[str, Any]:
    """The arguments as a JSON object; an empty text counts as no arguments. Raises: InvalidRequest."""
    if len(text) > _MAX_ARGUMENT_CHARS:
        raise InvalidRequest(f"the arguments have {len(text)} characters, at most {_MAX_ARGUMENT_CHARS} are read")
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the arguments are not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidRequest(f"the arguments must be a JSON object, not a {type(value).__name__}")
    return value


def typed(model: type[RequestT], arguments: dict[str, Any]) -> RequestT:
    """The typed request. Raises: InvalidRequest with one line a problem."""
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        problems = "; ".join(_problem(item) for item in error.errors(include_url=False, include_input=False)[:5])
        allowed = ", ".join(model.model_fields)
        raise InvalidRequest(f"{problems}. Allowed fields: {allowed or 'none'}") from error


def _problem(item: Any) -> str:
    where = ".".join(str(part) for part in item["loc"]) or "request"
    shown = where if len(where) <= _NAME_CHARS else where[: _NAME_CHARS - 1] + "…"
    return f"{shown}: {item['msg'][:_NAME_CHARS]}"
