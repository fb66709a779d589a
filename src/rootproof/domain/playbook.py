"""Playbooks: the part of a skill that code follows. Hypotheses, evidence to ask for, and patterns of a user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from rootproof.domain.claim import CauseCategory
from rootproof.domain.vocabulary import AnyKind, CustomKind, Scope, Topic


class Told(Protocol):
    """A meaning with the words that it was read from."""

    @property
    def kind(self) -> AnyKind: ...

    @property
    def quote(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Need:
    """At least one current signal of `kinds`, whose words hold one of `words` where those are given."""

    kinds: frozenset[AnyKind]
    words: tuple[str, ...] = ()
    """In lower case."""

    def met_by(self, signal: Told) -> bool:
        """Whether `signal` meets this need."""
        if signal.kind not in self.kinds:
            return False
        return not self.words or any(word in signal.quote.lower() for word in self.words)


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
    confirming: Mapping[AnyKind, float] = field(default_factory=dict)
    refuted_by: frozenset[AnyKind] = frozenset()
    consequence_of: frozenset[str] = frozenset()
    """Causes that, where they hold for a related object, make this one their effect."""
    topic_needed: Topic | None = None
    """A topic that the alert must complain about, where observations alone would not say that anything is wrong."""
    actions: tuple[Action, ...] = ()
    decide: str = ""
    """The query that would decide where the hypothesis stays a lead."""
    ruled_out: str = ""
    """The sentence for "it is not this", used with refuting evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """A call that a skill asks for, and what its answer tells."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


class Source(StrEnum):
    """Where a pattern looks."""

    LOGS = "logs"
    METRICS = "metrics"
    CLUSTER = "cluster"


class SeriesState(StrEnum):
    """What a series does now, for a pattern on metrics."""

    SURGE = "surge"
    """At least three times its baseline, and not on a spike that is over."""
    RISING = "rising"
    """At least 1.3 times its baseline, at its highest."""
    FALLING = "falling"
    """At most 0.7 of its baseline, at its lowest."""
    AT_LIMIT = "at_limit"
    """At 95 % or more, for a series in percent or a ratio."""
    ZERO = "zero"
    """At 0 after it was not."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A meaning of a user's own: where to look, and which literal words or which state mean it."""

    kind: CustomKind
    source: Source
    any_of: tuple[str, ...] = ()
    """Phrases with `*` for any words and `{name}` for one word that a sentence may use; for logs and cluster facts."""
    topics: tuple[str, ...] = ()
    """Log topics; empty for all."""
    series: tuple[str, ...] = ()
    """Words of which one must stand in a series' name."""
    state: SeriesState | None = None


@dataclass(frozen=True, slots=True)
class Playbook:
    """What one sidecar file says."""

    skill: str
    hypotheses: tuple[CauseSpec, ...] = ()
    evidence: tuple[EvidenceRequest, ...] = ()
    patterns: tuple[Pattern, ...] = ()
