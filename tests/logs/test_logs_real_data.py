"""On real logs: grouping against the labels of public data, and the first record of awkward files.

The data is read where it lies and never copied. The floors are below what is reached, so that a general rule that
costs a little here does not fail, and a broken one does.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rootproof.logs.levels import level_field
from rootproof.logs.parse import decode, parse, split_lines
from rootproof.logs.patterns import mine
from rootproof.logs.record import LogRecord

DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "loghub").is_dir(), reason=f"no data at {DATA}: set ROOTPROOF_DATA")


def scores(found: Sequence[int], truth: Sequence[str]) -> tuple[float, float]:
    """Grouping accuracy and its F1 over groups."""
    ours: defaultdict[int, list[int]] = defaultdict(list)
    theirs: defaultdict[str, list[int]] = defaultdict(list)
    for at, (mine_, label) in enumerate(zip(found, truth, strict=True)):
        ours[mine_].append(at)
        theirs[label].append(at)
    right = {tuple(group) for group in ours.values()} & {tuple(group) for group in theirs.values()}
    precision, recall = len(right) / len(ours), len(right) / len(theirs)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return sum(map(len, right)) / len(truth), f1


@needs_data
def test_grouping_accuracy() -> None:
    accuracies, f1s = [], []
    for path in sorted((DATA / "loghub").glob("*/*_structured_corrected.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        accuracy, f1 = scores(mine([row["Content"] for row in rows]).assignment, [row["EventId"] for row in rows])
        assert accuracy >= 0.90, path.parent.name
        accuracies.append(accuracy)
        f1s.append(f1)
    assert sum(accuracies) / len(accuracies) >= 0.98
    assert sum(f1s) / len(f1s) >= 0.95


@needs_data
def test_fields_of_public_data() -> None:
    """The labelled content and level of each raw line, with one configuration for all systems."""
    for folder in sorted(path for path in (DATA / "loghub").iterdir() if path.is_dir()):
        with next(folder.glob("*_structured.csv")).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        records = {record.line: record for record in _records(next(folder.glob("*.log")))}
        messages = levels = 0
        for row in rows:
            record = records.get(int(row["LineId"]))
            if record is not None and record.timestamp is not None:
                messages += record.message.split("\n")[0].strip() == row["Content"].strip()
                levels += "Level" not in row or record.level == level_field(row["Level"])
        assert messages >= 0.99 * len(rows), folder.name
        assert levels >= 0.99 * len(rows), folder.name


@needs_data
def test_first_records_of_awkward_files() -> None:
    folder = DATA / "logshapes"
    cases = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    right = sum(_first_is_right(folder / case["file"], case["expect_first"]) for case in cases)
    assert right >= len(cases) - 1


def _records(path: Path) -> list[LogRecord]:
    return list(parse(split_lines(decode(path.read_bytes())), default_year_from=datetime(2026, 11, 30, tzinfo=UTC)))


def _first_is_right(path: Path, expected: dict[str, object]) -> bool:
    wanted, how = str(expected["message"]), expected.get("message_match", "exact")
    for record in _records(path)[:4]:
        matches = {
            "exact": record.message == wanted,
            "prefix": record.message.startswith(wanted),
            "suffix": record.message.endswith(wanted),
            "contains": wanted in record.message,
        }[str(how)]
        if matches:
            name = expected.get("logger") or expected.get("service")
            named = name is None or name in (record.logger, record.service)
            return named and record.level == expected["level"] and _time_is_right(record.timestamp, expected)
    return False


def _time_is_right(found: datetime | None, expected: dict[str, object]) -> bool:
    """Whether the time is the expected one, to the microsecond; where no year is given, month to second."""
    if expected["timestamp"] is None or found is None:
        return found is None and expected["timestamp"] is None
    text = re.sub(r"(\.\d{6})\d+", r"\1", str(expected["timestamp"]))
    if expected.get("year_missing"):
        return found.strftime("%m-%dT%H:%M:%S") == text[:14]
    wanted = datetime.fromisoformat(text)
    return found == (wanted if wanted.tzinfo else wanted.replace(tzinfo=UTC))
