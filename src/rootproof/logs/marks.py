"""Marks on patterns that changed: `new`, `stopped`, `burst`, `rare`. Simple rules over counts, the same for all logs.

The last window is compared with the window of the same length before it. Without a window asked for it is the last
quarter of the buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NEW, STOPPED, BURST, RARE = "new", "stopped", "burst", "rare"
_LEAST_BUCKETS = 4
_STOPPED_FROM = 3
_BURST_FROM = 10
_BURST_TIMES = 5.0
_RARE_MOST = 3
_RARE_SHARE = 0.001


@dataclass(frozen=True, slots=True)
class InWindows:
    """Records of one pattern with a time, by window."""

    earlier: int
    """Before both windows."""
    before: int
    """In the window before the last one."""
    last: int


def in_last_quarter(buckets: Sequence[int]) -> InWindows | None:
    """The windows when none was asked for; None where there are fewer than four buckets."""
    if len(buckets) < _LEAST_BUCKETS:
        return None
    length = len(buckets) // 4
    return InWindows(sum(buckets[: -2 * length]), sum(buckets[-2 * length : -length]), sum(buckets[-length:]))


def marks_of(count: int, scanned: int, buckets: Sequence[int], windows: InWindows | None) -> tuple[str, ...]:
    """The marks of a pattern with `count` of `scanned` records.

    - `new`: in the last window and never before it
    - `stopped`: three times or more in the window before, and not in the last one
    - `burst`: ten times or more in one bucket, and five times as often as in its other buckets on average
    - `rare`: at most three times, and at most one record in a thousand
    """
    marks = []
    if windows is not None and windows.last and not windows.before and not windows.earlier:
        marks.append(NEW)
    if windows is not None and windows.before >= _STOPPED_FROM and not windows.last:
        marks.append(STOPPED)
    if len(buckets) >= _LEAST_BUCKETS:
        peak = max(buckets)
        usual = (sum(buckets) - peak) / (len(buckets) - 1)
        if peak >= _BURST_FROM and peak >= _BURST_TIMES * usual:
            marks.append(BURST)
    if count <= _RARE_MOST and count <= _RARE_SHARE * scanned:
        marks.append(RARE)
    return tuple(marks)
