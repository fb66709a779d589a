"""One body for each vendor's shape, in our own words, and what must come out; then the same bodies, broken."""

from __future__ import annotations

import base64
import json

import pytest

from rootproof.domain.alert import AlertStatus, PayloadKind, Severity
from rootproof.intake.normalize import normalize

F, R = AlertStatus.FIRING, AlertStatus.RESOLVED
GROUP = {
    "version": "4",
    "status": "firing",
    "alerts": [{"status": "firing", "labels": {"alertname": "A"}, "annotations": {}, "startsAt": "x", "endsAt": "y"}],
}


def read(body):
    return normalize(json.dumps(body).encode())


VENDORS = [
    (
        "grafana-legacy",
        {"ruleName": "Queue long", "state": "ok", "title": "[OK] Queue", "message": "m"},
        "Queue long",
        R,
        None,
        None,
    ),
    (
        "datadog",
        {"monitor_id": 1, "title": "[Triggered on {host:a}] Disk", "priority": "P2", "tags": "service:kiosk, env:x"},
        "Disk",
        F,
        Severity.CRITICAL,
        "kiosk",
    ),
    ("datadog", {"alert_transition": "Recovered", "title": "Disk", "alert_type": "success"}, "Disk", R, None, None),
    (
        "pagerduty",
        {
            "event": {
                "event_type": "incident.resolved",
                "data": {"title": "Slow", "status": "resolved", "service": {"summary": "Kiosk"}, "urgency": "low"},
            }
        },
        "Slow",
        R,
        Severity.INFO,
        "Kiosk",
    ),
    (
        "pagerduty",
        {"messages": [{"event": "incident.trigger", "incident": {"title": "Slow", "status": "triggered"}}]},
        "Slow",
        F,
        None,
        None,
    ),
    (
        "pagerduty",
        {"event_action": "trigger", "payload": {"summary": "Slow", "severity": "error", "component": "kiosk"}},
        "Slow",
        F,
        Severity.CRITICAL,
        "kiosk",
    ),
    (
        "opsgenie",
        {
            "action": "Close",
            "alert": {"alertId": "1", "message": "Slow", "priority": "P3", "details": {"app": "kiosk"}},
        },
        "Slow",
        R,
        Severity.WARNING,
        "kiosk",
    ),
    (
        "sentry",
        {
            "action": "resolved",
            "data": {"issue": {"id": "1", "title": "KeyError", "level": "warning", "project": {"slug": "kiosk"}}},
        },
        "KeyError",
        R,
        Severity.WARNING,
        "kiosk",
    ),
    (
        "sentry",
        {
            "action": "critical",
            "data": {"metric_alert": {"id": "1", "alert_rule": {"name": "Slow"}}, "description_text": "d"},
        },
        "Slow",
        F,
        Severity.CRITICAL,
        None,
    ),
    (
        "azure-monitor",
        {
            "schemaId": "azureMonitorCommonAlertSchema",
            "data": {"essentials": {"alertRule": "Cpu", "severity": "Sev1", "monitorCondition": "Fired"}},
        },
        "Cpu",
        F,
        Severity.CRITICAL,
        None,
    ),
    (
        "azure-monitor",
        {
            "schemaId": "AzureMonitorMetricAlert",
            "data": {"status": "Deactivated", "context": {"name": "Cpu", "severity": "3", "resourceName": "vm"}},
        },
        "Cpu",
        R,
        Severity.INFO,
        None,
    ),
    (
        "gcp-monitoring",
        {
            "incident": {
                "policy_name": "P",
                "condition_name": "Cpu",
                "state": "closed",
                "severity": "WARNING",
                "resource": {"labels": {"service_name": "kiosk"}},
            }
        },
        "Cpu",
        R,
        Severity.WARNING,
        "kiosk",
    ),
    (
        "newrelic",
        {"condition_name": "Apdex", "current_state": "open", "severity": "CRITICAL"},
        "Apdex",
        F,
        Severity.CRITICAL,
        None,
    ),
    (
        "newrelic",
        {"issueUrl": "https://x", "title": "Apdex low", "state": "CLOSED", "priority": "HIGH", "id": "i"},
        "Apdex low",
        R,
        Severity.CRITICAL,
        None,
    ),
    (
        "zabbix",
        {"event_id": "1", "trigger_name": "Load high", "event_value": "1", "trigger_severity": "Average", "host": "a"},
        "Load high",
        F,
        Severity.WARNING,
        None,
    ),
    (
        "zabbix",
        {"eventid": "1", "trigger": "Load high", "status": "RESOLVED", "severity": "Not classified"},
        "Load high",
        R,
        None,
        None,
    ),
    (
        "pingdom",
        {"check_id": 1, "check_name": "Home page", "current_state": "DOWN", "importance_level": "LOW"},
        "Home page",
        F,
        Severity.INFO,
        None,
    ),
    (
        "graylog",
        {"event_definition_title": "Many errors", "event": {"priority": 2, "message": "m"}},
        "Many errors",
        F,
        Severity.WARNING,
        None,
    ),
    (
        "signalfx",
        {"detectorUrl": "https://x", "incidentId": "1", "rule": "Low", "status": "ok", "severity": "Major"},
        "Low",
        R,
        Severity.CRITICAL,
        None,
    ),
    ("axiom", {"action": "Closed", "event": {"monitorID": "m", "title": "No events"}}, "No events", R, None, None),
    (
        "uptime-kuma",
        {"heartbeat": {"status": 0, "msg": "down"}, "monitor": {"name": "Home"}, "msg": "m"},
        "Home",
        F,
        None,
        None,
    ),
    (
        "dynatrace",
        {"ProblemID": "1", "ProblemTitle": "Slow", "State": "OPEN", "ProblemSeverity": "PERFORMANCE"},
        "Slow",
        F,
        None,
        None,
    ),
    ("victorops", {"message_type": "RECOVERY", "entity_id": "e", "entity_display_name": "Slow"}, "Slow", R, None, None),
    (
        "splunk",
        {"search_name": "Errors", "sid": "1", "result": {"host": "a", "severity": "high"}},
        "Errors",
        F,
        Severity.CRITICAL,
        None,
    ),
    ("falco", {"rule": "Shell", "priority": "Notice", "output": "o"}, "Shell", F, Severity.INFO, None),
    ("grafana-oncall", {"alert_uid": "1", "title": "Down", "state": "alerting", "message": "m"}, "Down", F, None, None),
    ("generic", {"alert_name": "Slow", "service": "kiosk", "state": "open"}, "Slow", F, None, "kiosk"),
    (
        "generic",
        {"alert": {"title": "Slow", "severity": "minor", "labels": {"app": "kiosk"}}},
        "Slow",
        None,
        Severity.WARNING,
        "kiosk",
    ),
    (
        "alertmanager",
        {"status": "firing", "commonLabels": {"alertname": "Slow", "severity": "info", "app": "kiosk"}},
        "Slow",
        F,
        Severity.INFO,
        "kiosk",
    ),
    (
        "prometheus",
        {
            "status": "success",
            "data": [{"labels": {"alertname": "Slow"}, "annotations": {}, "status": {"state": "active"}}],
        },
        "Slow",
        F,
        None,
        None,
    ),
    (
        "datadog",
        {"event_type": "query_alert_monitor", "title": "[Recovered] Disk", "org_id": "1"},
        "Disk",
        R,
        None,
        None,
    ),
    ("grafana-oncall", {"title": "Down", "state": "ok", "link_to_upstream_details": None}, "Down", R, None, None),
    (
        "azure-monitor",
        {
            "schemaId": "Microsoft.Insights/LogAlert",
            "data": {"AlertRuleName": "Errors", "Severity": "2", "SearchQuery": "q"},
        },
        "Errors",
        F,
        Severity.WARNING,
        None,
    ),
    ("honeycomb", {"id": "1", "name": "Slow", "status": "TRIGGERED", "result_url": "https://x"}, "Slow", F, None, None),
    ("statuscake", {"Name": "Home", "Status": "Down", "StatusCode": 500}, "Home", F, None, None),
    ("sumologic", {"triggerType": "ResolvedCritical", "monitorName": "Errors"}, "Errors", R, None, None),
    ("influxdb", {"_check_name": "Disk", "_level": "crit", "_message": "m"}, "Disk", F, Severity.CRITICAL, None),
    (
        "bugsnag",
        {"error": {"exceptionClass": "KeyError", "severity": "error"}, "project": {"name": "kiosk"}},
        "KeyError",
        None,
        Severity.CRITICAL,
        "kiosk",
    ),
    (
        "thousandeyes",
        {"eventType": "ALERT_NOTIFICATION_CLEAR", "alert": {"ruleName": "Loss", "severity": "MINOR"}},
        "Loss",
        R,
        Severity.WARNING,
        None,
    ),
    ("riemann", {"host": "a", "service": "disk /", "state": "ok", "metric": 0.5}, "disk /", R, None, None),
    (
        "kapacitor",
        {"id": "cpu", "level": "WARNING", "message": "m", "details": "", "data": {}},
        "cpu",
        F,
        Severity.WARNING,
        None,
    ),
    ("netdata", {"alarm": "ram", "chart": "system.ram", "status": "CLEAR", "severity": "clear"}, "ram", R, None, None),
    (
        "nagios",
        {"notificationtype": "RECOVERY", "hostname": "a", "servicedesc": "HTTP", "servicestate": "OK"},
        "HTTP",
        R,
        None,
        None,
    ),
    ("goalert", {"summary": "Slow", "dedup": "1", "action": "close"}, "Slow", R, None, None),
    (
        "slack",
        {
            "attachments": [
                {"title": "[FIRING:1] Slow", "color": "danger", "fields": [{"title": "severity", "value": "major"}]}
            ]
        },
        "Slow",
        F,
        Severity.CRITICAL,
        None,
    ),
    (
        "gcp-monitoring",
        {
            "subscription": "s",
            "message": {"data": base64.b64encode(b'{"incident": {"condition_name": "Cpu", "state": "open"}}').decode()},
        },
        "Cpu",
        F,
        None,
        None,
    ),
    (
        "generic",
        {"ALERT-NAME": "Slow", "Severity": "WARN", "Start_Time": "2026-05-01T12:00:00Z"},
        "Slow",
        None,
        Severity.WARNING,
        None,
    ),
]


@pytest.mark.parametrize(("vendor", "body", "name", "status", "severity", "service"), VENDORS)
def test_a_vendors_shape_is_recognised(vendor, body, name, status, severity, service):
    found = read(body)
    assert found.vendor == vendor
    alert = found.alerts[0]
    assert (alert.name, alert.status, alert.severity, alert.service) == (name, status, severity, service)
    assert alert.fingerprint


HOSTILE = [None, 0, True, "", "x", [], {}, [None], {"": None}, [[1, 2, 3]], {"labels": 3}]


@pytest.mark.parametrize("junk", HOSTILE)
@pytest.mark.parametrize("body", [entry[1] for entry in VENDORS] + [GROUP, {"Type": "Notification", "Message": "m"}])
def test_no_field_of_the_wrong_type_breaks_a_mapper(body, junk):
    """Every field, one after the other and one level down, replaced by junk: a result or UNKNOWN, never a crash."""
    for key in body:
        assert read(body | {key: junk}).kind in PayloadKind
        if isinstance(body[key], dict):
            for inner in body[key]:
                assert read(body | {key: body[key] | {inner: junk}}).kind in PayloadKind
        if isinstance(body[key], list) and isinstance(body[key][0], dict):
            for inner in body[key][0]:
                assert read(body | {key: [body[key][0] | {inner: junk}]}).kind in PayloadKind
