"""What the loop asks its interpreter to do."""

from __future__ import annotations

from dataclasses import dataclass

from rootproof.domain.run import RunStatus, StatusReason
from rootproof.domain.step import Agent
from rootproof.ports.model import ModelRequest, ToolCall


@dataclass(frozen=True, slots=True)
class Brief:
    """Make the briefing: redact the question or alert, list skills and tools."""


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send the request and store what came back as a step."""

    agent: Agent
    request: ModelRequest
    answer: str
    """The answer tool that ends this agent's work."""
    shortened_before: int = 0
    """The results of turns before this step are in short: the whole did not fit the model's window."""


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run calls of a turn: sources at once, everything else in this order."""

    turn: int
    calls: tuple[tuple[int, ToolCall], ...]
    """Position in the turn, and the call."""


@dataclass(frozen=True, slots=True)
class ReadSkill:
    """Answer one `read_skill` call: from the catalog, or from context when it was read before."""

    turn: int
    call_index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class GiveUpModel:
    """Store that the model is given up, and why: the playbook reasoner goes on."""

    reason: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Write the report and end the run."""

    status: RunStatus
    reason: StatusReason
    detail: str = ""


Command = Brief | AskModel | RunTools | ReadSkill | GiveUpModel | Finish
