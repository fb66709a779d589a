"""Elasticsearch and OpenSearch as a log source, against a server that refuses what they refuse."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import timedelta

import pytest

from rootproof.adapters.sources.elasticsearch import ElasticsearchLogs
from rootproof.adapters.sources.http_json import Credentials, HttpJson
from rootproof.domain.window import TimeWindow, iso
from rootproof.errors import (
    QueryRejected,
    SourceDenied,
    SourceError,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
    UsageError,
)
from tests.fakes.elasticsearch_server import ECS, ElasticsearchServer
from tests.sources.conftest import NOW

CANARY = "plover-canary-47cc10e5ad"


def document(message="it works", *, age_s=60.0, level="INFO", service="cart", pod=None, **more):
    found = {"@timestamp": iso(NOW - timedelta(seconds=age_s)), "message": message, "service": {"name": service}}
    if level:
        found["log"] = {"level": level}
    if pod:
        found["kubernetes"] = {"pod": {"name": pod}}
    return found | more


@pytest.fixture(params=[False, True], ids=["elasticsearch", "opensearch"])
def server(request):
    with ElasticsearchServer(opensearch=request.param) as local:
        yield local


@pytest.fixture
def elastic():
    with ElasticsearchServer() as local:
        yield local


def source_of(server, *, max_bytes=32 << 20, credentials=None, **options):
    http = HttpJson(server.url, source="Elasticsearch", max_bytes=max_bytes, credentials=credentials)
    return ElasticsearchLogs(http, indices=options.pop("indices", {"application-logs": "logs-*"}), **options)


def ask(source, query, deadline_s=20.0):
    return json.loads(asyncio.run(source.fetch(query, deadline_s=deadline_s)))


def messages(answer):
    return [entry["message"] for entry in answer["logs"]]


def problem(answer):
    (reading,) = answer["reading"]
    assert reading["whole"] is (reading["problem"] is None)
    return reading["problem"]


def raised(kind, source, query, deadline_s=20.0):
    with pytest.raises(kind) as found:
        ask(source, query, deadline_s)
    assert type(found.value) is kind
    return str(found.value)


# What comes back ---------------------------------------------------------------------------------------------------


def test_records_have_the_raw_shape_oldest_first(server, log_query):
    server.add(
        "logs-a", [document("second", age_s=10), document("first", age_s=20, level="error", pod="cart-7f9c4b6d8-x2k4q")]
    )
    answer = ask(source_of(server), log_query())
    assert messages(answer) == ["first", "second"]
    assert answer["logs"][0] == {
        "timestamp": "2026-05-01T11:59:40Z",
        "level": "ERROR",
        "service": "cart",
        "instance": "cart-7f9c4b6d8-x2k4q",
        "message": "first",
        "metrics": {},
        "lines": 1,
    }
    assert (answer["total"], answer["scanned"], answer["more"]) == (2, 2, False)
    assert answer["files"] == ["Elasticsearch logs-*"]


def test_documents_may_be_nested_or_flat_and_use_other_names(elastic, log_query):
    types = ECS | {"severity": "keyword", "kubernetes.labels.app": "keyword", "msg": "text"}
    nested = {"@timestamp": iso(NOW - timedelta(seconds=3)), "msg": "a", "severity": "Warning",
              "kubernetes": {"labels": {"app": "cart"}}}  # fmt: skip
    dotted = {"@timestamp": iso(NOW - timedelta(seconds=2)), "message": "b", "log.level": "err",
              "service.name": "cart", "host.name": "n1", "http.response.status": 503}  # fmt: skip
    elastic.add("logs-a", [nested, dotted], types)
    a, b = ask(source_of(elastic), log_query())["logs"]
    assert (a["message"], a["level"], a["service"]) == ("a", "WARN", "cart")
    assert (b["message"], b["level"], b["instance"], b["metrics"]) == ("b", "ERROR", "n1", {"status": 503.0})


def test_a_message_that_is_a_log_line_gives_the_level_where_the_document_has_none(elastic, log_query):
    line = "2026-05-01T11:59:00Z ERROR [main] a.b.Pool - it is full"
    elastic.add("logs-a", [document(line, level=None), document("plain", level=None, age_s=5)])
    assert [(entry["message"], entry["level"]) for entry in ask(source_of(elastic), log_query())["logs"]] == [
        (line, "ERROR"),
        ("plain", None),
    ]


def test_a_stack_trace_beside_the_message_comes_with_it(elastic, log_query):
    elastic.add("logs-a", [document("it failed", level="ERROR", error={"stack_trace": "E: x\n\tat a.b(C.java:1)"})])
    assert messages(ask(source_of(elastic), log_query())) == ["it failed\nE: x\n\tat a.b(C.java:1)"]


def test_a_document_without_a_message_is_its_own_text(elastic, log_query):
    elastic.add("logs-a", [{"@timestamp": iso(NOW - timedelta(seconds=1)), "what": {"is": ["this", None]}}])
    (message,) = messages(ask(source_of(elastic), log_query()))
    assert json.loads(message)["what"] == {"is": ["this", None]}


def test_the_window_is_half_open(server, log_query):
    server.add("logs-a", [document("end", age_s=0), document("start", age_s=3600), document("before", age_s=3600.5)])
    assert messages(ask(source_of(server), log_query())) == ["start"]


def test_a_topic_has_its_own_indices_or_none(elastic, log_query):
    elastic.add("logs-a", [document()])
    elastic.add("slow-a", [document("SELECT 1")])
    source = source_of(
        elastic, indices={"application-logs": "logs-*", "database-slow-query": "slow-*", "system-events": ""}
    )
    assert messages(ask(source, log_query(topic="database-slow-query"))) == ["SELECT 1"]
    answer = ask(source, log_query(topic="system-events"))
    assert (answer["total"], answer["files"]) == (0, ["Elasticsearch (no indices are set for system-events)"])
    assert answer["more"] is True, "nothing was searched: that is not the same as nothing found"


def test_slow_statements_in_fields_are_told_in_words(elastic, log_query):
    row = {"event": {"duration": 2_500_000_000}, "mysql": {"slowlog": {"query": "SELECT 1", "rows_examined": 9}}}
    elastic.add("slow-a", [document("# Query_time: 2.5", user={"name": "app"}) | row])
    source = source_of(elastic, indices={"database-slow-query": "slow-*"})
    (entry,) = ask(source, log_query(topic="database-slow-query"))["logs"]
    assert entry["message"] == "query_time: 2.5 s  SELECT 1"
    assert (entry["metrics"], entry["beside"]) == ({"query_time": 2.5, "rows_examined": 9}, "user=app")


# Filters -----------------------------------------------------------------------------------------------------------


def test_levels_are_pushed_down_and_unknown_ones_judged_by_us(server, log_query):
    levels = ["trace", "DEBUG", "Info", "notice", "warn", "WARNING", "error", "Critical", "odd", None]
    server.add("logs-a", [document(f"it is {level}", level=level, age_s=n + 1) for n, level in enumerate(levels)])
    answer = ask(source_of(server), log_query(level="WARN"))
    assert {message.removeprefix("it is ") for message in messages(answer)} == {"warn", "WARNING", "error", "Critical"}
    assert answer["scanned"] == len(levels)
    query = next(body for body in server.bodies("/_search") if "sort" in body)["query"]
    assert "INFO" in query["bool"]["must_not"][0]["terms"]["log.level"]


def test_a_failure_without_a_level_counts_as_an_error(elastic, log_query):
    elastic.add("logs-a", [document("connection refused", level=None), document("all is well", level=None)])
    assert messages(ask(source_of(elastic), log_query(level="ERROR"))) == ["connection refused"]


@pytest.mark.parametrize(
    "types", [{"level": "long"}, {"level": "text", "level.keyword": "keyword"}], ids=["number", "text"]
)
def test_levels_as_numbers_and_as_words(elastic, log_query, types):
    number = "long" in types.values()
    rows = [(30, "INFO"), (50, "ERROR")]
    documents = [document(f"at {word}", level=None) | {"level": value if number else word} for value, word in rows]
    elastic.add("logs-a", documents, ECS | types)
    assert messages(ask(source_of(elastic), log_query(level="WARN"))) == ["at ERROR"]


def test_services_match_by_name_or_pod_whatever_the_case(server, log_query):
    server.add(
        "logs-a",
        [
            document("name", age_s=4, service="Cart"),
            document("pod", age_s=3, service="x", pod="cart-7f9c4b6d8-x2k4q"),
            document("other", age_s=2, service="cartographer"),
            document("longer", age_s=1, service="cart-db"),
        ],
    )
    assert messages(ask(source_of(server), log_query(services=("CART",)))) == ["name", "pod"]


def test_without_a_field_for_services_the_answer_says_so(elastic, log_query):
    elastic.add("logs-a", [document()], {"@timestamp": "date", "message": "text"})
    answer = ask(source_of(elastic), log_query(services=("cart",)))
    assert answer["total"] == 0
    assert "no field of these indices names a service" in problem(answer)


@pytest.mark.parametrize("kind", ["text", "match_only_text", "keyword", "wildcard"])
@pytest.mark.parametrize("part", ["timeout", "TIMEOUT after 3", "ReadTime", "3.5s: /a*b", "out\\of", "文件", "(", "é"])
def test_contains_finds_any_part_of_a_message_however_it_is_indexed(elastic, log_query, kind, part):
    text = "ReadTimeout after 3.5s: /a*b (out\\of) 配置文件 é"
    elastic.add("logs-a", [document(text), document("nothing of this, but /ab")], ECS | {"message": kind})
    assert messages(ask(source_of(elastic), log_query(contains=part))) == (
        [text] if part.lower() in text.lower() else []
    )


def test_contains_is_checked_after_the_server_found_too_much(elastic, log_query):
    elastic.add("logs-a", [document("refused by the connection"), document("connection refused")])
    answer = ask(source_of(elastic), log_query(contains="connection refused"))
    assert (messages(answer), answer["total"]) == (["connection refused"], 1)


def test_a_field_that_is_text_here_and_a_number_there_is_not_asked_for_text(elastic, log_query):
    elastic.add("logs-a", [document("a")], ECS | {"service": "keyword"})
    elastic.add("logs-b", [document("b", service="pay") | {"service.name": "pay"}], ECS | {"service.name": "long"})
    answer = ask(source_of(elastic), log_query(services=("cart",)))
    assert messages(answer) == ["a"]
    assert problem(answer) is None


# Paging ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [1, 7, 50, 1_000])
def test_pages_join_without_gap_or_double_also_at_one_instant(server, log_query, page):
    server.add("logs-a", [document(f"a{n}", age_s=60 + n // 10) for n in range(25)])
    server.add("logs-b", [document(f"b{n}", age_s=60 + n // 10) for n in range(25)])
    answer = ask(source_of(server, page_size=page), log_query())
    assert sorted(messages(answer)) == sorted([f"{x}{n}" for x in "ab" for n in range(25)])
    assert (answer["total"], answer["more"]) == (50, False)


def test_the_newest_are_kept_and_the_rest_is_counted(server, log_query):
    server.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(30)])
    answer = ask(source_of(server, max_records=12, page_size=5), log_query())
    assert messages(answer) == [f"m{n}" for n in reversed(range(12))]
    assert (answer["total"], answer["scanned"], answer["more"]) == (30, 30, True)
    assert problem(answer) == "the newest 12 of 30 records were read"
    assert len([body for body in server.bodies("/_search") if "sort" in body]) == 3


def test_totals_beyond_ten_thousand_are_exact(elastic, log_query):
    elastic.add("logs-a", [document("m", age_s=1 + n / 10) for n in range(12_345)])
    answer = ask(source_of(elastic, max_records=20), log_query())
    assert (answer["total"], len(answer["logs"])) == (12_345, 20)


def test_the_point_in_time_keeps_what_is_read_and_is_closed(server, log_query):
    server.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(5)])
    ask(source_of(server, page_size=2), log_query())
    assert server.views == {}
    assert [asked.method for asked in server.asked].count("DELETE") == 1
    searches = [body for body in server.bodies("/_search") if "pit" in body]
    assert all(body["pit"]["keep_alive"] == "1m" for body in searches)


def test_the_point_in_time_is_closed_after_an_error_too(server, log_query):
    server.add("logs-a", [document()])
    server.faults += [{"path": "/_search", "after": int(server.opensearch), "status": 500, "body": "boom"}]
    raised(SourceUnavailable, source_of(server), log_query())
    assert server.views == {}


def test_a_lost_point_in_time_is_opened_again_once(server, log_query):
    server.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    server.lost_after = [1]
    answer = ask(source_of(server, page_size=4), log_query())
    assert (len(answer["logs"]), answer["more"]) == (9, False)


def test_a_point_in_time_that_is_lost_again_gives_what_there_is(server, log_query):
    server.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    server.lost_after = [2, 1]
    answer = ask(source_of(server, page_size=3), log_query())
    assert messages(answer) == [f"m{n}" for n in reversed(range(6))]
    assert "older records are missing: Elasticsearch answered 404" in problem(answer)
    assert answer["more"] is True


def test_without_a_point_in_time_one_page_is_read(server, log_query):
    server.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    server.forbidden = {"point_in_time" if server.opensearch else "_pit"}
    answer = ask(source_of(server, page_size=3), log_query())
    assert (len(answer["logs"]), answer["more"]) == (9, False)
    answer = ask(source_of(server, max_records=4), log_query())
    assert (len(answer["logs"]), answer["total"], answer["more"]) == (4, 9, True)


def test_a_server_that_does_not_say_what_it_is_is_read_as_elasticsearch(elastic, log_query):
    elastic.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    elastic.faults += [{"path": "/", "after": 1, "status": 403, "body": "no monitor rights"}]
    answer = ask(source_of(elastic, page_size=4), log_query())
    assert (len(answer["logs"]), answer["more"]) == (9, False)
    assert len([asked for asked in elastic.asked if asked.path.endswith("/_pit") and asked.method == "POST"]) == 1


def test_where_ids_may_not_be_sorted_by_the_order_of_documents_is_used(log_query):
    with ElasticsearchServer(opensearch=True, forbids_id_sort=True) as local:
        local.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
        assert len(ask(source_of(local, page_size=4), log_query())["logs"]) == 9


def test_an_answer_that_is_too_large_is_asked_for_in_smaller_pages(elastic, log_query):
    elastic.add("logs-a", [document(f"m{n} " + "x" * 2_000, age_s=n + 1) for n in range(100)])
    answer = ask(source_of(elastic, max_bytes=100_000), log_query())
    assert (len(answer["logs"]), answer["more"]) == (100, False)


# What is not whole -------------------------------------------------------------------------------------------------


def test_failed_shards_are_said(server, log_query):
    server.add("logs-a", [document()])
    server.add("logs-b", [document()])
    server.broken_shards = {"logs-b": "es_rejected_execution_exception"}
    answer = ask(source_of(server), log_query())
    assert len(answer["logs"]) == 1
    assert answer["more"] is True
    assert "1 of 2 shards failed, so their records are missing: es_rejected_execution_exception" in problem(answer)
    assert problem(answer) in answer["files"][0]


def test_a_search_that_the_server_cut_short_is_said(server, log_query):
    server.add("logs-a", [document()])
    server.timed_out = True
    answer = ask(source_of(server), log_query())
    assert answer["more"] is True
    assert "stopped at its time limit" in problem(answer)


def test_a_later_page_that_fails_leaves_what_there_is(elastic, log_query):
    elastic.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    elastic.faults += [{"path": "/_search", "after": 1, "status": 500, "body": "disk is broken"}]
    answer = ask(source_of(elastic, page_size=4), log_query())
    assert len(answer["logs"]) == 4
    assert answer["total"] >= 4
    assert "disk is broken" in problem(answer)


def test_a_later_page_that_hangs_leaves_what_there_is(elastic, log_query):
    elastic.add("logs-a", [document(f"m{n}", age_s=n + 1) for n in range(9)])
    elastic.faults += [{"path": "/_search", "after": 1, "hang": True}]
    answer = ask(source_of(elastic, page_size=4), log_query(), deadline_s=1.5)
    assert len(answer["logs"]) == 4
    assert "did not answer within" in problem(answer)


def test_indices_without_a_usable_time_are_said(elastic, log_query):
    elastic.add("logs-a", [document()])
    elastic.add("logs-b", [document()], ECS | {"@timestamp": "keyword"})
    answer = ask(source_of(elastic), log_query())
    assert len(answer["logs"]) == 1
    assert "some indices map @timestamp as keyword and not as a date" in problem(answer)


def test_where_nothing_matches_the_answer_says_where_records_lie(server, log_query):
    server.add("logs-a", [document(age_s=7200), document(age_s=5400)])
    answer = ask(source_of(server), log_query())
    assert (answer["total"], answer["oldest"], answer["newest"]) == (0, "2026-05-01T10:00:00Z", "2026-05-01T10:30:00Z")


# What fails --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": {"type": "security_exception", "reason": "missing authentication credentials"}}, SourceDenied),
        (403, {"error": {"type": "security_exception", "reason": "action is unauthorized"}}, SourceDenied),
        (
            400,
            {"error": {"root_cause": [{"type": "parsing_exception", "reason": "bad"}], "reason": "outer"}},
            QueryRejected,
        ),
        (
            500,
            {"error": {"type": "search_phase_execution_exception", "reason": "all shards failed"}},
            SourceUnavailable,
        ),
        (503, {"error": {"type": "cluster_block_exception", "reason": "no master"}}, SourceUnavailable),
        (429, {"error": {"type": "es_rejected_execution_exception", "reason": "queue is full"}}, SourceUnavailable),
    ],
)
def test_a_refusal_is_typed_and_has_the_servers_words(elastic, log_query, status, body, kind):
    elastic.add("logs-a", [document()])
    elastic.faults += [{"path": "_field_caps", "status": status, "body": json.dumps(body), "times": 9,
                        "headers": {"Retry-After": "0"}, "content_type": "application/json"}]  # fmt: skip
    words = raised(kind, source_of(elastic), log_query())
    inner = body["error"].get("root_cause", [body["error"]])[0]
    assert f"answered {status} at /logs-*/_field_caps: {inner['type']}: {inner['reason']}" in words


def test_a_busy_server_is_asked_again(elastic, log_query):
    elastic.add("logs-a", [document()])
    elastic.faults += [{"path": "/_search", "status": 429, "times": 2, "headers": {"Retry-After": "0"}}]
    assert messages(ask(source_of(elastic), log_query())) == ["it works"]


@pytest.mark.parametrize("missing", ["none", "closed"])
def test_indices_that_are_not_there_or_closed_are_named(server, log_query, missing):
    if missing == "closed":
        server.add("logs-a", [document()])
        server.closed = {"logs-a"}
    words = raised(SourceUnavailable, source_of(server, indices={"application-logs": "logs-a"}), log_query())
    assert words.startswith("Elasticsearch has no open index that is called logs-a")


def test_indices_without_a_time_field_are_refused(elastic, log_query):
    elastic.add("logs-a", [document()], {"message": "text", "when": "date"})
    words = raised(QueryRejected, source_of(elastic), log_query())
    assert words.endswith("@timestamp is a field of none of them. Set `time_field`.")
    assert ask(source_of(elastic, time_field="when"), log_query())["total"] == 0


def test_what_is_no_elasticsearch_is_said(elastic, log_query):
    elastic.faults += [{"status": 200, "body": "<html>hello</html>", "content_type": "text/html"}]
    assert "did not answer with JSON (text/html)" in raised(SourceGarbled, source_of(elastic), log_query())
    elastic.faults += [{"status": 200, "body": '{"status": "ok"}', "content_type": "application/json"}]
    assert "did not answer with the fields" in raised(SourceGarbled, source_of(elastic), log_query())


@pytest.mark.parametrize("body", ["[]", "{}", '{"hits": []}', '{"hits": {"hits": {}}}', "null"])
def test_an_answer_without_hits_is_garbled(elastic, log_query, body):
    elastic.add("logs-a", [document()])
    elastic.faults += [{"path": "/_search", "status": 200, "body": body, "content_type": "application/json"}]
    raised(SourceGarbled, source_of(elastic), log_query())


@pytest.mark.parametrize("path", ["_field_caps", "_pit", "/_search"])
def test_a_server_that_hangs_meets_the_deadline(elastic, log_query, path):
    elastic.add("logs-a", [document()])
    elastic.faults += [{"path": path, "hang": True, "times": 9}]
    started = time.monotonic()
    assert "did not answer within" in raised(SourceTimeout, source_of(elastic), log_query(), deadline_s=0.6)
    assert time.monotonic() - started < 20


def test_no_server_at_all(log_query):
    with ElasticsearchServer() as local:
        pass
    assert "cannot be reached" in raised(SourceUnavailable, source_of(local), log_query())


@pytest.mark.parametrize("pattern", ["a/b", "a?b", "_all", "-x", "a b", "a#b"])
def test_what_is_no_index_pattern_is_refused_at_the_start(pattern):
    with pytest.raises(UsageError, match="must be a pattern such as"):
        ElasticsearchLogs(HttpJson("http://127.0.0.1:1", source="x"), indices={"application-logs": pattern})


@pytest.mark.parametrize(
    "credentials", [Credentials(token=CANARY, scheme="ApiKey"), Credentials(user="u", password=CANARY)]
)
@pytest.mark.parametrize("fault", [None, {"status": 500, "body": f"you sent {CANARY}"}, {"drop": True, "times": 9}])
def test_credentials_stand_in_no_error_and_no_answer(elastic, log_query, credentials, fault):
    elastic.add("logs-a", [document()])
    elastic.token = "another"
    if fault:
        elastic.faults += [fault]
    source = source_of(elastic, credentials=credentials)
    try:
        said = asyncio.run(source.fetch(log_query(), deadline_s=5))
    except SourceError as error:
        said = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    assert CANARY not in said + repr(source.__dict__)


def test_credentials_are_sent_and_good_ones_are_let_in(elastic, log_query):
    elastic.add("logs-a", [document()])
    elastic.token = CANARY
    answer = ask(source_of(elastic, credentials=Credentials(token=CANARY, scheme="ApiKey")), log_query())
    assert messages(answer) == ["it works"]
    assert CANARY not in json.dumps(answer)


def test_a_window_of_any_size_is_asked_as_it_is(elastic, log_query):
    elastic.add("logs-a", [document(age_s=0.0005)])
    window = TimeWindow(NOW - timedelta(milliseconds=1), NOW)
    assert ask(source_of(elastic), log_query(window=window))["total"] == 1
