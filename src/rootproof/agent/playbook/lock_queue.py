"""Who stands at the head of a lock queue: a session that blocks others and does not wait itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind, Signal

_ID = r"<\w{1,12}:\d{1,6}>|0x[0-9a-f]{1,16}|\d{1,12}"
_BLOCKER = re.compile(
    rf"\bprocess(?:es)? holding the lock: ({_ID})"
    rf"|\bblocked by (?:process|pid|session|transaction|spid|thread|connection) (?:id )?\W?({_ID})"
    rf"|\bblocking[_ ](?:process|pids?|session|spid|transaction|thread)(?:[_ ]id)?\W{{1,3}}({_ID})",
    re.IGNORECASE,
)
_WAITING = re.compile(
    rf"\b(?:process|pid|session|transaction|spid|thread|connection)\W{{1,3}}({_ID})\W{{1,3}}(?:is |has been )?"
    rf"(?:still )?(?:wait(?:s|ing)|blocked)\b|\bwait queue: ((?:(?:{_ID})[, ]{{0,2}}){{1,40}})",
    re.IGNORECASE,
)
_NAME = re.compile(_ID, re.IGNORECASE)
_STATEMENT = re.compile(
    r"\bSTATEMENT: +(?:ALTER|DROP|TRUNCATE|REINDEX|CLUSTER|VACUUM FULL|LOCK TABLE|REFRESH|CREATE (?:UNIQUE )?INDEX)\b"
)
_TOGETHER = timedelta(seconds=2)


def at_the_head(signals: Iterable[Signal]) -> list[Signal]:
    """The signals without those that name a blocker which waits itself: somebody stands before it."""
    found = list(signals)
    waiting = {
        name
        for s in found
        if "item" in s.values
        for told in _WAITING.finditer(s.quote)
        for name in _NAME.findall(told.group(1) or told.group(2))
    }
    return [s for s in found if s.kind is not Kind.LOCK_HOLDER or not _blockers(s.quote) & waiting]


def _blockers(text: str) -> set[str]:
    return {name for found in _BLOCKER.finditer(text) for name in found.groups() if name}


_WHO = re.compile(
    r"\b(?:user|role|username|usename|application(?:_name)?|app|login)(?:[=:] ?| )[\"'`]?([A-Za-z][\w.-]{1,60})",
    re.IGNORECASE,
)
_RUNS = re.compile(
    r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|ALTER|VACUUM|COPY|REFRESH|CREATE|WITH|MERGE)\b[^;]{4,400}"
)


def holder(text: str) -> dict[str, str]:
    """Who holds what others wait for, as the line tells it: the account or program, and what it runs."""
    who, runs = _WHO.search(text), _RUNS.search(text)
    found = {"by": who.group(0) if who else "", "runs": runs.group(0) if runs else ""}
    return {name: value for name, value in found.items() if value}


def waiting_changes(items: Sequence[LogItem], signals: Sequence[Signal]) -> list[Signal]:
    """Statements that change a table, as the server logs them beside the wait that they are in."""
    waits = [s for s in signals if s.kind is Kind.LOCK_WAIT and s.at is not None]
    found = []
    for item in items:
        told = _STATEMENT.search(item.words)
        beside = next((s for s in waits if told and item.first and s.app == item.service and _near(s, item)), None)
        if told is not None and beside is not None:
            found.append(
                # The teller of such a line is a log, no server: its words name that.
                replace(beside, kind=Kind.SQL_DDL_WAIT, evidence_id=item.evidence_id, subject="", quote=item.words,
                        at=item.first, last=item.last, values={"item": item})
            )  # fmt: skip
    return found


def _near(signal: Signal, item: LogItem) -> bool:
    return signal.at is not None and item.first is not None and abs(signal.at - item.first) <= _TOGETHER
