"""The first message of each agent in words. Made from the briefing alone; everything in it is already redacted."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rootproof.agent.briefing import Briefing
from rootproof.domain.alert import Alert
from rootproof.domain.claim import CheckedClaim
from rootproof.domain.run import RunMode
from rootproof.domain.step import Agent
from rootproof.domain.window import iso


def render_briefing(agent: Agent, briefing: Briefing, checked: Sequence[CheckedClaim] | None = None) -> str:
    """The text of the first user message for `agent`."""
    parts = [_task(briefing), _alerts(briefing), _recommended(briefing)]
    if agent is Agent.PLANNER:
        parts += [_skills(briefing), _tools(briefing)]
    if agent is Agent.EXECUTOR:
        parts += [_plan(briefing), _tools(briefing)]
    if agent is Agent.VERIFIER:
        parts += [_plan(briefing), _draft(briefing, checked or ()), _summary(briefing)]
    return "\n\n".join(part for part in parts if part)


def _task(briefing: Briefing) -> str:
    clock = f"The clock of this investigation stands at {iso(briefing.now)}."
    match briefing.mode:
        case RunMode.PAYLOAD_TARGETED:
            return f"Diagnose the alert below. {clock}" + (
                f"\nAlso asked: {briefing.question}" if briefing.question else ""
            )
        case RunMode.AUTO_DISCOVERY:
            return f"Discover the active alerts first with query_alerts, then diagnose what matters most. {clock}"
        case RunMode.CHAT:
            cited = ", ".join(item.id for item in briefing.reported)
            return f"The user asks ({cited}, REPORTED): {briefing.question}\n{clock}"


def _alerts(briefing: Briefing) -> str:
    if not briefing.alerts:
        return ""
    lines = ["Alert payload (REPORTED: it says what someone configured, it proves nothing):"]
    for number, alert in enumerate(briefing.alerts):
        cited = briefing.reported[number].id if number < len(briefing.reported) else ""
        lines.append(f"{cited} {json.dumps(alert_fields(alert), ensure_ascii=False)}".strip())
    return "\n".join(lines)


def alert_fields(alert: Alert) -> dict[str, object]:
    """The alert's fields that are not blank."""
    fields: dict[str, object] = {
        "name": alert.name,
        "status": alert.status,
        "severity": alert.severity or alert.raw_severity,
        "service": alert.service,
        "summary": alert.summary,
        "description": alert.description,
        "startedAt": iso(alert.started_at) if alert.started_at else None,
        "endedAt": iso(alert.ended_at) if alert.ended_at else None,
        "labels": dict(alert.labels),
        "annotations": {k: v for k, v in alert.annotations.items() if v not in (alert.summary, alert.description)},
    }
    return {key: value for key, value in fields.items() if value}


def _recommended(briefing: Briefing) -> str:
    if not briefing.recommended_query or "lookup_knowledge" not in briefing.tools:
        return ""
    return (
        f"Recommended knowledge query: {briefing.recommended_query}\n"
        "If you look up knowledge, start with exactly this query; nothing has been retrieved for you yet."
    )


def _skills(briefing: Briefing) -> str:
    if not briefing.skills:
        return "There are no skills."
    return "Skills:\n" + "\n".join(f"- {skill.name}: {skill.description}" for skill in briefing.skills)


def _tools(briefing: Briefing) -> str:
    return "Evidence tools with a source in this run: " + (", ".join(briefing.tools) or "none") + "."


def _plan(briefing: Briefing) -> str:
    plan = briefing.plan
    if plan is None:
        return ""
    lines = [f"Plan (intent {plan.intent}): {plan.reason}".rstrip()]
    lines += [f"- follow skill {name}" for name in plan.skills]
    lines += [f"- {step}" for step in plan.steps]
    return "\n".join(lines)


def _draft(briefing: Briefing, checked: Sequence[CheckedClaim]) -> str:
    draft = briefing.draft
    if draft is None:
        return ""
    lines = [f"Draft summary: {draft.summary}", f"Draft says healthy: {draft.healthy}", "Claims with code's verdicts:"]
    for item in checked:
        cited = ", ".join(citation.evidence_id for citation in item.claim.citations) or "nothing"
        lines.append(f"- {item.claim.id} {item.claim.kind} [{item.verdict}] {item.claim.text} (cites {cited})")
    return "\n".join(lines)


def _summary(briefing: Briefing) -> str:
    return f"What the tools found (tool_trace_summary):\n{briefing.tool_trace_summary}"
