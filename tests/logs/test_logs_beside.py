"""The fields beside a message that tell where a slow or failed call went, and how long it took."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.logs.parse import parse
from rootproof.logs.record import LogRecord


def read(line: str) -> LogRecord:
    (record,) = parse([line], default_year_from=datetime(2031, 5, 4, tzinfo=UTC))
    return record


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'ts=2031-05-04T09:00:00Z level=info msg="call returned" url=http://skua.core/v1?a=b status=200 took=9.4s',
            "url=http://skua.core/v1 took=9.4s",
        ),
        ('{"level":"info","msg":"request done","path":"/cart","duration_ms":2300}', "path=/cart duration=2300ms"),
        ('{"level":"info","msg":"done","http":{"path":"/cart"},"elapsedSeconds":7}', "path=/cart elapsed=7s"),
        ('{"level":"error","msg":"upstream call","peer":"skua:443","err":"reset"}', "peer=skua:443"),
        ('{"level":"info","msg":"call","method":"GET","path":"/a","status":503}', "method=GET path=/a"),
        ('{"level":"info","msg":"request done","path":"/cart","duration_ms":40,"status":200}', ""),
        ('{"level":"info","msg":"request done","path":"/cart","duration":9400}', ""),
        ('{"level":"info","msg":"uptime","latency_budget_s":900}', ""),
        ('{"level":"info","msg":"GET /cart took=3s","path":"/cart","took":"3s"}', ""),
    ],
)
def test_what_stands_beside_the_message(line: str, told: str) -> None:
    assert read(line).beside == told


def test_the_message_itself_is_left_as_it_was() -> None:
    assert read('{"level":"info","msg":"request done","path":"/cart","took":"4s"}').message == "request done"


def test_what_stands_beside_is_bounded() -> None:
    long = "/x" * 400
    assert len(read(f'{{"level":"info","msg":"m","url":"{long}","path":"{long}","took":"4s"}}').beside) <= 300
