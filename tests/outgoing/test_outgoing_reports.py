"""Reports on their way out: what a message says, that nothing in it acts, that it arrives or says why not."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from rootproof.adapters.memory.outbox import InMemoryOutboxStore
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.outgoing.http_sender import HttpSender
from rootproof.bootstrap.backend import memory_backend
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.report_message import message_body, message_headers, neutral
from rootproof.diagnosis.send_report import MAX_ATTEMPTS, pause_after, queue_report, send_due
from rootproof.domain.outgoing import OutboxItem, OutboxStatus, ReportTargets, Target, TargetKind
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.errors import SourceDenied, SourceUnavailable, StoreError, UsageError
from rootproof.ports.run_store import RunRows
from rootproof.settings import NotifySettings, ServerSettings, Settings
from rootproof.settings.report_targets import report_targets
from tests.fakes.driving import NOW, World
from tests.outgoing.http_server import answer, served

SECRET = "signing-secret-CANARY"
HOOK = Target("webhook", TargetKind.WEBHOOK, "https://hooks.example/in/CANARY-url", SECRET)
SLACK = Target("slack", TargetKind.SLACK, "https://hooks.slack.example/services/T0/B0/CANARY-url")
EVIL = "<!channel> @here see <https://evil.example|the dashboard> http://evil.example www.evil.example [x](http://e.example)"


def rows_of(summary: str = "orders-db ran out of connections", **more: Any) -> RunRows:
    report = {
        "summary": summary,
        "healthy": False,
        "root_causes": [
            {
                "claim_id": "C1",
                "text": f"pool of orders-db is exhausted {more.pop('tail', '')}",
                "cause_id": "pool_exhausted",
                "category": "RESOURCE_EXHAUSTION",
                "objects": ["shop/orders-db"],
                "confidence": "HIGH",
            }
        ],
        "claims": [
            {
                "claim": {"id": "C1", "kind": "CAUSE", "text": "pool exhausted", "citations": []},
                "verdict": "SUPPORTED",
                "reasons": [],
            }
        ],
        "coverage": [
            {"tool": "query_logs", "source": "loki", "status": "UNAVAILABLE", "detail": "connection refused"},
            {"tool": "query_metrics", "source": "prometheus", "status": "OK", "detail": ""},
        ],
    }
    values: dict[str, Any] = {
        "run_id": "run-1",
        "session_id": "ses-1",
        "owner": "local",
        "mode": RunMode.PAYLOAD_TARGETED,
        "question": "",
        "now": NOW,
        "status": RunStatus.COMPLETED,
        "status_reason": StatusReason.REPORTED,
        "incident_id": "inc-1",
        "service": "order-intake",
        "severity": "critical",
        "report": report,
        "self_evaluation": {"verdicts": {"SUPPORTED": 1}, "root_cause_supported": True},
    }
    return RunRows(Run(**(values | more)), (), ())


def test_a_webhook_message_says_what_was_found() -> None:
    body = json.loads(message_body(rows_of(), HOOK, "https://rp.example/"))
    named = [body[name] for name in ("schemaVersion", "runId", "sessionId", "incidentId")]
    assert named == [1, "run-1", "ses-1", "inc-1"]
    assert body["summary"] == "orders-db ran out of connections"
    (cause,) = body["rootCauses"]
    assert (cause["causeId"], cause["verdict"], cause["confidence"]) == ("pool_exhausted", "SUPPORTED", "HIGH")
    assert [problem["source"] for problem in body["coverageProblems"]] == ["loki"]
    assert body["link"] == "https://rp.example/api/runs/run-1"
    assert json.loads(message_body(rows_of(), HOOK, ""))["link"] is None


def test_the_signature_covers_time_and_body() -> None:
    body = message_body(rows_of(), HOOK, "")
    headers = message_headers(rows_of(), HOOK, body, NOW)
    signed = headers["X-Rootproof-Timestamp"].encode() + b"." + body
    assert headers["X-Rootproof-Signature"] == "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["Idempotency-Key"] == "run-1/webhook"
    assert "X-Rootproof-Signature" not in message_headers(rows_of(), replace(HOOK, secret=""), body, NOW)


def test_a_slack_message_acts_on_nothing() -> None:
    body = json.loads(message_body(rows_of(summary=EVIL, tail=EVIL, service=EVIL), SLACK, "https://rp.example"))
    texts = [body["text"], *(block["text"]["text"] for block in body["blocks"])]
    everything = "\n".join(texts).replace("<https://rp.example/api/runs/run-1|Open the run>", "")
    assert "<" not in everything
    assert ">" not in everything
    assert "://" not in everything
    assert "www.evil" not in everything
    assert "@here" not in everything
    assert "](" not in everything
    assert "pool of orders-db is exhausted" in everything
    assert "[SUPPORTED, confidence HIGH]" in everything
    assert not body["unfurl_links"]


def test_neutral_text_reads_as_before() -> None:
    assert neutral(EVIL).replace("\u200b", "").replace("&lt;", "<").replace("&gt;", ">") == EVIL
    assert neutral("a\x00b\u202ec") == "a b c"
    assert neutral("90 % of 5xx & more") == "90 % of 5xx &amp; more"


def test_messages_are_bounded_and_hold_no_credential() -> None:
    canary = "hunter2-Zx81Qq77canary"
    rows = rows_of(summary=f"password={canary} " + "x" * 50_000, tail=f"token: Bearer {canary} " + "y" * 50_000)
    for target in (HOOK, SLACK):
        body = message_body(rows, target, "https://rp.example")
        assert canary.encode() not in body
        assert len(body) < 20_000


def test_a_run_without_a_report_says_so() -> None:
    body = json.loads(message_body(rows_of(report=None, status=RunStatus.FAILED), HOOK, ""))
    assert (body["status"], body["rootCauses"], body["summary"]) == ("FAILED", [], "the run ended without a report")


@dataclass
class NotedSender:
    """A sender that fails as it is told, then works."""

    failures: list[Exception] = field(default_factory=list)
    sent: list[tuple[str, bytes, Mapping[str, str]]] = field(default_factory=list)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append((url, body, headers))

    async def close(self) -> None:
        pass


async def backend_with(rows: RunRows, notify: ReportTargets, *, end: bool = True) -> Backend:
    backend = replace(memory_backend(Settings()), outbox=InMemoryOutboxStore(), notify=notify)
    runs = InMemoryRunStore()
    run = rows.run
    await runs.create_run(ChatSession(run.session_id, run.owner), replace(run, status=RunStatus.QUEUED, report=None))
    await runs.update_run(replace(run, status=RunStatus.RUNNING))
    if end:
        await runs.update_run(run)
    return replace(backend, services=replace(backend.services, runs=runs))


BOTH = ReportTargets((HOOK, SLACK), public_url="https://rp.example")


def later(seconds: float) -> datetime:
    return datetime.now(NOW.tzinfo) + timedelta(seconds=seconds)


async def test_a_report_reaches_every_target_once() -> None:
    backend = await backend_with(rows_of(), BOTH)
    sender = NotedSender()
    await queue_report(backend, rows_of())
    await queue_report(backend, rows_of())
    assert await send_due(backend, sender, now=later(1)) == 2
    assert await send_due(backend, sender, now=later(10_000)) == 0
    assert sorted(url for url, _, _ in sender.sent) == sorted([HOOK.url, SLACK.url])


async def test_a_store_that_fails_for_one_report_holds_up_no_other() -> None:
    class Moody(InMemoryOutboxStore):
        async def sent(self, item: OutboxItem, *, now: datetime) -> None:
            if item.target == HOOK.name:
                raise StoreError("the connection was lost")
            await super().sent(item, now=now)

    backend = replace(await backend_with(rows_of(), BOTH), outbox=Moody())
    sender = NotedSender()
    await queue_report(backend, rows_of())
    assert await send_due(backend, sender, now=later(1)) == 1
    states = {item.target: item.status for item in await backend.outbox.items("run-1")}
    assert states == {HOOK.name: OutboxStatus.PENDING, SLACK.name: OutboxStatus.SENT}


async def test_reports_of_questions_are_sent_only_when_asked_for() -> None:
    rows = rows_of(incident_id=None)
    for chat_runs, count in ((False, 0), (True, 1)):
        backend = await backend_with(rows, ReportTargets((HOOK,), chat_runs=chat_runs))
        await queue_report(backend, rows)
        assert await send_due(backend, NotedSender(), now=later(1)) == count


async def test_a_failure_is_tried_again_with_growing_pauses_and_then_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    backend = await backend_with(rows_of(), ReportTargets((HOOK,)))
    sender = NotedSender([SourceUnavailable("it answered 503")] * MAX_ATTEMPTS)
    await queue_report(backend, rows_of())
    moment = later(1)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert await send_due(backend, sender, now=moment) == 0
        (item,) = await backend.outbox.items("run-1")
        assert (item.attempts, item.last_error) == (attempt, "SourceUnavailable: it answered 503")
        if attempt < MAX_ATTEMPTS:
            assert item.next_attempt_at == moment + pause_after(attempt)
            assert await send_due(backend, sender, now=item.next_attempt_at - timedelta(seconds=1)) == 0
            moment = item.next_attempt_at
    assert item.status is OutboxStatus.FAILED
    assert "CANARY" not in caplog.text
    assert [pause_after(number).total_seconds() for number in (1, 2, 3, 20)] == [10, 30, 90, 3600]


async def test_a_refusal_is_not_tried_again() -> None:
    backend = await backend_with(rows_of(), ReportTargets((HOOK,)))
    await queue_report(backend, rows_of())
    await send_due(backend, NotedSender([SourceDenied("it answered 410")]), now=later(1))
    (item,) = await backend.outbox.items("run-1")
    assert (item.status, item.last_error) == (OutboxStatus.FAILED, "SourceDenied: it answered 410")


async def test_a_report_waits_for_the_end_of_its_run_and_a_lost_target_is_given_up() -> None:
    backend = await backend_with(rows_of(), BOTH, end=False)
    sender = NotedSender()
    await queue_report(backend, rows_of())
    assert await send_due(backend, sender, now=later(1)) == 0
    run = (await backend.services.runs.load("run-1")).run  # type: ignore[union-attr]
    await backend.services.runs.update_run(replace(rows_of().run, seq=run.seq))
    backend = replace(backend, notify=ReportTargets((HOOK,)))
    assert await send_due(backend, sender, now=later(60)) == 1
    items = {item.target: item for item in await backend.outbox.items("run-1")}
    assert items["slack"].status is OutboxStatus.FAILED
    assert "no longer set up" in (items["slack"].last_error or "")


async def test_over_a_real_connection() -> None:
    async with served(answer(503), answer(200)) as server:
        target = replace(HOOK, url=f"{server.url}/in")
        backend = await backend_with(rows_of(), ReportTargets((target,)))
        await queue_report(backend, rows_of())
        guarded, open_ = HttpSender(), HttpSender(allow_private=True)
        first = later(1)
        assert await send_due(backend, open_, now=first) == 0
        assert await send_due(backend, open_, now=first + timedelta(minutes=1)) == 1
        body, headers = server.seen[1].body, server.seen[1].headers
        stamp = headers["x-rootproof-timestamp"].encode()
        mark = hmac.new(SECRET.encode(), stamp + b"." + body, hashlib.sha256).hexdigest()
        assert headers["x-rootproof-signature"] == f"v1={mark}"
        assert {seen.headers["idempotency-key"] for seen in server.seen} == {"run-1/webhook"}
        await backend.outbox.add("run-1", ["again"], now=first)
        backend = replace(backend, notify=ReportTargets((replace(target, name="again"),)))
        assert await send_due(backend, guarded, now=first + timedelta(minutes=2)) == 0
        (refused,) = [item for item in await backend.outbox.items("run-1") if item.target == "again"]
        assert "allow_private" in (refused.last_error or "")
        assert len(server.seen) == 2
        await guarded.close()
        await open_.close()


async def test_the_report_of_a_run_that_was_really_carried_out() -> None:
    rows = await World(model=playbook()).diagnose()
    body = json.loads(message_body(rows, HOOK, ""))
    assert body["summary"]
    assert body["status"] == rows.run.status.value


def playbook() -> Any:
    from rootproof.agent.playbook.model import PlaybookModel
    from tests.fakes.builtin_playbook import BUILTIN

    return PlaybookModel(BUILTIN)


def test_targets_come_from_the_settings_and_hide_their_secrets() -> None:
    settings = Settings(
        notify=NotifySettings(webhook_url="https://a.example/CANARY", webhook_secret_env="RP_S", slack_url_env="RP_U"),
        server=ServerSettings(public_url="https://rp.example"),
    )
    found = report_targets(settings, {"RP_S": "CANARY-s", "RP_U": "https://slack.example/CANARY"})
    assert [(one.name, one.kind) for one in found.targets] == [("webhook", "webhook"), ("slack", "slack")]
    assert found.targets[0].secret == "CANARY-s"
    assert "CANARY" not in repr(found)
    assert report_targets(Settings(), {}) == ReportTargets()
    with pytest.raises(UsageError, match=r"notify\.webhook_secret_env.*'RP_S'"):
        report_targets(settings, {"RP_U": "x"})
