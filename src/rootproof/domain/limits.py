"""Every bound of a run, in one place, with units. `settings` may lower or raise them."""

from __future__ import annotations

from dataclasses import dataclass, field

_FALLBACK_S = 60.0


@dataclass(frozen=True, slots=True)
class ToolProjectionLimits:
    """Bounds of one projection. Trimming drops the last timeline events first, then patterns, then items."""

    max_items: int = 12
    """Knowledge blocks."""
    max_series: int = 24
    """Metric series or alerts."""
    max_facts: int = 40
    """Facts about the cluster."""
    max_patterns: int = 20
    max_events: int = 24
    max_excerpt_chars: int = 900
    max_message_chars: int = 320
    max_bytes: int = 7_000
    """UTF-8 bytes of the serialised projection; about 2,000 tokens."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Budgets of one run. Reaching one ends the work with whatever evidence there is, and says which."""

    max_tool_calls: int = 40
    max_identical_calls: int = 3
    max_invalid_calls: int = 3
    """Model turns in a row that could not be used, or whose calls were all refused."""
    max_calls_per_turn: int = 16
    """Tool calls of one model turn that are run; the model is told of the others."""
    max_parallel_calls: int = 4
    """Tool calls of one turn that are under way at once."""
    max_fallback_calls: int = 14
    """Tool calls that the playbook reasoner may make where it takes over and the run has fewer left."""
    max_model_requests: int = 30
    max_call_s: float = 30.0
    max_run_s: float = 600.0
    max_raw_bytes: int = 64 * 1024 * 1024
    """Raw bytes of one tool output."""
    max_agent_visible_bytes: int = 400_000
    """All projections of the run together."""
    max_tokens: int = 400_000
    """Input and output tokens of all model requests together."""
    max_model_retries: int = 2
    model_deadline_s: float = 120.0
    max_summary_chars_per_call: int = 1_200
    max_summary_chars: int = 16_000
    projection: ToolProjectionLimits = field(default_factory=ToolProjectionLimits)

    @property
    def fallback_calls(self) -> int:
        """Tool calls that a reasoner which takes over may always make."""
        return min(self.max_tool_calls, self.max_fallback_calls)

    @property
    def model_until_s(self) -> float:
        """Second of the run until which a provider's model may be waited for: the rest is for who takes over."""
        return self.max_run_s - min(_FALLBACK_S, self.max_run_s / 4)

    @property
    def investigate_until_s(self) -> float:
        """Second of the run at which a provider's model is asked for its report: the rest is for giving it."""
        return self.model_until_s - min(self.model_deadline_s, self.max_run_s / 4)
