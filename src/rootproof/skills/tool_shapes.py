"""What the tools take, as far as a skill may say it: names and types of arguments. A test holds it to `aci.requests`.

The skills room lies below the tool boundary and cannot ask it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.skills.tables import near

Shape = tuple[str, ...] | type
"""The allowed words, or `str`, `int`, or `list` for a list of texts."""

TOOLS: Mapping[str, Mapping[str, Shape]] = {
    "query_logs": {
        "topic": ("APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS"),
        "services": list,
        "level": ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"),
        "contains": str,
        "lookback_minutes": int,
        "pattern_id": str,
        "after": str,
        "before": str,
    },
    "query_metrics": {"contains": list, "lookback_minutes": int},
    "query_alerts": {"state": ("firing", "pending", "inactive"), "contains": list},
    "query_cluster": {
        "view": (
            *("overview", "list", "describe", "events", "yaml", "node_services", "connectivity", "changes", "topology"),
            "manifests",
        ),
        "kind": str,
        "name": str,
        "namespace": str,
    },
    "lookup_knowledge": {"query": str, "top_k": int},
}
REQUIRED: Mapping[str, str] = {"query_logs": "topic", "query_cluster": "view", "lookup_knowledge": "query"}
RANGES: Mapping[str, tuple[int, int]] = {"lookback_minutes": (1, 10_080), "top_k": (1, 8)}
MAX_TEXT = 200
MAX_LIST = 20


def faults(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """What is wrong with the arguments of a known tool."""
    shapes = TOOLS[tool]
    required = REQUIRED.get(tool)
    found = [f"{tool} needs {required!r}; add it"] if required and required not in arguments else []
    for key, value in arguments.items():
        shape = shapes.get(key)
        if shape is None:
            found.append(f"{tool} takes no {key[:80]!r}; {near(key, shapes)}")
        elif wrong := _fault(key, value, shape):
            found.append(f"{key} {wrong}")
    return found


def _fault(key: str, value: Any, shape: Shape) -> str:
    if isinstance(shape, tuple):
        return "" if value in shape else f"{str(value)[:80]!r} is not known; {near(str(value), shape)}"
    if shape is int:
        least, most = RANGES[key]
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if fits else f"must be a whole number from {least} to {most}"
    if shape is list:
        fits = isinstance(value, list) and 1 <= len(value) <= MAX_LIST and all(_is_text(item) for item in value)
        return "" if fits else f"must be a list of 1 to {MAX_LIST} texts of 1 to {MAX_TEXT} characters"
    return "" if _is_text(value) else f"must be a text of 1 to {MAX_TEXT} characters"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= MAX_TEXT
