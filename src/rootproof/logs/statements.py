"""Slow statements by digest: which ones cost the most time, with exact counts.

Records in, `Run`s of statements out of them (`run_of`), and runs into digests (`digests`): all runs of one statement,
whatever its values. Invariant: the counts of all digests and of `other` together are the number of runs.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from rootproof.logs.statements_sql import normalise

MAX_DIGESTS = 5_000
"""Statements that are told apart; the runs of later ones are counted together."""
_MAX_NAMES = 1_000
"""Users, hosts or databases of a statement that are told apart."""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a statement."""

    statement: str
    took: float
    """In seconds where `timed`, else in the unit of the log, which does not say it."""
    timed: bool = True
    at: datetime | None = None
    """When it was logged: at its end."""
    service: str | None = None
    rows_examined: float | None = None
    rows_sent: float | None = None
    lock_s: float | None = None
    database: str | None = None
    user: str | None = None
    host: str | None = None


@dataclass(slots=True)
class Digest:
    """All runs of one statement in one service. Sums are None where no run has the number."""

    statement: str
    """Without values; empty for the runs of all statements beyond `MAX_DIGESTS`."""
    service: str | None
    timed: bool
    example: str = ""
    """The longest run's statement as it was logged: not redacted."""
    first: datetime | None = None
    last: datetime | None = None
    rows_examined: float | None = None
    rows_sent: float | None = None
    lock_s: float | None = None
    databases: set[str] = field(default_factory=set)
    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    _times: array[float] = field(default_factory=lambda: array("d"))
    _longest: float = -1.0

    @property
    def count(self) -> int:
        """How many runs."""
        return len(self._times)

    @property
    def total(self) -> float:
        """The time of all runs together."""
        return math.fsum(self._times)

    @property
    def mean(self) -> float:
        """The time of a run on average."""
        return self.total / max(1, self.count)

    @property
    def longest(self) -> float:
        """The time of the longest run."""
        return self._longest

    def percentile(self, share: float) -> float:
        """The time that `share` of the runs do not exceed: the nearest rank, so always a time that was measured."""
        ordered = sorted(self._times)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0

    def add(self, run: Run) -> None:
        """Count a run."""
        self._times.append(run.took)
        if run.took > self._longest:
            self._longest, self.example = run.took, run.statement
        self.rows_examined = _sum(self.rows_examined, run.rows_examined)
        self.rows_sent = _sum(self.rows_sent, run.rows_sent)
        self.lock_s = _sum(self.lock_s, run.lock_s)
        if run.at is not None:
            self.first = run.at if self.first is None else min(self.first, run.at)
            self.last = run.at if self.last is None else max(self.last, run.at)
        for names, name in ((self.databases, run.database), (self.users, run.user), (self.hosts, run.host)):
            if name and len(names) < _MAX_NAMES:
                names.add(name)


@dataclass(frozen=True, slots=True)
class Digests:
    """The statements of a slow log."""

    ranked: tuple[Digest, ...]
    """Most time first; those without a unit after the others."""
    other: Digest
    """The runs of statements beyond the cap: its `statement` is empty."""

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return sum(digest.count for digest in self.ranked) + self.other.count

    @property
    def total_s(self) -> float:
        """The time of all runs whose unit is known."""
        return math.fsum(digest.total for digest in (*self.ranked, self.other) if digest.timed)


def digests(runs: Iterable[Run], *, most: int = MAX_DIGESTS) -> Digests:
    """`runs` by statement and service. Memory: one number a run, and `most` statements."""
    found: dict[tuple[str | None, str, bool], Digest] = {}
    shapes: dict[str, str] = {}
    other = Digest("", None, timed=True)
    for run in runs:
        shape = shapes.get(run.statement)
        if shape is None:
            shape = normalise(run.statement) or "?"
            if len(shapes) < most:
                shapes[run.statement] = shape
        key = (run.service, shape, run.timed)
        digest = found.get(key)
        if digest is None:
            if len(found) >= most:
                other.add(run)
                other.timed = other.timed and run.timed
                continue
            digest = found[key] = Digest(shape, run.service, run.timed)
        digest.add(run)
    ranked = sorted(found.values(), key=lambda digest: (not digest.timed, -digest.total, digest.statement))
    return Digests(tuple(ranked), other)


def _sum(total: float | None, more: float | None) -> float | None:
    return total if more is None else (total or 0.0) + more
