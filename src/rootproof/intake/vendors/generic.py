"""The fallback for payloads of unknown origin that name their fields outright. Nothing is inferred from prose.

A body counts as an alert only when it has a name under a name's key *and* something that only alerts have: a key, a
state, or a known severity. Anything else is UNKNOWN, with what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.domain.alert import NormalizedPayload, PayloadKind
from rootproof.intake.fields import first_text
from rootproof.intake.shape import Shape
from rootproof.intake.words import word

_NAMES = (
    "alertname", "alert_name", "alertName", "rule_name", "ruleName", "monitor_name", "monitorName", "check_name",
    "incident_name", "problem_title", "title", "name", "alert", "subject", "labels.alertname",
)  # fmt: skip
_STATUS = ("status", "state", "alert_status", "alertState", "alert_state", "event_status", "status.state")
_SEVERITY = ("severity", "priority", "level", "criticality", "urgency", "labels.severity")
_STARTED = (
    "startsAt", "starts_at", "started_at", "startedAt", "start_time", "startTime", "triggered_at", "triggeredAt",
    "fired_at", "firedAt", "created_at", "createdAt", "activeAt",
)  # fmt: skip
_OUTRIGHT = ("alertname", "alert_name", "alertName", "labels.alertname", "fingerprint")
"""Keys that only alerts have."""
_ALERT_STATES = frozenset({"firing", "alerting", "alarm", "triggered", "problem", "resolved", "recovered"})
"""States that only alerts are in; `open` or `active` may be anything's."""
_WRAPPERS = ("alert", "incident", "data", "payload", "event")
"""Keys under which some systems put the whole alert."""

GENERIC = Shape(
    vendor="generic",
    requires=(),
    name=_NAMES,
    status=_STATUS,
    severity=_SEVERITY,
    service=("service", "service_name", "serviceName", "app", "application", "labels.service"),
    summary=("summary", "annotations.summary", "message", "short_description"),
    description=("description", "annotations.description", "details", "message", "body", "text"),
    started=_STARTED,
    ended=("endsAt", "ends_at", "ended_at", "endedAt", "resolved_at", "resolvedAt", "closed_at", "end_time", "endTime"),
    changed=("timestamp", "time", "date", "@timestamp"),
    label_maps=("tags", "labels"),
    labels={"host": "host", "instance": "instance", "namespace": "namespace", "environment": "environment"},
    identity=("fingerprint", "alert_id", "alertId", "dedup_key"),
)


def read(body: Any, known_vendors: frozenset[str]) -> NormalizedPayload | None:
    """The alert of a body that names its fields, itself or one level down."""
    if not isinstance(body, Mapping):
        return None
    for candidate in (body, *(body[key] for key in _WRAPPERS if isinstance(body.get(key), Mapping))):
        if _is_alert(candidate):
            alert = GENERIC.read(candidate)
            vendor = str(body.get("alert_source", "")).lower()
            return NormalizedPayload(
                vendor=vendor if vendor in known_vendors else "generic", kind=PayloadKind.ALERT, alerts=(alert,)
            )
    return None


def _is_alert(body: Mapping[str, Any]) -> bool:
    if first_text(body, _NAMES) is None:
        return False
    if first_text(body, _OUTRIGHT) is not None:
        return True
    state = word(first_text(body, _STATUS) or "")
    return state in _ALERT_STATES or ("severity" in body and GENERIC.read(body).severity is not None)
