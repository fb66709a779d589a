"""Sentry: the legacy WebHooks plugin, and integration webhooks for issues, issue alerts and metric alerts.

Source: Sentry documentation, "Integration Platform: Webhooks".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, PayloadKind, Severity
from rootproof.intake.fields import first_text, first_time, labels_of, make_alert, mapping, state_period
from rootproof.intake.words import status_of

_PLUGIN_KEYS = ("project", "project_slug", "project_name")


def read(body: Any) -> NormalizedPayload | None:
    """The issue, event or metric alert of a webhook body."""
    if not isinstance(body, Mapping):
        return None
    event = body.get("event")
    if (
        isinstance(event, Mapping)
        and any(key in body for key in _PLUGIN_KEYS)
        and ("event_id" in event or "culprit" in body)
    ):
        return _found(_issue(event, body))
    data = mapping(body.get("data"))
    if "action" not in body or not data:
        return None
    if "installation" in data and len(data) == 1:
        return NormalizedPayload(vendor="sentry", kind=PayloadKind.HANDSHAKE)
    if isinstance(data.get("metric_alert"), Mapping):
        return _found(_metric_alert(body, data))
    for key in ("issue", "event", "error"):
        if isinstance(data.get(key), Mapping):
            return _found(_issue(data[key], {**data, "action": body["action"]}))
    return None


def _found(alert: Alert) -> NormalizedPayload:
    return NormalizedPayload(vendor="sentry", kind=PayloadKind.ALERT, alerts=(alert,))


def _issue(event: Mapping[str, Any], outer: Mapping[str, Any]) -> Alert:
    resolved = status_of(first_text(outer, ("action",))) is AlertStatus.RESOLVED or event.get("status") == "resolved"
    project = first_text(outer, ("project_slug", "project", "project_name")) or first_text(
        event, ("project.slug", "project_slug", "project_name", "project.name")
    )
    message = first_text(outer, ("message",)) or first_text(event, ("logentry.formatted", "message", "metadata.value"))
    labels = labels_of(event.get("tags"))
    labels |= labels_of({"project": project, "environment": event.get("environment"), "logger": outer.get("logger")})
    return make_alert(
        name=first_text(event, ("title",)) or first_text(outer, ("triggered_rule",)) or message,
        status=AlertStatus.RESOLVED if resolved else AlertStatus.FIRING,  # an event is sent because it happens
        raw_severity=first_text(event, ("level",)) or first_text(outer, ("level",)),
        service=project,
        summary=message or first_text(event, ("title",)),
        description=first_text(outer, ("culprit",)) or first_text(event, ("culprit",)),
        started_at=first_time(event, ("firstSeen", "datetime", "timestamp", "received")),
        ended_at=first_time(event, ("statusDetails.resolvedAt",)),
        labels=labels,
        fingerprint=first_text(event, ("issue_id",)) or first_text(outer, ("id",)) or first_text(event, ("id",)),
    )


def _metric_alert(body: Mapping[str, Any], data: Mapping[str, Any]) -> Alert:
    """`action` is the level that was reached: critical, warning, or resolved."""
    action = first_text(body, ("action",)) or ""
    incident = mapping(data.get("metric_alert"))
    resolved = status_of(action) is AlertStatus.RESOLVED
    level = {"critical": Severity.CRITICAL, "warning": Severity.WARNING}.get(action)
    status = AlertStatus.RESOLVED if resolved else (AlertStatus.FIRING if level or action == "open" else None)
    started_at = first_time(incident, ("dateStarted", "date_started", "dateDetected", "date_detected"))
    ended_at = first_time(incident, ("dateClosed", "date_closed"))
    if started_at is None:
        started_at, ended_at = state_period(status, first_time(incident, ("dateCreated", "date_created")))
    return make_alert(
        name=first_text(incident, ("alert_rule.name", "title")) or first_text(data, ("description_title",)),
        status=status,
        raw_severity=action if level else None,
        severity=level,
        summary=first_text(data, ("description_title",)),
        description=first_text(data, ("description_text",)),
        started_at=started_at,
        ended_at=ended_at,
        labels=labels_of({"projects": incident.get("projects"), "environment": incident.get("alert_rule.environment")}),
        fingerprint=first_text(incident, ("id",)),
    )
