"""What lists and conversations show of a finished run, so that nobody has to load its steps for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rootproof.diagnosis.present import CitationView, ReportView, report_view
from rootproof.domain.claim import ClaimKind

MAX_SUMMARY_CHARS = 2_000
MAX_CAUSES = 10
MAX_CAUSE_CHARS = 600
MAX_OBJECTS = 20


def headline_of(
    report: Mapping[str, Any], identifiers: Mapping[str, str], evaluation: Mapping[str, Any]
) -> dict[str, Any]:
    """The stored report in short: `summary`, `healthy`, `rootCauses`, `verdicts`, `rootCauseSupported`.

    Shape: bounded, and of the kind that `RunSummaryView` reads. Identifiers are shown; credentials stay placeholders,
    there is nothing behind them.
    """
    view = report_view(report, identifiers)
    if view is None:
        return {}
    return {
        "summary": _clipped(view.summary, MAX_SUMMARY_CHARS),
        "healthy": view.healthy,
        "rootCauses": [
            {
                **cause.model_dump(mode="json", by_alias=True),
                "text": _clipped(cause.text, MAX_CAUSE_CHARS),
                "objects": cause.objects[:MAX_OBJECTS],
            }
            for cause in view.root_causes[:MAX_CAUSES]
        ],
        "verdicts": dict(evaluation.get("verdicts") or {}),
        "rootCauseSupported": bool(evaluation.get("root_cause_supported")),
    }


def answer_text(report: ReportView) -> str:
    """The report as a text to read in a conversation (Markdown): every claim with its verdict and its citations."""
    return "\n\n".join("\n".join(part) for part in _parts(report) if part) + "\n"


def _parts(report: ReportView) -> Iterator[list[str]]:
    yield [report.summary]
    causes = [
        f"{number}. {cause.text} (`{cause.cause_id}`, confidence {cause.confidence.value})"
        for number, cause in enumerate(report.root_causes, start=1)
    ]
    yield ["**Root cause**" if len(causes) == 1 else "**Root causes**", *causes] if causes else []
    claims = [
        f"- {claim.kind.value}, {claim.verdict.value}: {claim.text}{_cited(claim.citations)}"
        for claim in report.claims
        if claim.kind is not ClaimKind.ACTION
    ]
    yield ["**Claims and what the checks say of them**", *claims] if claims else []
    steps = [f"- {step.text}" + (f" (risk: {step.risk})" if step.risk else "") for step in report.next_steps]
    yield ["**Next steps**", *steps] if steps else []
    if not causes and not report.healthy:
        yield ["No root cause is supported by the evidence."]


def _cited(citations: list[CitationView]) -> str:
    ids = list(dict.fromkeys(citation.evidence_id for citation in citations))
    return f" [{', '.join(ids)}]" if ids else ""


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
