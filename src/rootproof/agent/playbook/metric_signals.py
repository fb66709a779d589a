"""Signals from metric series: what each role does now against its own baseline and against stated limits.

Thresholds ask for a change that nobody would call noise (factors, not percents) and for the value *now*; a series
that went away and came back is not abnormal, it is a recovery.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from rootproof.agent.playbook.metric_roles import Role, percent, role, seconds, subject
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal

_CPU_SATURATED = 85.0
_CPU_ELEVATED = 70.0
_NEAR_LIMIT = 0.9
_LAG_S = 30.0
_POOL_FULL = 0.97
_MEMORY_GREW = 1.8


def metric_signals(series: Sequence[SeriesItem], limits: Mapping[str, float]) -> Iterator[Signal]:
    """The signals of every series; `limits` maps subjects (or `""`) to a stated connection limit."""
    stated = dict(limits)
    for item in series:
        if role(item) is Role.CONNECTION_LIMIT and item.last > 0:
            stated.setdefault(subject(item), item.last)
    pools = {subject(item): item.last for item in series if role(item) is Role.POOL_LIMIT and item.last > 0}
    for item in series:
        kind = role(item)
        judge = _JUDGES.get(kind)
        if kind is Role.POOL_ACTIVE:
            yield _pool(item, pools.get(subject(item)))
        elif kind is Role.CONNECTIONS:
            yield _connections(item, stated)
        elif judge is not None:
            yield judge(item)
        elif kind not in (Role.CONNECTION_LIMIT, Role.POOL_LIMIT):
            yield _signal(item, Kind.METRIC_QUIET)


def baseline(item: SeriesItem) -> float:
    """The level before the change; the first value where no change point was found.

    In a slow climb the `before` of a change lies inside the climb, so the first value wins where it is further off.
    """
    if item.before is None:
        return item.first
    return item.first if abs(item.last - item.first) > abs(item.last - item.before) else item.before


def growth(item: SeriesItem) -> float:
    """How many times the baseline the last value is; large where the baseline is 0."""
    base = abs(baseline(item))
    if base < 1e-9:
        return 1.0 if abs(item.last) < 1e-9 else 1e6
    return item.last / base


def surged(item: SeriesItem, factor: float) -> bool:
    """Whether the series now stands at `factor` times its baseline, and not on a spike that is over."""
    return growth(item) >= factor and item.last >= 0.5 * item.high


def _signal(item: SeriesItem, kind: Kind, *, weight: float = 1.0, **values: Any) -> Signal:
    return Signal(
        kind,
        item.evidence_id,
        subject(item),
        quote="",
        at=_onset(item),
        last=item.last_at,
        weight=weight,
        values={"series": item, **values},
    )


def _onset(item: SeriesItem) -> datetime | None:
    return item.changed_at or item.first_at


def _cpu(item: SeriesItem) -> Signal:
    now, mean = percent(item, item.last), percent(item, item.mean)
    if now is None or mean is None:
        return _signal(item, Kind.METRIC_QUIET)
    if now >= _CPU_SATURATED:
        return _signal(item, Kind.CPU_SATURATED, weight=1.0 + (mean >= _CPU_SATURATED) * 0.5)
    # Swings that come back down are traffic; a level that stays up is a state.
    if now >= _CPU_ELEVATED or (surged(item, 2.0) and now >= 30):
        return _signal(item, Kind.CPU_ELEVATED)
    return _signal(item, Kind.CPU_NORMAL)


def _connections(item: SeriesItem, limits: Mapping[str, float]) -> Signal:
    own = subject(item)
    limit = limits.get(own, limits.get(""))
    if limit is None:
        limit = percent_limit(item)
    if limit and item.last >= _NEAR_LIMIT * limit:
        return _signal(item, Kind.CONNECTIONS_AT_LIMIT, weight=1.5, limit=limit)
    if item.high > 0 and item.last <= 0.3 * item.first and item.first >= 5:
        return _signal(item, Kind.CONNECTIONS_DROPPED)
    if item.low <= 0.2 * item.first and item.first >= 5:
        return _signal(item, Kind.CONNECTIONS_DROPPED, recovered=True)
    if surged(item, 1.4) and item.last >= 0.9 * item.high:
        return _signal(item, Kind.CONNECTIONS_RISING, limit=limit)
    return _signal(item, Kind.CONNECTIONS_STEADY, limit=limit)


def _pool(item: SeriesItem, limit: float | None) -> Signal:
    """A client's pool whose connections are all taken; one that only rises says nothing while its size is unknown."""
    full = limit is not None and item.last >= _POOL_FULL * limit
    return _signal(item, Kind.POOL_FULL if full else Kind.METRIC_QUIET, limit=limit)


def percent_limit(item: SeriesItem) -> float | None:
    """100 for a connection series that is itself a utilisation in percent."""
    return 100.0 if item.unit.lower() in ("percent", "%") else None


def _lag(item: SeriesItem) -> Signal:
    now = seconds(item, item.last)
    if now >= _LAG_S and (growth(item) >= 3 or item.low >= item.last * 0.5):
        return _signal(item, Kind.LAG_HIGH, weight=1.5)
    return _signal(item, Kind.LAG_NORMAL)


def _free_storage(item: SeriesItem) -> Signal:
    if item.last <= 0.02 * item.high or (item.last <= 0.5 * item.first and item.last <= 1.1 * item.low):
        return _signal(item, Kind.STORAGE_EXHAUSTED, weight=1.5)
    if item.low <= 0.6 * item.first and item.last >= 1.5 * item.low:
        return _signal(item, Kind.STORAGE_RECOVERED)
    if item.last <= 0.9 * item.first and item.last <= 1.05 * item.low:
        return _signal(item, Kind.STORAGE_FALLING)
    return _signal(item, Kind.STORAGE_STEADY)


def _storage_used(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    if now is not None and now >= 92:
        return _signal(item, Kind.STORAGE_EXHAUSTED, weight=1.5)
    return _signal(item, Kind.STORAGE_STEADY if now is not None else Kind.METRIC_QUIET)


def _free_memory(item: SeriesItem) -> Signal:
    if item.last <= 0.4 * item.first and item.last <= 1.1 * item.low:
        return _signal(item, Kind.MEMORY_LOW)
    return _signal(item, Kind.MEMORY_NORMAL)


def _memory_used(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    if now is not None and now >= 92:
        return _signal(item, Kind.MEMORY_LOW)
    if now is None and surged(item, _MEMORY_GREW) and item.last >= 0.9 * item.high:
        return _signal(item, Kind.MEMORY_GROWING)
    return _signal(item, Kind.MEMORY_NORMAL)


def _latency(item: SeriesItem) -> Signal:
    now = seconds(item, item.last)
    # A tenfold rise far below what anyone can feel is not a symptom.
    if now >= 0.02 and surged(item, 3.0):
        return _signal(item, Kind.LATENCY_SURGE)
    return _signal(item, Kind.METRIC_QUIET)


def _queue(item: SeriesItem) -> Signal:
    return _signal(item, Kind.QUEUE_SURGE if item.last >= 5 and surged(item, 4.0) else Kind.METRIC_QUIET)


def _reads(item: SeriesItem) -> Signal:
    if surged(item, 2.5):
        return _signal(item, Kind.READ_SURGE)
    heavy = item.low >= 5_000 and "byte" not in item.unit.lower()
    return _signal(item, Kind.READS_HEAVY if heavy else Kind.METRIC_QUIET)


def _surge(kind: Kind, factor: float, least: float = 0.0) -> Callable[[SeriesItem], Signal]:
    def judge(item: SeriesItem) -> Signal:
        return _signal(item, kind if item.last >= least and surged(item, factor) else Kind.METRIC_QUIET)

    return judge


def _throttling(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    over = (now is not None and now >= 25) or (now is None and surged(item, 3.0))
    return _signal(item, Kind.THROTTLED if over else Kind.METRIC_QUIET)


_JUDGES: Mapping[Role, Callable[[SeriesItem], Signal]] = {
    Role.CPU: _cpu,
    Role.CPU_THROTTLING: _throttling,
    Role.REPLICATION_LAG: _lag,
    Role.FREE_STORAGE: _free_storage,
    Role.STORAGE_USED: _storage_used,
    Role.FREE_MEMORY: _free_memory,
    Role.MEMORY_USED: _memory_used,
    Role.LATENCY: _latency,
    Role.QUEUE_DEPTH: _queue,
    Role.WRITES: _surge(Kind.WRITE_SURGE, 2.5),
    Role.READS: _reads,
    Role.TRANSACTION_LOG: _surge(Kind.WAL_SURGE, 2.5),
    Role.ERRORS: _surge(Kind.ERRORS_SURGE, 3.0),
    Role.TRAFFIC: _surge(Kind.TRAFFIC_SURGE, 2.0),
    Role.BACKLOG: _surge(Kind.BACKLOG_GROWING, 3.0, least=100),
    Role.POOL_PENDING: _surge(Kind.POOL_EXHAUSTED, 3.0, least=1),
}
