"""A run's measurements and spans come from its rows: names, times, parents, verdicts; words only where asked for."""

from __future__ import annotations

import gzip
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rootproof.adapters.observability.metrics import PrometheusMetrics
from rootproof.adapters.observability.spans import OtelSpans, open_spans
from rootproof.bootstrap import SourceSpec, memory_services, open_inputs
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.observe import observe_run, span_of
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.ports.run_store import RunRows
from rootproof.ports.telemetry import SpanRecord
from rootproof.scenarios import scenario_names, scenario_path
from rootproof.settings import Settings
from rootproof.telemetry import METRICS, Metric


@pytest.fixture(scope="module")
def rows() -> RunRows:
    import asyncio

    async def run() -> RunRows:
        services = memory_services(Settings())
        inputs = open_inputs(Settings(), SourceSpec(bundle=str(scenario_path(scenario_names()[0]))))
        request = RunRequest(question=inputs.question, has_payload=bool(inputs.sources.payload), now=inputs.now)
        started = await start_run(services, request)
        return await drive_run(services, started.run_id, inputs.sources, inputs.skills)

    return asyncio.run(run())


class Measured(PrometheusMetrics):
    def __init__(self) -> None:
        super().__init__()
        self.spans: list[SpanRecord] = []

    def span(self, record: SpanRecord) -> None:
        self.spans.append(record)


def every(record: SpanRecord) -> list[SpanRecord]:
    return [record, *(inner for child in record.children for inner in every(child))]


def test_every_model_turn_and_tool_call_is_a_span_inside_the_run(rows: RunRows) -> None:
    root = span_of(rows)
    operations = [str(span.attributes["gen_ai.operation.name"]) for span in root.children]
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert root.attributes["gen_ai.conversation.id"] == rows.run.session_id
    assert operations.count("chat") == sum("finishReason" in step.output for step in rows.steps) > 0
    assert len(operations) - operations.count("chat") == len(rows.invocations) > 0
    assert ("retrieval" in operations) == any(call.tool_name == "lookup_knowledge" for call in rows.invocations)
    assert all(span.begun_at <= span.ended_at for span in every(root))


def test_each_claim_has_its_verdict_as_an_evaluation_event(rows: RunRows) -> None:
    events = span_of(rows).events
    claims = rows.steps[-1].output["report"]["claims"]
    assert [event.attributes["gen_ai.evaluation.score.label"] for event in events] == [c["verdict"] for c in claims]
    assert events


def test_words_are_in_spans_only_where_asked_for(rows: RunRows) -> None:
    content = {
        "gen_ai.output.messages",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.evaluation.explanation",
    }

    def names(record: SpanRecord) -> set[str]:
        return {
            name
            for span in every(record)
            for part in (span.attributes, *(event.attributes for event in span.events))
            for name in part
        }

    assert not names(span_of(rows)) & content
    assert content <= names(span_of(rows, content=True))


def test_the_sdk_gets_one_tree_with_the_times_of_the_rows(rows: RunRows) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    OtelSpans(provider.get_tracer("t"), provider).hand_over(span_of(rows))
    spans = exporter.get_finished_spans()
    (root,) = [span for span in spans if span.parent is None]
    assert len(spans) == len(every(span_of(rows)))
    assert len({span.context.trace_id for span in spans}) == 1
    assert root.end_time is not None
    assert root.start_time is not None
    assert rows.run.created_at is not None
    assert root.start_time == round(rows.run.created_at.timestamp() * 1e6) * 1000
    assert all(event.name == "gen_ai.evaluation.result" for event in root.events)


def test_the_counters_say_what_the_run_did(rows: RunRows) -> None:
    measured = Measured()
    observe_run(measured, rows)
    text = measured.exposition().decode()
    assert 'rootproof_runs_ended_total{mode="' in text
    assert f'rootproof_run_duration_seconds_count{{mode="{rows.run.mode.value}"}} 1.0' in text
    calls = sum(
        sample.value
        for family in measured.registry.collect()
        for sample in family.samples
        if sample.name == "rootproof_tool_calls_total"
    )
    assert calls == len(rows.invocations)
    assert len(measured.spans) == 1


def test_a_tool_that_a_model_made_up_is_no_label(rows: RunRows) -> None:
    from dataclasses import replace

    measured = Measured()
    invented = tuple(replace(call, tool_name="rm -rf /") for call in rows.invocations)
    observe_run(measured, replace(rows, invocations=invented))
    assert "rm -rf" not in measured.exposition().decode()
    assert 'tool="other"' in measured.exposition().decode()


def test_a_run_that_has_not_ended_is_not_counted(rows: RunRows) -> None:
    from dataclasses import replace

    measured = Measured()
    observe_run(measured, replace(rows, steps=rows.steps[:-1]))
    assert not measured.spans


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_there_from_the_start_with_a_unit_in_its_name(metric: Metric) -> None:
    assert metric.name.removesuffix("_total") in PrometheusMetrics().exposition().decode()
    if metric.kind == "counter":
        assert metric.name.endswith("_total")
    if metric.kind == "histogram":
        assert metric.name.endswith("_seconds")


class Collector(BaseHTTPRequestHandler):
    bodies: ClassVar[list[tuple[str, bytes]]] = []

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        self.bodies.append((self.path, self.rfile.read(size)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_spans_reach_a_collector_over_http_when_the_process_ends(rows: RunRows) -> None:
    Collector.bodies.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        spans = open_spans(f"http://127.0.0.1:{server.server_port}", "1")
        spans.hand_over(span_of(rows))
        spans.close()
        server.shutdown()
        thread.join()
    ((path, body),) = Collector.bodies
    assert path == "/v1/traces"
    assert b"invoke_agent rootproof" in (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
