"""Evidence: the citable items of projections, with the class that decides what they may support."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class EvidenceClass(StrEnum):
    """Where an item's words come from. Only OBSERVATION can support a CAUSE."""

    OBSERVATION = "OBSERVATION"
    """Logs, metrics, cluster state, and what `query_alerts` reads from the monitoring system."""
    GUIDANCE = "GUIDANCE"
    """Runbooks."""
    MEMORY = "MEMORY"
    """Past cases."""
    REPORTED = "REPORTED"
    """The words of the triggering payload or of the user."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One citable item. `text` alone must hold every fact a claim may rest on; the rest is where and when."""

    id: str
    """`E1`, `E2`, ... unique in its run."""
    cls: EvidenceClass
    tool: str
    """The tool that gave it (`query_logs`, ...) or `payload` / `question` for REPORTED items."""
    tool_call_id: str
    text: str
    """One line for logs and metrics, a bounded excerpt for documents; redacted, with the run's placeholders."""
    source: str = ""
    """The source's name and kind, or the document's title."""
    subject: str | None = None
    """The service, instance, object or series the item is about, when it is about one."""
    first_at: datetime | None = None
    last_at: datetime | None = None
    count: int | None = None
    """How many raw records the item stands for."""
