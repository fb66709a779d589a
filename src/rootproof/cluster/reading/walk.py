"""Careful reads from documents whose shape nobody has checked."""

from __future__ import annotations

from typing import Any


def dig(value: object, *path: str) -> Any:
    """The value below the keys of `path`; None where any step is missing or no mapping."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def mapping(value: object, *path: str) -> dict[str, Any]:
    """The mapping below `path`, empty where there is none."""
    found = dig(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: object, *path: str) -> list[dict[str, Any]]:
    """The mappings in the list below `path`, empty where there is none."""
    found = dig(value, *path)
    return [item for item in found[:2_000] if isinstance(item, dict)] if isinstance(found, list) else []


def text(value: object, *path: str) -> str | None:
    """The text below `path`; numbers and booleans as YAML writes them, None for nothing and for structures."""
    found = dig(value, *path)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, str | int | float):
        return str(found)
    return None


def whole(value: object, *path: str) -> int | None:
    """The whole number below `path`, also when it is written as text."""
    found = dig(value, *path)
    if isinstance(found, bool):
        return None
    if isinstance(found, int):
        return found
    if isinstance(found, float) and found.is_integer():
        return int(found)
    if isinstance(found, str) and len(found) < 19 and found.strip().lstrip("-").isdigit():
        return int(found)
    return None


def flag(value: object, *path: str) -> bool | None:
    """The truth value below `path`, also when it is written as text."""
    found = dig(value, *path)
    if isinstance(found, bool):
        return found
    if isinstance(found, str) and found.lower() in {"true", "false"}:
        return found.lower() == "true"
    return None


def texts(value: object, *path: str) -> tuple[str, ...]:
    """The list of texts below `path`; a single text is a list of one."""
    found = dig(value, *path)
    if isinstance(found, str):
        return (found,)
    if not isinstance(found, list):
        return ()
    return tuple(str(item) for item in found[:2_000] if isinstance(item, str | int | float))


def text_map(value: object, *path: str) -> dict[str, str] | None:
    """The mapping of texts below `path`; None where there is none."""
    found = dig(value, *path)
    if not isinstance(found, dict):
        return None
    return {str(key): str(item) for key, item in found.items() if not isinstance(item, dict | list)}
