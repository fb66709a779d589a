"""Hypotheses as data: what must be seen, what adds to it, what speaks against it, and what it is a consequence of.

The tables in `causes_*.py` hold nothing but `CauseSpec` values, so that they can move into files that users write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rootproof.agent.playbook.signals import Kind, Signal, Topic
from rootproof.domain.claim import CauseCategory


class Scope(StrEnum):
    """What a hypothesis is about."""

    DATABASE = "db"
    WORKLOAD = "app"
    NODE = "node"


@dataclass(frozen=True, slots=True)
class Need:
    """At least one current signal of `kinds`, whose words match `words` where that is given."""

    kinds: frozenset[Kind]
    words: re.Pattern[str] | None = None

    def met_by(self, signal: Signal) -> bool:
        """Whether `signal` meets this need."""
        if signal.kind not in self.kinds:
            return False
        return self.words is None or self.words.search(signal.quote) is not None


@dataclass(frozen=True, slots=True)
class Action:
    """A next step; `risk` says what can go wrong when it is done."""

    text: str
    risk: str = "none: it only reads"
    query: str | None = None


@dataclass(frozen=True, slots=True)
class CauseSpec:
    """One kind of root cause."""

    cause_id: str
    category: CauseCategory
    title: str
    """What it is, in a few plain words: for leads and for what was ruled out."""
    sentence: str
    """What happened, with slots in braces (`{subject}`, `{peer}`, ...); used where all slots are known."""
    fallback: str
    """The same with `{subject}` only."""
    needs: tuple[Need, ...]
    explains: frozenset[Topic]
    scope: Scope = Scope.WORKLOAD
    confirming: Mapping[Kind, float] = field(default_factory=dict)
    refuted_by: frozenset[Kind] = frozenset()
    consequence_of: frozenset[str] = frozenset()
    """Causes that, where they hold for a related object, make this one their effect."""
    topic_needed: Topic | None = None
    """A topic that the alert must complain about, where observations alone would not say that anything is wrong."""
    actions: tuple[Action, ...] = ()
    decide: str = ""
    """The query that would decide where the hypothesis stays a lead."""
    ruled_out: str = ""
    """The sentence for "it is not this", used with refuting evidence."""


def need(*kinds: Kind, words: str | None = None) -> Need:
    """A need, written shortly for the tables."""
    return Need(frozenset(kinds), re.compile(words, re.IGNORECASE) if words else None)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A spec that holds for one object, with the signals it rests on."""

    spec: CauseSpec
    subject: str
    """The object in the spec's scope: an instance, a workload, a node."""
    matched: tuple[Signal, ...]
    """One signal or more for each need, strongest first."""
    supporting: tuple[Signal, ...] = ()
    score: float = 0.0
    consequences: tuple[Hypothesis, ...] = ()
    """Confirmed hypotheses that are effects of this one."""

    @property
    def evidence(self) -> tuple[Signal, ...]:
        """All signals, those of the needs first."""
        return self.matched + self.supporting

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of its signals."""
        return frozenset(s.kind for s in self.evidence)

    @property
    def object(self) -> str:
        """The object as a report names it: `app/x`, `node/x`, `db/x`."""
        if "/" in self.subject:
            return self.subject
        return f"{self.spec.scope.value}/{self.subject}" if self.subject else ""
