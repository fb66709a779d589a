"""The monitoring system's own alerts, recorded: a Prometheus `/api/v1/alerts` (or `/rules`) answer.

Source: Prometheus HTTP API, "Alerts" and "Rules".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rootproof.adapters.sources.deadline import in_thread
from rootproof.adapters.sources.documents import answer_of, garbled, read_json
from rootproof.domain.window import iso
from rootproof.ports.sources import AlertQuery


class AlertFile:
    """An alert source over one recorded answer, read at each query: it is small."""

    name = "recorded alerts"

    def __init__(self, path: Path, label: str, kind: str = "BUNDLE") -> None:
        self.kind = kind
        self._path = path
        self._label = label

    async def fetch(self, query: AlertQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.AlertSource` says, in the file's order.

        Raises: SourceGarbled, SourceUnavailable, SourceDenied, SourceTimeout.
        """
        return await in_thread(lambda _: self._answer(query), deadline_s=deadline_s, source=self.name)

    def _answer(self, query: AlertQuery) -> str:
        alerts = read_alerts(self._path, self._label)
        words = [word.lower() for word in query.contains if word.strip()]
        matched = [alert for alert in alerts if _matches(alert, query.state, words)]
        answer = {"success": True, "total": len(matched), "scanned": len(alerts), "alerts": matched[: query.limit]}
        return json.dumps(answer, ensure_ascii=False)


def read_alerts(path: Path, label: str) -> list[dict[str, Any]]:
    """The alerts of the file in the raw shape of the port. Raises: SourceGarbled, SourceUnavailable, SourceDenied."""
    data = answer_of(read_json(path, label), label)
    if isinstance(data, dict) and isinstance(data.get("groups"), list):
        listed: Any = list(_rules(data["groups"]))
    else:
        listed = data.get("alerts") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        raise garbled(label, "no list of alerts", '{"status": "success", "data": {"alerts": [...]}}')
    return [_alert(item, f"{label}, alert {index}") for index, item in enumerate(listed)]


def _rules(groups: list[Any]) -> Iterator[Any]:
    """The active alerts of each alerting rule, or the rule itself where it has none."""
    for group in groups:
        for rule in group.get("rules", []) if isinstance(group, dict) else []:
            if not isinstance(rule, dict) or rule.get("type", "alerting") != "alerting":
                continue
            labels = rule.get("labels") if isinstance(rule.get("labels"), dict) else {}
            yield from rule.get("alerts") or [{**rule, "labels": {"alertname": rule.get("name"), **(labels or {})}}]


def _alert(item: Any, label: str) -> dict[str, Any]:
    if not isinstance(item, dict) or not isinstance(item.get("labels", {}), dict):
        raise garbled(label, "no object with `labels`", '{"labels": {...}, "annotations": {...}, "state": "firing"}')
    labels = _texts(item.get("labels"))
    value = item.get("value")
    return {
        "name": labels.get("alertname") or str(item.get("name") or "(unnamed alert)"),
        "state": str(item.get("state") or "unknown").lower(),
        "severity": labels.get("severity"),
        "labels": labels,
        "annotations": _texts(item.get("annotations")),
        "activeAt": _active_at(item.get("activeAt")),
        "value": None if value is None else str(value),
    }


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key): str(text) for key, text in value.items() if text is not None}


def _active_at(value: Any) -> str | None:
    """RFC 3339 in UTC; None for a zero time and for what is no time."""
    if not isinstance(value, str):
        return None
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        return None
    if instant.year <= 1:
        return None
    return iso(instant if instant.tzinfo else instant.replace(tzinfo=UTC))


def _matches(alert: dict[str, Any], state: str | None, words: list[str]) -> bool:
    if state is not None and alert["state"] != state.lower():
        return False
    if not words:
        return True
    parts = [alert["name"], *alert["labels"].values(), *alert["annotations"].values()]
    haystack = " ".join(parts).lower()
    return any(word in haystack for word in words)
