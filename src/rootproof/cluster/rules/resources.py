"""Limits against what a container's command asks for, and against what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Container, Pod
from rootproof.cluster.observations import Usage
from rootproof.cluster.quantities import amount_text, bytes_text, cores_text
from rootproof.cluster.rules.health import Health
from rootproof.cluster.rules.view import View, fact, pod_fact

_LOW_CPU_CORES = 0.05
_TINY = 4.0
_NEAR_LIMIT = 0.9
_WORKER_FLAGS = frozenset(
    {"--cpu", "--workers", "--worker", "--threads", "--num-threads", "--processes", "--concurrency", "--parallelism"}
    | {"--worker-processes", "--max-procs", "--jobs", "--procs", "--num-workers"}
)
_SHORT_FLAGS = {
    "stress": frozenset({"-c"}),
    "stress-ng": frozenset({"-c"}),
    "gunicorn": frozenset({"-w"}),
    "uvicorn": frozenset(),
    "celery": frozenset({"-c"}),
    "make": frozenset({"-j"}),
    "puma": frozenset({"-w"}),
}  # fmt: skip
_WORKER_VARIABLES = frozenset(
    {"WEB_CONCURRENCY", "GOMAXPROCS", "UVICORN_WORKERS", "GUNICORN_WORKERS", "OMP_NUM_THREADS"}
)
_HEAP = re.compile(r"-Xmx(\d{1,9})([kKmMgG]?)\b|--max-old-space-size=(\d{1,9})\b|--maxmemory[ =](\d{1,9})([kmg]b)\b")
_SIZE = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "kb": 2.0**10, "mb": 2.0**20, "gb": 2.0**30}


def resource_facts(view: View) -> Iterator[ClusterFact]:
    """Limits that cannot hold what the command asks for, low limits, and usage close to a limit or a node's room."""
    seen: set[tuple[str, str, str]] = set()
    for pod in view.state.pods.values():
        if view.health_of(pod) in {Health.TERMINATING, Health.COMPLETED}:
            continue
        for container in pod.spec.containers:
            key = (pod.namespace, view.app_of(pod) or pod.name, container.name)
            if container.init or key in seen:
                continue
            seen.add(key)
            yield from _demands(view, pod, container)
    for usage in view.state.usage:
        yield from _usage(view, usage)


def _demands(view: View, pod: Pod, container: Container) -> Iterator[ClusterFact]:
    limits = container.limits or {}
    cpu, memory = limits.get("cpu"), limits.get("memory")
    workers = worker_count(container)
    command = one_line(" ".join(container.command), 160)
    if cpu and workers is not None and workers > cpu * _TINY and workers > 1:
        words = sentence(
            f"container {container.name} has CPU limit {cores_text(cpu)}",
            f"but its command asks for {workers} CPU workers",
            f"command: {command}" if command else None,
        )
        values: dict[str, str | float] = {"container": container.name, "cpu_limit_cores": cpu, "workers": workers}
        yield pod_fact(view, pod, "resources", "cpu_limit_tiny_vs_demand", words, values=values, weight=Weight.CAUSE)
    elif cpu and cpu <= _LOW_CPU_CORES:
        words = f"container {container.name} has a low CPU limit of {cores_text(cpu)}"
        values = {"container": container.name, "cpu_limit_cores": cpu}
        yield pod_fact(
            view, pod, "resources", "cpu_limit_low", words, values=values, abnormal=False, weight=Weight.LEAD
        )
    heap = heap_bytes(container)
    if memory and heap is not None and heap > memory:
        words = sentence(
            f"container {container.name} has memory limit {bytes_text(memory)}",
            f"but its command allows a heap of {bytes_text(heap)}",
        )
        values = {"container": container.name, "memory_limit_bytes": memory, "heap_bytes": heap}
        yield pod_fact(view, pod, "resources", "memory_limit_below_demand", words, values=values, weight=Weight.LEAD)


def worker_count(container: Container) -> int | None:
    """How many parallel workers a container's command or environment asks for; None when it does not say."""
    words = [word for line in container.command for word in line.split()]
    program = next((word.rpartition("/")[2] for word in words if word.rpartition("/")[2] in _SHORT_FLAGS), "")
    flags = _WORKER_FLAGS | _SHORT_FLAGS.get(program, frozenset())
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in flags:
            text = value if equals else words[index + 1] if index + 1 < len(words) else ""
            if text.isdigit() and len(text) < 7:
                return int(text)
    for variable in container.env:
        if variable.name in _WORKER_VARIABLES and (variable.value or "").isdigit() and len(variable.value or "") < 7:
            return int(variable.value or 0)
    return None


def heap_bytes(container: Container) -> float | None:
    """The heap that a container's command or environment allows (JVM, Node, Redis); None when it does not say."""
    texts = (" ".join(container.command), *(variable.value or "" for variable in container.env))
    for text in texts:
        match = _HEAP.search(text[:5000])
        if match is not None:
            if match[1]:
                return float(match[1]) * _SIZE[match[2].lower()]
            return float(match[3]) * 2.0**20 if match[3] else float(match[4]) * _SIZE[match[5].lower()]
    return None


def _usage(view: View, usage: Usage) -> Iterator[ClusterFact]:
    if usage.kind == "node":
        node = view.state.nodes.get(usage.name)
        room = (node.allocatable if node is not None else None) or {}
        yield from _measured(usage, room, None, "allocatable")
        return
    pod = view.state.pods.get((usage.namespace or "default", usage.name))
    if pod is None:
        return
    limits: dict[str, float] = {}
    for resource in ("cpu", "memory"):
        amounts = [(c.limits or {}).get(resource) for c in pod.spec.containers if not c.init]
        if amounts and all(amount is not None for amount in amounts):
            limits[resource] = sum(amount or 0.0 for amount in amounts)
    yield from _measured(usage, limits, view.app_of(pod), "limit")


def _measured(usage: Usage, room: object, app: str | None, word: str) -> Iterator[ClusterFact]:
    for resource, used in (("cpu", usage.cpu), ("memory", usage.memory)):
        bound = room.get(resource) if isinstance(room, dict) else None
        if used is None or not bound:
            continue
        high = used >= bound * _NEAR_LIMIT
        share = f"{used / bound:.0%} of its {word} {amount_text(resource, bound)}"
        words = f"uses {amount_text(resource, used)} {resource}, {share}"
        reason = f"{resource}_usage_high" if high else f"{resource}_usage_normal"
        unit = "cores" if resource == "cpu" else "bytes"
        yield fact(
            usage.kind, usage.name, "resources", reason, words, namespace=usage.namespace, app=app, abnormal=high,
            weight=Weight.FAILURE if high else Weight.NORMAL,
            values={f"{resource}_used_{unit}": used, f"{resource}_{word}_{unit}": bound},
        )  # fmt: skip
