"""SQL without its values."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.logs.statements_sql import MAX_CHARS, normalise, shape_of

ONE = "SELECT * FROM t WHERE a IN (?)"
SAME = {
    "lists of any length": ("select * from t where a in (1)", "SELECT * FROM t WHERE a IN (4, 5,6 , 7)", ONE),
    "texts and numbers": ("SELECT * FROM t WHERE a IN ('x')", "SELECT * FROM t WHERE a IN (0x1F, -2, 1.5e10)", ONE),
    "white space": ("SELECT  *\n\tFROM t\n WHERE a IN ( 1 )", "SELECT * FROM t WHERE a IN(1)", ONE),
    "comments": ("/* by: x */ SELECT * FROM t -- all\nWHERE a IN (1) # end", "SELECT * FROM t WHERE a IN (2)", ONE),
    "back quotes": ("SELECT * FROM `t` WHERE `a` IN (1)", "SELECT * FROM t WHERE a IN (1)", ONE),
    "parameters": ("SELECT * FROM t WHERE a IN ($1, $2)", "SELECT * FROM t WHERE a IN (:ids)", ONE),
    "end signs": ("SELECT * FROM t WHERE a IN (%s);", "SELECT * FROM t WHERE a IN (?) ; ", ONE),
}


@pytest.mark.parametrize(("one", "other", "shape"), SAME.values(), ids=SAME)
def test_what_differs_in_values_only_is_one_statement(one: str, other: str, shape: str) -> None:
    assert normalise(one) == normalise(other) == shape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t", "SELECT b FROM t"),
        ("SELECT a FROM t", "SELECT a FROM T"),
        ("SELECT a FROM s.t", "SELECT a FROM r.t"),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b > 1"),
        ("SELECT a FROM t WHERE b IS NULL", "SELECT a FROM t WHERE b IS NOT NULL"),
        ("SELECT a FROM t1", "SELECT a FROM t2"),
        ('SELECT "u"."a" FROM "u"', 'SELECT "u"."b" FROM "u"'),
        ("SELECT x - 1 FROM t", "SELECT x FROM t"),
    ],
)
def test_different_statements_stay_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("statement", "shape"),
    [
        ("insert into t (a, b) values (1, now()), (2, now()), (3, null)", "INSERT INTO t(a, b) VALUES (?, NOW())"),
        ("SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, 4))", "SELECT * FROM t WHERE (a, b) IN ((?))"),
        ("SELECT 'it''s' , 'a\\'b', \"c\", N'd', X'0f', $$e 'f$$", "SELECT ?, ?, ?, ?, ?, ?"),
        ('SELECT "t".* FROM "t" WHERE "t"."n" = \'x\'', "SELECT t.* FROM t WHERE t.n = ?"),
        ("SELECT a::text, b->>'k' FROM t WHERE c = -5", "SELECT a::text, b->>? FROM t WHERE c = ?"),
        ("begin; update t set n = n - 1 where id = 7;", "BEGIN; UPDATE t SET n = n - ? WHERE id = ?"),
        ("SELECT a FROM t LIMIT 5, 10", "SELECT a FROM t LIMIT ?, ?"),
        ("CALL report('x', 3, @out)", "CALL report(?, @out)"),
        ("SELECT a FROM t WHERE b = NULL AND c IS NOT NULL", "SELECT a FROM t WHERE b = ? AND c IS NOT NULL"),
        ("SELECT 'never ends", "SELECT ?"),
        ("-- nothing but this", ""),
    ],
)
def test_shapes(statement: str, shape: str) -> None:
    assert normalise(statement) == shape


@given(
    st.lists(st.one_of(st.integers(), st.floats(0, 1e9, allow_nan=False), st.text("abc'; x", max_size=9)), min_size=1)
)
def test_no_value_leaves_a_trace(values: list[object]) -> None:
    written = ", ".join(
        "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value) for value in values
    )
    assert normalise(f"SELECT * FROM t WHERE a IN ({written})") == ONE


@given(st.text(max_size=300))
def test_any_text_has_a_shape_and_the_shape_is_its_own(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == normalise(normalise(once))


PARTS = st.sampled_from(
    [
        "SELECT a FROM t WHERE b = ", "'x''y'", "''", "N'z'", "1", "-2.5", "t1", "1a", "0x1F", "(1, 2, '')", "(1),(2)",
        " IN ", "`a`", "`it's`", "'", '"c"', "/* d */", "/*", "*/", "-- e\n", "#", "\\", "$1", "$$", "[f]", "VALUES ",
        ", ", " ", ".", "(",
    ]
)  # fmt: skip


@given(st.lists(PARTS, max_size=12).map("".join))
def test_the_short_way_gives_what_the_long_way_gives(statement: str) -> None:
    assert normalise(statement) == shape_of(statement)


@pytest.mark.parametrize(
    "unit", ["'", "''", "/*", "(", "(1,", "(1),", "`", '"a" . ', "--", "$a$", "[a", "-?", "x.", "_a '"]
)
def test_time_grows_with_the_length_and_no_faster(unit: str) -> None:
    def took_s(chars: int) -> float:
        text = (unit * chars)[:chars]
        started = time.process_time()
        shape_of(text)
        return time.process_time() - started

    # Eight times the text; quadratic time would be 64 times as much. Another process may spoil a try, not all of them.
    tries = (took_s(MAX_CHARS) / max(2e-3, took_s(MAX_CHARS // 8)) for _ in range(8))
    assert any(ratio < 30 for ratio in tries)
