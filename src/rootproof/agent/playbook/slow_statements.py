"""Slow statements as servers and clients log them: the statement, how long it took, since when it is slow."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind, Signal
from rootproof.agent.playbook.sql_activity import STATEMENT, activity, head, tables

_TOOK = re.compile(
    r"\b(?:query_time|duration|exec(?:ution)?[ _]?time|took|slow query)\W{1,3}(\d+(?:\.\d+)?) ?(ms|s)?\b", re.IGNORECASE
)
_SAYS_SO = re.compile(
    r"\bduration: \S+(?: ms)? +(?:statement|execute|plan|parse|bind|fetch)\b|\bslow[- ](?:query|statement|sql)\b",
    re.IGNORECASE,
)
"""How a line among others says that it is about a statement."""
_SAMPLED = re.compile(
    r"\b(?:load\W{1,3}\S|AAS\b|(?:CPU|IO|I/O|LWLock|Lock|Client|IPC|wait)[:\w/-]{0,60}=)", re.IGNORECASE
)
"""A line of an activity sampler: it tells of load, not of one run of a statement."""
_PLAN = re.compile(r" -> |\.\.\.")
_KEY_CHARS = 60
_VALUE = re.compile(r"<[^<>]{1,30}>|'[^']{0,200}'|\$\d+|\b\d+\b|\?")
_SLOW_S = 1.0
_FRESH = timedelta(minutes=15)


def timed_statement(item: LogItem) -> bool:
    """Whether the line tells of a statement and its time."""
    return bool(STATEMENT.search(item.words)) and bool(_SAYS_SO.search(item.words))


def slow_statements(items: Sequence[LogItem], now: datetime) -> Iterator[Signal]:
    """One signal for each statement that took a second or more, or that a slow log holds without its time."""
    groups: dict[tuple[str, str], list[LogItem]] = defaultdict(list)
    for item in items:
        told = STATEMENT.search(item.words)
        slow_log = item.topic == "DATABASE_SLOW_QUERY"
        if told is None or activity(item) is not None or _SAMPLED.search(item.words[: told.start()]):
            continue
        if slow_log or timed_statement(item):
            groups[item.service, _shape(told.group(1))].append(item)
    for members in groups.values():
        times = sorted((item.first or now, took) for item in members if (took := _took(item)) is not None)
        slow_log = any(item.topic == "DATABASE_SLOW_QUERY" for item in members)
        if any(took >= _SLOW_S for _, took in times) or (not times and slow_log):
            yield _signal(members, times, now)


def _shape(statement: str) -> str:
    """What runs of one statement share: its beginning without values."""
    return _VALUE.sub("?", _PLAN.split(statement, maxsplit=1)[0])[:_KEY_CHARS].rstrip(" ;?")


def _took(item: LogItem) -> float | None:
    found = _TOOK.search(item.words)
    if found is None:
        return None
    return float(found.group(1)) / (1000 if (found.group(2) or "").lower() == "ms" else 1)


def _as_written(took: re.Match[str]) -> str:
    """The time with its unit, else the words that give it."""
    return f"took {took.group(1)} {took.group(2)}" if took.group(2) else f'has "{took.group(0)}"'


def _signal(members: Sequence[LogItem], times: Sequence[tuple[datetime, float]], now: datetime) -> Signal:
    """The item that shows the longest time stands for all; onset and end are those of all."""
    shown = max(members, key=lambda item: (not _PLAN.search(item.words), _took(item) or 0.0, not item.is_pattern))
    found = STATEMENT.search(shown.words)
    statement = head(found.group(1)) if found is not None else ""
    starts = [item.first for item in members if item.first is not None]
    ends = [item.last for item in members if item.last is not None]
    last = max(ends, default=None)
    took = _TOOK.search(shown.words)
    return Signal(
        Kind.SQL_SLOW,
        shown.evidence_id,
        shown.service,
        quote=statement,
        app=shown.service,
        current=last is None or last >= now - _FRESH,
        at=min(starts, default=None),
        last=last,
        count=max(item.count for item in members),
        values={
            "statement": statement,
            "tables": tables(found.group(1)) if found is not None else (),
            "slower": len(times) > 1 and times[-1][1] >= 2 * times[0][1],
            **({"took": _as_written(took), "took_s": _took(shown)} if took is not None else {}),
        },
    )
