"""Nodes and what runs on them as services: readiness, pressure, pod capacity, cordons, systemd units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Node
from rootproof.cluster.observations import Event, NodeService
from rootproof.cluster.quantities import amount_text
from rootproof.cluster.rules.messages import Meaning, meaning_of
from rootproof.cluster.rules.pods import event_fact
from rootproof.cluster.rules.view import View, fact

_NEAR = 0.9
_UNIT_REASONS = {
    "kubelet": "kubelet_down",
    "containerd": "container_runtime_down",
    "docker": "container_runtime_down",
    "dockerd": "container_runtime_down",
    "cri-o": "container_runtime_down",
    "crio": "container_runtime_down",
    "kube-proxy": "kube_proxy_down",
    "kube-scheduler": "kube_scheduler_down",
    "kube-controller-manager": "controller_manager_down",
    "kube-apiserver": "api_server_down",
    "etcd": "etcd_down",
}
_COMPONENT_PODS = (
    ("kube-scheduler", "kube_scheduler_down"),
    ("kube-proxy", "kube_proxy_down"),
    ("kube-controller-manager", "controller_manager_down"),
    ("kube-apiserver", "api_server_down"),
    ("etcd", "etcd_down"),
)
_DNS_APPS = ("coredns", "kube-dns")
_PRESSURES = {"MemoryPressure": "memory_pressure", "DiskPressure": "disk_pressure", "PIDPressure": "pid_pressure",
              "NetworkUnavailable": "network_unavailable"}  # fmt: skip
_EVENT_RECENT_S = 1_800.0


def node_facts(view: View) -> Iterator[ClusterFact]:
    """Every node's state, every unit's state, and the node's recent warnings."""
    down = {(unit.node, unit.unit) for unit in view.state.node_services if not _is_up(unit)}
    for node in view.state.nodes.values():
        problems = list(_problems(view, node, down))
        yield from problems
        if not problems and node.ready == "True":
            yield _healthy(node)
        yield from _node_events(view, node)
    yield from _unit_facts(view)
    yield from _component_pods(view)


def _problems(view: View, node: Node, down: set[tuple[str, str]]) -> Iterator[ClusterFact]:
    ready = next((item for item in node.conditions if item.type == "Ready"), None)
    if node.ready in {"False", "Unknown"}:
        units = [unit for name, unit in down if name == node.name]
        words = sentence(
            f"Ready is {node.ready}",
            f"{ready.reason}: {one_line(ready.message or '', 240)}" if ready is not None and ready.reason else None,
            f"not running on it: {', '.join(sorted(units))}" if units else None,
            _pods_words(view, node),
        )
        weight = Weight.CONSEQUENCE if units else Weight.FAILURE
        yield fact("node", node.name, "node", "node_not_ready", words, weight=weight)
    for item in node.conditions:
        reason = _PRESSURES.get(item.type)
        if reason is not None and item.status == "True":
            words = sentence(
                f"{item.type} is True", f"{item.reason or ''}: {one_line(item.message or '', 200)}".strip(": ")
            )
            yield fact("node", node.name, "node", reason, words, weight=Weight.CAUSE)
    yield from _pod_capacity(node)
    if node.schedulable is False:
        # A cordon is routine on control plane nodes and during maintenance; the scheduling rule says when it hurts.
        words = sentence("is cordoned (SchedulingDisabled)", f"Ready is {node.ready}" if node.ready else None)
        yield fact("node", node.name, "node", "node_cordoned", words, abnormal=False, weight=Weight.LEAD)


def _pods_words(view: View, node: Node) -> str | None:
    pods = [pod for pod in view.state.pods.values() if pod.node == node.name]
    if not pods:
        return None
    bad = sum(1 for pod in pods if view.is_bad(pod))
    return f"{len(pods)} recorded pods on it, {bad} unhealthy"


def _pod_capacity(node: Node) -> Iterator[ClusterFact]:
    room = (node.allocatable or {}).get("pods") or (node.capacity or {}).get("pods")
    if room is None or node.pods_running is None or node.pods_running < room * _NEAR:
        return
    full = node.pods_running >= room
    share = f"{node.pods_running} of at most {room:g} pods run on it ({node.pods_running / room:.0%})"
    words = sentence(share, "no further pod fits" if full else "close to its pod capacity", _requested_words(node))
    values: dict[str, str | float] = {"pods_running": node.pods_running, "pods_capacity": room}
    reason = "too_many_pods" if full else "pods_near_capacity"
    yield fact("node", node.name, "node", reason, words, values=values, weight=Weight.CAUSE if full else Weight.LEAD)


def _requested_words(node: Node) -> str | None:
    parts = []
    for resource in ("cpu", "memory"):
        asked, room = (node.requested or {}).get(resource), (node.allocatable or {}).get(resource)
        if asked is not None and room:
            parts.append(f"{resource} requests {amount_text(resource, asked)} of {amount_text(resource, room)}")
    return ", ".join(parts) or None


def _healthy(node: Node) -> ClusterFact:
    running, room = node.pods_running, (node.allocatable or {}).get("pods")
    allocatable = node.allocatable or {}
    words = sentence(
        "is Ready",
        "no pressure" if any(item.type in _PRESSURES for item in node.conditions) else None,
        f"{running} of {room:g} pods" if running is not None and room else None,
        _requested_words(node),
        f"allocatable {amount_text('cpu', allocatable['cpu'])} CPU" if "cpu" in allocatable else None,
        f"{amount_text('memory', allocatable['memory'])} memory" if "memory" in allocatable else None,
    )
    return fact("node", node.name, "node", "ready", words, abnormal=False)


def _node_events(view: View, node: Node) -> Iterator[ClusterFact]:
    grouped: dict[str, tuple[Meaning, list[Event]]] = {}
    for namespace in ("default", ""):
        for event in view.events_of.get(("node", namespace, node.name), ()):
            meaning = meaning_of(event)
            if meaning is not None and event.reason != "InvalidDiskCapacity":
                grouped.setdefault(meaning.reason, (meaning, []))[1].append(event)
    for meaning, events in grouped.values():
        current = node.ready != "True" and any(view.recent(event, _EVENT_RECENT_S) for event in events)
        current = current or (meaning.reason.startswith("node_") and meaning.reason.endswith(("oom", "oom_killing")))
        yield event_fact(view, events, meaning, current=current)


def _is_up(unit: NodeService) -> bool:
    return unit.active.startswith(("active", "reloading")) and "exited" not in unit.active


def _unit_facts(view: View) -> Iterator[ClusterFact]:
    up: dict[str, list[str]] = defaultdict(list)
    for unit in view.state.node_services:
        if _is_up(unit):
            up[unit.node].append(unit.unit)
            continue
        reason = _UNIT_REASONS.get(unit.unit, "node_service_down")
        words = sentence(
            f"service {unit.unit} is {unit.active}",
            f"since {unit.since_text}" if unit.since_text else None,
            f"result {unit.result}" if unit.result else None,
            f"last words: {one_line(unit.last_lines[-1], 200)}" if unit.last_lines else None,
        )
        # A unit that is not installed may run as a pod instead.
        weight = Weight.LEAD if unit.active == "not-found" else Weight.CAUSE
        yield fact(
            "node", unit.node, "node", reason, words, values={"unit": unit.unit, "active": unit.active}, weight=weight,
            abnormal=unit.active != "not-found",
        )  # fmt: skip
    for node, units in up.items():
        words = f"services {', '.join(sorted(units))} are active"
        yield fact("node", node, "node", "services_active", words, abnormal=False)


def _component_pods(view: View) -> Iterator[ClusterFact]:
    """Control plane and DNS components that run as pods."""
    for pod in view.state.pods.values():
        if pod.namespace != "kube-system" or not view.is_bad(pod):
            continue
        reason = next((word for prefix, word in _COMPONENT_PODS if pod.name.startswith(prefix)), None)
        status = pod.status or pod.phase or "not ready"
        if reason is not None and pod.node:
            yield fact("node", pod.node, "node", reason, f"pod {pod.name} is {status}", values={"pod": pod.name},
                       weight=Weight.CAUSE)  # fmt: skip
    for app in _DNS_APPS:
        pods = view.pods_of.get(("kube-system", app), ())
        bad = [pod for pod in pods if view.is_bad(pod)]
        if pods and len(bad) == len(pods):
            words = f"none of {len(pods)} DNS pods is ready"
            yield fact(
                "app", app, "network", "dns_pods_down", words, namespace="kube-system", app=app, weight=Weight.CAUSE
            )
    dns = view.workload("kube-system", "coredns")
    if dns is not None and dns.desired == 0:
        yield fact("deployment", "coredns", "network", "dns_pods_down", "the cluster's DNS is scaled to 0 replicas",
                   namespace="kube-system", app="coredns", weight=Weight.CAUSE)  # fmt: skip
