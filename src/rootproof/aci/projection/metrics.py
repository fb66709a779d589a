"""The metrics projection: per series what it was, what it did and when; never raw points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import count_of, objects, read_success, text_of
from rootproof.aci.projection.series import Shape, shape
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import TimeWindow, iso
from rootproof.errors import ProjectionError

TOOL = "query_metrics"
_SUBJECT_LABELS = (
    "service", "app", "pod", "instance", "node", "deployment", "container", "database", "db", "queue", "topic", "job",
)  # fmt: skip
_LABELS = 20
_QUIET_LABELS = frozenset({"unit", "stat", "prometheus", "endpoint", "uid", "receiver"})


@dataclass(frozen=True, slots=True)
class MetricScope:
    """What was searched."""

    window: TimeWindow
    contains: tuple[str, ...]
    source_kind: str

    def as_fields(self) -> dict[str, Any]:
        """For the result's head."""
        return {
            "contains": list(self.contains),
            "start_time": iso(self.window.start),
            "end_time": iso(self.window.end),
            "source_kind": self.source_kind,
        }


@dataclass(frozen=True, slots=True)
class MetricsProjector:
    """Turns raw metric answers into projections for one run."""

    identifiers: IdentifierMap
    numbering: EvidenceNumbering
    limits: ToolProjectionLimits

    def project(self, tool_call_id: str, scope: MetricScope, raw: str) -> ProjectedToolResult:
        """The bounded view of `raw`. Raises: ProjectionError."""
        body = read_success(raw, TOOL)
        series = objects(body, "series", TOOL)
        shaped: list[tuple[dict[str, Any], Shape]] = []
        empty = 0
        for entry in series:
            points = _points(entry)
            if points:
                shaped.append((entry, shape(points)))
            else:
                empty += 1
        shaped.sort(key=lambda pair: -pair[1].deviation)
        total = count_of(body, "total", len(series))
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.OBSERVATION,
            head={"scope": self.identifiers.redact_structure(scope.as_fields()), "scanned": total},
            sections={"series": [self._item(entry, found, scope) for entry, found in shaped[: self.limits.max_series]]},
            omitted={
                "series": max(0, len(shaped) - self.limits.max_series) + max(0, total - len(series)),
                "series_without_points": empty,
                "labels": sum(_labels_left_out(entry) for entry, _ in shaped[: self.limits.max_series]),
            },
            scanned=total,
        )
        return finish(projection, self.limits, self.numbering)

    def _item(self, entry: dict[str, Any], found: Shape, scope: MetricScope) -> Item:
        name = clip(self.identifiers.redact(text_of(entry.get("name")) or "unnamed"), 120)
        redacted = self.identifiers.redact_structure(_labels(entry))
        labels = {clip(key, 60): clip(value, 120) for key, value in redacted.items() if key not in _QUIET_LABELS}
        self.identifiers.shown(*labels.values())
        unit = clip(self.identifiers.redact(text_of(entry.get("unit"))), 40) or None
        stat = clip(text_of(redacted.get("stat")), 40)
        subject = _subject(labels)
        change = found.change
        fields: dict[str, Any] = {
            "name": name,
            "labels": labels,
            "unit": unit,
            **({"stat": stat} if stat else {}),
            "points": found.points,
            "first": _round(found.first),
            "first_at": iso(found.first_at),
            "last": _round(found.last),
            "last_at": iso(found.last_at),
            "min": _round(found.low),
            "min_at": iso(found.low_at),
            "max": _round(found.high),
            "max_at": iso(found.high_at),
            "mean": _round(found.mean),
            "trend": found.trend,
            "change": change and {"at": iso(change.at), "before": _round(change.before), "after": _round(change.after)},
        }
        return Item(fields, _line(fields, subject), subject, scope.source_kind, found.first_at, found.last_at)


def _line(fields: dict[str, Any], subject: str | None) -> str:
    """The series in one line: every number with its time and unit."""
    kinds = ", ".join(part for part in (fields["unit"], fields.get("stat")) if part)
    others = ", ".join(f"{key}={value}" for key, value in fields["labels"].items() if value != subject)
    line = str(fields["name"]) + (f" of {subject}" if subject else "") + (f" ({kinds})" if kinds else "")
    line += f" {{{others}}}" if others else ""
    line += (
        f": first {fields['first']} at {fields['first_at']}, last {fields['last']} at {fields['last_at']}, "
        f"min {fields['min']} at {fields['min_at']}, max {fields['max']} at {fields['max_at']}, "
        f"mean {fields['mean']}, {fields['points']} points, {fields['trend']}"
    )
    if fields["change"]:
        change = fields["change"]
        line += f", changed at {change['at']} from about {change['before']} to about {change['after']}"
    return line


def _labels(entry: dict[str, Any]) -> dict[str, str]:
    labels = entry.get("labels")
    if not isinstance(labels, dict):
        return {}
    return {str(key): text_of(value) for key, value in list(labels.items())[:_LABELS]}


def _labels_left_out(entry: dict[str, Any]) -> int:
    labels = entry.get("labels")
    return max(0, len(labels) - _LABELS) if isinstance(labels, dict) else 0


def _subject(labels: dict[str, str]) -> str | None:
    """What the series is about: the value of the most telling label, or of the only one."""
    for wanted in _SUBJECT_LABELS:
        if labels.get(wanted, ""):
            return labels[wanted]
    for key, value in labels.items():
        if value and key.lower().endswith(("identifier", "name", "id", "instance", "host")):
            return value
    return next(iter(labels.values()), None) or None


def _points(entry: dict[str, Any]) -> list[tuple[float, float]]:
    values = entry.get("values")
    if not isinstance(values, list):
        raise ProjectionError(f"{TOOL}: a series of the source's answer has no list `values`")
    points: list[tuple[float, float]] = []
    for pair in values:
        try:
            at, value = float(pair[0]), float(pair[1])
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise ProjectionError(f"{TOOL}: a point of the source's answer is not [time, number]: {pair!r}") from error
        if math.isfinite(at) and math.isfinite(value):
            points.append((at, value))
    return points


def _round(value: float) -> float | int:
    """Four significant digits for small values, whole numbers for large ones; no exponent where avoidable."""
    if value == 0 or not math.isfinite(value):
        return 0
    if abs(value) >= 1000:
        return round(value)
    digits = max(0, 4 - math.ceil(math.log10(abs(value))))
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded
