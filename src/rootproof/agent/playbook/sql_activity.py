"""Database activity lines: which statement loads the server, and what it waits for.

Reads the shapes that activity samplers and slow logs share: a load or a duration, `Class:Event=number` waits, and the
statement after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind, Signal

_WAIT = re.compile(
    r"\b((?:CPU|IO|I/O|LWLock|Lock|Client|IPC|Timeout|BufferPin|Activity|wait|io|lock"
    r"|cpu)(?::[A-Za-z_/-]+)*)=(\d+(?:\.\d+)?)"
)
_LOAD = re.compile(r"\bload\W{1,3}(\d+(?:\.\d+)?)|\b(\d+(?:\.\d+)?) AAS\b", re.IGNORECASE)
STATEMENT = re.compile(
    r"\b((?:BEGIN; ?)?(?:SELECT|INSERT|UPDATE|DELETE|COPY|MERGE|WITH|CALL|ALTER|CREATE INDEX|TRUNCATE|REFRESH)\b.*)$",
    re.DOTALL,
)
_MAINTENANCE = re.compile(
    r"\b((?:auto)?vacuum\b.*|reindex\b.*|analyze\b.*|(?:optimi[sz]e|alter) table\b.*)$", re.IGNORECASE | re.DOTALL
)
_CHECKPOINTER = re.compile(r"checkpointer?\b", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:FROM|INTO|UPDATE|JOIN|COPY|VACUUM(?: FREEZE| FULL| ANALYZE)*:?|TABLE)\s+\"?([A-Za-z_][\w.]*)", re.IGNORECASE
)
_WRITES = re.compile(r"\b(?:INSERT|UPDATE|DELETE|COPY|MERGE|TRUNCATE)\b")
_DDL = re.compile(
    r"(?:ALTER|DROP|TRUNCATE|REINDEX|CLUSTER|VACUUM FULL|RENAME|OPTIMIZE|LOCK TABLE|REFRESH"
    r"|CREATE (?:UNIQUE )?INDEX)\b",
    re.IGNORECASE,
)
"""Statements that want a table for themselves."""
_NOT_TABLES = frozenset({"stdin", "select", "set", "only"})


@dataclass(frozen=True, slots=True)
class Activity:
    """One statement or background process with its load and waits."""

    item: LogItem
    statement: str
    load: float
    waits: tuple[tuple[str, float], ...]
    """(wait event, its share of the load), largest first."""
    maintenance: bool = False
    checkpointer: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the statement names."""
        return tables(self.statement)

    @property
    def top_wait(self) -> tuple[str, float]:
        """The largest wait, `("", 0)` where none is stated."""
        return self.waits[0] if self.waits else ("", 0.0)

    def share(self, *classes: str) -> float:
        """Which part of the waits belongs to these classes (lower case)."""
        total = sum(v for _, v in self.waits)
        mine = sum(v for name, v in self.waits if any(name.lower().startswith(c) for c in classes))
        return mine / total if total else 0.0


def tables(statement: str) -> tuple[str, ...]:
    """The table names in a statement, in order."""
    found = (m.group(1).rstrip(".") for m in _TABLE.finditer(statement))
    return tuple(dict.fromkeys(t for t in found if t.lower() not in _NOT_TABLES))


def activity(item: LogItem) -> Activity | None:
    """What `item` says about database activity, None where it is no such line."""
    text = item.words
    waits = sorted(((m.group(1), float(m.group(2))) for m in _WAIT.finditer(text)), key=lambda pair: -pair[1])
    load = _LOAD.search(text)
    if not waits or load is None:
        return None
    value = float(load.group(1) or load.group(2))
    maintenance = _MAINTENANCE.search(text)
    statement = STATEMENT.search(text)
    told = (maintenance or statement).group(1) if (maintenance or statement) else ""  # type: ignore[union-attr]
    checkpointer = not statement and bool(_CHECKPOINTER.search(text))
    if checkpointer or (not told):
        told = text[max((m.end() for m in _WAIT.finditer(text)), default=0) :].lstrip(" :,")
    return Activity(item, told.strip(), value, tuple(waits), bool(maintenance) and not checkpointer, checkpointer)


def activity_signals(items: Sequence[LogItem]) -> Iterator[Signal]:
    """Signals of the statements that carry a notable part of the load, by what they wait for."""
    seen: dict[tuple[str, str], Activity] = {}
    for item in items:
        found = activity(item)
        if found is not None:
            key = (item.service, found.statement)
            # A timeline event carries the numbers that the pattern of the same line masks.
            if key not in seen or (seen[key].item.is_pattern and not item.is_pattern):
                seen[key] = found
    ranked = sorted(seen.values(), key=lambda a: -a.load)
    for one in ranked:
        # Each server has a top of its own.
        same = [other for other in ranked if other.item.service == one.item.service]
        total = sum(other.load for other in same)
        for kind in _kinds(one, total, one is same[0]):
            yield _signal(kind, one, one.load / total if total else 0.0, top=one is same[0])


def _kinds(one: Activity, total: float, is_top: bool) -> Iterator[Kind]:
    share = one.load / total if total else 0.0
    if one.checkpointer:
        yield Kind.SQL_CHECKPOINT
        return
    if _DDL.match(one.statement) and one.share("lock") >= 0.5:
        # However small its load: who waits for such a lock makes all others wait.
        yield Kind.SQL_DDL_WAIT
    if one.maintenance:
        if share >= 0.25:
            yield Kind.SQL_MAINTENANCE
        return
    if share < 0.05 and not is_top:
        return
    writes = bool(_WRITES.search(one.statement))
    if one.share("cpu") >= 0.5 and share >= 0.25:
        yield Kind.SQL_CPU
    if one.share("client") >= 0.5:
        yield Kind.SQL_CLIENT_WAIT
    if (one.share("lock") >= 0.5 and not writes) or one.share("lock") >= 0.6:
        yield Kind.SQL_LOCK_WAIT
    if writes and one.share("io", "lwlock:wal") >= 0.5 and (is_top or share >= 0.25):
        yield Kind.SQL_WRITE
    elif one.share("io") >= 0.5 and share >= 0.25:
        yield Kind.SQL_IO_READ


def _signal(kind: Kind, one: Activity, share: float, *, top: bool) -> Signal:
    wait, amount = one.top_wait
    return Signal(
        kind,
        one.item.evidence_id,
        one.item.service,
        quote=head(one.statement),
        at=one.item.first,
        last=one.item.last,
        weight=0.5 + share,
        values={
            "statement": head(one.statement),
            "tables": one.tables,
            "load": one.load,
            "share": share,
            "top": top,
            "wait": wait,
            "amount": amount,
            "activity": one,
        },
    )


def head(statement: str, limit: int = 110) -> str:
    """The start of a statement, cut at a word, without trailing comments."""
    plain = statement.split(" -- ", maxsplit=1)[0].strip().rstrip(";")
    if len(plain) <= limit:
        return plain
    return plain[:limit].rsplit(" ", 1)[0]
