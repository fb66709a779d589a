"""Webhook bodies as the monitoring systems send them, made up for these tests."""

from __future__ import annotations

import json
import zlib
from typing import Any


def as_bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def alertmanager(
    *names: str, status: str = "firing", group: str = "orders", severity: str = "critical", **labels: str
) -> dict[str, Any]:
    """A group of alerts, one a name."""
    return {
        "version": "4",
        "receiver": "rootproof",
        "status": status,
        "groupKey": f'{{}}:{{team="{group}"}}',
        "groupLabels": {"team": group},
        "commonLabels": {"team": group},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example:9093",
        "alerts": [
            {
                "status": status,
                "labels": {"alertname": name, "team": group, "severity": severity, "service": "order-intake", **labels},
                "annotations": {"summary": f"{name} on order-intake"},
                "startsAt": "2026-03-04T05:00:00Z",
                "endsAt": "2026-03-04T05:30:00Z" if status == "resolved" else "0001-01-01T00:00:00Z",
                "generatorURL": "http://prometheus.example/graph",
                "fingerprint": f"{zlib.crc32((name + group).encode()):016x}",
            }
            for name in names or ("OrderErrors",)
        ],
    }


def grafana(status: str = "firing") -> dict[str, Any]:
    return {
        "receiver": "rootproof",
        "status": status,
        "orgId": 1,
        "alerts": [
            {
                "status": status,
                "labels": {"alertname": "QueueDepth", "service": "billing", "severity": "warning"},
                "annotations": {"summary": "queue is 9,000 deep"},
                "startsAt": "2026-03-04T05:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": "a1b2c3d4e5f60718",
                "dashboardURL": "",
                "panelURL": "",
                "silenceURL": "",
                "values": {"B": 9000},
            }
        ],
        "groupKey": '{}/{}:{alertname="QueueDepth"}',
        "version": "1",
        "title": "[FIRING:1] QueueDepth",
        "state": "alerting",
    }


def pagerduty(event: str = "incident.triggered", incident: str = "Q2K78SNJ5U1VE1") -> dict[str, Any]:
    return {
        "event": {
            "id": "01E5HWQTOJUBQVQLZGJZXQ3NK7",
            "event_type": event,
            "resource_type": "incident",
            "occurred_at": "2026-03-04T05:00:00.000Z",
            "data": {
                "id": incident,
                "type": "incident",
                "number": 42,
                "status": "resolved" if event.endswith("resolved") else "triggered",
                "title": "Checkout is slow",
                "created_at": "2026-03-04T05:00:00Z",
                "service": {"id": "PSVC", "summary": "checkout", "type": "service_reference"},
                "urgency": "high",
            },
        }
    }


def sentry() -> dict[str, Any]:
    return {
        "action": "created",
        "installation": {"uuid": "a8e5d37a"},
        "actor": {"type": "application", "id": "sentry", "name": "Sentry"},
        "data": {
            "issue": {
                "id": "4711",
                "title": "KeyError: 'total'",
                "level": "error",
                "status": "unresolved",
                "culprit": "cart.views.total",
                "firstSeen": "2026-03-04T05:00:00Z",
                "project": {"slug": "cart", "name": "cart", "id": "1"},
            }
        },
    }


def datadog() -> dict[str, Any]:
    return {
        "alert_id": "778899",
        "alert_title": "[Triggered] p99 latency of search",
        "alert_transition": "Triggered",
        "alert_type": "error",
        "body": "p99 above 2 s",
        "date": "1772600400000",
        "event_type": "query_alert_monitor",
        "hostname": "search-1",
        "id": "1234567890",
        "org": {"id": "1", "name": "shop"},
        "tags": "service:search,env:live",
        "title": "[Triggered] p99 latency of search",
    }


def opsgenie(action: str = "Create") -> dict[str, Any]:
    return {
        "source": {"name": "", "type": "system"},
        "alert": {
            "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c",
            "message": "Replication lag of orders-db",
            "alias": "orders-db-lag",
            "priority": "P1",
            "tags": ["service:orders-db"],
            "createdAt": 1772600400000,
            "description": "lag is 900 s",
            "entity": "orders-db",
        },
        "action": action,
        "integrationName": "rootproof",
    }


def generic(**fields: Any) -> dict[str, Any]:
    return {"alertname": "DiskFull", "status": "firing", "severity": "critical", "service": "metrics-store", **fields}


def cloudwatch_alarm(state: str = "ALARM") -> dict[str, Any]:
    return {
        "AlarmName": "orders-5xx",
        "AlarmDescription": "5xx of the orders load balancer",
        "AWSAccountId": "123456789012",
        "NewStateValue": state,
        "OldStateValue": "OK",
        "NewStateReason": "Threshold crossed",
        "StateChangeTime": "2026-03-04T05:00:00.000+0000",
        "Region": "EU (Ireland)",
        "Trigger": {
            "MetricName": "HTTPCode_ELB_5XX_Count",
            "Namespace": "AWS/ApplicationELB",
            "Statistic": "SUM",
            "Dimensions": [{"name": "LoadBalancer", "value": "app/orders/1"}],
        },
    }


def sns(message: str, topic: str = "arn:aws:sns:eu-west-1:123456789012:alarms", **fields: str) -> dict[str, str]:
    """A notification without a signature that holds."""
    return {
        "Type": "Notification",
        "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
        "TopicArn": topic,
        "Message": message,
        "Timestamp": "2026-03-04T05:06:00.000Z",
        "SignatureVersion": "2",
        "Signature": "AAAA",
        "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0001.pem",
        **fields,
    }
