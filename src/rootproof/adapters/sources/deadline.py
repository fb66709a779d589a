"""File work off the event loop, within a deadline that also stops the thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from rootproof.errors import SourceTimeout

T = TypeVar("T")


class Deadline:
    """A point on the monotonic clock that long loops ask about, because a thread cannot be interrupted."""

    def __init__(self, seconds: float, source: str) -> None:
        self._seconds = seconds
        self._source = source
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raises: SourceTimeout once the deadline has passed."""
        if time.monotonic() >= self._end:
            raise self.passed()

    def passed(self) -> SourceTimeout:
        """The error that says which source took longer than what."""
        return SourceTimeout(
            f"{self._source} did not answer within {self._seconds:g} s. Ask for less: a shorter window, one service, "
            "or fewer files."
        )


async def in_thread(work: Callable[[Deadline], T], *, deadline_s: float, source: str) -> T:
    """What `work` returns. Raises: SourceTimeout at the deadline; whatever `work` raises."""
    deadline = Deadline(deadline_s, source)
    try:
        async with asyncio.timeout(deadline_s):
            return await asyncio.to_thread(work, deadline)
    except TimeoutError as error:
        raise deadline.passed() from error
