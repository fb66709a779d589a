"""A hypothesis: a kind of root cause that holds for one object, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from rootproof.agent.playbook.signals import AnyKind, Signal
from rootproof.domain.playbook import Action, CauseSpec, Need
from rootproof.domain.vocabulary import Scope

__all__ = ["Action", "CauseSpec", "Hypothesis", "Need", "Scope", "need"]


def need(*kinds: AnyKind) -> Need:
    """A need of one of `kinds`, whatever the words."""
    return Need(frozenset(kinds))


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
    def kinds(self) -> frozenset[AnyKind]:
        """The kinds of its signals."""
        return frozenset(s.kind for s in self.evidence)

    @property
    def object(self) -> str:
        """The object as a report names it: `app/x`, `node/x`, `db/x`."""
        if "/" in self.subject:
            return self.subject
        return f"{self.spec.scope.value}/{self.subject}" if self.subject else ""
