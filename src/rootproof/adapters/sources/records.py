"""Log records as every source holds them: their names, what of them a query matches, and what fits in an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from rootproof.domain.window import iso
from rootproof.logs.record import LEVELS, LogRecord
from rootproof.ports.sources import LogQuery
from rootproof.redaction import names_credential

MAX_ANSWER_CHARS = 48 * 1024 * 1024
"""Of the records of one answer."""

APPLICATION = "application-logs"
SLOW_QUERY = "database-slow-query"
SYSTEM_EVENTS = "system-events"

_RANKS: dict[str, int] = {level: rank for rank, level in enumerate(LEVELS)}
_FAILURE_WORDS = re.compile(
    r"\b(?:error|errors|exception|fail|failed|failure|fatal|panic|traceback|segfault|segmentation fault|killed|denied|"
    r"refused|undefined|unable to|cannot|could not|no such|not found|timed out|timeout|aborted)\b|"
    r"[a-z](?:Error|Exception)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One record with the names it may be asked for by."""

    timestamp: datetime | None
    level: str | None
    service: str | None
    instance: str | None
    message: str
    metrics: Mapping[str, float]
    lines: int
    names: frozenset[str]
    """Lower case: service, instance, their workloads, the file's own workload and stem."""
    rank: int
    """As `rank_of` says."""
    beside: str = ""
    """Who ran a slow statement where, as `user=... host=... database=...`."""

    def as_json(self) -> dict[str, Any]:
        """The record in the raw shape of `ports.sources.LogSource`."""
        told = {"beside": self.beside} if self.beside else {}
        return told | {
            "timestamp": iso(self.timestamp) if self.timestamp else None,
            "level": self.level,
            "service": self.service,
            "instance": self.instance,
            "message": self.message,
            "metrics": dict(self.metrics),
            "lines": self.lines,
        }


_LOOKED_AT = 4_000
"""Characters of a message in which a credential is looked for behind its name."""


def whole_message(record: LogRecord) -> str:
    """The message, with what stood beside it of a call that was slow or failed, and with the HTTP status: a 200 and a
    503 are not one event.

    A name that was read as a logger or a service stays before the message where it says that a credential follows.
    """
    message = record.message
    for name in (record.logger, record.service):
        if name and names_credential(name, message[:_LOOKED_AT]):
            message = f"{name}: {message}"
            break
    told = f"{message} {record.beside}" if record.beside and "\n" not in message else message
    status = record.metrics.get("status")
    if status is None or not 100 <= status <= 599 or str(int(status)) in message:
        return told
    return f"{told} status {int(status)}"


def rank_of(level: str | None, message: str) -> int:
    """A record's place among the levels; without one it is an ERROR where its message says failure, else INFO."""
    if level is not None:
        return _RANKS.get(level, _RANKS["INFO"])
    return _RANKS["ERROR"] if _FAILURE_WORDS.search(message[:4_000]) else _RANKS["INFO"]


def matcher(query: LogQuery) -> Callable[[Entry], bool]:
    """Whether a record is one that `query` asks for. Those without a time lie in every window."""
    services = frozenset(name.lower() for name in query.services)
    least = _RANKS.get(query.level.upper(), 0) if query.level else -1
    part = query.contains.lower() if query.contains else ""

    def matches(entry: Entry) -> bool:
        return (
            entry.rank >= least
            and (entry.timestamp is None or entry.timestamp in query.window)
            and (not services or not services.isdisjoint(entry.names))
            and (not part or part in entry.message.lower())
        )

    return matches


def newest(matched: list[Entry], limit: int) -> tuple[list[Entry], bool]:
    """The newest `limit` in order, those without a time last, and whether any were left out.

    Records without a time cannot be ranked against the others; where both do not fit they get at most half the room.
    """
    dated = [(entry.timestamp, entry) for entry in matched if entry.timestamp is not None]
    timed = [entry for _, entry in sorted(dated, key=itemgetter(0))]
    untimed = [entry for entry in matched if entry.timestamp is None]
    room = min(len(untimed), max(limit // 2, limit - len(timed)))
    kept_timed = timed[len(timed) - min(len(timed), limit - room) :]
    return [*kept_timed, *untimed[len(untimed) - room :]], len(kept_timed) + room < len(matched)


def fitting(logs: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """The last records that fit in an answer."""
    size = 0
    for index in range(len(logs) - 1, -1, -1):
        size += len(logs[index]["message"]) + 300
        if size > MAX_ANSWER_CHARS:
            return logs[index + 1 :], True
    return logs, False
