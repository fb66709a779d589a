"""TOML of anybody: one kind of error, whatever is wrong, and no text that takes time with the square of its length."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from rootproof.domain.toml_text import MAX_KEY_PARTS, parse_toml


def test_a_table_is_read() -> None:
    dotted = ".".join("k" * MAX_KEY_PARTS)
    found = parse_toml(f'schema = 1\ntext = "{"a.b." * 9} and so on ... ..."\n{dotted} = 2\n"a b"."c.d" = 3\n')
    assert found["schema"] == 1
    assert found["a b"] == {"c.d": 3}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ("x = " + "9" * 5000, "no computer word"),
        ("x = 2026-13-45", "at line 1"),
        ("x = 1\n" + ".".join("a" * 30) + " = 1", "at line 2"),
        ("[" + " . ".join(['"q w"'] * 30) + "]", "joined by dots"),
        ("x = { " + ".".join(["'q'"] * 30) + " = 1 }", "joined by dots"),
        ("\x00", "line 1"),
    ],
)
def test_whatever_is_wrong_is_a_value_error_in_words(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_toml(text)


@pytest.mark.parametrize("unit", ["a.", "a", '"', '"".', "' ", "a-", "a. "])
def test_the_guard_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def took(size: int) -> float:
        text = "# " + unit * size
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("rootproof.domain.toml_text.tomllib.loads", lambda _: {})
                with suppress(ValueError):
                    parse_toml(text)
            best = min(best, time.perf_counter() - began)
        return best

    assert took(80_000) < 16 * max(took(20_000), 1e-3)
