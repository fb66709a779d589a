"""Where measurements and spans go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from rootproof.telemetry import Metric

Attribute = str | int | float | bool | Sequence[str]


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened at one moment of a span."""

    name: str
    at: datetime
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """A span that is over, with what happened inside it."""

    name: str
    begun_at: datetime
    ended_at: datetime
    attributes: Mapping[str, Attribute]
    error: str | None = None
    """What went wrong, in a word or a line; None when nothing did."""
    events: tuple[SpanEvent, ...] = ()
    children: tuple[SpanRecord, ...] = field(default=())


class Telemetry(Protocol):
    """Never raises: what measures must not break what is measured."""

    def add(self, metric: Metric, labels: Mapping[str, str], amount: float = 1.0) -> None:
        """Count."""
        ...

    def observe(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """Put a value into a histogram."""
        ...

    def set(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """Set a gauge."""
        ...

    def span(self, record: SpanRecord) -> None:
        """Hand over a finished span; nothing happens where spans are off."""
        ...

    def exposition(self) -> bytes:
        """Every metric of this process in Prometheus' text format."""
        ...

    def close(self) -> None:
        """Send what is still waiting; takes a few seconds at most."""
        ...


class NoTelemetry:
    """Measures nothing."""

    def add(self, metric: Metric, labels: Mapping[str, str], amount: float = 1.0) -> None:
        """See Telemetry."""

    def observe(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """See Telemetry."""

    def set(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """See Telemetry."""

    def span(self, record: SpanRecord) -> None:
        """See Telemetry."""

    def exposition(self) -> bytes:
        """See Telemetry."""
        return b""

    def close(self) -> None:
        """See Telemetry."""
