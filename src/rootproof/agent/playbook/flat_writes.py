"""Against "write load": writes and transaction log that stayed level while the trouble grew."""

from __future__ import annotations

from dataclasses import replace

from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.metric_roles import Role, role
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.servers import one_server
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal, SignalSet

_RISEN: frozenset[AnyKind] = frozenset({Kind.WAL_SURGE, Kind.WRITE_SURGE})
_GREW: frozenset[AnyKind] = frozenset({Kind.LAG_HIGH})
_LEVEL = 1.4
_FROM = 0.2
_LEAST_POINTS = 5


def flat_writes(found: Hypothesis, signals: SignalSet) -> tuple[Signal, ...]:
    """The level series; empty where writes rose, where none is recorded, or where the trouble was there from the start.

    A statement that waits for its own writes shows that it writes, not that it writes more than before.
    """
    if found.spec.cause_id != "replication_lag_write_load" or found.kinds & _RISEN:
        return ()
    grew = [s for s in found.matched if s.kind in _GREW and isinstance(one := s.values.get("series"), SeriesItem)
            and one.first <= _FROM * one.last]  # fmt: skip
    if not grew:
        return ()
    level = [s for s in signals if _is_level(s) and one_server(s.subject, found.subject)]
    first = sorted(level, key=lambda s: role_of(s) is not Role.TRANSACTION_LOG)[:2]
    return tuple(replace(s, values={**s.values, "instead": "Writes did not rise"}) for s in first)


def role_of(signal: Signal) -> Role:
    """The role of a signal's series; OTHER where it has none."""
    series = signal.values.get("series")
    return role(series) if isinstance(series, SeriesItem) else Role.OTHER


def _is_level(signal: Signal) -> bool:
    series = signal.values.get("series")
    if not isinstance(series, SeriesItem) or role_of(signal) not in (Role.TRANSACTION_LOG, Role.WRITES):
        return False
    return series.points >= _LEAST_POINTS and 0 < series.high <= _LEVEL * series.low
