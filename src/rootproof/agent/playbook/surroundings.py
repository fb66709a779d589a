"""Who calls whom, what was changed when, and since when alerts fire: the frame that a report sets a cause into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rootproof.agent.playbook.focus import stem
from rootproof.agent.playbook.observations import FactItem, LogItem, Observations
from rootproof.agent.playbook.signals import Kind, Signal

ON_NODE = re.compile(r"\bon node (<node:[^>]+>|[\w.-]+)")
_CALLS = re.compile(r"calls (.+)$")
_NAMED = re.compile(r"(?<![\w.-])[A-Za-z][\w-]*(?:\.[\w-]+)*")
_FROM = re.compile(r"\b(?:from|by|client|caller|consumer|for|user|agent)[ :=]+\S+", re.IGNORECASE)
_FAILING = frozenset({"WARN", "ERROR", "FATAL", "CRITICAL"})
_LEAST_NAME = 4


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the fault."""

    now: datetime | None = None
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Caller -> callees, by stem."""
    changes: tuple[FactItem, ...] = ()
    known: frozenset[str] = frozenset()
    """Stems of the workloads that the cluster or the call graph knows."""
    told: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Caller -> callees as failing calls in the logs name them; used where no call graph is recorded."""
    edges: tuple[tuple[str, str, str], ...] = ()
    """(caller, callee, the evidence that records it), by stem."""
    begun: tuple[LogItem, ...] = ()
    """Dated log records: what began shortly before a fault is among them."""
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
            for caller, callees in (self.calls or self.told).items():
                if callee in callees and caller not in found:
                    found.add(caller)
                    queue.append(caller)
        return frozenset(found)

    def callees(self, name: str) -> frozenset[str]:
        """Everything that `name` calls, directly or through others."""
        found: set[str] = set()
        queue = [stem(name)]
        while queue:
            more = (self.calls or self.told).get(queue.pop(), frozenset()) - found
            found |= more
            queue += more
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
    begun = tuple(item for item in seen.logs if item.first is not None)
    return Surroundings(
        now, calls, _changes(seen.facts), frozenset(known), _told(seen, known), tuple(_edges(seen.facts)), begun,
        _placed(seen.facts),
    )  # fmt: skip


def _told(seen: Observations, known: Iterable[str]) -> dict[str, frozenset[str]]:
    """Who names whom in lines that are no routine: the other side of a call, not whom a request came from."""
    names = {name for name in (*known, *(stem(log.service) for log in seen.logs)) if len(name) >= _LEAST_NAME}
    told: dict[str, frozenset[str]] = {}
    for log in seen.logs:
        caller = stem(log.service)
        if log.level not in _FAILING or log.topic == "SYSTEM_EVENTS" or not caller:
            continue
        words = {word.lower() for word in _NAMED.findall(_FROM.sub(" ", log.words))}
        parts = words | {word.split(".", 1)[0] for word in words}
        told[caller] = told.get(caller, frozenset()) | ((parts & names) - {caller})
    return told


def _placed(facts: Iterable[FactItem]) -> dict[str, Signal]:
    placed: dict[str, Signal] = {}
    for fact in facts:
        found = ON_NODE.search(fact.text) if fact.object.startswith(("app/", "pod/")) and fact.app else None
        if found is not None:
            app = fact.app or ""
            values = {"fact": fact, "node": found.group(1), "words": f"{app} runs on node {found.group(1)}"}
            signal = Signal(Kind.PLACED, fact.evidence_id, fact.object, fact.text, fact.app or "", values=values)
            placed[stem(fact.app or "")] = signal
    return placed


def _calls(facts: Iterable[FactItem]) -> dict[str, frozenset[str]]:
    calls: dict[str, frozenset[str]] = {}
    for caller, callee, _ in _edges(facts):
        calls[caller] = calls.get(caller, frozenset()) | {callee}
    return calls


def _edges(facts: Iterable[FactItem]) -> Iterator[tuple[str, str, str]]:
    for fact in facts:
        found = _CALLS.search(fact.text) if fact.aspect == "topology" else None
        for name in found.group(1).split(",") if found is not None else ():
            yield stem(fact.app or fact.object), stem(name.strip()), fact.evidence_id


def _changes(facts: Iterable[FactItem]) -> tuple[FactItem, ...]:
    return tuple(fact for fact in facts if fact.aspect == "change" and fact.first is not None)
