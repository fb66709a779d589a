"""Feedback and cases beside the runs of a house, for the suites of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from rootproof.adapters.memory.cases import InMemoryCaseStore
from rootproof.adapters.memory.feedback import InMemoryFeedbackStore
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.sql.cases import SqlCaseStore
from rootproof.adapters.sql.feedback import SqlFeedbackStore
from rootproof.domain.ids import new_run_id, new_session_id
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.ports.cases import CaseStore
from rootproof.ports.feedback import FeedbackStore
from tests.contracts.conftest import T0, House


@dataclass
class RecordsHouse:
    """A house with feedback and cases in it."""

    house: House
    feedback: FeedbackStore
    cases: CaseStore
    others: Callable[[], tuple[FeedbackStore, CaseStore]]
    """Stores over the same rows, as another worker has them."""

    async def finished(self, owner: str = "ana", session_id: str | None = None, **changes: Any) -> Run:
        """A run that is over."""
        run = await self.started(owner, session_id)
        running = await self.house.runs.update_run(replace(run, status=RunStatus.RUNNING))
        over = replace(running, status=RunStatus.COMPLETED, status_reason=StatusReason.REPORTED, **changes)
        return await self.house.runs.update_run(over)

    async def started(self, owner: str = "ana", session_id: str | None = None) -> Run:
        """A run that is queued."""
        session = ChatSession(session_id or new_session_id(), owner)
        run = Run(new_run_id(), session.session_id, owner, RunMode.CHAT, "why is checkout slow?", T0)
        return await self.house.runs.create_run(session, run)


@pytest.fixture
def records(house: House) -> RecordsHouse:
    """Feedback and cases over the rows of the house."""
    runs = house.runs
    if isinstance(runs, InMemoryRunStore):
        twins = InMemoryFeedbackStore(runs, house.clock), InMemoryCaseStore(house.clock)
        return RecordsHouse(house, *twins, lambda: twins)
    database = house.database
    assert database is not None

    def stores() -> tuple[FeedbackStore, CaseStore]:
        return SqlFeedbackStore(database, house.clock), SqlCaseStore(database, house.clock)

    return RecordsHouse(house, *stores(), stores)
