"""What the service needs beside a run's own services, put together by `bootstrap`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rootproof.diagnosis.services import Services
from rootproof.domain.outgoing import ReportTargets
from rootproof.ports.api_keys import ApiKeyStore
from rootproof.ports.cases import CaseStore
from rootproof.ports.event_bus import EventBus
from rootproof.ports.feedback import FeedbackStore
from rootproof.ports.incidents import IncidentStore
from rootproof.ports.outbox import OutboxStore
from rootproof.ports.run_directory import RunDirectory
from rootproof.ports.run_leases import RunLeases
from rootproof.ports.run_queue import RunQueue
from rootproof.ports.session_context import SessionContextStore
from rootproof.ports.telemetry import NoTelemetry, Telemetry

if TYPE_CHECKING:
    from rootproof.domain.run import Run
    from rootproof.ports.skills import SkillCatalog
    from rootproof.ports.sources import Sources


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What one run works with, opened."""

    sources: Sources
    skills: SkillCatalog


@dataclass(frozen=True, slots=True)
class RunBasis:
    """What every new run of the service starts from."""

    sources: Mapping[str, Any] = field(default_factory=dict)
    """For `RunRequest.sources`, beside an alert's `payload`."""
    now: datetime | None = None
    """For `RunRequest.now`: the clock of a recorded incident; None means the wall clock."""
    reasoner: str = "playbook"
    """For `RunRequest.reasoner`."""


@dataclass(frozen=True, slots=True)
class Backend:
    """Every store and channel of the service, on MySQL + Redis or embedded."""

    services: Services
    leases: RunLeases
    directory: RunDirectory
    sessions: SessionContextStore
    bus: EventBus
    queue: RunQueue
    keys: ApiKeyStore
    feedback: FeedbackStore
    cases: CaseStore
    incidents: IncidentStore
    outbox: OutboxStore
    inputs_of: Callable[[Run], Awaitable[RunInputs]]
    """The sources and skills of a stored run, opened again. Raises: UsageError when they are gone; StoreError."""
    notify: ReportTargets = field(default_factory=ReportTargets)
    """Where finished reports go."""
    basis: RunBasis = field(default_factory=RunBasis)
    telemetry: Telemetry = field(default_factory=NoTelemetry)
    """Metrics and spans of this process."""
    span_content: bool = False
    """Whether spans hold prompts and answers."""

    close_channels: Callable[[], Awaitable[None]] | None = None
    """Closes what bus, queue and sessions share."""

    async def close(self) -> None:
        """Release every connection."""
        await self.queue.close()
        await self.bus.close()
        await self.sessions.close()
        if self.close_channels is not None:
            await self.close_channels()
        await self.services.runs.close()
