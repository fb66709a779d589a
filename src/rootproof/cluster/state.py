"""Everything that was read, joined per object: the same pod seen in a table, a description and YAML is one `Pod`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from rootproof.cluster.model import (
    Claim,
    ClusterObject,
    Container,
    Endpoints,
    Node,
    Other,
    Pod,
    Quota,
    Route,
    Service,
    Volume,
    Workload,
)
from rootproof.cluster.observations import Change, Connectivity, Event, EventsShown, NodeService, Problem, Usage
from rootproof.domain.cutting import within

Key = tuple[str, str]
"""(namespace, name)."""
WorkloadKey = tuple[str, str, str]
"""(kind, namespace, name)."""
_T = TypeVar("_T")
_MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the outputs; the four add up to the number of outputs."""

    parsed: int = 0
    empty: int = 0
    failed: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        """All outputs."""
        return self.parsed + self.empty + self.failed + self.unknown


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The recorded cluster. Live objects and declared ones (manifests) are kept apart.

    `listed` says which lists are complete, so that "does not exist" can be told from "was not looked at".
    """

    pods: Mapping[Key, Pod] = field(default_factory=dict)
    workloads: Mapping[WorkloadKey, Workload] = field(default_factory=dict)
    services: Mapping[Key, Service] = field(default_factory=dict)
    endpoints: Mapping[Key, Endpoints] = field(default_factory=dict)
    claims: Mapping[Key, Claim] = field(default_factory=dict)
    quotas: Mapping[Key, Quota] = field(default_factory=dict)
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    others: Mapping[tuple[str, str, str], Other] = field(default_factory=dict)
    """By (kind, namespace, name); namespace is empty for cluster-wide kinds."""
    events: tuple[Event, ...] = ()
    node_services: tuple[NodeService, ...] = ()
    connectivity: tuple[Connectivity, ...] = ()
    usage: tuple[Usage, ...] = ()
    routes: tuple[Route, ...] = ()
    declared: tuple[ClusterObject, ...] = ()
    """What the manifests declare."""
    calls: tuple[tuple[str, str], ...] = ()
    changes: tuple[Change, ...] = ()
    listed: frozenset[tuple[str, str]] = frozenset()
    """(kind, namespace) of complete lists; namespace `*` for all namespaces."""
    not_found: frozenset[tuple[str, str, str]] = frozenset()
    """(kind, namespace, name) that the API server said do not exist."""
    events_shown: frozenset[tuple[str, str, str]] = frozenset()
    """(kind, namespace, name) of objects whose events were looked at, whether there were any or not."""
    problems: tuple[Problem, ...] = ()
    counts: Counts = Counts()
    unknown: tuple[str, ...] = ()
    """Commands whose output was not understood, at most 200."""

    def is_listed(self, kind: str, namespace: str) -> bool:
        """Whether all objects of this kind in this namespace were listed."""
        return (kind, namespace) in self.listed or (kind, "*") in self.listed

    def exists(self, kind: str, namespace: str, name: str) -> bool | None:
        """Whether the object was seen: True, False when a complete list lacks it, None when nobody looked."""
        seen: Mapping[Any, Any]
        key: Any = (namespace, name)
        match kind:
            case "pod":
                seen = self.pods
            case "service":
                seen = self.services
            case "pvc":
                seen = self.claims
            case "node" | "pv":
                seen, key = (self.nodes if kind == "node" else self.volumes), name
            case "deployment" | "statefulset" | "daemonset" | "replicaset" | "job" | "cronjob":
                seen, key = self.workloads, (kind, namespace, name)
            case _:
                seen, key = self.others, (kind, namespace, name)
        if key in seen:
            return True
        missing = (kind, namespace, name) in self.not_found or self.is_listed(kind, namespace)
        return False if missing else None


def merge(old: _T, new: _T) -> _T:
    """`old` with everything that `new` knows; None and empty tuples count as not known, later knowledge wins."""
    if not dataclasses.is_dataclass(old) or isinstance(old, type) or type(old) is not type(new):
        return new
    changes: dict[str, Any] = {}
    for item in dataclasses.fields(old):
        before, after = getattr(old, item.name), getattr(new, item.name)
        if after is None or after == () or after is before:
            continue
        if item.name == "containers" and before:
            changes[item.name] = _merge_containers(before, after)
        elif item.name == "spec":
            changes[item.name] = merge(before, after)
        else:
            changes[item.name] = after
    return cast("_T", dataclasses.replace(old, **changes)) if changes else old


def _merge_containers(old: tuple[Container, ...], new: tuple[Container, ...]) -> tuple[Container, ...]:
    known = {item.name: item for item in old}
    merged = [merge(known[item.name], item) if item.name in known else item for item in new]
    names = {item.name for item in new}
    return (*merged, *(item for item in old if item.name not in names))


class StateBuilder:
    """Collects objects while outputs are read; `build` gives the frozen state."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, ...], ClusterObject] = {}
        self._declared: dict[tuple[str, ...], ClusterObject] = {}
        self._events: dict[tuple[object, ...], Event] = {}
        self._node_services: dict[tuple[str, str], NodeService] = {}
        self._connectivity: dict[tuple[str, int], Connectivity] = {}
        self._usage: dict[tuple[str, str | None, str], Usage] = {}
        self._routes: dict[Route, None] = {}
        self._listed: set[tuple[str, str]] = set()
        self._events_shown: set[tuple[str, str, str]] = set()
        self._not_found: set[tuple[str, str, str]] = set()
        self._problems: dict[Problem, None] = {}
        self._unknown: list[str] = []
        self._counts = {"parsed": 0, "empty": 0, "failed": 0, "unknown": 0}
        self.calls: tuple[tuple[str, str], ...] = ()
        self.changes: tuple[Change, ...] = ()

    def add(self, item: object) -> None:
        """Take a live object, event, unit, test, measurement or route; an object seen before is merged."""
        match item:
            case Event():
                self._add_event(item)
            case NodeService():
                self._node_services[item.node, item.unit] = item
            case Connectivity():
                self._connectivity[item.host, item.port] = item
            case Usage():
                self._usage[item.kind, item.namespace, item.name] = item
            case Route():
                self._routes[item] = None
            case EventsShown():
                self._events_shown.add((item.kind, item.namespace, item.name))
            case Pod() | Workload() | Service() | Endpoints() | Claim() | Volume() | Quota() | Node() | Other():
                _put(self._objects, item)
            case _:
                raise TypeError(f"no place for a {type(item).__name__} in the cluster state")

    def declare(self, item: object) -> None:
        """Take an object that a manifest declares."""
        if isinstance(item, Route):
            self._routes[item] = None
        elif not isinstance(item, Event):
            _put(self._declared, cast("ClusterObject", item))

    def _add_event(self, event: Event) -> None:
        key = (event.kind, event.name, event.namespace, event.type, event.reason, event.message)
        known = self._events.get(key)
        # The same event is recorded in several outputs; the one with the higher count was taken last.
        if known is None or event.count >= known.count:
            self._events[key] = event

    def list_complete(self, kind: str, namespace: str) -> None:
        """Note that every object of the kind in the namespace (`*`: in all of them) has been listed."""
        self._listed.add((kind, namespace))

    def missing(self, kind: str, namespace: str, name: str) -> None:
        """Note that the API server said that the object does not exist."""
        self._not_found.add((kind, namespace, name))

    def problem(self, command: str, message: str) -> None:
        """Record a failed command in its own words."""
        self._problems[Problem(command=within(command, 300), message=within(message, 500))] = None

    def count(self, outcome: str, command: str) -> None:
        """Count an output as `parsed`, `empty`, `failed` or `unknown`."""
        self._counts[outcome] += 1
        if outcome == "unknown" and len(self._unknown) < _MAX_LISTED:
            self._unknown.append(within(command, 300))

    def build(self) -> ClusterState:
        """The frozen state."""
        live = list(self._objects.values())
        return ClusterState(
            pods={(p.namespace, p.name): p for p in _of(Pod, live)},
            workloads={(w.kind, w.namespace, w.name): w for w in _of(Workload, live)},
            services={(s.namespace, s.name): s for s in _of(Service, live)},
            endpoints={(e.namespace, e.name): e for e in _of(Endpoints, live)},
            claims={(c.namespace, c.name): c for c in _of(Claim, live)},
            quotas={(q.namespace, q.name): q for q in _of(Quota, live)},
            volumes={v.name: v for v in _of(Volume, live)},
            nodes={n.name: n for n in _of(Node, live)},
            others={(o.kind, o.namespace or "", o.name): o for o in _of(Other, live)},
            events=tuple(self._events.values()),
            node_services=tuple(self._node_services.values()),
            connectivity=tuple(self._connectivity.values()),
            usage=tuple(self._usage.values()),
            routes=tuple(self._routes),
            declared=tuple(self._declared.values()),
            calls=self.calls,
            changes=self.changes,
            listed=frozenset(self._listed),
            events_shown=frozenset(self._events_shown),
            not_found=frozenset(self._not_found),
            problems=tuple(self._problems),
            counts=Counts(**self._counts),
            unknown=tuple(self._unknown),
        )


def _of(cls: type[_T], items: Iterable[object]) -> list[_T]:
    return [item for item in items if isinstance(item, cls)]


def _put(store: dict[tuple[str, ...], ClusterObject], item: ClusterObject) -> None:
    kind = item.kind if isinstance(item, Workload | Other) else type(item).__name__
    key = (kind, getattr(item, "namespace", "") or "", item.name)
    known = store.get(key)
    store[key] = item if known is None else merge(known, item)
