"""What was there before the trouble began, and is no worse since: background, however loud."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal

_TROUBLE: frozenset[AnyKind] = frozenset(
    {
        Kind.CPU_SATURATED, Kind.CONNECTIONS_AT_LIMIT, Kind.LAG_HIGH, Kind.LATENCY_SURGE, Kind.ERRORS_SURGE,
        Kind.QUEUE_SURGE, Kind.DISK_LATENCY, Kind.DISK_BUSY, Kind.LOCK_WAITS, Kind.ACTIVE_SESSIONS, Kind.SCAN_SURGE,
        Kind.POOL_FULL, Kind.POOL_EXHAUSTED, Kind.BACKLOG_GROWING, Kind.CACHE_HITS_FELL, Kind.STORAGE_EXHAUSTED,
    }
)  # fmt: skip
"""Measurements whose change dates the trouble."""
_STANDING: frozenset[AnyKind] = frozenset({Kind.SQL_SLOW, Kind.RATE_LIMITED, Kind.CALLERS_LIMITED})
"""What may be as it always is."""
_WELL_BEFORE = timedelta(minutes=10)


def trouble_began(signals: Iterable[Signal]) -> datetime | None:
    """When the first of what is measured to be wrong changed; None where nothing measured did."""
    changed = [
        series.changed_at
        for s in signals
        if s.kind in _TROUBLE and isinstance(series := s.values.get("series"), SeriesItem) and series.changed_at
    ]
    return min(changed, default=None)


def without_background(signals: Iterable[Signal]) -> list[Signal]:
    """The signals; those of what was so well before the trouble, and is no slower since, no longer count as current."""
    found = list(signals)
    began = trouble_began(found)
    if began is None:
        return found
    return [replace(s, current=False) if _stands(s, began) else s for s in found]


def _stands(signal: Signal, began: datetime) -> bool:
    if signal.kind not in _STANDING or ("item" in signal.values and not signal.current):
        return False
    return signal.at is not None and signal.at <= began - _WELL_BEFORE and not signal.values.get("slower")
