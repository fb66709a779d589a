"""Who and what a step or a tool call belongs to. It travels explicitly, never in a global."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """The session, the run and the owner that every step and every tool call carries."""

    session_id: str
    run_id: str
    owner: str
    lease_epoch: int = field(default=0, compare=False)
    """The fencing number of the claim under which this worker writes."""


@dataclass(frozen=True, slots=True)
class ToolEnvelope:
    """What the framework adds to a model's request before it reaches the tool boundary."""

    context: ExecutionContext
    tool_call_id: str
    step_no: int
    """The step whose model turn asked for this call."""
    call_index: int
    """Position of the call in that turn, from 0."""
    deadline_s: float
    """Seconds the call may take."""
