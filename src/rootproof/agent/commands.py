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


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run one call of a turn."""

    turn: int
    call_index: int
    call: ToolCall


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


Command = Brief | AskModel | RunTool | ReadSkill | GiveUpModel | Finish
