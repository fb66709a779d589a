"""Which database server a signal is about: what is measured names it; a client's words are about whom it calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rootproof.agent.playbook.focus import same_thing, stem
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet
from rootproof.agent.playbook.surroundings import Surroundings

_LOOKS_LIKE = re.compile(
    r"(?:^|[-_.])(?:db|database|rds|aurora|pg|postgres\w*|mysql|mariadb|mssql|oracle|mongo\w*|cockroach\w*|cassandra"
    r"|clickhouse)(?:$|[-_.\d])|(?:sql|db)$"
)
_OF_DATABASE = re.compile(
    r"psql|pq: |sqlstate|sqlexception|mysql|mariadb|ora-\d{5}|error \d{4} \(|could not extend file|sql error|mongo"
    r"|the table .{1,80} is full|connection slots|too many (?:clients|connections)|lock wait|deadlock"
    r"|(?:read[- ]only|--read-only) (?:option|transaction|mode)|cannot execute \w+ in a read-only|sorry, too many",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"[-_.](?:primary|master|leader|writer|rw|source|replica|slave|standby|secondary|follower|reader|readonly|ro)"
    r"(?:[-_]?\d{1,3}|[-_][a-z])?$"
)
_MEMBER = re.compile(r"[-_](?:\d{1,2}|[a-d])$")


def family(name: str) -> str:
    """The name of a server without its role or number: the cluster that it belongs to."""
    plain = stem(name)
    return _MEMBER.sub("", _ROLE.sub("", plain)) or plain


def one_server(a: str, b: str) -> bool:
    """Whether two names mean one database server or a replica of it; an unknown name may be either."""
    return not a or not b or a.startswith(b) or b.startswith(a) or family(a) == family(b)


@dataclass(frozen=True, slots=True)
class Servers:
    """The database servers of a run."""

    names: frozenset[str] = frozenset()
    around: Surroundings = field(default_factory=Surroundings)
    signals: SignalSet = field(default_factory=SignalSet)

    @classmethod
    def of(cls, signals: SignalSet, around: Surroundings) -> Servers:
        """Those that metrics or activity lines name, without what the call graph knows as a caller."""
        named = {s.subject for s in signals if s.subject and s.kind.value.startswith(("metric.", "sql."))}
        return cls(frozenset(name for name in named if stem(name) not in around.calls), around, signals)

    def about(self, signal: Signal) -> str:
        """The server that `signal` is about; empty where it names none."""
        if signal.subject in self.names or "series" in signal.values:
            return self._claimed(signal) or signal.subject
        told = [name for name in self.names if name in signal.quote]
        if told:
            return max(told, key=len)
        called = self._called(signal)
        if len(called) == 1:
            return called[0]
        return "" if self.names or called or _is_feed(signal) else signal.subject

    def _claimed(self, signal: Signal) -> str:
        """The workload that a volume claim's name holds: `data-ledger-0` is a volume of `ledger`."""
        series = signal.values.get("series")
        claim = series.labels.get("persistentvolumeclaim", "") if isinstance(series, SeriesItem) else ""
        tellers = self.around.known | {stem(s.app) for s in self.signals if s.app and "item" in s.values}
        owners = [name for name in tellers if name and re.search(rf"(?:^|-){re.escape(name)}(?:-\d+|$)", claim)]
        return max(owners, key=len, default="")

    def _called(self, signal: Signal) -> list[str]:
        """The servers that the teller of `signal` calls, those that say the same themselves first."""
        callees = self.around.calls.get(stem(signal.subject), frozenset())
        servers = sorted(c for c in callees if c not in self.around.calls and self._is_server(c))
        agreeing = [
            c for c in servers
            if any(s.kind is signal.kind and s.current and same_thing(s.subject, c) for s in self.signals)
        ]  # fmt: skip
        found = agreeing or (servers if _OF_DATABASE.search(_whole(signal)) else [])
        return [next((n for n in sorted(self.names) if same_thing(n, c)), c) for c in found]

    def _is_server(self, name: str) -> bool:
        return bool(_LOOKS_LIKE.search(name)) or any(same_thing(name, own) for own in self.names)

    def is_clients(self, signal: Signal) -> bool:
        """Whether a CPU is a caller's own: no server's."""
        return signal.kind is Kind.CPU_SATURATED and stem(signal.subject) in self.around.calls


def _is_feed(signal: Signal) -> bool:
    """Whether the teller is a feed of events: it tells of others."""
    return getattr(signal.values.get("item"), "topic", "") == "SYSTEM_EVENTS" and "/" not in signal.subject


def _whole(signal: Signal) -> str:
    item = signal.values.get("item")
    return f"{signal.quote} {getattr(item, 'text', '')}"
