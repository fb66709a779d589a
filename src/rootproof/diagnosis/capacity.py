"""Whether one more run may be queued: a service that is behind says so instead of promising."""

from __future__ import annotations

from dataclasses import dataclass

from rootproof.diagnosis.backend import Backend
from rootproof.domain.run import RunStatus
from rootproof.errors import LimitExceeded


@dataclass(frozen=True, slots=True)
class Capacity:
    """How full the queue is."""

    queued: int
    running: int
    max_queued: int

    @property
    def room(self) -> int:
        """Runs that may still be queued."""
        return max(0, self.max_queued - self.queued)


async def capacity_of(backend: Backend, max_queued: int) -> Capacity:
    """How full the queue is, over all processes. Raises: StoreError."""
    counts = await backend.directory.counts()
    return Capacity(counts.get(RunStatus.QUEUED, 0), counts.get(RunStatus.RUNNING, 0), max_queued)


async def check_capacity(backend: Backend, max_queued: int) -> None:
    """Raises: LimitExceeded (`max_queued`) when as many runs wait as may; StoreError."""
    capacity = await capacity_of(backend, max_queued)
    if not capacity.room:
        raise LimitExceeded(
            f"{capacity.queued} runs are waiting already, at most {max_queued} may (worker.max_queued): try again "
            "later, or start more workers",
            limit="max_queued",
        )
