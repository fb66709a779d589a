"""Metrics of this process for Prometheus, in a registry of its own: nothing is global, tests see only theirs."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from rootproof.telemetry import METRICS, Metric


class PrometheusMetrics:
    """Every metric of `telemetry.METRICS`, there from the start."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._made = {metric.name: self._make(metric) for metric in METRICS}

    def add(self, metric: Metric, labels: Mapping[str, str], amount: float = 1.0) -> None:
        """Count."""
        made = self._made[metric.name]
        if isinstance(made, Counter):
            (made.labels(**labels) if labels else made).inc(amount)

    def observe(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """Put a value into a histogram."""
        made = self._made[metric.name]
        if isinstance(made, Histogram):
            (made.labels(**labels) if labels else made).observe(value)

    def set(self, metric: Metric, labels: Mapping[str, str], value: float) -> None:
        """Set a gauge."""
        made = self._made[metric.name]
        if isinstance(made, Gauge):
            (made.labels(**labels) if labels else made).set(value)

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _make(self, metric: Metric) -> Counter | Gauge | Histogram:
        match metric.kind:
            case "counter":
                return Counter(metric.name, metric.help, metric.labels, registry=self.registry)
            case "gauge":
                return Gauge(metric.name, metric.help, metric.labels, registry=self.registry)
            case "histogram":
                return Histogram(
                    metric.name, metric.help, metric.labels, registry=self.registry, buckets=metric.buckets
                )
