"""Everything a model provider does wrong, as scripts of the fake server: one list for the tests and the benchmark.

`write_bundle` makes the incident that is diagnosed meanwhile: its cause is found by the playbook reasoner alone, so a
run whose model is given up must find it too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

CAUSE = "connection_pool_exhausted"
KEY = "sk-not-a-real-key-0451"

_POOL = "HikariPool-1 - Connection is not available, request timed out after 30000ms (total=20, active=20, idle=0"
_LINES = f"""\
2026-05-04T09:50:00Z INFO billing-api invoice run finished in 41 ms
2026-05-04T10:00:00Z ERROR billing-api {_POOL}, waiting=7)
2026-05-04T10:01:00Z ERROR billing-api {_POOL}, waiting=9)
2026-05-04T10:01:10Z WARN billing-api GET /invoices took 30112 ms
2026-05-04T10:02:00Z ERROR billing-api {_POOL}, waiting=12)
"""


def write_bundle(folder: Path) -> Path:
    """The bundle, made in `folder`."""
    (folder / "logs").mkdir(parents=True)
    (folder / "bundle.toml").write_text('now = "2026-05-04T10:30:00Z"\nquestion = "why is billing slow?"\n')
    (folder / "logs" / "billing-api.log").write_text(_LINES)
    return folder


Entry = dict[str, Any]

PLAN: Entry = {"calls": [["submit_plan", {"intent": "INCIDENT", "skills": ["diagnose-database-connections"]}]]}
LOOK: Entry = {"calls": [["query_logs", {"topic": "APPLICATION"}]]}
OTHER_LOOK: Entry = {"calls": [["query_logs", {"topic": "SYSTEM_EVENTS"}]]}
VERDICTS: Entry = {"calls": [["submit_verdicts", {"lower": []}]]}


def report(text: str, *cited: str, summary: str = "See the claims.") -> Entry:
    """A reply that submits a report with one cause."""
    cause = {
        "kind": "CAUSE",
        "text": text,
        "citations": [{"evidence_id": name} for name in cited],
        "cause_id": CAUSE,
        "category": "RESOURCE_EXHAUSTION",
        "objects": ["app/billing-api"],
    }
    return {"calls": [["submit_report", {"summary": summary, "claims": [cause]}]]}


_TRUE = 'billing-api logged "Connection is not available" 3 times.'
REPORT = report(_TRUE, "E2")


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to go wrong, and how the run must end."""

    name: str
    executor: list[Any]
    """Entries from the first executor turn on."""
    reason: str = "MODEL_FAILED"
    period: int = 1
    planner: list[Any] = field(default_factory=lambda: [PLAN])
    verifier: list[Any] = field(default_factory=lambda: [VERDICTS])
    wire: bool = False
    """It shows only in the bytes of an answer: a scripted model cannot play it."""
    most_requests: int = 12
    """Requests of the whole run, tries included."""
    most_tries: int | None = None
    """Requests with one and the same conversation, where that is what matters."""
    deadline_s: int = 60
    """For a whole reply."""
    idle_s: int = 60
    """For a reply that has begun and stands still."""
    honest: bool = False
    """The model's own report stands, and must not be believed: no root cause, and the first line says so."""

    @property
    def script(self) -> dict[str, Any]:
        """For the server."""
        return {
            "planner": self.planner,
            "executor": self.executor,
            "verifier": self.verifier,
            "period": self.period,
        }

    @property
    def settings(self) -> dict[str, str]:
        """The deadlines as settings of a process."""
        return {
            "ROOTPROOF_MODEL_REQUEST_TIMEOUT_S": str(self.deadline_s),
            "ROOTPROOF_MODEL_IDLE_TIMEOUT_S": str(self.idle_s),
        }

    @property
    def found(self) -> bool:
        """Whether the report must name the root cause."""
        return not self.honest


def _raw_look(arguments: str, **more: Any) -> Entry:
    return {"calls": [["query_logs", arguments]]} | more


def _status(code: int, **more: Any) -> Entry:
    return {"status": code, "body": {"error": {"message": "try later"}}} | more


def _wide(count: int, *, equal: bool = False) -> Entry:
    return {
        "calls": [
            ["query_logs", {"topic": "APPLICATION", "lookback_minutes": 60 if equal else 60 + number}]
            for number in range(count)
        ]
    }


def _document(**changed: Any) -> Entry:
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    return {"raw": json.dumps(whole | changed)}


_OVERFLOW: Entry = {
    "status": 400,
    "body": {"error": {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}},
}
_OVERLOADED = {"error": {"message": "overloaded", "type": "server_error", "code": "server_is_overloaded"}}
_FIRST = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_SPELT = [
    '{"topic":"APPLICATION","lookback_minutes":60}',
    '{ "topic" : "APPLICATION" , "lookback_minutes" : 60 }',
    '{"lookback_minutes":60,"topic":"APPLICATION"}',
    '\n{"lookback_minutes": 60,\n"topic": "APPLICATION"}\n',
]
_CUT_REPORT = json.dumps(REPORT["calls"][0][1])[:80]
_SURROGATES: Entry = {
    "text": "\ud800 I look",
    "calls": [["query_logs", '{"topic": "APPLICATION", "contains": "\ud800"}'], ["query_logs", LOOK["calls"][0][1]]],
    "ids": ["\ud83d", "ok"],
}

LOOP_FAULTS = [
    Fault("malformed arguments", [LOOK, _raw_look('{"topic": "APPLICATION"')]),
    Fault("arguments that are no object", [LOOK, _raw_look('["APPLICATION"]')]),
    Fault("unknown tool", [LOOK, {"calls": [["restart_everything", {"now": True}]]}]),
    Fault("two tools alternating for ever", [LOOK, OTHER_LOOK], period=2),
    Fault("one call spelt in four ways", [_raw_look(text) for text in _SPELT], period=4),
    Fault("85 identical calls, one a turn", [LOOK]),
    Fault("85 identical calls in one turn", [_wide(85, equal=True), REPORT], reason="REPORTED"),
    Fault("200 calls in one turn", [LOOK, _wide(200), REPORT], reason="REPORTED"),
    Fault("200 calls in each turn", [_wide(200)], reason="MODEL_FAILED"),
    Fault("the same skill again and again", [{"calls": [["read_skill", {"name": "diagnose-database-connections"}]]}]),
    Fault("empty answer", [LOOK, {"text": ""}]),
    Fault("text without a tool call", [LOOK, {"text": "I think it is the network."}]),
    Fault("refusal", [LOOK, {"refusal": "I can not help with that."}]),
    Fault("cut at the output limit", [LOOK, {"text": "The pool", "finish_reason": "length"}]),
    Fault(
        "cut at the output limit inside a tool call",
        [LOOK, {"calls": [["submit_report", _CUT_REPORT]], "finish_reason": "length"}],
    ),
    Fault(
        "cut inside a tool call, then whole",
        [LOOK, {"calls": [["submit_report", _CUT_REPORT]], "finish_reason": "length"}, REPORT],
        reason="REPORTED",
    ),
    Fault("report of wrong types", [LOOK, {"calls": [["submit_report", '{"summary": 5, "claims": {"kind": 7}}']]}]),
    Fault("NaN and 1e999", [LOOK, _raw_look('{"topic": "APPLICATION", "lookback_minutes": 1e999, "limit": NaN}')]),
    Fault("deeply nested arguments", [LOOK, _raw_look("[" * 15_000)]),
    Fault("deeply nested report", [LOOK, {"calls": [["submit_report", '{"claims":' + "[" * 15_000]]}]),
    Fault("lone surrogates, then a report", [_SURROGATES, REPORT], reason="REPORTED"),
    Fault("lone surrogates in a report", [LOOK, report(f"{_TRUE} \ud800", "E2"), REPORT], reason="REPORTED"),
    Fault("the same call ids in each turn", [LOOK, OTHER_LOOK, REPORT], reason="REPORTED"),
    Fault("empty call ids", [LOOK | {"ids": [""]}, OTHER_LOOK | {"ids": [""]}, REPORT], reason="REPORTED"),
    Fault("a report that cites nothing", [LOOK, report(_TRUE)], reason="REPORTED", honest=True),
    Fault("a report that cites foreign ids", [LOOK, report(_TRUE, "E901", "run-7:E2")], reason="REPORTED", honest=True),
    Fault(
        "a report with false numbers",
        [LOOK, report('billing-api logged "Connection is not available" 41 times.', "E2")],
        reason="REPORTED",
        honest=True,
    ),
    Fault("5 MB of text", [LOOK, {"fill_chars": 5_000_000}]),
    Fault("5 MB of arguments", [LOOK, _raw_look('{"topic": "' + "x" * 5_000_000 + '"}')]),
]

WIRE_FAULTS = [
    Fault("429 with Retry-After in seconds, then fine", [LOOK, [_status(429, headers={"Retry-After": "1"}), REPORT]],
          reason="REPORTED", most_tries=2),
    Fault("429 with Retry-After as a date, then fine", [LOOK, [_status(429, retry_after_date_s=1), REPORT]],
          reason="REPORTED", most_tries=2),
    Fault("429 for ever", [LOOK, _status(429, headers={"Retry-After": "0"})], most_tries=3),
    Fault("429 that asks for an hour", [LOOK, _status(429, headers={"Retry-After": "3600"})], most_tries=1),
    Fault("429 with a body that is no JSON", [LOOK, [_status(429, headers={"Retry-After": "0"}) | {"body": "slow"},
                                                   REPORT]], reason="REPORTED", most_tries=2),
    Fault("429 for a quota that is used up",
          [LOOK, _status(429, body={"error": {"message": "no credit", "code": "insufficient_quota"}})], most_tries=1),
    Fault("500 once, then fine", [LOOK, [_status(500), REPORT]], reason="REPORTED", most_tries=2),
    Fault("500 for ever", [LOOK, _status(500, headers={"Retry-After": "0"})], most_tries=3),
    Fault("503 from the first request on", [LOOK], planner=[_status(503, headers={"Retry-After": "0"})], most_tries=3),
    Fault("401 that repeats the key", [LOOK, _status(401, body={"error": {"message": f"bad key {KEY}"}})],
          most_tries=1),
    Fault("30 s of silence before the first byte", [LOOK, LOOK | {"sleep_s": 30}], most_tries=1, deadline_s=2),
    Fault("30 s of silence in the middle of a reply", [LOOK, REPORT | {"stall_after": 4, "stall_s": 30}],
          most_tries=1, idle_s=1),
    Fault("one byte a second", [LOOK, REPORT | {"drip_s": 1}], most_tries=1, deadline_s=2),
    Fault("connection closed before the first byte", [LOOK, {"drop": True}], most_tries=3),
    Fault("stream cut inside a tool call", [LOOK, REPORT | {"cut_after": 5}], most_tries=1),
    Fault("stream cut inside a tool call, then fine", [LOOK, REPORT | {"cut_after": 5}, REPORT], reason="REPORTED",
          most_tries=1),
    Fault("stream that ends inside a tool call", [LOOK, REPORT | {"end_after": 5}], most_tries=1),
    Fault("overloaded, said in the stream before any output", [LOOK, [{"events": [_OVERLOADED]}, REPORT]],
          reason="REPORTED", most_tries=2),
    Fault("overloaded, said in the stream after output",
          [LOOK, {"events": [_FIRST | {"choices": [{"index": 0, "delta": {"content": "It"}}]}, _OVERLOADED]}],
          most_tries=1),
    Fault("context overflow once, then fine", [LOOK, OTHER_LOOK, [_OVERFLOW, REPORT]], reason="REPORTED",
          most_tries=2),
    Fault("context overflow for ever", [LOOK, OTHER_LOOK, _OVERFLOW], most_tries=3),
    Fault("a web page with status 200", [LOOK, {"raw": "<html><body>log in</body></html>",
                                                "content_type": "text/html"}], most_tries=1),
    Fault("an empty body with status 200", [LOOK, {"raw": ""}], most_tries=1),
    Fault("wrong JSON types", [LOOK, {"raw": '{"id": 5, "choices": "many"}'}], most_tries=1),
    Fault("wrong JSON types in a stream",
          [LOOK, {"events": [{"id": 5, "choices": "many"}, 7, "null", _FIRST | {"choices": [{"delta": 3}]}]}],
          most_tries=1),
    Fault("no choice", [LOOK, _document()], most_tries=1),
    Fault("a document nested 100,000 deep", [LOOK, {"raw": '{"choices":' + "[" * 100_000}], most_tries=1),
    Fault("counts of tokens that are none", [LOOK | {"usage": {"prompt_tokens": -5, "completion_tokens": 10**19,
                                                               "total_tokens": "many"}}, REPORT],
          reason="REPORTED"),
    Fault("no count of tokens", [LOOK | {"usage": None}, REPORT | {"usage": None}], reason="REPORTED"),
    Fault("a server that does not stream", [LOOK | {"whole": True}, REPORT | {"whole": True}], reason="REPORTED",
          most_tries=1),
    Fault("a stream that says it is a document", [LOOK | {"content_type": "application/json"},
                                                  REPORT | {"content_type": "text/plain"}], reason="REPORTED"),
    Fault("a body without an end", [LOOK, {"raw": "", "fill_chars": 20_000_000}], most_tries=1),
    Fault("a verifier that is down", [LOOK, REPORT], verifier=[_status(500, headers={"Retry-After": "0"})],
          reason="REPORTED", most_tries=3),
]  # fmt: skip

FAULTS = [*LOOP_FAULTS, *(replace(fault, wire=True) for fault in WIRE_FAULTS)]
