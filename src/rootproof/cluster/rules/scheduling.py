"""Pods that find no node: the scheduler's words, joined with what nodes offer and pods ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Node, Pod, PodSpec
from rootproof.cluster.quantities import amount_text
from rootproof.cluster.rules.health import STARTUP_GRACE_S, Health, age_s
from rootproof.cluster.rules.view import View, pod_fact, selects
from rootproof.cluster.rules.wording import pairs_text

_HEAD = re.compile(r"(?P<fit>\d{1,6})/(?P<all>\d{1,6}) nodes are available:\s*(?P<parts>.*)", re.DOTALL)
_PART = re.compile(r"(?:(?P<count>\d{1,6}) )?(?P<words>[^,.{}]{1,300}(?:\{[^}]{0,300}\}[^,.{}]{0,100})?)(?:, |\.|$)")
_TAINT = re.compile(r"taints? \{(?P<key>[^:}=]{1,253})(?:[:=]\s*(?P<value>[^}]{0,253}))?\}")
_CONTROL_PLANE = ("node-role.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_INSUFFICIENT = re.compile(r"insufficient (?P<resource>[a-z0-9./-]{1,100})", re.IGNORECASE)
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("were unschedulable", "nodes_cordoned"),
    ("anti-affinity", "anti_affinity_conflict"),
    ("pod affinity rules", "pod_affinity_unmet"),
    ("volume node affinity conflict", "volume_node_affinity_conflict"),
    ("node affinity", "node_selector_mismatch"),
    ("node selector", "node_selector_mismatch"),
    ("nodeselector", "node_selector_mismatch"),
    ("too many pods", "too_many_pods"),
    ("free ports", "host_port_conflict"),
    ("topology spread", "topology_spread_unmet"),
    ("unbound immediate persistentvolumeclaims", "pvc_pending"),
    ("max volume count", "node_volume_limit"),
)
_NODE_TAINTS = {
    "node.kubernetes.io/unschedulable": "nodes_cordoned",
    "node.kubernetes.io/not-ready": "node_not_ready",
    "node.kubernetes.io/unreachable": "node_not_ready",
    "node.kubernetes.io/memory-pressure": "memory_pressure",
    "node.kubernetes.io/disk-pressure": "disk_pressure",
    "node.kubernetes.io/network-unavailable": "network_unavailable",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why some nodes do not take a pod; `minor` marks what is always so (control plane, a cordoned node)."""

    nodes: int
    reason: str
    words: str
    minor: bool = False


def refusals(message: str) -> list[Refusal]:
    """The scheduler's reasons, the most telling first."""
    head = _HEAD.search(message)
    body = head["parts"] if head is not None else message
    body = re.split(r"\.?\s*preemption: ", body, maxsplit=1)[0]
    total = int(head["all"]) if head is not None else 0
    found = []
    for match in _PART.finditer(body[:2000]):
        words = match["words"].strip()
        reason, minor = _reason(words)
        if reason is not None:
            found.append(Refusal(int(match["count"] or total), reason, words, minor))
    # Cordoned and control plane nodes are ordinary; they are the cause only when nothing else refuses.
    return sorted(found, key=lambda item: (item.minor or item.reason == "nodes_cordoned", -item.nodes))


def _reason(words: str) -> tuple[str | None, bool]:
    lower = words.lower()
    taint = _TAINT.search(words)
    if taint is not None:
        key = taint["key"].strip()
        return _NODE_TAINTS.get(key, "untolerated_taint"), key.startswith(_CONTROL_PLANE)
    if "taint" in lower:
        return "untolerated_taint", False
    short = _INSUFFICIENT.search(words)
    if short is not None:
        resource = short["resource"].rstrip(".")
        return f"insufficient_{re.sub('[^a-z0-9]+', '_', resource.lower())}", False
    if "persistentvolumeclaim" in lower and "not found" in lower:
        return "pvc_not_found", False
    return next((reason for pattern, reason in _PATTERNS if pattern in lower), None), False


def scheduling_facts(view: View) -> Iterator[ClusterFact]:
    """One fact for each pod that waits for a node now."""
    for pod in view.state.pods.values():
        if view.health_of(pod) is not Health.PENDING or pod.node is not None:
            continue
        said = _scheduler_words(view, pod)
        if said is None:
            yield from _never_considered(view, pod)
            continue
        yield _fact(view, pod, said)


@dataclass(frozen=True, slots=True)
class Said:
    """The scheduler's latest words about a pod."""

    message: str
    first_at: datetime | None = None
    last_at: datetime | None = None
    count: int | None = None


def _scheduler_words(view: View, pod: Pod) -> Said | None:
    events = [
        event
        for event in view.pod_events(pod)
        if event.reason == "FailedScheduling" and "skip schedule" not in event.message
    ]
    if events:
        latest = min(events, key=lambda event: event.last_age_s if event.last_age_s is not None else 0.0)
        first, last = view.times(latest)
        return Said(latest.message, first, last, latest.count)
    condition = next((c for c in pod.conditions if c.type == "PodScheduled" and c.status == "False"), None)
    return Said(condition.message) if condition is not None and condition.message else None


def _never_considered(view: View, pod: Pod) -> Iterator[ClusterFact]:
    age = age_s(pod, view.now)
    looked = ("pod", pod.namespace, pod.name) in view.state.events_shown or view.state.is_listed("event", pod.namespace)
    if not looked or age is None or age < STARTUP_GRACE_S or pod.status not in {None, "Pending"}:
        return
    words = "is Pending on no node and no scheduler has said anything about it (no events)"
    yield pod_fact(view, pod, "scheduling", "never_scheduled", words, values={"age_s": round(age)})


def _fact(view: View, pod: Pod, said: Said) -> ClusterFact:
    found = refusals(said.message)
    spec = _whole_spec(view, pod)
    reason = found[0].reason if found else "unschedulable"
    reason = _refined(view, spec, reason)
    consequence = reason in {"pvc_pending", "pvc_not_found", "node_not_ready"}
    words = sentence(
        "Pending, Unschedulable",
        _detail(view, spec, reason, found[0].nodes if found else 0),
        f"scheduler: {one_line(said.message, 300)}",
    )
    values: dict[str, str | float] = {"refused_by": "; ".join(f"{r.nodes} {r.words}" for r in found)}
    for resource in ("cpu", "memory"):
        asked = _asked(spec, resource)
        if asked and reason == f"insufficient_{resource}":
            values[f"{resource}_request_{'cores' if resource == 'cpu' else 'bytes'}"] = asked
    weight = Weight.CONSEQUENCE if consequence else Weight.CAUSE if found else Weight.FAILURE
    return pod_fact(
        view, pod, "scheduling", reason, words, values=values, weight=weight,
        first_at=said.first_at, last_at=said.last_at, count=said.count,
    )  # fmt: skip


def _whole_spec(view: View, pod: Pod) -> PodSpec:
    from rootproof.cluster.state import merge

    app = view.app_of(pod)
    workload = view.workload(pod.namespace, app)
    base = view.declared_spec(pod.namespace, app)
    if workload is not None:
        base = merge(base, workload.spec)
    return merge(base, pod.spec)


def _asked(spec: PodSpec, resource: str) -> float:
    return sum((c.requests or c.limits or {}).get(resource, 0.0) for c in spec.containers if not c.init)


def _refined(view: View, spec: PodSpec, reason: str) -> str:
    """Selector or affinity, and whether the nodes that would match are merely cordoned."""
    if reason != "node_selector_mismatch":
        return reason
    matching = [node for node in view.state.nodes.values() if _matches(node, spec)]
    if matching and all(node.schedulable is False for node in matching):
        return "nodes_cordoned"
    if spec.node_selector and not any(selects(spec.node_selector, n.labels) for n in view.state.nodes.values()):
        return "node_selector_mismatch"
    if (spec.affinity is not None and spec.affinity.node_terms) or spec.node_selector == {}:
        return "node_affinity_mismatch"
    return "node_selector_mismatch"


def _matches(node: Node, spec: PodSpec) -> bool:
    if node.labels is None:
        return False
    if spec.node_selector and not selects(spec.node_selector, node.labels):
        return False
    terms = spec.affinity.node_terms if spec.affinity is not None else ()
    if not spec.node_selector and not terms:
        return False
    return not terms or any(all(_holds(node.labels, *need) for need in term) for term in terms)


def _holds(labels: object, key: str, operator: str, values: tuple[str, ...]) -> bool:
    found = labels.get(key) if isinstance(labels, dict) else None
    match operator:
        case "In":
            return found in values
        case "NotIn":
            return found not in values
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
    return True


def _detail(view: View, spec: PodSpec, reason: str, lacking: int) -> str | None:
    nodes = view.state.nodes.values()
    if reason.startswith("insufficient_"):
        return _capacity_words(view, spec, reason.removeprefix("insufficient_"), lacking)
    if reason == "node_selector_mismatch" and spec.node_selector:
        return f"node selector {pairs_text(spec.node_selector)} matches no schedulable node"
    if reason == "node_affinity_mismatch" and spec.affinity is not None and spec.affinity.node_terms:
        terms = " or ".join(" and ".join(f"{k} {op} {'|'.join(v)}" for k, op, v in t) for t in spec.affinity.node_terms)
        return f"required node affinity {one_line(terms, 200)} matches no schedulable node"
    if reason == "anti_affinity_conflict" and spec.affinity is not None and spec.affinity.anti_affinity:
        key, selector = spec.affinity.anti_affinity[0]
        return f"required pod anti-affinity against {selector} per {key}"
    if reason == "nodes_cordoned":
        names = [node.name for node in nodes if node.schedulable is False]
        return f"cordoned nodes: {', '.join(names)}" if names else None
    if reason == "untolerated_taint":
        taints = {f"{n.name} {t.key}={t.value}:{t.effect}" for n in nodes for t in n.taints or ()}
        own = [line for line in spec.tolerations or () if "node.kubernetes.io/" not in line]
        return sentence(
            f"taints: {', '.join(sorted(taints)[:6])}" if taints else None,
            f"tolerations of the pod: {', '.join(own) or 'none of its own'}" if spec.tolerations is not None else None,
        )
    return None


def _capacity_words(view: View, spec: PodSpec, resource: str, lacking: int) -> str | None:
    """What is asked for and what the nodes have that lack it, `lacking` of them as the scheduler counted."""
    asked = _asked(spec, resource)
    free = [
        (node.allocatable[resource] - (node.requested or {}).get(resource, 0.0), node)
        for node in view.state.nodes.values()
        if node.allocatable is not None and resource in node.allocatable and node.schedulable is not False
    ]
    largest = max((node.allocatable[resource] for _, node in free if node.allocatable is not None), default=None)
    least = sorted(left for left, _ in free)[: lacking or None][-1:]
    short = [node for left, node in free if left <= least[0]]
    listed = ", ".join(f"{node.name} {amount_text(resource, (node.allocatable or {})[resource])}" for node in short[:4])
    return sentence(
        f"{resource} request {amount_text(resource, asked)}" if asked else None,
        f"more than any node's allocatable {resource} (largest {amount_text(resource, largest)})"
        if largest is not None and asked > largest
        else None,
        f"allocatable {resource}: {listed}" if listed else None,
    )
