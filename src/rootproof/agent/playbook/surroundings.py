"""Who calls whom, what was changed when, and since when alerts fire: the frame that a report sets a cause into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rootproof.agent.playbook.focus import stem
from rootproof.agent.playbook.observations import FactItem, Observations
from rootproof.agent.playbook.signals import Kind, Signal

_ON_NODE = re.compile(r"\bon node (<node:[^>]+>|[\w.-]+)")
_CALLS = re.compile(r"calls (.+)$")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the fault."""

    now: datetime | None = None
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Caller -> callees, by stem."""
    changes: tuple[FactItem, ...] = ()
    known: frozenset[str] = frozenset()
    """Stems of the workloads that the cluster or the call graph knows."""
    placed: Mapping[str, Signal] = field(default_factory=dict)
    """Stem of a workload whose pods all run on one node -> the fact that says so."""

    @property
    def nodes(self) -> dict[str, str]:
        """Stem of a workload -> its only node."""
        return {app: str(signal.values["node"]) for app, signal in self.placed.items()}

    def near(self, name: str) -> frozenset[str]:
        """`name`, whom it calls, and who calls it or waits for those."""
        own = stem(name)
        callees = self.calls.get(own, frozenset())
        return frozenset({name, own}) | callees | self.callers(own)

    def callers(self, name: str) -> frozenset[str]:
        """Everything that calls `name`, directly or through others."""
        found: set[str] = set()
        queue = [stem(name)]
        while queue:
            callee = queue.pop()
            for caller, callees in self.calls.items():
                if callee in callees and caller not in found:
                    found.add(caller)
                    queue.append(caller)
        return frozenset(found)

    def joined(self, name: str) -> frozenset[str]:
        """Everything that calls connect with `name`, in either direction."""
        found = {stem(name)}
        while True:
            more = {b for a, callees in self.calls.items() for b in callees if a in found}
            more |= {a for a, callees in self.calls.items() if callees & found}
            if more <= found:
                return frozenset(found)
            found |= more


def surroundings(seen: Observations, now: datetime) -> Surroundings:
    """The surroundings as the cluster's facts tell them."""
    calls = _calls(seen.facts)
    known = {stem(fact.app or fact.object) for fact in seen.facts if fact.app or fact.object.startswith("app/")}
    known |= calls.keys() | {callee for callees in calls.values() for callee in callees}
    return Surroundings(now, calls, _changes(seen.facts), frozenset(known), _placed(seen.facts))


def _placed(facts: Iterable[FactItem]) -> dict[str, Signal]:
    placed: dict[str, Signal] = {}
    for fact in facts:
        found = _ON_NODE.search(fact.text) if fact.object.startswith(("app/", "pod/")) and fact.app else None
        if found is not None:
            app = fact.app or ""
            values = {"fact": fact, "node": found.group(1), "words": f"{app} runs on node {found.group(1)}"}
            signal = Signal(Kind.PLACED, fact.evidence_id, fact.object, fact.text, fact.app or "", values=values)
            placed[stem(fact.app or "")] = signal
    return placed


def _calls(facts: Iterable[FactItem]) -> dict[str, frozenset[str]]:
    calls: dict[str, frozenset[str]] = {}
    for fact in facts:
        found = _CALLS.search(fact.text) if fact.aspect == "topology" else None
        if found is not None:
            caller = stem(fact.app or fact.object)
            names = frozenset(stem(name.strip()) for name in found.group(1).split(","))
            calls[caller] = calls.get(caller, frozenset()) | names
    return calls


def _changes(facts: Iterable[FactItem]) -> tuple[FactItem, ...]:
    return tuple(fact for fact in facts if fact.aspect == "change" and fact.first is not None)
