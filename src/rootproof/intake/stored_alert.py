"""An alert as JSON and back: the shape that `alerts normalize --json` shows, bounded for a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, Severity

MAX_NAME = 500
MAX_TEXT = 4_000
MAX_LABELS = 64
MAX_KEY = 128
MAX_VALUE = 1_024


def alert_fields(alert: Alert) -> dict[str, Any]:
    """The alert as a JSON object."""
    return {
        "name": alert.name,
        "status": alert.status,
        "severity": alert.severity,
        "rawSeverity": alert.raw_severity,
        "service": alert.service,
        "summary": alert.summary,
        "description": alert.description,
        "startedAt": _text(alert.started_at),
        "endedAt": _text(alert.ended_at),
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "fingerprint": alert.fingerprint,
    }


def alert_from_stored(fields: Mapping[str, Any]) -> Alert:
    """The alert that `alert_fields` wrote. Raises: ValueError, TypeError for anything else."""
    status, severity = fields.get("status"), fields.get("severity")
    return Alert(
        name=str(fields["name"]) if "name" in fields else "",
        status=AlertStatus(status) if status is not None else None,
        severity=Severity(severity) if severity is not None else None,
        raw_severity=fields.get("rawSeverity"),
        service=fields.get("service"),
        summary=fields.get("summary"),
        description=fields.get("description"),
        started_at=_instant(fields.get("startedAt")),
        ended_at=_instant(fields.get("endedAt")),
        labels=dict(fields.get("labels") or {}),
        annotations=dict(fields.get("annotations") or {}),
        fingerprint=fields.get("fingerprint"),
    )


def bounded(alert: Alert) -> Alert:
    """The alert with texts and labels cut to what is kept. Call it after credentials were removed, never before."""
    return replace(
        alert,
        name=alert.name[:MAX_NAME],
        raw_severity=_cut(alert.raw_severity, MAX_KEY),
        service=_cut(alert.service, MAX_KEY),
        summary=_cut(alert.summary, MAX_TEXT),
        description=_cut(alert.description, MAX_TEXT),
        labels=_bounded_labels(alert.labels),
        annotations=_bounded_labels(alert.annotations),
    )


def _cut(text: str | None, length: int) -> str | None:
    return None if text is None else text[:length]


def _bounded_labels(labels: Mapping[str, str]) -> dict[str, str]:
    return {key[:MAX_KEY]: value[:MAX_VALUE] for key, value in list(labels.items())[:MAX_LABELS]}


def _text(instant: datetime | None) -> str | None:
    return None if instant is None else instant.astimezone(UTC).isoformat()


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
