"""From observations to signals, with what is past told apart from what holds now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from rootproof.agent.playbook.background import without_background
from rootproof.agent.playbook.cluster_signals import alert_signals, fact_signals
from rootproof.agent.playbook.custom_signals import Watch, custom_signals
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.log_signals import connection_limits, log_signals
from rootproof.agent.playbook.metric_signals import metric_signals
from rootproof.agent.playbook.observations import Observations
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal, SignalSet
from rootproof.agent.playbook.upstream import joined
from rootproof.domain.vocabulary import CUSTOM

_CLUSTER_WORDS = frozenset(
    {
        Kind.CRASH_LOOP,
        Kind.PROBE_LIVENESS,
        Kind.PROBE_READINESS,
        Kind.PROBE_STARTUP,
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
_WELL_AGAIN: Mapping[AnyKind, frozenset[AnyKind]] = {
    Kind.STORAGE_RECOVERED: frozenset({Kind.DISK_FULL, Kind.DISK_LOW}),
    Kind.LAG_NORMAL: frozenset({Kind.REPLICATION_BEHIND}),
}
"""What a measurement of now ends."""
_STALE = timedelta(minutes=20)
_QUIET_FOR = timedelta(minutes=10)
_SCRAPE = timedelta(minutes=3)
_ENDED = frozenset({Kind.JOB_FAILED, Kind.CRASH_LOOP, Kind.START_ERROR})
_RUN = timedelta(minutes=30)
"""What was told so long before the last word may belong to an earlier run."""
_MAY_END = ("log.", "cluster.", CUSTOM)
_RECORDED_EARLIER = timedelta(minutes=20)
"""Where the newest record is older than this, the recording has ended: "now" is its end."""


def interpret(seen: Observations, now: datetime, watches: Sequence[Watch] = ()) -> SignalSet:
    """All signals, those of the skills' own patterns too.

    "Now" is the newest observation where the recording ended long before the clock.
    """
    latest = seen.latest()
    reference = latest if latest is not None and now - latest > _RECORDED_EARLIER else now
    found = without_background([*_all(seen, reference), *custom_signals(seen, reference, watches)])
    recovered = [s for s in found if s.kind is Kind.RECOVERED and s.last is not None]
    measured = [s for s in found if s.kind in _WELL_AGAIN]
    healthy = [s for s in found if s.kind is Kind.OBJECT_HEALTHY]
    leaving = [s for s in found if s.kind is Kind.TERMINATING]
    dated = joined(_measured_over(_dated(signal, recovered, healthy, leaving), measured, reference) for signal in found)
    return SignalSet(tuple(_last_words(dated, seen)), _mentioned(seen))


def _last_words(signals: Sequence[Signal], seen: Observations) -> list[Signal]:
    """The signals; what a job or container that runs no more told last is as current as its failure."""
    ended = {s.app for s in signals if s.current and s.kind in _ENDED and "fact" in s.values and s.app}
    newest: dict[str, datetime] = {}
    for log in seen.logs:
        if log.service in ended and log.last is not None:
            newest[log.service] = max(log.last, newest.get(log.service, log.last))
    return [
        replace(s, current=True)
        if s.app in newest and not s.current and _may_be_over(s) and "item" in s.values
        and s.last is not None and s.last >= newest[s.app] - _RUN
        else s
        for s in signals
    ]  # fmt: skip


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
    for signal in metric_signals(seen.series, connection_limits(seen.logs)):
        # A series that ended tells how things stood then.
        stale = signal.last is not None and signal.last < now - _STALE
        yield replace(signal, current=False) if stale else signal
    yield from log_signals(seen.logs, now, {name for fact in seen.facts for name in (fact.object, fact.app or "")})
    yield from fact_signals(seen.facts)
    yield from alert_signals(seen.alerts)


def _dated(signal: Signal, recovered: Iterable[Signal], healthy: Iterable[Signal], leaving: Iterable[Signal]) -> Signal:
    """The signal, made past where something later says that it is over."""
    if not signal.current or not _may_be_over(signal):
        return signal
    if any(_ends(signal, one) for one in recovered):
        return replace(signal, current=False)
    if any(one.subject == signal.subject for one in leaving) and signal.kind is not Kind.NODE_NOT_READY:
        return replace(signal, current=False)
    told_by_log = "fact" not in signal.values
    if told_by_log and signal.kind in _CLUSTER_WORDS and any(one.subject == signal.subject for one in healthy):
        # The state of the object outranks an event that came before it.
        return replace(signal, current=False)
    return signal


def _measured_over(signal: Signal, measured: Iterable[Signal], now: datetime) -> Signal:
    """The signal, made past where a measurement says that it is so no more: words that were told before it changed."""
    if not signal.current or signal.last is None or "item" not in signal.values:
        return signal
    for one in measured:
        over = signal.kind in _WELL_AGAIN[one.kind] and signal.last < now - _QUIET_FOR
        if over and one.at is not None and one.at > signal.last - _SCRAPE and _same_server(one, signal):
            return replace(signal, current=False)
    return signal


def _same_server(measured: Signal, told: Signal) -> bool:
    """Whether the words are of the measured server, or of a client that tells of no other."""
    own = measured.subject
    return not own or same_thing(own, told.subject) or told.subject == told.app


def _may_be_over(signal: Signal) -> bool:
    return (
        signal.kind.value.startswith(_MAY_END)
        and "series" not in signal.values
        and signal.kind
        not in (
            Kind.RECOVERED,
            Kind.OBJECT_HEALTHY,
        )
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
