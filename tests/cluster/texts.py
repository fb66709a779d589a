"""Small recorded outputs of a made-up cluster (an observatory's services), in kubectl's own layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rootproof.cluster.facts import ClusterFact, Focus, facts
from rootproof.cluster.read import read
from rootproof.cluster.state import ClusterState

NOW = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
NAMESPACE = "skywatch"


def raw(
    commands: Mapping[str, str] | None = None,
    *,
    objects: Mapping[str, Any] | None = None,
    manifests: Sequence[str] = (),
    calls: Sequence[tuple[str, str]] = (),
    changes: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The raw answer of a cluster source."""
    return {
        "success": True,
        "outputs": [{"command": command, "text": text} for command, text in (commands or {}).items()],
        "objects": dict(objects or {}),
        "manifests": [{"file": f"{index}.yaml", "text": text} for index, text in enumerate(manifests)],
        "topology": {"calls": [list(call) for call in calls]} if calls else None,
        "changes": [dict(change) for change in changes],
    }


def state_of(commands: Mapping[str, str], **more: Any) -> ClusterState:
    """The state that the commands record."""
    return read(raw(commands, **more))


def facts_of(commands: Mapping[str, str], *, focus: Focus | None = None, **more: Any) -> list[ClusterFact]:
    """The facts that the commands lead to."""
    return facts(state_of(commands, **more), now=NOW, focus=focus)


def current(found: Sequence[ClusterFact]) -> list[ClusterFact]:
    """What is wrong now."""
    return [item for item in found if item.abnormal and item.current]


def named(found: Sequence[ClusterFact], reason: str) -> ClusterFact:
    """The one fact with that reason; fails with what there is instead."""
    matching = [item for item in found if item.reason == reason]
    assert matching, f"no {reason!r} among {[(item.reason, item.text) for item in found]}"
    return matching[0]


def table(header: str, *rows: str) -> str:
    """A table whose cells are parted by `|`, aligned as kubectl does."""
    cells = [[cell.strip() for cell in line.split("|")] for line in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


POD_HEADER = "NAME | READY | STATUS | RESTARTS | AGE | IP | NODE | NOMINATED NODE | READINESS GATES"


def pod_row(
    name: str, *, ready: str = "1/1", status: str = "Running", restarts: str = "0", node: str = "dome-1"
) -> str:
    """A row of `get pods -o wide`."""
    return f"{name} | {ready} | {status} | {restarts} | 40m | 10.9.0.7 | {node} | <none> | <none>"


def pods(*rows: str) -> dict[str, str]:
    """The complete list of the namespace's pods."""
    return {f"kubectl get pods -n {NAMESPACE} -o wide": table(POD_HEADER, *rows)}


def events_table(*rows: str) -> str:
    """The events below a description: `Type | Reason | Age | Message`."""
    if not rows:
        return "Events:  <none>"
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    lines = [f"  {kind:<7}  {reason:<24}  {age:<22}  kubelet  {text}" for kind, reason, age, text in cells]
    head = [
        f"  {'Type':<7}  {'Reason':<24}  {'Age':<22}  From     Message",
        f"  {'-' * 4:<7}  {'-' * 6:<24}  {'-' * 4:<22}  ----     -------",
    ]
    return "\n".join(["Events:", *head, *lines])


def describe_pod(
    name: str,
    *,
    app: str,
    status: str = "Running",
    node: str = "dome-1/10.0.0.4",
    ready: bool = True,
    restarts: int = 0,
    state: str = "    State:          Running\n      Started:      Sun, 04 May 2031 11:20:00 +0000",
    last_state: str = "",
    body: str = "",
    tail: str = "",
    events: Sequence[str] = (),
    age: str = "Sun, 04 May 2031 11:20:00 +0000",
    port: str = "7400/TCP",
) -> str:
    """A `describe pod` text of a pod with one container `main`."""
    lines = [
        f"Name:             {name}",
        f"Namespace:        {NAMESPACE}",
        "Priority:         0",
        "Service Account:  default",
        f"Node:             {node}",
        f"Start Time:       {age}",
        f"Labels:           app={app}",
        "                  pod-template-hash=7d9f8c6b5d",
        "Annotations:      <none>",
        f"Status:           {status}",
        "IP:               10.9.0.7",
        f"Controlled By:    ReplicaSet/{name.rsplit('-', 1)[0]}",
        "Containers:",
        "  main:",
        "    Container ID:   containerd://0",
        f"    Image:          registry.example/{app}:1.0",
        f"    Port:           {port}",
        state,
        last_state,
        f"    Ready:          {ready}",
        f"    Restart Count:  {restarts}",
        body,
        "    Environment:    <none>" if "Environment:" not in body else "",
        "Conditions:",
        "  Type           Status",
        f"  Ready          {ready}",
        tail,
        events_table(*events),
    ]
    return "\n".join(line for line in lines if line)


def describe(name: str, **more: Any) -> dict[str, str]:
    """The command and the text of `describe pod`."""
    return {f"kubectl describe pod {name} -n {NAMESPACE}": describe_pod(name, **more)}


def describe_service(
    name: str, *, selector: str, port: str, target: str, endpoints: str, port_name: str = "api"
) -> str:
    """A `describe service` text."""
    return "\n".join(
        [
            f"Name:              {name}",
            f"Namespace:         {NAMESPACE}",
            f"Selector:          {selector}",
            "Type:              ClusterIP",
            "IP:                10.8.0.3",
            f"Port:              {port_name}  {port}",
            f"TargetPort:        {target}",
            f"Endpoints:         {endpoints}",
            "Events:            <none>",
        ]
    )


def service(name: str, **more: Any) -> dict[str, str]:
    """The command and the text of `describe service`."""
    return {f"kubectl describe service {name} -n {NAMESPACE}": describe_service(name, **more)}


def deployment(name: str, *, ready: str, age: str = "40m") -> dict[str, str]:
    """One row of `get deployments`."""
    header = "NAME | READY | UP-TO-DATE | AVAILABLE | AGE"
    number = ready.split("/", maxsplit=1)[0]
    return {f"kubectl get deployment {name} -n {NAMESPACE}": table(header, f"{name} | {ready} | 1 | {number} | {age}")}
