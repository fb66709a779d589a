"""The agents' answers: tool calls too, so that every provider can give them and a bad one is just a failed call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rootproof.domain.claim import CauseCategory, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.plan import Intent, Plan
from rootproof.domain.report import Draft, NextStep
from rootproof.ports.model import ToolSpec

SUBMIT_PLAN = "submit_plan"
SUBMIT_REPORT = "submit_report"
SUBMIT_VERDICTS = "submit_verdicts"
MAX_CLAIMS = 40


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")


class PlanAnswer(_Answer):
    """Arguments of `submit_plan`."""

    intent: Intent = Field(
        description="INCIDENT: find out what is wrong, or whether anything is. KNOWLEDGE: a how-to or what-is question."
    )
    skills: list[str] = Field(default_factory=list, max_length=5, description="Names of skills to follow, best first.")
    steps: list[str] = Field(default_factory=list, max_length=12, description="What to look at, one line each.")
    reason: str = Field("", max_length=1_000)

    def to_domain(self) -> Plan:
        """The plan."""
        return Plan(self.intent, tuple(self.skills), tuple(self.steps), self.reason)


class CitationAnswer(_Answer):
    """One citation of a claim."""

    evidence_id: str = Field(max_length=64, description="An id that a tool result gave, such as E12.")
    quote: str | None = Field(None, max_length=400, description="Words copied exactly from that item.")


class ClaimAnswer(_Answer):
    """One claim."""

    kind: ClaimKind
    text: str = Field(min_length=1, max_length=1_200, description="One sentence. Every number, name and time in it "
                      "must stand in the items it cites.")  # fmt: skip
    citations: list[CitationAnswer] = Field(default_factory=list, max_length=12)
    cause_id: str | None = Field(None, max_length=80, description="For CAUSE: a short snake_case name of the cause.")
    category: CauseCategory | None = None
    objects: list[str] = Field(default_factory=list, max_length=8, description="What is at fault: app/x, node/x, ...")


class NextStepAnswer(_Answer):
    """One next step."""

    text: str = Field(min_length=1, max_length=600)
    query: str | None = Field(None, max_length=400)
    risk: str | None = Field(None, max_length=200)


class ReportAnswer(_Answer):
    """Arguments of `submit_report`."""

    summary: str = Field(max_length=4_000, description="Two or three sentences for a tired engineer.")
    healthy: bool = Field(False, description="True only when evidence shows that nothing is wrong now.")
    claims: list[ClaimAnswer] = Field(default_factory=list, max_length=MAX_CLAIMS)
    next_steps: list[NextStepAnswer] = Field(default_factory=list, max_length=12)
    strongest_lead: str | None = Field(None, max_length=600, description="Where no cause is proven: the best "
                                       "hypothesis, and the query that would decide.")  # fmt: skip

    def to_domain(self) -> Draft:
        """The draft; claims are numbered `C1`, `C2`, ... in the order given."""
        return Draft(
            summary=self.summary,
            healthy=self.healthy,
            claims=tuple(_claim(number, item) for number, item in enumerate(self.claims, start=1)),
            next_steps=tuple(NextStep(item.text, item.query, item.risk) for item in self.next_steps),
            strongest_lead=self.strongest_lead,
        )


class LoweredAnswer(_Answer):
    """One verdict that the verifier wants lower than what code found."""

    claim_id: str = Field(max_length=12)
    verdict: Verdict
    reason: str = Field(min_length=1, max_length=600)


class VerdictsAnswer(_Answer):
    """Arguments of `submit_verdicts`."""

    lower: list[LoweredAnswer] = Field(
        default_factory=list, max_length=MAX_CLAIMS, description="Claims whose verdict should be lower, and why."
    )


_MODELS: Mapping[str, type[_Answer]] = {
    SUBMIT_PLAN: PlanAnswer,
    SUBMIT_REPORT: ReportAnswer,
    SUBMIT_VERDICTS: VerdictsAnswer,
}
_DESCRIPTIONS = {
    SUBMIT_PLAN: "Give the plan. Call this once; it ends your work.",
    SUBMIT_REPORT: "Give the report. Call this once, alone, when the evidence is in; it ends your work.",
    SUBMIT_VERDICTS: "Give the verdicts to lower; an empty list when none. It ends your work.",
}


@cache
def answer_spec(name: str) -> ToolSpec:
    """What a model is told of an answer tool."""
    return ToolSpec(name, _DESCRIPTIONS[name], _MODELS[name].model_json_schema())


def parse_answer(name: str, arguments: str) -> dict[str, Any]:
    """The validated answer as plain JSON, to be stored with the step.

    Raises: ValueError that says which field is wrong and how.
    """
    try:
        return _MODELS[name].model_validate_json(arguments or "{}").model_dump(mode="json")
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)[:5]
        )
        raise ValueError(f"{name}: {problems}") from error


def plan_of(answer: Mapping[str, Any]) -> Plan:
    """The plan that a stored PLAN step holds."""
    return PlanAnswer.model_validate(answer).to_domain()


def draft_of(answer: Mapping[str, Any]) -> Draft:
    """The draft that a stored DRAFT step holds."""
    return ReportAnswer.model_validate(answer).to_domain()


def lowered_of(answer: Mapping[str, Any]) -> Sequence[LoweredAnswer]:
    """The verdicts to lower that a stored VERDICTS step holds."""
    return VerdictsAnswer.model_validate(answer).lower


def _claim(number: int, item: ClaimAnswer) -> Claim:
    return Claim(
        id=f"C{number}",
        kind=item.kind,
        text=item.text,
        citations=tuple(Citation(citation.evidence_id, citation.quote or None) for citation in item.citations),
        cause_id=item.cause_id,
        category=item.category,
        objects=tuple(item.objects),
    )
