"""Who stands at the head of a lock queue: the session that blocks others and does not wait itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind, Signal

_HOLDING = re.compile(r"\bprocess(?:es)? holding the lock: (\d{1,12})", re.IGNORECASE)
_BLOCKED_BY = re.compile(
    r"\bblocked by (process|pid|session|transaction|spid|thread|connection) (?:id )?\W?(0x[0-9a-f]{1,16}|\d{1,12})",
    re.IGNORECASE,
)
_BLOCKING = re.compile(
    r"\bblocking[_ ](process|pid|session|spid|transaction|thread)(?:[_ ]id)?\W{1,3}(\d{1,12})", re.IGNORECASE
)
_WAITING = re.compile(
    r"\b(?:process|pid|session|transaction|spid|thread|connection)\W{1,3}(\d{1,12})\W{1,3}(?:is |has been )?"
    r"(?:still )?(?:wait(?:s|ing)|blocked)\b"
    r"|\bwait queue: ([\d, ]{1,200})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,12}")
_STATEMENT = re.compile(
    r"\bSTATEMENT: +((?:ALTER|DROP|TRUNCATE|REINDEX|CLUSTER|VACUUM FULL|LOCK TABLE|REFRESH|CREATE (?:UNIQUE )?INDEX)\b.*)$",
    re.DOTALL,
)
_TOGETHER = timedelta(seconds=2)


def blocker(text: str) -> str:
    """The session that a line says others wait for, in its own words; empty for a deadlock, where both wait."""
    if "deadlock" in text.lower():
        return ""
    holding = _HOLDING.search(text)
    if holding is not None:
        return f"process {holding.group(1)}"
    found = _BLOCKED_BY.search(text) or _BLOCKING.search(text)
    return f"{found.group(1).lower()} {found.group(2)}" if found is not None else ""


def at_the_head(signals: Iterable[Signal]) -> list[Signal]:
    """The signals; a blocker that another line shows waiting is no longer named as one."""
    found = list(signals)
    waiting = {
        number
        for s in found
        if "item" in s.values
        for told in _WAITING.finditer(s.quote)
        for number in _NUMBER.findall(told.group(1) or told.group(2))
    }
    return [_unless_waiting(s, waiting) for s in found]


def _unless_waiting(signal: Signal, waiting: set[str]) -> Signal:
    name = str(signal.values.get("blocker") or "")
    if not name or name.rsplit(" ", 1)[-1] not in waiting:
        return signal
    return replace(signal, values={key: value for key, value in signal.values.items() if key != "blocker"})


def waiting_changes(items: Sequence[LogItem], signals: Sequence[Signal]) -> list[Signal]:
    """Statements that change a table, as the server logs them beside the wait that they are in."""
    waits = [s for s in signals if s.kind is Kind.LOCK_WAIT and s.at is not None]
    found = []
    for item in items:
        told = _STATEMENT.search(item.words)
        beside = next((s for s in waits if told and item.first and s.app == item.service and _near(s, item)), None)
        if told is not None and beside is not None:
            found.append(
                replace(beside, kind=Kind.SQL_DDL_WAIT, evidence_id=item.evidence_id, quote=item.words,
                        at=item.first, last=item.last, values={"item": item})
            )  # fmt: skip
    return found


def _near(signal: Signal, item: LogItem) -> bool:
    return signal.at is not None and item.first is not None and abs(signal.at - item.first) <= _TOGETHER
