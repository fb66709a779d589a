"""Projectors on their own: raw JSON in, the parsed view and the result out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.alerts import AlertScope, AlertsProjector
from rootproof.aci.projection.cluster import ClusterProjector
from rootproof.aci.projection.fit import EvidenceNumbering
from rootproof.aci.projection.knowledge import KnowledgeProjector
from rootproof.aci.projection.logs import LogQueryScope, QueryLogsProjector
from rootproof.aci.projection.metrics import MetricScope, MetricsProjector
from rootproof.aci.requests import LogTopic, QueryClusterRequest, QueryLogsRequest, RagToolRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import TimeWindow

NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
WINDOW = TimeWindow.lookback(NOW, 60)
SECRET_60 = "ghp_" + "Zk3Wq9Xv7Lp2Rt8Ym4Nc6Hd1Bf5Gs0Ja3Ke" + "Ux8Tw2Qz5Vn7Mb4Cr9Yd6P"
"""60 characters that look like a token, whole or as a value beside a secret-like word."""


@dataclass
class Projecting:
    """One run's projectors on one set of limits."""

    limits: ToolProjectionLimits = field(default_factory=ToolProjectionLimits)
    identifiers: IdentifierMap = field(default_factory=IdentifierMap)
    numbering: EvidenceNumbering = field(default_factory=EvidenceNumbering)
    last: ProjectedToolResult | None = None

    def logs(self, records: list[dict[str, Any]] | str, **more: Any) -> dict[str, Any]:
        raw = records if isinstance(records, str) else raw_logs(records, **more)
        request = QueryLogsRequest(topic=LogTopic.APPLICATION)
        scope = LogQueryScope(LogTopic.APPLICATION, WINDOW, "MOCK")
        projector = QueryLogsProjector(self.identifiers, self.numbering, self.limits)
        return self._seen(projector.project(request, "call_0", scope, raw))

    def knowledge(self, blocks: list[dict[str, Any]] | str, top_k: int = 8, **more: Any) -> dict[str, Any]:
        raw = blocks if isinstance(blocks, str) else json.dumps({"evidenceBlocks": blocks, "documents": 9} | more)
        projector = KnowledgeProjector(self.identifiers, self.numbering, self.limits)
        return self._seen(projector.project(RagToolRequest(query="q", top_k=top_k), "call_0", raw))

    def metrics(self, series: list[dict[str, Any]] | str, **more: Any) -> dict[str, Any]:
        raw = series if isinstance(series, str) else json.dumps({"success": True, "series": series} | more)
        projector = MetricsProjector(self.identifiers, self.numbering, self.limits)
        return self._seen(projector.project("call_0", MetricScope(WINDOW, (), "MOCK"), raw))

    def alerts(self, alerts: list[dict[str, Any]] | str, **more: Any) -> dict[str, Any]:
        raw = alerts if isinstance(alerts, str) else json.dumps({"success": True, "alerts": alerts} | more)
        projector = AlertsProjector(self.identifiers, self.numbering, self.limits)
        return self._seen(projector.project("call_0", AlertScope(None, (), "MOCK"), raw))

    def cluster(self, body: dict[str, Any] | str, focus: str = "", **request: Any) -> dict[str, Any]:
        empty = {"success": True, "outputs": [], "objects": {}, "manifests": [], "topology": None, "changes": []}
        raw = body if isinstance(body, str) else json.dumps(empty | body)
        projector = ClusterProjector(self.identifiers, self.numbering, self.limits, focus)
        asked = QueryClusterRequest(view=request.pop("view", "overview"), **request)
        return self._seen(projector.project(asked, "call_0", "MOCK", NOW, raw))

    def _seen(self, result: ProjectedToolResult) -> dict[str, Any]:
        self.last = result
        view: dict[str, Any] = json.loads(result.text)
        assert view["status"] == result.status
        assert view["truncated"] is result.truncated is bool(view["omitted"])
        counted = [item["count"] for item in view["patterns"]] if "patterns" in view else [1] * len(result.evidence)
        assert view["shown"] == result.shown == sum(counted)
        assert len(result.text.encode()) <= self.limits.max_bytes
        return view


def raw_logs(records: list[dict[str, Any]], **more: Any) -> str:
    """The raw answer of a log source."""
    return json.dumps({"success": True, "total": len(records), "scanned": len(records), "logs": records} | more)


def pieces(secret: str, length: int = 8) -> list[str]:
    """Every part of a secret that would tell something."""
    return [secret[start : start + length] for start in range(len(secret) - length + 1)]


def leaked(secret: str, text: str) -> list[str]:
    """The pieces of a secret that stand in a text."""
    return [piece for piece in pieces(secret) if piece in text]
