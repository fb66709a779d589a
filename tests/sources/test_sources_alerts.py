"""Recorded alerts of the monitoring system."""

from __future__ import annotations

import asyncio
import json

import pytest

from rootproof.adapters.sources.bundle import open_bundle
from rootproof.errors import SourceGarbled, SourceUnavailable
from rootproof.ports.sources import AlertQuery

ALERTS = [
    {
        "labels": {"alertname": "Slow", "severity": "warning", "app": "kiosk"},
        "annotations": {"summary": "p95 high"},
        "state": "firing",
        "activeAt": "2026-05-01T13:00:00+02:00",
        "value": "2e+00",
    },
    {"labels": {"alertname": "Down"}, "annotations": {}, "state": "inactive", "activeAt": "0001-01-01T00:00:00Z"},
]


def ask(tmp_path, **changes):
    source = open_bundle(tmp_path).alerts
    return json.loads(asyncio.run(source.fetch(AlertQuery(**changes), deadline_s=20)))


def test_alerts_are_given_in_the_ports_shape(write, tmp_path):
    write("alerts.json", {"status": "success", "data": {"alerts": ALERTS}})
    found = ask(tmp_path)
    assert (found["success"], found["total"]) == (True, 2)
    slow, down = found["alerts"]
    assert slow == {
        "name": "Slow",
        "state": "firing",
        "severity": "warning",
        "labels": {"alertname": "Slow", "severity": "warning", "app": "kiosk"},
        "annotations": {"summary": "p95 high"},
        "activeAt": "2026-05-01T11:00:00Z",
        "value": "2e+00",
    }
    assert (down["severity"], down["activeAt"], down["value"]) == (None, None, None)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"state": "firing"}, ["Slow"]),
        ({"state": "inactive"}, ["Down"]),
        ({"contains": ("KIOSK",)}, ["Slow"]),
        ({"contains": ("p95", "down")}, ["Slow", "Down"]),
        ({"contains": ("nothing",)}, []),
        ({"limit": 1}, ["Slow"]),
    ],
)
def test_alerts_are_filtered(write, tmp_path, changes, names):
    write("alerts.json", ALERTS)
    assert [alert["name"] for alert in ask(tmp_path, **changes)["alerts"]] == names


def test_an_answer_of_the_rules_endpoint_is_read_too(write, tmp_path):
    rules = [
        {"type": "alerting", "name": "Slow", "state": "firing", "alerts": [ALERTS[0]]},
        {"type": "alerting", "name": "Quiet", "state": "inactive", "labels": {"severity": "info"}, "alerts": []},
        {"type": "recording", "name": "r"},
    ]
    write("alerts.json", {"status": "success", "data": {"groups": [{"rules": rules}]}})
    found = ask(tmp_path)["alerts"]
    assert [(alert["name"], alert["state"], alert["severity"]) for alert in found] == [
        ("Slow", "firing", "warning"),
        ("Quiet", "inactive", "info"),
    ]


@pytest.mark.parametrize("content", ["{", {"status": "success", "data": {}}, [1], [{"labels": []}], "null"])
def test_garbage_is_called_garbage_at_query_time(write, tmp_path, content):
    write("alerts.json", content)
    with pytest.raises(SourceGarbled, match=r"alerts\.json"):
        ask(tmp_path)


def test_a_recorded_error_is_the_systems_answer(write, tmp_path):
    write("alerts.json", {"status": "error", "errorType": "unavailable", "error": "starting up"})
    with pytest.raises(SourceUnavailable, match="starting up"):
        ask(tmp_path)
