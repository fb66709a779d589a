"""What the owner of a run sees: the machine-readable run (`schemaVersion` 1), identifiers shown again.

The same models serve `diagnose --json`, `runs show --json` and the HTTP API. Credentials are never restored: their
placeholders have nothing behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rootproof.aci.identifiers import restore
from rootproof.agent.state import RunState, fold
from rootproof.domain.claim import CauseCategory, ClaimKind, Confidence, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import CoverageStatus
from rootproof.domain.run import RunMode, RunStatus, StatusReason
from rootproof.ports.run_store import RunRows


class View(BaseModel):
    """A part of a run as others see it: camelCase, nothing unknown."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


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
    run_id: str
    status: RunStatus
    status_reason: StatusReason | None
    status_detail: str = ""
    mode: RunMode
    reasoner: str
    question: str
    now: datetime | None = Field(None, exclude=True)
    """The clock of the investigation, for people's reports; the machine-readable shape has no room for it."""
    report: ReportView | None
    evidence: list[EvidenceView]
    self_evaluation: SelfEvaluationView | None
    usage: UsageView


class RunSummaryView(View):
    """One line of a run list."""

    session_id: str
    run_id: str
    status: RunStatus
    status_reason: StatusReason | None
    mode: RunMode
    reasoner: str
    question: str
    summary: str
    root_causes: list[RootCauseView]
    healthy: bool
    step_count: int
    tool_call_count: int
    duration_ms: int
    created_at: datetime | None


def run_view(rows: RunRows) -> RunView:
    """The run as its owner sees it."""
    state = fold(rows.run, rows.steps, rows.invocations)
    run = rows.run
    end = state.end.output if state.end else {}
    return RunView(
        session_id=run.session_id,
        run_id=run.run_id,
        status=run.status,
        status_reason=run.status_reason,
        status_detail=restore(end.get("detail", ""), state.identifiers),
        mode=run.mode,
        reasoner=run.reasoner,
        question=run.question,
        now=run.now,
        report=report_view(end.get("report"), state.identifiers),
        evidence=[evidence_view(item, state.identifiers) for item in state.evidence.values()],
        self_evaluation=_evaluation(end.get("selfEvaluation")),
        usage=UsageView.model_validate(end["usage"]) if "usage" in end else _usage_so_far(state),
    )


def run_summary(rows: RunRows) -> RunSummaryView:
    """The run in one line."""
    view = run_view(rows)
    report = view.report
    return RunSummaryView(
        session_id=view.session_id,
        run_id=view.run_id,
        status=view.status,
        status_reason=view.status_reason,
        mode=view.mode,
        reasoner=view.reasoner,
        question=view.question,
        summary=report.summary if report else "",
        root_causes=report.root_causes if report else [],
        healthy=report.healthy if report else False,
        step_count=rows.run.step_count,
        tool_call_count=rows.run.tool_call_count,
        duration_ms=view.usage.duration_ms,
        created_at=rows.run.created_at,
    )


def report_view(report: Mapping[str, Any] | None, identifiers: Mapping[str, str]) -> ReportView | None:
    """The stored report with identifiers shown again."""
    if report is None:
        return None
    shown = restore(dict(report), identifiers)
    shown["claims"] = [
        {**item["claim"], "verdict": item["verdict"], "reasons": item["reasons"]} for item in shown["claims"]
    ]
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


def _evaluation(stored: Mapping[str, Any] | None) -> SelfEvaluationView | None:
    return SelfEvaluationView.model_validate(stored) if stored is not None else None


def _usage_so_far(state: RunState) -> UsageView:
    usage = state.usage
    return UsageView(
        tool_calls=usage.tool_calls,
        model_requests=usage.model_requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        agent_visible_bytes=usage.agent_visible_bytes,
    )
