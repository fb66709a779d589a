"""What was observed about objects: events, units of nodes, connection tests, measurements, changes, failed commands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    """A Kubernetes event. Ages count from the moment of recording; `*_at` where the source gave absolute times."""

    kind: str
    name: str
    namespace: str
    type: str
    reason: str
    message: str
    count: int = 1
    last_age_s: float | None = None
    first_age_s: float | None = None
    last_at: datetime | None = None
    first_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EventsShown:
    """That the events of an object were looked at, so that their absence means something."""

    kind: str
    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class NodeService:
    """A systemd unit of a node, as `systemctl status` shows it."""

    node: str
    unit: str
    active: str
    """`active (running)`, `inactive (dead)`, `failed`, `activating (auto-restart)`, `not-found`, ..."""
    since_text: str | None = None
    result: str | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Connectivity:
    """A connection test to `host:port`; one outcome per place it ran from (True connected, None gave no result)."""

    host: str
    port: int
    outcomes: tuple[tuple[str | None, bool | None], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What `kubectl top` measured for a `pod` or `node`."""

    kind: str
    name: str
    namespace: str | None
    cpu: float | None
    memory: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded change: a deployment, a configuration edit."""

    at: datetime | None
    kind: str
    object: str
    summary: str
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """An output that says that the command failed, with its own words."""

    command: str
    message: str
