"""Amazon SNS envelopes, and CloudWatch alarms inside them, bare, or as EventBridge events.

Source: SNS "HTTP/HTTPS notification JSON format"; CloudWatch "Using Amazon CloudWatch alarms"; EventBridge events of
CloudWatch alarms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, PayloadKind
from rootproof.errors import UsageError
from rootproof.intake.document import read_json
from rootproof.intake.fields import dig, first_text, first_time, items, labels_of, make_alert, mapping, state_period
from rootproof.intake.words import word

_HANDSHAKES = frozenset({"SubscriptionConfirmation", "UnsubscribeConfirmation"})
_STATES = {"alarm": AlertStatus.FIRING, "ok": AlertStatus.RESOLVED}
_SUBJECT = re.compile(r'(ALARM|OK|INSUFFICIENT_DATA): "')


def read(body: Any, read_inner: Callable[[Any], NormalizedPayload]) -> NormalizedPayload | None:
    """The alarm, the handshake, or what `read_inner` makes of a message that another system sent through SNS."""
    if not isinstance(body, Mapping):
        return None
    if first_text(body, ("Type",)) in _HANDSHAKES and "TopicArn" in body:
        return NormalizedPayload(vendor="aws-sns", kind=PayloadKind.HANDSHAKE)
    if "AlarmName" in body:
        return _found(_alarm(body, body))
    if isinstance(body.get("detail"), Mapping) and "alarmName" in body["detail"]:
        return _found(_event(body, body["detail"]))
    if "Message" in body and ("TopicArn" in body or isinstance(body["Message"], Mapping)):
        return _from_envelope(body, read_inner)
    return None


def _from_envelope(
    envelope: Mapping[str, Any], read_inner: Callable[[Any], NormalizedPayload]
) -> NormalizedPayload | None:
    message = envelope["Message"]
    if isinstance(message, str) and message.lstrip()[:1] in ("{", "["):
        try:
            message = read_json(message, what="the Message of the SNS envelope")
        except UsageError:
            message = envelope["Message"]  # text that only begins like JSON
    if isinstance(message, Mapping) and "AlarmName" in message:
        return _found(_alarm(message, envelope))
    if isinstance(message, Mapping | list):
        inner = read_inner(message)
        if inner.kind is not PayloadKind.UNKNOWN:
            return inner
    subject = first_text(envelope, ("Subject",))
    if subject is None:
        return None
    alert = make_alert(
        name=subject,
        summary=subject,
        description=message if isinstance(message, str) else None,
        started_at=first_time(envelope, ("Timestamp",)),
        labels=labels_of({"topic_arn": envelope.get("TopicArn")}),
    )
    return NormalizedPayload(vendor="aws-sns", kind=PayloadKind.ALERT, alerts=(alert,))


def _found(alert: Alert) -> NormalizedPayload:
    return NormalizedPayload(vendor="aws-cloudwatch", kind=PayloadKind.ALERT, alerts=(alert,))


def _alarm(alarm: Mapping[str, Any], envelope: Mapping[str, Any]) -> Alert:
    trigger = {**alarm, **mapping(alarm.get("Trigger"))}
    dimensions = labels_of(trigger.get("Dimensions"))
    labels = {
        **dimensions,
        **labels_of(
            {
                "metric": trigger.get("MetricName"),
                "namespace": trigger.get("Namespace"),
                "statistic": trigger.get("Statistic"),
                "region": alarm.get("Region"),
                "account": alarm.get("AWSAccountId"),
            }
        ),
    }
    state = first_text(alarm, ("NewStateValue",))
    subject = first_text(envelope, ("Subject",)) or ""
    if state is None and (match := _SUBJECT.match(subject)):
        state = match[1]
    status = _STATES.get(word(state or ""))
    changed_at = first_time(alarm, ("StateChangeTime",)) or first_time(envelope, ("Timestamp",))
    started_at, ended_at = state_period(status, changed_at)
    return make_alert(
        name=first_text(alarm, ("AlarmName",)),
        status=status,
        raw_severity=first_text(alarm, ("Priority", "Severity")),
        summary=first_text(alarm, ("NewStateReason",)),
        description=first_text(alarm, ("AlarmDescription",)),
        started_at=started_at,
        ended_at=ended_at,
        labels=labels,
        annotations=labels_of({key: alarm.get(key) for key in ("NewStateReason", "OldStateValue", "NewStateValue")}),
        fingerprint=None,
    )


def _event(event: Mapping[str, Any], detail: Mapping[str, Any]) -> Alert:
    status = _STATES.get(word(first_text(detail, ("state.value",)) or ""))
    started_at, ended_at = state_period(
        status, first_time(detail, ("state.timestamp",)) or first_time(event, ("time",))
    )
    labels = labels_of({"region": event.get("region"), "account": event.get("account")})
    for metric in items(dig(detail, "configuration.metrics"))[:1]:
        stat = mapping(dig(metric, "metricStat.metric"))
        labels |= labels_of({"metric": stat.get("name"), "namespace": stat.get("namespace")})
        labels |= labels_of(stat.get("dimensions"))
    return make_alert(
        name=first_text(detail, ("alarmName",)),
        status=status,
        summary=first_text(detail, ("state.reason",)),
        description=first_text(detail, ("configuration.description",)),
        started_at=started_at,
        ended_at=ended_at,
        labels=labels,
    )
