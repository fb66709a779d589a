"""Recorded metrics: Prometheus `query_range` answers and CSV tables, as a metric source answers from them.

Source: Prometheus HTTP API, "Range queries" and "Expression query result formats".
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from rootproof.adapters.sources.deadline import Deadline, in_thread
from rootproof.adapters.sources.documents import answer_of, garbled, read_json, read_text
from rootproof.domain.cutting import within
from rootproof.domain.window import TimeWindow
from rootproof.ports.sources import MetricQuery

_TIME_COLUMNS = frozenset({"time", "timestamp", "ts", "datetime", "date"})
_SUFFIX_UNITS = (
    ("_bytes_total", "bytes"), ("_seconds_total", "seconds"), ("_bytes", "bytes"), ("_seconds", "seconds"),
    ("_milliseconds", "milliseconds"), ("_ratio", "ratio"), ("_percent", "percent"), ("_celsius", "celsius"),
    ("_total", "count"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Series:
    """One series, values in time order, NaN and infinities left out and counted."""

    name: str
    labels: dict[str, str]
    values: tuple[tuple[float, float], ...]
    skipped: int

    @property
    def unit(self) -> str | None:
        """The `unit` label, or what a conventional suffix of the name states; never inferred from the values."""
        if unit := self.labels.get("unit"):
            return unit
        return next((unit for suffix, unit in _SUFFIX_UNITS if self.name.endswith(suffix)), None)

    def mentions(self, words: Iterable[str]) -> bool:
        """Whether any of the lower-case `words` occurs in the name or the labels."""
        haystack = " ".join([self.name, *(f"{key}={value}" for key, value in self.labels.items())]).lower()
        return any(word in haystack for word in words)


class MetricFiles:
    """A metric source over the files of a bundle. One file that cannot be read makes the answer SourceGarbled:
    a missing series must never pass for a series without a finding."""

    name = "recorded metrics"

    def __init__(self, files: list[tuple[Path, str]], timezone: tzinfo, kind: str = "BUNDLE") -> None:
        self.kind = kind
        self._files = files
        self._timezone = timezone
        self._series: list[Series] | None = None
        self._lock = threading.Lock()

    async def fetch(self, query: MetricQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.MetricSource` says.

        Shape: series by name and labels; only those with a value in the window; `skipped` values were NaN or infinite.
        Raises: SourceGarbled, SourceUnavailable, SourceDenied, SourceTimeout.
        """
        return await in_thread(lambda deadline: self._answer(query, deadline), deadline_s=deadline_s, source=self.name)

    def _answer(self, query: MetricQuery, deadline: Deadline) -> str:
        words = [word.lower() for word in query.contains if word.strip()]
        loaded = self._loaded(deadline)
        matched = [_in_window(series, query.window) for series in loaded if not words or series.mentions(words)]
        matched = [entry for entry in matched if entry["values"]]
        return json.dumps(
            {"success": True, "total": len(matched), "scanned": len(loaded), "series": matched[: query.limit]},
            ensure_ascii=False,
        )

    def _loaded(self, deadline: Deadline) -> list[Series]:
        with self._lock:
            if self._series is None:
                found: list[Series] = []
                for path, label in self._files:
                    deadline.check()
                    read = read_table if path.suffix.lower() == ".csv" else read_answer
                    found.extend(read(path, label, self._timezone))
                self._series = sorted(found, key=lambda series: (series.name, sorted(series.labels.items())))
            return self._series


def _in_window(series: Series, window: TimeWindow) -> dict[str, Any]:
    start, end = window.start.timestamp(), window.end.timestamp()
    answer: dict[str, Any] = {
        "name": series.name,
        "labels": series.labels,
        "unit": series.unit,
        "values": [[at, value] for at, value in series.values if start <= at < end],
    }
    if series.skipped:
        answer["skipped"] = series.skipped
    return answer


def read_answer(path: Path, label: str, timezone: tzinfo) -> list[Series]:
    """The series of a recorded `query_range` or `query` answer. Raises: as `read_json` and `answer_of`."""
    data = answer_of(read_json(path, label), label)
    results = data.get("result") if isinstance(data, dict) else data
    if not isinstance(results, list):
        raise garbled(label, "no list of results", '{"status": "success", "data": {"result": [...]}}')
    return [_result(result, f"{label}, result {index}", timezone) for index, result in enumerate(results)]


def _result(result: Any, label: str, timezone: tzinfo) -> Series:
    if not isinstance(result, dict) or not isinstance(result.get("metric"), dict):
        raise garbled(label, "no `metric` object", '{"metric": {...}, "values": [[time, "value"], ...]}')
    metric = {str(key): str(value) for key, value in result["metric"].items()}
    points = [result["value"]] if "value" in result else result.get("values", [])
    if not isinstance(points, list) or not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise garbled(label, "`values` is not a list of pairs", '[[time, "value"], ...]')
    name = metric.pop("__name__", None) or "(expression)"
    return _series(name, metric, ((point[0], point[1]) for point in points), label, timezone)


def read_table(path: Path, label: str, timezone: tzinfo) -> list[Series]:
    """One series a column of a CSV whose time column is `time`. Raises: as `read_text`."""
    content = read_text(path, label)
    header = content.split("\n", 1)[0]
    delimiter = max((",", ";", "\t"), key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(content), delimiter=delimiter))
    except csv.Error as error:
        raise garbled(label, str(error), "a CSV table") from error
    names = [name.strip() for name in rows[0]] if rows else []
    at = next((index for index, name in enumerate(names) if name.lower() in _TIME_COLUMNS), None)
    if at is None:
        raise garbled(label, f"the columns {names[:8]!r}", "one named `time`")
    body = [row for row in rows[1:] if any(cell.strip() for cell in row)]
    for number, row in enumerate(body, start=2):
        if len(row) != len(names):
            raise garbled(label, f"row {number} has {len(row)} cells", f"{len(names)} as in the header")
    return [
        _series(*_named(name), ((row[at], row[index]) for row in body if row[index].strip()), label, timezone)
        for index, name in enumerate(names)
        if index != at and name
    ]


_OF_SERVICE = re.compile(r"([A-Za-z0-9][\w.-]*):([A-Za-z_][\w.]*)")
_WITH_LABELS = re.compile(r"([A-Za-z_:][\w.:]*)\s*\{(.*)\}")
_LABEL = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*\"((?:[^\"\\]|\\.)*)\"\s*(?:,|$)")


def _named(column: str) -> tuple[str, dict[str, str]]:
    """The name and labels that a column's header states: `metric`, `service:metric` or `metric{label="value", ...}`.

    A name with more than one colon is a recording rule's and stays whole, as does what is in no such form.
    """
    if match := _OF_SERVICE.fullmatch(column):
        return match[2], {"service": match[1]}
    match = _WITH_LABELS.fullmatch(column)
    if match is None:
        return column, {}
    labels: dict[str, str] = {}
    position = 0
    while position < len(match[2]):
        pair = _LABEL.match(match[2], position)
        if pair is None:
            return column, {}
        labels[pair[1]] = re.sub(r"\\(.)", r"\1", pair[2])
        position = pair.end()
    return match[1], labels


def _series(
    name: str, labels: dict[str, str], points: Iterable[tuple[Any, Any]], label: str, timezone: tzinfo
) -> Series:
    values: list[tuple[float, float]] = []
    skipped = 0
    for raw_time, raw_value in points:
        at, value = _epoch(raw_time, label, timezone), _number(raw_value, label)
        if math.isfinite(value):
            values.append((at, value))
        else:
            skipped += 1
    values.sort(key=lambda point: point[0])
    return Series(name=name, labels=labels, values=tuple(values), skipped=skipped)


def _number(value: Any, label: str) -> float:
    """Prometheus writes numbers as strings; null (JSON has no NaN) counts as not a number."""
    if value is None:
        return math.nan
    return _converted(value, label, "a value", float)


def _epoch(value: Any, label: str, timezone: tzinfo) -> float:
    if isinstance(value, str) and ("-" in value[1:] or ":" in value):
        return _converted(value.strip(), label, "a time", lambda text: _instant(text, timezone).timestamp())
    number = _converted(value, label, "a time", float)
    if not math.isfinite(number):
        raise garbled(label, f"the time {value!r}", "seconds since 1970 or RFC 3339")
    return number / 1000 if abs(number) > 1e11 else number


def _instant(text: str, timezone: tzinfo) -> datetime:
    instant = datetime.fromisoformat(text)
    return (instant if instant.tzinfo else instant.replace(tzinfo=timezone)).astimezone(UTC)


def _converted(value: Any, label: str, what: str, convert: Callable[[Any], float]) -> float:
    wanted = "a number" if what == "a value" else "a time"
    if isinstance(value, bool):
        raise garbled(label, f"{what} is {value}", wanted)
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise garbled(label, f"{what} is {within(str(value), 60)!r}", wanted) from error
