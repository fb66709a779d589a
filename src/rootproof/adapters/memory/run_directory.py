"""A RunDirectory over the rows of an `InMemoryRunStore`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.domain.run import Run, RunStatus, is_terminal
from rootproof.domain.session import ChatSession
from rootproof.ports.run_directory import RunFilter, run_says
from rootproof.ports.run_store import RunRows

_EVERY = 1_000_000


class InMemoryRunDirectory:
    """Looks through everything: for tests, demos and benchmarks."""

    def __init__(self, runs: InMemoryRunStore) -> None:
        self._runs = runs

    async def runs(
        self, which: RunFilter, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`, after the one that was seen last."""
        found = await self._runs.list_runs(owner=which.owner, session_id=which.session_id, limit=_EVERY, before=before)
        return tuple(_in_a_list(run) for run in found if _matches(run, which))[: max(limit, 0)]

    async def run(self, run_id: str, *, owner: str) -> Run | None:
        """One run's row; None when there is none of this owner."""
        rows = await self._runs.load(run_id, owner=owner)
        return rows.run if rows is not None else None

    async def sessions(
        self, owner: str, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[ChatSession]:
        """Sessions by `last_active_at DESC, id DESC`, after the one that was seen last."""
        mine = [session for session in self._runs.sessions() if session.owner == owner]
        number = {session.session_id: place for place, session in enumerate(mine, start=1)}
        found = sorted(((_active(session), number[session.session_id]) for session in mine), reverse=True)
        if before is not None:
            seen = (before[0].astimezone(UTC), number.get(before[1], 0))
            found = [place for place in found if place < seen]
        return tuple(copy.deepcopy(mine[place - 1]) for _, place in found[: max(limit, 0)])

    async def session(self, session_id: str, *, owner: str) -> ChatSession | None:
        """One session; None when there is none or it is another owner's."""
        found = next((each for each in self._runs.sessions() if each.session_id == session_id), None)
        return copy.deepcopy(found) if found is not None and found.owner == owner else None

    async def news(self, run_id: str, *, after: int, owner: str) -> RunRows | None:
        """The run's row, and its steps and invocations with `seq > after`."""
        rows = await self._runs.load(run_id, owner=owner)
        if rows is None:
            return None
        return RunRows(
            rows.run,
            tuple(step for step in rows.steps if step.seq > after),
            tuple(call for call in rows.invocations if call.seq > after),
        )

    async def counts(self) -> Mapping[RunStatus, int]:
        """How many runs are QUEUED and RUNNING."""
        counts = {status: 0 for status in RunStatus if not is_terminal(status)}
        for run in await self._runs.list_runs(limit=_EVERY):
            if run.status in counts:
                counts[run.status] += 1
        return counts


def _in_a_list(run: Run) -> Run:
    return replace(run, sources={}, report=None if run.headline is not None else run.report)


def _active(session: ChatSession) -> datetime:
    return session.last_active_at or datetime.min.replace(tzinfo=UTC)


def _matches(run: Run, which: RunFilter) -> bool:
    wanted = (
        (which.incident_id, run.incident_id),
        (which.status, run.status),
        (which.mode, run.mode),
        (which.service, run.service),
        (which.severity, run.severity),
    )
    if any(asked is not None and asked != has for asked, has in wanted):
        return False
    if which.root_cause_supported is not None:
        said = (run.self_evaluation or {}).get("root_cause_supported")
        if said is not which.root_cause_supported:
            return False
    return which.text is None or run_says(run, which.text)
