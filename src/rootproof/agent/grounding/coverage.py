"""Whether a search was complete, so that what it did not find was not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rootproof.domain.report import Coverage, CoverageStatus

TOOL_OF: Final[dict[str, str]] = {
    **dict.fromkeys(
        [
            "error",
            "warning",
            "timeout",
            "refused",
            "reset",
            "retry",
            "lock",
            "exhausted",
            "expired",
            "auth",
            "dns",
            "gc",
            "query",
            "transaction",
            "missing",
        ],
        "query_logs",
    ),
    **dict.fromkeys(
        [
            "restart",
            "oom",
            "crash",
            "kill",
            "eviction",
            "schedule",
            "image",
            "probe",
            "unhealthy",
            "pressure",
            "deploy",
            "config",
            "failover",
            "scale",
            "secret",
            "pod",
            "node",
        ],
        "query_cluster",
    ),
    **dict.fromkeys(["alert"], "query_alerts"),
    **dict.fromkeys(
        ["throttle", "latency", "traffic", "usage", "leak", "descriptor", "memory", "cpu", "disk"], "query_metrics"
    ),
}
"""The tool that would have shown a happening."""
_CUT_WORDS: Final = ("truncat", "omitted", "cut", "left out", "partial", "incomplete", "limit reached")


def complete(tool: str, coverage: Sequence[Coverage]) -> bool:
    """Whether every line of the tool answered, said how much it scanned, and left nothing out."""
    lines = [line for line in coverage if line.tool == tool and line.status is not CoverageStatus.NOT_ASKED]
    return bool(lines) and all(
        line.status in {CoverageStatus.OK, CoverageStatus.NO_EVIDENCE}
        and line.scanned is not None
        and not any(word in line.detail.lower() for word in _CUT_WORDS)
        for line in lines
    )
