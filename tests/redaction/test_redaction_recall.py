"""The targets on labelled lines, where the data is at hand."""

from __future__ import annotations

import pytest

from benchmarks.redaction import families, load, verdicts
from rootproof.redaction import PLACEHOLDER, Numbering, redact


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    found = load()
    if not found:
        pytest.skip("no labelled lines: set ROOTPROOF_DATA to the folder that holds redaction_cases.jsonl.gz")
    return found


def test_the_targets_hold(rows: list[dict[str, object]]) -> None:
    missed = [name for name, good in verdicts(families(rows)).items() if not good]
    assert missed == []


def test_no_piece_of_a_credential_is_left(rows: list[dict[str, object]]) -> None:
    leaks = []
    for row in rows:
        if row["cls"] != "credential":
            continue
        text = str(row["text"])
        out = PLACEHOLDER.sub("<>", redact(text, Numbering()))
        for value in row["secret_values"]:  # type: ignore[attr-defined]
            around = text.replace(value, "")  # the key of a field may repeat a piece of the value
            pieces = [value[i : i + 8] for i in range(len(value) - 7)]
            if any(piece in out and piece not in around for piece in pieces):
                leaks.append(row["id"])
    assert leaks == []
