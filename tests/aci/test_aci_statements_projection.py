"""Slow statements in the query-log projection: numbers that can be cited, and nothing that must not be seen."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import size_of
from rootproof.aci.projection.statements import MAX_STATEMENTS, StatementItems, statement_items
from rootproof.logs.record import LogRecord
from tests.aci.projecting import NOW, SECRET_60, leaked


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
