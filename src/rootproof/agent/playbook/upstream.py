"""A dependency that died before its callers were refused: its own last words are the cause of theirs.

A death is told once and then there is silence, so it soon looks old; the refusals that follow show that it lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from rootproof.agent.playbook.signals import Kind, Signal

_DEATHS = frozenset({Kind.OOM, Kind.OOM_ABORT, Kind.HEAP_EXHAUSTED, Kind.CRASH, Kind.DISK_FULL})
_REFUSALS = frozenset({Kind.CONN_REFUSED, Kind.DB_UNREACHABLE})
_BEFORE = timedelta(minutes=15)
_SKEW = timedelta(minutes=1)


def joined(signals: Iterable[Signal]) -> list[Signal]:
    """The signals, with the deaths of dependencies under the name that callers use, as current as the refusals."""
    found = list(signals)
    refusals = [s for s in found if s.kind in _REFUSALS and s.values.get("peer") and s.at is not None]
    return [
        _felt(signal, refusals) if signal.kind in _DEATHS and "item" in signal.values else signal for signal in found
    ]


def _felt(death: Signal, refusals: Sequence[Signal]) -> Signal:
    for refusal in refusals:
        name = str(refusal.values["peer"]).split(".", 1)[0]
        if refusal.at is None or death.last is None or not one_service(death.app, name) or death.app == refusal.app:
            continue
        if refusal.at - _BEFORE <= death.last and (death.at or death.last) <= refusal.at + _SKEW:
            return replace(
                death,
                subject=name,
                app=name,
                current=death.current or refusal.current,
                values={**death.values, "felt": refusal},
            )
    return death


def one_service(log: str, name: str) -> bool:
    """Whether the name of a log and a host's name mean one service: `redis` writes what `redis-cart` is."""
    left, right = log.lower(), name.lower()
    if not left or not right:
        return False
    short, long = sorted((left, right), key=len)
    return short == long or (len(short) >= 3 and (long.startswith(f"{short}-") or long.endswith(f"-{short}")))
