"""Read a report that came from anywhere: claims, evidence and coverage in the machine-readable form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.present import CitationView, CoverageView, EvidenceView, View
from rootproof.domain.claim import CauseCategory, Citation, Claim, ClaimKind
from rootproof.domain.evidence import Evidence
from rootproof.domain.report import Coverage
from rootproof.errors import UsageError


class ClaimInput(View):
    """A claim as given; a verdict that it carries is ignored."""

    id: str
    kind: ClaimKind = ClaimKind.SYMPTOM
    text: str
    citations: list[CitationView] = Field(default_factory=list)
    cause_id: str | None = None
    category: CauseCategory | None = None
    objects: list[str] = Field(default_factory=list)


class EvidenceInput(EvidenceView):
    """An evidence item as given: id, class and text are enough."""

    tool: str = ""
    tool_call_id: str = ""


class RootCauseInput(View):
    """A root cause as given: the claim it repeats."""

    claim_id: str
    text: str


class ReportInput(View):
    """The whole file. A report of `diagnose --json` fits as well: its claims stand under `report`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)
    claims: list[ClaimInput] = Field(default_factory=list)
    evidence: list[EvidenceInput] = Field(default_factory=list)
    coverage: list[CoverageView] = Field(default_factory=list)
    summary: str = ""
    reasoner: str = ""
    root_causes: list[RootCauseInput] = Field(default_factory=list)
    report: ReportInput | None = None


@dataclass(frozen=True, slots=True)
class GivenReport:
    """What there is to verify."""

    claims: Sequence[Claim]
    """The report's claims, then one for each root cause whose text is not that of its claim."""
    evidence: Mapping[str, Evidence]
    coverage: Sequence[Coverage]
    summary: str
    reasoner: str = ""


def read_report(data: bytes) -> GivenReport:
    """The report. Raises: UsageError that names the field."""
    try:
        given = ReportInput.model_validate_json(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'file'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)[:5]
        )
        raise UsageError(f"this is no report to verify: {problems}. It needs claims, evidence and coverage") from error
    inner = given.report or given
    evidence = given.evidence or inner.evidence
    claims = [_claim(item) for item in inner.claims or given.claims]
    if not claims:
        raise UsageError("this report has no claims: `claims` is missing or empty")
    coverage = inner.coverage or given.coverage
    claims += _restated(inner.root_causes or given.root_causes, claims)
    return GivenReport(
        claims,
        {item.id: _evidence(item) for item in evidence},
        [Coverage(c.tool, c.source, c.status, c.scanned, c.shown, c.detail) for c in coverage],
        inner.summary or given.summary,
        given.reasoner,
    )


def _restated(causes: Sequence[RootCauseInput], claims: Sequence[Claim]) -> list[Claim]:
    """A claim for each root cause that says something else than the claim it names."""
    by_id = {claim.id: claim for claim in claims}
    return [
        Claim(f"rootCauses[{index}]", ClaimKind.CAUSE, cause.text, by_id[cause.claim_id].citations)
        if cause.claim_id in by_id
        else Claim(f"rootCauses[{index}]", ClaimKind.CAUSE, cause.text)
        for index, cause in enumerate(causes)
        if cause.claim_id not in by_id or by_id[cause.claim_id].text != cause.text
    ]


def _claim(item: ClaimInput) -> Claim:
    citations = tuple(Citation(citation.evidence_id, citation.quote) for citation in item.citations)
    return Claim(item.id, item.kind, item.text, citations, item.cause_id, item.category, tuple(item.objects))


def _evidence(item: EvidenceInput) -> Evidence:
    return Evidence(
        item.id,
        item.cls,
        item.tool,
        item.tool_call_id,
        item.text,
        item.source,
        item.subject,
        item.first_at,
        item.last_at,
        item.count,
    )
