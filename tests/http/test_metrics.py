"""`/metrics`: what was asked by route, what waits in the store; no address, id or word of a caller in a label."""

from __future__ import annotations

import logging
from dataclasses import replace

import httpx2
import pytest
from fastapi import FastAPI
from starlette.responses import StreamingResponse

from rootproof.adapters.observability.metrics import PrometheusMetrics
from rootproof.adapters.observability.service import ServiceTelemetry
from rootproof.diagnosis.backend import Backend
from rootproof.domain.run import Run, RunMode
from rootproof.domain.session import ChatSession
from rootproof.entrypoints.http.app import create_app
from rootproof.settings import Settings
from rootproof.telemetry import LogIds, log_ids
from tests.http.conftest import BASE_URL, T0


@pytest.fixture
def measured(settings: Settings, backend: Backend) -> FastAPI:
    return create_app(settings, replace(backend, telemetry=ServiceTelemetry()))


def samples(text: str) -> dict[str, float]:
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    }


async def exposed(app: FastAPI, *paths: str) -> str:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE_URL) as client:
        for path in paths:
            await client.get(path)
        answer = await client.get("/metrics")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        return answer.text


async def test_requests_are_counted_by_route_and_never_by_address(measured: FastAPI) -> None:
    text = await exposed(measured, "/healthz", "/healthz", "/no/such/secret-canary", "/api/skills/canary-name")
    found = samples(text)
    assert found['rootproof_http_requests_total{method="GET",route="/healthz",status="200"}'] == 2
    assert found['rootproof_http_requests_total{method="GET",route="none",status="404"}'] == 1
    assert found['rootproof_http_request_duration_seconds_count{method="GET",route="/healthz"}'] == 2
    assert "canary" not in text


async def test_a_stream_is_counted_and_not_timed(measured: FastAPI) -> None:
    async def one() -> StreamingResponse:
        return StreamingResponse(iter([b"data: x\n\n"]), media_type="text/event-stream")

    measured.add_api_route("/stream", one)
    found = samples(await exposed(measured, "/stream"))
    assert found['rootproof_http_requests_total{method="GET",route="/stream",status="200"}'] == 1
    assert 'rootproof_http_request_duration_seconds_count{method="GET",route="/stream"}' not in found


async def test_what_waits_is_read_from_the_store(measured: FastAPI, backend: Backend, settings: Settings) -> None:
    for number in range(3):
        run = Run(f"run-{number}", "ses-1", "local", RunMode.CHAT, "q", T0, created_at=T0)
        await backend.services.runs.create_run(ChatSession("ses-1", "local"), run)
    found = samples(await exposed(measured))
    assert found['rootproof_runs_open{status="QUEUED"}'] == 3
    assert found["rootproof_queue_room"] == settings.worker.max_queued - 3
    assert found["rootproof_incidents_waiting"] == 0


async def test_a_span_that_fails_breaks_nothing(backend: Backend) -> None:
    from rootproof.ports.telemetry import SpanRecord

    class Broken:
        def hand_over(self, record: SpanRecord) -> None:
            raise RuntimeError(record.name)

    telemetry = ServiceTelemetry(Broken())  # type: ignore[arg-type]
    telemetry.span(SpanRecord("x", T0, T0, {}))
    assert isinstance(telemetry, PrometheusMetrics)


async def test_the_line_of_a_request_carries_the_ids_that_it_is_about(
    local: httpx2.AsyncClient, backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[tuple[str, LogIds]] = []

    class Ids(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append((record.getMessage(), log_ids()))

    await backend.services.runs.create_run(
        ChatSession("ses-1", "local"), Run("run-1", "ses-1", "local", RunMode.CHAT, "q", T0, created_at=T0)
    )
    handler = Ids()
    logging.getLogger("rootproof.http").addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, "rootproof.http"):
            asked = await local.post("/api/chat", json={"question": "why?"}, headers={"Prefer": "respond-async"})
            assert asked.status_code == 202
            await local.get("/api/runs/run-1")
            await local.get("/api/runs/canary-name")
            await local.get("/healthz")
    finally:
        logging.getLogger("rootproof.http").removeHandler(handler)
    chat, one, gone, health = [ids for message, ids in seen if "->" in message]
    assert chat == LogIds(asked.json()["sessionId"], asked.json()["runId"])
    assert one == LogIds(None, "run-1")
    assert gone == health == LogIds()
