"""Payload shapes of monitoring that people run themselves.

Source: Graylog "HTTP notification" data; Zabbix macro names in webhook media types; Kapacitor, Falco, Netdata and
Nagios-family documentation.
"""

from __future__ import annotations

from rootproof.domain.alert import AlertStatus, Severity
from rootproof.intake.shape import Shape

_F, _R = AlertStatus.FIRING, AlertStatus.RESOLVED
_GRAYLOG_LEVELS = {"1": Severity.INFO, "2": Severity.WARNING, "3": Severity.CRITICAL, "4": Severity.CRITICAL}
"""Graylog priorities: low, normal, high, critical."""
_ZABBIX_LEVELS = {
    "0": None,
    "notclassified": None,
    "1": Severity.INFO,
    "2": Severity.WARNING,
    "3": Severity.WARNING,
    "4": Severity.CRITICAL,
    "5": Severity.CRITICAL,
}


def _zabbix(requires: tuple[str, ...], any_of: tuple[str, ...]) -> Shape:
    return Shape(
        vendor="zabbix",
        requires=requires,
        any_of=any_of,
        name=("trigger_name", "trigger", "event_name", "problem_name", "alert_subject", "subject", "name"),
        status=("event_status", "trigger_status", "status", "event_value", "trigger_value", "value"),
        status_words={"1": _F, "0": _R, "update": _F},
        severity=("trigger_severity", "event_severity", "severity", "event_nseverity", "trigger_nseverity"),
        severity_words=_ZABBIX_LEVELS,
        summary=("alert_subject", "subject", "event_name", "trigger_name", "trigger"),
        description=("alert_message", "message", "trigger_description", "event_opdata"),
        started=("event_timestamp", "event_datetime", "event_date_time", "clock", "started_at"),
        ended=("event_recovery_timestamp", "recovery_datetime"),
        label_maps=("event_tags", "tags", "eventtagsjson", "event_tags_json"),
        labels={
            "host": "host",
            "host_name": "host_name",
            "hostname": "hostname",
            "host_ip": "host_ip",
            "item": "item_name",
        },
        identity=("event_id", "eventid", "trigger_id", "triggerid"),
    )


SELF_HOSTED_SHAPES = (
    Shape(
        vendor="graylog",
        requires=("event_definition_title", "event"),
        name=("event_definition_title", "event.message"),
        implied_status=_F,  # Graylog sends an event when its condition holds, and nothing when it ends
        severity=("event.priority",),
        severity_words=_GRAYLOG_LEVELS,
        summary=("event.message", "event_definition_title"),
        description=("event_definition_description",),
        started=("event.timerange_start", "event.timestamp"),
        label_maps=("event.group_by_fields", "event.fields"),
        labels={"source": "event.source", "key": "event.key"},
        identity=("event.id",),
    ),
    Shape(
        vendor="graylog",
        requires=("check_result", "stream"),
        name=("stream.title", "check_result.triggered_condition.title"),
        implied_status=_F,
        summary=("check_result.result_description",),
        description=("stream.description",),
        started=("check_result.triggered_at",),
    ),
    _zabbix(("event_id",), ("trigger_name", "trigger_severity", "event_nseverity", "event_severity", "trigger_id")),
    _zabbix(("eventid",), ("triggerid", "trigger", "trigger_name", "severity", "host", "hostname")),
    _zabbix(("trigger_id",), ("trigger_name", "trigger_severity", "host", "hostname")),
    _zabbix(("trigger", "host", "status"), ("severity", "trigger_severity", "item", "item_name")),
    Shape(
        vendor="kapacitor",
        requires=("id", "level", "message", "details"),
        name=("id",),
        status=("level",),
        status_words={"critical": _F, "warning": _F, "info": None, "ok": _R},
        severity=("level",),
        summary=("message",),
        description=("details",),
        changed=("time",),
        label_maps=("data.series.0.tags",),
        identity=("id",),
    ),
    Shape(
        vendor="falco",
        requires=("rule", "priority", "output"),
        name=("rule",),
        implied_status=_F,
        severity=("priority",),
        summary=("rule",),
        description=("output",),
        started=("time",),
        label_maps=("output_fields",),
        identity=("uuid",),
    ),
    Shape(
        vendor="netdata",
        requires=("alarm", "chart"),
        name=("alarm", "alert"),
        status=("status", "severity"),
        status_words={"clear": _R, "critical": _F, "warning": _F},
        severity=("severity", "status"),
        summary=("message", "info"),
        description=("info", "message"),
        changed=("date", "when"),
        labels={"chart": "chart", "host": "host", "space": "space", "room": "room", "class": "class"},
    ),
    Shape(
        vendor="netdata",
        requires=("alert", "chart", "severity"),
        name=("alert",),
        status=("status", "severity"),
        status_words={"clear": _R, "critical": _F, "warning": _F},
        severity=("severity",),
        summary=("message", "info"),
        description=("info",),
        changed=("date",),
        labels={"chart": "chart", "host": "node", "space": "space"},
    ),
    Shape(
        vendor="nagios",
        requires=("notificationtype", "hostname"),
        name=("servicedesc", "service", "hostname"),
        status=("notificationtype",),
        severity=("servicestate", "hoststate", "state"),
        summary=("serviceoutput", "hostoutput", "output"),
        description=("serviceoutput", "hostoutput", "output"),
        changed=("datetime", "timestamp"),
        labels={"host": "hostname", "check": "servicedesc"},
    ),
    Shape(
        vendor="riemann",
        requires=("host", "service", "state"),
        any_of=("metric", "ttl"),
        name=("service",),
        status=("state",),
        status_words={"critical": _F, "warning": _F, "expired": _F, "ok": _R},
        severity=("state",),
        summary=("description", "service"),
        description=("description",),
        changed=("time",),
        label_maps=("tags",),
        labels={"host": "host"},
    ),
    Shape(
        vendor="goalert",
        requires=("summary",),
        any_of=("dedup",),
        name=("summary",),
        status=("action",),
        implied_status=_F,  # its API takes a missing action for "open"
        summary=("summary",),
        description=("details",),
        identity=("dedup",),
    ),
)
