"""Sources whose answers a test writes down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rootproof.ports.sources import AlertQuery, ClusterQuery, LogQuery, MetricQuery


def log(
    message: str,
    level: str = "ERROR",
    service: str = "billing-api",
    at: str | None = "2026-05-04T10:00:00Z",
    **more: Any,
) -> dict[str, Any]:
    """One raw log record."""
    return {
        "timestamp": at,
        "level": level,
        "service": service,
        "instance": None,
        "message": message,
        "metrics": {},
    } | more


@dataclass
class FakeLogs:
    """Answers every query with the same records, or with what `answer` holds."""

    logs: Sequence[dict[str, Any]] = ()
    answer: str | Exception | None = None
    delay_s: float = 0.0
    name: str = "fake logs"
    kind: str = "MOCK"
    queries: list[LogQuery] = field(default_factory=list)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        self.queries.append(query)
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return self.answer
        return json.dumps(
            {"success": True, "total": len(self.logs), "scanned": len(self.logs), "logs": list(self.logs)}
        )


@dataclass
class FakeMetrics:
    series: Sequence[dict[str, Any]] = ()
    name: str = "fake metrics"
    kind: str = "MOCK"
    queries: list[MetricQuery] = field(default_factory=list)

    async def fetch(self, query: MetricQuery, *, deadline_s: float) -> str:
        self.queries.append(query)
        return json.dumps({"success": True, "total": len(self.series), "series": list(self.series)})


@dataclass
class FakeAlerts:
    alerts: Sequence[dict[str, Any]] = ()
    name: str = "fake alerts"
    kind: str = "MOCK"

    async def fetch(self, query: AlertQuery, *, deadline_s: float) -> str:
        return json.dumps({"success": True, "total": len(self.alerts), "alerts": list(self.alerts)})


@dataclass
class FakeCluster:
    body: dict[str, Any] = field(default_factory=dict)
    name: str = "fake cluster"
    kind: str = "MOCK"

    async def fetch(self, query: ClusterQuery, *, deadline_s: float) -> str:
        empty = {"success": True, "outputs": [], "objects": {}, "manifests": [], "topology": None, "changes": []}
        return json.dumps(empty | self.body)


@dataclass
class FakeKnowledge:
    blocks: Sequence[dict[str, Any]] = ()
    name: str = "fake runbooks"
    kind: str = "MOCK"
    queries: list[str] = field(default_factory=list)

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        self.queries.append(query)
        return json.dumps(
            {
                "evidenceBlocks": list(self.blocks),
                "contextPack": {"blocks": len(self.blocks)},
                "queryTransform": {"original": query, "terms": query.split()},
                "retrievalTrace": {"legs": [{"name": "lexical", "candidates": len(self.blocks)}]},
                "rerankTrace": {"features": []},
                "fallbackReason": None,
                "documents": 3,
            }
        )
