"""Whether nothing is wrong now: a positive finding with its reasons, never the absence of a hypothesis alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.focus import Focus, complaint
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.metric_roles import Role, role
from rootproof.agent.playbook.observations import AlertItem, SeriesItem
from rootproof.agent.playbook.own_metric import own_metrics
from rootproof.agent.playbook.quiet_logs import QuietLogs
from rootproof.agent.playbook.reasoning import Judgement
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet, Topic

ABNORMAL = frozenset(
    {
        Kind.CPU_SATURATED, Kind.CONNECTIONS_AT_LIMIT, Kind.CONNECTIONS_RISING, Kind.LAG_HIGH, Kind.STORAGE_EXHAUSTED,
        Kind.STORAGE_FALLING, Kind.MEMORY_LOW, Kind.WAL_SURGE, Kind.WRITE_SURGE, Kind.READ_SURGE, Kind.LATENCY_SURGE,
        Kind.LOCK_WAITS, Kind.DISK_LATENCY, Kind.DISK_BUSY, Kind.BURST_EXHAUSTED, Kind.CACHE_HITS_FELL,
        Kind.CACHE_EVICTS, Kind.ACTIVE_SESSIONS, Kind.LOCK_WAIT, Kind.DISK_STALLED, Kind.BAD_MESSAGE,
        Kind.QUEUE_SURGE, Kind.POOL_FULL, Kind.CONNECTION_LEAK, Kind.ERRORS_SURGE, Kind.BACKLOG_GROWING, Kind.THROTTLED,
        Kind.CRASH_LOOP, Kind.OOM_KILLED, Kind.PROBE_LIVENESS, Kind.PROBE_READINESS, Kind.PROBE_STARTUP,
        Kind.IMAGE_PULL,
        Kind.UNSCHEDULABLE, Kind.START_ERROR, Kind.CONFIG_ERROR, Kind.MOUNT_FAILED, Kind.STORAGE_CLASS,
        Kind.VOLUME_PENDING, Kind.NODE_NOT_READY, Kind.NODE_PRESSURE, Kind.NODE_POD_LIMIT, Kind.JOB_FAILED, Kind.QUOTA,
        Kind.REPLICAS_MISSING, Kind.NO_ENDPOINTS, Kind.EXIT_ERROR, Kind.CLUSTER_OTHER, Kind.DIAGNOSED,
        Kind.OOM, Kind.OOM_ABORT, Kind.HEAP_EXHAUSTED, Kind.CONN_REFUSED, Kind.CALL_TIMEOUT, Kind.POOL_EXHAUSTED,
        Kind.TOO_MANY_CONNECTIONS, Kind.DNS_FAILURE, Kind.CERT_FAILURE, Kind.AUTH_FAILURE, Kind.ENV_MISSING,
        Kind.COMMAND_MISSING, Kind.SCRIPT_SYNTAX, Kind.SQL_SYNTAX, Kind.DEADLOCK, Kind.DISK_FULL, Kind.DB_UNREACHABLE,
        Kind.CRASH, Kind.HTTP_5XX, Kind.SLOW_CALL, Kind.REPLICATION_BEHIND, Kind.CHECKPOINT_FREQUENT, Kind.OTHER_ERROR,
        Kind.XID_HIGH, Kind.WRAPAROUND,
    }
)  # fmt: skip
_POD_STATE = frozenset({Kind.OBJECT_HEALTHY, Kind.TERMINATING, Kind.RECOVERED})
_COVERS: Mapping[Topic, frozenset[Kind]] = {
    Topic.CPU: frozenset({Kind.CPU_NORMAL, Kind.CPU_ELEVATED}),
    Topic.CONNECTIONS: frozenset({Kind.CONNECTIONS_STEADY}),
    Topic.REPLICATION: frozenset({Kind.LAG_NORMAL}),
    Topic.STORAGE: frozenset({Kind.STORAGE_STEADY, Kind.STORAGE_RECOVERED, Kind.DISK_CALM}),
    Topic.MEMORY: frozenset({Kind.MEMORY_NORMAL, Kind.OBJECT_HEALTHY}),
    Topic.RESTARTS: _POD_STATE,
    Topic.SCHEDULING: _POD_STATE,
    Topic.PROBE: _POD_STATE,
    Topic.IMAGE: _POD_STATE,
    Topic.JOB: _POD_STATE,
    Topic.NODE: _POD_STATE,
    Topic.AVAILABILITY: _POD_STATE,
    Topic.LATENCY: frozenset({Kind.ALERT_QUIET, Kind.METRIC_QUIET}),
    Topic.ERRORS: frozenset({Kind.ALERT_QUIET, Kind.METRIC_QUIET}),
    Topic.IO: frozenset({Kind.METRIC_QUIET, Kind.DISK_CALM}),
    Topic.TRAFFIC: frozenset({Kind.TRAFFIC_STEADY, Kind.TRAFFIC_USUAL}),
}
_NODE_KINDS = frozenset({Kind.OBJECT_HEALTHY, Kind.NODE_NOT_READY, Kind.NODE_PRESSURE})
_GRAVE = frozenset({"critical", "page", "high", "p1", "sev1", "error"})


_ASKS_HEALTH = re.compile(
    r"\b(?:healthy|health|ok(?:ay)?|fine|all right|alright|up and running|(?:any|some)thing wrong"
    r"|any (?:problems?|issues?)|status|is (?:it|everything|all))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Health:
    """The finding."""

    healthy: bool
    reasons: tuple[Signal, ...] = ()
    """What shows it: quiet metrics, ready objects, inactive alerts."""
    past: tuple[Signal, ...] = ()
    """What was abnormal and is over."""
    abnormal: tuple[Signal, ...] = ()
    """What is abnormal now."""
    unseen: tuple[Topic, ...] = ()
    """What the alert complains about and nothing in the evidence speaks of."""


def health(
    signals: SignalSet, about: Focus, judgement: Judgement, briefing: Briefing, quiet: QuietLogs | None = None
) -> Health:
    """Judge health from current signals that concern the run's objects."""
    asked = tokens(complaint(briefing)) - {word for target in about.targets for word in tokens(target)}
    abnormal = tuple(s for s in signals.of(*ABNORMAL) if _concerns(s, about) and not _other_matter(s, asked))
    abnormal += _other_alerts(signals, briefing)
    past = tuple(s for s in signals.of(*ABNORMAL, current=False) if _concerns(s, about))
    own = own_metrics(signals, about, briefing)
    abnormal += tuple(s for s in own.abnormal if s not in abnormal)
    told = {s.evidence_id for s in own.well}
    reasons = (*own.well, *(s for s in _reasons(signals, about) if s.evidence_id not in told))
    if judgement.causes or abnormal:
        return Health(False, reasons, past, abnormal)
    if about.always_firing or (about.routine and reasons):
        return Health(True, reasons, past)
    unseen = tuple(sorted(t for t in about.topics if t in _COVERS and not _covered(t, signals, about)))
    known = [t for t in about.topics if t in _COVERS]
    if quiet is not None and not past and not known and not briefing.alerts and _ASKS_HEALTH.search(briefing.question):
        # An alert complains of something that logs need not tell; a question whether all is well does not.
        return Health(True, reasons)
    enough = (len(unseen) < len(known) if known else bool(reasons)) and not own.untold
    return Health(enough and bool(reasons), reasons, past, (), unseen)


def _other_matter(signal: Signal, asked: frozenset[str]) -> bool:
    """Whether a server's mere warning has no word in common with what is complained about."""
    return bool(signal.values.get("warning")) and not asked & tokens(signal.quote)


def _concerns(signal: Signal, about: Focus) -> bool:
    if not about.targets or about.covers(signal.subject, signal.app):
        return True
    if signal.values.get("fact") is not None:
        # Nodes carry everybody's pods.
        return signal.subject.startswith("node/") and signal.kind in _NODE_KINDS
    # A log line or series that names a target is about it, whoever wrote it.
    return any(target.split("/")[-1] in signal.quote for target in about.targets) or not signal.subject


def _copes(signal: Signal) -> bool:
    """Whether a quiet series says that more traffic is coped with."""
    series = signal.values.get("series")
    if signal.kind is not Kind.METRIC_QUIET or not isinstance(series, SeriesItem):
        return False
    return role(series) in (Role.LATENCY, Role.ERRORS)


def _covered(topic: Topic, signals: SignalSet, about: Focus) -> bool:
    if topic is Topic.TRAFFIC and any(_copes(s) and _concerns(s, about) for s in signals):
        return True
    for signal in signals.of(*_COVERS[topic]):
        if not _concerns(signal, about):
            continue
        if signal.kind is Kind.CONNECTIONS_STEADY and about.severity in _GRAVE and not signal.values.get("limit"):
            # A flat count says nothing while nobody states the limit and the alert is grave.
            continue
        return True
    return False


def _reasons(signals: SignalSet, about: Focus) -> tuple[Signal, ...]:
    quiet = frozenset().union(*_COVERS.values()) | {Kind.ALERT_QUIET, Kind.RECOVERED, Kind.ROLLOUT}
    return tuple(
        s
        for s in signals.items
        if s.kind in quiet and (s.current or s.kind is Kind.TERMINATING or "item" in s.values) and _concerns(s, about)
    )


def _other_alerts(signals: SignalSet, briefing: Briefing) -> tuple[Signal, ...]:
    """Firing alerts of the monitoring system other than the one that started the run."""
    own = {alert.name.lower() for alert in briefing.alerts}
    found = []
    for signal in signals.of(Kind.ALERT_FIRING):
        alert = signal.values.get("alert")
        if isinstance(alert, AlertItem) and alert.name.lower() not in own:
            found.append(signal)
    return tuple(found)
