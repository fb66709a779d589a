"""One fact about the cluster, as the projector and the reasoner take it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from rootproof.domain.cutting import within


class Weight(IntEnum):
    """How near a fact is to a root cause; lower comes first."""

    CAUSE = 0
    """Something declared or configured is wrong, or a component is down, and the text proves it."""
    FAILURE = 1
    """Something fails; the fact says how, not why."""
    CONSEQUENCE = 2
    """Follows from another failure (unready replicas, a Service without endpoints)."""
    LEAD = 3
    """Odd, and worth comparing with other evidence; proves nothing alone."""
    NORMAL = 4
    """As it should be, or history."""


@dataclass(frozen=True, slots=True)
class ClusterFact:
    """One statement about one object. `text` alone holds every value, in words, on one line; identifiers are raw."""

    object: str
    """`pod/NAME`, `node/NAME`, `deployment/NAME`, `namespace/NAME`, ..."""
    kind: str
    name: str
    namespace: str | None
    app: str | None
    """The workload that the object belongs to or that is hit, where one is known."""
    aspect: str
    """`status`, `termination`, `event`, `condition`, `resources`, `probe`, `image`, `mount`, `volume`, `scheduling`,
    `endpoints`, `quota`, `node`, `connectivity`, `restart`, `replicas`, `env`, `command`, `change`, ..."""
    reason: str
    """A stable machine word; `taxonomy.CAUSE_OF_REASON` names the cause it stands for, where it stands for one."""
    abnormal: bool
    current: bool
    """Whether it is true now; False for what is over, recovered or going away."""
    text: str
    values: Mapping[str, str | float] = field(default_factory=dict)
    """Numbers with their unit in the key (`restarts`, `exit_code`, `memory_limit_bytes`)."""
    first_at: datetime | None = None
    last_at: datetime | None = None
    count: int | None = None
    weight: Weight = Weight.FAILURE


@dataclass(frozen=True, slots=True)
class Focus:
    """What the question or alert is about; facts about it come first among equals.

    `text` is free text (a question): an object counts as named when its name, its app or its namespace occurs in it
    as a word.
    """

    names: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    text: str = ""

    def relevance(self, fact: ClusterFact) -> int:
        """0 to 6: named object, named app, named namespace."""
        words = frozenset(re.findall(r"[a-z0-9][a-z0-9.-]*[a-z0-9]|[a-z0-9]", self.text.lower()))
        names = frozenset(name.lower() for name in self.names) | words
        score = 0
        if fact.name.lower() in names:
            score += 3
        if fact.app is not None and fact.app.lower() in names:
            score += 2
        # Nodes and volumes belong to every namespace: they are never out of focus.
        if fact.namespace is None or fact.namespace in self.namespaces or fact.namespace.lower() in words:
            score += 1
        return score


def one_line(text: str, limit: int = 600) -> str:
    """`text` on one line, white space joined, cut at `limit` characters with a mark."""
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else f"{within(joined, limit - 1).rstrip()}…"


def sentence(*parts: str | None) -> str:
    """The parts that hold something, joined by commas."""
    return ", ".join(part for part in parts if part)
