"""Claims: the sentences of a report that can be true or false, and what code found when it checked them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ClaimKind(StrEnum):
    """What a claim asserts."""

    SYMPTOM = "SYMPTOM"
    CAUSE = "CAUSE"
    IMPACT = "IMPACT"
    RULED_OUT = "RULED_OUT"
    ACTION = "ACTION"


class Verdict(StrEnum):
    """What the checks found."""

    SUPPORTED = "SUPPORTED"
    """Every checkable part was found in the cited evidence, and there was at least one."""
    PARTIAL = "PARTIAL"
    """Some checkable parts were found, others were not; nothing cited says the opposite."""
    CONTRADICTED = "CONTRADICTED"
    """Cited evidence says something else about the same thing."""
    NO_EVIDENCE = "NO_EVIDENCE"
    """Nothing citable backs it: no citation, a citation that does not resolve, or the wrong class of evidence."""
    NOT_CHECKABLE = "NOT_CHECKABLE"
    """There is nothing in it that code could check (advice, judgement)."""


class CauseCategory(StrEnum):
    """The kinds of root cause a report may name."""

    RESOURCE_EXHAUSTION = "RESOURCE_EXHAUSTION"
    CONFIGURATION_ERROR = "CONFIGURATION_ERROR"
    DEPENDENCY_FAILURE = "DEPENDENCY_FAILURE"
    INFRASTRUCTURE_FAILURE = "INFRASTRUCTURE_FAILURE"
    NETWORK_FAILURE = "NETWORK_FAILURE"
    CODE_DEFECT = "CODE_DEFECT"
    TRAFFIC_SURGE = "TRAFFIC_SURGE"
    CERTIFICATE_OR_CREDENTIAL = "CERTIFICATE_OR_CREDENTIAL"
    DATA_OR_STORAGE = "DATA_OR_STORAGE"
    UNKNOWN = "UNKNOWN"


class Confidence(StrEnum):
    """How sure the report is of a root cause; code gives it, from verdicts and coverage."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to an evidence item, with the words relied on where there are some."""

    evidence_id: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence. `cause_id`, `category` and `objects` belong to CAUSE (and RULED_OUT) claims."""

    id: str
    """`C1`, `C2`, ... unique in its report."""
    kind: ClaimKind
    text: str
    citations: tuple[Citation, ...] = ()
    cause_id: str | None = None
    category: CauseCategory | None = None
    objects: tuple[str, ...] = ()
    """What is at fault: `app/x`, `node/x`, `namespace/x`, most specific first."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict; `reasons` name the atom and the evidence, one sentence each."""

    claim: Claim
    verdict: Verdict
    reasons: tuple[str, ...] = ()


def verdict_counts(checked: Sequence[CheckedClaim]) -> dict[Verdict, int]:
    """How many claims got each verdict; every verdict has an entry."""
    counts = dict.fromkeys(Verdict, 0)
    for item in checked:
        counts[item.verdict] += 1
    return counts
