"""Signals from metric series: what each role does now against its own baseline and against stated limits.

Thresholds ask for a change that nobody would call noise (factors, not percents) and for the value *now*; a series
that went away and came back is not abnormal, it is a recovery.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from rootproof.agent.playbook.log_space import filling
from rootproof.agent.playbook.metric_roles import Role, client, percent, role, seconds, subject
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal

_CPU_SATURATED = 85.0
_CPU_ELEVATED = 70.0
_NEAR_LIMIT = 0.9
_LAG_S = 30.0
_POOL_FULL = 0.97
_MEMORY_GREW = 1.8
_DISK_SATURATED = 90.0
_IO_WAIT = 30.0
_CREDITS_GONE = 5.0
_LAG_BYTES = 256e6
_STEADY = 0.2
_LIMITS = frozenset({Role.CONNECTION_LIMIT, Role.POOL_LIMIT, Role.MEMORY_LIMIT})
_TRAFFIC_SURGED = 2.0
_ALMOST_A_DAY = timedelta(hours=23)
_TWINS = 0.05
_CLIENT_SESSIONS = 20
_LONG_TRANSACTION_S = 120.0
_IDS_USED = 1e9
_IDS_USED_PERCENT = 50.0


@dataclass(frozen=True, slots=True)
class _Levels:
    """What series are judged against, by subject."""

    connections: Mapping[str, float]
    pools: Mapping[str, float]
    memory: Mapping[str, float]
    usual: frozenset[str]
    """Whose traffic stands where it stood a day before."""


def metric_signals(series: Sequence[SeriesItem], limits: Mapping[str, float]) -> Iterator[Signal]:
    """The signals of every series; `limits` maps subjects (or `""`) to a stated connection limit."""
    levels = _Levels(
        _stated(series, Role.CONNECTION_LIMIT) | dict(limits),
        _stated(series, Role.POOL_LIMIT),
        _stated(series, Role.MEMORY_LIMIT),
        frozenset(subject(item) for item in series if item.day and _as_a_day_before(item)),
    )
    yield from (_signal(item, Kind.LOG_FILLS_DISK, weight=1.5) for item in filling(series))
    for item in series:
        if item.day:
            if _as_a_day_before(item):
                yield _signal(item, Kind.TRAFFIC_USUAL, words=_day_words(item))
        elif _double_counted(item, series):
            yield _signal(item, Kind.METRIC_QUIET, double=True)
        elif role(item) not in _LIMITS:
            yield _judged(item, levels)


def _stated(series: Sequence[SeriesItem], of: Role) -> dict[str, float]:
    """The first stated limit of each subject."""
    return {subject(item): item.last for item in reversed(series) if role(item) is of and item.last > 0}


def _judged(item: SeriesItem, levels: _Levels) -> Signal:
    kind, own = role(item), subject(item)
    judge = _JUDGES.get(kind)
    if kind is Role.TRAFFIC and own in levels.usual and surged(item, _TRAFFIC_SURGED):
        return _signal(item, Kind.METRIC_QUIET)
    if kind is Role.MEMORY_USED and _at_memory_limit(item, levels.memory.get(own)):
        return _signal(item, Kind.MEMORY_AT_LIMIT, weight=1.5, limit=levels.memory[own])
    if kind is Role.POOL_ACTIVE:
        return _pool(item, levels.pools.get(own))
    if kind is Role.CONNECTIONS:
        return _connections(item, levels.connections)
    return judge(item) if judge is not None else _signal(item, Kind.METRIC_QUIET)


def _as_a_day_before(item: SeriesItem) -> bool:
    """Whether it now stands where it stood at this time a day before: a daily peak is no surge."""
    if item.first_at is None or item.last_at is None or item.last_at - item.first_at < _ALMOST_A_DAY:
        return False
    return role(item) is Role.TRAFFIC and 0 < item.last <= 1.2 * item.first


def _day_words(item: SeriesItem) -> str:
    whose = f" of {subject(item)}" if subject(item) else ""
    when = f"{item.first_at:%Y-%m-%d %H:%M} UTC" if item.first_at else "the beginning"
    return f"{item.name}{whose} was {item.first:g} at {when}, and is {item.last:g}"


def _double_counted(item: SeriesItem, every: Sequence[SeriesItem]) -> bool:
    """Whether a series adds up series that measure one thing twice: a total of twins is not a state of anything."""
    of_item = {value for label, value in item.labels.items() if label != "job"}
    parts = [
        one
        for one in every
        if one is not item and one.name != item.name and role(one) is role(item) is not Role.OTHER
        and of_item <= set(one.labels.values()) and len(one.labels) > len(item.labels)
    ]  # fmt: skip
    if len(parts) < 2 or item.last <= 0:
        return False
    low, high = min(one.last for one in parts), max(one.last for one in parts)
    return high - low <= _TWINS * high and abs(sum(one.last for one in parts) - item.last) <= 0.1 * item.last


def _at_memory_limit(item: SeriesItem, limit: float | None) -> bool:
    """Whether what is used has reached its stated maximum; a JVM's heap comes near it between collections."""
    return limit is not None and item.last >= 0.97 * limit and "jvm" not in item.name.lower()


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
    if client(item):
        grew = item.last >= _CLIENT_SESSIONS and surged(item, 2.0)
        return _signal(item, Kind.CLIENT_SESSIONS if grew else Kind.METRIC_QUIET, client=client(item))
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
    in_bytes = "byte" in item.unit.lower() or "bytes" in item.name.lower()
    if now >= (_LAG_BYTES if in_bytes else _LAG_S) and (growth(item) >= 3 or item.low >= item.last * 0.5):
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


def _disk_busy(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    if now is None and not item.unit and 0 <= item.high <= 101:
        now = item.last
    if now is None:
        return _signal(item, Kind.METRIC_QUIET)
    return _signal(item, Kind.DISK_BUSY if now >= _DISK_SATURATED else Kind.DISK_CALM)


def _io_wait(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    return _signal(
        item, Kind.DISK_LATENCY if now is not None and now >= 30 and surged(item, 3.0) else Kind.METRIC_QUIET
    )


def _disk_latency(item: SeriesItem) -> Signal:
    now = seconds(item, item.last)
    return _signal(item, Kind.DISK_LATENCY if now >= 0.015 and surged(item, 3.0) else Kind.METRIC_QUIET)


def _credits(item: SeriesItem) -> Signal:
    now = percent(item, item.last)
    gone = now <= _CREDITS_GONE if now is not None else item.last <= 0.05 * item.high
    spent = item.high > 0 and item.last <= 0.5 * item.high
    return _signal(item, Kind.BURST_EXHAUSTED if gone and spent else Kind.METRIC_QUIET)


def _cache_hits(item: SeriesItem) -> Signal:
    fell = item.last <= 0.75 * baseline(item) and item.last <= item.low + 0.25 * (item.high - item.low)
    return _signal(item, Kind.CACHE_HITS_FELL if fell else Kind.METRIC_QUIET)


def _transaction_age(item: SeriesItem) -> Signal:
    long = seconds(item, item.last) >= _LONG_TRANSACTION_S and surged(item, 3.0)
    return _signal(item, Kind.LONG_TRANSACTION if long else Kind.METRIC_QUIET)


def _checkpoints(item: SeriesItem) -> Signal:
    requested = "req" in item.name.lower() and item.last > 0 and surged(item, 3.0)
    return _signal(item, Kind.CHECKPOINT_FREQUENT if requested else Kind.METRIC_QUIET)


def _slot(item: SeriesItem) -> Signal:
    return _signal(item, Kind.SLOT_RETAINS if item.last >= 1e9 and item.last >= 0.9 * item.high else Kind.METRIC_QUIET)


def _transaction_ids(item: SeriesItem) -> Signal:
    """How many of the 2^31 transaction ids are used: autovacuum keeps it in the hundreds of millions."""
    share = percent(item, item.last) if item.unit else None
    high = share >= _IDS_USED_PERCENT if share is not None else item.last >= _IDS_USED
    left = "remaining" in item.name.lower()
    return _signal(item, Kind.XID_HIGH if high and not left else Kind.METRIC_QUIET)


def _traffic(item: SeriesItem) -> Signal:
    if surged(item, _TRAFFIC_SURGED):
        return _signal(item, Kind.TRAFFIC_SURGE)
    steady = item.high - item.low <= _STEADY * max(item.high, 1e-9)
    return _signal(item, Kind.TRAFFIC_STEADY if steady and item.points >= 5 else Kind.METRIC_QUIET)


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
    Role.TRAFFIC: _traffic,
    Role.LOCKS: _surge(Kind.LOCK_WAITS, 4.0, least=3),
    Role.TRANSACTION_AGE: _transaction_age,
    Role.ACTIVE_SESSIONS: _surge(Kind.ACTIVE_SESSIONS, 3.0, least=5),
    Role.ROWS_SCANNED: _surge(Kind.SCAN_SURGE, 3.0, least=1000),
    Role.DISK_LATENCY: _disk_latency,
    Role.DISK_BUSY: _disk_busy,
    Role.IO_WAIT: _io_wait,
    Role.BURST_CREDITS: _credits,
    Role.CACHE_HITS: _cache_hits,
    Role.CACHE_MISSES: _surge(Kind.CACHE_HITS_FELL, 3.0),
    Role.CACHE_EVICTIONS: _surge(Kind.CACHE_EVICTS, 5.0, least=1),
    Role.CHECKPOINTS: _checkpoints,
    Role.SLOT_RETAINED: _slot,
    Role.TRANSACTION_IDS: _transaction_ids,
    Role.BACKLOG: _surge(Kind.BACKLOG_GROWING, 3.0, least=100),
    Role.POOL_PENDING: _surge(Kind.POOL_EXHAUSTED, 3.0, least=1),
}
