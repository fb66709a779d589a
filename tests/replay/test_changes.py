"""What differs between two values, leaf by leaf."""

from __future__ import annotations

from typing import Any

import pytest

from rootproof.diagnosis.changes import changes_in


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"x": 1}, {"x": 1}, []),
        ({"x": 1}, {"x": 2}, [("of x", "1", "2")]),
        ({}, {"x": 2}, [("of x", None, "2")]),
        ({}, {"x": None}, [("of x", None, "null")]),
        ({"x": [1, 2]}, {"x": [1]}, [("of x[1]", "2", None)]),
        ({"x": [None]}, {"x": []}, [("of x[0]", "null", None)]),
        ("w" * 400 + "a", "w" * 400 + "b", [("of", "…" + "w" * 40 + "a", "…" + "w" * 40 + "b")]),
    ],
)
def test_each_leaf_that_differs_is_one_change(a: Any, b: Any, wanted: list[Any]) -> None:
    assert [(item.what, item.a, item.b) for item in changes_in("part", "of", a, b)] == wanted
