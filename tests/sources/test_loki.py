"""Loki as a log source, against a server that refuses what Loki refuses."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootproof.adapters.sources.http_json import Credentials, HttpJson
from rootproof.adapters.sources.loki import LokiLogs, parse_selector
from rootproof.domain.window import TimeWindow
from rootproof.errors import (
    QueryRejected,
    SourceDenied,
    SourceError,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
    UsageError,
)
from tests.fakes.loki_server import LokiServer, Stage, read_logql
from tests.sources.conftest import NOW

SECOND = 10**9
END = int(NOW.timestamp()) * SECOND
CANARY = "heron-canary-91ab37cc02"


def lines(count, text="INFO line {n}", step_ns=SECOND, end=END):
    """`count` entries, the newest `step_ns` before `end`; `{n}` counts from the oldest."""
    return [(end - (count - n) * step_ns, text.format(n=n)) for n in range(count)]


@pytest.fixture
def loki():
    with LokiServer() as server:
        yield server


def source_of(server, *, max_bytes=32 << 20, credentials=None, headers=None, **options):
    http = HttpJson(server.url, source="Loki", max_bytes=max_bytes, credentials=credentials, headers=headers)
    return LokiLogs(http, **options)


def ask(source, query, deadline_s=20.0):
    return json.loads(asyncio.run(source.fetch(query, deadline_s=deadline_s)))


def messages(answer):
    return [entry["message"] for entry in answer["logs"]]


def asked_queries(server, path="query_range"):
    return [params["query"] for params in server.paths(path)]


def test_lines_are_read_from_their_text_and_named_by_their_labels(loki, log_query):
    loki.streams = [
        (
            {"service_name": "gate", "pod": "gate-7c9d8f6b54-x2k4p"},
            [
                (END - 3 * SECOND, '{"level":"error","msg":"upstream closed","duration_ms":81}'),
                (END - 2 * SECOND, "2020-01-01T00:00:00Z WARN pool is low", {"trace_id": "a1"}),
            ],
        ),
        ({"service_name": "depot", "level": "debug"}, [(END - SECOND - 999, "no level here")]),
    ]
    answer = ask(source_of(loki), log_query())
    first, second, third = answer["logs"]
    assert (first["level"], first["service"], first["instance"]) == ("ERROR", "gate", "gate-7c9d8f6b54-x2k4p")
    assert first["message"].startswith("upstream closed")
    assert first["metrics"] == {"duration_ms": 81.0}
    assert first["timestamp"] == "2026-05-01T11:59:57Z"
    assert (second["level"], second["message"]) == ("WARN", "pool is low")
    assert second["timestamp"] == "2026-05-01T11:59:58Z"
    assert (third["level"], third["service"], third["timestamp"]) == ("DEBUG", "depot", "2026-05-01T11:59:58.999Z")
    assert (answer["success"], answer["total"], answer["scanned"], answer["more"]) == (True, 3, 3, False)
    assert answer["reading"][0]["whole"]
    assert asked_queries(loki) == ['{service_name=~".+"}']


def test_a_stack_trace_that_came_line_by_line_is_one_record(loki, log_query):
    trace = [
        "ERROR could not save",
        "java.lang.IllegalStateException: pool is empty",
        "\tat com.example.Pool.take(Pool.java:31)",
        "\tat com.example.Save.run(Save.java:7)",
    ]
    entries = [(END - 9 * SECOND + n, line) for n, line in enumerate(trace)]
    loki.streams = [
        ({"app": "depot"}, [*entries, (END - SECOND, "INFO next")]),
        ({"app": "gate"}, [(END - 9 * SECOND + 1, "INFO in between")]),
    ]
    answer = ask(source_of(loki), log_query())
    assert [entry["lines"] for entry in answer["logs"]] == [4, 1, 1]
    assert "Pool.java:31" in answer["logs"][0]["message"]
    assert answer["total"] == 3


def test_the_window_is_half_open_to_the_nanosecond(loki, log_query):
    start = END - 3_600 * SECOND
    loki.streams = [({"app": "a"}, [(start - 1, "early"), (start, "first"), (END - 1, "last"), (END, "late")])]
    window = TimeWindow(NOW - timedelta(hours=1), NOW)
    assert messages(ask(source_of(loki), log_query(window=window))) == ["first", "last"]


def test_pages_hold_every_line_once(loki, log_query):
    loki.streams = [({"app": "a"}, lines(1_234, "INFO a {n}", 7)), ({"app": "b"}, lines(777, "INFO b {n}", 11))]
    loki.max_entries = 100
    answer = ask(source_of(loki, page_size=100), log_query(limit=5_000))
    assert sorted(messages(answer)) == sorted([f"a {n}" for n in range(1_234)] + [f"b {n}" for n in range(777)])
    assert (answer["total"], answer["scanned"], answer["more"]) == (2_011, 2_011, False)
    assert not loki.paths("/query") or "query_range" in loki.asked[1].path


@given(
    gaps=st.lists(st.integers(0, 2), min_size=0, max_size=60),
    streams=st.integers(1, 3),
    page=st.integers(3, 9),
    limit=st.integers(1, 70),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equal_times_at_a_page_border_lose_and_double_nothing(loki, log_query, gaps, streams, page, limit):
    at, found = END - 1_000, [({"app": f"s{n}"}, []) for n in range(streams)]
    times = []
    for number, gap in enumerate(gaps):
        at += gap
        times.append(at)
        found[number % streams][1].append((at, f"INFO n{number}"))
    loki.streams, loki.faults = found, []
    answer = ask(source_of(loki, page_size=page), log_query(limit=limit))
    crowd = max((times.count(moment) for moment in times), default=0)
    got = messages(answer)
    assert len(got) == len(set(got))
    if crowd < page:
        assert len(got) == min(limit, len(gaps))
        oldest = min((times[int(message[1:])] for message in got), default=0)
        assert all(f"n{number}" in got for number, moment in enumerate(times) if moment > oldest)
        assert answer["total"] == len(gaps)
    assert answer["more"] == (len(got) < len(gaps))


def test_more_lines_at_one_instant_than_a_page_holds_are_told(loki, log_query):
    loki.streams = [({"app": "a"}, [(END - 9, f"INFO n{n}") for n in range(10)] + [(END - 99, "INFO old")])]
    answer = ask(source_of(loki, page_size=4), log_query())
    assert len(answer["logs"]) == 5
    assert answer["more"]
    assert answer["reading"][0]["problem"] == "5 of 11 lines were read (a page holds no more of one instant)"


def test_the_newest_are_kept_and_the_server_counts_the_rest(loki, log_query):
    loki.streams = [({"app": "a"}, lines(500))]
    answer = ask(source_of(loki, max_records=40), log_query())
    assert messages(answer) == [f"line {n}" for n in range(460, 500)]
    assert (answer["total"], answer["scanned"], answer["more"]) == (500, 500, True)
    assert answer["reading"] == [
        {
            "file": 'Loki {app=~".+"}',
            "bytes_read": 40 * len("INFO line 460"),
            "bytes_total": None,
            "whole": False,
            "problem": "the newest 40 of 500 lines were read (the limit of one call)",
        }
    ]
    assert sum(int(params["limit"]) for params in loki.paths("query_range")) == 40


def test_a_limit_that_is_just_enough_leaves_nothing_out(loki, log_query):
    loki.streams = [({"app": "a"}, lines(40))]
    answer = ask(source_of(loki, max_records=40), log_query())
    assert (len(answer["logs"]), answer["total"], answer["more"]) == (40, 40, False)


def test_a_count_that_fails_leaves_a_lower_bound(loki, log_query):
    loki.streams = [({"app": "a"}, lines(50))]
    loki.faults = [{"path": "/api/v1/query", "after": 1, "times": 9, "status": 500, "body": "count failed"}]
    answer = ask(source_of(loki, max_records=40), log_query())
    assert (answer["total"], answer["more"]) == (40, True)
    assert answer["reading"][0]["problem"] == "the newest 40 of more lines were read (the limit of one call)"


def test_with_words_or_a_level_a_total_counts_only_what_was_read(loki, log_query):
    loki.streams = [({"app": "a"}, lines(50, "ERROR {n}") + lines(50, "INFO calm {n}", end=END - 100 * SECOND))]
    for narrowed in ({"level": "ERROR"}, {"contains": "calm"}):
        answer = ask(source_of(loki, max_records=40), log_query(**narrowed))
        assert answer["total"] == len(answer["logs"]) <= 40
        assert answer["scanned"] == 100
        assert answer["reading"][0]["problem"].endswith("counts are of what was read: there may be more")


def test_lines_that_were_not_asked_for_are_left_out(loki, log_query):
    values = [[str(END - 5), "INFO in"], [str(END + 5 * 3_600 * SECOND), "INFO out"]]
    body = {"status": "success", "data": {"resultType": "streams", "result": [{"stream": {}, "values": values}]}}
    loki.faults = [{"path": "query_range", "status": 200, "body": json.dumps(body), "content_type": "application/json"}]
    answer = ask(source_of(loki, selectors={"application-logs": '{app="a"}'}), log_query())
    assert (messages(answer), answer["total"], answer["scanned"]) == (["in"], 1, 1)


def test_a_full_page_that_reaches_the_start_of_the_window_is_not_taken_for_all(loki, log_query):
    start = END - 3_600 * SECOND
    loki.streams = [({"app": "a"}, [(start, f"INFO n{n}") for n in range(4)])]
    answer = ask(source_of(loki, max_records=3), log_query(window=TimeWindow(NOW - timedelta(hours=1), NOW)))
    assert (len(answer["logs"]), answer["total"], answer["more"]) == (3, 4, True)


def test_text_that_no_database_can_keep_is_written_out(loki, log_query):
    loki.streams = [({"app": "a"}, [(END - 5, "INFO half \ud83d of a sign")])]
    answer = ask(source_of(loki), log_query())
    assert messages(answer) == ["half \\ud83d of a sign"]


def test_words_are_searched_by_the_server_and_then_in_the_message(loki, log_query):
    loki.streams = [
        (
            {"app": "a"},
            [
                (END - 5, 'INFO the POOL (main) said "full"'),
                (END - 4, "INFO the pool (side) is empty"),
                (END - 3, json.dumps({"level": "info", "msg": 'pool (main) said "full" again'})),
                (END - 2, "INFO something else"),
            ],
        )
    ]
    answer = ask(source_of(loki), log_query(contains='Pool (MAIN) said "full"'))
    assert messages(answer) == ['the POOL (main) said "full"', 'pool (main) said "full" again']
    assert (answer["total"], answer["scanned"], answer["more"]) == (2, 4, False)
    stages = read_logql(asked_queries(loki)[0]).stages
    assert [stage.value for stage in stages] == ["(?i)Pool", r"(?i)\(MAIN\)", "(?i)said", "(?i)full"]


def test_levels_are_filtered_by_the_server_where_it_has_them_and_always_by_us(loki, log_query):
    loki.streams = [
        ({"app": "a", "detected_level": "info"}, lines(30, "INFO fine {n}")),
        ({"app": "a", "level": "Warning"}, lines(20, "careful {n}")),
        ({"app": "a", "detected_level": "error"}, lines(3, "ERROR broken {n}")),
        ({"app": "a", "detected_level": "unknown"}, [(END - 5, "connection refused"), (END - 4, "all well")]),
        ({"app": "b"}, [(END - 3, "FATAL no label"), (END - 2, "INFO no label")]),
    ]
    answer = ask(source_of(loki), log_query(level="ERROR"))
    assert sorted(messages(answer)) == ["broken 0", "broken 1", "broken 2", "connection refused", "no label"]
    assert (answer["total"], answer["scanned"]) == (5, 57)
    pulled = read_logql(asked_queries(loki)[0])
    assert {stage.label for stage in pulled.stages} == {"level", "detected_level"}
    loki.asked.clear()
    assert ask(source_of(loki), log_query(level="TRACE"))["total"] == 57
    assert read_logql(asked_queries(loki)[0]).stages == ()


SHOP = [
    ({"app": "gate", "job": "shop/gate", "pod": "gate-7c9d8f6b54-x2k4p"}, lines(3, "INFO gate one {n}")),
    ({"app": "gate", "job": "shop/gate", "pod": "gate-7c9d8f6b54-qq7zz"}, lines(2, "INFO gate two {n}")),
    ({"app": "gateway", "job": "shop/gateway", "pod": "gateway-0"}, lines(2, "INFO gateway {n}")),
    ({"job": "shop/Depot"}, lines(2, "INFO depot {n}")),
]


@pytest.mark.parametrize(
    ("services", "label", "found"),
    [
        (("GATE",), "app", 5),
        (("gate-7c9d8f6b54-x2k4p",), "app", 3),
        (("depot",), "job", 2),
        (("gate", "depot"), "job", 7),
        (("gateway",), "app", 2),
    ],
)
def test_services_are_found_by_label_name_and_pod(loki, log_query, services, label, found):
    loki.streams = SHOP
    answer = ask(source_of(loki), log_query(services=services))
    assert (len(answer["logs"]), answer["total"]) == (found, found)
    assert [matcher.label for matcher in read_logql(asked_queries(loki)[0]).matchers] == [label]


def test_the_configured_label_is_tried_first(loki, log_query):
    loki.streams = [({"app": "gate", "team": "gate"}, lines(2))]
    ask(source_of(loki, service_label="team"), log_query(services=("gate",)))
    assert asked_queries(loki) == ['{team=~"gate"}']


def test_a_service_that_no_label_names_is_no_evidence_and_no_search_of_everything(loki, log_query):
    loki.streams = SHOP
    answer = ask(source_of(loki), log_query(services=("ledger",)))
    assert (answer["success"], answer["total"], answer["scanned"], answer["logs"]) == (True, 0, 0, [])
    assert answer["files"] == ["Loki: no label of its streams names ledger"]
    assert not loki.paths("query_range")


def test_where_no_label_names_services_they_are_searched_in_the_lines(loki, log_query):
    loki.streams = [
        (
            {"cluster": "c1"},
            [(END - 2, '{"service":"gate","msg":"one"}'), (END - 1, '{"service":"depot","msg":"gate"}')],
        )
    ]
    answer = ask(source_of(loki), log_query(services=("Gate",)))
    assert messages(answer) == ["one"]
    assert asked_queries(loki) == ['{cluster=~".+"} |~ "(?i)(Gate)"']


def test_topics_have_their_own_streams(loki, log_query):
    loki.streams = [({"job": "journal"}, lines(2, "INFO node {n}")), ({"job": "app"}, lines(3, "INFO app {n}"))]
    source = source_of(
        loki, selectors={"application-logs": '{job!="journal", job=~".+"}', "system-events": "{job=`journal`}"}
    )
    with_backticks = parse_selector("{job=`journal`}", "x")
    assert with_backticks == ("job=`journal`",)
    assert (
        ask(source_of(loki, selectors={"system-events": '{job="journal"}'}), log_query(topic="system-events"))["total"]
        == 2
    )
    assert ask(source, log_query())["total"] == 3
    loki.asked.clear()
    answer = ask(source, log_query(topic="database-slow-query"))
    assert (answer["total"], answer["scanned"], answer["files"]) == (
        0,
        0,
        ["Loki (no streams are set for database-slow-query)"],
    )
    assert [asked.path for asked in loki.asked] == ["/loki/api/v1/labels"]
    loki.faults = [{"status": 500, "body": "down"}]
    with pytest.raises(SourceUnavailable, match="down"):
        ask(source, log_query(topic="database-slow-query"))


@pytest.mark.parametrize(
    "text",
    [
        "job",
        "{}",
        "{job=}",
        '{job="a"',
        '{job="a"} |= "x"',
        '{job="a"}{job="b"}',
        '{job="a" job="b"}',
        '{job="a}',
        "{job='a'}",
    ],
)
def test_what_is_no_selector_is_refused_at_the_start(loki, text):
    with pytest.raises(UsageError, match="stream selector"):
        source_of(loki, selectors={"application-logs": text})


HOSTILE = st.text(
    alphabet=st.one_of(st.sampled_from('"\\`{}|=~!()[]\n\r\t\x00.*+?^$ aZ0-/,é\u2028\U0001f600'), st.characters()),
    max_size=30,
)


@given(value=HOSTILE.filter(bool), contains=HOSTILE)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_is_asked_for_can_break_out_of_the_query(loki, log_query, value, contains):
    value = value.encode("utf-8", "replace").decode()
    loki.streams = [({"app": value, "other": "x"}, [(END - 1, f"INFO {contains}")])]
    loki.asked.clear()
    answer = ask(source_of(loki), log_query(services=(value,), contains=contains or None, level="WARN"))
    assert answer["success"]
    for text in asked_queries(loki) + asked_queries(loki, "v1/query"):
        query = read_logql(text)
        assert [(stage.label, stage.sign) for stage in query.matchers] == [("app", "=~")]
        assert query.streams({"app": value})
        assert not query.streams({"app": f"{value}x"})
        assert all(stage.label in ("", "level", "detected_level") for stage in query.stages)


@given(word=HOSTILE.filter(lambda text: bool(text.strip())))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_line_that_holds_the_words_is_found(loki, log_query, word):
    loki.streams = [({"app": "a"}, [(END - 1, json.dumps({"level": "info", "msg": f"it says {word.strip()} to all"}))])]
    answer = ask(source_of(loki), log_query())
    said = answer["logs"][0]["message"]
    part = said.removeprefix("it says ").removesuffix(" to all")
    if part.strip():
        assert messages(ask(source_of(loki), log_query(contains=part.upper() if part.isascii() else part))) == [said]


def test_a_window_that_is_too_long_is_asked_in_parts(loki, log_query):
    loki.streams = [({"app": "a"}, lines(48, step_ns=3_600 * SECOND))]
    loki.max_query_length_ns = 7 * 3_600 * SECOND
    answer = ask(source_of(loki), log_query(window=TimeWindow.lookback(NOW, 48 * 60)))
    assert (answer["total"], len(answer["logs"]), answer["more"]) == (48, 48, False)
    assert len(loki.paths("query_range")) < 15
    counted = ask(source_of(loki, max_records=10, selectors={"application-logs": '{app="a"}'}),
                  log_query(window=TimeWindow.lookback(NOW, 48 * 60)))  # fmt: skip
    assert (len(counted["logs"]), counted["total"]) == (10, 48)


def test_a_server_that_gives_fewer_lines_at_once_is_asked_for_fewer(loki, log_query):
    loki.streams = [({"app": "a"}, lines(700))]
    loki.max_entries = 300
    answer = ask(source_of(loki), log_query())
    assert answer["total"] == 700
    assert [params["limit"] for params in loki.paths("query_range")][:2] == ["1000", "300"]


def test_long_lines_are_asked_for_in_smaller_pages(loki, log_query):
    loki.streams = [({"app": "a"}, lines(300, "INFO {n} " + "x" * 2_000))]
    answer = ask(source_of(loki, max_bytes=200_000), log_query())
    assert answer["total"] == 300
    with pytest.raises(SourceError, match="more than 3000 bytes"):
        ask(source_of(loki, max_bytes=3_000), log_query())


def test_nothing_in_the_window_says_what_was_looked_at_and_where_lines_lie(loki, log_query):
    loki.streams = [({"app": "a"}, [*lines(20), (END - 5 * 86_400 * SECOND, "INFO old")])]
    answer = ask(source_of(loki), log_query(contains="nowhere"))
    assert (answer["total"], answer["scanned"], answer["more"]) == (0, 20, False)
    answer = ask(
        source_of(loki, selectors={"application-logs": '{app="a"}'}),
        log_query(window=TimeWindow.lookback(NOW - timedelta(hours=9), 60)),
    )
    assert (answer["total"], answer["scanned"]) == (0, 0)
    assert (answer["oldest"], answer["newest"]) == ("2026-04-26T12:00:00Z", "2026-05-01T11:59:59Z")
    loki.streams = []
    answer = ask(source_of(loki), log_query())
    assert (answer["success"], answer["total"], answer["files"]) == (True, 0, ["Loki: no streams in the window"])


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ({"status": 401, "body": "no org id"}, SourceDenied, "no org id"),
        ({"status": 403, "body": "forbidden"}, SourceDenied, "forbidden"),
        ({"status": 404, "body": "404 page not found"}, SourceUnavailable, "404"),
        ({"status": 429, "body": "too many", "headers": {"Retry-After": "0"}, "times": 9}, SourceUnavailable, "429"),
        ({"status": 500, "body": "panic"}, SourceUnavailable, "panic"),
        ({"status": 504, "body": "context deadline exceeded"}, SourceTimeout, "context deadline"),
        ({"status": 200, "body": "<html>Sign in", "content_type": "text/html"}, SourceGarbled, "text/html"),
        ({"status": 200, "body": "{", "content_type": "application/json"}, SourceGarbled, "JSON"),
        ({"cut": 20}, SourceUnavailable, "broke off"),
        ({"drop": True}, SourceUnavailable, "Loki"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["labels", "query_range"])
def test_what_goes_wrong_is_told_in_the_servers_words(loki, log_query, fault, kind, said, path):
    loki.streams = [({"app": "a"}, lines(5))]
    loki.faults = [dict(fault) | {"path": path}]
    with pytest.raises(kind, match=said):
        ask(source_of(loki), log_query())


@pytest.mark.parametrize(
    "body",
    [
        {"status": "success", "data": {"resultType": "matrix", "result": []}},
        {"status": "success", "data": {"resultType": "streams", "result": {}}},
        {"status": "success", "data": {"resultType": "streams", "result": [{"stream": {}, "values": [["x", "line"]]}]}},
        {"status": "success", "data": {"resultType": "streams", "result": [{"stream": {}, "values": [["1", 2]]}]}},
        {"status": "success", "data": {"resultType": "streams", "result": [{"values": [["1", "a"]]}]}},
        {"status": "success", "data": {"resultType": "streams", "result": ["x"]}},
        {"status": "success"},
        [],
        "x",
        None,
    ],
)
def test_an_answer_of_another_shape_is_garbled(loki, log_query, body):
    loki.faults = [{"path": "query_range", "status": 200, "body": json.dumps(body), "content_type": "application/json"}]
    with pytest.raises(SourceGarbled):
        ask(source_of(loki, selectors={"application-logs": '{app="a"}'}), log_query())


def test_an_error_inside_a_good_status_is_an_error(loki, log_query):
    body = json.dumps({"status": "error", "error": "shard 3 of 8 failed"})
    loki.faults = [{"path": "query_range", "status": 200, "body": body, "content_type": "application/json"}]
    with pytest.raises(SourceUnavailable, match="shard 3 of 8 failed"):
        ask(source_of(loki, selectors={"application-logs": '{app="a"}'}), log_query())


def test_warnings_of_the_server_make_the_answer_incomplete(loki, log_query):
    loki.streams = [({"app": "a"}, lines(5))]
    loki.warnings = ["partial response: one store did not answer"]
    answer = ask(source_of(loki), log_query())
    assert answer["more"]
    assert answer["reading"][0]["problem"] == "the server warns: partial response: one store did not answer"


def test_what_was_pulled_before_a_later_page_failed_is_an_answer(loki, log_query):
    loki.streams = [({"app": "a"}, lines(50))]
    loki.faults = [{"path": "query_range", "after": 2, "status": 500, "body": "store went away"}]
    answer = ask(source_of(loki, page_size=10), log_query())
    assert messages(answer) == [f"line {n}" for n in range(32, 50)]
    assert answer["more"]
    assert "store went away" in answer["reading"][0]["problem"]
    assert (answer["total"], answer["scanned"]) == (50, 50)


def test_a_silent_server_ends_at_the_deadline_and_a_slow_later_page_gives_what_came(loki, log_query):
    loki.streams = [({"app": "a"}, lines(50))]
    loki.faults = [{"path": "query_range", "hang": True}]
    started = time.monotonic()
    with pytest.raises(SourceTimeout, match="Loki did not answer within"):
        ask(source_of(loki), log_query(), deadline_s=0.6)
    assert time.monotonic() - started < 20
    loki.faults = [{"path": "query_range", "after": 1, "hang": True}]
    answer = ask(source_of(loki, page_size=10), log_query(), deadline_s=1.5)
    assert len(answer["logs"]) == 9
    assert "did not answer within" in answer["reading"][0]["problem"]


def test_credentials_and_tenant_are_sent_and_never_shown(loki, log_query):
    loki.token, loki.tenant = CANARY, "team-a"
    loki.streams = [({"app": "a"}, lines(5))]
    good = source_of(loki, credentials=Credentials(token=CANARY), headers={"X-Scope-OrgID": "team-a"})
    assert ask(good, log_query())["total"] == 5
    assert CANARY not in json.dumps(ask(good, log_query())) + repr(good) + repr(vars(good))
    loki.token = "another"
    with pytest.raises(SourceDenied) as found:
        ask(good, log_query())
    assert "wrong credentials" in str(found.value)
    assert CANARY not in str(found.value) + repr(found.value)
    loki.token = CANARY
    with pytest.raises(SourceDenied, match="no org id"):
        ask(source_of(loki, credentials=Credentials(token=CANARY)), log_query())


def test_a_question_that_the_server_refuses_is_rejected_with_its_words(loki, log_query):
    with pytest.raises(QueryRejected, match="empty-compatible"):
        ask(source_of(loki, selectors={"application-logs": '{app=~".*"}'}), log_query())


def test_the_fake_refuses_what_loki_refuses():
    assert read_logql(r'{a="\u0041\n"} |~ "x\\.y" | level!~"(?i)(info)"').matchers == (Stage("a", "=", "A\n"),)
    for text in ('{a="x"', '{a=x}', '{a="x} | y="z"}', r'{a="\q"}', '{a="x"} |~ "("', '{a="x"} trailing', "{a='x'}",
                 '{a="x\ny"}', r'{a="\ud800"}', '{a=~".*"}', 'sum(count_over_time({a="x"}[5]))'):  # fmt: skip
        with pytest.raises(Exception, match=r"parse error|empty-compatible"):
            read_logql(text)
