"""Waiting for what happens soon, with a bound."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable


async def wait_until(happened: Callable[[], bool | Awaitable[bool]], *, within_s: float = 20.0) -> None:
    """Return when `happened()` is true; fail after `within_s`."""
    ends = time.monotonic() + within_s
    while True:
        answer = happened()
        if answer if isinstance(answer, bool) else await answer:
            return
        assert time.monotonic() < ends, f"not within {within_s} s"
        await asyncio.sleep(0.01)
