"""Cases as their owner sees them: the same models for HTTP and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from rootproof.diagnosis.present import View
from rootproof.domain.case import Case, CaseUse

_EXAMPLE: dict[str, JsonValue] = {
    "caseId": "case-3f0c9c0e-2d52-4f0d-a5ae-4b6c1b7d0c55",
    "diagnosisId": "run-5a4f2c1e-8a0d-4b55-a8b8-0c6a2d1f9e77",
    "title": "OrdersSlow: the connection pool of orders was exhausted",
    "symptom": "orders logged 214 times that it waited for a connection",
    "rootCause": "the connection pool of orders was exhausted",
    "solution": "Raise the pool's size, and look for connections that are not given back.",
    "source": "FEEDBACK",
    "causeId": "connection_pool_exhausted",
    "objects": ["app/orders"],
    "service": "orders",
    "alertName": "OrdersSlow",
    "feedbackId": "fb-0b0c7b7e-6f6d-4b0e-9a55-5f0f6c1b2a11",
    "createdAt": "2026-03-04T05:06:07Z",
    "revokedAt": None,
    "revokeReason": None,
}
_CONFIG = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class CaseView(View):
    """A confirmed or corrected diagnosis. Runs find it as MEMORY: a hypothesis to test, evidence of nothing."""

    model_config = ConfigDict(**_CONFIG, json_schema_extra={"examples": [_EXAMPLE]})

    case_id: str = Field(description="Its id.", examples=[_EXAMPLE["caseId"]])
    diagnosis_id: str = Field(description="The run that it was made from; old cases hold a session id.")
    title: str = Field(description="What it is about, in a line.")
    symptom: str = Field(description="What was seen.")
    root_cause: str = Field(description="Why: the report's supported cause, or the corrected one.")
    solution: str = Field(description="What helped, or what the report advised.")
    source: str = Field(description="How it came to be.", examples=["FEEDBACK"])
    cause_id: str | None = Field(description="The hypothesis, where one was named.")
    objects: list[str] = Field(description="What was at fault, without names of single pods.")
    service: str | None = Field(description="The service that the alert named.")
    alert_name: str | None = Field(description="The alert's name.")
    feedback_id: str | None = Field(description="The feedback that confirmed or corrected the run.")
    created_at: datetime | None = Field(description="When it was made.")
    revoked_at: datetime | None = Field(description="When it was revoked; null while runs may find it.")
    revoke_reason: str | None = Field(description="Why it was revoked.")


class CaseUseView(View):
    """A run that was shown the case."""

    run_id: str = Field(description="The run.")
    session_id: str = Field(description="Its session.")
    used_at: datetime = Field(description="When the use was noted: at the run's end.")


class CaseDetailView(CaseView):
    """A case, and which later runs were shown it."""

    model_config = ConfigDict(**_CONFIG, json_schema_extra={"examples": [{**_EXAMPLE, "usedBy": []}]})

    used_by: list[CaseUseView] = Field(description="The newest 100 runs that were shown the case, newest first.")


class CaseListView(View):
    """A page of cases."""

    items: list[CaseView] = Field(description="Newest first.")
    next_cursor: str | None = Field(description="The next page's `cursor`; null on the last page.")


def case_view(case: Case) -> CaseView:
    """The case without its uses."""
    return CaseView.model_validate(_fields(case))


def case_detail(case: Case, uses: Sequence[CaseUse]) -> CaseDetailView:
    """The case with the runs that were shown it."""
    used_by = [CaseUseView(run_id=use.run_id, session_id=use.session_id, used_at=use.used_at) for use in uses]
    return CaseDetailView.model_validate({**_fields(case), "used_by": used_by})


def _fields(case: Case) -> dict[str, object]:
    return {
        "case_id": case.case_id,
        "diagnosis_id": case.diagnosis_id,
        "title": case.title,
        "symptom": case.symptom,
        "root_cause": case.root_cause,
        "solution": case.solution,
        "source": case.source,
        "cause_id": case.cause_id,
        "objects": list(case.objects),
        "service": case.service,
        "alert_name": case.alert_name,
        "feedback_id": case.feedback_id,
        "created_at": case.created_at,
        "revoked_at": case.revoked_at,
        "revoke_reason": case.revoke_reason,
    }
