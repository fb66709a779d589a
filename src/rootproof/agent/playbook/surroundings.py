"""Who calls whom, what was changed when, and since when alerts fire: the frame that a report sets a cause into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rootproof.agent.playbook.focus import stem
from rootproof.agent.playbook.observations import FactItem, LogItem, Observations

_CALLS = re.compile(r"calls (.+)$")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the fault."""

    now: datetime | None = None
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Caller -> callees, by stem."""
    changes: tuple[FactItem, ...] = ()
    logs: tuple[LogItem, ...] = ()

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
    return Surroundings(now, _calls(seen.facts), _changes(seen.facts), seen.logs)


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
