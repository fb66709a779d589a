"""The state as the rules look at it: pods with health and app, events with their age, and one way to say a fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict, Unpack

from rootproof.cluster.ages import before
from rootproof.cluster.fact import ClusterFact, Weight, one_line
from rootproof.cluster.model import Pod, PodSpec, Service, Workload
from rootproof.cluster.names import cron_stem, replica_set_stem, stem_of, workload_of
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.health import GOOD, Health, pod_health
from rootproof.cluster.rules.leftovers import completed_jobs, left_over, repeated_jobs
from rootproof.cluster.state import ClusterState

CONTROLLERS = ("deployment", "statefulset", "daemonset", "cronjob", "job")
Selector = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class View:
    """A state at an instant, with its joins made once."""

    state: ClusterState
    now: datetime
    apps: Mapping[tuple[str, str], str | None]
    """App of each pod by (namespace, name)."""
    health: Mapping[tuple[str, str], Health]
    pods_of: Mapping[tuple[str, str], tuple[Pod, ...]]
    """Pods by (namespace, app)."""
    events_of: Mapping[tuple[str, str, str], tuple[Event, ...]]
    """Events by (kind, namespace, name)."""
    labelled: LabelIndex
    controllers: Mapping[str, tuple[Workload, ...]]
    """Workloads that own pods by themselves, by namespace."""
    repeated: Mapping[tuple[str, str], str]
    """Failed jobs (namespace, name) that a later run made up for, and that run's name."""
    claim_apps: Mapping[tuple[str, str], str | None]
    """App of the pods that mount a claim, by (namespace, claim)."""

    @classmethod
    def of(cls, state: ClusterState, now: datetime) -> View:
        """The view of `state` at `now`."""
        controllers = _controllers(state)
        apps = {key: _app(state, controllers.get(pod.namespace, ()), pod) for key, pod in state.pods.items()}
        grouped: dict[tuple[str, str], list[Pod]] = defaultdict(list)
        for key, pod in state.pods.items():
            app = apps[key]
            if app is not None:
                grouped[pod.namespace, app].append(pod)
        events: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
        for event in state.events:
            events[event.kind, event.namespace, event.name].append(event)
        health = {key: pod_health(pod, now) for key, pod in state.pods.items()}
        repeated = repeated_jobs(state.workloads.values())
        again = frozenset(repeated) | completed_jobs(state.workloads.values())
        for (namespace, app), pods in grouped.items():
            for pod in left_over(pods, health, _controller(state, namespace, app), again):
                health[namespace, pod.name] = Health.LEFT_OVER
        return cls(
            state=state,
            now=now,
            apps=apps,
            health=health,
            repeated=repeated,
            pods_of={key: tuple(pods) for key, pods in grouped.items()},
            events_of={key: tuple(found) for key, found in events.items()},
            labelled=LabelIndex(state.pods),
            controllers=controllers,
            claim_apps=_claim_apps(state, apps),
        )

    def app_of(self, pod: Pod) -> str | None:
        """The workload that a pod belongs to."""
        return self.apps.get((pod.namespace, pod.name))

    def health_of(self, pod: Pod) -> Health:
        """The pod's state now."""
        return self.health.get((pod.namespace, pod.name), Health.UNKNOWN)

    def is_bad(self, pod: Pod) -> bool:
        """Whether the pod is unhealthy now."""
        return self.health_of(pod) not in GOOD

    def pod_events(self, pod: Pod) -> tuple[Event, ...]:
        """The events about a pod."""
        return self.events_of.get(("pod", pod.namespace, pod.name), ())

    def at(self, age_s: float | None) -> datetime | None:
        """The instant that lies `age_s` seconds back."""
        return before(self.now, age_s)

    def times(self, event: Event) -> tuple[datetime | None, datetime | None]:
        """When the event was first and last seen."""
        last = event.last_at or self.at(event.last_age_s)
        return event.first_at or self.at(event.first_age_s) or last, last

    def recent(self, event: Event, within_s: float) -> bool:
        """Whether the event was last seen within the last `within_s` seconds; unknown times count as recent."""
        _, last = self.times(event)
        return last is None or self.now - last <= timedelta(seconds=within_s)

    def workload(self, namespace: str, app: str | None) -> Workload | None:
        """The controller of that name: a deployment first, then the other kinds."""
        return _controller(self.state, namespace, app) if app is not None else None

    def declared_spec(self, namespace: str, app: str | None) -> PodSpec:
        """The template that the manifests declare for the app; empty when there is none."""
        for item in self.state.declared:
            if isinstance(item, Workload) and item.name == app and item.namespace == namespace:
                return item.spec
        return PodSpec()

    def selected_pods(self, service: Service) -> tuple[Pod, ...] | None:
        """The pods that a Service selects; None when its selector or the pods' labels are not known."""
        if not service.selector:
            return None
        if service.namespace in self.labelled.unlabelled:
            return None
        return self.labelled.select(service.namespace, service.selector)

    def app_of_service(self, service: Service) -> str | None:
        """The workload behind a Service: by its pods, by templates that it selects, by name, by similar selectors."""
        pods = self.selected_pods(service)
        if pods:
            return self.app_of(pods[0])
        for item in self.controllers.get(service.namespace, ()):
            if selects(service.selector, item.spec.labels or item.selector):
                return item.name
        return service.name if self.workload(service.namespace, service.name) is not None else None


def selects(selector: Selector | None, labels: Selector | None) -> bool:
    """Whether every pair of the selector is among the labels; an empty selector selects nothing."""
    return bool(selector) and all((labels or {}).get(key) == value for key, value in (selector or {}).items())


class LabelIndex:
    """Pods by namespace and label, so that a selector looks only at pods that have its rarest label."""

    def __init__(self, pods: Mapping[tuple[str, str], Pod]) -> None:
        self.unlabelled: set[str] = set()
        """Namespaces with a pod whose labels were never seen."""
        self._by_label: dict[tuple[str, str, str], list[Pod]] = defaultdict(list)
        for pod in pods.values():
            if pod.spec.labels is None:
                self.unlabelled.add(pod.namespace)
            for key, value in (pod.spec.labels or {}).items():
                self._by_label[pod.namespace, key, value].append(pod)

    def select(self, namespace: str, selector: Selector) -> tuple[Pod, ...]:
        """The pods of the namespace that have every pair of the selector, in recorded order."""
        groups = [self._by_label.get((namespace, key, value), []) for key, value in selector.items()]
        candidates = min(groups, key=len, default=[])
        return tuple(pod for pod in candidates if selects(selector, pod.spec.labels))


def _controller(state: ClusterState, namespace: str, app: str) -> Workload | None:
    found = (state.workloads.get((kind, namespace, app)) for kind in CONTROLLERS)
    return next((item for item in found if item is not None), None)


def _controllers(state: ClusterState) -> dict[str, tuple[Workload, ...]]:
    found: dict[str, list[Workload]] = defaultdict(list)
    for item in state.workloads.values():
        if item.kind in CONTROLLERS:
            found[item.namespace].append(item)
    return {namespace: tuple(items) for namespace, items in found.items()}


def _claim_apps(state: ClusterState, apps: Mapping[tuple[str, str], str | None]) -> dict[tuple[str, str], str | None]:
    found: dict[tuple[str, str], str | None] = {}
    for key, pod in state.pods.items():
        for volume in pod.spec.volumes:
            if volume.kind == "pvc" and volume.target:
                found.setdefault((pod.namespace, volume.target), apps[key])
    return found


def _app(state: ClusterState, controllers: tuple[Workload, ...], pod: Pod) -> str | None:
    found = workload_of(pod.name, owner_kind=pod.owner_kind, owner_name=pod.owner_name, labels=pod.spec.labels)
    if pod.owner_name is None:
        # A controller whose selector matches is better than any guess from names.
        for item in controllers:
            if selects(item.selector, pod.spec.labels):
                return item.name
        for kind in CONTROLLERS:
            stem = stem_of(pod.name)
            if stem is not None and (kind, pod.namespace, stem) in state.workloads:
                return stem
    return found


def app_of_object(view: View, kind: str, namespace: str, name: str) -> str | None:
    """The workload that any object belongs to, as far as its kind and name tell."""
    match kind:
        case "pod":
            pod = view.state.pods.get((namespace, name))
            return view.app_of(pod) if pod is not None else stem_of(name)
        case "replicaset":
            return replica_set_stem(name)
        case "job":
            return cron_stem(name)
        case "deployment" | "statefulset" | "daemonset" | "cronjob" | "hpa":
            return name
        case "service" | "endpoints":
            service = view.state.services.get((namespace, name))
            return view.app_of_service(service) if service is not None else None
        case "pvc":
            return claim_app(view, namespace, name)
    return None


def claim_app(view: View, namespace: str, claim: str) -> str | None:
    """The workload whose pods (or declared template) mount the claim."""
    if (namespace, claim) in view.claim_apps:
        return view.claim_apps[namespace, claim]
    known = view.state.claims.get((namespace, claim))
    for name in known.used_by if known is not None else ():
        pod_or_none = view.state.pods.get((namespace, name))
        return view.app_of(pod_or_none) if pod_or_none is not None else stem_of(name)
    for item in (*view.state.workloads.values(), *view.state.declared):
        if isinstance(item, Workload) and item.namespace == namespace and _mounts_claim(item.spec, claim):
            return item.name
    return None


def _mounts_claim(spec: PodSpec, claim: str) -> bool:
    return any(volume.kind == "pvc" and volume.target == claim for volume in spec.volumes)


def place(namespace: str | None, app: str | None) -> str:
    """`(namespace shop, app cart)`, as far as they are known."""
    parts = [f"namespace {namespace}" if namespace else "", f"app {app}" if app else ""]
    inside = ", ".join(part for part in parts if part)
    return f" ({inside})" if inside else ""


class Extra(TypedDict, total=False):
    """The optional fields of a fact."""

    abnormal: bool
    current: bool
    weight: Weight
    values: Mapping[str, str | float]
    first_at: datetime | None
    last_at: datetime | None
    count: int | None


def fact(
    kind: str,
    name: str,
    aspect: str,
    reason: str,
    words: str,
    *,
    namespace: str | None = None,
    app: str | None = None,
    **extra: Unpack[Extra],
) -> ClusterFact:
    """A fact whose text is `kind name (namespace, app): words`; abnormal and current unless said otherwise."""
    abnormal = extra.get("abnormal", True)
    return ClusterFact(
        object=f"{kind}/{name}",
        kind=kind,
        name=name,
        namespace=namespace,
        app=app,
        aspect=aspect,
        reason=reason,
        abnormal=abnormal,
        current=extra.get("current", True),
        text=one_line(f"{kind} {name}{place(namespace, app if app != name else None)}: {words}"),
        values=dict(extra.get("values", {})),
        first_at=extra.get("first_at"),
        last_at=extra.get("last_at"),
        count=extra.get("count"),
        weight=extra.get("weight", Weight.FAILURE if abnormal else Weight.NORMAL),
    )


def pod_fact(view: View, pod: Pod, aspect: str, reason: str, words: str, **extra: Unpack[Extra]) -> ClusterFact:
    """A fact about a pod."""
    return fact("pod", pod.name, aspect, reason, words, namespace=pod.namespace, app=view.app_of(pod), **extra)
