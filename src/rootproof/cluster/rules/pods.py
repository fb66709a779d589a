"""Pods: what is failing now, how containers ended, what their events say, and which pods are fine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from rootproof.cluster.ages import span_text
from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Container, ContainerState, Pod
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.health import (
    RECENT_RESTART_S,
    STUCK_TERMINATING_S,
    Health,
    age_s,
    last_restart_s,
    waiting_reason,
)
from rootproof.cluster.rules.messages import Meaning, general_meaning, is_pull, meaning_of, probe_role
from rootproof.cluster.rules.view import View, fact, pod_fact
from rootproof.cluster.rules.wording import limit_values, limits_text, machine_word, restarts_text

_EXIT_WORDS = {
    126: "command_not_executable",
    127: "command_not_found",
    134: "aborted",
    137: "killed_sigkill",
    139: "segmentation_fault",
    143: "terminated_sigterm",
}
_ELSEWHERE = frozenset({"scheduling", "image"})
"""Aspects whose events have rules of their own."""


def pod_facts(view: View) -> Iterator[ClusterFact]:
    """Everything about single pods, then one compact fact for the healthy pods of each app."""
    good: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    for pod in view.state.pods.values():
        health = view.health_of(pod)
        match health:
            case Health.TERMINATING:
                yield _terminating(view, pod)
            case Health.COMPLETED | Health.HEALTHY:
                good[pod.namespace, view.app_of(pod) or pod.name].append(pod)
                yield from _after_restart(view, pod)
            case Health.STARTING:
                yield _starting(view, pod)
            case Health.LEFT_OVER:
                yield _left_over(view, pod)
            case Health.UNKNOWN:
                continue
            case _:
                yield _status(view, pod, health)
                yield from _terminations(view, pod, current=True)
                yield from _events(view, pod)
    for (namespace, app), pods in good.items():
        yield _healthy(namespace, app, pods)
    yield from _summaries(view)


def _status(view: View, pod: Pod, health: Health) -> ClusterFact:
    waiting = waiting_reason(pod)
    since = last_restart_s(pod, view.now)
    message = next((c.state.message for c in pod.spec.containers if c.state is not None and c.state.message), None)
    condition = next((c for c in pod.conditions if c.status == "False" and c.message), None)
    reason = {
        Health.PENDING: "pending",
        Health.UNREADY: "not_ready",
        Health.RESTARTING: "keeps_restarting",
    }.get(health, "failed")
    if waiting is not None:
        reason = machine_word(waiting)
    elif pod.reason:
        reason = machine_word(pod.reason)
    words = sentence(
        f"phase {pod.phase}" if pod.phase else None,
        f"status {pod.status}" if pod.status and pod.status != pod.phase else None,
        f"waiting with {waiting}" if waiting and waiting != pod.status else None,
        f"reason {pod.reason}" if pod.reason else None,
        _ready_words(pod),
        restarts_text(pod.restarts, since),
        _backoff_words(view, pod),
        f"on node {pod.node}" if pod.node else "on no node",
        f"age {span_text(age)}" if (age := age_s(pod, view.now)) is not None else None,
        f"message: {one_line(message or pod.message or '', 240)}" if message or pod.message else None,
        f"condition {condition.type} is False: {one_line(condition.message or '', 240)}" if condition else None,
    )
    values: dict[str, str | float] = {}
    if pod.restarts is not None:
        values["restarts"] = pod.restarts
    return pod_fact(view, pod, "status", reason, words, values=values, weight=_status_weight(health, view, pod))


def _backoff_words(view: View, pod: Pod) -> str | None:
    events = [event for event in view.pod_events(pod) if event.reason == "BackOff" and not is_pull(event)]
    if not events:
        return None
    first = min((at for event in events if (at := view.times(event)[0]) is not None), default=None)
    since = f" in {span_text((view.now - first).total_seconds())}" if first is not None else ""
    return f"event BackOff {sum(event.count for event in events)} times{since}"


def _status_weight(health: Health, view: View, pod: Pod) -> Weight:
    # An old failed run of a Job or a bare pod is less than a service that fails now.
    age = age_s(pod, view.now)
    if health is Health.FAILED and age is not None and age > 7 * 86_400 and not pod.restarts:
        return Weight.LEAD
    return Weight.FAILURE


def _ready_words(pod: Pod) -> str | None:
    if pod.ready_containers is None or not pod.total_containers:
        return None
    return f"{pod.ready_containers}/{pod.total_containers} containers ready"


def _terminations(view: View, pod: Pod, *, current: bool) -> Iterator[ClusterFact]:
    for container in pod.spec.containers:
        for state, past in ((container.state, False), (container.last_state, True)):
            if state is not None and state.kind == "terminated" and not (container.init and state.exit_code == 0):
                yield _termination(view, pod, container, state, past=past, current=current)
            elif state is not None and state.kind == "waiting":
                hidden = _hidden_termination(view, pod, container, state, current=current)
                if hidden is not None:
                    yield hidden


def _termination(
    view: View, pod: Pod, container: Container, state: ContainerState, *, past: bool, current: bool
) -> ClusterFact:
    reason, weight = _ending(state)
    kind = "init container" if container.init else "container"
    words = sentence(
        f"{kind} {container.name} {'last terminated' if past else 'terminated'} {state.reason or ''}".strip(),
        f"exit code {state.exit_code}" if state.exit_code is not None else None,
        restarts_text(container.restarts),
        limits_text(container),
        f"message: {one_line(state.message, 300)}" if state.message else None,
        f"command: {one_line(' '.join(container.command), 160)}" if container.command else None,
    )
    values: dict[str, str | float] = {"container": container.name, **limit_values(container)}
    if state.exit_code is not None:
        values["exit_code"] = state.exit_code
    if container.restarts is not None:
        values["restarts"] = container.restarts
    finished = state.finished_at
    return pod_fact(
        view,
        pod,
        "termination",
        reason,
        words,
        values=values,
        first_at=finished,
        last_at=finished,
        weight=weight,
        current=current,
        abnormal=reason != "exit_zero",
    )


def _ending(state: ContainerState) -> tuple[str, Weight]:
    if state.reason == "OOMKilled":
        return "oom_killed", Weight.CAUSE
    found = general_meaning(state.message or "")
    if found is not None:
        return found.reason, found.weight
    if state.exit_code in _EXIT_WORDS:
        return _EXIT_WORDS[state.exit_code], Weight.FAILURE
    if state.exit_code == 0:
        return "exit_zero_loop", Weight.FAILURE
    return (
        "exit_nonzero" if state.exit_code is not None else machine_word(state.reason or "terminated")
    ), Weight.FAILURE


def _hidden_termination(
    view: View, pod: Pod, container: Container, state: ContainerState, *, current: bool
) -> ClusterFact | None:
    """A waiting container whose message says how it ended or why it cannot be made."""
    found = general_meaning(state.message or "")
    if found is None:
        return None
    words = sentence(
        f"container {container.name} waits with {state.reason}",
        f"exit code {state.exit_code}" if state.exit_code is not None else None,
        restarts_text(container.restarts),
        limits_text(container),
        f"message: {one_line(state.message or '', 300)}",
    )
    values: dict[str, str | float] = {"container": container.name, **limit_values(container)}
    if container.restarts is not None:
        values["restarts"] = container.restarts
    return pod_fact(view, pod, found.aspect, found.reason, words, values=values, weight=found.weight, current=current)


def _events(view: View, pod: Pod) -> Iterator[ClusterFact]:
    """What the warnings about a failing pod say; one fact a reason, the latest words, counts added."""
    grouped: dict[str, list[tuple[Event, Meaning]]] = defaultdict(list)
    for event in view.pod_events(pod):
        meaning = meaning_of(event)
        if meaning is None or meaning.aspect in _ELSEWHERE or probe_role(event) is not None:
            continue
        if event.reason in {"FailedScheduling", "BackOff"}:
            # The scheduling rule and the status say these.
            continue
        grouped[meaning.reason].append((event, meaning))
    for found in grouped.values():
        yield event_fact(view, [event for event, _ in found], found[0][1], current=True)


def event_fact(
    view: View, events: list[Event], meaning: Meaning, *, current: bool, app: str | None = None
) -> ClusterFact:
    """One fact for events that say the same about one object."""
    latest = min(events, key=lambda event: event.last_age_s if event.last_age_s is not None else 0.0)
    firsts = [first for event in events if (first := view.times(event)[0]) is not None]
    lasts = [last for event in events if (last := view.times(event)[1]) is not None]
    count = sum(event.count for event in events)
    pod = view.state.pods.get((latest.namespace, latest.name)) if latest.kind == "pod" else None
    times = f" ({count} times)" if count > 1 else ""
    return fact(
        latest.kind or "object",
        latest.name,
        meaning.aspect,
        meaning.reason,
        f"event {latest.reason}{times}: {one_line(latest.message, 420)}",
        namespace=latest.namespace if latest.kind != "node" else None,
        app=app if app is not None else (view.app_of(pod) if pod is not None else None),
        current=current,
        weight=meaning.weight,
        values={"event": latest.reason},
        first_at=min(firsts) if firsts else None,
        last_at=max(lasts) if lasts else None,
        count=count,
    )


def _after_restart(view: View, pod: Pod) -> Iterator[ClusterFact]:
    """What a pod that is fine now went through: kept, because it decides false alarms and explains alerts."""
    if not pod.restarts:
        return
    since = last_restart_s(pod, view.now)
    recent = since is not None and since < RECENT_RESTART_S
    reason = "restarted_recently" if recent else "restarted_long_ago"
    words = sentence("Running and Ready now", restarts_text(pod.restarts, since), _ready_words(pod))
    yield pod_fact(
        view,
        pod,
        "restart",
        reason,
        words,
        abnormal=recent,
        current=recent,
        weight=Weight.LEAD if recent else Weight.NORMAL,
        values={"restarts": pod.restarts, **({"last_restart_age_s": round(since)} if since is not None else {})},
        last_at=view.at(since),
    )
    yield from _terminations(view, pod, current=recent)


def _terminating(view: View, pod: Pod) -> ClusterFact:
    deleted = f"deletion set for {pod.deleted_at:%Y-%m-%dT%H:%M:%SZ}" if pod.deleted_at else "being deleted"
    waited = (view.now - pod.deleted_at).total_seconds() if pod.deleted_at is not None else 0.0
    replaced = any(
        other is not pod and not other.terminating and _generation(other) != _generation(pod)
        for other in view.pods_of.get((pod.namespace, view.app_of(pod) or ""), ())
    )
    stuck = waited > STUCK_TERMINATING_S
    reason = "stuck_terminating" if stuck else "old_replicaset_terminating" if replaced else "terminating"
    waiting = waiting_reason(pod)
    words = sentence(
        f"is terminating, {deleted}",
        f"last state {waiting}" if waiting and not stuck else None,
        f"it belongs to the old ReplicaSet {_generation(pod)}, newer pods of the app have taken over"
        if replaced
        else None,
        restarts_text(pod.restarts),
    )
    return pod_fact(
        view,
        pod,
        "status",
        reason,
        words,
        abnormal=stuck,
        current=stuck,
        weight=Weight.LEAD if stuck else Weight.NORMAL,
        first_at=pod.deleted_at,
        last_at=pod.deleted_at,
    )


def _left_over(view: View, pod: Pod) -> ClusterFact:
    """A pod that ended badly and is not missed: history."""
    words = sentence(
        f"status {pod.status or pod.phase}",
        f"reason {pod.reason}" if pod.reason and pod.reason != pod.status else None,
        f"on node {pod.node}" if pod.node else None,
        f"age {span_text(age)}" if (age := age_s(pod, view.now)) is not None else None,
        "left over: what it belongs to is complete without it",
    )
    reason = machine_word(pod.reason or pod.status or "failed")
    return pod_fact(view, pod, "status", reason, words, current=False, weight=Weight.NORMAL)


def _generation(pod: Pod) -> str:
    return pod.owner_name or pod.name.rpartition("-")[0]


def _starting(view: View, pod: Pod) -> ClusterFact:
    age = age_s(pod, view.now)
    words = sentence("is starting", _ready_words(pod), f"age {span_text(age)}" if age is not None else None)
    return pod_fact(view, pod, "status", "starting", words, abnormal=False)


def _summaries(view: View) -> Iterator[ClusterFact]:
    """One line a namespace that says how many of its recorded pods are well."""
    counts: dict[str, Counter[Health]] = defaultdict(Counter)
    for pod in view.state.pods.values():
        counts[pod.namespace][view.health_of(pod)] += 1
    for namespace, found in counts.items():
        total = found.total()
        listed = ", ".join(f"{count} {health.value}" for health, count in found.most_common())
        complete = view.state.is_listed("pod", namespace)
        words = f"{total} pods recorded{'' if complete else ' (not a complete list)'}: {listed}"
        values: dict[str, str | float] = {"pods": total, "healthy": found[Health.HEALTHY]}
        yield fact(
            "namespace", namespace, "status", "pods_summary", words, namespace=namespace, abnormal=False, values=values
        )


def _healthy(namespace: str, app: str, pods: list[Pod]) -> ClusterFact:
    done = [pod for pod in pods if pod.status == "Completed" or pod.phase == "Succeeded"]
    running = len(pods) - len(done)
    restarts = sum(pod.restarts or 0 for pod in pods)
    nodes = sorted({pod.node for pod in pods if pod.node})
    where = f"on node{'' if len(nodes) == 1 else 's'} {', '.join(nodes[:5])}" if nodes else None
    words = sentence(
        f"{running} Running and Ready" if running else None,
        f"{len(done)} completed" if done else None,
        restarts_text(restarts),
        where if running else None,
    )
    values: dict[str, str | float] = {"pods": len(pods), "restarts": restarts}
    if nodes:
        values["nodes"] = ", ".join(nodes[:20])
    return fact(
        "app",
        app,
        "status",
        "ready" if running else "completed",
        f"{len(pods)} pod{'' if len(pods) == 1 else 's'}: {words}",
        namespace=namespace,
        app=app,
        abnormal=False,
        values=values,
    )
