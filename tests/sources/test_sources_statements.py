"""Slow-query logs and systemd's journal among log files: told by what they hold, whatever they are called."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from rootproof.adapters.sources.files import FolderLogs

SLOW = """\
# Time: 2026-05-01T11:20:00.000000Z
# User@Host: app[app] @ web-1 [10.1.2.3]  Id:   812
# Query_time: 4.200000  Lock_time: 0.000100 Rows_sent: 12  Rows_examined: 400000
use shop;
SELECT * FROM orders
 WHERE id = 1;
# User@Host: app[app] @ web-1 [10.1.2.3]  Id:   812
# Query_time: 2.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1
SET timestamp=1777634401;
SELECT * FROM orders WHERE id = 2;
"""


def journal(message, identifier="cartd", priority=6, **more):
    entry = {
        "__REALTIME_TIMESTAMP": "1777634400000000",
        "__CURSOR": "s=1",
        "_HOSTNAME": "node-1",
        "PRIORITY": str(priority),
    }
    return json.dumps(entry | {"SYSLOG_IDENTIFIER": identifier, "MESSAGE": message} | more)


@pytest.fixture
def ask(tmp_path, log_query):
    def answer(topic, **changes):
        query = log_query(topic=topic, **changes)
        return json.loads(asyncio.run(FolderLogs([tmp_path]).fetch(query, deadline_s=20)))

    return answer


@pytest.mark.parametrize("name", ["db1-slow.log", "anything.log", "database-slow-query-db1.log", "x.log.gz"])
def test_mysqls_slow_log_is_a_topic_of_its_own_whatever_its_name(write, ask, name):
    write(name, gzip.compress(SLOW.encode()) if name.endswith("gz") else SLOW)
    first, second = ask("database-slow-query")["logs"]
    assert first["message"] == "query_time: 4.2 s  SELECT * FROM orders\n WHERE id = 1;"
    assert first["metrics"] == {"query_time": 4.2, "lock_time": 0.0001, "rows_sent": 12, "rows_examined": 400_000}
    assert second["timestamp"] == "2026-05-01T11:20:01Z"
    assert first["beside"] == second["beside"] == "user=app host=web-1 database=shop"
    assert ask("application-logs")["scanned"] == 0


def test_a_slow_log_is_asked_for_by_the_name_of_its_server(write, ask):
    write("orders-db-slow.log", SLOW)
    assert ask("database-slow-query", services=("orders-db",))["total"] == 2
    assert ask("database-slow-query", services=("other",))["total"] == 0


def test_rows_of_an_export_become_statements(write, ask):
    row = {"time": "2026-05-01T11:30:00Z", "sql": "SELECT 1", "duration_ms": 1500, "rows_examined": 5, "user": "app"}
    write("slow_queries.jsonl", json.dumps(row) + "\n" + json.dumps({"time": "2026-05-01T11:31:00Z", "note": "x"}))
    found, other = ask("database-slow-query")["logs"]
    assert (found["message"], found["metrics"]) == (
        "query_time: 1.5 s  SELECT 1",
        {"query_time": 1.5, "rows_examined": 5},
    )
    assert found["beside"] == "user=app"
    assert "note" in other["message"]


def test_lines_in_words_stay_as_they_are(write, ask):
    line = "2026-05-01 11:30:00.000 UTC [7] app@shop LOG:  duration: 5230.1 ms  statement: SELECT 1"
    write("pg-slow.log", line)
    (found,) = ask("database-slow-query")["logs"]
    assert found["message"].endswith("duration: 5230.1 ms  statement: SELECT 1")


@pytest.mark.parametrize("name", ["app.log", "php-fpm-slow.log", "slow-service.log"])
def test_other_files_stay_application_logs(write, ask, name):
    write(name, "2026-05-01T11:30:00Z INFO it is slow today\n")
    assert ask("application-logs")["total"] == 1
    assert ask("database-slow-query")["scanned"] == 0


def test_the_journal_gives_service_host_level_and_text(write, ask):
    write("host1.journal.json", "\n".join([journal("it failed", priority=3), journal(list("zwölf".encode()))]))
    answer = ask("application-logs")
    assert [(e["service"], e["instance"], e["level"], e["message"]) for e in answer["logs"]] == [
        ("cartd", "node-1", "ERROR", "it failed"),
        ("cartd", "node-1", "INFO", "zwölf"),
    ]
    assert answer["logs"][0]["timestamp"] == "2026-05-01T11:20:00Z"
    assert not any("s=1" in entry["message"] for entry in answer["logs"])


def test_what_the_system_says_in_its_journal_is_a_system_event_and_nothing_else(write, ask):
    said = [
        ("kernel", "Out of memory: Killed process 8"),
        ("systemd", "cart.service: killed"),
        ("systemd-oomd", "x"),
        ("cartd", "y"),
    ]
    write("export.json", "\n".join(journal(message, name) for name, message in said))
    events, rest = ask("system-events"), ask("application-logs")
    assert [entry["service"] for entry in events["logs"]] == ["kernel", "systemd", "systemd-oomd"]
    assert [entry["service"] for entry in rest["logs"]] == ["cartd"]
    assert events["scanned"] + rest["scanned"] == len(said)


def test_other_json_lines_have_no_system_events(write, ask):
    write("app.json", json.dumps({"time": "2026-05-01T11:30:00Z", "service": "kernel", "message": "m"}))
    assert ask("application-logs")["total"] == 1
    assert ask("system-events")["scanned"] == 0
