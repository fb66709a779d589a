"""VictoriaLogs as a log source, against a server that refuses what VictoriaLogs refuses."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootproof.adapters.sources.http_json import Credentials, HttpJson
from rootproof.adapters.sources.victorialogs import VictoriaLogs
from rootproof.domain.window import TimeWindow
from rootproof.errors import (
    QueryRejected,
    SourceDenied,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
    UsageError,
)
from tests.fakes.victorialogs_server import VictoriaLogsServer, read_logsql
from tests.outgoing.http_server import answer as http_answer
from tests.outgoing.http_server import served
from tests.sources.conftest import NOW

CANARY = "osprey-canary-55d0e1b7f4"


def record(seconds, message, **fields):
    at = (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"
    named = {name.replace("__", "."): value for name, value in fields.items()}
    return {"_time": at, "_stream": "{}", "_stream_id": "0", "_msg": message} | named


@pytest.fixture
def victoria():
    with VictoriaLogsServer() as server:
        yield server


def source_of(server, *, max_bytes=32 << 20, credentials=None, headers=None, **options):
    http = HttpJson(server.url, source="VictoriaLogs", max_bytes=max_bytes, credentials=credentials, headers=headers)
    return VictoriaLogs(http, **options)


def ask(source, query, deadline_s=20.0):
    return json.loads(asyncio.run(source.fetch(query, deadline_s=deadline_s)))


def messages(answer):
    return [entry["message"] for entry in answer["logs"]]


def test_records_are_read_with_what_their_fields_say(victoria, log_query):
    victoria.records = [
        record(9, "2020-01-01 00:00:00 WARN a whole line", host="node-7"),
        record(8, "could not pay", level="error", service__name="till", error="dial tcp: connection refused"),
        record(7, "missing _msg field; see docs", app="gate", method="GET", path="/x", status="503", level="info"),
        record(6, "quick", app="gate", duration_ms="81", kubernetes__pod_name="gate-0"),
    ]
    answer = ask(source_of(victoria), log_query())
    whole, failed, access, quick = answer["logs"]
    assert (whole["level"], whole["message"], whole["instance"]) == ("WARN", "a whole line", "node-7")
    assert whole["timestamp"] == "2026-05-01T11:59:51Z"
    assert (failed["level"], failed["service"]) == ("ERROR", "till")
    assert "could not pay" in failed["message"]
    assert "connection refused" in failed["message"]
    assert "503" in access["message"]
    assert (quick["metrics"], quick["instance"], quick["service"]) == ({"duration_ms": 81.0}, "gate-0", "gate")
    assert (answer["total"], answer["scanned"], answer["more"]) == (4, 4, False)
    assert [asked.method for asked in victoria.asked] == ["POST"]


def test_a_stack_trace_that_came_line_by_line_is_one_record(victoria, log_query):
    trace = ["ERROR no", "ValueError: empty", "  at take (pool.js:3:1)"]
    victoria.records = [record(5 - n / 10, line, app="a") for n, line in enumerate(trace)]
    answer = ask(source_of(victoria), log_query())
    assert [entry["lines"] for entry in answer["logs"]] == [3]


def test_the_window_is_half_open(victoria, log_query):
    victoria.records = [
        record(3_600, "start", app="a"),
        record(0, "end", app="a"),
        record(3_600.000001, "early", app="a"),
    ]
    assert messages(ask(source_of(victoria), log_query(window=TimeWindow(NOW - timedelta(hours=1), NOW)))) == ["start"]


def test_the_newest_are_kept_and_the_server_counts_the_rest(victoria, log_query):
    victoria.records = [record(500 - n, f"INFO n{n}", app="a") for n in range(500)]
    answer = ask(source_of(victoria, max_records=40), log_query())
    assert messages(answer) == [f"n{n}" for n in range(460, 500)]
    assert (answer["total"], answer["scanned"], answer["more"]) == (500, 500, True)
    assert answer["reading"][0]["problem"] == "the newest 40 of 500 records were read (the limit of one call)"
    answer = ask(source_of(victoria, max_records=500), log_query())
    assert (answer["total"], answer["more"]) == (500, False)


def test_level_words_and_services_are_pushed_down(victoria, log_query):
    victoria.records = [
        *(record(60 + n, f"fine {n}", app="gate", level="INFO") for n in range(30)),
        record(50, 'the POOL said "full"', app="gate", level="error"),
        record(49, "the pool is fine", app="gate", level="error"),
        record(48, 'the pool said "full"', app="depot", level="error"),
        record(47, 'ERROR the pool said "full"', job="shop/Gate"),
        record(46, 'the pool said "full"', app="gate-export", level="error"),
        record(45, 'the pool said "full"', kubernetes__pod_name="gate-7c9d8f6b54-x2k4p", level="fatal"),
    ]
    answer = ask(source_of(victoria), log_query(services=("gate",), level="ERROR", contains='Pool said "FULL"'))
    assert messages(answer) == ['the POOL said "full"', 'the pool said "full"', 'the pool said "full"']
    assert {entry["service"] for entry in answer["logs"]} == {"gate", "Gate", None}
    assert (answer["total"], answer["scanned"]) == (3, 34)
    asked = read_logsql(victoria.asked[0].params["query"])
    assert asked.fields[-4:] == ("!level", "_msg", "_msg", "_msg")


def test_the_level_may_have_another_field(victoria, log_query):
    victoria.records = [record(9, "calm", app="a", lvl="info"), record(8, "gone", app="a", lvl="fatal")]
    answer = ask(source_of(victoria, level_field="lvl"), log_query(level="WARN"))
    assert [(entry["message"], entry["level"]) for entry in answer["logs"]] == [("gone", "FATAL")]


def test_a_pod_can_be_asked_for(victoria, log_query):
    pods = ("gate-7c9d8f6b54-x2k4p", "gate-7c9d8f6b54-qq7zz")
    victoria.records = [record(9, f"INFO {pod}", app="gate", pod=pod) for pod in pods]
    assert messages(ask(source_of(victoria), log_query(services=(pods[0],)))) == [pods[0]]


def test_topics_have_their_own_filters(victoria, log_query):
    victoria.records = [record(9, "INFO node", job="journal"), record(8, "INFO app", job="app")]
    source = source_of(victoria, filters={"application-logs": '{job="app"}', "system-events": '{job="journal"}'})
    assert messages(ask(source, log_query())) == ["app"]
    assert messages(ask(source, log_query(topic="system-events"))) == ["node"]
    victoria.asked.clear()
    answer = ask(source, log_query(topic="database-slow-query"))
    assert (answer["total"], answer["files"]) == (0, ["VictoriaLogs (no filter is set for database-slow-query)"])
    assert len(victoria.asked) == 1
    victoria.faults = [{"status": 500, "body": "down"}]
    with pytest.raises(SourceUnavailable, match="down"):
        ask(source, log_query(topic="database-slow-query"))


@pytest.mark.parametrize("text", ["", "  ", "a | delete", "(a", "a)", ") or (", 'x:"a', "x # y", "a\nb", "`a"])
def test_what_is_no_filter_is_refused_at_the_start(victoria, text):
    with pytest.raises(UsageError, match="LogsQL filter"):
        source_of(victoria, filters={"application-logs": text})


HOSTILE = st.text(
    alphabet=st.one_of(st.sampled_from('"\\`{}|=~!()[]\n\r\t\x00.*+?^$: aZ0/-,é\u2028\U0001f600'), st.characters()),
    max_size=30,
)


@given(service=HOSTILE.filter(bool), contains=HOSTILE)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_is_asked_for_can_break_out_of_the_query(victoria, log_query, service, contains):
    victoria.asked.clear()
    victoria.records = [record(9, f"ERROR {contains}", app="another")]
    plain = ask(source_of(victoria), log_query(services=("x",), contains="y", level="WARN"))
    known = read_logsql(victoria.asked[0].params["query"]).fields
    victoria.asked.clear()
    answer = ask(source_of(victoria), log_query(services=(service,), contains=contains or None, level="WARN"))
    assert answer["success"] == plain["success"]
    assert answer["total"] == 0 or service.lower() == "another"
    for asked in victoria.asked:
        fields = read_logsql(asked.params["query"]).fields
        assert [name for name in fields if name != "_msg"] in (
            [f for f in known if f != "_msg"],
            [f for f in known if f not in ("_msg", "!level")],
        )


def test_nothing_in_the_window_says_what_was_looked_at_and_where_records_lie(victoria, log_query):
    victoria.records = [record(9, "INFO a", app="a"), record(86_400, "INFO b", app="a")]
    answer = ask(source_of(victoria), log_query(contains="nowhere"))
    assert (answer["total"], answer["scanned"], answer["more"]) == (0, 1, False)
    answer = ask(source_of(victoria), log_query(window=TimeWindow.lookback(NOW - timedelta(hours=9), 60)))
    assert (answer["oldest"], answer["newest"]) == ("2026-04-30T12:00:00Z", "2026-05-01T11:59:51Z")
    victoria.records = []
    answer = ask(source_of(victoria), log_query())
    assert (answer["success"], answer["total"], "oldest" in answer) == (True, 0, False)


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ({"status": 401, "body": "missing auth"}, SourceDenied, "missing auth"),
        ({"status": 400, "body": "cannot parse query"}, QueryRejected, "cannot parse query"),
        ({"status": 404, "body": "unsupported path"}, SourceUnavailable, "unsupported path"),
        ({"status": 429, "body": "busy", "headers": {"Retry-After": "0"}, "times": 9}, SourceUnavailable, "busy"),
        ({"status": 503, "body": "busy", "headers": {"Retry-After": "0"}, "times": 9}, SourceUnavailable, "busy"),
        ({"status": 502, "body": "cannot query storage node"}, SourceUnavailable, "storage node"),
        ({"status": 200, "body": "<html>", "content_type": "text/html"}, SourceGarbled, "text/html"),
        ({"status": 200, "body": "[1]\n", "content_type": "application/stream+json"}, SourceGarbled, "line"),
        ({"status": 200, "body": '{"_msg":"x"}\n', "content_type": "application/stream+json"}, SourceGarbled, "_time"),
        ({"status": 200, "body": '{"_time":"2026-13-01"}', "content_type": "application/json"}, SourceGarbled, "_time"),
        ({"cut": 20}, SourceUnavailable, "broke off"),
        ({"drop": True}, SourceUnavailable, "VictoriaLogs"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_in_the_servers_words(victoria, log_query, fault, kind, said):
    victoria.records = [record(9, "INFO a", app="a")]
    victoria.faults = [dict(fault)]
    with pytest.raises(kind, match=said):
        ask(source_of(victoria), log_query())


def test_a_busy_server_is_asked_again(victoria, log_query):
    victoria.records = [record(9, "INFO a", app="a")]
    victoria.faults = [{"status": 429, "headers": {"Retry-After": "0"}, "times": 2}]
    assert ask(source_of(victoria), log_query())["total"] == 1


def test_a_stream_that_breaks_off_gives_the_newest_and_says_so(victoria, log_query):
    lines = b"".join(json.dumps(record(n, f"INFO n{n}", app="a")).encode() + b"\n" for n in range(1, 40))
    victoria.records = [record(n, f"INFO n{n}", app="a") for n in range(1, 90)]

    async def cut():
        whole = http_answer(200, lines, Content_Type="application/stream+json")
        async with served(whole[:-1_000]) as local:
            http = HttpJson(local.url, source="VictoriaLogs")
            return json.loads(await VictoriaLogs(http).fetch(log_query(), deadline_s=9))

    answer = asyncio.run(cut())
    assert 20 < len(answer["logs"]) < 39
    assert messages(answer)[-1] == "n1"
    assert answer["more"]
    assert "broke off" in answer["reading"][0]["problem"]
    answer = ask(source_of(victoria, max_bytes=5_000), log_query())
    assert 10 < len(answer["logs"]) < 89
    assert (answer["total"], answer["more"]) == (89, True)
    assert "more than 5000 bytes" in answer["reading"][0]["problem"]


def test_a_silent_server_ends_at_the_deadline(victoria, log_query):
    victoria.faults = [{"hang": True}]
    with pytest.raises(SourceTimeout, match="VictoriaLogs did not answer within"):
        ask(source_of(victoria), log_query(), deadline_s=0.5)


def test_a_count_that_fails_leaves_a_lower_bound(victoria, log_query):
    victoria.records = [record(n, f"INFO n{n}", app="a") for n in range(1, 90)]
    victoria.faults = [{"after": 1, "status": 500, "times": 9}]
    answer = ask(source_of(victoria, max_records=40), log_query())
    assert (answer["total"], answer["more"]) == (40, True)
    assert answer["reading"][0]["problem"] == "the newest 40 of more records were read (the limit of one call)"


def test_credentials_and_tenant_are_sent_and_never_shown(victoria, log_query):
    victoria.user, victoria.password, victoria.account, victoria.project = "ann", CANARY, "12", "34"
    victoria.records = [record(9, "INFO a", app="a")]
    tenant = {"AccountID": "12", "ProjectID": "34"}
    good = source_of(victoria, credentials=Credentials(user="ann", password=CANARY), headers=tenant)
    assert ask(good, log_query())["total"] == 1
    assert ask(source_of(victoria, credentials=Credentials(user="ann", password=CANARY)), log_query())["total"] == 0
    victoria.password = "another"
    with pytest.raises(SourceDenied) as found:
        ask(good, log_query())
    assert "wrong credentials" in str(found.value)
    for secret in Credentials(user="ann", password=CANARY).secrets:
        assert secret not in str(found.value) + repr(found.value) + repr(good)


def test_the_fake_refuses_what_victorialogs_refuses():
    good = '_time:[2026-05-01T00:00:00Z, 2026-05-02T00:00:00Z) ({job="a"}) ("a.b":~"x" or c:~"y") !l:~"z"'
    assert read_logsql(f"{good} | stats count() as n").fields == ("a.b", "c", "!l")
    for text in ("", "|", '"a', 'a:~"("', "(a", 'a:~"x" | delete', 'a:"x', "_time:[x, y)", 'a:~"x\ny"', "a b"):
        with pytest.raises(Exception, match="cannot parse query"):
            read_logsql(text)
