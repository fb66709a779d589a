"""Payload shapes of services that check from outside whether something is up.

Source: the webhook references of Pingdom, Uptime Kuma, UptimeRobot, Better Stack, Site24x7, StatusCake, ThousandEyes
and Cloudflare.
"""

from __future__ import annotations

from rootproof.domain.alert import AlertStatus
from rootproof.intake.shape import Shape

_F, _R = AlertStatus.FIRING, AlertStatus.RESOLVED

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
    Shape(
        vendor="statuscake",
        requires=("Name", "Status"),
        any_of=("StatusCode", "Checkrate", "URL"),
        name=("Name",),
        status=("Status",),
        summary=("Name",),
        labels={"url": "URL", "method": "Method", "status_code": "StatusCode"},
        identity=("TestID",),
    ),
    Shape(
        vendor="thousandeyes",
        requires=("eventType", "alert.ruleName"),
        name=("alert.ruleName",),
        status=("eventType",),
        status_words={"alertnotificationtrigger": _F, "alertnotificationclear": _R, "webhooktest": None},
        severity=("alert.severity",),
        summary=("alert.testName", "alert.ruleName"),
        description=("alert.ruleExpression",),
        started=("alert.dateStart",),
        ended=("alert.dateEnd",),
        labels={"test": "alert.testName"},
        identity=("alert.alertId",),
    ),
    Shape(
        vendor="cloudflare",
        requires=("policy_id", "alert_type"),
        name=("name", "alert_type"),
        summary=("text", "name"),
        description=("text",),
        started=("ts",),
        label_maps=("data",),
        labels={"alert_type": "alert_type"},
        identity=("alert_correlation_id",),
    ),
)
