"""From observations to signals, with what is past told apart from what holds now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from rootproof.agent.playbook.cluster_signals import alert_signals, fact_signals
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.log_signals import connection_limits, log_signals
from rootproof.agent.playbook.metric_signals import metric_signals
from rootproof.agent.playbook.observations import Observations
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet
from rootproof.agent.playbook.upstream import joined

_CLUSTER_WORDS = frozenset(
    {
        Kind.CRASH_LOOP,
        Kind.PROBE_LIVENESS,
        Kind.PROBE_READINESS,
        Kind.NODE_NOT_READY,
        Kind.MOUNT_FAILED,
        Kind.EVICTED,
        Kind.UNSCHEDULABLE,
        Kind.UNSCHEDULABLE_CPU,
        Kind.UNSCHEDULABLE_MEMORY,
        Kind.IMAGE_PULL,
        Kind.OOM_KILLED,
        Kind.REPLICAS_MISSING,
        Kind.EXIT_ERROR,
    }
)
_RECORDED_EARLIER = timedelta(minutes=20)
"""Where the newest record is older than this, the recording has ended: "now" is its end."""


def interpret(seen: Observations, now: datetime) -> SignalSet:
    """All signals. "Now" is the newest observation where the recording ended long before the clock."""
    latest = seen.latest()
    reference = latest if latest is not None and now - latest > _RECORDED_EARLIER else now
    found = list(_all(seen, reference))
    recovered = [s for s in found if s.kind is Kind.RECOVERED and s.last is not None]
    healthy = [s for s in found if s.kind is Kind.OBJECT_HEALTHY]
    leaving = [s for s in found if s.kind is Kind.TERMINATING]
    dated = joined(_dated(signal, recovered, healthy, leaving) for signal in found)
    return SignalSet(tuple(dated), _mentioned(seen))


def revived(signals: SignalSet) -> SignalSet:
    """The same with what logs and events told of the past taken as present: how things stood when it failed."""
    return replace(
        signals, items=tuple(replace(s, current=True) if not s.current and _may_be_over(s) else s for s in signals)
    )


def _mentioned(seen: Observations) -> frozenset[str]:
    return frozenset(
        str(call.arguments["contains"])
        for call in seen.named("query_logs")
        if call.arguments.get("contains") and call.status == "OK"
    )


def _all(seen: Observations, now: datetime) -> Iterator[Signal]:
    yield from metric_signals(seen.series, connection_limits(seen.logs))
    yield from log_signals(seen.logs, now)
    yield from fact_signals(seen.facts)
    yield from alert_signals(seen.alerts)


def _dated(signal: Signal, recovered: Iterable[Signal], healthy: Iterable[Signal], leaving: Iterable[Signal]) -> Signal:
    """The signal, made past where something later says that it is over."""
    if not signal.current or not _may_be_over(signal):
        return signal
    if any(_ends(signal, one) for one in recovered):
        return replace(signal, current=False)
    if any(one.subject == signal.subject for one in leaving):
        return replace(signal, current=False)
    told_by_log = "fact" not in signal.values
    if told_by_log and signal.kind in _CLUSTER_WORDS and any(one.subject == signal.subject for one in healthy):
        # The state of the object outranks an event that came before it.
        return replace(signal, current=False)
    return signal


def _may_be_over(signal: Signal) -> bool:
    return signal.kind.value.startswith(("log.", "cluster.")) and signal.kind not in (
        Kind.RECOVERED,
        Kind.OBJECT_HEALTHY,
    )


def _ends(signal: Signal, recovery: Signal) -> bool:
    if signal.evidence_id == recovery.evidence_id:
        # One line that tells of a fault and its end in one breath.
        return signal.kind in _CLUSTER_WORDS
    if signal.last is None or recovery.last is None or recovery.last <= signal.last:
        return False
    related = same_thing(signal.subject, recovery.subject) or same_thing(signal.app, recovery.app)
    named = any(part and part in recovery.quote for part in (signal.subject.split("/", 1)[-1], signal.app))
    return related or named
