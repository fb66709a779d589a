"""Payload shapes of the big hosted alerting services.

Source: the webhook references of Grafana (legacy alerting, OnCall), Datadog, Opsgenie and New Relic.
"""

from __future__ import annotations

import re

from rootproof.domain.alert import AlertStatus, Severity
from rootproof.intake.shape import Shape

_F, _R = AlertStatus.FIRING, AlertStatus.RESOLVED
_PRIORITIES = {
    "1": Severity.CRITICAL,
    "2": Severity.CRITICAL,
    "3": Severity.WARNING,
    "4": Severity.INFO,
    "5": Severity.INFO,
}
"""P1 to P5 where a vendor also sends the bare number."""

GRAFANA_SHAPES = (
    Shape(
        vendor="grafana-legacy",
        requires=("ruleName", "state"),
        name=("ruleName", "title"),
        status=("state",),
        status_words={"paused": None, "pending": None},
        summary=("title", "ruleName"),
        description=("message",),
        label_maps=("evalMatches.0.tags", "tags"),
        annotations={"metric": "evalMatches.0.metric", "value": "evalMatches.0.value"},
    ),
    Shape(  # an alert rule as the provisioning API gives it: what would fire, not what fires
        vendor="grafana",
        requires=("condition", "data", "title"),
        any_of=("ruleGroup", "noDataState", "execErrState", "folderUID"),
        name=("title",),
        severity=("labels.severity",),
        summary=("annotations.summary", "title"),
        description=("annotations.description",),
        label_maps=("labels",),
    ),
    Shape(
        vendor="grafana-oncall",
        requires=("title", "state"),
        any_of=("alert_uid", "link_to_upstream_details", "image_url"),
        name=("title",),
        status=("state",),
        summary=("message", "title"),
        description=("message",),
        identity=("alert_uid",),
    ),
    Shape(
        vendor="grafana-oncall",
        requires=("event.type", "alert_group"),
        name=("alert_group.title",),
        status=("event.type", "alert_group.state"),
        status_words={"unacknowledge": _F, "silence": _F, "unsilence": _F, "unresolve": _F, "alertgroupcreated": _F},
        summary=("alert_group.title",),
        started=("alert_group.created_at",),
        ended=("alert_group.resolved_at",),
        identity=("alert_group.id",),
    ),
)

_DATADOG_WORDS = {
    "triggered": _F, "retriggered": _F, "nodata": _F, "renotify": _F, "renodata": _F, "warn": _F, "rewarn": _F,
    "warning": _F, "error": _F, "alert": _F, "recovered": _R, "success": _R, "ok": _R, "info": None,
}  # fmt: skip
_DATADOG_TITLE = re.compile(r"\s*(?:\[P[1-5]\]\s*)?\[([A-Za-z-]+(?: data)?)(?: on [^\]]*)?\]\s*", re.IGNORECASE)


def _datadog(requires: tuple[str, ...], any_of: tuple[str, ...] = ()) -> Shape:
    return Shape(
        vendor="datadog",
        requires=requires,
        any_of=any_of,
        name=("title", "event_title", "alert_title", "msg_title", "name"),
        status=("alert_transition", "alertTransition", "transition", "alert_status", "status"),
        status_words=_DATADOG_WORDS,
        title_prefix=_DATADOG_TITLE,
        severity=("severity", "priority", "alert_priority", "alert_type"),
        severity_words=_PRIORITIES,
        summary=("message", "text_only_msg", "event_msg", "body", "description"),
        description=("description", "body", "event_msg", "message"),
        started=("alert_cycle_started", "last_transition_time"),
        changed=("date", "timestamp", "last_updated"),
        label_maps=("tags", "alert_scope", "scopes"),
        labels={"monitor_id": "monitor_id", "metric": "metric", "host": "hostname", "query": "query"},
        identity=("alert_cycle_key", "aggreg_key", "monitor_id", "alert_id"),
    )


DATADOG_SHAPES = (
    _datadog(("monitor_id",), ("query", "scopes", "title", "name")),
    _datadog((), ("alert_transition", "alertTransition", "alert_cycle_key")),
    _datadog(("event_type", "title"), ("org", "org_id", "org_name", "last_updated")),
)

_OPSGENIE_ACTIONS = {
    "create": _F, "acknowledge": _F, "unacknowledge": _F, "escalate": _F, "addnote": _F,
    "addtags": _F, "addrecipient": _F, "addteam": _F, "assignownership": _F, "takeownership": _F,
    "removetags": _F, "snooze": _F, "updatepriority": _F,
    "updatemessage": _F, "updatedescription": _F, "customaction": None, "close": _R, "delete": _R,
}  # fmt: skip

OPSGENIE_SHAPES = (
    Shape(
        vendor="opsgenie",
        requires=("action", "alert.message"),
        any_of=("alert.alertId", "alert.alias", "alert.tinyId"),
        name=("alert.message",),
        status=("action", "alert.status"),
        status_words=_OPSGENIE_ACTIONS,
        severity=("alert.priority",),
        severity_words=_PRIORITIES,
        summary=("alert.message",),
        description=("alert.description",),
        started=("alert.createdAt",),
        ended=("alert.closedAt",),
        label_maps=("alert.tags", "alert.details"),
        labels={"source": "alert.source", "entity": "alert.entity"},
        identity=("alert.alertId", "alert.alias"),
    ),
    Shape(  # an alert as the Alert API gives it
        vendor="opsgenie",
        requires=("tinyId", "message"),
        name=("message",),
        status=("status",),
        severity=("priority",),
        severity_words=_PRIORITIES,
        summary=("message",),
        description=("description",),
        started=("createdAt",),
        label_maps=("tags", "details"),
        labels={"source": "source", "entity": "entity"},
        identity=("id", "alias"),
    ),
)

NEWRELIC_SHAPES = (
    Shape(
        vendor="newrelic",
        requires=("condition_name", "current_state"),
        name=("condition_name", "policy_name"),
        status=("current_state",),
        severity=("severity",),
        summary=("details", "condition_description"),
        description=("condition_description", "details"),
        changed=("timestamp",),
        label_maps=("targets.0.labels",),
        labels={"policy": "policy_name", "target": "targets.0.name", "account": "account_name"},
        identity=("incident_id",),
    ),
    Shape(
        vendor="newrelic",
        requires=("issueUrl", "title", "state"),
        name=("alertConditionNames.0", "title"),
        status=("state",),
        severity=("priority",),
        summary=("title",),
        description=("alertConditionDescriptions.0", "annotations.description.0"),
        started=("createdAt", "activatedAt"),
        ended=("closedAt",),
        labels={"entity": "impactedEntities.0", "policy": "alertPolicyNames.0", "workflow": "workflowName"},
        label_maps=("accumulations.tag",),
        identity=("id", "issueId"),
    ),
)

SAAS_SHAPES = (*GRAFANA_SHAPES, *OPSGENIE_SHAPES, *NEWRELIC_SHAPES, *DATADOG_SHAPES)
