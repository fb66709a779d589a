"""What a run has cost so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Totals of a run, or of one model turn."""

    tool_calls: int = 0
    model_requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    agent_visible_bytes: int = 0
    duration_ms: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tool_calls + other.tool_calls,
            self.model_requests + other.model_requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.agent_visible_bytes + other.agent_visible_bytes,
            self.duration_ms + other.duration_ms,
        )
