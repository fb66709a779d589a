"""What is done at a run's end: the session's history, the cases that were shown, the report's way out.

Called when the END step is stored and before the run's row says so, so that a crash in between makes another worker do
it again: everything here is idempotent. Nothing here can make a run fail or wait for long.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.case_uses import note_case_uses
from rootproof.diagnosis.history import remember_run
from rootproof.diagnosis.send_report import queue_report
from rootproof.ports.run_store import RunRows

_log = logging.getLogger(__name__)

_DEADLINE_S = 5.0
"""Of one of them."""


async def after_run(backend: Backend, rows: RunRows) -> None:
    """Do all of it; what fails is logged and left out."""
    chores: tuple[tuple[str, Callable[[Backend, RunRows], Awaitable[object]]], ...] = (
        ("remember the answer in the session", remember_run),
        ("note the cases that were shown", note_case_uses),
        ("queue the report", queue_report),
    )
    for what, do in chores:
        try:
            async with asyncio.timeout(_DEADLINE_S):
                await do(backend, rows)
        except Exception as error:  # noqa: BLE001 - a run has ended well whatever becomes of what follows it
            _log.warning("could not %s: %s: %s", what, type(error).__name__, error)
