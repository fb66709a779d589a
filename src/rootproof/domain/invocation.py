"""Invocations: one call of an evidence tool inside a run, from request to bounded result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from rootproof.domain.evidence import Evidence


class InvocationStatus(StrEnum):
    """Where a call is in its life; all but the first two are final."""

    RECEIVED = "RECEIVED"
    RUNNING = "RUNNING"
    OK = "OK"
    NO_EVIDENCE = "NO_EVIDENCE"
    DENIED = "DENIED"
    """Refused by us: bad request, unknown tool, wrong owner, repeat over the limit; or by the source."""
    TIMEOUT = "TIMEOUT"
    TOOL_ERROR = "TOOL_ERROR"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    PROJECTION_ERROR = "PROJECTION_ERROR"
    CANCELLED = "CANCELLED"


INVOCATION_TRANSITIONS: Mapping[InvocationStatus, frozenset[InvocationStatus]] = {
    InvocationStatus.RECEIVED: frozenset(set(InvocationStatus) - {InvocationStatus.RECEIVED}),
    InvocationStatus.RUNNING: frozenset(set(InvocationStatus) - {InvocationStatus.RECEIVED, InvocationStatus.RUNNING}),
}


def is_final(status: InvocationStatus) -> bool:
    """Whether a call in this status is over."""
    return status not in INVOCATION_TRANSITIONS


@dataclass(frozen=True, slots=True)
class Invocation:
    """One row of `tool_invocation`. Everything here is bounded and redacted; the raw output is not here."""

    step_no: int
    call_index: int
    tool_call_id: str
    tool_name: str
    request: dict[str, Any]
    """The arguments as the model gave them, redacted; `{"invalid": text}` if they do not parse."""
    status: InvocationStatus = InvocationStatus.RECEIVED
    request_key: str = ""
    """Tool and canonical arguments; equal keys are identical calls."""
    result: str = ""
    """The bounded result (JSON text) exactly as the model saw it: `output_preview` in SQL."""
    summary: str = ""
    """The concrete facts of `tool_trace_summary` for the verifier."""
    evidence: tuple[Evidence, ...] = ()
    retrieval_details: dict[str, Any] | None = None
    identifiers: dict[str, str] = field(default_factory=dict)
    """Placeholders first given out by this call -> the identifiers they stand for (never credentials)."""
    source: str = ""
    error: str = ""
    scanned: int | None = None
    shown: int | None = None
    truncated: bool = False
    raw_sha256: str = ""
    raw_bytes: int = 0
    agent_visible_bytes: int = 0
    duration_ms: int = 0
    created_at: datetime | None = None
    finished_at: datetime | None = None
    seq: int = 0
