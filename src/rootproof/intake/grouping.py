"""Which alerts are one and the same, and which belong together.

The vendor's own fingerprint and group key count first. Where there are none, an alert is known by its name and labels
without those that change from delivery to delivery, and it belongs with alerts that share the configured labels.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, Severity
from rootproof.domain.incident import AlertGroup
from rootproof.domain.storable import ID_LENGTH, is_storable_id
from rootproof.intake.fields import fingerprint_of
from rootproof.intake.words import word

_VOLATILE = frozenset({
    "value", "currentvalue", "lastvalue", "samplevalue", "valuestring", "timestamp", "time", "date", "datetime",
    "starttime", "startsat", "updatedat", "lastupdated", "eventid", "messageid", "traceid", "spanid", "requestid",
    "correlationid", "notificationid", "snapshot", "snapshoturl", "duration", "age", "uptime", "runbookurl",
    "dashboardurl", "panelurl", "silenceurl", "generatorurl", "incidentnumber", "acknowledged", "urgency",
})  # fmt: skip
"""Labels (as words) that differ between two deliveries of one alert."""

_GROUPED_BY_ID = frozenset({"pagerduty"})
"""Vendors whose alert already is an incident: its id is the group."""
_ALWAYS_STATED = frozenset({"aws-cloudwatch", "kapacitor", "pagerduty", "netdata", "zabbix"})
"""Vendors that always state a state: one that is neither firing nor resolved (INSUFFICIENT_DATA) begins nothing."""
_RANKS = {Severity.INFO: 1, Severity.WARNING: 2, Severity.CRITICAL: 3}


def rank(severity: str | None) -> int:
    """How severe, 0 (unknown) to 3 (critical)."""
    return 0 if severity is None else _RANKS[Severity(severity)]


def worst(severities: Iterable[str | None]) -> str | None:
    """The most severe of them; None where none is known."""
    return max(severities, key=rank, default=None)


def group_alerts(payload: NormalizedPayload, labels: Sequence[str], *, source: str) -> tuple[AlertGroup, ...]:
    """The alerts of one webhook body as groups, in order; each alert with a status and a fingerprint.

    `source` is the webhook's name: groups of two monitoring systems are two incidents. Alerts whose state is neither
    firing nor resolved are left out; one that states none is firing.
    """
    grouped: dict[str, list[Alert]] = {}
    for alert in payload.alerts:
        if (status := alert.status or _unstated(payload.vendor)) is None:
            continue
        known = replace(alert, status=status, fingerprint=_fingerprint(alert))
        grouped.setdefault(_group_key(known, payload, labels), []).append(known)
    return tuple(
        AlertGroup(
            group_key=key,
            group_hash=_digest(source, key),
            vendor=payload.vendor[:32],
            title=_title(alerts),
            alerts=tuple(alerts),
        )
        for key, alerts in grouped.items()
    )


def _unstated(vendor: str) -> AlertStatus | None:
    return None if vendor in _ALWAYS_STATED else AlertStatus.FIRING


def _fingerprint(alert: Alert) -> str:
    given = alert.fingerprint
    if given is None or given == fingerprint_of(alert.name, alert.labels):
        return fingerprint_of(alert.name, _steady(alert.labels))
    return given if is_storable_id(given, ID_LENGTH) else _digest("fingerprint", given)


def _steady(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if word(key) not in _VOLATILE}


def _group_key(alert: Alert, payload: NormalizedPayload, labels: Sequence[str]) -> str:
    if payload.group_key:
        return payload.group_key
    if payload.vendor in _GROUPED_BY_ID and alert.fingerprint:
        return f"{payload.vendor}:{alert.fingerprint}"
    by_word = {word(key): value for key, value in alert.labels.items()}
    by_word |= {"alertname": alert.name} | ({"service": alert.service} if alert.service else {})
    shared = {label: by_word[word(label)] for label in labels if word(label) in by_word}
    return json.dumps(shared or {"alertname": alert.name}, ensure_ascii=False, sort_keys=True)


def _title(alerts: Sequence[Alert]) -> str:
    """The name of the most severe alert, and its service."""
    first = max(alerts, key=lambda alert: (alert.status is AlertStatus.FIRING, rank(alert.severity)))
    return f"{first.name} on {first.service}" if first.service and first.service not in first.name else first.name


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:ID_LENGTH]
