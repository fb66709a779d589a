"""The telemetry of a service process: metrics always, spans where an endpoint is set."""

from __future__ import annotations

import logging

from rootproof.adapters.observability.metrics import PrometheusMetrics
from rootproof.adapters.observability.spans import OtelSpans, open_spans
from rootproof.ports.telemetry import SpanRecord

log = logging.getLogger("rootproof.telemetry")


class ServiceTelemetry(PrometheusMetrics):
    """Metrics in this process; spans handed to OpenTelemetry."""

    def __init__(self, spans: OtelSpans | None = None) -> None:
        super().__init__()
        self._spans = spans

    def span(self, record: SpanRecord) -> None:
        """Hand over a finished span; nothing happens where spans are off."""
        if self._spans is None:
            return
        try:
            self._spans.hand_over(record)
        except Exception:  # what measures must not break what is measured
            log.exception("a span could not be handed over")

    def close(self) -> None:
        """Send what is still waiting."""
        if self._spans is not None:
            self._spans.close()


def open_telemetry(otlp_endpoint: str, version: str) -> ServiceTelemetry:
    """Metrics, and spans where `otlp_endpoint` is not empty. Raises: UsageError without the extra `otel`."""
    return ServiceTelemetry(open_spans(otlp_endpoint, version) if otlp_endpoint else None)
