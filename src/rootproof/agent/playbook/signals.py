"""Signals: what an observation means, whatever its source calls it. Hypotheses are written in signals only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rootproof.domain.vocabulary import AnyKind, Kind, Topic

__all__ = ["AnyKind", "Kind", "Signal", "SignalSet", "Topic"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One meaning found in one evidence item."""

    kind: AnyKind
    evidence_id: str
    subject: str
    """The series' instance, the log's service, or the object (`pod/x`); empty where the item names none."""
    quote: str
    """Words that stand in the evidence's text."""
    app: str = ""
    """The workload, where it is known."""
    current: bool = True
    """Whether it holds at the time of the diagnosis, or belongs to the past."""
    at: datetime | None = None
    """Onset."""
    last: datetime | None = None
    count: int = 1
    weight: float = 1.0
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the words say in parts: `value`, `limit`, `peer`, `statement`, ..."""


@dataclass(frozen=True, slots=True)
class SignalSet:
    """All signals of a run."""

    items: tuple[Signal, ...] = ()
    mentioned: frozenset[str] = frozenset()
    """Words that were searched for in the logs and found: a bounded result may cut the line before the word."""

    def __iter__(self) -> Iterator[Signal]:
        return iter(self.items)

    def of(self, *kinds: AnyKind, current: bool | None = True) -> tuple[Signal, ...]:
        """The signals of these kinds; `current=None` for past ones too."""
        wanted = frozenset(kinds)
        return tuple(s for s in self.items if s.kind in wanted and (current is None or s.current == current))

    def where(self, keep: Iterable[Signal]) -> SignalSet:
        """A set of only these."""
        return SignalSet(tuple(keep))
