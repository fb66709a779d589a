"""Whatever comes in: nothing raises, and every line is in exactly one record."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs.decode import decode, encoding_of, split_lines
from rootproof.logs.parse import parse
from tests.logs.test_logs_variants_apps import VARIANTS as APPS
from tests.logs.test_logs_variants_json import VARIANTS as JSON
from tests.logs.test_logs_variants_systems import VARIANTS as SYSTEMS
from tests.logs.test_logs_variants_traces import TRACES

_PIECES = st.sampled_from(
    [
        "2026-05-04T09:15:30.250000000Z ", "2026-13-45 99:99:99 ", "May  4 09:15:30 ", "1777886130250 ", "@40000000",
        "[", "]", "{", "}", '"', "\\", "<34>1 ", "stdout P ", "stderr F ", "ERROR", "info: ", "x[7]", ": ", " - ", "- ",
        "|", "=", "a=b ", '{"log":', '{"message":"', "\t", "  ", "# Time: ", "# Query_time: 1 ", "at a.b(C.java:1)",
        "Caused by: ", "Traceback (most recent call last):", "\x1b[3", "\x00", "E0504 09:15:30.25 1 a.go:1] ",
        "#Fields: a b", "time,message", "<Event ", "é漢🚢",
    ]
)  # fmt: skip
_KNOWN = [line[:600] for variant in (*APPS, *JSON, *SYSTEMS) for line in variant.text.split("\n")]
_KNOWN += [line for _, trace in TRACES for line in trace.split("\n")]
_CUT = st.builds(
    lambda line, at, more: line[:at] + more + line[at:], st.sampled_from(_KNOWN), st.integers(0, 80), _PIECES
)
_MIXED = st.lists(st.one_of(st.sampled_from(_KNOWN), _CUT), max_size=12)
_LINES = st.lists(st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=8).map("".join)), max_size=30)


@settings(deadline=None)
@given(st.one_of(_LINES, _MIXED))
def test_no_line_is_lost_and_nothing_raises(lines: list[str]) -> None:
    records = list(parse(lines, default_year_from=datetime(2026, 5, 20, tzinfo=UTC)))
    if records:
        assert sum(record.lines for record in records) == len(lines)
        assert all(record.lines >= 0 and 1 <= record.line <= len(lines) for record in records)
        assert all(record.timestamp is None or record.timestamp.tzinfo is not None for record in records)
    else:
        assert not any(line.replace("\ufeff", "").strip() for line in lines)


@settings(deadline=None)
@given(_LINES)
def test_parsing_is_a_function_of_its_input(lines: list[str]) -> None:
    assert list(parse(lines)) == list(parse(lines))


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_decode(data: bytes) -> None:
    text = decode(data)
    assert "\x00" not in text
    list(parse(split_lines(text)))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), max_size=100))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    if encoding_of(text.encode()) == "utf-8":
        assert decode(text.encode()) == text


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=10), max_size=10))
def test_lines_are_cut_at_line_feeds_only(lines: list[str]) -> None:
    assert split_lines("".join(line + "\n" for line in lines)) == lines
