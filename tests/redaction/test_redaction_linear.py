"""Time grows with the length of the text, whatever the text holds: hostile single lines at two sizes."""

from __future__ import annotations

import time

import pytest

from benchmarks.redaction import hostile
from rootproof.redaction import Numbering, redact

SMALL = 5 * 1024
NAMES = sorted(hostile(64))


def cost(text: str) -> float:
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        redact(text, Numbering())
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("name", NAMES)
def test_four_times_the_text_takes_about_four_times_as_long(name: str) -> None:
    small, large = hostile(SMALL)[name], hostile(4 * SMALL)[name]
    for _ in range(3):  # a busy machine can spoil one measurement, not three; quadratic time would be 16x each time
        once, more = cost(small), cost(large)
        if more < 9 * once or more < 0.012:
            return
    pytest.fail(f"{name}: {once * 1000:.1f} ms for {SMALL} characters, {more * 1000:.1f} ms for four times as many")
