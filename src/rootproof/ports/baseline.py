"""The figures of runs beside those of their sessions, as they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What the rows of one run add up to."""

    session_id: str
    run_id: str
    compatibility: bool
    """Made from a row of `diagnosis_session`."""
    tool_calls: int
    steps: int
    tokens: int
    step_ms: int
    """Milliseconds that the steps took, added up."""
    rounds: int
    """How often the run's first kind of step occurs; more than one in a compatibility run means mixed rounds."""


class BaselineFigures(Protocol):
    """Raises StoreError."""

    async def beside_compatibility(self) -> Sequence[RunFigures]:
        """Runs of every session that has a compatibility run and newer ones, by session and then oldest first."""
        ...

    async def mixed_sessions(self) -> int:
        """How many compatibility runs hold more than one round."""
        ...
