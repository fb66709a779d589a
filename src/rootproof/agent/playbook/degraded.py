"""Where slowness comes from in a call graph: the deepest slow service, or the node that all of those run on.

A service that is slow because what it calls is slow is not the cause. What is left, the slow services whose callees
are not slow, are the places to look at: busy (CPU), alone (its own network), or all on one node (the node's network).
Nothing is named without measurements, a recorded call graph and, for nodes, recorded placement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from rootproof.agent.playbook.focus import stem
from rootproof.agent.playbook.hypothesis import Action, CauseSpec, Hypothesis, Scope, need
from rootproof.agent.playbook.metric_roles import Role, role, subject, words
from rootproof.agent.playbook.observations import AlertItem, SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet, Topic
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.domain.claim import CauseCategory

_TIMES_WORSE = 5.0
_LASTING = 2.0
_FELT_MS = 20.0
_CPU_TIMES = 2.5
_DROP = 0.6
_TRAFFIC = frozenset({"receive", "transmit", "received", "transmitted", "sent"})
_RETRANSMITS = re.compile(r"retransmi|retrans\b|packet loss|packets? (?:lost|dropped)", re.IGNORECASE)
_LATENCY_WORDS = re.compile(r"latency|slow response|response time", re.IGNORECASE)
_TYPICAL = ("p50", "median", "avg", "mean", "p75", "p90", "p95", "p99")
_EXPLAINS = frozenset({Topic.LATENCY, Topic.ERRORS, Topic.AVAILABILITY, Topic.NETWORK, Topic.TRAFFIC})
_WARM_UP = timedelta(seconds=20)


def _spec(
    cause_id: str, category: CauseCategory, title: str, sentence: str, decide: str, *actions: Action
) -> CauseSpec:
    scope = Scope.NODE if cause_id.startswith("node_") else Scope.WORKLOAD
    return CauseSpec(
        cause_id, category, title, sentence, sentence, (need(Kind.SLOW_SERVICE),), _EXPLAINS, scope, actions=actions,
        decide=decide, ruled_out=f"No sign of {title}",
    )  # fmt: skip


_POD_DELAY = _spec(
    "pod_network_delay", CauseCategory.NETWORK_FAILURE, "a slow network at one workload",
    "{subject} is slow and waits for nobody slower, which points to the network of its pod",
    "query_metrics of the workload: latency against CPU, and round-trip times to its pod",
    Action("Measure round-trip time and retransmissions to the pod from its node and from another one."),
    Action("Restart the pod, on another node if that is possible.", "low: it is replaced"),
)  # fmt: skip
_NODE_DELAY = _spec(
    "node_network_delay", CauseCategory.NETWORK_FAILURE, "a slow network at one node",
    "The slow services that wait for nobody slower all run on {object}, which points to its network",
    "query_metrics of the node's network: delay, drops, retransmissions",
    Action("Measure round-trip times from that node to the others."),
    Action("Cordon the node and move its pods.", "medium: its pods restart elsewhere"),
)  # fmt: skip
_NODE_LOSS = _spec(
    "node_network_packet_loss", CauseCategory.NETWORK_FAILURE, "packet loss at one node",
    "{object} loses packets in its network, so calls from and to its pods are slow",
    "query_metrics of the node: TCP retransmissions and interface errors",
    Action("Compare retransmissions and interface errors of that node with those of the others."),
    Action("Cordon the node and move its pods.", "medium: its pods restart elsewhere"),
)  # fmt: skip
_POD_CPU = _spec(
    "pod_cpu_overload", CauseCategory.RESOURCE_EXHAUSTION, "a workload short of CPU",
    "{subject} is slow because it is short of CPU",
    "query_metrics of the workload: CPU use and throttling",
    Action("See what the process does with its CPU, and give it more or another replica.", "low: its pods restart"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Measured:
    """A service's series of one role."""

    app: str
    signal: Signal
    series: SeriesItem


def localised(signals: SignalSet, around: Surroundings) -> Iterator[Hypothesis]:
    """At most one hypothesis: the place that the slowness comes from; none where the evidence does not decide."""
    lossy = _lossy_node(signals)
    if lossy is not None:
        yield _hypothesis(_NODE_LOSS, f"node/{lossy[0]}", (lossy[1], *_slow_alerts(signals)))
        return
    if not around.calls:
        return
    measured = _by_app(signals, around)
    slow = {app: m for app, m in measured.items() if _is_slow(m.series)}
    if not slow:
        # Where the typical request is as fast as ever, the slowest ones tell.
        measured = _by_app(signals, around, tail=True)
        slow = {app: m for app, m in measured.items() if _is_slow(m.series)}
    leaves = {app: m for app, m in slow.items() if not around.calls.get(app, frozenset()) & slow.keys()}
    if not leaves or len(measured) < 2 or len(slow) == len(measured) > 2:
        return
    busy = {app: found for app in leaves if (found := _cpu_of(app, signals, around)) is not None}
    if busy:
        app, cpu = next(iter(busy.items()))
        if len(leaves) == 1:
            yield _hypothesis(_POD_CPU, app, (leaves[app].signal, *cpu))
        return
    if len(leaves) == 1:
        app, only = next(iter(leaves.items()))
        starved = _traffic_drop(app, signals, around)
        if starved is not None:
            yield _hypothesis(_POD_DELAY, app, (only.signal, starved))
        return
    nodes = {around.nodes.get(app) for app in leaves}
    node = next(iter(nodes))
    starved = next((drop for app in leaves if (drop := _traffic_drop(app, signals, around)) is not None), None)
    if len(nodes) == 1 and node is not None and starved is not None:
        slowest = sorted(leaves.values(), key=lambda m: -m.series.high)
        placed = [around.placed[m.app] for m in slowest[:2]]
        yield _hypothesis(_NODE_DELAY, f"node/{node}", (slowest[0].signal, slowest[1].signal, *placed, starved))


def _hypothesis(spec: CauseSpec, subject_: str, matched: Sequence[Signal]) -> Hypothesis:
    return Hypothesis(spec, subject_, tuple(matched))


def _by_app(signals: SignalSet, around: Surroundings, *, tail: bool = False) -> dict[str, _Measured]:
    """For each known service the latency series that tells of its typical request, or of its slowest ones."""
    sign = -1 if tail else 1
    found: dict[str, _Measured] = {}
    for signal in signals:
        series = signal.values.get("series")
        if not isinstance(series, SeriesItem) or role(series) is not Role.LATENCY:
            continue
        app = owner(series, around)
        if app is not None and (app not in found or sign * _rank(series) < sign * _rank(found[app].series)):
            found[app] = _Measured(app, _as_slow(signal, app), series)
    return found


def _as_slow(signal: Signal, app: str) -> Signal:
    series = signal.values["series"]
    return Signal(
        Kind.SLOW_SERVICE, signal.evidence_id, "", "", app=app, at=series.changed_at, last=series.last_at, weight=1.5,
        values={"series": series, "words": f"{series.name} was between {series.low:g} and {series.high:g}"},
    )  # fmt: skip


def _rank(series: SeriesItem) -> int:
    told = "".join(words(series.name)) + " ".join(series.labels.values())
    return next((i for i, word in enumerate(_TYPICAL) if word in told), len(_TYPICAL))


def owner(series: SeriesItem, around: Surroundings) -> str | None:
    """The known service that a series is about: by its labels, else by the start of its name."""
    labelled = stem(subject(series))
    if labelled in around.known:
        return labelled
    name = series.name.lower()
    named = [app for app in around.known if name.startswith((f"{app}-", f"{app}_", f"{app}."))]
    return max(named, key=len, default=None)


def _is_slow(series: SeriesItem) -> bool:
    """A lasting rise to several times the level it began with, after any warm-up, that people feel."""
    unit = series.unit.lower()
    felt = _FELT_MS / 1000 if unit in ("s", "seconds", "second") else _FELT_MS
    late = series.high_at is None or series.first_at is None or series.high_at - series.first_at > _WARM_UP
    base = max(min(series.first, series.low), 1e-9)
    # A start that is itself slow (a cold cache) must not hide what came later, nor stand for it.
    worse = series.high >= max(felt, _TIMES_WORSE * base, 1.5 * series.first)
    return late and worse and series.mean >= _LASTING * base


def _cpu_of(app: str, signals: SignalSet, around: Surroundings) -> tuple[Signal, ...] | None:
    """CPU use of a service that rose with its latency, and its throttling; throttling alone says nothing."""
    rose: list[Signal] = []
    used = False
    for signal in signals:
        series = signal.values.get("series")
        if not isinstance(series, SeriesItem) or owner(series, around) != app:
            continue
        told = set(words(series.name))
        if not told & {"cpu", "cfs", "throttled", "throttling"} or told & {"limit", "request"}:
            continue
        base = max(series.first, series.low, 1e-6)
        if series.high >= _CPU_TIMES * base and series.mean >= 1.5 * base:
            rose.append(_as_slow(signal, app))
            used = used or not told & {"cfs", "throttled", "throttling"}
    return tuple(rose[:2]) if used else None


def _traffic_drop(app: str, signals: SignalSet, around: Surroundings) -> Signal | None:
    """A series that shows that the network traffic of the service fell while its latency rose."""
    for signal in signals:
        series = signal.values.get("series")
        if not isinstance(series, SeriesItem) or owner(series, around) != app:
            continue
        told = set(words(series.name))
        if "network" in told and told & _TRAFFIC and series.low <= _DROP * series.first:
            return _as_slow(signal, app)
    return None


def _lossy_node(signals: SignalSet) -> tuple[str, Signal] | None:
    """The only node for which the monitoring system or a series tells of lost packets."""
    found: dict[str, Signal] = {}
    for signal in signals.of(Kind.ALERT_FIRING):
        alert = signal.values.get("alert")
        if isinstance(alert, AlertItem) and _RETRANSMITS.search(f"{alert.name} {alert.summary}"):
            node = next((alert.labels[key] for key in ("node", "instance", "host") if alert.labels.get(key)), "")
            if node:
                found[node] = signal
    if len(found) != 1:
        return None
    node, signal = next(iter(found.items()))
    return node, Signal(
        Kind.SLOW_SERVICE, signal.evidence_id, f"node/{node}", signal.quote, at=signal.at, weight=2.0,
        values={**signal.values},
    )  # fmt: skip


def _slow_alerts(signals: SignalSet) -> list[Signal]:
    slow = []
    for signal in signals.of(Kind.ALERT_FIRING):
        alert = signal.values.get("alert")
        if isinstance(alert, AlertItem) and _LATENCY_WORDS.search(f"{alert.name} {alert.summary}"):
            slow.append(signal)
    return slow[:2]
