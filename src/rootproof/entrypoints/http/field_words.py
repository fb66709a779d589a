"""What the fields of the shared views mean, for the OpenAPI document: those whose own place says nothing.

The views live in `diagnosis` and serve the command line too; a field that has words of its own keeps them.
"""

from __future__ import annotations

from typing import Any

FIELD_WORDS: dict[str, str] = {
    "agent": "Which agent took the step.",
    "agentVisibleBytes": "Bytes of tool results that a model saw.",
    "cancelRequested": "Whether the run was asked to stop.",
    "category": "The kind of cause.",
    "causeId": "The hypothesis, such as `oom_killed`.",
    "claimId": "The claim that states the cause.",
    "confidence": "How sure the checks are.",
    "count": "How often it was seen.",
    "createdAt": "When it was made.",
    "durationMs": "How long it took, in milliseconds.",
    "evidenceId": "The evidence item, as in `evidence[].id`.",
    "finishedAt": "When it ended; null while it goes on.",
    "firstAt": "When it was seen first.",
    "healthy": "Whether nothing was found to be wrong.",
    "inputSummary": "What it was given, in short.",
    "inputTokens": "Tokens that the model read.",
    "invocations": "Tool calls.",
    "items": "This page's items, newest first.",
    "lastAt": "When it was seen last.",
    "mode": "How the run came to be.",
    "modelRequests": "Requests to a model.",
    "objects": "What it is about, such as `app/cartservice`.",
    "outputTokens": "Tokens that the model wrote.",
    "question": "What was asked, without credentials; empty for an alert run.",
    "rawBytes": "Size of the complete output, in bytes.",
    "reasoner": "The model, or `playbook`.",
    "report": "The report; null until there is one.",
    "rootCauses": "Causes that the checks let stand, most likely first; empty when nothing is wrong or supported.",
    "run": "The run.",
    "runId": "The run.",
    "schemaVersion": "The version of this shape.",
    "selfEvaluation": "Counts of the verifier; null until the run has ended.",
    "sessionId": "The conversation that the run belongs to.",
    "status": "Where it is.",
    "statusDetail": "Why it ended, in words.",
    "statusReason": "Why it ended; null until then.",
    "stepCount": "Steps that are stored.",
    "steps": "Steps, in order.",
    "tokenCount": "Tokens, read and written.",
    "tool": "The tool.",
    "toolCallCount": "Tool calls that are stored.",
    "toolCallId": "The call that gave it.",
    "toolCalls": "Tool calls.",
    "toolName": "The tool.",
    "truncated": "Whether the result is shorter than what the source gave.",
    "type": "What kind of message it is.",
    "updatedAt": "When it changed last.",
    "usage": "What the run cost.",
    "verdict": "What the checks say.",
}
PART_WORDS: dict[str, str] = {
    "Change.a": "In the first run; null where it has none.",
    "Change.b": "In the other run; null where it has none.",
    "Change.what": "What differs.",
    "CitationView.quote": "Words that the claim takes from the evidence.",
    "ClaimView.citations": "The evidence that it names.",
    "ClaimView.id": "The claim's id in this report.",
    "ClaimView.kind": "What kind of statement it is.",
    "ClaimView.reasons": "Why the checks came to their verdict.",
    "ClaimView.text": "The statement.",
    "ContentMessage.delta": "The next piece of the report, Markdown.",
    "CoverageView.detail": "In words.",
    "CoverageView.scanned": "Records that were looked through.",
    "CoverageView.shown": "Records that a model saw.",
    "CoverageView.source": "The source that was asked.",
    "CoverageView.status": "What became of it.",
    "DiffView.a": "The first run.",
    "DiffView.b": "The run beside it.",
    "DiffView.changes": "What differs, by subject.",
    "ErrorMessage.detail": "What went wrong, and what to do next.",
    "EvidenceView.class": "How direct it is.",
    "EvidenceView.id": "The id that claims cite.",
    "EvidenceView.source": "Where it was read.",
    "EvidenceView.subject": "What it is about.",
    "EvidenceView.text": "What was seen.",
    "MetadataMessage.eventsUrl": "Where the run's events can be followed.",
    "MetadataMessage.runUrl": "Where the run can be read.",
    "NextStepView.query": "A query that would tell.",
    "NextStepView.risk": "What to mind.",
    "NextStepView.text": "What to do or to look at.",
    "ReportView.claims": "Every statement with its verdict.",
    "ReportView.coverage": "What became of each source.",
    "ReportView.nextSteps": "What to do, or to look at, next.",
    "ReportView.summary": "The answer in a few sentences.",
    "ReportView.timeline": "Dated facts, oldest first.",
    "RootCauseView.text": "The cause in words.",
    "SelfEvaluationView.rootCauseSupported": "Whether a root cause stands after the checks.",
    "SelfEvaluationView.supportedRatio": "Supported claims, of those that could be checked.",
    "SelfEvaluationView.verdicts": "How many claims got each verdict.",
    "SelfEvaluationView.withheld": "Claims that the report does not show as causes.",
    "StepView.kind": "What kind of step it is.",
    "StepEvent.kind": "What kind of step it is.",
    "TimelineView.text": "What happened.",
    "TimelineView.time": "When.",
}


def describe_fields(schemas: dict[str, Any]) -> None:
    """Add words to every property that has none."""
    for name, schema in schemas.items():
        for field, shape in schema.get("properties", {}).items():
            words = PART_WORDS.get(f"{name}.{field}") or FIELD_WORDS.get(field)
            if words and not shape.get("description"):
                shape["description"] = words
