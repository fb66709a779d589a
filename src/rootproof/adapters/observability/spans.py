"""Finished spans to OpenTelemetry. Off unless an endpoint is set; the SDK is an extra and loaded only then."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from rootproof.errors import UsageError
from rootproof.ports.telemetry import SpanRecord

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider

_SCOPE = "rootproof"


class OtelSpans:
    """Span trees through one tracer."""

    def __init__(self, tracer: Tracer, provider: TracerProvider | None = None) -> None:
        self._tracer = tracer
        self._provider = provider

    def hand_over(self, record: SpanRecord, within: Context | None = None) -> None:
        """The span and everything inside it, with the times of the record."""
        client = record.name.startswith("chat ")
        span = self._tracer.start_span(
            record.name,
            context=within,
            kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
            attributes=_attributes(record.attributes),
            start_time=_nanoseconds(record.begun_at),
        )
        for event in record.events:
            span.add_event(event.name, _attributes(event.attributes), _nanoseconds(event.at))
        if record.error is not None:
            span.set_attribute("error.type", record.error)
            span.set_status(Status(StatusCode.ERROR, record.error))
        inside = set_span_in_context(span)
        for child in record.children:
            self.hand_over(child, inside)
        span.end(_nanoseconds(record.ended_at))

    def close(self) -> None:
        """Send what is still waiting."""
        if self._provider is not None:
            self._provider.shutdown()


def open_spans(endpoint: str, version: str) -> OtelSpans:
    """Spans to an OTLP/HTTP endpoint, in batches, in a thread. Raises: UsageError without the extra `otel`."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise UsageError(
            f"telemetry.otlp_endpoint is set, and {error.name} is not installed: install rootproof[otel]"
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": _SCOPE, "service.version": version}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=_traces_url(endpoint), timeout=5)))
    return OtelSpans(provider.get_tracer(_SCOPE, version), provider)


def _traces_url(endpoint: str) -> str:
    """The signal's own path, where only a base address was given.

    Source: OTLP exporter specification, "Endpoint URLs for OTLP/HTTP".
    """
    base = endpoint.rstrip("/")
    return base if base.endswith("/v1/traces") else f"{base}/v1/traces"


def _attributes(given: Mapping[str, object]) -> dict[str, str | int | float | bool | list[str]]:
    return {
        name: value if isinstance(value, str | int | float | bool) else [str(item) for item in _items(value)]
        for name, value in given.items()
    }


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _nanoseconds(instant: datetime) -> int:
    return round(instant.timestamp() * 1_000_000) * 1_000
