"""The alerts projection: what the monitoring system says is firing, pending and quiet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import count_of, instant, objects, read_success, text_of
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import iso

TOOL = "query_alerts"
_STATE_ORDER = {"firing": 0, "pending": 1}
_LABELS = 12
_TOLD_ELSEWHERE = frozenset({"alertname", "severity"})
_ABOUT = ("service", "app", "namespace", "deployment", "pod", "node", "instance")
"""Labels that say what an alert is about: a claim that names it must find it in the alert's own line."""
_SUMMARIES = ("summary", "description", "message")


@dataclass(frozen=True, slots=True)
class AlertScope:
    """What was searched."""

    state: str | None
    contains: tuple[str, ...]
    source_kind: str

    def as_fields(self) -> dict[str, Any]:
        """For the result's head."""
        return {"state": self.state, "contains": list(self.contains), "source_kind": self.source_kind}


@dataclass(frozen=True, slots=True)
class AlertsProjector:
    """Turns raw alert answers into projections for one run."""

    identifiers: IdentifierMap
    numbering: EvidenceNumbering
    limits: ToolProjectionLimits

    def project(self, tool_call_id: str, scope: AlertScope, raw: str) -> ProjectedToolResult:
        """The bounded view of `raw`. Raises: ProjectionError."""
        body = read_success(raw, TOOL)
        alerts = objects(body, "alerts", TOOL)
        alerts = sorted(alerts, key=lambda alert: _STATE_ORDER.get(text_of(alert.get("state")), 2))
        total = count_of(body, "total", len(alerts))
        shown = alerts[: self.limits.max_series]
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head={"scope": self.identifiers.redact_structure(scope.as_fields()), "scanned": total},
            sections={"alerts": [self._item(alert, scope) for alert in shown]},
            omitted={
                "alerts": max(total, len(alerts)) - len(shown),
                "labels": sum(max(0, len(_shown(_texts(alert.get("labels")))) - _LABELS) for alert in shown),
            },
            scanned=total,
        )
        return finish(projection, self.limits, self.numbering)

    def _item(self, alert: dict[str, Any], scope: AlertScope) -> Item:
        redact = self.identifiers.redact
        name = clip(redact(text_of(alert.get("name")) or "unnamed"), 120)
        annotations = self.identifiers.redact_structure(_texts(alert.get("annotations")))
        labels = self.identifiers.redact_structure(_texts(alert.get("labels")))
        summary = next((annotations[key] for key in _SUMMARIES if annotations.get(key)), "")
        active_at = instant(alert.get("activeAt"))
        fields: dict[str, Any] = {
            "name": name,
            "state": clip(redact(text_of(alert.get("state"))) or "unknown", 20),
            "severity": clip(redact(text_of(alert.get("severity"))), 20) or None,
            "labels": {clip(key, 60): clip(labels[key], 120) for key in _shown(labels)[:_LABELS]},
            "summary": clip(summary, self.limits.max_message_chars),
            "active_at": iso(active_at) if active_at else None,
            "value": clip(redact(_value(text_of(alert.get("value")))), 40) or None,
        }
        text = f'alert "{name}" is {fields["state"]}'
        text += f" since {fields['active_at']}" if active_at else ""
        text += f", severity {fields['severity']}" if fields["severity"] else ""
        text += f", value {fields['value']}" if fields["value"] else ""
        text += "".join(f", {key} {clip(labels[key], 120)}" for key in _ABOUT if labels.get(key))
        text += f": {fields['summary']}" if summary else ""
        subject = labels.get("service") or labels.get("app") or labels.get("job")
        return Item(fields, text, clip(subject, 120) if subject else None, scope.source_kind, active_at, active_at)


def _shown(labels: dict[str, str]) -> list[str]:
    return [key for key in labels if key not in _TOLD_ELSEWHERE]


def _texts(value: Any) -> dict[str, str]:
    return {str(key): text_of(item) for key, item in value.items()} if isinstance(value, dict) else {}


def _value(text: str) -> str:
    """A number as people write it (`1.44e+02` is 144), other text as it is."""
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text
