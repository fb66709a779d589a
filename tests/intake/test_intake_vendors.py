"""Each vendor's payload shape, in our own words: what is stated is kept, what is not stated stays None."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from rootproof.domain.alert import AlertStatus, PayloadKind, Severity
from rootproof.errors import UsageError
from rootproof.intake.normalize import MAX_ALERTS, alert_from_fields, normalize

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


def test_an_alert_can_be_given_by_its_fields():
    alert = alert_from_fields(
        {"alertname": "Slow", "severity": "page", "labels": {"app": "kiosk"}, "annotations": {"summary": "p95 is 3 s"}}
    )
    assert (alert.name, alert.severity, alert.service, alert.summary) == (
        "Slow",
        Severity.CRITICAL,
        "kiosk",
        "p95 is 3 s",
    )
    assert alert.annotations == {"summary": "p95 is 3 s"}
    ours = {
        "name": "Slow",
        "severity": "critical",
        "rawSeverity": "page",
        "startedAt": "2026-05-01T12:00:00Z",
        "status": "firing",
    }
    assert (alert_from_fields(ours).raw_severity, alert_from_fields(ours).started_at) == ("page", T)
    assert alert_from_fields(group()).name == "DiskFull"


def test_fields_without_a_name_give_an_alert_without_one():
    alert = alert_from_fields({"summary": "p95 is 3 s", "labels": {}})
    assert (alert.name, alert.summary) == ("", "p95 is 3 s")


@pytest.mark.parametrize("fields", [None, [], "Slow", 3])
def test_fields_are_an_object(fields):
    with pytest.raises(UsageError, match="an object of fields"):
        alert_from_fields(fields)


def test_a_ping_of_pagerduty_and_changes_of_services_are_no_incidents():
    body = {"event": {"event_type": "service.updated", "data": {"id": "P", "type": "service", "summary": "Kiosk"}}}
    assert read(body).kind is PayloadKind.UNKNOWN
