"""What comes back from a tool: the projection, and what the boundary hands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rootproof.domain.evidence import Evidence
from rootproof.domain.invocation import InvocationStatus


@dataclass(frozen=True, slots=True)
class ProjectedToolResult:
    """The bounded, redacted view of one raw output. It never holds the raw output."""

    status: InvocationStatus
    """OK or NO_EVIDENCE."""
    text: str
    """JSON that the model sees."""
    evidence: tuple[Evidence, ...] = ()
    scanned: int | None = None
    shown: int | None = None
    truncated: bool = False
    """True whenever anything was left out; `text` says how much."""
    facts: tuple[str, ...] = ()
    """Concrete facts for `tool_trace_summary`, most telling first."""
    details: dict[str, Any] | None = None
    """`retrieval_details` of a knowledge look-up."""


@dataclass(frozen=True, slots=True)
class ToolBoundaryResult:
    """What a model gets for a call: bounded text and its status, nothing else."""

    tool_call_id: str
    tool_name: str
    status: InvocationStatus
    text: str
    evidence: tuple[Evidence, ...] = ()
