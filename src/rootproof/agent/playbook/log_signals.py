"""Signals from log patterns and events: what lines mean, about whom, and with which numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from rootproof.agent.playbook import log_parts
from rootproof.agent.playbook import log_rules as rules
from rootproof.agent.playbook.lock_queue import at_the_head, holder, waiting_changes
from rootproof.agent.playbook.object_names import Names
from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind, Signal
from rootproof.agent.playbook.slow_statements import slow_statements, timed_statement
from rootproof.agent.playbook.spoken_level import level_of
from rootproof.agent.playbook.sql_activity import activity, activity_signals
from rootproof.agent.testimony import shown_in

_SERIOUS = frozenset({"WARN", "ERROR", "FATAL", "CRITICAL"})
_CLUSTER_OBJECT = re.compile(
    r"\b(Pod|Node|Job|Deployment|PersistentVolumeClaim|ReplicaSet|HorizontalPodAutoscaler)/(<[a-z]+:[^<>\s]+>|[^\s,:;)(]+)"
)
_POD_NAME = re.compile(r"<pod:[^>]+>")
_REPLICA = re.compile(r"\b[\w.]+(?:-[\w.]+)*-(?:replica|standby|ro|secondary|reader)(?:-[\w.]+)*\b")
_FRESH = timedelta(minutes=15)
"""An error is about *now* when it was last seen within this time of the newest observation."""
_FRESH_EVENT = timedelta(hours=2)
"""What is told once and then lasts, such as a failover or a full disk, stays current for longer."""
_EVENTS = frozenset(
    {
        Kind.FAILOVER,
        Kind.DB_RESTART,
        Kind.HOST_FAILED,
        Kind.DISK_FULL,
        Kind.DISK_LOW,
        Kind.READ_ONLY,
        Kind.CONNECTION_LEAK,
        Kind.CERT_FAILURE,
        Kind.WRAPAROUND,
        Kind.PREPARED_TRANSACTION,
        Kind.SLOT_INACTIVE,
        Kind.RECOVERY_CONFLICT,
    }
)
_NOT_ERRORS = frozenset(
    {
        Kind.RECOVERED,
        Kind.ROLLOUT,
        Kind.TERMINATED,
        Kind.VACUUM,
        Kind.CALL_STEP,
        Kind.SESSIONS_IDLE,
        Kind.CALLERS_LIMITED,
    }
)
_TOLD_OF_THE_PAST = frozenset(
    {Kind.RECOVERED, Kind.ROLLOUT, Kind.FAILOVER, Kind.DB_RESTART, Kind.HOST_FAILED, Kind.READ_ONLY, Kind.TERMINATED}
)
"""What a line that tells of an end may still mean: an event that has happened is not undone by it."""
_OF_A_NAME = frozenset({Kind.DB_UNREACHABLE, Kind.CACHE_FAILURE, Kind.REPLICATION_BEHIND})
"""What is called tells the meaning too: the database in `orders-db`, the replica in `orders-db-replica-1`."""
_CONNECTIONS_NEAR = 0.85
_NEARLY_FULL = 0.1
_SLOW_S = 1.0
_ANSWERED_429 = re.compile(
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?!https?:)\S{1,300}(?: HTTP/[\d.]{1,3})?\"?(?: status)?\W{1,4}429\b"
)
"""A line of a server's own access log: it refuses its callers, nobody refuses it."""
_HOUSEKEEPING = re.compile(r"automatic (?:aggressive )?(?:vacuum|analyze)|(?:checkpoint|restartpoint) complete")
_UNITS_S = {"ms": 0.001, "millis": 0.001, "milliseconds": 0.001, "min": 60.0, "minutes": 60.0}


def log_signals(items: Sequence[LogItem], now: datetime, objects: Iterable[str] = ()) -> Iterator[Signal]:
    """The signals of all log items; `now` is the time against which "current" is judged, `objects` are named."""
    names = Names({*objects, *(item.service for item in items)})
    yield from activity_signals(items)
    yield from slow_statements(items, now)
    meant = at_the_head(s for item in items if activity(item) is None for s in _meanings(item, now, names))
    yield from meant
    yield from waiting_changes(items, meant)


def _meanings(item: LogItem, now: datetime, names: Names) -> Iterator[Signal]:
    shown = replace(item, text=shown_in(item.text), example=shown_in(item.example))
    text = f"{shown.text} {shown.example}" if shown.example else shown.text
    meant = names.without(text)
    serious = item.level in _SERIOUS or (not item.level and bool(rules.ERROR_WORDS.search(meant)))
    over = item.level not in ("ERROR", "FATAL", "CRITICAL") and rules.is_over(meant)
    found = False
    for rule in rules.LOG_RULES:
        read = text if rule.kind in _OF_A_NAME else meant
        if not (rule.any_level or serious) or not rule.pattern.search(read):
            continue
        if rule.unless is not None and rule.unless.search(read):
            continue
        if over and rule.kind not in _TOLD_OF_THE_PAST:
            continue
        if rule.kind is Kind.TERMINATED and item.level == "ERROR":
            continue
        parts = _parts(rule.kind, shown.words)
        if rule.kind is Kind.TOO_MANY_CONNECTIONS and not _near_limit(parts):
            continue
        found = found or rule.kind not in _NOT_ERRORS
        if rule.kind is Kind.RATE_LIMITED and _ANSWERED_429.search(shown.words):
            yield _signal(Kind.CALLERS_LIMITED, item, now, parts)
            continue
        nearly_full = rule.kind is Kind.DISK_LOW and parts.get("ratio", 1.0) <= _NEARLY_FULL
        yield _signal(Kind.DISK_FULL if nearly_full else rule.kind, item, now, parts)
    slow = _slow_call(shown)
    if slow is not None:
        found = True
        yield _signal(Kind.SLOW_CALL, item, now, slow)
    spoken = level_of(item) if item.level not in _SERIOUS else ""
    if not found and not over and (spoken in ("FATAL", "WARN") or _other_error(item, meant)):
        yield _signal(Kind.OTHER_ERROR, item, now, {"warning": spoken == "WARN"})


def _other_error(item: LogItem, text: str) -> bool:
    if item.level in ("ERROR", "FATAL", "CRITICAL"):
        return True
    if rules.NOT_AN_ERROR.search(text) or rules.ROUTINE.search(text):
        return False
    return item.level in ("WARN", "") and bool(rules.ERROR_WORDS.search(text)) and item.topic != "SYSTEM_EVENTS"


def _signal(kind: Kind, item: LogItem, now: datetime, values: Mapping[str, Any]) -> Signal:
    # Lines without a time belong to every window: they are taken as current, as the source says nothing else.
    current = item.last is None or item.last >= now - (_FRESH_EVENT if kind in _EVENTS else _FRESH)
    return Signal(
        kind,
        item.evidence_id,
        _subject(replace(item, text=shown_in(item.text), example=shown_in(item.example))),
        quote=item.words,
        app=item.service,
        current=current,
        at=item.first,
        last=item.last,
        count=item.count,
        weight=1.0 + (item.level in ("ERROR", "FATAL")) * 0.3,
        values={"item": item, **values},
    )


def _subject(item: LogItem) -> str:
    """The object that an event line names, else the service."""
    named = _CLUSTER_OBJECT.search(item.words)
    if named is not None:
        return f"{named.group(1).lower()}/{named.group(2)}"
    pod = _POD_NAME.search(item.words)
    if item.topic == "SYSTEM_EVENTS" and pod is not None:
        return f"pod/{pod.group(0)}"
    return item.service


def _parts(kind: Kind, text: str) -> dict[str, Any]:
    match kind:
        case Kind.DNS_FAILURE | Kind.CONN_REFUSED | Kind.CALL_TIMEOUT | Kind.DB_UNREACHABLE | Kind.CACHE_FAILURE:
            peer = log_parts.peer(text)
            return {"peer": peer} if peer else {}
        case Kind.REPLICATION_BEHIND | Kind.RECOVERY_CONFLICT:
            replica = _REPLICA.search(text)
            return {"replica": replica.group(0)} if replica else {}
        case Kind.LOCK_HOLDER:
            return holder(text)
        case Kind.CERT_FAILURE:
            flaw = log_parts.certificate_flaw(text)
            peer = None if log_parts.TOLD_BY_PEER.search(text) else log_parts.peer(text)
            return {name: value for name, value in (("flaw", flaw), ("peer", peer)) if value}
        case Kind.ENV_MISSING:
            name = log_parts.ENV_NAME.search(text)
            return {"variable": name.group(1)} if name else {}
        case Kind.COMMAND_MISSING:
            command = log_parts.COMMAND.search(text)
            return {"command": (command.group(1) or command.group(2)).rsplit("/", 1)[-1]} if command else {}
        case Kind.DISK_LOW | Kind.DISK_FULL:
            left = log_parts.REMAINING.search(text)
            return {"left": left.group(0), "ratio": _ratio(left)} if left else {}
        case Kind.STORAGE_CLASS:
            name = re.search(r"storageclass\S* \"([^\" ]{1,80})\"", text, re.IGNORECASE)
            return {"storage_class": f'"{name.group(1)}"'} if name else {}
        case Kind.TOO_MANY_CONNECTIONS:
            return connection_numbers(text)
        case _:
            return {}


def _near_limit(parts: Mapping[str, Any]) -> bool:
    """Whether stated numbers are near their limit; words without numbers are taken as they are."""
    used, limit = parts.get("used"), parts.get("limit")
    return not isinstance(used, int) or not isinstance(limit, int) or used >= _CONNECTIONS_NEAR * limit


def _ratio(left: re.Match[str]) -> float:
    return float(left.group(1)) / max(float(left.group(3)), 1e-9) if left.group(2) == left.group(4) else 1.0


def connection_numbers(text: str) -> dict[str, Any]:
    """Used and maximum connections that a line states, as far as it does."""
    pair = log_parts.OF_LIMIT.search(text)
    if pair is not None:
        return {"used": _int(pair.group(1)), "limit": _int(pair.group(2))}
    found: dict[str, Any] = {}
    limit, used = log_parts.MAXIMUM.search(text), log_parts.CURRENTLY.search(text)
    if limit is not None:
        found["limit"] = _int(limit.group(1))
    if used is not None:
        found["used"] = _int(used.group(1))
    return found


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _slow_call(item: LogItem) -> dict[str, Any] | None:
    if (item.topic != "APPLICATION" and item.topic) or _HOUSEKEEPING.search(item.words) or timed_statement(item):
        return None
    best: tuple[float, str] | None = None
    for found in log_parts.DURATION.finditer(item.words):
        took = float(found.group(1)) * _UNITS_S.get(found.group(2).lower(), 1.0)
        if took >= _SLOW_S and (best is None or took > best[0]):
            best = took, f"{found.group(1)} {found.group(2)}"
    return {"took_s": best[0], "took": best[1]} if best else None


def connection_limits(items: Sequence[LogItem]) -> dict[str, float]:
    """Stated connection limits by the names that the lines mention; `""` holds the only one there is."""
    limits: dict[str, float] = {}
    for item in items:
        if "connection" not in item.words.lower():
            continue
        limit = connection_numbers(item.words).get("limit")
        if isinstance(limit, int) and limit >= 10:
            for word in re.findall(r"[A-Za-z][\w.-]*[A-Za-z0-9]", item.words):
                limits.setdefault(word, float(limit))
            limits[""] = float(limit) if limits.get("", float(limit)) == float(limit) else 0.0
    return {name: limit for name, limit in limits.items() if limit}
