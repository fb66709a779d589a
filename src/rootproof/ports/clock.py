"""Time, so that tests and bundles can fix it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall clock and stopwatch."""

    def now(self) -> datetime:
        """The current instant, aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...
