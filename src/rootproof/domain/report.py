"""Drafts and reports: what the executor proposes, and what the user reads after the checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from rootproof.domain.claim import CauseCategory, CheckedClaim, Claim, Confidence


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do or to look at next."""

    text: str
    query: str | None = None
    """A tool query that would decide something, in words or as a command."""
    risk: str | None = None
    """What can go wrong when it is done: `none`, `low`, ... with a reason where there is one."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the executor submits. Root causes are the CAUSE claims, in the order given."""

    summary: str
    healthy: bool = False
    claims: tuple[Claim, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
    strongest_lead: str | None = None
    """Where no cause can be claimed: the best hypothesis and what would decide it."""


class CoverageStatus(StrEnum):
    """What became of a source in this run."""

    OK = "OK"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"
    UNAVAILABLE = "UNAVAILABLE"
    NOT_ASKED = "NOT_ASKED"


@dataclass(frozen=True, slots=True)
class Coverage:
    """One line of the coverage block: a tool and its source, what was asked of it and what it gave."""

    tool: str
    source: str
    status: CoverageStatus
    scanned: int | None = None
    shown: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One dated fact of the report, taken from an evidence item."""

    time: datetime
    text: str
    evidence_id: str


@dataclass(frozen=True, slots=True)
class RootCause:
    """A CAUSE claim that the checks let stand."""

    claim_id: str
    text: str
    cause_id: str
    category: CauseCategory
    objects: tuple[str, ...]
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Report:
    """What the user reads. `root_causes` is ordered; empty when healthy or when nothing is supported."""

    summary: str
    healthy: bool
    root_causes: tuple[RootCause, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
    coverage: tuple[Coverage, ...] = ()


@dataclass(frozen=True, slots=True)
class SelfEvaluation:
    """Counts of the verifier, never a model's opinion of itself."""

    verdicts: Mapping[str, int] = field(default_factory=dict)
    """How many claims got each verdict."""
    supported_ratio: float | None = None
    """SUPPORTED / checkable claims, 0-1; None where nothing was checkable."""
    root_cause_supported: bool = False
    withheld: tuple[str, ...] = ()
    """What was taken out of the report because only text that anyone can write names it; one sentence each."""
