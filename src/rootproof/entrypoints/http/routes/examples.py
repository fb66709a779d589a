"""One example of each shape, for the OpenAPI document; a test reads them with the models."""

from __future__ import annotations

from typing import Any

_SESSION, _RUN = "ses-71aa9a52-7a3f-4a9e-9d53-0f6a3f6d2c11", "run-0b6c1f0e-6f9b-4f0e-8f1e-6d6a0c2b9d10"
_CAUSE = {
    "claimId": "C2",
    "text": "The connection pool of orders-db is exhausted.",
    "causeId": "connection_pool_exhausted",
    "category": "RESOURCE_EXHAUSTION",
    "objects": ["app/orders"],
    "confidence": "HIGH",
}
_SUMMARY = "orders fails since 10:12: its connection pool is exhausted."
_EVALUATION = {"verdicts": {"SUPPORTED": 2}, "supportedRatio": 1.0, "rootCauseSupported": True, "withheld": []}
_EVIDENCE = {
    "id": "E2",
    "class": "OBSERVATION",
    "tool": "query_logs",
    "toolCallId": "call_0",
    "text": "orders ERROR x214: Timeout: no connection available in 30000 ms",
    "source": "application-logs",
    "subject": "orders",
    "firstAt": "2026-05-04T10:12:03Z",
    "lastAt": "2026-05-04T10:29:41Z",
    "count": 214,
}
_CLAIM = {
    "id": "C2",
    "kind": "CAUSE",
    "text": "The connection pool of orders-db is exhausted.",
    "citations": [{"evidenceId": "E2", "quote": None}],
    "causeId": "connection_pool_exhausted",
    "category": "RESOURCE_EXHAUSTION",
    "objects": ["app/orders"],
    "verdict": "SUPPORTED",
    "reasons": [],
}
_REPORT = {
    "summary": _SUMMARY,
    "healthy": False,
    "rootCauses": [_CAUSE],
    "claims": [_CLAIM],
    "timeline": [{"time": "2026-05-04T10:12:03Z", "text": "first timeout of orders", "evidenceId": "E2"}],
    "nextSteps": [{"text": "Raise the pool's size or find what holds connections.", "query": None, "risk": "low"}],
    "coverage": [{"tool": "query_logs", "source": "files", "status": "OK", "scanned": 5120, "shown": 12, "detail": ""}],
}
RUN_SUMMARY: dict[str, Any] = {
    "sessionId": _SESSION,
    "runId": _RUN,
    "status": "COMPLETED",
    "statusReason": "REPORTED",
    "mode": "CHAT",
    "reasoner": "playbook",
    "question": "why is orders failing?",
    "summary": _SUMMARY,
    "rootCauses": [_CAUSE],
    "healthy": False,
    "verdicts": {"SUPPORTED": 2},
    "rootCauseSupported": True,
    "service": "orders",
    "severity": "critical",
    "incidentId": None,
    "feedback": None,
    "compatibility": False,
    "cancelRequested": False,
    "stepCount": 8,
    "toolCallCount": 3,
    "tokenCount": 0,
    "durationMs": 412,
    "createdAt": "2026-05-04T10:30:00Z",
    "updatedAt": "2026-05-04T10:30:01Z",
}
RUN_PAGE: dict[str, Any] = {"items": [RUN_SUMMARY], "nextCursor": None}
RUN: dict[str, Any] = {
    "schemaVersion": 1,
    "sessionId": _SESSION,
    "runId": _RUN,
    "status": "COMPLETED",
    "statusReason": "REPORTED",
    "statusDetail": "the report is complete",
    "mode": "CHAT",
    "reasoner": "playbook",
    "question": "why is orders failing?",
    "report": _REPORT,
    "evidence": [_EVIDENCE],
    "selfEvaluation": _EVALUATION,
    "usage": {
        "toolCalls": 3,
        "modelRequests": 5,
        "inputTokens": 0,
        "outputTokens": 0,
        "agentVisibleBytes": 9120,
        "durationMs": 412,
    },
}
CHAT_ANSWER: dict[str, Any] = RUN | {"answer": f"{_SUMMARY}\n"}
_INVOCATION = {
    "stepNo": 3,
    "callIndex": 0,
    "toolCallId": "call_0",
    "toolName": "query_logs",
    "request": {"topic": "application-logs", "service": "orders"},
    "requestKey": 'query_logs{"service":"orders"}',
    "status": "OK",
    "source": "files",
    "error": "",
    "result": '{"success":true,"patterns":[]}',
    "summary": "orders ERROR x214: no connection available",
    "retrievalDetails": None,
    "evidence": [_EVIDENCE],
    "identifiers": {"<ip:1>": "10.0.4.17"},
    "scanned": 5120,
    "shown": 12,
    "truncated": False,
    "rawSha256": "9f2c" * 16,
    "rawBytes": 812004,
    "agentVisibleBytes": 3120,
    "durationMs": 41,
    "createdAt": "2026-05-04T10:30:00Z",
    "finishedAt": "2026-05-04T10:30:00Z",
    "seq": 9,
}
_STEP = {
    "stepNo": 3,
    "agent": "EXECUTOR",
    "kind": "TURN",
    "status": "OK",
    "output": {"text": "", "toolCalls": [{"id": "call_0", "name": "query_logs", "arguments": "{}"}]},
    "outputSummary": '{"text": "", "toolCalls": [...]}',
    "inputHash": "41be" * 16,
    "inputSummary": "briefing, plan",
    "tokenCount": 0,
    "inputTokens": 0,
    "outputTokens": 0,
    "durationMs": 3,
    "createdAt": "2026-05-04T10:30:00Z",
    "seq": 6,
}
TRACE: dict[str, Any] = {
    "schemaVersion": 1,
    "runId": _RUN,
    "sessionId": _SESSION,
    "resolvedBy": "latest_run",
    "status": "COMPLETED",
    "statusReason": "REPORTED",
    "mode": "CHAT",
    "reasoner": "playbook",
    "question": "why is orders failing?",
    "compatibility": False,
    "createdAt": "2026-05-04T10:30:00Z",
    "updatedAt": "2026-05-04T10:30:01Z",
    "seq": 21,
    "report": _REPORT,
    "evidence": [_EVIDENCE],
    "selfEvaluation": _EVALUATION,
    "feedback": None,
    "stepCount": 8,
    "nextStepsAfter": 3,
    "steps": [_STEP | {"invocations": [_INVOCATION]}],
}
_OF_RUN = {"runId": _RUN, "sessionId": _SESSION}
EVENTS: dict[str, dict[str, Any]] = {
    "run": _OF_RUN
    | {
        "type": "run",
        "seq": 2,
        "status": "RUNNING",
        "statusReason": None,
        "cancelRequested": False,
        "stepCount": 0,
        "toolCallCount": 0,
        "updatedAt": "2026-05-04T10:30:00Z",
    },
    "step": _OF_RUN | {"type": "step"} | _STEP,
    "invocation": _OF_RUN | {"type": "invocation"} | _INVOCATION,
    "end": _OF_RUN | {"type": "end", "seq": 21, "status": "COMPLETED", "statusReason": "REPORTED", "run": RUN_SUMMARY},
    "delta": {"type": "delta", "runId": _RUN, "passing": {"agent": "EXECUTOR", "status": "ASKED"}},
}
MESSAGES: dict[str, dict[str, Any]] = {
    "metadata": _OF_RUN
    | {
        "type": "metadata",
        "mode": "PAYLOAD_TARGETED",
        "runUrl": f"/api/runs/{_RUN}",
        "eventsUrl": f"/api/runs/{_RUN}/events",
    },
    "content": {"type": "content", "delta": f"{_SUMMARY}\n\n"},
    "done": _OF_RUN
    | {"type": "done"}
    | {name: RUN[name] for name in ("status", "statusReason", "statusDetail", "report", "selfEvaluation", "usage")},
    "error": _OF_RUN | {"type": "error", "detail": "the store cannot be read at the moment; the run goes on"},
}
MESSAGE_EXAMPLES: dict[str, Any] = {
    name: {"summary": f"the data of a `{name}` message", "value": data} for name, data in MESSAGES.items()
}
