"""Awkward input: what is cut is counted, what is huge stays cheap, and order is kept."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from rootproof.logs.parse import MAX_LINE_CHARS, MAX_RECORD_CHARS, MAX_RECORD_LINES, parse
from rootproof.logs.read_record import MAX_MESSAGE_CHARS
from rootproof.logs.record import LogRecord

NEAR = datetime(2026, 5, 20, tzinfo=UTC)
STAMP = "2026-05-04T09:15:30.250000000Z"


def read(lines: list[str]) -> list[LogRecord]:
    return list(parse(lines, default_year_from=NEAR))


def test_colours_carriage_returns_marks_and_nuls() -> None:
    (coloured,) = read(["\x1b[2m2026-05-04 09:15:30\x1b[0m \x1b[31;1mERROR\x1b[0m \x1b]0;title\x07torn\r"])
    assert (coloured.level, coloured.message) == ("ERROR", "torn")
    (marked,) = read(["\ufeff2026-05-04 09:15:30 ERROR to\x00rn"])
    assert (marked.level, marked.message) == ("ERROR", "to\u2400rn")
    first, second = read(["one", '\ufeff{"level":"error","msg":"two"}'])
    assert (first.message, second.level) == ("one", "ERROR")


def test_a_progress_bar_keeps_all_its_states_in_one_record() -> None:
    (record,) = read(["pulling 1%\rpulling 50%\rpulling 100%\r"])
    assert record.message.split("\n") == ["pulling 1%", "pulling 50%", "pulling 100%"]
    assert record.lines == 1


@pytest.mark.parametrize("line", ["message repeated 5 times: [ rope torn]", "last message repeated 5 times"])
def test_what_a_record_stands_for_is_counted(line: str) -> None:
    first, again = read(["May  4 09:15:29 vm1 winchd[7]: rope torn", f"May  4 09:15:30 vm1 winchd[7]: {line}"])
    assert (first.repeated, again.repeated) == (1, 5)
    assert again.message == line
    (prose,) = read(["ERROR the message repeated 5 times did not help"])
    assert prose.repeated == 1


def test_times_that_go_back_keep_the_order_of_the_file() -> None:
    minutes = (3, 1, 2, 1)
    records = read([f"2026-05-04 09:0{minute}:00 INFO m{minute}" for minute in minutes])
    assert [record.message for record in records] == [f"m{minute}" for minute in minutes]
    assert [record.timestamp.minute for record in records if record.timestamp] == list(minutes)


def test_a_long_line_is_cut_and_says_by_how_much() -> None:
    (plain,) = read(["z" * (MAX_LINE_CHARS + 5)])
    assert plain.message.endswith("[5 characters cut]")
    (stamped,) = read([f"2026-05-04 09:15:30 ERROR {'z' * 200_000}"])
    assert stamped.level == "ERROR"
    assert stamped.message.endswith("characters cut]")


def test_long_json_is_read_whole() -> None:
    (record,) = read([json.dumps({"level": "error", "stack": "x" * 200_000, "msg": "torn"})])
    assert (record.level, record.message) == ("ERROR", "torn")
    (long,) = read([json.dumps({"level": "error", "msg": "y" * (MAX_MESSAGE_CHARS + 7)})])
    assert long.message.endswith("[7 characters cut]")


def test_json_that_a_runtime_cut_is_read_when_it_is_whole() -> None:
    text = json.dumps({"level": "error", "logger": "winch", "msg": "torn " * 40})
    pieces = [text[at : at + 50] for at in range(0, len(text), 50)]
    lines = [f"{STAMP} stdout P {piece}" for piece in pieces[:-1]] + [f"{STAMP} stdout F {pieces[-1]}"]
    (record,) = read(lines)
    assert (record.level, record.logger, record.lines) == ("ERROR", "winch", len(lines))
    assert record.message == ("torn " * 40).rstrip()


def test_a_partial_line_that_never_ends_is_bounded() -> None:
    lines = [f"{STAMP} stdout P {'x' * 30_000}"] * 100
    records = read(lines)
    assert sum(record.lines for record in records) == 100
    assert max(len(record.message) for record in records) <= MAX_MESSAGE_CHARS + 40
    assert all("characters cut" in record.message or len(record.message) < MAX_MESSAGE_CHARS for record in records)


def test_a_record_is_bounded_in_lines_and_characters() -> None:
    many = read(["x", *["  y"] * (MAX_RECORD_LINES * 2)])
    assert max(record.lines for record in many) <= MAX_RECORD_LINES
    wide = read(["x", *[f"  {'y' * 60_000}"] * 40])
    assert len(wide) > 1
    assert max(len(record.message) for record in wide) <= MAX_RECORD_CHARS + MAX_LINE_CHARS
    assert sum(record.message.count("y") for record in wide) == 40 * 60_000
    assert sum(record.lines for record in [*many, *wide]) == MAX_RECORD_LINES * 2 + 42


@pytest.mark.parametrize(
    "lines",
    [
        ["{"] * 2_000,
        ["{", '  "a": 1,'] * 1_000,
        ["<Event xmlns='x'>", "  <System>"] * 1_000,
        ["__CURSOR=a", *["A=b"] * 2_000],
        ["time,level,message", *['2026-05-04T09:15:30Z,error,"torn'] * 2_001],
        ["# Time: 2026-05-04T09:15:30Z", *["select"] * 2_000],
        ["Log Name: x", *["text"] * 2_000],
        ["2026-05-04 09:15:30", *["text"] * 2_000],
    ],
    ids=lambda lines: lines[0][:20],
)
def test_blocks_that_never_end_lose_no_line(lines: list[str]) -> None:
    records = read(lines)
    assert sum(record.lines for record in records) == len(lines)
    assert max(record.lines for record in records) <= MAX_RECORD_LINES


@pytest.mark.parametrize(
    "line",
    [
        '{"level":"error","msg":"torn","a":' + "[" * 5_000,
        '{"a":' * 20_000,
        '{"level":"error","level":"info","msg":"torn","msg":"slack"}',
        '{"level":30,"time":NaN,"msg":"torn"}',
        '{"level":30,"time":Infinity,"msg":"torn"}',
        '{"level":1e999,"time":1e999,"msg":"torn"}',
        '{"level":' + "9" * 4_000 + ',"time":' + "9" * 4_000 + ',"duration_ms":' + "9" * 4_000 + ',"msg":"torn"}',
        '{"level":{"a":1},"time":[1],"msg":{"b":2},"service":7}',
        '{"MESSAGE":[1,2,999],"PRIORITY":"x"}',
        '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":7}}}]}]}]}',
        '{"resourceLogs":7}',
        "{}",
        "<191>",
        "<999>x",
        "\ud800",
    ],
)
def test_strange_lines_are_one_record_each(line: str) -> None:
    assert [record.lines for record in read([line, "next"])] == [1, 1]


def test_the_last_of_two_equal_keys_counts() -> None:
    (record,) = read(['{"level":"error","level":"info","msg":"torn","msg":"slack"}'])
    assert (record.level, record.message) == ("INFO", "slack")


UNITS = (
    "[", "]", "=", '"', "{", "}", "1", " ", "at ", "a=b ", "a='b' ", ":", "- ", " - ", "|", ".", "a.", "ERROR ", "[a] ",
    "(a) ", "<a> ", "\\", '\\"', "2026-05-04 09:15:30 ", "x,", ',"', "\x1b[", "é", "x[1]: ", "a::b", "{a=1}:", '{"a":',
    "Caused by: ", "System.", "a@b ", "\r",
)  # fmt: skip
FRONTS = ("", "2026-05-04 09:15:30 ", f"{STAMP} stdout F ", "ERROR ", "May  4 09:15:30 h ", "a=", '{"log":"', "name | ")


def _seconds(text: str) -> float:
    best = 9.0
    for _ in range(3):
        begun = time.process_time()
        read([text])
        best = min(best, time.process_time() - begun)
    return best


@pytest.mark.parametrize("front", FRONTS)
def test_hostile_lines_take_linear_time(front: str) -> None:
    """A line four times as long takes at most eight times as long, or is too fast to tell."""
    for unit in UNITS:
        long = _seconds(front + unit * (60_000 // len(unit)))
        if long > 0.05:
            assert long < 8 * _seconds(front + unit * (15_000 // len(unit))), (front, unit)


def test_more_lines_take_linear_time() -> None:
    lines = [
        line
        for at in range(500)
        for line in (
            f'{{"time":"2026-05-04T09:15:30.{at:03}Z","level":"info","msg":"lifted {at}"}}',
            f"2026-05-04 09:15:30,{at:03} ERROR [main] io.quay.Rope - torn {at}",
            "\tat io.quay.Rope.lift(Rope.java:9)",
            f"ts=2026-05-04T09:15:30.{at:03}Z level=warn msg=slack n={at}",
            f"May  4 09:15:30 vm1 winchd[{at}]: slack",
        )
    ]

    def seconds(count: int) -> float:
        begun = time.process_time()
        assert sum(record.lines for record in parse(lines * count, default_year_from=NEAR)) == len(lines) * count
        return time.process_time() - begun

    seconds(1)
    assert seconds(4) < 12 * max(seconds(1), 0.01)


def test_the_year_at_new_year() -> None:
    written = datetime(2027, 1, 1, 0, 10, tzinfo=UTC)
    lines = ["Dec 31 23:59:59 vm1 winchd[7]: old", "Jan  1 00:00:01 vm1 winchd[7]: new"]
    old, new = parse(lines, default_year_from=written)
    assert old.timestamp is not None
    assert new.timestamp is not None
    assert new.timestamp - old.timestamp == timedelta(seconds=2)
