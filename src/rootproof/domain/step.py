"""Steps: the append-only record of what each agent gave back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Agent(StrEnum):
    """Who acted. SUPERVISOR is our own code: it briefs, answers from context, ends the run."""

    SUPERVISOR = "SUPERVISOR"
    PLANNER = "PLANNER"
    EXECUTOR = "EXECUTOR"
    VERIFIER = "VERIFIER"


class StepKind(StrEnum):
    """What a step holds; `output` has one shape a kind (see `agent.state`)."""

    BRIEFING = "BRIEFING"
    """The question or alert as the agents will see it, mode, recommended query, reported evidence."""
    PLAN = "PLAN"
    TURN = "TURN"
    """One executor model turn: text and tool calls."""
    SKILL_READ = "SKILL_READ"
    """A skill's body, or the notice that it was already read (answered from context, and counted)."""
    DRAFT = "DRAFT"
    VERDICTS = "VERDICTS"
    MODEL_FAILURE = "MODEL_FAILURE"
    """A provider failed for good; the run goes on with the playbook reasoner or ends."""
    END = "END"
    LEGACY = "LEGACY"
    """A step of the product before runs existed: shown, and nothing is folded from it."""


MODEL_STEPS = frozenset({StepKind.TURN, StepKind.PLAN, StepKind.DRAFT, StepKind.VERDICTS})
"""Steps that hold what a model said."""


@dataclass(frozen=True, slots=True)
class Step:
    """One fact about a run. What the agent was *given* is kept by hash and reference only."""

    step_no: int
    agent: Agent
    kind: StepKind
    output: dict[str, Any] = field(default_factory=dict)
    input_hash: str = ""
    """SHA-256 (hex) of the request that was sent, so that two runs can be compared without storing it."""
    input_summary: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    duration_ms: int = 0
    created_at: datetime | None = None
    seq: int = 0
    """Per-run change counter, given by the store."""
