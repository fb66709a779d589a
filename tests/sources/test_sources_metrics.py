"""Recorded metrics: series in the window with numbers only, units only where they are stated."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from rootproof.adapters.sources import documents
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.domain.window import TimeWindow
from rootproof.errors import SourceDenied, SourceGarbled, SourceUnavailable
from rootproof.ports.sources import MetricQuery

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
AT = NOW.timestamp()


def answer(*series):
    return {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}


def series(name, values, **labels):
    return {"metric": {"__name__": name, **labels}, "values": values}


def ask(tmp_path, **changes):
    source = open_bundle(tmp_path).metrics
    query = MetricQuery(**({"window": TimeWindow.lookback(NOW, 60)} | changes))
    return json.loads(asyncio.run(source.fetch(query, deadline_s=20)))


def test_values_are_numbers_in_time_order_within_the_window(write, tmp_path):
    write(
        "metrics/a.json",
        answer(series("up", [[AT, "3"], [AT - 60, "2.5"], [AT - 7_200, "1"], [AT + 1, "9"]], job="kiosk")),
    )
    found = ask(tmp_path)
    assert found["series"] == [
        {"name": "up", "labels": {"job": "kiosk"}, "unit": None, "values": [[AT - 60, 2.5], [AT, 3.0]]}
    ]
    assert (found["success"], found["total"], found["scanned"]) == (True, 1, 1)


def test_not_a_number_is_left_out_and_counted(write, tmp_path):
    write("metrics/a.json", answer(series("up", [[AT, "NaN"], [AT - 1, "+Inf"], [AT - 2, "1"], [AT - 3, None]])))
    found = ask(tmp_path)["series"][0]
    assert (found["values"], found["skipped"]) == ([[AT - 2, 1.0]], 3)


@pytest.mark.parametrize(
    ("name", "labels", "unit"),
    [
        ("heap_bytes", {}, "bytes"),
        ("sent_bytes_total", {}, "bytes"),
        ("wait_seconds", {}, "seconds"),
        ("hit_ratio", {}, "ratio"),
        ("requests_total", {}, "count"),
        ("ReplicaLag", {"unit": "Seconds", "stat": "Maximum"}, "Seconds"),
        ("bytes_in_flight", {}, None),
        ("latency", {}, None),
    ],
)
def test_a_unit_is_stated_or_none(write, tmp_path, name, labels, unit):
    write("metrics/a.json", answer(series(name, [[AT, "1"]], **labels)))
    found = ask(tmp_path)["series"][0]
    assert (found["unit"], found["labels"]) == (unit, labels)


def test_words_match_names_and_labels_and_a_series_outside_the_window_is_no_match(write, tmp_path):
    write(
        "metrics/a.json",
        answer(series("cpu", [[AT, "1"]], app="kiosk"), series("mem", [[AT, "1"]]), series("cpu", [[AT - 9_000, "1"]])),
    )
    assert [entry["name"] for entry in ask(tmp_path, contains=("KIOSK", "mem"))["series"]] == ["cpu", "mem"]
    assert ask(tmp_path, contains=("cpu",))["total"] == 1
    limited = ask(tmp_path, limit=1)
    assert (len(limited["series"]), limited["total"]) == (1, 2)


@pytest.mark.parametrize(
    "rows",
    [
        f"time,kiosk-cpu,kiosk-mem\n{AT - 60:.0f},0.5,\n{AT:.0f},0.7,8\n",
        "time;kiosk-cpu;kiosk-mem\n2026-05-01 11:59:00;0.5;\n2026-05-01T12:00:00Z;0.7;8\n",
        f"kiosk-cpu,kiosk-mem,timestamp\r\n0.5,,{(AT - 60) * 1000:.0f}\r\n0.7,8,{AT * 1000:.0f}\r\n",
    ],
)
def test_a_table_has_one_series_a_column(write, tmp_path, rows):
    write("metrics/a.csv", rows)
    by_name = {entry["name"]: entry["values"] for entry in ask(tmp_path)["series"]}
    assert by_name == {"kiosk-cpu": [[AT - 60, 0.5], [AT, 0.7]], "kiosk-mem": [[AT, 8.0]]}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", '{"status": "succ', "not JSON"),
        ("a.json", b"\xff\xff", "not UTF-8"),
        ("a.json", {"status": "success", "data": {}}, "no list of results"),
        ("a.json", [1], "no `metric` object"),
        ("a.json", [{"metric": {}, "values": [[1]]}], "not a list of pairs"),
        ("a.json", [{"metric": {}, "values": [[AT, "many"]]}], "'many'"),
        ("a.json", [{"metric": {}, "values": [["soon", "1"]]}], "'soon'"),
        ("a.json", [{"metric": {}, "values": [[AT, True]]}], "a value is True"),
        ("a.csv", "when,a\n1,2\n", "one named `time`"),
        ("a.csv", "", "one named `time`"),
        ("a.csv", "time,a\n1\n", "row 2 has 1 cells"),
    ],
)
def test_a_broken_file_is_named_with_what_was_expected(write, tmp_path, name, content, words):
    write("metrics/good.json", answer(series("up", [[AT, "1"]])))
    write(f"metrics/{name}", content)
    with pytest.raises(SourceGarbled, match=f"metrics/{name}") as caught:
        ask(tmp_path)
    assert words in str(caught.value)


def test_a_recorded_error_is_the_systems_answer(write, tmp_path):
    write("metrics/a.json", {"status": "error", "errorType": "timeout", "error": "query timed out"})
    with pytest.raises(SourceUnavailable, match="query timed out"):
        ask(tmp_path)


def test_an_oversized_or_refused_file_is_said(write, tmp_path, monkeypatch):
    path = write("metrics/a.json", answer())
    with pytest.raises(SourceGarbled, match="larger than"):
        documents.read_text(path, "metrics/a.json", max_bytes=10)
    with monkeypatch.context() as patch:
        patch.setattr(type(path), "open", refuse)
        with pytest.raises(SourceDenied, match=r"metrics/a\.json: Permission denied"):
            ask(tmp_path)
    path.unlink()
    with pytest.raises(SourceUnavailable, match="No such file"):
        documents.read_text(path, "metrics/a.json")


def refuse(*_args, **_kwargs):
    raise PermissionError(13, "Permission denied")


def test_an_answer_nested_beyond_reading_is_garbage(write, tmp_path):
    write("metrics/a.json", "[" * 100_000)
    with pytest.raises(SourceGarbled, match=r"metrics/a\.json"):
        ask(tmp_path)


def test_a_time_beyond_all_clocks_is_garbage(write, tmp_path):
    write("metrics/a.json", [{"metric": {"__name__": "up"}, "values": [["1e999", "1"]]}])
    with pytest.raises(SourceGarbled, match="the time '1e999'"):
        ask(tmp_path)
