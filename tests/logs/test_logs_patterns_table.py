"""Tables of patterns keep count and say when, where and how bad."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs import table_tallies
from rootproof.logs.patterns_fast import mine_blocks
from rootproof.logs.patterns_table import as_json, of_lines, table_of, tabulate
from rootproof.logs.record import LEVELS, LogRecord
from rootproof.logs.table_tallies import Tallies

T0 = datetime(2026, 5, 4, tzinfo=UTC)


def record(
    message: str, seconds: int | None = 0, level: str | None = "INFO", service: str | None = "quay"
) -> LogRecord:
    when = None if seconds is None else T0 + timedelta(seconds=seconds)
    return LogRecord(message, when, level, service)  # type: ignore[arg-type]


def test_one_row_a_pattern() -> None:
    table = tabulate(
        [
            record("berth 1 taken", 5),
            record("berth 2 taken", 3, "ERROR", "pier"),
            record("berth 3 taken", 9),
            record("rope torn", None, "ERROR"),
        ]
    )
    torn, taken = table.rows
    assert (torn.pattern, torn.count, torn.level, torn.first) == ("rope torn", 1, "ERROR", None)
    assert (taken.count, taken.level, taken.service, taken.levels) == (3, "INFO", None, {"ERROR": 1, "INFO": 2})
    assert (taken.first, taken.last) == (T0 + timedelta(seconds=3), T0 + timedelta(seconds=9))
    assert taken.example == "berth 1 taken"


def test_plain_lines_are_counted_as_unparsed() -> None:
    table = tabulate([record("what is this", None, None), record("rope torn")])
    assert (table.scanned, table.unparsed) == (2, 1)


def test_the_cap_counts_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_tallies, "MAX_SHAPES", 2)
    table = tabulate([record(message) for message in ("alpha", "beta gamma", "delta epsilon zeta", "alpha")])
    assert table.other == 1
    assert sum(row.count for row in table.rows) + table.other == table.scanned == 4


def test_ids_agree_between_table_lines_and_messages() -> None:
    messages = [f"berth {n} taken, (order {n * 7})" for n in range(30)] + ["[3] berth 3 taken", "rope torn"]
    from_lines = of_lines(mine_blocks(["".join(message + "\n" for message in messages).encode()])[0])
    tallies = Tallies()
    for line, message in enumerate(messages, start=1):
        tallies.record(LogRecord(message, line=line), 0)
    from_records, ids = table_of(tallies)
    names = {row.id for row in from_records.rows}
    assert {row.id for row in from_lines.rows} == names == {ids.of(message) for message in messages}
    assert ids.of("never seen before") == "other"


def test_json_has_the_documented_shape() -> None:
    body = as_json(tabulate([record("berth 1 taken", 5)]))
    assert body["scanned"] == 1
    assert body["patterns"] == [
        {
            "id": body["patterns"][0]["id"],
            "pattern": "berth <num> taken",
            "level": "INFO",
            "service": "quay",
            "count": 1,
            "firstSeen": "2026-05-04T00:00:05Z",
            "lastSeen": "2026-05-04T00:00:05Z",
            "example": "berth 1 taken",
            "levels": {"INFO": 1},
            "marks": [],
            "buckets": [1],
        }
    ]
    assert body["buckets"] == {"start": "2026-05-04T00:00:05Z", "seconds": 1.0}


def test_plain_lines_say_their_level() -> None:
    table = of_lines(mine_blocks([b"2026-05-04 09:15:30 ERROR winch.Main - torn\nwhat is this\n"])[0])
    assert {row.level for row in table.rows} == {"ERROR", None}
    assert table.unparsed == 1


RECORDS = st.lists(
    st.builds(
        record,
        st.sampled_from(["berth 1 taken", "berth 22 taken", "rope torn", "", "tide at 09:15:30", "x=1 y=ana"]),
        st.one_of(st.none(), st.integers(0, 999)),
        st.one_of(st.none(), st.sampled_from(LEVELS)),
        st.one_of(st.none(), st.sampled_from(["quay", "pier"])),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(RECORDS)
def test_counts_are_conserved(records: list[LogRecord]) -> None:
    table = tabulate(records)
    assert sum(row.count for row in table.rows) + table.other == table.scanned == len(records)
    for row in table.rows:
        assert sum(row.levels.values()) <= row.count
        assert row.first is None or row.last is None or row.first <= row.last
