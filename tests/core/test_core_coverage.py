"""Coverage: what was checked, what was empty, what failed and why, what was never there; in the sources' own words."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from rootproof.adapters.memory.scripted_model import calls
from rootproof.agent.coverage import coverage_of
from rootproof.agent.grounding.check_denials import complete
from rootproof.diagnosis.present import CoverageView, run_view
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus
from rootproof.errors import SourceDenied, SourceGarbled, SourceUnavailable
from rootproof.ports.sources import Sources
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeAlerts, FakeKnowledge, FakeLogs, FakeMetrics, log

LOOK = ("query_logs", {"topic": "APPLICATION"})
END = report(claim("The pool is full.", "E2"))


async def coverage(sources: Sources, *asked: Any, limits: RunLimits | None = None) -> dict[str, CoverageView]:
    world = World(scripted([calls(*asked), END] if asked else [END]), sources, limits=limits or RunLimits())
    rows = await world.diagnose()
    assert rows.run.status is RunStatus.COMPLETED
    view = run_view(rows)
    assert view.report is not None
    return {line.tool: line for line in view.report.coverage}


async def test_what_gave_something_what_was_empty_what_was_not_asked_and_what_is_not_there() -> None:
    sources = Sources(logs=FakeLogs([log("pool is full")]), knowledge=FakeKnowledge(), metrics=FakeMetrics())
    lines = await coverage(sources, LOOK, ("lookup_knowledge", {"query": "x"}))
    assert {tool: line.status for tool, line in lines.items()} == {
        "query_logs": "OK",
        "lookup_knowledge": "NO_EVIDENCE",
        "query_metrics": "NOT_ASKED",
        "query_alerts": "UNAVAILABLE",
        "query_cluster": "UNAVAILABLE",
    }
    assert (lines["query_logs"].scanned, lines["query_logs"].shown) == (1, 1)
    assert lines["query_logs"].source == "fake logs APPLICATION"
    assert lines["query_logs"].detail == "complete"
    assert (lines["lookup_knowledge"].scanned, lines["lookup_knowledge"].shown) == (3, 0)


@dataclass
class Broken:
    """A source of any kind that does what a test says."""

    how: Any
    name: str = "broken source"
    kind: str = "MOCK"

    async def fetch(self, _query: Any, *, deadline_s: float) -> str:
        if isinstance(self.how, Exception):
            raise self.how
        if isinstance(self.how, str):
            return self.how
        await asyncio.sleep(60)
        return ""

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        return await self.fetch(query, deadline_s=deadline_s)


ASK = {
    "logs": LOOK,
    "metrics": ("query_metrics", {}),
    "alerts": ("query_alerts", {}),
    "cluster": ("query_cluster", {"view": "overview"}),
    "knowledge": ("lookup_knowledge", {"query": "x"}),
}


@pytest.mark.parametrize("kind", ASK)
@pytest.mark.parametrize(
    ("how", "words"),
    [
        (SourceUnavailable("dial tcp 127.0.0.1:3100: connection refused"), ["TOOL_ERROR", "connection refused"]),
        (SourceDenied("403: role viewer may not read this"), ["DENIED", "role viewer may not read this"]),
        (SourceGarbled("expected JSON, got HTML"), ["TOOL_ERROR", "expected JSON, got HTML"]),
        (None, ["TIMEOUT", "no answer within"]),
        ("<html>proxy login</html>", ["PROJECTION_ERROR", "not valid JSON"]),
        ('{"success": false, "message": "shard 4 is lost"}', ["PROJECTION_ERROR", "shard 4 is lost"]),
        (RuntimeError("socket closed"), ["TOOL_ERROR", "RuntimeError", "socket closed"]),
    ],
    ids=["down", "denied", "garbled", "slow", "garbage", "success false", "bug"],
)
async def test_a_source_that_fails_is_an_error_in_its_own_words(kind: str, how: Any, words: list[str]) -> None:
    lines = await coverage(Sources(**{kind: Broken(how)}), ASK[kind], limits=RunLimits(max_call_s=0.02))  # type: ignore[arg-type]
    line = lines[ASK[kind][0]]
    assert line.status == "ERROR"
    assert line.source.startswith("broken source")
    for word in words:
        assert word in line.detail


async def test_a_failure_beside_a_success_stays_visible() -> None:
    class Flaky(FakeLogs):
        async def fetch(self, query: Any, *, deadline_s: float) -> str:
            if query.level == "ERROR":
                raise SourceUnavailable("shard 2 timed out")
            return await super().fetch(query, deadline_s=deadline_s)

    lines = await coverage(
        Sources(logs=Flaky([log("x")])), LOOK, ("query_logs", {"topic": "APPLICATION", "level": "ERROR"})
    )
    assert lines["query_logs"].status == "OK"
    assert "shard 2 timed out" in lines["query_logs"].detail


async def test_what_was_left_out_is_said() -> None:
    many = [log(f"{chr(97 + n % 26) * 3} {chr(98 + n % 24) * 4} {n}") for n in range(300)]
    lines = await coverage(Sources(logs=FakeLogs(many)), LOOK)
    assert lines["query_logs"].detail == "something was left out: patterns"
    alike = [log("the same words every time") for _ in range(300)]
    lines = await coverage(Sources(logs=FakeLogs(alike)), LOOK)
    assert lines["query_logs"].detail.startswith("complete"), "every record is counted by its pattern"


@pytest.mark.parametrize("closer", [{"pattern_id": "p-0123456789ab"}, {"after": "2026-03-08T10:00:00Z"}])
async def test_a_closer_look_that_finds_nothing_is_no_proof_of_absence(closer: dict[str, str]) -> None:
    sources = Sources(logs=FakeLogs([log("pool is full")]))
    narrow = ("query_logs", {"topic": "APPLICATION", **closer})
    line = (await coverage(sources, narrow))["query_logs"]
    assert "partial look" in line.detail
    assert "partial look" not in (await coverage(sources, narrow, LOOK))["query_logs"].detail


async def test_the_same_call_again_counts_once() -> None:
    lines = await coverage(Sources(logs=FakeLogs([log("x")])), LOOK, LOOK, LOOK)
    assert lines["query_logs"].shown == 1


async def test_calls_that_reached_no_source_are_no_coverage() -> None:
    lines = await coverage(Sources(logs=FakeLogs(), alerts=FakeAlerts()), ("query_logs", "{broken"), ("query_all", {}))
    assert lines["query_logs"].status == "NOT_ASKED"


def answered(number: int, body: dict[str, Any], **fields: Any) -> Invocation:
    given = {"status": InvocationStatus.OK, "source": "files", "request_key": str(number), "result": json.dumps(body)}
    return Invocation(number, 0, f"c{number}", "query_logs", {}, **(given | fields))


def test_the_coverage_names_what_was_not_read_of_which_file() -> None:
    cut = "big.log: the last 64 MiB of 200 MiB were read (the limit of one file)"
    body = {"omitted": {"events": 9, "unread": 1}, "not_read": [cut]}
    line = coverage_of((), [answered(1, body, scanned=9, shown=9, truncated=True)])[0]
    assert line.detail == f"something was left out: unread; {cut}"
    empty = answered(1, body, status=InvocationStatus.NO_EVIDENCE, scanned=9, shown=0, truncated=True)
    assert coverage_of((), [empty])[0].detail == f"searched, nothing found; something was left out: unread; {cut}"
    assert not complete("query_logs", coverage_of((), [empty])), "nothing found in a part is no denial"


def test_calls_to_one_source_are_not_added_up() -> None:
    rows = [answered(number, {}, scanned=10, shown=shown) for number, shown in enumerate((4, 10, 7))]
    line = coverage_of((), rows)[0]
    assert (line.scanned, line.shown, line.detail) == (10, 10, "complete")


def test_notes_about_the_input_are_errors_of_the_input() -> None:
    *_, last = coverage_of((), (), ("alert.json holds no alert",))
    assert (last.tool, last.status, last.detail) == ("input", "ERROR", "alert.json holds no alert")


@pytest.mark.parametrize("status", [status for status in InvocationStatus if status.value not in ("OK", "NO_EVIDENCE")])
def test_whatever_is_neither_an_answer_nor_empty_is_an_error(status: InvocationStatus) -> None:
    row = Invocation(1, 0, "c", "query_logs", {}, status=status, error="told", source="s", request_key="k")
    line = coverage_of(("query_logs",), [row])[0]
    assert (line.status, line.detail) == ("ERROR", f"{status.value}: told")
