"""A body that two parsers could read differently, or that is made to exhaust us, is refused with a clear error."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.errors import UsageError
from rootproof.intake.document import MAX_BYTES, MAX_DEPTH, read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_json_writes_is_read_back(value):
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' occurs twice"),
        (b"title=down&state=alerting", "is not JSON"),
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"[" * (MAX_DEPTH + 1), "nested deeper"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "cannot be read"),
        (b'{"open', "is not JSON"),
    ],
)
def test_a_bad_body_says_what_is_wrong_and_what_to_do(payload, words):
    with pytest.raises(UsageError, match=r"(Send|Pass)") as caught:
        read_json(payload)
    assert words in str(caught.value)


def test_a_body_over_the_cap_is_refused_before_it_is_parsed():
    with pytest.raises(UsageError, match="more than 4,194,304"):
        read_json(b" " * (MAX_BYTES + 1))


def test_the_error_shows_only_the_beginning_of_a_body():
    with pytest.raises(UsageError) as caught:
        read_json("password is hunter2-and-more-of-it-than-an-error-should-show")
    assert "hunter2-and-more" not in str(caught.value)


def test_brackets_in_strings_do_not_count_as_depth():
    assert read_json(json.dumps({"a": "[" * 500 + '"' + "{" * 500}))["a"].startswith("[[")


def test_a_string_without_an_end_is_read_in_linear_time():
    started = time.perf_counter()
    with pytest.raises(UsageError):
        read_json('{"a": ' + '"\\' * 400_000)
    assert time.perf_counter() - started < 2.0


def test_lone_surrogates_become_replacement_characters():
    assert read_json(b'{"\\ud800": ["\\udfff x"]}') == {"\ufffd": ["\ufffd x"]}


def test_a_byte_order_mark_is_no_part_of_the_body():
    assert read_json(b"\xef\xbb\xbf{}") == {}
    assert read_json("\ufeff[1]") == [1]
