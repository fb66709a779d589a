"""A raw log answer as records: strictly read, services redacted, instances learned as identifiers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import clip
from rootproof.aci.projection.raw import instant, text_of
from rootproof.errors import ProjectionError
from rootproof.logs.metrics import metric_name
from rootproof.logs.record import LEVELS, Level, LogRecord
from rootproof.redaction import workload_stem

_LARGEST = 1e300
_LEVELS: dict[str, Level] = {level: level for level in LEVELS}
_SERVICE_CHARS = 80
_METRIC_KEYS = 6
TOTALS = 12
"""Services that are counted by name."""

Metrics = dict[tuple[str, str], list[float]]
"""Values by service and key."""


def read_records(
    logs: Sequence[dict[str, Any]], identifiers: IdentifierMap, tool: str
) -> tuple[list[LogRecord], Metrics]:
    """The records with raw messages, and their measurements. Raises: ProjectionError."""
    for instance in dict.fromkeys(text_of(log.get("instance")) for log in logs):
        if instance:
            identifiers.learn(instance, "pod" if workload_stem(instance) else "host")
    records: list[LogRecord] = []
    metrics: Metrics = defaultdict(list)
    services: dict[str, str | None] = {}
    for number, log in enumerate(logs, start=1):
        message = log.get("message")
        if not isinstance(message, str):
            raise ProjectionError(f"{tool}: record {number} of the source's answer has no text `message`")
        named = text_of(log.get("service"))
        if named not in services:
            services[named] = clip(" ".join(identifiers.redact(named).split()), _SERVICE_CHARS) or None
        level = _LEVELS.get(text_of(log.get("level")).upper())
        records.append(LogRecord(message, instant(log.get("timestamp")), level, services[named], line=number))
        for key, value in _numbers(log.get("metrics")):
            metrics[services[named] or "unknown", key].append(value)
    return records, metrics


def metric_facts(metrics: Mapping[tuple[str, str], list[float]]) -> list[str]:
    """One line a measurement, for the verifier."""
    return [
        f"{service} {key}: min {min(values):g}, max {max(values):g} over {len(values)} records"
        for (service, key), values in sorted(metrics.items())[:_METRIC_KEYS]
    ]


def _numbers(metrics: Any) -> list[tuple[str, float]]:
    """The record's numeric metrics under allow-listed names; the source may have let others through."""
    if not isinstance(metrics, dict):
        return []
    numbers = [(metric_name(str(key)), value) for key, value in metrics.items()]
    return [
        (name, float(value))
        for name, value in numbers
        if name and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST
    ]


def unread(body: Mapping[str, Any]) -> list[str]:
    """`FILE: why it is not whole` for each file that the source did not read to its end."""
    listed = body.get("reading")
    readings = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return [
        f"{text_of(item.get('file'))}: {text_of(item.get('problem')) or 'not read as a whole'}"
        for item in readings
        if item.get("whole") is False
    ]


def totals(words: Iterable[str]) -> dict[str, int]:
    """How often each word occurs, the commonest only."""
    return dict(Counter(words).most_common(TOTALS))
