"""The true claims as domain values: one `Case` a claim, with the evidence and coverage of its run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Any

from benchmarks.verifier_claims import more
from rootproof.domain.claim import Citation, Claim, ClaimKind
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage, CoverageStatus

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_COUNT = re.compile(r"([\d,]+) x ")


@dataclass(frozen=True, slots=True)
class Case:
    """One true claim with what it may be checked against."""

    run: str
    claim: Claim
    evidence: Mapping[str, Evidence]
    coverage: tuple[Coverage, ...]


def _evidence(row: tuple[str, ...]) -> Evidence:
    evidence_id, tool, subject, text = row[:4]
    cls = EvidenceClass(row[4]) if len(row) > 4 else EvidenceClass.OBSERVATION
    times = [datetime.fromisoformat(found) for found in _TIME.findall(text)] if cls is EvidenceClass.OBSERVATION else []
    counted = _COUNT.match(text)
    return Evidence(
        id=evidence_id,
        cls=cls,
        tool=tool,
        tool_call_id=f"call-{evidence_id}",
        text=text,
        subject=subject,
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        count=int(counted[1].replace(",", "")) if counted else None,
    )


_FILES = [import_module(f"benchmarks.verifier_claims.runs_{letter}") for letter in "abcdefghijklmnop"]


def load() -> list[Case]:
    """Every true claim, in the order written."""
    return [
        case
        for file in _FILES
        for run in file.RUNS
        for case in _cases(run, [*run["claims"], *more.CLAIMS.get(run["run"], [])])
    ]


def load_false() -> list[Case]:
    """Every claim written by hand that is false, or that its evidence does not show."""
    return [case for file in _FILES for run in file.RUNS for case in _cases(run, run.get("false", []))]


def _cases(run: Mapping[str, Any], claims: Sequence[tuple[Any, ...]]) -> list[Case]:
    evidence = {item.id: item for item in map(_evidence, run["evidence"])}
    coverage = tuple(
        Coverage(tool, "fixtures", CoverageStatus(status), scanned) for tool, status, scanned in run["coverage"]
    )
    cases: list[Case] = []
    for number, (kind, text, cites, *quotes) in enumerate(claims, start=1):
        quoted = dict(zip(cites, quotes, strict=False))
        citations = tuple(Citation(each, quoted.get(each)) for each in cites)
        cases.append(Case(run["run"], Claim(f"C{number}", ClaimKind(kind), text, citations), evidence, coverage))
    return cases
