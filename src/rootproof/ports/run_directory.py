"""Reading many runs, and one run's news: what lists, streams and metrics need. Each answer costs what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rootproof.domain.run import Run, RunMode, RunStatus
from rootproof.domain.session import ChatSession
from rootproof.ports.run_store import RunRows


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs; None means any."""

    owner: str | None = None
    session_id: str | None = None
    incident_id: str | None = None
    status: RunStatus | None = None
    mode: RunMode | None = None
    service: str | None = None
    severity: str | None = None
    text: str | None = None
    """Part of the question or of the report's summary; the case of ASCII letters is ignored."""
    root_cause_supported: bool | None = None
    """What the run's self-evaluation says; a run without one is neither."""


def run_says(run: Run, text: str) -> bool:
    """Whether the text stands in the run's question or summary, ASCII letters compared without case."""
    summary = (run.headline or run.report or {}).get("summary")
    wanted = folded(text)
    return any(wanted in folded(part) for part in (run.question, summary) if isinstance(part, str))


def folded(text: str) -> str:
    """`text` with the ASCII letters in lower case: what every database can do alike."""
    return text.translate(_LOWER)


_LOWER = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


class RunDirectory(Protocol):
    """Raises StoreError."""

    async def runs(
        self, which: RunFilter, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Run]:
        """Runs by `created_at DESC, id DESC`, after the (created_at, run_id) of the last one seen.

        Shape: as lists need them: `sources` is empty, and `report` is there only where there is no `headline`.

        Raises: UsageError for a `text` that stands in the data of too many runs that do not say it.
        """
        ...

    async def run(self, run_id: str, *, owner: str) -> Run | None:
        """One run's row, whole, without its steps; None when there is none of this owner."""
        ...

    async def sessions(
        self, owner: str, *, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[ChatSession]:
        """Sessions by `last_active_at DESC, id DESC`, after the (last_active_at, session_id) of the last one seen."""
        ...

    async def session(self, session_id: str, *, owner: str) -> ChatSession | None:
        """One session; None when there is none or it is another owner's."""
        ...

    async def news(self, run_id: str, *, after: int, owner: str) -> RunRows | None:
        """The run's row, and its steps and invocations with `seq > after`; None when there is none of this owner.

        Shape: from one snapshot, so whatever was written up to the highest `seq` in it is in it, or was replaced by it.
        """
        ...

    async def counts(self) -> Mapping[RunStatus, int]:
        """How many runs are QUEUED and RUNNING."""
        ...
