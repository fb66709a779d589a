"""PagerDuty webhooks v3, v2 and v1, and events sent to its Events API v2.

Source: PagerDuty developer documentation, "Webhooks overview", "Events API v2".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, PayloadKind
from rootproof.intake.fields import dig, first_text, first_time, items, labels_of, make_alert, mapping, state_period
from rootproof.intake.words import status_of

_PING = "pagey.ping"


def read(body: Any) -> NormalizedPayload | None:
    """The incidents of a webhook body, or its handshake."""
    if not isinstance(body, Mapping):
        return None
    event = mapping(body.get("event"))
    if event.get("event_type") == _PING:
        return NormalizedPayload(vendor="pagerduty", kind=PayloadKind.HANDSHAKE)
    if str(event.get("event_type")).startswith("incident") and isinstance(event.get("data"), Mapping):
        return _found([_incident(event["data"], event)])
    if "event_action" in body and isinstance(body.get("payload"), Mapping):
        return _found([_sent_event(body)])
    incidents = [_v1_incident(message) for message in items(body.get("messages"))]
    found = [alert for alert in incidents if alert is not None]
    return _found(found) if found and len(found) == len(incidents) else None


def _found(alerts: list[Alert]) -> NormalizedPayload:
    return NormalizedPayload(vendor="pagerduty", kind=PayloadKind.ALERT, alerts=tuple(alerts))


def _v1_incident(message: Any) -> Alert | None:
    """v1 keeps the incident in `data`, v2 beside the event name."""
    incident = dig(message, "data.incident") or dig(message, "incident")
    if not isinstance(incident, Mapping):
        return None
    return _incident(incident, mapping(message))


def _incident(incident: Mapping[str, Any], event: Mapping[str, Any]) -> Alert:
    if isinstance(incident.get("incident"), Mapping):  # notes and responder events hold a reference only
        incident = {**incident, **incident["incident"]}
    status = status_of(first_text(incident, ("status",)))
    if status is None:
        status = status_of((first_text(event, ("event_type", "type", "event")) or "").rpartition(".")[2])
    ended_at = first_time(incident, ("resolved_at",))
    if status is AlertStatus.RESOLVED and ended_at is None:
        ended_at = first_time(incident, ("last_status_change_at", "last_status_change_on"))
        ended_at = ended_at or first_time(event, ("occurred_at", "created_on"))
    name = first_text(
        incident,
        ("title", "trigger_summary_data.subject", "trigger_summary_data.description", "summary", "description"),
    )
    return make_alert(
        name=name,
        status=status,
        raw_severity=first_text(incident, ("priority.summary", "priority.name", "severity", "urgency")),
        service=first_text(incident, ("service.summary", "service.name")),
        summary=first_text(incident, ("summary", "title")) or name,
        description=first_text(incident, ("body.details", "description")),
        started_at=first_time(incident, ("created_at", "created_on")),
        ended_at=ended_at,
        labels=labels_of(
            {
                "service": first_text(incident, ("service.summary", "service.name")),
                "urgency": incident.get("urgency"),
                "priority": first_text(incident, ("priority.summary", "priority.name")),
                "incident_number": first_text(incident, ("number", "incident_number")),
            }
        ),
        annotations=labels_of({"event_type": first_text(event, ("event_type", "type", "event"))}),
        fingerprint=first_text(incident, ("id",)),
    )


def _sent_event(body: Mapping[str, Any]) -> Alert:
    payload = mapping(body.get("payload"))
    status = status_of(first_text(body, ("event_action",)))
    started_at, ended_at = state_period(status, first_time(payload, ("timestamp",)))
    details = labels_of(payload.get("custom_details"))
    return make_alert(
        name=first_text(payload, ("summary",)),
        status=status,
        raw_severity=first_text(payload, ("severity",)),
        service=first_text(payload, ("component",)),
        summary=first_text(payload, ("summary",)),
        started_at=started_at,
        ended_at=ended_at,
        labels=labels_of({key: payload.get(key) for key in ("source", "component", "group", "class")}),
        annotations=details,
        fingerprint=first_text(body, ("dedup_key",)),
    )
