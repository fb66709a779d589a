"""Each vendor's payload shape, in our own words: what is stated is kept, what is not stated stays None."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from rootproof.domain.alert import AlertStatus, PayloadKind, Severity
from rootproof.errors import UsageError
from rootproof.intake.normalize import MAX_ALERTS, normalize

T = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
F, R = AlertStatus.FIRING, AlertStatus.RESOLVED


def read(body):
    return normalize(json.dumps(body).encode())


def one(body):
    found = read(body)
    assert found.kind is PayloadKind.ALERT
    assert len(found.alerts) == 1
    return found.alerts[0]


def group(**changes):
    alert = {
        "status": "firing",
        "labels": {"alertname": "DiskFull", "severity": "page", "app": "kiosk"},
        "annotations": {"summary": "disk is full", "description": "no bytes left"},
        "startsAt": "2026-05-01T12:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": "abcd",
    }
    return {"version": "4", "status": "firing", "groupKey": "g1", "alerts": [alert]} | changes


def test_alertmanager_fields_are_kept_and_zero_times_dropped():
    found = read(group())
    alert = found.alerts[0]
    assert (found.vendor, found.group_key) == ("alertmanager", "g1")
    assert (alert.name, alert.status, alert.severity, alert.raw_severity) == ("DiskFull", F, Severity.CRITICAL, "page")
    assert (alert.service, alert.summary, alert.description) == ("kiosk", "disk is full", "no bytes left")
    assert (alert.started_at, alert.ended_at, alert.fingerprint) == (T, None, "abcd")
    assert alert.labels["severity"] == "page"


def test_common_labels_fill_what_an_alert_leaves_out_and_never_replace_it():
    body = group(commonLabels={"app": "other", "region": "north"}, commonAnnotations={"runbook": "r"})
    alert = one(body)
    assert (alert.labels["app"], alert.labels["region"], alert.annotations["runbook"]) == ("kiosk", "north", "r")


def test_an_alert_without_a_status_takes_the_groups_only_where_it_must_be_its_own():
    bare = {"labels": {"alertname": "A"}, "annotations": {}}
    assert one(group(alerts=[bare])).status is F
    assert [alert.status for alert in read(group(alerts=[bare, bare])).alerts] == [None, None]
    assert [alert.status for alert in read(group(status="resolved", alerts=[bare, bare])).alerts] == [R, R]


def test_grafana_unified_is_told_by_its_own_fields():
    body = group(orgId=1)
    body["alerts"][0]["valueString"] = "[ var='B' value=3 ]"
    found = read(body)
    assert found.vendor == "grafana"
    assert found.alerts[0].annotations["__value_string__"] == "[ var='B' value=3 ]"


@pytest.mark.parametrize("word", ["none", "unknown", "", "purple"])
def test_a_word_that_is_no_severity_stays_raw(word):
    body = group()
    body["alerts"][0]["labels"]["severity"] = word
    alert = one(body)
    assert alert.severity is None
    assert alert.raw_severity == (None if word in ("none", "") else word)


def test_the_component_that_measures_is_not_the_service():
    body = group()
    body["alerts"][0]["labels"] = {"alertname": "A", "service": "mon-kube-state-metrics", "job": "node-exporter"}
    assert one(body).service is None
    body["alerts"][0]["labels"]["deployment"] = "kiosk"
    assert one(body).service == "kiosk"


def test_a_fingerprint_is_computed_from_name_and_labels_alone():
    body = group()
    del body["alerts"][0]["fingerprint"]
    first = one(body).fingerprint
    body["alerts"][0]["labels"] = dict(reversed(body["alerts"][0]["labels"].items()))
    body["alerts"][0]["status"] = "resolved"
    assert one(body).fingerprint == first
    assert len(first) == 16
    body["alerts"][0]["labels"]["app"] = "other"
    assert one(body).fingerprint != first


def test_prometheus_alerts_come_bare_or_as_an_api_answer():
    alert = {
        "labels": {"alertname": "A"},
        "annotations": {"summary": "s"},
        "state": "firing",
        "activeAt": "2026-05-01T12:00:00Z",
    }
    for body in ([alert], {"status": "success", "data": {"alerts": [alert]}}, alert):
        found = read(body)
        assert (found.vendor, found.alerts[0].name, found.alerts[0].started_at) == ("prometheus", "A", T)


ALARM = {
    "AlarmName": "cpu high",
    "AlarmDescription": "too busy",
    "NewStateValue": "ALARM",
    "NewStateReason": "97 > 90",
    "StateChangeTime": "2026-05-01T12:00:00.000+0000",
    "Trigger": {"MetricName": "CPUUtilization", "Dimensions": [{"name": "ServiceName", "value": "kiosk"}]},
}
TOPIC = "arn:aws:sns:eu-north-1:000000000000:t"


def test_a_cloudwatch_alarm_is_found_in_an_envelope_bare_and_as_an_event():
    event = {
        "detail-type": "CloudWatch Alarm State Change",
        "detail": {"alarmName": "cpu high", "state": {"value": "ALARM", "timestamp": "2026-05-01T12:00:00.000+0000"}},
    }
    envelope = {"Type": "Notification", "TopicArn": TOPIC, "Message": json.dumps(ALARM)}
    for body in (ALARM, envelope, {"Message": ALARM}, event):
        found = read(body)
        assert (found.vendor, found.alerts[0].name) == ("aws-cloudwatch", "cpu high")
        assert (found.alerts[0].status, found.alerts[0].started_at) == (F, T)
    assert one(envelope).service == "kiosk"
    assert one(ALARM | {"NewStateValue": "OK"}).ended_at == T
    assert one(ALARM | {"NewStateValue": "INSUFFICIENT_DATA"}).status is None


def test_another_vendors_body_inside_sns_is_read_as_that_vendors():
    found = read({"Type": "Notification", "TopicArn": TOPIC, "Message": json.dumps(group())})
    assert found.vendor == "alertmanager"


def test_an_sns_message_in_prose_is_named_by_its_subject_only():
    envelope = {"Type": "Notification", "TopicArn": TOPIC, "Message": "{not json", "Subject": "backup late"}
    assert (one(envelope).name, one(envelope).status) == ("backup late", None)
    del envelope["Subject"]
    assert read(envelope).kind is PayloadKind.UNKNOWN


@pytest.mark.parametrize(
    "body",
    [
        {"Type": "SubscriptionConfirmation", "TopicArn": TOPIC, "SubscribeURL": "https://x"},
        {"event": {"event_type": "pagey.ping", "data": {}}},
        {"type": "url_verification", "challenge": "c"},
        [{"eventType": "Microsoft.EventGrid.SubscriptionValidationEvent", "data": {"validationCode": "1"}}],
        {"action": "created", "data": {"installation": {"uuid": "1"}}},
    ],
)
def test_a_handshake_is_no_alert(body):
    found = read(body)
    assert (found.kind, found.alerts) == (PayloadKind.HANDSHAKE, ())


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
]


@pytest.mark.parametrize(("vendor", "body", "name", "status", "severity", "service"), VENDORS)
def test_a_vendors_shape_is_recognised(vendor, body, name, status, severity, service):
    found = read(body)
    assert found.vendor == vendor
    alert = found.alerts[0]
    assert (alert.name, alert.status, alert.severity, alert.service) == (name, status, severity, service)
    assert alert.fingerprint


def test_a_teams_card_gives_one_alert_a_section():
    card = {
        "@type": "MessageCard",
        "title": "Alerts (Firing)",
        "sections": [
            {
                "activityTitle": "[disk is full](https://x)",
                "facts": [
                    {"name": "alertname", "value": "DiskFull"},
                    {"name": "severity", "value": "warning"},
                    {"name": "app", "value": "kiosk"},
                ],
            },
            {"activityTitle": "too slow", "facts": [{"name": "description", "value": "p95 is 3 s"}]},
        ],
    }
    first, second = read(card).alerts
    assert (first.name, first.status, first.severity, first.service) == ("DiskFull", F, Severity.WARNING, "kiosk")
    assert first.summary == "disk is full"
    assert (second.name, second.description) == ("too slow", "p95 is 3 s")


def test_an_adaptive_card_gives_its_title_and_facts():
    content = {
        "type": "AdaptiveCard",
        "body": [
            {"type": "TextBlock", "text": "[RESOLVED] DiskFull"},
            {
                "type": "Container",
                "items": [{"type": "FactSet", "facts": [{"title": "severity:", "value": "critical"}]}],
            },
        ],
    }
    alert = one({"type": "message", "attachments": [{"contentType": "c", "content": content}]})
    assert (alert.status, alert.severity) == (R, Severity.CRITICAL)


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ({"hello": 1, "world": 2}, ("hello", "world")),
        (
            {"title": "a list of things", "state": "open", "created_at": "2026-05-01T12:00:00Z"},
            ("title", "state", "created_at"),
        ),
        ({"name": "a-package", "version": "1"}, ("name", "version")),
        ({"alerts": []}, ("alerts",)),
        ([1, 2, 3], ("a list of 3",)),
        ([], ("a list of 0",)),
        ({}, ("an empty object",)),
        ("text", ("a single str",)),
        (None, ("a single NoneType",)),
    ],
)
def test_an_unknown_shape_is_never_guessed_at(body, seen):
    found = read(body)
    assert (found.kind, found.alerts, found.seen) == (PayloadKind.UNKNOWN, (), seen)


def test_too_many_alerts_are_refused_not_cut():
    with pytest.raises(UsageError, match="1,001 alerts"):
        read(group(alerts=group()["alerts"] * (MAX_ALERTS + 1)))


HOSTILE = [None, 0, True, "", "x", [], {}, [None], {"": None}, [[1, 2, 3]], {"labels": 3}]


@pytest.mark.parametrize("junk", HOSTILE)
@pytest.mark.parametrize("body", [entry[1] for entry in VENDORS] + [group(), {"Type": "Notification", "Message": "m"}])
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
