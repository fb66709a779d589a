"""Which run a request is about: the one it names, else the session's newest."""

from __future__ import annotations

from dataclasses import dataclass

from rootproof.diagnosis.backend import Backend
from rootproof.domain.feedback import ResolvedBy
from rootproof.ports.run_directory import RunFilter
from rootproof.ports.run_store import RunRows


@dataclass(frozen=True, slots=True)
class ResolvedRun:
    """A run's rows, and how the request came to it."""

    rows: RunRows
    resolved_by: ResolvedBy


async def resolve_run(backend: Backend, session_id: str, run_id: str | None, *, owner: str) -> ResolvedRun | None:
    """The run, None when there is none of this owner in this session.

    Without `run_id` it is the newest by `created_at DESC, id DESC`: feedback and evaluation touch older runs later, so
    `updated_at` says nothing. Raises: StoreError.
    """
    resolved_by = ResolvedBy.RUN_ID
    if run_id is None:
        newest = await backend.directory.runs(RunFilter(owner=owner, session_id=session_id), limit=1)
        if not newest:
            return None
        run_id, resolved_by = newest[0].run_id, ResolvedBy.LATEST_RUN
    rows = await backend.services.runs.load(run_id, owner=owner)
    if rows is None or rows.run.session_id != session_id:
        return None
    return ResolvedRun(rows, resolved_by)
