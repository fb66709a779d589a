"""Payload shapes of hosted monitoring and on-call services.

Source: the vendors' webhook references (Grafana legacy, Datadog, Opsgenie, New Relic, Pingdom, SignalFx, Axiom, ...).
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
        requires=("alert_uid", "title", "state"),
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
    _datadog(("event_type", "org", "title"), ("body", "last_updated")),
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

UPTIME_SHAPES = (
    Shape(
        vendor="pingdom",
        requires=("check_id", "current_state"),
        any_of=("check_name", "check_type"),
        name=("check_name",),
        status=("current_state",),
        status_words={"failing": _F, "success": _R},
        severity=("importance_level",),
        summary=("long_description", "description"),
        description=("long_description", "description"),
        changed=("state_changed_timestamp", "state_changed_utc_time"),
        label_maps=("tags",),
        labels={"host": "check_params.hostname", "url": "check_params.full_url", "check_type": "check_type"},
        identity=("check_id",),
    ),
    Shape(
        vendor="uptime-kuma",
        requires=("heartbeat.status", "monitor.name"),
        name=("monitor.name",),
        status=("heartbeat.status",),
        status_words={"0": _F, "1": _R, "2": None, "3": None},
        summary=("msg", "heartbeat.msg"),
        description=("heartbeat.msg",),
        changed=("heartbeat.time",),
        labels={"url": "monitor.url", "host": "monitor.hostname", "type": "monitor.type"},
        identity=("monitor.id",),
    ),
    Shape(
        vendor="uptimerobot",
        requires=("monitorFriendlyName", "alertTypeFriendlyName"),
        name=("monitorFriendlyName",),
        status=("alertTypeFriendlyName",),
        summary=("alertDetails",),
        changed=("alertDateTime",),
        labels={"url": "monitorURL"},
        identity=("monitorID",),
    ),
    Shape(
        vendor="better-stack",
        requires=("data.type", "data.attributes.started_at"),
        name=("data.attributes.name",),
        status=("data.attributes.status",),
        summary=("data.attributes.cause",),
        started=("data.attributes.started_at",),
        ended=("data.attributes.resolved_at",),
        labels={"url": "data.attributes.url"},
        identity=("data.id",),
    ),
    Shape(
        vendor="site24x7",
        requires=("MONITORNAME", "STATUS"),
        name=("MONITORNAME",),
        status=("STATUS",),
        status_words={"trouble": _F, "critical": _F},
        summary=("INCIDENT_REASON",),
        changed=("INCIDENT_TIME_ISO", "OUTAGE_TIME_UNIX_FORMAT"),
        labels={"url": "MONITORURL", "group": "GROUP_TAGS"},
        identity=("MONITOR_ID",),
    ),
)

OBSERVABILITY_SHAPES = (
    Shape(
        vendor="signalfx",
        requires=("detectorUrl",),
        any_of=("incidentId", "detectOnCondition", "rule"),
        name=("rule", "detector", "inputs.rule", "messageTitle"),
        status=("status",),
        severity=("severity",),
        summary=("messageTitle", "inputs.messageTitle", "description", "inputs.description"),
        description=("description", "inputs.description", "messageBody"),
        changed=("timestamp", "eventTime"),
        label_maps=("dimensions",),
        labels={"metric": "originatingMetric", "detector": "detector"},
        annotations={"message": "messageBody", "condition": "detectOnCondition"},
        identity=("incidentId",),
    ),
    Shape(
        vendor="axiom",
        requires=("action", "event.monitorID"),
        name=("event.title",),
        status=("action",),
        summary=("event.body", "event.title"),
        description=("event.description", "event.body"),
        changed=("event.timestamp",),
        label_maps=("event.groupKeys", "event.matchedEvent"),
        annotations={"value": "event.value"},
        identity=("event.monitorID",),
    ),
    Shape(
        vendor="honeycomb",
        requires=("trigger_description", "name", "status"),
        name=("name",),
        status=("status",),
        summary=("summary", "trigger_description"),
        description=("description", "trigger_description"),
        identity=("id",),
    ),
    Shape(
        vendor="dynatrace",
        requires=("ProblemID", "ProblemTitle"),
        name=("ProblemTitle",),
        status=("State",),
        status_words={"merged": None},
        severity=("ProblemSeverity", "ProblemImpact"),
        summary=("ProblemTitle",),
        description=("ProblemDetailsText",),
        labels={"entity": "ImpactedEntity", "impact": "ProblemImpact"},
        label_maps=("Tags",),
        identity=("PID", "ProblemID"),
    ),
    Shape(
        vendor="instana",
        requires=("issue.id", "issue.text"),
        name=("issue.text",),
        status=("issue.state",),
        severity=("issue.severity",),
        summary=("issue.text",),
        description=("issue.suggestion",),
        started=("issue.start",),
        ended=("issue.end",),
        service=("issue.service",),
        labels={"entity": "issue.entityLabel", "entity_type": "issue.entity", "zone": "issue.zone"},
        identity=("issue.id",),
    ),
    Shape(
        vendor="splunk",
        requires=("search_name", "result"),
        any_of=("sid", "results_link"),
        name=("search_name",),
        implied_status=_F,  # Splunk calls the hook only when the search has found something
        severity=("result.severity", "result.urgency"),
        summary=("search_name",),
        description=("result._raw",),
        changed=("result._time",),
        label_maps=("result",),
    ),
    Shape(
        vendor="victorops",
        requires=("message_type", "entity_id"),
        name=("entity_display_name", "entity_id"),
        status=("message_type",),
        status_words={"critical": _F, "warning": _F, "info": None, "recovery": _R, "acknowledgement": _F},
        severity=("message_type",),
        summary=("entity_display_name", "state_message"),
        description=("state_message",),
        changed=("state_start_time", "timestamp"),
        labels={"host": "host_name", "service": "service_name", "monitoring_tool": "monitoring_tool"},
        identity=("entity_id",),
    ),
    Shape(
        vendor="rollbar",
        requires=("event_name", "data.item"),
        name=("data.item.title",),
        status=("event_name",),
        status_words={
            "newitem": _F,
            "occurrence": _F,
            "reactivateditem": _F,
            "reopeneditem": _F,
            "resolveditem": _R,
            "expitemrepeat": _F,
            "itemvelocity": _F,
        },
        severity=("data.item.level", "data.occurrence.level"),
        summary=("data.item.title",),
        started=("data.item.first_occurrence_timestamp",),
        changed=("data.item.last_occurrence_timestamp",),
        labels={"environment": "data.item.environment", "framework": "data.item.framework"},
        identity=("data.item.id",),
    ),
    Shape(
        vendor="coralogix",
        requires=("alert_severity",),
        any_of=("alert_action", "alert_id"),
        name=("name", "alert_name"),
        status=("alert_action",),
        severity=("alert_severity",),
        summary=("description", "name"),
        description=("description",),
        changed=("timestamp", "timestampMS", "timestampISO"),
        service=("application", "subsystem"),
        labels={"application": "application", "subsystem": "subsystem", "team": "team"},
        identity=("alert_id",),
    ),
)

SAAS_SHAPES = (
    *GRAFANA_SHAPES,
    *OPSGENIE_SHAPES,
    *NEWRELIC_SHAPES,
    *UPTIME_SHAPES,
    *OBSERVABILITY_SHAPES,
    *DATADOG_SHAPES,
)
