"""What a whole run knows: every item read once, found by the names it is about, and when its symptoms began."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from rootproof.agent.grounding.entities import lexicon, stems_of_name
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.text import parts
from rootproof.agent.grounding.words import concepts_of
from rootproof.domain.claim import Claim, ClaimKind
from rootproof.domain.earlier_evidence import run_of
from rootproof.domain.evidence import Evidence
from rootproof.domain.report import Coverage

_KINDS = ("database", "cache", "queue", "replica")
"""What a component may be that its name need not say."""
MAX_SYMPTOMS = 20


class Run:
    """A run's evidence and coverage; read-only. `claims` are those of the report, for its symptoms."""

    def __init__(
        self, evidence: Mapping[str, Evidence], coverage: Sequence[Coverage], claims: Sequence[Claim] = ()
    ) -> None:
        self.evidence = evidence
        self.coverage = tuple(coverage)
        self._claims = tuple(claims)
        self._items: dict[str, Item] = {}

    def item(self, evidence_id: str) -> Item:
        """The item of an id, which must be one of the run."""
        found = self._items.get(evidence_id)
        if found is None:
            found = self._items[evidence_id] = Item(self.evidence[evidence_id])
        return found

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """What was seen in the run itself: evidence of earlier runs counts only where a claim cites it."""
        return tuple(each for each in self.evidence if run_of(each) is None)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that evidence of the run is about."""
        return lexicon(name for each in self._own for name in self.item(each).about)

    def about(self, names: Iterable[str]) -> list[Item]:
        """The observed items that are about one of `names`, in the run's order."""
        wanted = {each for name in names for each in stems_of_name(name)}
        found = {evidence_id: None for name in wanted for evidence_id in self._by_name.get(name, ())}
        return [self.item(evidence_id) for evidence_id in found]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for evidence_id in self._own:
            item = self.item(evidence_id)
            for name in item.about if item.observed else ():
                found.setdefault(name, []).append(evidence_id)
        return found

    @cached_property
    def symptoms(self) -> list[tuple[Item, datetime]]:
        """For each SYMPTOM claim the first of its cited items whose onset is certain, with that time."""
        found: list[tuple[Item, datetime]] = []
        for claim in self._claims:
            if claim.kind is not ClaimKind.SYMPTOM or len(found) >= MAX_SYMPTOMS:
                continue
            ids = [each.evidence_id for each in claim.citations if each.evidence_id in self._own]
            dated = [(item, at) for item in map(self.item, ids) if item.observed and (at := item.began) is not None]
            if dated:
                found.append(min(dated, key=lambda pair: pair[1]))
        return found

    @cached_property
    def latest(self) -> datetime | None:
        """The last time of any observed series or log item: what the run knows to have passed."""
        known = [item for item in map(self.item, self._own) if item.observed and (item.series or item.log)]
        return max((max(item.times) for item in known if item.times), default=None)

    def kinds(self, items: Sequence[Item]) -> frozenset[str]:
        """What the items' subjects are, by the series the run has about them: an instance with
        `DatabaseConnections` is a database.
        """
        return frozenset().union(*(self._kinds.get(item.evidence.subject or "", frozenset()) for item in items))

    @cached_property
    def _kinds(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for evidence in (self.evidence[each] for each in self._own):
            if evidence.subject and evidence.tool == "query_metrics":
                named = parts(evidence.text[:80].partition(" of ")[0])
                found.setdefault(evidence.subject, set()).update(named)
        return {
            subject: frozenset(kind for kind in _KINDS if any(kind in concepts_of(word) for word in named))
            for subject, named in found.items()
        }
