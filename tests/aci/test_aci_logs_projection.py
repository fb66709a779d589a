"""The query-log projection, line by line of the seed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.aci.requests import QueryLogsRequest
from rootproof.aci.tools.evidence_tools import SOURCE_LIMIT, QueryLogsToolAdapter
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from tests.aci.projecting import SECRET_60, Projecting, leaked, raw_logs
from tests.fakes.sources import log


def minute(number: int) -> str:
    return f"2026-05-04T10:{number:02d}:00Z"


# What is in it ----------------------------------------------------------------------------------------------------


def test_the_scope_names_topic_window_and_kind_of_source() -> None:
    view = Projecting().logs([log("pool is full")])
    assert view["scope"] == {
        "topic": "APPLICATION",
        "services": [],
        "level": None,
        "contains": None,
        "start_time": "2026-05-04T09:30:00Z",
        "end_time": "2026-05-04T10:30:00Z",
        "source_kind": "MOCK",
    }


def test_patterns_are_counted_by_level_service_and_message_with_first_and_last() -> None:
    records = [log(f"request {n} took {n * 7} ms", at=minute(n)) for n in (5, 3, 9)]
    records += [log("request 1 took 2 ms", service="cart-api", at=minute(1))]
    records += [log("request 4 took 8 ms", level="INFO", at=minute(2))]
    view = Projecting().logs(records)
    found = {(p["level"], p["service"]): (p["count"], p["first"], p["last"]) for p in view["patterns"]}
    assert found == {
        ("ERROR", "billing-api"): (3, minute(3), minute(9)),
        ("ERROR", "cart-api"): (1, minute(1), minute(1)),
        ("INFO", "billing-api"): (1, minute(2), minute(2)),
    }
    assert view["levels"] == {"ERROR": 4, "INFO": 1}
    assert view["services"] == {"billing-api": 4, "cart-api": 1}


def test_items_have_ids_and_lines_that_hold_every_fact() -> None:
    projecting = Projecting()
    projecting.logs([log("disk is full", at=minute(1)), log("disk is full", at=minute(2))])
    assert projecting.last is not None
    first, *events = projecting.last.evidence
    assert first.text == f"2 x ERROR billing-api between {minute(1)} and {minute(2)}: disk is full"
    assert [event.text for event in events] == [f"{minute(n)} ERROR billing-api: disk is full" for n in (1, 2)]
    assert [item.id for item in projecting.last.evidence] == ["E1", "E2", "E3"]
    assert first.count == 2
    assert first.cls == "OBSERVATION"


def test_instance_and_metrics_stay_out() -> None:
    records = [log("slow", instance="billing-api-7f9c4b6d8-x2k4q", metrics={"duration_ms": 31_234.0, "status": 503})]
    projecting = Projecting()
    view = projecting.logs(records)
    text = json.dumps(view)
    assert "instance" not in text
    assert "x2k4q" not in text
    assert "31234" not in text
    assert "503" not in text
    assert projecting.last is not None
    assert any("duration_ms: min 31234, max 31234" in fact for fact in projecting.last.facts)


def test_only_allow_listed_finite_metrics_reach_the_facts() -> None:
    odd = {"duration_ms": 5, "customer_number": 4_242_424_242, "status": True, "latency_ms": "7"}
    projecting = Projecting()
    projecting.logs(raw_logs([log("slow", metrics=odd)]).replace('"duration_ms": 5', '"duration_ms": 1e999'))
    assert projecting.last is not None
    assert not [fact for fact in projecting.last.facts if "min " in fact]


def test_names_that_the_instance_field_gives_away_are_hidden_in_the_text() -> None:
    view = Projecting().logs([log("checked by rack7-blue again", instance="rack7-blue")])
    assert "rack7-blue" not in json.dumps(view)
    assert "<host:1>" in view["patterns"][0]["pattern"]


def test_messages_are_redacted() -> None:
    message = (
        "password=Sup3rSecret-9 from 10.20.30.40 on ip-10-20-30-40.ec2.internal pid=4711 "
        "SELECT * FROM users WHERE name = 'Grace Hopper'; mail to grace@corp.example "
        "at com.shop.Pay.charge(Pay.java:12)"
    )
    text = json.dumps(Projecting().logs([log(message)]))
    for hidden in ("Sup3rSecret", "10.20.30.40", "ip-10-20-30-40", "4711", "Grace Hopper", "grace@corp", "Pay.java:12"):
        assert hidden not in text
    assert "billing-api" in text
    assert "ERROR" in text


def test_the_same_identifier_has_one_placeholder_in_all_calls_of_a_run() -> None:
    projecting = Projecting()
    first = projecting.logs([log("connection to 10.1.1.1 refused"), log("connection to 10.2.2.2 refused")])
    second = projecting.logs([log("10.2.2.2 is back")])
    assert "<ip:2>" in json.dumps(first)
    assert "<ip:2> is back" in json.dumps(second)


def test_a_record_without_a_time_or_level_is_told_as_such() -> None:
    projecting = Projecting()
    view = projecting.logs([log("odd line", level="", at=None), log("odd line", level="", at=None)])
    assert view["patterns"][0]["first"] is None
    assert view["levels"] == {"UNKNOWN": 2}
    assert projecting.last is not None
    assert projecting.last.evidence[0].text == "2 x LOG billing-api (no times): odd line"


def test_no_records_is_no_evidence_and_says_what_was_searched() -> None:
    view = Projecting().logs([], scanned=4_000)
    assert view["status"] == "NO_EVIDENCE"
    assert (view["scanned"], view["matched"], view["shown"]) == (4_000, 0, 0)
    assert view["scope"]["start_time"] == "2026-05-04T09:30:00Z"


# What is not accepted ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "not json",
        "[]",
        "null",
        '{"logs": []}',
        '{"success": "true", "logs": []}',
        '{"success": 1, "logs": []}',
        '{"success": true}',
        '{"success": true, "logs": {}}',
        '{"success": true, "logs": ["line"]}',
        '{"success": true, "logs": [{"level": "ERROR"}]}',
        '{"success": true, "logs": [{"message": 5}]}',
        '{"success": true, "logs": [{"message": "x", "metrics": {"duration_ms": NaN}}]}',
        '{"success": true, "logs": [{"message": "x"}], "total": 0}',
        "[" * 100_000,
    ],
    ids=lambda raw: raw[:40] or "empty",
)
def test_what_has_not_the_contracts_shape_is_refused_whole(raw: str) -> None:
    with pytest.raises(ProjectionError):
        Projecting().logs(raw)


def test_a_source_that_says_that_it_failed_is_quoted() -> None:
    with pytest.raises(ProjectionError, match="index logs-7 is closed"):
        Projecting().logs('{"success": false, "message": "index logs-7 is closed"}')


# Bounds -----------------------------------------------------------------------------------------------------------


def word(number: int) -> str:
    """A word of its own for each number."""
    syllables = ("ba", "ke", "di", "fo", "gu", "la", "me", "ni", "ro", "su")
    return "".join(syllables[int(digit)] for digit in f"{number:03d}")


def many(count: int, level: str = "ERROR") -> list[dict[str, Any]]:
    """Records of `count` messages that have no word in common."""
    return [log(" ".join(word(n * 4 + k) for k in range(4)), level, at=minute(n % 60)) for n in range(count)]


def test_counts_of_what_is_shown_and_left_out_add_up() -> None:
    records = many(90)
    view = Projecting(ToolProjectionLimits(max_patterns=7, max_events=5, max_bytes=100_000)).logs(
        records, total=1_000, scanned=5_000
    )
    assert len(view["patterns"]) == 7
    assert len(view["timeline"]) == 5
    assert view["omitted"]["patterns"] == 90 - 7
    assert view["omitted"]["events"] == 90 - 5
    assert view["omitted"]["records"] == 1_000 - 90
    assert (view["scanned"], view["matched"]) == (5_000, 1_000)
    assert sum(view["levels"].values()) == 90


def test_nothing_is_truncated_when_everything_is_shown() -> None:
    view = Projecting().logs([log("one"), log("two other words here")])
    assert view["truncated"] is False
    assert view["omitted"] == {}


def test_services_that_are_not_counted_by_name_are_told() -> None:
    records = [log("same words", service=f"service-{chr(97 + n)}") for n in range(15)]
    view = Projecting(ToolProjectionLimits(max_bytes=50_000)).logs(records)
    assert len(view["services"]) == 12
    assert view["omitted"]["services"] == 3


def test_trimming_takes_timeline_events_before_patterns() -> None:
    records = many(12)
    sizes = [len(json.dumps(Projecting(ToolProjectionLimits(max_bytes=b)).logs(records))) for b in (9_000, 3_000)]
    assert sizes[1] < sizes[0]
    lost_events = False
    for budget in range(6_500, 1_000, -150):
        view = Projecting(ToolProjectionLimits(max_bytes=budget)).logs(records)
        if view["timeline"]:
            assert len(view["patterns"]) == 12, budget
        else:
            lost_events = True
        assert len(view["patterns"]) + view["omitted"].get("patterns", 0) == 12
        assert len(view["timeline"]) + view["omitted"].get("events", 0) == 12
    assert lost_events


def test_a_budget_below_one_item_is_an_error_and_not_an_empty_answer() -> None:
    with pytest.raises(ProjectionError, match="fits into 300 bytes"):
        Projecting(ToolProjectionLimits(max_bytes=300)).logs([log("x")])
    with pytest.raises(ProjectionError, match="over 100 bytes"):
        Projecting(ToolProjectionLimits(max_bytes=100)).logs([])


def test_a_rare_message_is_not_drowned_by_loud_ones() -> None:
    noise = [log(record["message"], "ERROR", at=minute(10)) for record in many(40) for _ in range(20)]
    told_once = log("configuration reloaded: pool size 5 was 50", "INFO", at=minute(9))
    usual = [log("health check passed", "INFO", at=minute(n % 60)) for n in range(300)]
    limits = ToolProjectionLimits(max_bytes=100_000)
    view = Projecting(limits).logs([*usual, told_once, *noise])
    shown = [pattern["pattern"] for pattern in view["patterns"]]
    assert any("pool size 5 was 50" in text for text in shown)
    assert any("health check passed" in text for text in shown)
    assert sum(pattern["level"] == "ERROR" for pattern in view["patterns"]) >= limits.max_patterns // 2


def test_serious_patterns_come_first() -> None:
    records = [*many(5, "INFO"), *[log(f"{r['message']} badly", "ERROR") for r in many(3)]]
    levels = [pattern["level"] for pattern in Projecting().logs(records)["patterns"]]
    assert levels == sorted(levels, key=["ERROR", "INFO"].index)


def test_the_timeline_is_in_order_and_the_same_every_time() -> None:
    records = many(200)
    first, second = (Projecting().logs(records)["timeline"] for _ in range(2))
    assert first == second
    times = [event["time"] for event in first]
    assert times == sorted(times)


messages = st.text(alphabet=st.characters(exclude_categories=()), max_size=400) | st.sampled_from(
    ["pool exhausted", "漢字" * 90, "\x1b[31mred\x1b[0m", '"' * 200, "\\" * 200, "\ud83d" * 50]
)
records_of = st.lists(
    st.builds(
        lambda message, level, service, at: log(message, level, service, at=at),
        messages,
        st.sampled_from(["ERROR", "warn", "INFO", "", "strange"]),
        st.text(max_size=120),
        st.sampled_from([None, minute(1), minute(30), "yesterday"]),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(records_of, st.integers(600, 4_000))
def test_the_byte_budget_and_the_sums_hold_for_any_records(records: list[dict[str, Any]], budget: int) -> None:
    projecting = Projecting(ToolProjectionLimits(max_bytes=budget, max_patterns=5, max_events=4))
    try:
        view = projecting.logs(records)
    except ProjectionError:
        return
    assert len(view["timeline"]) + view["omitted"].get("events", 0) == len(records)
    if not view["omitted"].get("patterns"):
        assert sum(pattern["count"] for pattern in view["patterns"]) == len(records)


@pytest.mark.parametrize("prefix", ["token=", "", "Authorization: Bearer "], ids=["named", "bare", "bearer"])
def test_no_cut_of_a_message_leaves_a_piece_of_a_secret(prefix: str) -> None:
    limits = ToolProjectionLimits(max_message_chars=120, max_bytes=3_000)
    for filler in range(30, 122):
        text = "w" * 3 + " word" * (filler // 5) + "x" * (filler % 5) + " " + prefix + SECRET_60 + " tail words"
        view = json.dumps(Projecting(limits).logs([log(text), log("other words", service=text)]))
        assert leaked(SECRET_60, view) == [], filler


# The adapter ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("APPLICATION", "application-logs"),
        ("DATABASE_SLOW_QUERY", "database-slow-query"),
        ("SYSTEM_EVENTS", "system-events"),
    ],
)
async def test_topics_region_and_limit_are_the_adapters(topic: str, name: str) -> None:
    from tests.aci.adapters_case import run_tool

    view, query = await run_tool("query_logs", {"topic": topic, "level": "WARN", "lookback_minutes": 90})
    assert (query.topic, query.limit, query.level) == (name, SOURCE_LIMIT, "WARN")
    assert query.region
    assert query.window.start.isoformat() == "2026-05-04T09:00:00+00:00"
    assert view["scope"]["topic"] == topic
    assert view["scope"]["start_time"] == "2026-05-04T09:00:00Z"
    assert name not in json.dumps(view)
    assert not {"region", "limit"} & set(view["scope"])
    assert str(SOURCE_LIMIT) not in json.dumps(view)


def test_neither_region_nor_limit_is_in_the_request_schema() -> None:
    assert set(QueryLogsRequest.model_json_schema()["properties"]) == {
        "topic",
        "services",
        "level",
        "contains",
        "lookback_minutes",
        "pattern_id",
        "after",
        "before",
    }
    assert QueryLogsToolAdapter.request is QueryLogsRequest


# What was not read ------------------------------------------------------------------------------------------------


def reading(name: str, problem: str | None) -> dict[str, Any]:
    return {"file": name, "bytes_read": 1, "bytes_total": 2, "whole": problem is None, "problem": problem}


def test_files_that_were_not_read_as_a_whole_are_named_redacted_and_bounded() -> None:
    cut = "the last 64 MiB of 200 MiB were read (the limit of one file)"
    files = [reading("till.log", None), reading("big.log", cut), reading(f"{SECRET_60}.log", "not read: denied")]
    files += [reading(f"{number}.log", "x" * 9_000) for number in range(30)]
    view = Projecting().logs([log("fine")], more=True, reading=files)
    assert view["not_read"][0] == f"big.log: {cut}"
    assert len(view["not_read"]) == 6
    assert view["not_read"][-1] == "and 27 more files"
    assert not leaked(json.dumps(view), SECRET_60)
    assert max(map(len, view["not_read"])) <= 200
    assert view["omitted"]["unread"] == 32


def test_an_answer_that_is_cut_by_the_limit_still_counts_its_unread_files() -> None:
    files = [reading("big.log", "the last 1 KiB of 9 KiB were read")]
    view = Projecting().logs([log("fine")], total=50, scanned=90, more=True, reading=files)
    assert view["omitted"] == {"records": 49, "unread": 1}


@pytest.mark.parametrize("odd", [None, 3, "x", [1, "x"], [{}], [{"whole": None}], [{"whole": True, "file": "a"}]])
def test_a_source_that_gives_no_account_of_its_files_is_read_as_before(odd: Any) -> None:
    assert "not_read" not in Projecting().logs([log("fine")], reading=odd)
