"""The shipped scenarios hold what the demo tells: a fault with a red herring, and a false alarm that is over."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime

import pytest

from rootproof.adapters.sources.bundle import open_bundle
from rootproof.domain.window import TimeWindow
from rootproof.errors import UsageError
from rootproof.ports.sources import AlertQuery, ClusterQuery, LogQuery, MetricQuery
from rootproof.scenarios import scenario_names, scenario_path


def fetch(source, query):
    return json.loads(asyncio.run(source.fetch(query, deadline_s=30)))


def logs(bundle, minutes=60, topic="application-logs", **filters):
    window = TimeWindow.lookback(bundle.now, minutes)
    return fetch(bundle.logs, LogQuery(topic=topic, region="r", window=window, limit=10_000, **filters))


def series(bundle, *words):
    found = fetch(bundle.metrics, MetricQuery(window=TimeWindow.lookback(bundle.now, 60), contains=words))["series"]
    assert len(found) == 1, [entry["name"] for entry in found]
    return [value for _, value in found[0]["values"]]


@pytest.fixture
def leak():
    return open_bundle(scenario_path("order-pool-leak"), kind="MOCK")


@pytest.fixture
def flap():
    return open_bundle(scenario_path("node-flap-recovered"), kind="MOCK")


def test_the_names_are_those_of_the_folders():
    assert scenario_names() == ("node-flap-recovered", "order-pool-leak")
    with pytest.raises(UsageError, match="node-flap-recovered, order-pool-leak"):
        scenario_path("../rootproof")


@pytest.mark.parametrize("name", scenario_names())
def test_a_scenario_has_all_sources_and_no_remarks(name):
    bundle = open_bundle(scenario_path(name))
    assert all((bundle.logs, bundle.metrics, bundle.alerts, bundle.cluster, bundle.knowledge_dir))
    assert (len(bundle.payload), bundle.notes) == (1, ())
    assert bundle.payload[0].service
    assert logs(bundle)["total"] > 50


def test_the_pool_saturates_under_flat_traffic_after_the_deploy(leak):
    active, ceiling = series(leak, "connections_active"), series(leak, "connections_max")
    assert (active[0], active[-1], ceiling[-1]) == (20, 120, 120)
    assert series(leak, "connections_pending")[-1] > 100
    assert series(leak, "connections_pending")[0] == 0
    assert max(series(leak, "threads_running")) < 12
    assert series(leak, "threads_connected")[-1] / series(leak, "max_connections")[-1] > 0.95
    traffic = series(leak, "requests_per_second")
    assert max(traffic) / min(traffic) < 1.15
    changes = fetch(leak.cluster, ClusterQuery(view="changes"))["changes"]
    deployed = [datetime.fromisoformat(change["time"]) for change in changes if change["kind"] == "deploy"]
    first = logs(leak, contains="Connection is not available")["logs"][0]["timestamp"]
    assert deployed[-1] < datetime.fromisoformat(first) < leak.payload[0].started_at
    assert logs(leak, contains="connection leak detection triggered")["total"] > 3


def test_the_red_herring_is_louder_and_older(leak):
    herring = logs(leak, minutes=180, level="ERROR", services=("ledger-export",))
    fault = logs(leak, minutes=180, level="ERROR", services=("order-intake",))
    assert herring["total"] > 3 * fault["total"] > 0
    assert herring["logs"][0]["timestamp"] < "2026-05-12T13:00" < fault["logs"][0]["timestamp"]
    topology = fetch(leak.cluster, ClusterQuery(view="topology"))["topology"]["calls"]
    assert not any("ledger-export" in call and "order-intake" in call for call in topology)


def test_the_false_alarm_is_over(flap):
    assert {alert["state"] for alert in fetch(flap.alerts, AlertQuery())["alerts"]} == {"inactive"}
    objects = fetch(flap.cluster, ClusterQuery(view="overview"))["objects"]
    assert all(node["ready"] == "True" for node in objects["nodes"])
    assert all(container["ready"] for pod in objects["pods"] for container in pod["containers"])
    assert logs(flap, level="WARN")["total"] == 0
    assert series(flap, "replicas_ready")[-1] == 3
    events = logs(flap, topic="system-events")["logs"]
    assert "NodeNotReady" in events[0]["message"]
    assert "ready again" in events[-1]["message"]


@pytest.mark.parametrize("name", scenario_names())
def test_every_time_is_before_the_scenarios_now(name):
    root = scenario_path(name)
    now = open_bundle(root).now
    text = "\n".join(path.read_text() for path in root.rglob("*") if path.is_file())
    stamps = re.findall(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)
    epochs = [datetime.fromtimestamp(float(found), UTC) for found in re.findall(r"\[(1[78]\d{8}\.0), ", text)]
    assert epochs
    assert max([*map(datetime.fromisoformat, stamps), *epochs]) <= now


@pytest.mark.parametrize("name", scenario_names())
def test_planted_credentials_are_plainly_fake(name):
    text = "\n".join(path.read_text() for path in scenario_path(name).rglob("*.*") if path.is_file())
    assert "not-a-real-password" in text
    assert re.search(r"[\w.]+@[\w.]+\.example", text)
    for host in re.findall(r"https?://([^/\s\"]+)", text):
        assert host.endswith(".example")
