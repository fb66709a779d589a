"""Every metric and span name, with its unit, and the ids that log lines carry. Nothing here imports a client library.

Metric names follow Prometheus' conventions; span names and attributes the GenAI semantic conventions of OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """One time series family. Labels have few values each: never ids, never a model's or a user's words."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)

RUNS_ENDED = Metric(
    "rootproof_runs_ended_total", "counter", "Runs that ended here.", ("status", "reason", "mode", "reasoner")
)
RUN_SECONDS = Metric("rootproof_run_duration_seconds", "histogram", "What a run took.", ("mode",), _SECONDS)
TOOL_CALLS = Metric("rootproof_tool_calls_total", "counter", "Tool calls of runs that ended here.", ("tool", "status"))
TOOL_SECONDS = Metric(
    "rootproof_tool_call_duration_seconds", "histogram", "What a tool call took.", ("tool",), _SECONDS
)
MODEL_REQUESTS = Metric("rootproof_model_requests_total", "counter", "Model turns.", ("agent", "outcome"))
MODEL_TOKENS = Metric("rootproof_model_tokens_total", "counter", "Tokens of model turns.", ("direction",))
CLAIMS = Metric("rootproof_claims_total", "counter", "Claims of reports by their verdict.", ("kind", "verdict"))
HTTP_REQUESTS = Metric("rootproof_http_requests_total", "counter", "Requests answered.", ("method", "route", "status"))
HTTP_SECONDS = Metric(
    "rootproof_http_request_duration_seconds",
    "histogram",
    "Time to the end of an answer; streams are not counted.",
    ("method", "route"),
    _REQUEST_SECONDS,
)
RUNS_OPEN = Metric("rootproof_runs_open", "gauge", "Runs in the store that have not ended.", ("status",))
QUEUE_ROOM = Metric("rootproof_queue_room", "gauge", "Runs that may still be queued before requests are refused.")
INCIDENTS_WAITING = Metric("rootproof_incidents_waiting", "gauge", "Incidents whose run is due and has not begun.")
OUTBOX_WAITING = Metric("rootproof_outbox_waiting", "gauge", "Reports that are still to be sent.")

METRICS = (
    RUNS_ENDED,
    RUN_SECONDS,
    TOOL_CALLS,
    TOOL_SECONDS,
    MODEL_REQUESTS,
    MODEL_TOKENS,
    CLAIMS,
    HTTP_REQUESTS,
    HTTP_SECONDS,
    RUNS_OPEN,
    QUEUE_ROOM,
    INCIDENTS_WAITING,
    OUTBOX_WAITING,
)

SPAN_RUN = "invoke_agent"
SPAN_CHAT = "chat"
SPAN_TOOL = "execute_tool"
SPAN_RETRIEVAL = "retrieval"
EVENT_EVALUATION = "gen_ai.evaluation.result"


@dataclass(frozen=True, slots=True)
class LogIds:
    """The session and the run that a log line is about."""

    session_id: str | None = None
    run_id: str | None = None


_NO_IDS = LogIds()
_LOG_IDS: ContextVar[LogIds] = ContextVar("rootproof_log_ids", default=_NO_IDS)


def log_ids() -> LogIds:
    """The ids that a line logged here carries."""
    return _LOG_IDS.get()


@contextmanager
def log_about(session_id: str | None, run_id: str | None) -> Iterator[None]:
    """Lines logged inside (also by tasks begun inside) carry these ids. For logging alone: nothing else reads them."""
    token = _LOG_IDS.set(LogIds(session_id, run_id))
    try:
        yield
    finally:
        _LOG_IDS.reset(token)


def log_from_here(session_id: str | None, run_id: str | None) -> None:
    """Lines logged from here on in this task carry these ids: for a request that learns them on its way."""
    _LOG_IDS.set(LogIds(session_id, run_id))
