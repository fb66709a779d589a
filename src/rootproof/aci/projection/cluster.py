"""The cluster projection: facts that were derived from recorded or live cluster output, abnormal and current first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import objects, read_success
from rootproof.aci.requests import QueryClusterRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.cluster.facts import ClusterFact, Focus, facts
from rootproof.cluster.read import read
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import iso
from rootproof.errors import ProjectionError
from rootproof.redaction import without_credentials

TOOL = "query_cluster"
_LISTS = ("outputs", "manifests", "changes")
_PARTS = (*_LISTS, "objects", "topology")


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
        _check_shape(body)
        state = read(body)
        for _, pod in state.pods:
            self.identifiers.learn(pod, "pod")
        for node in state.nodes:
            self.identifiers.learn(node, "node")
        names = (request.name,) if request.name else ()
        namespaces = (request.namespace,) if request.namespace else ()
        found = facts(state, now=now, focus=Focus(names, namespaces, self.focus))
        read_count = state.counts.total + len(state.pods) + len(state.nodes) + len(state.workloads)
        scope = {**request.model_dump(mode="json"), "source_kind": source_kind}
        shown = found[: self.limits.max_facts]
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head={"scope": self.identifiers.redact_structure(scope), "scanned": len(found), "outputs_read": read_count},
            sections={"facts": [self._item(fact, source_kind) for fact in shown]},
            omitted={"facts": len(found) - len(shown), "outputs_not_understood": state.counts.unknown},
            scanned=len(found),
        )
        return finish(projection, self.limits, self.numbering)

    def _item(self, fact: ClusterFact, source_kind: str) -> Item:
        redact = self.identifiers.redact
        fields: dict[str, Any] = {
            "object": clip(redact(fact.object), 160),
            "app": _name(fact.app),
            "namespace": _name(fact.namespace),
            "aspect": fact.aspect,
            "reason": _name(fact.reason),
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
        self.identifiers.shown(*_plain_names(fact))
        return Item(
            {key: value for key, value in fields.items() if value not in (None, {})},
            text,
            subject,
            source_kind,
            fact.first_at,
            fact.last_at,
            fact.count,
        )


def _name(text: str | None) -> str | None:
    """A name that reasoning needs as it is, unless somebody put a credential there."""
    return clip(without_credentials(text), 160) if text else text


def _plain_names(fact: ClusterFact) -> list[str]:
    """The workloads that a fact names as they are: its own, and whom it calls."""
    callees = fact.text.rpartition(" calls ")[2].split(", ") if fact.aspect == "topology" else []
    return [name for name in (fact.app, *callees) if name]


def _check_shape(body: dict[str, Any]) -> None:
    """Refuse an answer that could not be read: "nothing found" must mean that something was looked at.

    Raises: ProjectionError.
    """
    if not any(part in body for part in _PARTS):
        raise ProjectionError(f"{TOOL}: the source's answer holds none of {', '.join(_PARTS)}")
    for part in _LISTS:
        if body.get(part) is not None:
            objects(body, part, TOOL)
    for output in body.get("outputs") or ():
        if not isinstance(output.get("command"), str) or not isinstance(output.get("text"), str):
            raise ProjectionError(f"{TOOL}: an entry of `outputs` has no text `command` and `text`")
    plain = body.get("objects") or {}
    if not isinstance(plain, dict):
        raise ProjectionError(f"{TOOL}: `objects` of the source's answer is not an object of lists")
    for kind in plain:
        objects(plain, kind, TOOL)
    if not isinstance(body.get("topology") or {}, dict):
        raise ProjectionError(f"{TOOL}: `topology` of the source's answer is not an object")
