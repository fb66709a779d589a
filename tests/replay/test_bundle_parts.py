"""What several calls of a run gave becomes one bundle: nothing twice, nothing lost, nothing over the bound."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rootproof.adapters.memory.scripted_model import calls
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.diagnosis import bundle_parts, export_bundle
from rootproof.diagnosis.export_bundle import ExportedBundle
from rootproof.domain.alert import Alert, AlertStatus, Severity
from rootproof.domain.window import TimeWindow
from rootproof.ports.sources import AlertQuery, ClusterQuery, LogQuery, MetricQuery, Sources
from tests.fakes.driving import NOW, World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

WINDOW = TimeWindow(NOW - timedelta(days=3650), NOW + timedelta(days=1))


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def records(*messages: str, **more: Any) -> dict[str, Any]:
    return {"success": True, "logs": [log(message, **more) for message in messages]}


async def read_logs(folder: Path, topic: str = "application-logs") -> list[dict[str, Any]]:
    source = open_bundle(folder).logs
    assert source is not None
    answer = json.loads(await source.fetch(LogQuery(topic, "default", WINDOW, 1_000), deadline_s=30))
    found: list[dict[str, Any]] = answer["logs"]
    return found


async def test_records_of_overlapping_answers_are_kept_once_and_those_twice_in_one_answer_twice(tmp_path: Path) -> None:
    raws = [records("a", "a", "b"), records("a", "b", "c")]
    lines = bundle_parts.log_lines(raws)
    write(tmp_path, {bundle_parts.log_file("APPLICATION"): "\n".join(lines)})
    assert sorted(record["message"] for record in await read_logs(tmp_path)) == ["a", "a", "b", "c"]


async def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    raw: dict[str, Any] = {
        "success": True,
        "logs": [
            log("2026-01-01 ERROR looks like a line\nwith a second", instance="heron-1", metrics={"duration_ms": 31.5}),
            log('{"msg": "inner", "level": "debug"}', "WARN", at="2026-05-04T10:00:01.250Z"),
            log("no time", at=None) | {"level": None},
        ],
    }
    write(tmp_path, {"logs/application.jsonl": "\n".join(bundle_parts.log_lines([raw]))})
    fields = ("timestamp", "level", "service", "instance", "message", "metrics")
    got = [{name: record[name] for name in fields} for record in await read_logs(tmp_path)]
    assert got == [{name: record[name] for name in fields} for record in raw["logs"]]


@pytest.mark.parametrize(
    ("topic", "asked"),
    [("SYSTEM_EVENTS", "system-events"), ("DATABASE_SLOW_QUERY", "database-slow-query")],
)
async def test_the_file_of_a_topic_is_read_as_that_topic(tmp_path: Path, topic: str, asked: str) -> None:
    write(tmp_path, {bundle_parts.log_file(topic): "\n".join(bundle_parts.log_lines([records("x")]))})
    assert [record["message"] for record in await read_logs(tmp_path, asked)] == ["x"]


async def test_series_of_two_windows_are_joined_and_gaps_stay_as_many(tmp_path: Path) -> None:
    labels = {"app": "heron"}
    raws: list[dict[str, Any]] = [
        {"series": [{"name": "busy", "labels": labels, "unit": None, "values": [[10, 1], [20, 2]], "skipped": 2}]},
        {"series": [{"name": "busy", "labels": labels, "unit": None, "values": [[20, 2], [30, 3.5]]}]},
        {"series": [{"name": "busy", "labels": {"app": "other"}, "unit": None, "values": [[20, 9]]}]},
    ]
    source = open_bundle(write(tmp_path, bundle_parts.metrics(raws))).metrics
    assert source is not None
    window = TimeWindow(datetime.fromtimestamp(0, UTC), datetime.fromtimestamp(100, UTC))
    answer = json.loads(await source.fetch(MetricQuery(window), deadline_s=30))
    heron, other = answer["series"]
    assert (heron["labels"], heron["values"], heron["skipped"]) == (labels, [[10.0, 1.0], [20.0, 2.0], [30.0, 3.5]], 2)
    assert other["values"] == [[20.0, 9.0]]


async def test_alerts_of_two_answers_are_joined(tmp_path: Path) -> None:
    one = {"name": "Slow", "state": "firing", "severity": "critical", "labels": {"app": "x"}, "annotations": {"s": "t"},
           "activeAt": "2026-05-04T10:00:00Z", "value": "3"}  # fmt: skip
    files = bundle_parts.alerts([{"alerts": [one]}, {"alerts": [one, one | {"name": "Idle", "state": "inactive"}]}])
    source = open_bundle(write(tmp_path, files)).alerts
    assert source is not None
    found = json.loads(await source.fetch(AlertQuery(), deadline_s=30))["alerts"]
    assert [(item["name"], item["state"], item["severity"], item["value"]) for item in found] == [
        ("Slow", "firing", "critical", "3"),
        ("Idle", "inactive", "critical", "3"),
    ]


async def test_the_parts_of_a_cluster_are_put_together(tmp_path: Path) -> None:
    raws = [
        {"outputs": [{"command": "kubectl get pods", "text": "NAME\na"}], "objects": {"pods": [{"name": "a"}]}},
        {
            "outputs": [
                {"command": "kubectl get pods", "text": "NAME\na"},
                {"command": "kubectl get nodes", "text": "n"},
            ],
            "objects": {"pods": [{"name": "a"}, {"name": "b"}]},
            "manifests": [{"file": "manifests/../../etc/x.yaml", "text": "kind: Pod"}],
            "topology": {"calls": [["a", "b"]]},
            "changes": [{"time": "2026-05-04T10:00:00Z", "kind": "deploy", "object": "a", "summary": "s"}],
        },
    ]
    files = bundle_parts.cluster(raws)
    assert set(files) == {"cluster/commands.json", "cluster/pods.json", "manifests/x.yaml", "topology.json",
                          "changes.json"}  # fmt: skip
    source = open_bundle(write(tmp_path, files)).cluster
    assert source is not None
    answer = json.loads(await source.fetch(ClusterQuery("overview"), deadline_s=30))
    assert [item["command"] for item in answer["outputs"]] == ["kubectl get pods", "kubectl get nodes"]
    assert [item["name"] for item in answer["objects"]["pods"]] == ["a", "b"]
    assert answer["topology"] == raws[1]["topology"]
    assert answer["changes"] == raws[1]["changes"]


def test_manifests_of_one_name_in_two_folders_are_both_kept() -> None:
    one, two = ({"file": f"manifests/{name}/deploy.yaml", "text": f"kind: Pod # {name}"} for name in ("heron", "lark"))
    files = bundle_parts.cluster([{"manifests": [one]}, {"manifests": [one, two]}])
    assert files == {"manifests/deploy.yaml": one["text"], "manifests/deploy-2.yaml": two["text"]}


def test_a_document_is_one_file_with_its_sections_in_their_order() -> None:
    block = {"source": "pools.md", "documentId": "../pools.md", "title": "Pools", "score": 1.0}
    late = block | {"breadcrumb": "Pools > Later", "content": "second", "lineStart": 20}
    early = block | {"breadcrumb": "Pools > First", "content": "first", "lineStart": 3}
    files = bundle_parts.knowledge([{"evidenceBlocks": [late]}, {"evidenceBlocks": [early, late]}])
    assert list(files) == ["knowledge/01-pools.md"]
    assert files["knowledge/01-pools.md"] == "# Pools\n\n## First\n\nfirst\n\n## Later\n\nsecond\n"


def test_what_is_over_the_bound_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_bundle, "MAX_BYTES", 100)
    bundle = ExportedBundle()
    bundle.add("a.json", "x" * 60)
    bundle.add("b.json", "x" * 60)
    bundle.add_lines("logs/application.jsonl", [f"line {number:04}" for number in range(30)])
    assert list(bundle.files) == ["a.json", "logs/application.jsonl"]
    assert bundle.files["logs/application.jsonl"].splitlines() == [f"line 00{n}" for n in range(26, 30)]
    assert sum(len(text) for text in bundle.files.values()) == bundle.size_bytes <= 100
    assert [note.partition(":")[0] for note in bundle.notes] == ["b.json", "logs/application.jsonl"]
    assert "26 of 30" in bundle.notes[1]


async def test_the_alert_and_the_head_come_back_as_they_were(tmp_path: Path) -> None:
    alert = Alert(
        "HeronSlow", AlertStatus.FIRING, Severity.WARNING, "warning", "heron", "slow on 10.2.3.4", "it is \"slow\"\x7f",
        NOW, None, {"team": "birds", "pod": "heron-5d8f7c9b44-x2k8p"}, {"link": "r.md"}, "f1",
    )  # fmt: skip
    model = scripted([calls(("query_logs", {"topic": "APPLICATION"})), report(claim("slow", "E3"))])
    world = World(model, Sources(logs=FakeLogs([log("x")]), payload=(alert,)))
    rows = await world.diagnose('why is "heron" slow\\?\x7f\nnow')
    exported = await export_bundle.export_bundle(world.services, rows)
    found = open_bundle(write(tmp_path, exported.files))
    (back,) = found.payload
    for name in ("name", "status", "severity", "service", "summary", "started_at", "ended_at", "fingerprint"):
        assert getattr(back, name) == getattr(alert, name), name
    assert {"team": "birds", "pod": "heron-5d8f7c9b44-x2k8p"}.items() <= dict(back.labels).items()
    assert found.now == NOW
    assert found.question == rows.run.question
    assert found.notes == ()
