"""Workloads: replicas wanted against replicas there, what keeps pods from being made, jobs, rollouts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Unpack

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Pod, Service, Workload
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.health import Health, age_s
from rootproof.cluster.rules.leftovers import is_complete
from rootproof.cluster.rules.messages import Meaning, meaning_of
from rootproof.cluster.rules.view import CONTROLLERS, Extra, View, app_of_object, fact, selects

_ROLLOUT_GRACE_S = 90.0


def workload_facts(view: View) -> Iterator[ClusterFact]:
    """The state of every workload that owns pods by itself; ReplicaSets count through their owner."""
    for item in view.state.workloads.values():
        match item.kind:
            case "deployment" | "statefulset" | "daemonset":
                yield from _replicas(view, item)
            case "job":
                yield from _job(view, item)
            case "replicaset" if (
                item.desired
                and view.workload(item.namespace, app_of_object(view, "replicaset", item.namespace, item.name)) is None
            ):
                yield from _replicas(view, item)
    yield from _failed_creations(view)


def _counts(view: View, item: Workload) -> tuple[int | None, int | None]:
    """(ready, desired), ready from the pods where the workload's own outputs do not say."""
    ready = item.ready if item.ready is not None else item.available
    if ready is None and item.desired is not None:
        pods = _pods(view, item)
        if pods or view.state.is_listed("pod", item.namespace):
            ready = sum(1 for pod in pods if view.health_of(pod) in {Health.HEALTHY, Health.RESTARTING})
    return ready, item.desired


def _pods(view: View, item: Workload) -> tuple[Pod, ...]:
    return tuple(pod for pod in view.pods_of.get((item.namespace, item.name), ()) if not pod.terminating)


def _fact(view: View, item: Workload, reason: str, words: str, **extra: Unpack[Extra]) -> ClusterFact:
    app = app_of_object(view, item.kind, item.namespace, item.name)
    return fact(item.kind, item.name, "replicas", reason, words, namespace=item.namespace, app=app, **extra)


def short_of_replicas(view: View, item: Workload) -> bool:
    """Whether the workload has fewer ready pods than it wants now, by its counts or by its pods."""
    ready, desired = _counts(view, item)
    return ready is not None and desired is not None and ready < desired


def _replicas(view: View, item: Workload) -> Iterator[ClusterFact]:
    ready, desired = _counts(view, item)
    if desired == 0:
        yield _scaled_to_zero(view, item)
        return
    if ready is None or desired is None:
        return
    values: dict[str, str | float] = {"ready": ready, "desired": desired}
    if ready >= desired:
        words = sentence(f"{ready}/{desired} ready", _condition_words(item, "Progressing", "NewReplicaSetAvailable"))
        reason = "rollout_complete" if _has(item, "Progressing", "NewReplicaSetAvailable") else "ready"
        yield _fact(view, item, reason, words, abnormal=False, values=values)
        return
    pods = _pods(view, item)
    age = age_s(item, view.now)
    calm = not any(view.is_bad(pod) for pod in pods) and bool(pods)
    if calm and all(view.health_of(pod) is Health.HEALTHY for pod in pods) and len(pods) >= desired:
        words = f"{ready}/{desired} ready in its own record, {len(pods)} pods are Ready by now"
        yield _fact(view, item, "rollout_complete", words, abnormal=False, values=values)
        return
    if calm and age is not None and age < _ROLLOUT_GRACE_S:
        yield _fact(
            view, item, "starting", f"{ready}/{desired} ready, pods are starting", abnormal=False, values=values
        )
        return
    states = Counter(_pod_word(view, pod) for pod in pods)
    listed = ", ".join(f"{count} {word}" for word, count in states.most_common(5))
    problem = next((c for c in item.conditions if c.status == "True" and c.type == "ReplicaFailure"), None)
    stuck = _condition_words(item, "Progressing", "ProgressDeadlineExceeded")
    words = sentence(
        f"{ready}/{desired} ready",
        f"its pods: {listed}" if listed else "it has no pods" if view.state.is_listed("pod", item.namespace) else None,
        stuck,
        f"ReplicaFailure: {one_line(problem.message or problem.reason or '', 200)}" if problem is not None else None,
    )
    yield _fact(view, item, "replicas_unavailable", words, values=values, weight=Weight.CONSEQUENCE)


def _pod_word(view: View, pod: Pod) -> str:
    return pod.status or pod.phase or view.health_of(pod).value


def _has(item: Workload, kind: str, reason: str) -> bool:
    return any(c.type == kind and c.reason == reason for c in item.conditions)


def _condition_words(item: Workload, kind: str, reason: str) -> str | None:
    found = next((c for c in item.conditions if c.type == kind and c.reason == reason), None)
    return f"condition {kind} is {found.status} ({reason})" if found is not None else None


def _scaled_to_zero(view: View, item: Workload) -> ClusterFact:
    """Zero replicas are a fault where something still sends traffic there, or more were declared."""
    declared = next(
        (d for d in view.state.declared
         if isinstance(d, Workload) and (d.kind, d.namespace, d.name) == (item.kind, item.namespace, item.name)), None,
    )  # fmt: skip
    wanted = declared.desired if declared is not None and declared.desired else None
    labels = item.spec.labels or item.selector
    served = next((s.name for s in view.state.services.values() if _serves(s, item, labels)), None)
    called = any(callee == item.name for _, callee in view.state.calls)
    words = sentence(
        "is scaled to 0 replicas",
        f"the manifest declares {wanted}" if wanted else None,
        f"service {served} still points at it" if served else None,
        "other services call it" if called else None,
    )
    bad = bool(wanted or called or served)
    return _fact(
        view, item, "replicas_zero", words, abnormal=bad, values={"desired": 0},
        weight=Weight.CAUSE if bad else Weight.LEAD,
    )  # fmt: skip


def _serves(service: Service, item: Workload, labels: object) -> bool:
    if service.namespace != item.namespace:
        return False
    return (
        selects(service.selector, labels)
        if isinstance(labels, dict) and service.selector
        else service.name == item.name
    )


def _job(view: View, item: Workload) -> Iterator[ClusterFact]:
    failed = next((c for c in item.conditions if c.type == "Failed" and c.status == "True"), None)
    complete = is_complete(item)
    counts = sentence(
        f"{item.succeeded} of {item.desired} completions" if item.succeeded is not None and item.desired else None,
        f"{item.failed} failed pods" if item.failed else None,
        f"backoff limit {item.backoff_limit}" if item.backoff_limit is not None else None,
    )
    if complete:
        yield _fact(view, item, "completed", sentence("Complete", counts), abnormal=False)
        return
    later = view.repeated.get((item.namespace, item.name))
    if later is not None:
        words = sentence("Failed", counts, f"its later run {later} is complete")
        yield _fact(view, item, "job_failed_before", words, current=False, weight=Weight.NORMAL)
        return
    over = item.backoff_limit is not None and (item.failed or 0) > item.backoff_limit
    if failed is not None or item.status == "Failed" or (over and not item.active):
        reason = (
            "deadline_exceeded"
            if failed is not None and failed.reason == "DeadlineExceeded"
            else "backoff_limit_exceeded"
        )
        said = f"{failed.reason}: {failed.message}" if failed is not None else None
        values: dict[str, str | float] = {"failed": item.failed or 0}
        yield _fact(view, item, reason, sentence("Failed", counts, said, _command_words(item)), values=values)
    elif item.failed:
        yield _fact(view, item, "job_retrying", sentence("still retrying", counts, _command_words(item)))


def _command_words(item: Workload) -> str | None:
    command = next((c.command for c in item.spec.containers if c.command), ())
    return f"command: {one_line(' '.join(command), 240)}" if command else None


def _failed_creations(view: View) -> Iterator[ClusterFact]:
    """Why pods cannot be made: current where the workload lacks pods, history where it has them all by now."""
    grouped: dict[tuple[str, str], dict[str, list[Event]]] = {}
    for event in view.state.events:
        if event.reason not in _CREATION_EVENTS or event.kind not in {*CONTROLLERS, "replicaset"}:
            continue
        app = app_of_object(view, event.kind, event.namespace, event.name) or event.name
        meaning = meaning_of(event)
        if meaning is not None:
            grouped.setdefault((event.namespace, app), {}).setdefault(meaning.reason, []).append(event)
    for (namespace, app), by_reason in grouped.items():
        newest = min(_age(event) for events in by_reason.values() for event in events)
        for reason, events in by_reason.items():
            # Quotas have a rule of their own; here they only supersede what was refused before them.
            if reason != "quota_exceeded":
                yield _failed_creation(view, namespace, app, events, newest_s=newest)


_CREATION_EVENTS = frozenset({"FailedCreate", "FailedDelete", "ReplicaSetCreateError"})
_SUPERSEDED_S = 15.0
_ACCOUNT = re.compile(r'serviceaccount "(?P<name>[^"]{1,253})" not found')


def _age(event: Event) -> float:
    return event.last_age_s if event.last_age_s is not None else 0.0


def _failed_creation(view: View, namespace: str, app: str, events: list[Event], *, newest_s: float) -> ClusterFact:
    latest = min(events, key=_age)
    meaning = meaning_of(latest) or Meaning("replicas", "create_failed")
    workload = view.workload(namespace, app)
    made = len(view.pods_of.get((namespace, app), ()))
    current = short_of_replicas(view, workload) if workload is not None else not made
    if workload is not None and workload.desired is not None and made >= workload.desired:
        # Pods that exist in full number have been created after all, whatever keeps them from being ready.
        current = False
    account = _ACCOUNT.search(latest.message)
    exists = account is not None and view.state.exists("serviceaccount", namespace, account["name"]) is True
    if exists or _age(latest) > newest_s + _SUPERSEDED_S:
        current = False
    first, last = view.times(latest)
    count = sum(event.count for event in events)
    over = "" if current else "; over: the account exists by now" if exists else "; over by now"
    return fact(
        workload.kind if workload is not None else latest.kind,
        app if workload is not None else latest.name,
        meaning.aspect,
        meaning.reason,
        f"pods could not be created ({count} times): {one_line(latest.message, 360)}{over}",
        namespace=namespace,
        app=app,
        current=current,
        weight=meaning.weight if current else Weight.NORMAL,
        first_at=first,
        last_at=last,
        count=count,
    )
