"""Slow statements out of logs of every form, counted by digest."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.logs.parse import parse
from rootproof.logs.record import LogRecord
from rootproof.logs.statements import Run, digests
from rootproof.logs.statements_files import holds_statements, read_statements, without_slow
from rootproof.logs.statements_reading import run_of, told
from rootproof.logs.statements_slowlog import MAX_STATEMENT_CHARS, read_slow_log

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MYSQL = """\
/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /run/mysqld.sock
Time                 Id Command    Argument
# Time: 2026-05-01T12:00:00.500000Z
# User@Host: app[app] @ web-1 [10.1.2.3]  Id:   812
# Query_time: 4.200000  Lock_time: 0.000100 Rows_sent: 12  Rows_examined: 400000
use shop;
SET timestamp=1777636796;
SELECT *
  FROM orders -- all of them

 WHERE customer = 'O''Brien';
# User@Host: app[app] @ web-2 [10.1.2.4]  Id:   813
# Query_time: 2.100000  Lock_time: 0.000200 Rows_sent: 1  Rows_examined: 100
SET timestamp=1777636801;
/* job */ select * from orders where customer = 'x';
# Time: 2026-05-01T12:01:00.000000Z
# User@Host: root[root] @ localhost []  Id:     9
# Query_time: 1.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1777636860;
# administrator command: Ping;
"""

UNNAMED = """\
# Time: 2026-05-01T12:00:00Z
# Query_time: 1.0  Lock_time: 0 Rows_sent: 1  Rows_examined: 2
SET timestamp=1777636800;
SELECT 1;
# Query_time: 2.0  Lock_time: 0 Rows_sent: 1  Rows_examined: 3
SET timestamp=1777636801;
SELECT 2;
"""
"""As it is written where nobody's name is logged."""


def read(text: str) -> list[LogRecord]:
    return list(read_slow_log(text.splitlines()))


def run(statement: str = "SELECT 1", took: float = 1.0, **more: object) -> Run:
    return Run(statement, took, **more)  # type: ignore[arg-type]


# MySQL's slow log --------------------------------------------------------------------------------------------------


def test_each_entry_is_a_record_with_its_numbers_also_in_the_same_second() -> None:
    first, second, third = read(MYSQL)
    assert first.message == "SELECT *\n  FROM orders -- all of them\n\n WHERE customer = 'O''Brien';"
    assert first.metrics == {"query_time": 4.2, "lock_time": 0.0001, "rows_sent": 12, "rows_examined": 400_000}
    assert second.message == "/* job */ select * from orders where customer = 'x';"
    assert second.metrics["query_time"] == 2.1
    assert third.message == "administrator command: Ping"


def test_the_time_line_wins_and_the_epoch_stands_in_where_there_is_none() -> None:
    times = [record.timestamp for record in read(MYSQL)]
    assert times == [NOON + timedelta(seconds=s) for s in (0.5, 1, 60)]


def test_who_ran_it_stands_beside_and_the_database_holds_until_the_next_use() -> None:
    assert [record.beside for record in read(MYSQL)] == [
        "user=app host=web-1 database=shop",
        "user=app host=web-2 database=shop",
        "user=root host=localhost database=shop",
    ]


def test_every_line_belongs_to_a_record() -> None:
    assert sum(record.lines for record in read(MYSQL)) == len(MYSQL.splitlines())


def test_fields_and_times_of_old_servers_and_of_mariadb() -> None:
    (record,) = read(
        "# Time: 260501 12:00:07\n"
        "# User@Host: app[app] @  [10.1.2.3]\n"
        "# Thread_id: 5  Schema: shop  QC_hit: No\n"
        "# Query_time: 2.5  Lock_time: 0.25  Rows_sent: 3  Rows_examined: 7\n"
        "# Rows_affected: 4  Bytes_sent: 99\n"
        "# Full_scan: Yes  Full_join: No  Tmp_table: No\n"
        "delete from cart;\n"
    )
    assert record.timestamp == NOON + timedelta(seconds=7)
    assert record.beside == "user=app host=10.1.2.3 database=shop"
    assert record.metrics == {
        "query_time": 2.5, "lock_time": 0.25, "rows_sent": 3, "rows_examined": 7, "rows_affected": 4, "bytes_sent": 99,
    }  # fmt: skip


def test_a_restart_in_the_middle_ends_an_entry_and_is_no_statement() -> None:
    banner, rest = MYSQL.split("# Time", 1)
    records = read(f"# Time{rest}{banner}# Time{rest}")
    assert len(records) == 6
    assert not any("Version:" in record.message or "Tcp port" in record.message for record in records)


def test_a_log_that_begins_in_the_middle_of_a_statement_says_so_by_having_no_numbers() -> None:
    cut, *whole = read("  AND b = 2;\n" + MYSQL)
    assert cut.message == "AND b = 2;"
    assert not cut.metrics
    assert len(whole) == 3


def test_a_line_of_a_statement_that_looks_like_a_header_stays_in_it() -> None:
    (record,) = read(
        "# Time: 2026-05-01T12:00:00Z\n# Query_time: 1.0  Lock_time: 0\nSELECT '\n# Query_time: 7 x\n';\n"
    )[:1]
    assert record.metrics["query_time"] == 1.0


def test_a_huge_statement_is_cut_and_says_by_how_much() -> None:
    (record,) = read("# Query_time: 1.0  Lock_time: 0\n" + "SELECT 'x\n" * 20_000)
    assert len(record.message) < MAX_STATEMENT_CHARS + 100
    assert "characters cut]" in record.message
    assert record.lines == 20_001


@given(st.lists(st.sampled_from(MYSQL.splitlines()) | st.text("#:abc ;\n", max_size=20), max_size=30))
def test_no_mix_of_lines_raises_or_loses_a_line(lines: list[str]) -> None:
    flat = [part for line in lines for part in line.split("\n")]
    records = list(read_slow_log(flat))
    ends = [record.line + record.lines for record in records]
    assert [record.line for record in records][1:] == ends[: max(0, len(ends) - 1)]
    assert sum(record.lines for record in records) <= len(flat)


@pytest.mark.parametrize("text", [MYSQL, MYSQL.replace("# User@Host", "# Thread_id: 5\n# User@Host"), UNNAMED])
def test_a_slow_log_that_is_parsed_like_any_other_gives_the_same_entries(text: str) -> None:
    """But for blank lines, which are in no message there, and the database of an earlier `use`."""
    entries, parsed = read(text), list(parse(text.splitlines()))
    assert [record.message for record in parsed] == [entry.message.replace("\n\n", "\n") for entry in entries]
    assert [(record.timestamp, record.metrics, record.line, record.lines) for record in parsed] == [
        (entry.timestamp, entry.metrics, entry.line, entry.lines) for entry in entries
    ]


# Other forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "statement", "took"),
    [
        ("duration: 5230.5 ms  statement: SELECT 1", "SELECT 1", 5.2305),
        ("duration: 12.0 ms  execute <unnamed>: SELECT *\n\tFROM t", "SELECT *\n\tFROM t", 0.012),
        ("duration: 90 ms  plan:\nQuery Text: SELECT 1\nSeq Scan on t  (cost=0..1)", "SELECT 1", 0.09),
        ("SlowQuery: 1234 milliseconds. SQL: 'x wrapping select a from b'", "select a from b'", 1.234),
        ("[slow query] took 3.2s: SELECT a FROM b", "SELECT a FROM b", 3.2),
        ('{"sql": "SELECT 1", "query_time": 3.5}', "SELECT 1", 3.5),
        ('{"query": "SELECT 1", "duration_ms": "1500"}', "SELECT 1", 1.5),
        ('{"statement": "SELECT 1", "duration": "1.5s"}', "SELECT 1", 1.5),
        ('{"sql_text": "SELECT 1", "query_time": "00:01:03.5"}', "SELECT 1", 63.5),
        ('{"mysql": {"slowlog": {"query": "SELECT 1", "queryTime": 2}}}', "SELECT 1", 2.0),
    ],
)
def test_statements_with_their_time_in_the_words_of_many_tools(message: str, statement: str, took: float) -> None:
    found = run_of(message, {})
    assert found is not None
    assert (found.statement, found.timed) == (statement, True)
    assert found.took == pytest.approx(took)


def test_an_entry_that_a_shipper_sent_as_one_message() -> None:
    entry = "# Time" + MYSQL.split("# Time")[1].split("# User@Host: app[app] @ web-2", maxsplit=1)[0]
    found = run_of(entry, {}, service="db")
    assert found is not None
    assert (found.took, found.rows_examined, found.user, found.service) == (4.2, 400_000, "app", "db")
    assert found.statement.startswith("SELECT *")
    assert run_of(MYSQL.partition("# Time")[2], {}) is None


def test_a_row_tells_of_rows_locks_and_who() -> None:
    found = run_of(
        '{"sql": "SELECT 1", "query_time": 3, "lock_time": 0.5, "rows_examined": "900", "rowsSent": 2, "db": "shop", '
        '"user_host": "app[app] @ [10.0.0.1]", "client_ip": "10.0.0.1"}',
        {},
    )
    assert found is not None
    assert (found.lock_s, found.rows_examined, found.rows_sent) == (0.5, 900, 2)
    assert (found.database, found.user, found.host) == ("shop", "app", "10.0.0.1")


def test_a_document_of_ecs_tells_the_same() -> None:
    found = run_of(
        '{"event": {"duration": 1500000000}, "mysql": {"slowlog": {"query": "SELECT 1", "lock_time": {"sec": 0.5}, '
        '"rows_examined": 7, "schema": "shop"}}, "user": {"name": "app"}, "source.ip": "10.0.0.1"}',
        {},
    )
    assert found == Run(
        "SELECT 1", 1.5, rows_examined=7, lock_s=0.5, database="shop", user="app", host="10.0.0.1"
    )  # fmt: skip


def test_a_slow_operation_of_mongodb_is_the_shape_of_its_command() -> None:
    found = run_of(
        '{"msg": "Slow query", "attr": {"ns": "shop.orders", "command": {"find": "orders", "filter": {"who": "bob", '
        '"n": {"$in": [1, 2, 3]}}, "lsid": {"id": 1}, "$db": "shop"}, "docsExamined": 9, "nreturned": 1, '
        '"remote": "10.2.3.4:5000", "durationMillis": 2310}}',
        {},
    )
    assert found is not None
    assert (found.took, found.rows_examined, found.rows_sent) == (2.31, 9, 1)
    assert (found.database, found.host) == ("shop", "10.2.3.4")
    (digest,) = digests([found]).ranked
    assert digest.statement == "shop.orders find {filter: {who: ?, n: {$in: [?]}}}"


@pytest.mark.parametrize(
    "message",
    [
        "connection closed",
        "SELECT 1",
        '{"sql": "SELECT 1"}',
        '{"query_time": 3}',
        "{broken",
        "duration: 5 ms",
        "[1, 2]",
        "",
    ],
)
def test_what_tells_of_no_statement_with_a_time_is_no_run(message: str) -> None:
    assert run_of(message, {}) is None


def test_a_time_without_a_unit_is_not_given_one() -> None:
    found = run_of('{"query": "SELECT 1", "duration": 5230}', {})
    assert found == Run("SELECT 1", 5230.0, timed=False)


def test_files_are_told_by_content_or_by_name_with_content() -> None:
    assert holds_statements("db-1", MYSQL)
    assert holds_statements("orders-slow", '{"sql": "SELECT 1"}')
    assert not holds_statements("orders", '{"sql": "SELECT 1"}')
    assert not holds_statements("php-fpm-slow", "script_filename = /srv/index.php")
    assert not holds_statements("slowpoke", "SELECT a FROM b")
    assert [without_slow(stem) for stem in ("orders-slow", "mysql.slow_queries", "slow")] == ["orders", "mysql", ""]


def test_a_file_gives_messages_that_say_how_long_and_can_be_read_again() -> None:
    records = list(read_statements(MYSQL.splitlines()))
    assert records[1].message == "query_time: 2.1 s  /* job */ select * from orders where customer = 'x';"
    runs = [run_of(record.message, record.metrics, beside=record.beside) for record in records]
    assert [each.took for each in runs if each] == [4.2, 2.1, 1.0]
    assert [each.user for each in runs if each] == ["app", "app", "root"]
    row = '{"time": "2026-05-01T12:00:00Z", "query": "SELECT 1", "duration": 7, "rows_examined": 5, "user": "app"}'
    (record,) = read_statements([row])
    assert (record.message, record.timestamp) == ("duration: 7  SELECT 1", NOON)
    assert run_of(record.message, record.metrics, beside=record.beside) == Run(
        "SELECT 1", 7, timed=False, rows_examined=5, user="app"
    )


@given(
    st.floats(0, 1e6),
    st.booleans(),
    st.sampled_from(["SELECT 1", "-- x\ndelete from t", "administrator command: Ping"]),
)
def test_what_is_told_is_read_again(took: float, timed: bool, statement: str) -> None:
    name = "query_time" if timed else "duration"
    given_run = Run(statement, took, timed=timed)
    assert run_of(told(given_run), {name: took}) == given_run


# Digests -----------------------------------------------------------------------------------------------------------


def test_a_digest_has_count_total_mean_p95_and_longest() -> None:
    times = [float(n) for n in range(1, 101)]
    (digest,) = digests(run(f"SELECT {n:.0f}", n) for n in times).ranked
    assert (digest.count, digest.total, digest.mean, digest.longest) == (100, 5050, 50.5, 100)
    assert digest.percentile(0.95) == 95
    assert digest.example == "SELECT 100"


def test_sums_names_and_times_of_a_digest() -> None:
    (digest,) = digests(
        [
            run(rows_examined=5.0, rows_sent=1.0, lock_s=0.5, user="a", host="h", database="d", at=NOON),
            run(rows_examined=7.0, user="b", host="h", at=NOON - timedelta(minutes=1)),
        ]
    ).ranked
    assert (digest.rows_examined, digest.rows_sent, digest.lock_s) == (12, 1, 0.5)
    assert (digest.users, digest.hosts, digest.databases) == ({"a", "b"}, {"h"}, {"d"})
    assert (digest.first, digest.last) == (NOON - timedelta(minutes=1), NOON)


def test_most_time_comes_first_and_unknown_units_last() -> None:
    found = digests([run("SELECT a", 1), run("SELECT b", 900, timed=False), run("SELECT c", 5), run("SELECT a", 1)])
    assert [digest.statement for digest in found.ranked] == ["SELECT c", "SELECT a", "SELECT b"]
    assert found.total_s == 7


def test_services_are_counted_apart() -> None:
    assert len(digests([run(service="a"), run(service="b")]).ranked) == 2


def test_beyond_the_cap_runs_are_counted_together() -> None:
    found = digests([run(f"SELECT c{n}", 2) for n in range(10)] + [run("SELECT c0", 2)], most=3)
    assert [digest.count for digest in found.ranked] == [2, 1, 1]
    assert (found.other.count, found.other.total, found.runs, found.total_s) == (7, 14, 11, 22)


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 9), st.floats(0, 100)), max_size=60), st.integers(1, 4)
)
def test_counts_and_times_are_conserved(rows: list[tuple[str, int, float]], most: int) -> None:
    found = digests([run(f"SELECT * FROM {name} WHERE n = {value}", took) for name, value, took in rows], most=most)
    assert found.runs == len(rows)
    assert found.total_s == pytest.approx(math.fsum(took for _, _, took in rows))
    exact = Counter(name for name, _, _ in rows)
    assert all(digest.count == exact[digest.statement.split()[3]] for digest in found.ranked)
    assert len(found.ranked) <= most
