"""The cluster projection: facts that were derived from recorded or live cluster output, abnormal and current first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import read_success
from rootproof.aci.requests import QueryClusterRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.cluster.facts import ClusterFact, Focus, facts
from rootproof.cluster.read import read
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import iso

TOOL = "query_cluster"


@dataclass(frozen=True, slots=True)
class ClusterProjector:
    """Turns raw cluster answers into projections for one run."""

    identifiers: IdentifierMap
    numbering: EvidenceNumbering
    limits: ToolProjectionLimits
    focus: str = ""
    """The question or alert in words (placeholders resolved): facts about what it names come first among equals."""

    def project(
        self, request: QueryClusterRequest, tool_call_id: str, source_kind: str, now: datetime, raw: str
    ) -> ProjectedToolResult:
        """The bounded view of `raw` for this request. Raises: ProjectionError."""
        body = read_success(raw, TOOL)
        state = read(body)
        for _, pod in state.pods:
            self.identifiers.learn(pod, "pod")
        for node in state.nodes:
            self.identifiers.learn(node, "node")
        names = (request.name,) if request.name else ()
        namespaces = (request.namespace,) if request.namespace else ()
        found = facts(state, now=now, focus=Focus(names, namespaces, self.focus))
        scanned = state.counts.total + len(state.pods) + len(state.nodes) + len(state.workloads)
        scope = {**request.model_dump(mode="json"), "source_kind": source_kind}
        shown = found[: self.limits.max_facts]
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head={"scope": self.identifiers.redact_structure(scope), "scanned": scanned},
            sections={"facts": [self._item(fact, source_kind) for fact in shown]},
            omitted={"facts": len(found) - len(shown), "outputs_not_understood": state.counts.unknown},
            scanned=scanned,
        )
        return finish(projection, self.limits, self.numbering)

    def _item(self, fact: ClusterFact, source_kind: str) -> Item:
        redact = self.identifiers.redact
        fields: dict[str, Any] = {
            "object": clip(redact(fact.object), 160),
            "app": fact.app,
            "namespace": fact.namespace,
            "aspect": fact.aspect,
            "reason": fact.reason,
            "abnormal": fact.abnormal,
            "current": fact.current,
            "text": clip(redact(fact.text), self.limits.max_message_chars * 2),
            "values": self.identifiers.redact_structure(dict(fact.values)),
            "first": iso(fact.first_at) if fact.first_at else None,
            "last": iso(fact.last_at) if fact.last_at else None,
            "count": fact.count,
        }
        text = fields["text"]
        subject = fields["object"]
        return Item(
            {key: value for key, value in fields.items() if value not in (None, {})},
            text,
            subject,
            source_kind,
            fact.first_at,
            fact.last_at,
            fact.count,
        )
