"""A run's life: the transition table and the row. What a run has *done* is only ever folded from its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from rootproof.domain.context import ExecutionContext


class RunStatus(StrEnum):
    """Where a run is; the last three are final."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


RUN_TRANSITIONS: Mapping[RunStatus, frozenset[RunStatus]] = {
    RunStatus.QUEUED: frozenset({RunStatus.RUNNING, RunStatus.FAILED, RunStatus.CANCELLED}),
    RunStatus.RUNNING: frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED}),
    RunStatus.COMPLETED: frozenset(),
    RunStatus.FAILED: frozenset(),
    RunStatus.CANCELLED: frozenset(),
}


def is_terminal(status: RunStatus) -> bool:
    """Whether a run in this status is over."""
    return not RUN_TRANSITIONS[status]


class RunMode(StrEnum):
    """How a run came to be."""

    CHAT = "CHAT"
    PAYLOAD_TARGETED = "PAYLOAD_TARGETED"
    AUTO_DISCOVERY = "AUTO_DISCOVERY"


class StatusReason(StrEnum):
    """Why a run ended; `detail` in the END step says more."""

    REPORTED = "REPORTED"
    """The report was written from a complete investigation."""
    BUDGET_SPENT = "BUDGET_SPENT"
    """A limit was reached; the report holds what there was."""
    MODEL_FAILED = "MODEL_FAILED"
    """The model gave no usable reply; the report holds what there was, or the playbook reasoner finished it."""
    CANCELLED = "CANCELLED"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    COMPATIBILITY = "COMPATIBILITY"
    """Made from a row of `diagnosis_session`, whose rounds may be mixed; it never ran here."""


COMPATIBILITY_NOTE = (
    "Compatibility data: the run was made from a row of diagnosis_session, written before runs existed. If its session "
    "was used more than once, the steps and calls are those of several rounds; nothing of it was checked."
)
"""What every view of such a run says."""


@dataclass(frozen=True, slots=True)
class Run:
    """One row of `diagnosis_run`."""

    run_id: str
    session_id: str
    owner: str
    mode: RunMode
    question: str
    """Redacted of credentials; empty for an alert run."""
    now: datetime
    """The clock of the investigation: fixed for a bundle, else the run's creation."""
    reasoner: str = "playbook"
    """Model spec, e.g. `playbook`, `openai:gpt-5`."""
    status: RunStatus = RunStatus.QUEUED
    status_reason: StatusReason | None = None
    sources: dict[str, Any] = field(default_factory=dict)
    """How to rebuild this run's sources in another process (`{"bundle": path}`, ...); no secrets."""
    report: dict[str, Any] | None = None
    """The final report, with placeholders; column `answer`."""
    self_evaluation: dict[str, Any] | None = None
    feedback: dict[str, Any] | None = None
    total_duration_ms: int = 0
    total_token_count: int = 0
    step_count: int = 0
    tool_call_count: int = 0
    headline: dict[str, Any] | None = None
    """What lists show of the report, identifiers shown: `summary`, `healthy`, `rootCauses`, `verdicts`."""
    service: str | None = None
    """The service that the alert names."""
    severity: str | None = None
    """The alert's: critical, warning, info."""
    incident_id: str | None = None
    compatibility: bool = False
    """Made from a row of `diagnosis_session`: its steps may be those of several rounds."""
    lease_epoch: int = 0
    """Fencing number: every claim takes the next one, a write with an older one is stale."""
    worker: str | None = None
    leased_until: datetime | None = None
    cancel_requested_at: datetime | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    seq: int = 0

    @property
    def context(self) -> ExecutionContext:
        """The context that every step and call of this run carries."""
        return ExecutionContext(self.session_id, self.run_id, self.owner, self.lease_epoch)
