"""Lines that belong together become one record, and nothing else does."""

from __future__ import annotations

from rootproof.logs.parse import MAX_LINE_CHARS, MAX_RECORD_LINES, parse
from rootproof.logs.record import LogRecord


def read(text: str) -> list[LogRecord]:
    return list(parse(text.split("\n")))


def test_java_trace_with_cause() -> None:
    trace = (
        "2026-05-04 09:15:30 ERROR io.quay.Main - failed\n"
        "java.lang.IllegalStateException: no berth\n"
        "\tat io.quay.Main.run(Main.java:7)\n"
        "Caused by: java.net.ConnectException: refused\n"
        "\t... 3 more\n"
        "2026-05-04 09:15:31 INFO io.quay.Main - next"
    )
    first, second = read(trace)
    assert first.lines == 5
    assert "Caused by: java.net.ConnectException: refused" in first.message
    assert (second.message, second.line) == ("next", 6)


def test_python_trace() -> None:
    trace = (
        "ERROR:root:failed\n"
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in <module>\n'
        "    boom()\n"
        "ValueError: no berth\n"
        "INFO:root:next"
    )
    first, second = read(trace)
    assert first.message.endswith("ValueError: no berth")
    assert second.message == "next"


def test_go_panic_with_blank_lines() -> None:
    trace = "panic: torn\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x39\nexit status 2"
    (record,) = read(trace)
    assert record.lines == 6
    assert record.message.startswith("panic: torn\ngoroutine 1 [running]:")


def test_indented_lines_keep_their_form() -> None:
    (record,) = read("2026-05-04 09:15:30,100:INFO:Hello\n  How are you?")
    assert record.message == "Hello\n  How are you?"


def test_plain_lines_do_not_join() -> None:
    assert [record.message for record in read("2026-05-04 09:15:30 INFO up\nsomething printed\nmore of it")] == [
        "up",
        "something printed",
        "more of it",
    ]


def test_json_records_never_join() -> None:
    records = read('{"level":"error","msg":"x"}\n{"level":"error","msg":"  at y"}')
    assert [record.message for record in records] == ["x", "  at y"]


def test_partial_lines_of_a_runtime_and_its_two_streams() -> None:
    stamp = "2026-05-04T09:15:30.250000000Z"
    lines = [
        f"{stamp} stdout P half ",
        f"{stamp} stderr P other ",
        f"{stamp} stdout F whole",
        f"{stamp} stderr F side",
    ]
    assert sorted(record.message for record in parse(lines)) == ["half whole", "other side"]
    assert sum(record.lines for record in parse(lines)) == 4


def test_stamped_continuation_of_the_runtime() -> None:
    stamp = "2026-05-04T09:15:30.250000000Z"
    (record,) = parse([f"{stamp} warn: Quay.Api[3]", f"{stamp}       Port is taken"])
    assert (record.level, record.message, record.lines) == ("WARN", "Port is taken", 2)


def test_slow_query_log() -> None:
    text = (
        "# Time: 2026-05-04T09:15:30.250000Z\n"
        "# User@Host: app[app] @ vm1 []\n"
        "# Query_time: 3.5  Lock_time: 0.1 Rows_sent: 1  Rows_examined: 90000\n"
        "SET timestamp=1777886130;\n"
        "SELECT * FROM berths\nWHERE free;\n"
        "# Time: 2026-05-04T09:15:31.250000Z\n"
        "# Query_time: 1.0  Lock_time: 0 Rows_sent: 1  Rows_examined: 2\n"
        "SELECT 1;"
    )
    first, second = read(text)
    assert first.message == "SELECT * FROM berths\nWHERE free;"
    assert first.metrics["query_time"] == 3.5
    assert first.metrics["rows_examined"] == 90000
    assert second.message == "SELECT 1;"


def test_blank_lines_count_and_show_nowhere() -> None:
    records = read("\n\na\n\nb\n")
    assert [(record.line, record.lines, record.message) for record in records] == [(3, 4, "a"), (5, 2, "b")]


def test_records_and_lines_are_bounded() -> None:
    long = list(parse(["x"] + ["  y"] * (MAX_RECORD_LINES * 2)))
    assert max(record.lines for record in long) <= MAX_RECORD_LINES
    (cut,) = parse(["z" * (MAX_LINE_CHARS + 5)])
    assert cut.message.endswith("[5 characters cut]")
