"""Slow statements in the query-log projection: numbers that can be cited, and nothing that must not be seen."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, size_of
from rootproof.aci.projection.logs import LogQueryScope, QueryLogsProjector
from rootproof.aci.projection.statements import MAX_STATEMENTS, StatementItems, statement_items
from rootproof.aci.requests import LogTopic, QueryLogsRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.agent.grounding.check import check_claims
from rootproof.domain.claim import Citation, Claim, ClaimKind, Verdict
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.logs.record import LogRecord
from tests.aci.projecting import NOW, SECRET_60, WINDOW, Projecting, leaked, raw_logs
from tests.fakes.sources import log


def slow(statement: str, took: float = 1.0, beside: str = "", **metrics: float) -> dict[str, Any]:
    """A raw record of a slow-query log."""
    return {
        "message": f"query_time: {took:g} s  {statement}",
        "metrics": {"query_time": took} | metrics,
        "beside": beside,
    }


def shown(logs: list[dict[str, Any]], *, longest: int = 320, room: float = 6_000) -> StatementItems:
    records = [
        LogRecord(log["message"], NOW + timedelta(seconds=number), service="shop-db", line=number)
        for number, log in enumerate(logs, start=1)
    ]
    return statement_items(records, logs, IdentifierMap().redact, source="FILES X", longest=longest, room=room)


def test_a_statement_has_all_its_numbers_with_units_in_one_line() -> None:
    logs = [
        slow(
            f"SELECT a FROM t WHERE b = {n}",
            n,
            "user=app host=web-1 database=shop",
            rows_examined=100,
            rows_sent=2,
            lock_time=0.25,
        )
        for n in range(1, 21)
    ]
    (item,) = shown(logs).items
    assert item.text == (
        "20 x shop-db between 2026-05-04T10:30:01Z and 2026-05-04T10:30:20Z: SELECT a FROM t WHERE b = ?: "
        "total 210 s (100 % of the time of all), mean 10.5 s, p95 19 s, max 20 s; lock time 5 s; "
        "rows examined 2000; rows sent 40; 1 database; 1 user; 1 host"
    )
    assert item.fields == {
        "statement": "SELECT a FROM t WHERE b = ?", "service": "shop-db", "count": 20,
        "first": "2026-05-04T10:30:01Z", "last": "2026-05-04T10:30:20Z",
        "total_s": 210, "mean_s": 10.5, "p95_s": 19, "max_s": 20, "share_pct": 100, "lock_s": 5,
        "rows_examined": 2000, "rows_sent": 40, "databases": 1, "users": 1, "hosts": 1,
    }  # fmt: skip
    assert (item.count, item.subject) == (20, "shop-db")


def test_most_time_comes_first_whatever_runs_most_often() -> None:
    found = shown([slow("SELECT a FROM often", 0.5)] * 9 + [slow("SELECT a FROM rare", 60)])
    assert [item.fields["statement"] for item in found.items] == ["SELECT a FROM rare", "SELECT a FROM often"]
    assert found.totals == {"statements": 2, "runs": 10, "total_s": 64.5}
    assert [item.fields["share_pct"] for item in found.items] == [93.0, 7.0]


def test_records_without_a_statement_and_its_time_give_nothing() -> None:
    logs = [{"message": "top SQL by load 84.2 AAS, waits CPU=19.3: UPDATE orders SET a = $1", "metrics": {}}]
    assert shown(logs) == StatementItems([], {}, 0)


def test_a_time_without_a_unit_gets_none() -> None:
    log = {"message": "duration: 5230  SELECT 1", "metrics": {"duration": 5230}}
    (item,) = shown([log]).items
    assert "total 5230, mean 5230, p95 5230, max 5230; the log gives these times no unit" in item.text
    assert item.fields["total"] == 5230
    assert "total_s" not in item.fields


def test_texts_are_redacted_before_they_are_cut() -> None:
    logs = [slow(f"SELECT 1 /* {'x' * 90} */ FROM t WHERE token = {SECRET_60} AND password='{SECRET_60}'", 3)]
    for longest in (40, 60, 90, 120, 320):
        told = json.dumps([[item.fields, item.text] for item in shown(logs, longest=longest).items])
        assert not leaked(SECRET_60, told)


def test_users_and_hosts_are_counted_and_not_named() -> None:
    told = [
        (item.text, item.fields) for item in shown([slow("SELECT 1", 1, "user=kim host=10.9.8.7 database=paydb")]).items
    ]
    assert not any(name in str(told) for name in ("kim", "10.9.8.7", "paydb"))


def test_one_run_is_shown_where_it_tells_more() -> None:
    (item,) = shown([slow("SELECT a FROM t WHERE mail = 'kim@example.com'", 1)]).items
    assert item.fields["example"] == "SELECT a FROM t WHERE mail = '<email:1>'"
    (item,) = shown([slow("SELECT a FROM t WHERE n = 5", 1)]).items
    assert "example" not in item.fields


def test_a_long_statement_keeps_its_beginning_and_its_end() -> None:
    columns = ", ".join(f"column_{n}" for n in range(200))
    (item,) = shown([slow(f"SELECT {columns} FROM orders WHERE state = 1 ORDER BY made_at", 1)]).items
    assert item.fields["statement"].startswith("SELECT column_0, ")
    assert item.fields["statement"].endswith("FROM orders WHERE state = ? ORDER BY made_at")
    assert len(item.fields["statement"]) <= 320


@given(st.integers(1, 60), st.integers(60, 900), st.integers(500, 6_000))
def test_the_items_stay_within_their_share_and_the_rest_is_counted(kinds: int, length: int, room: int) -> None:
    logs = [slow(f"SELECT {'c' * length}_{n} FROM t", n + 1) for n in range(kinds)]
    found = shown(logs, room=room)
    assert 1 <= len(found.items) <= MAX_STATEMENTS
    assert len(found.items) + found.left_out == kinds
    assert len(found.items) == 1 or sum(map(size_of, found.items)) <= room * 0.55


# In the projection -------------------------------------------------------------------------------------------------


def projected(logs: list[dict[str, Any]], **limits: int) -> tuple[dict[str, Any], ProjectedToolResult]:
    """The view of a slow-query log, and the result around it."""
    projector = QueryLogsProjector(IdentifierMap(), EvidenceNumbering(), ToolProjectionLimits(**limits))
    scope = LogQueryScope(LogTopic.DATABASE_SLOW_QUERY, WINDOW, "FILES")
    result = projector.project(QueryLogsRequest(topic=LogTopic.DATABASE_SLOW_QUERY), "call_0", scope, raw_logs(logs))
    return json.loads(result.text), result


def test_the_slow_query_topic_begins_with_its_statements() -> None:
    logs = [log(**slow(f"SELECT a FROM t WHERE b = {n}", 2.5, rows_examined=100)) for n in range(4)]
    view, result = projected([*logs, log("restarting")])
    assert list(view)[-3:] == ["statements", "patterns", "timeline"]
    assert view["statement_totals"] == {"statements": 1, "runs": 4, "total_s": 10}
    (statement,) = view["statements"]
    assert (statement["evidence_id"], statement["count"], statement["total_s"]) == ("E1", 4, 10)
    assert "total 10 s (100 % of the time of all)" in result.evidence[0].text
    assert result.facts[0] == result.evidence[0].text
    assert sum(pattern["count"] for pattern in view["patterns"]) == 5


def test_other_topics_and_logs_without_statements_are_as_before() -> None:
    view = Projecting().logs([log(**slow("SELECT 1"))])
    assert "statements" not in view
    view, _ = projected([log("top SQL by load 84.2 AAS: SELECT 1")])
    assert "statements" not in view
    assert "statement_totals" not in view


def test_claims_with_the_numbers_of_a_statement_are_supported_and_no_others() -> None:
    logs = [
        log(**slow(f"SELECT a FROM orders WHERE b = {n}", 4.0 + n, rows_examined=1000, rows_sent=1)) for n in range(3)
    ]
    _, result = projected(logs)
    said = {
        "The SELECT on orders ran 3 times and took 15 s in total.": True,
        "The slowest run of the SELECT on orders took 6 s.": True,
        "The SELECT on orders examined 3,000 rows and sent 3.": True,
        "The SELECT on orders took 21 s in total.": False,
        "The SELECT on orders ran 8 times.": False,
        "The SELECT on orders examined 900,000 rows.": False,
    }
    claims = [
        Claim(f"C{n}", ClaimKind.SYMPTOM, text, (Citation(result.evidence[0].id),)) for n, text in enumerate(said)
    ]
    checked = check_claims(claims, {item.id: item for item in result.evidence}, ())
    assert {each.claim.text: each.verdict is Verdict.SUPPORTED for each in checked} == said


@given(st.integers(1, 80), st.integers(10, 2_000), st.integers(2_500, 7_000))
def test_the_whole_stays_within_its_bytes(kinds: int, length: int, max_bytes: int) -> None:
    logs = [log(**slow(f"SELECT {'c' * length}_{n}, '{'x' * length}' FROM t", n + 1)) for n in range(kinds)]
    view, result = projected(logs, max_bytes=max_bytes)
    assert len(result.text.encode()) <= max_bytes
    assert len(view["statements"]) + view["omitted"].get("statements", 0) == kinds
    assert view["patterns"] or view["omitted"]["patterns"]
