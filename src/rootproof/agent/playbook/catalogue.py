"""What the reasoner of one run knows: the hypotheses, evidence orders and patterns of all its skills."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rootproof.agent.playbook.custom_signals import Watch, watch
from rootproof.domain.playbook import CauseSpec, EvidenceRequest, Playbook


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All causes the reasoner can name, and what its skills ask for."""

    causes: tuple[CauseSpec, ...] = ()
    evidence: Mapping[str, tuple[EvidenceRequest, ...]] = field(default_factory=dict)
    """Skill -> the calls that it asks for, in order."""
    watches: tuple[Watch, ...] = ()
    """The skills' own patterns."""
    by_id: Mapping[str, CauseSpec] = field(default_factory=dict)

    @classmethod
    def of(cls, playbooks: Iterable[Playbook]) -> Catalogue:
        """The catalogue of these playbooks; of two causes or patterns with one name the later one stands."""
        by_id: dict[str, CauseSpec] = {}
        watches: dict[str, Watch] = {}
        evidence: dict[str, tuple[EvidenceRequest, ...]] = {}
        for playbook in playbooks:
            by_id |= {spec.cause_id: spec for spec in playbook.hypotheses}
            watches |= {pattern.kind.value: watch(pattern) for pattern in playbook.patterns}
            evidence[playbook.skill] = playbook.evidence
        return cls(tuple(by_id.values()), evidence, tuple(watches.values()), by_id)
