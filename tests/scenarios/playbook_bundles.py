"""Small bundles of our own, written to a folder, and the real command line over them. No names of any real system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rootproof.entrypoints.cli.main import main

NOW = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
POD = "heron-5d8f7c9b44-x2k8p"
OTHER = "heron-5d8f7c9b44-m4q9z"


def ago(minutes: float) -> str:
    """The instant `minutes` before now."""
    return (NOW - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def rising(first: float, last: float, points: int = 20) -> list[float]:
    """A quiet start and then a climb."""
    quiet = points // 4
    step = (last - first) / (points - quiet - 1)
    return [first] * quiet + [round(first + step * i, 3) for i in range(points - quiet)]


def steady(value: float, points: int = 20) -> list[float]:
    """A level with a little noise."""
    return [round(value * (1 + 0.02 * ((i % 3) - 1)), 3) for i in range(points)]


class Bundle:
    """A folder under construction."""

    def __init__(self, root: Path, question: str = "") -> None:
        self.root = root / "bundle"
        (self.root / "logs").mkdir(parents=True)
        head = f'now = "{NOW:%Y-%m-%dT%H:%M:%SZ}"\ntimezone = "UTC"\n'
        self._write("bundle.toml", head + (f"question = {json.dumps(question)}\n" if question else ""))
        self._series: list[dict[str, Any]] = []
        self._pods: list[dict[str, Any]] = []

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _line(self, file: str, record: dict[str, Any]) -> Bundle:
        path = self.root / "logs" / file
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(before + json.dumps(record) + "\n", encoding="utf-8")
        return self

    def alert(self, name: str, summary: str, severity: str = "critical", **labels: str) -> Bundle:
        """The alert that starts the run."""
        marks = {"alertname": name, "severity": severity, **labels}
        one = {
            "status": "firing", "labels": marks, "annotations": {"summary": summary}, "startsAt": ago(2),
            "endsAt": "0001-01-01T00:00:00Z",
        }  # fmt: skip
        payload = {
            "version": "4", "status": "firing", "receiver": "r", "groupLabels": {"alertname": name},
            "commonLabels": marks, "commonAnnotations": {"summary": summary}, "externalURL": "", "alerts": [one],
        }  # fmt: skip
        self._write("alert.json", json.dumps(payload))
        return self

    def metric(self, name: str, instance: str, values: Sequence[float], unit: str = "Count") -> Bundle:
        """A series with one point a minute up to now."""
        points = [
            [(NOW - timedelta(minutes=len(values) - 1 - i)).timestamp(), str(value)] for i, value in enumerate(values)
        ]
        labels = {"__name__": name, "unit": unit, "DBInstanceIdentifier": instance}
        self._series.append({"metric": labels, "values": points})
        body = {"status": "success", "data": {"resultType": "matrix", "result": self._series}}
        self._write("metrics/all.json", json.dumps(body))
        return self

    def log(self, service: str, message: str, level: str = "ERROR", minutes: float = 1) -> Bundle:
        """An application's line."""
        return self._line(
            "application.jsonl", {"timestamp": ago(minutes), "level": level, "service": service, "message": message}
        )

    def event(self, message: str, service: str = "db-events", level: str = "INFO", minutes: float = 2) -> Bundle:
        """A line of an event feed."""
        return self._line(
            "system-events.jsonl", {"timestamp": ago(minutes), "level": level, "service": service, "message": message}
        )

    def pod_event(self, reason: str, message: str, pod: str = POD, minutes: float = 2, first: float = 12) -> Bundle:
        """A Kubernetes warning about a pod."""
        return self.event(
            f"{reason} Pod/{pod} (x9, first {ago(first)}): {message}", "kubernetes-events", "WARN", minutes
        )

    def sql(self, instance: str, load: float, waits: str, statement: str) -> Bundle:
        """A line of a database activity sampler."""
        message = f"top SQL by load {load} AAS, 12.0 calls/s, waits {waits}: {statement}"
        return self._line(
            "database-slow-query.jsonl",
            {"timestamp": ago(1), "level": "INFO", "service": instance, "message": message},
        )

    def pod(
        self,
        name: str = POD,
        *,
        ready: bool = True,
        restarts: int = 0,
        phase: str = "Running",
        state: dict[str, Any] | None = None,
        last: dict[str, Any] | None = None,
        scheduled: str = "",
        node: str = "fen-1",
    ) -> Bundle:
        """A pod; `state` is its container's, `last` the end of the container before it."""
        container: dict[str, Any] = {
            "name": "main", "ready": ready, "restart_count": restarts,
            "state": state or {"running": True, "started_at": ago(300)},
        }  # fmt: skip
        if last:
            container["last_state"] = last
        conditions = [
            {"type": "Ready", "status": "True" if ready else "False", "reason": "", "message": ""},
            {
                "type": "PodScheduled", "status": "False" if scheduled else "True",
                "reason": "Unschedulable" if scheduled else "", "message": scheduled,
            },
        ]  # fmt: skip
        self._pods.append(
            {
                "name": name, "namespace": "shop", "phase": phase, "node_name": "" if scheduled else node,
                "start_time": ago(300), "containers": [container], "conditions": conditions,
            }
        )  # fmt: skip
        self._write("cluster/pods.json", json.dumps(self._pods))
        return self

    def nodes(self, **ready: bool) -> Bundle:
        """Nodes by name; Ready or not."""
        body = [
            {
                "name": name.replace("_", "-"), "internal_ip": "10.0.0.9", "ready": "True" if well else "False",
                "memory_pressure": "False", "disk_pressure": "False", "pid_pressure": "False", "capacity_cpu": "4",
                "capacity_memory": "16276604Ki", "allocatable_cpu": "3920m", "allocatable_memory": "15321276Ki",
            }
            for name, well in (ready or {"fen_1": True}).items()
        ]  # fmt: skip
        self._write("cluster/nodes.json", json.dumps(body))
        return self

    def monitor(self, name: str, state: str, summary: str, **labels: str) -> Bundle:
        """An alert as the monitoring system sees it."""
        path = self.root / "alerts.json"
        alerts = json.loads(path.read_text())["data"]["alerts"] if path.exists() else []
        alerts.append({"labels": {"alertname": name, **labels}, "annotations": {"summary": summary}, "state": state})
        self._write("alerts.json", json.dumps({"status": "success", "data": {"alerts": alerts}}))
        return self

    def calls(self, *pairs: tuple[str, str]) -> Bundle:
        """Who calls whom."""
        self._write("topology.json", json.dumps({"calls": [list(pair) for pair in pairs]}))
        return self

    def change(self, name: str, kind: str, summary: str, minutes: float) -> Bundle:
        """A recorded change."""
        self._write(
            "changes.json", json.dumps([{"time": ago(minutes), "kind": kind, "object": name, "summary": summary}])
        )
        return self

    def command(self, line: str, output: str) -> Bundle:
        """A recorded command and its output."""
        path = self.root / "cluster" / "commands.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        self._write("cluster/commands.json", json.dumps({**known, line: output}))
        return self

    def drop(self, name: str) -> Bundle:
        """Remove one file again."""
        (self.root / name).unlink()
        return self


def diagnose(bundle: Bundle, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The report of `rootproof diagnose --bundle` over the folder."""
    home = bundle.root.parent / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    capsys.readouterr()
    code = main(["diagnose", "--bundle", str(bundle.root), "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    report: dict[str, Any] = json.loads(out)["report"]
    return report


def causes(report: dict[str, Any]) -> list[str]:
    """The ids of the root causes, in order."""
    return [cause["causeId"] for cause in report["rootCauses"]]


def bad_claims(report: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Claims that the checks did not let stand."""
    return [
        (claim["verdict"], claim["text"], claim["reasons"][:2])
        for claim in report["claims"]
        if claim["verdict"] not in ("SUPPORTED", "NOT_CHECKABLE")
    ]
