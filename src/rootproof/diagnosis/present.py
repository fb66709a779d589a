"""What the owner of a run sees: the machine-readable run (`schemaVersion` 1), identifiers shown again.

The same models serve `diagnose --json`, `runs show --json` and the HTTP API. Credentials are never restored: their
placeholders have nothing behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rootproof.aci.identifiers import restore
from rootproof.agent.stored_briefing import briefing_from
from rootproof.domain.claim import CauseCategory, ClaimKind, Confidence, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.invocation import Invocation, is_final
from rootproof.domain.report import CoverageStatus
from rootproof.domain.run import COMPATIBILITY_NOTE, Run, RunMode, RunStatus, StatusReason
from rootproof.domain.step import MODEL_STEPS, Step, StepKind
from rootproof.errors import StoreError
from rootproof.ports.run_store import RunRows


class View(BaseModel):
    """A part of a run as others see it: camelCase, nothing unknown."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
    )


class CitationView(View):
    """A reference to an evidence item."""

    evidence_id: str
    quote: str | None = None


class ClaimView(View):
    """A claim with its verdict."""

    id: str
    kind: ClaimKind
    text: str
    citations: list[CitationView] = Field(default_factory=list)
    cause_id: str | None = None
    category: CauseCategory | None = None
    objects: list[str] = Field(default_factory=list)
    verdict: Verdict
    reasons: list[str] = Field(default_factory=list)


class RootCauseView(View):
    """A cause that the checks let stand."""

    claim_id: str
    text: str
    cause_id: str
    category: CauseCategory
    objects: list[str]
    confidence: Confidence


class TimelineView(View):
    """A dated fact."""

    time: datetime
    text: str
    evidence_id: str


class NextStepView(View):
    """Something to do or to look at."""

    text: str
    query: str | None = None
    risk: str | None = None


class CoverageView(View):
    """What became of a source."""

    tool: str
    source: str
    status: CoverageStatus
    scanned: int | None = None
    shown: int | None = None
    detail: str = ""


class ReportView(View):
    """The report."""

    summary: str
    healthy: bool
    root_causes: list[RootCauseView] = Field(default_factory=list)
    claims: list[ClaimView] = Field(default_factory=list)
    timeline: list[TimelineView] = Field(default_factory=list)
    next_steps: list[NextStepView] = Field(default_factory=list)
    coverage: list[CoverageView] = Field(default_factory=list)


class EvidenceView(View):
    """One evidence item."""

    id: str
    cls: EvidenceClass = Field(alias="class")
    tool: str
    tool_call_id: str
    text: str
    source: str = ""
    subject: str | None = None
    first_at: datetime | None = None
    last_at: datetime | None = None
    count: int | None = None


class SelfEvaluationView(View):
    """Counts of the verifier."""

    verdicts: dict[str, int] = Field(default_factory=dict)
    supported_ratio: float | None = None
    root_cause_supported: bool = False
    withheld: list[str] = Field(default_factory=list)


class UsageView(View):
    """What the run cost."""

    tool_calls: int = 0
    model_requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    agent_visible_bytes: int = 0
    duration_ms: int = 0


class RunView(View):
    """One run, whole."""

    schema_version: Literal[1] = 1
    session_id: str
    """The conversation that the run belongs to."""
    run_id: str
    """`run-` and a UUID."""
    status: RunStatus
    status_reason: StatusReason | None
    """Why the run ended; null while it has not."""
    status_detail: str = ""
    """The reason in words."""
    mode: RunMode
    """CHAT: a question; PAYLOAD_TARGETED: an alert; AUTO_DISCOVERY: neither."""
    reasoner: str
    """The model that was asked for: `playbook`, `openai:<model>`, ..."""
    question: str
    now: datetime | None = Field(None, exclude=True)
    """The clock of the investigation, for people's reports; the machine-readable shape has no room for it."""
    report: ReportView | None
    """Null until the run has ended."""
    evidence: list[EvidenceView]
    """What the claims may cite, in the order in which it was found."""
    self_evaluation: SelfEvaluationView | None
    """Counts of the verifier, never a model's opinion of itself."""
    usage: UsageView


class RunSummaryView(View):
    """One line of a run list, from the run's row alone."""

    session_id: str
    run_id: str
    status: RunStatus
    status_reason: StatusReason | None
    """Why the run ended; null while it has not."""
    mode: RunMode
    """CHAT: a question; PAYLOAD_TARGETED: an alert; AUTO_DISCOVERY: neither."""
    reasoner: str
    """The model that was asked for."""
    question: str
    summary: str
    """Of the report; empty while there is none."""
    root_causes: list[RootCauseView]
    """Causes that the checks let stand, the likeliest first."""
    healthy: bool
    verdicts: dict[str, int] = Field(default_factory=dict)
    """How many claims got each verdict."""
    root_cause_supported: bool | None = None
    """Whether a root cause stands; null while the run has not been evaluated."""
    service: str | None = None
    """The service that the alert names."""
    severity: str | None = None
    """The alert's: critical, warning, info."""
    incident_id: str | None = None
    """The incident whose alerts began the run."""
    feedback: dict[str, Any] | None = None
    """The latest that people said of the run."""
    compatibility: bool = False
    """Made from a row of the old schema: its steps may be those of several rounds."""
    cancel_requested: bool = False
    """Whether someone asked to stop the run."""
    step_count: int
    tool_call_count: int
    token_count: int = 0
    duration_ms: int
    created_at: datetime | None
    updated_at: datetime | None = None
    """The last change of any row of the run; lists are not ordered by it."""


def run_view(rows: RunRows) -> RunView:
    """The run as its owner sees it."""
    run = rows.run
    identifiers = identifiers_of(rows.steps, rows.invocations)
    end = next((step.output for step in rows.steps if step.kind is StepKind.END), {})
    return RunView(
        session_id=run.session_id,
        run_id=run.run_id,
        status=run.status,
        status_reason=run.status_reason,
        status_detail=COMPATIBILITY_NOTE if run.compatibility else restore(end.get("detail", ""), identifiers),
        mode=run.mode,
        reasoner=run.reasoner,
        question=run.question,
        now=run.now,
        report=report_view(end.get("report", run.report), identifiers),
        evidence=[evidence_view(item, identifiers) for item in _evidence(rows)],
        self_evaluation=evaluation_view(end.get("selfEvaluation", run.self_evaluation)),
        usage=UsageView.model_validate(end["usage"]) if "usage" in end else _usage_so_far(rows),
    )


def run_summary(run: Run) -> RunSummaryView:
    """The run in one line. A row that an older version wrote has no headline: its report says what it can."""
    told: Mapping[str, Any] = run.headline or _told_by(run.report)
    evaluation = run.self_evaluation or {}
    return RunSummaryView(
        session_id=run.session_id,
        run_id=run.run_id,
        status=run.status,
        status_reason=run.status_reason,
        mode=run.mode,
        reasoner=run.reasoner,
        question=run.question,
        summary=told.get("summary") or "",
        root_causes=[RootCauseView.model_validate(cause) for cause in told.get("rootCauses") or ()],
        healthy=bool(told.get("healthy")),
        verdicts=told.get("verdicts") or evaluation.get("verdicts") or {},
        root_cause_supported=evaluation.get("root_cause_supported"),
        service=run.service,
        severity=run.severity,
        incident_id=run.incident_id,
        feedback=run.feedback,
        compatibility=run.compatibility,
        cancel_requested=run.cancel_requested_at is not None,
        step_count=run.step_count,
        tool_call_count=run.tool_call_count,
        token_count=run.total_token_count,
        duration_ms=run.total_duration_ms,
        created_at=run.created_at,
        updated_at=run.updated_at,
    )


@contextmanager
def readable(run_id: str) -> Iterator[None]:
    """Raises: StoreError where stored rows do not have the shape that this version writes."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RecursionError) as error:
        raise StoreError(
            f"run {run_id} cannot be read: its stored rows are damaged, or another version wrote them "
            f"({type(error).__name__})"
        ) from error


def identifiers_of(steps: Iterable[Step], invocations: Iterable[Invocation]) -> dict[str, str]:
    """The run's map from placeholders to what they stand for, as `agent.state.fold` has it, without folding."""
    found: dict[str, str] = {}
    for step in steps:
        if step.kind in (StepKind.BRIEFING, StepKind.SKILL_READ):
            found |= step.output.get("identifiers", {})
    for call in invocations:
        if is_final(call.status):
            found |= call.identifiers
    return found


def report_view(report: Mapping[str, Any] | None, identifiers: Mapping[str, str]) -> ReportView | None:
    """The stored report with identifiers shown again."""
    if report is None:
        return None
    shown = restore(dict(report), identifiers)
    shown["claims"] = [
        {**item["claim"], "verdict": item["verdict"], "reasons": item["reasons"]} for item in shown.get("claims") or ()
    ]
    shown["healthy"] = bool(shown.get("healthy"))
    return ReportView.model_validate(shown)


def evidence_view(item: Evidence, identifiers: Mapping[str, str]) -> EvidenceView:
    """One evidence item with identifiers shown again."""
    return EvidenceView(
        id=item.id,
        cls=item.cls,
        tool=item.tool,
        tool_call_id=item.tool_call_id,
        text=restore(item.text, identifiers),
        source=restore(item.source, identifiers),
        subject=restore(item.subject, identifiers),
        first_at=item.first_at,
        last_at=item.last_at,
        count=item.count,
    )


def evaluation_view(stored: Mapping[str, Any] | None) -> SelfEvaluationView | None:
    """The stored self-evaluation."""
    return SelfEvaluationView.model_validate(stored) if stored is not None else None


def _evidence(rows: RunRows) -> Iterable[Evidence]:
    """All evidence by its id: what was reported, then what calls found."""
    found: dict[str, Evidence] = {}
    for step in rows.steps:
        if step.kind is StepKind.BRIEFING and (briefing := briefing_from(step.output)) is not None:
            found |= {item.id: item for item in (*briefing.reported, *briefing.earlier)}
    for call in rows.invocations:
        if is_final(call.status):
            found |= {item.id: item for item in call.evidence}
    return found.values()


def _told_by(report: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a stored report says for a list."""
    told = report or {}
    return {
        "summary": told.get("summary"),
        "healthy": told.get("healthy"),
        "rootCauses": told.get("root_causes"),
    }


def _usage_so_far(rows: RunRows) -> UsageView:
    done = [call for call in rows.invocations if is_final(call.status)]
    turns = [step for step in rows.steps if step.kind in MODEL_STEPS]
    return UsageView(
        tool_calls=len(done),
        model_requests=len(turns),
        input_tokens=sum(step.input_tokens for step in turns),
        output_tokens=sum(step.output_tokens for step in turns),
        agent_visible_bytes=sum(call.agent_visible_bytes for call in done),
        duration_ms=rows.run.total_duration_ms,
    )
