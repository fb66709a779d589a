"""What the use cases need, put together by `bootstrap`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from rootproof.domain.limits import RunLimits
from rootproof.domain.step import Agent, Step
from rootproof.ports.canonical_store import CanonicalInvocationStore
from rootproof.ports.clock import Clock
from rootproof.ports.model import Model
from rootproof.ports.run_store import RunStore
from rootproof.ports.skills import SkillCatalog
from rootproof.redaction import HIDE_ALL, Policy


@dataclass(frozen=True, slots=True)
class Services:
    """Stores, clock and models; sources and skills belong to a run and are passed beside this."""

    runs: RunStore
    canonical: CanonicalInvocationStore
    clock: Clock
    model: Callable[[str, SkillCatalog], Model]
    """A model by its spec, for a run with these skills. Raises: UsageError for a spec that names none."""
    limits: RunLimits = field(default_factory=RunLimits)
    policy: Policy = HIDE_ALL
    """Which identifiers stay readable in runs that begin now."""
    raw_ttl: timedelta = timedelta(days=7)
    session_ttl: timedelta = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Progress:
    """What just happened, for people who watch: already redacted."""

    step: Step | None = None
    asked: Agent | None = None
    """Whose turn has begun: its model is asked now."""
    tool: str | None = None
    status: str | None = None
    detail: str = ""


Watcher = Callable[[Progress], None]


def nobody(_progress: Progress) -> None:
    """Watches nothing."""
