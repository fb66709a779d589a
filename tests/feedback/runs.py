"""Runs that are over, for tests of what people say of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rootproof.domain.ids import new_run_id, new_session_id
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.ports.run_store import RunStore
from tests.contracts.conftest import T0


async def started(runs: RunStore, owner: str = "ana", session_id: str | None = None) -> Run:
    """A run that is queued."""
    session = ChatSession(session_id or new_session_id(), owner)
    return await runs.create_run(session, Run(new_run_id(), session.session_id, owner, RunMode.CHAT, "why?", T0))


async def finished(
    runs: RunStore,
    owner: str = "ana",
    session_id: str | None = None,
    *,
    claims: tuple[str, ...] = ("C1",),
    status: RunStatus = RunStatus.COMPLETED,
    **changes: Any,
) -> Run:
    """A run that is over; its report has claims of these ids."""
    run = await started(runs, owner, session_id)
    running = await runs.update_run(replace(run, status=RunStatus.RUNNING))
    report = {"summary": "", "claims": [{"claim": {"id": claim}, "verdict": "SUPPORTED"} for claim in claims]}
    over = replace(running, status=status, status_reason=StatusReason.REPORTED, report=report, **changes)
    return await runs.update_run(over)
