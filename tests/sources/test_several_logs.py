"""Several log sources are one: merged by time, totals added, and a part that fails is told and not hidden."""

from __future__ import annotations

import asyncio
import json

import pytest

from rootproof.adapters.sources.several_logs import SeveralLogs
from rootproof.errors import SourceDenied, SourceTimeout, SourceUnavailable


class Given:
    """A source that answers with what it was given, or raises it."""

    def __init__(self, name, answer):
        self.name, self.kind, self.answer = name, name.upper(), answer
        self.deadlines = []

    async def fetch(self, query, *, deadline_s):
        self.deadlines.append(deadline_s)
        if isinstance(self.answer, Exception):
            raise self.answer
        return json.dumps(self.answer)


def log(at, message="m"):
    return {
        "timestamp": at,
        "level": None,
        "service": "a",
        "instance": None,
        "message": message,
        "metrics": {},
        "lines": 1,
    }


def given(name, *logs, **changes):
    body = {"success": True, "total": len(logs), "scanned": len(logs), "more": False, "files": [name],
            "reading": [{"file": name, "bytes_read": 1, "bytes_total": 1, "whole": True, "problem": None}],
            "logs": list(logs)}  # fmt: skip
    return Given(name, body | changes)


def ask(sources, query, deadline_s=10.0):
    return json.loads(asyncio.run(SeveralLogs(sources).fetch(query, deadline_s=deadline_s)))


def messages(answer):
    return [entry["message"] for entry in answer["logs"]]


def test_answers_are_merged_by_time_and_their_totals_added(log_query):
    left = given(
        "left", log("2026-05-01T11:00:00Z", "1"), log("2026-05-01T11:00:01.500Z", "4"), log(None, "u"), scanned=70
    )
    right = given("right", log("2026-05-01T11:00:00.250Z", "2"), log("2026-05-01T11:00:01Z", "3"), total=9, more=True)
    answer = ask([left, right], log_query())
    assert messages(answer) == ["1", "2", "3", "4", "u"]
    assert (answer["total"], answer["scanned"], answer["more"]) == (12, 72, True)
    assert (answer["files"], len(answer["reading"])) == (["left", "right"], 2)
    both = SeveralLogs([left, right])
    assert (both.name, both.kind) == ("left + right", "LEFT+RIGHT")
    assert left.deadlines[0] < 10


def test_the_newest_are_kept_within_the_limit(log_query):
    left = given("left", *(log(f"2026-05-01T11:00:{n:02d}Z", f"l{n}") for n in range(0, 20, 2)))
    right = given("right", *(log(f"2026-05-01T11:00:{n:02d}Z", f"r{n}") for n in range(1, 20, 2)))
    answer = ask([left, right], log_query(limit=4))
    assert messages(answer) == ["l16", "r17", "l18", "r19"]
    assert (answer["total"], answer["more"]) == (20, True)


def test_a_source_that_fails_is_told_beside_what_the_others_gave(log_query):
    down = Given("loki", SourceUnavailable("Loki at loki:3100 cannot be reached: Connection refused."))
    wrong = Given("shelf", {"success": False, "message": "the shelf is locked"})
    answer = ask([given("files", log("2026-05-01T11:00:00Z", "1")), down, wrong], log_query())
    assert messages(answer) == ["1"]
    assert answer["more"]
    assert [item["whole"] for item in answer["reading"]] == [True, False, False]
    assert "Connection refused" in answer["reading"][1]["problem"]
    assert answer["files"][2] == "shelf (not read: the shelf is locked)"


def test_only_when_all_fail_it_fails(log_query):
    denied = [Given("a", SourceDenied("a: no")), Given("b", SourceDenied("b: no"))]
    with pytest.raises(SourceDenied, match="a: no; b: no"):
        ask(denied, log_query())
    with pytest.raises(SourceUnavailable, match="a: no; b: late"):
        ask([denied[0], Given("b", SourceTimeout("b: late"))], log_query())


def test_a_bug_in_a_source_is_no_answer(log_query):
    with pytest.raises(ZeroDivisionError):
        ask([given("a"), Given("b", ZeroDivisionError())], log_query())


def test_where_nothing_matched_the_span_covers_all(log_query):
    left = given("left", oldest="2026-04-01T00:00:00Z", newest="2026-04-02T00:00:00Z")
    right = given("right", oldest="2026-03-01T00:00:00Z", newest="2026-03-02T00:00:00Z")
    answer = ask([left, right, given("none")], log_query())
    assert (answer["oldest"], answer["newest"]) == ("2026-03-01T00:00:00Z", "2026-04-02T00:00:00Z")
    assert "oldest" not in ask([left, given("some", log("2026-05-01T11:00:00Z"))], log_query())
