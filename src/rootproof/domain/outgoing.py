"""Reports that leave: to whom, and how far they have come."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class TargetKind(StrEnum):
    """The form of a message."""

    WEBHOOK = "webhook"
    """JSON of our own, signed."""
    SLACK = "slack"
    """`{text, blocks}`, as Slack's incoming webhooks and what is compatible with them take it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where reports go. Address and secret are never printed."""

    name: str
    kind: TargetKind
    url: str = field(repr=False)
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ReportTargets:
    """Which reports go where."""

    targets: tuple[Target, ...] = ()
    chat_runs: bool = False
    """Whether reports of questions go too, not only those of alerts."""
    public_url: str = ""
    """How others reach the server, for links."""


class OutboxStatus(StrEnum):
    """How far a message has come."""

    PENDING = "PENDING"
    SENT = "SENT"
    FAILED = "FAILED"
    """Given up; `last_error` says why."""


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One row of `outbox`: the report of a run for one target."""

    run_id: str
    target: str
    status: OutboxStatus
    attempts: int
    next_attempt_at: datetime
    created_at: datetime
    last_error: str | None = None
    sent_at: datetime | None = None
