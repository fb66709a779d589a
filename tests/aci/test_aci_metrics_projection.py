"""The metrics projection: what a series was, did and when; never its points."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.aci.projection.series import shape
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from tests.aci.projecting import SECRET_60, Projecting, leaked

START = 1_777_888_800  # 2026-05-04T10:00:00Z


def series(
    values: Sequence[Any], name: str = "PoolActive", unit: str | None = "Count", **labels: str
) -> dict[str, Any]:
    points = [[START + 60 * number, value] for number, value in enumerate(values)]
    return {"name": name, "labels": labels or {"service": "billing-api"}, "unit": unit, "values": points}


def test_a_series_in_a_few_numbers_with_times_and_unit() -> None:
    view = Projecting().metrics([series([2.5, 3, 1.25, 20, 20, 20, 20, 19])])
    item = view["series"][0]
    assert {key: item[key] for key in ("name", "unit", "points", "labels")} == {
        "name": "PoolActive",
        "unit": "Count",
        "points": 8,
        "labels": {"service": "billing-api"},
    }
    assert (item["first"], item["first_at"]) == (2.5, "2026-05-04T10:00:00Z")
    assert (item["last"], item["last_at"]) == (19, "2026-05-04T10:07:00Z")
    assert (item["min"], item["min_at"]) == (1.25, "2026-05-04T10:02:00Z")
    assert (item["max"], item["max_at"]) == (20, "2026-05-04T10:03:00Z")
    assert item["mean"] == pytest.approx(13.22, abs=0.01)
    assert item["trend"] == "rising"
    assert item["change"]["at"] == "2026-05-04T10:03:00Z"
    assert item["change"]["before"] == pytest.approx(2.25)
    assert item["change"]["after"] == pytest.approx(19.8)


def test_the_evidence_line_holds_every_number() -> None:
    projecting = Projecting()
    projecting.metrics([series([1, 1, 1, 9, 9, 9], host="a", service="billing-api")])
    assert projecting.last is not None
    text = projecting.last.evidence[0].text
    assert text.startswith("PoolActive of billing-api (Count)")
    for fact in ("first 1 at 2026-05-04T10:00:00Z", "max 9 at 2026-05-04T10:03:00Z", "mean 5", "6 points", "rising"):
        assert fact in text
    assert "changed at 2026-05-04T10:03:00Z from about 1 to about 9" in text


@pytest.mark.parametrize(
    ("values", "trend", "changes"),
    [
        ([5] * 10, "flat", False),
        ([100, 101, 99, 100, 102, 98], "flat", False),
        ([0] * 8, "flat", False),
        (list(range(10, 30)), "rising", True),
        (list(range(30, 10, -1)), "falling", True),
        ([1000 + n for n in range(20)], "rising", False),
        ([1, 9, 1, 9, 1, 9, 1, 9], "varying", False),
        ([4], "flat", False),
    ],
    ids=str,
)
def test_trends(values: list[float], trend: str, changes: bool) -> None:
    item = Projecting().metrics([series(values)])["series"][0]
    assert item["trend"] == trend
    assert (item["change"] is not None) is changes


def test_raw_points_are_never_shown() -> None:
    values = [round(math.sin(n) * 50 + 100, 3) for n in range(300)]
    text = json.dumps(Projecting().metrics([series(values)]))
    assert sum(str(value) in text for value in values) <= 6
    assert len(text) < 1_500


def test_points_that_are_not_finite_are_skipped() -> None:
    item = Projecting().metrics([series(["NaN", 4, "+Inf", 6, "-Inf"])])["series"][0]
    assert (item["points"], item["first"], item["last"], item["mean"]) == (2, 4, 6, 5)


def test_a_series_without_points_is_counted_and_not_shown() -> None:
    view = Projecting().metrics([series([]), series(["NaN"]), series([1])])
    assert view["shown"] == 1
    assert view["omitted"] == {"series_without_points": 2}
    assert Projecting().metrics([series([])])["status"] == "NO_EVIDENCE"


def test_the_most_changed_series_come_first_and_the_rest_is_counted() -> None:
    calm = [series([7, 7, 7, 7], name=f"calm-{chr(97 + n)}") for n in range(6)]
    view = Projecting(ToolProjectionLimits(max_series=3)).metrics([*calm, series([1, 1, 1, 50, 50, 50])], total=40)
    assert view["series"][0]["name"] == "PoolActive"
    assert len(view["series"]) == 3
    assert view["omitted"] == {"series": 4 + 33}
    assert view["scanned"] == 40


def test_the_unit_is_told_only_where_there_is_one() -> None:
    projecting = Projecting()
    view = projecting.metrics([series([1, 2], unit=None)])
    assert view["series"][0]["unit"] is None
    assert projecting.last is not None
    assert "()" not in projecting.last.evidence[0].text


def test_labels_are_redacted_bounded_and_what_is_left_out_is_told() -> None:
    labels = {f"label_{chr(97 + n)}": f"v{n}" for n in range(24)} | {"password": "Hunter2Hunter2"}
    view = Projecting().metrics([series([1, 2], **({"password": "Hunter2Hunter2"} | labels))])
    assert len(view["series"][0]["labels"]) == 20
    assert view["omitted"] == {"labels": 5}
    assert "Hunter2" not in json.dumps(view)


@pytest.mark.parametrize(
    "raw",
    [
        "{}",
        '{"success": false, "message": "x"}',
        '{"success": true}',
        '{"success": true, "series": [{"name": "a"}]}',
        '{"success": true, "series": [{"name": "a", "values": [[1]]}]}',
        '{"success": true, "series": [{"name": "a", "values": [[1, "much"]]}]}',
        '{"success": true, "series": [{"name": "a", "values": [[1, NaN]]}]}',
        '{"success": true, "series": [{"name": "a", "values": [5]}]}',
        '{"success": true, "series": [{"name": "a", "values": [[1, null]]}]}',
    ],
    ids=repr,
)
def test_what_has_not_the_contracts_shape_is_refused(raw: str) -> None:
    with pytest.raises(ProjectionError):
        Projecting().metrics(raw)


def test_no_part_of_a_series_leaks_a_secret_however_it_is_cut() -> None:
    for filler in range(0, 125, 3):
        secret = "x" * filler + f" token={SECRET_60}"
        entry = series([1, 2], name=secret, unit=secret, stat=secret, service=secret)
        assert leaked(SECRET_60, json.dumps(Projecting().metrics([entry]))) == [], filler


numbers = st.floats(-1e12, 1e12, allow_nan=False)
entries = st.builds(lambda v, n, u: series(v, n, u, job=n), st.lists(numbers, max_size=9), st.text(), st.text())


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40))
def test_a_shape_stays_within_its_values(values: list[float]) -> None:
    found = shape([(START + 60 * number, value) for number, value in enumerate(values)])
    assert found.low == min(values)
    assert found.high == max(values)
    assert found.low - 1e-3 <= found.mean <= found.high + 1e-3
    assert (found.first, found.last) == (values[0], values[-1])
    assert found.first_at <= found.low_at <= found.last_at
    if found.change:
        assert found.first_at < found.change.at <= found.last_at


@settings(max_examples=30, deadline=None)
@given(
    st.lists(entries, max_size=30),
    st.integers(500, 4_000),
)
def test_the_byte_budget_holds_and_every_series_is_accounted_for(many: list[dict[str, Any]], budget: int) -> None:
    try:
        view = Projecting(ToolProjectionLimits(max_bytes=budget)).metrics(many)
    except ProjectionError:
        return
    assert view["shown"] + sum(view["omitted"].values()) == len(many)
