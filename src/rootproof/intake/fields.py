"""Reading single fields out of a JSON value whose shape is only promised."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, Severity
from rootproof.intake.times import parse_time
from rootproof.intake.words import service_of, severity_of

UNNAMED = "(unnamed alert)"

_TAG = re.compile(r"([A-Za-z_][\w./-]{0,100})[:=](\S.*)", re.DOTALL)
_ABSENT = frozenset({"null", "none", "<nil>", "n/a", "undefined", "-"})


def text(value: Any) -> str | None:
    """`value` as text where it is a non-blank scalar, else None."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)
    return None


def dig(body: Any, path: str) -> Any:
    """What stands at a dotted path (`incident.service.name`, `alerts.0.labels`), or None."""
    at = body
    for part in path.split("."):
        if isinstance(at, Mapping):
            at = at.get(part)
        elif isinstance(at, list) and part.isdigit() and int(part) < len(at):
            at = at[int(part)]
        else:
            return None
    return at


def first_text(body: Any, paths: Iterable[str]) -> str | None:
    """The first text that is present at one of `paths`."""
    for path in paths:
        found = text(dig(body, path))
        if found is not None and found.lower() not in _ABSENT:
            return found
    return None


def first_time(body: Any, paths: Iterable[str]) -> datetime | None:
    """The first instant that can be read at one of `paths`."""
    for path in paths:
        found = parse_time(dig(body, path))
        if found is not None:
            return found
    return None


def mapping(value: Any) -> Mapping[str, Any]:
    """`value` where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """`value` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def labels_of(value: Any) -> dict[str, str]:
    """Labels from an object, from `[{name, value}]`, `[[key, value]]`, `["key:value"]` or `"key:value, key:value"`."""
    if isinstance(value, Mapping):
        return {key: found for key, item in value.items() if (found := _scalar(item)) is not None}
    if isinstance(value, str):
        return dict(_tags(value.split(",")))
    if not isinstance(value, list):
        return {}
    collected: dict[str, str] = {}
    for item in value:
        collected.update(_label_item(item))
    return collected


def _label_item(item: Any) -> dict[str, str]:
    if isinstance(item, str):
        return dict(_tags([item]))
    if isinstance(item, Mapping):
        key = first_text(item, ("name", "key", "tag"))
        value = text(item.get("value"))
        return {key: value} if key and value is not None else {}
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
        value = text(item[1])
        return {item[0]: value} if value is not None else {}
    return {}


def _scalar(value: Any) -> str | None:
    """A label value: a scalar, or a short list of scalars joined by commas."""
    if isinstance(value, list) and value and all(isinstance(item, str | int | float) for item in value):
        return ",".join(text(item) or "" for item in value)
    if isinstance(value, str):
        return value
    return text(value)


def _tags(parts: Iterable[str]) -> Iterable[tuple[str, str]]:
    """`key:value` tags. Words that are all tags are tags of their own: `component:db env:live`."""
    for part in parts:
        words = part.split()
        pieces = words if len(words) > 1 and all(_TAG.fullmatch(piece) for piece in words) else [part.strip()]
        for piece in pieces:
            if match := _TAG.fullmatch(piece):
                yield match[1], match[2].strip()


def fingerprint_of(name: str, labels: Mapping[str, str]) -> str:
    """16 hex digits that are equal for the same name and labels, whatever their order."""
    canonical = json.dumps([name, sorted(labels.items())], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def state_period(status: AlertStatus | None, changed_at: datetime | None) -> tuple[datetime | None, datetime | None]:
    """(started_at, ended_at) where the payload tells one instant only: when the state that it reports began.

    A resolved alert ended then; its own start is not told, and that instant is the best place for a window.
    """
    return changed_at, changed_at if status is AlertStatus.RESOLVED else None


def make_alert(
    *,
    name: str | None,
    status: AlertStatus | None = None,
    raw_severity: str | None = None,
    severity: Severity | None = None,
    service: str | None = None,
    summary: str | None = None,
    description: str | None = None,
    started_at: datetime | None = None,
    ended_at: datetime | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    fingerprint: str | None = None,
) -> Alert:
    """The alert, with what follows from its fields filled in: mapped severity, service, fingerprint, a name."""
    kept = dict(labels or {})
    title = name or summary or (description.splitlines()[0] if description else UNNAMED)
    return Alert(
        name=title,
        status=status,
        severity=severity or severity_of(raw_severity),
        raw_severity=raw_severity,
        service=service or service_of(kept),
        summary=summary,
        description=description,
        started_at=started_at,
        ended_at=ended_at,
        labels=kept,
        annotations=dict(annotations or {}),
        fingerprint=fingerprint or fingerprint_of(title, kept),
    )
