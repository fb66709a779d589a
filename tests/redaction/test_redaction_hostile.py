"""No pattern of the package takes more than linear time: texts made from each pattern itself, at two sizes."""

from __future__ import annotations

import time

from rootproof.redaction import Numbering, redact
from tests.redaction.hostile_inputs import hostile_to, patterns

SMALL = 1_500
TIMES = 6


def cost(text: str) -> float:
    start = time.process_time()
    redact(text, Numbering())
    return time.process_time() - start


def test_six_times_the_text_takes_about_six_times_as_long() -> None:
    slow = []
    for pattern in patterns():
        for small, large in zip(hostile_to(pattern, SMALL), hostile_to(pattern, TIMES * SMALL), strict=True):
            for _ in range(3):  # a busy machine can spoil one measurement, not three; quadratic time is 36x each time
                once, more = cost(small), cost(large)
                if more < 2 * TIMES * once or more < 0.02:
                    break
            else:
                slow.append((pattern.pattern[:60], large[:40], round(more / once, 1)))
    assert slow == []


def test_every_module_with_patterns_is_tried() -> None:
    assert len(list(patterns())) > 100
