"""Prometheus Alertmanager webhooks (version 4), Grafana unified alerting (the same shape, more fields), and lists of
Prometheus alerts as the APIs of both give and take them.

Source: Alertmanager "webhook_config" reference; Grafana "Webhook notifier" reference; Prometheus HTTP API `/alerts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, PayloadKind
from rootproof.intake.fields import first_text, first_time, items, labels_of, make_alert, mapping, text
from rootproof.intake.words import status_of

_GRAFANA_KEYS = ("valueString", "dashboardURL", "panelURL", "silenceURL", "values")


def read(body: Any) -> NormalizedPayload | None:
    """The alerts of a webhook body or of a bare list of alerts."""
    if isinstance(body, list):
        return _from_list(body)
    if not isinstance(body, Mapping):
        return None
    if _is_webhook(body):
        return _from_webhook(body)
    data = body.get("data")
    listed = data if isinstance(data, list) else mapping(data).get("alerts")
    if body.get("status") == "success" and isinstance(listed, list):
        return _from_list(listed)
    if "alerts" not in body and "alertname" in mapping(body.get("commonLabels")):
        return _payload("alertmanager", (_alert(body, body, alone=True),), text(body.get("groupKey")))
    if _is_alert(body):
        return _payload("prometheus", (_alert(body, {}, alone=True),), None)
    return None


def _is_webhook(body: Mapping[str, Any]) -> bool:
    listed = body.get("alerts")
    if not isinstance(listed, list) or not listed or not all(isinstance(item, Mapping) for item in listed):
        return False
    return any("labels" in item or "annotations" in item for item in listed)


def _is_alert(item: Any) -> bool:
    if not isinstance(item, Mapping) or not isinstance(item.get("labels"), Mapping):
        return False
    named = "alertname" in item["labels"] or "summary" in item or "summary" in mapping(item.get("annotations"))
    return named and not any(key in item for key in ("alertname", "alert_name", "alertName", "title", "name"))


def _from_webhook(body: Mapping[str, Any]) -> NormalizedPayload:
    listed = items(body.get("alerts"))
    alone = len(listed) == 1
    alerts = tuple(_alert(item, body, alone=alone) for item in listed)
    grafana = "orgId" in body or any(key in item for item in listed for key in _GRAFANA_KEYS)
    return _payload("grafana" if grafana else "alertmanager", alerts, text(body.get("groupKey")))


def _from_list(listed: list[Any]) -> NormalizedPayload | None:
    if not listed or not all(_is_alert(item) for item in listed):
        return None
    return _payload("prometheus", tuple(_alert(item, {}, alone=True) for item in listed), None)


def _payload(vendor: str, alerts: tuple[Alert, ...], group_key: str | None) -> NormalizedPayload:
    return NormalizedPayload(vendor=vendor, kind=PayloadKind.ALERT, alerts=alerts, group_key=group_key)


def _alert(item: Mapping[str, Any], group: Mapping[str, Any], *, alone: bool) -> Alert:
    """`group` supplies what all its alerts have in common; the alert's own fields win."""
    labels = {**labels_of(group.get("commonLabels")), **labels_of(item.get("labels"))}
    annotations = {**labels_of(group.get("commonAnnotations")), **labels_of(item.get("annotations"))}
    if value := text(item.get("valueString")):
        annotations.setdefault("__value_string__", value)
    ended_at = first_time(item, ("endsAt",))
    return make_alert(
        name=first_text(labels, ("alertname",)) or first_text(annotations, ("alertname",)),
        status=_status(item, group, alone=alone),
        raw_severity=first_text(labels, ("severity", "priority", "level")) or first_text(annotations, ("severity",)),
        summary=first_text(annotations, ("summary", "title")) or first_text(item, ("summary",)),
        description=first_text(annotations, ("description", "message")) or first_text(item, ("description",)),
        started_at=first_time(item, ("startsAt", "activeAt")),
        ended_at=ended_at,
        labels=labels,
        annotations=annotations,
        fingerprint=first_text(item, ("fingerprint",)),
    )


def _status(item: Mapping[str, Any], group: Mapping[str, Any], *, alone: bool) -> AlertStatus | None:
    """The alert's own status; the group's only where that must be the alert's: it is alone, or all are resolved."""
    own = first_text(item, ("status", "state", "status.state"))
    if own is not None:
        return status_of(own)
    shared = status_of(first_text(group, ("status",)))
    return shared if alone or shared is AlertStatus.RESOLVED else None
