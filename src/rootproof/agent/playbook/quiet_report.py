"""Reports without a root cause: nothing is wrong now, or nothing is confirmed."""

from __future__ import annotations

from collections.abc import Iterable

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.focus import Focus
from rootproof.agent.playbook.health import Health
from rootproof.agent.playbook.cause_text import distinct
from rootproof.agent.playbook.reasoning import Judgement
from rootproof.agent.playbook.signals import Kind, Signal
from rootproof.agent.playbook.wording import brief, phrase, said, sentence
from rootproof.domain.claim import ClaimKind


def write_healthy(draft: DraftBuilder, found: Health, about: Focus, briefing: Briefing) -> None:
    """Fill `draft` for a state in which nothing is wrong now."""
    draft.healthy = True
    reasons = _best_reasons(found.reasons)
    for signal in reasons:
        draft.claim(ClaimKind.SYMPTOM, sentence(phrase(signal)), cite([signal]))
    for signal in distinct(found.past)[:5]:
        draft.claim(ClaimKind.RULED_OUT, sentence(f"Over: {phrase(signal)}"), cite([signal]))
    if about.always_firing:
        _write_watchdog(draft, briefing)
        return
    draft.summary = "No active failure: nothing is abnormal now, the state is healthy and within normal bounds."
    if found.past:
        draft.summary += " What was seen is over: " + sentence("; ".join(brief(s) for s in distinct(found.past)[:3]))
    if reasons:
        draft.summary += " What shows it: " + sentence("; ".join(brief(s) for s in reasons[:4]))
    draft.step(
        "Close the alert; if it comes back, tune its threshold or its duration.",
        "low: keep it able to catch real faults",
    )


def _write_watchdog(draft: DraftBuilder, briefing: Briefing) -> None:
    alert = briefing.alerts[0]
    draft.summary = (
        f"This is not an issue. The alert {alert.name} is designed to be always active: it is a health check of the "
        "alerting pipeline. It should always be firing; if it stops, the alerting system has a problem."
    )
    told = " ".join((alert.summary or alert.description or "").split())
    for evidence in briefing.reported[:1]:
        if told:
            draft.summary += f" In its own words: {said(told, 300)}"
            draft.claim(
                ClaimKind.SYMPTOM, sentence(f"The alert says of itself: {said(told, 300)}"), [(evidence.id, None)]
            )


def _best_reasons(reasons: Iterable[Signal]) -> list[Signal]:
    order = (Kind.RECOVERED, Kind.ROLLOUT, Kind.OBJECT_HEALTHY, Kind.ALERT_QUIET)
    reasons = list(reasons)
    chosen = [s for s in reasons if s.kind.value.startswith("metric.") and s.kind is not Kind.METRIC_QUIET]
    for kind in order:
        chosen += [s for s in reasons if s.kind is kind][:4]
    return distinct(chosen)[:10]


def write_abstention(draft: DraftBuilder, judgement: Judgement, found: Health) -> None:
    """Fill `draft` where no cause is confirmed: what was seen, the strongest lead, and what would decide."""
    abnormal = distinct(found.abnormal)
    for signal in abnormal[:10]:
        draft.claim(ClaimKind.SYMPTOM, sentence(phrase(signal)), cite([signal]))
    seen = "; ".join(brief(s) for s in abnormal[:4])
    if seen:
        draft.summary = f"No root cause is confirmed. What is abnormal now: {sentence(seen)}"
    else:
        gap = f" Nothing that was read speaks of {', '.join(found.unseen)}." if found.unseen else ""
        draft.summary = f"No root cause is confirmed: the evidence that could be read shows nothing abnormal.{gap}"
    lead = next(iter((*judgement.leads, *judgement.unrelated)), None)
    if lead is None:
        draft.strongest_lead = (
            "None of the known causes is seen. To decide: logs at ERROR level of the affected service."
        )
        draft.step(
            "Read the affected service's logs at ERROR level around the start of the alert.",
            "none: it only reads",
            "query_logs topic=APPLICATION level=ERROR",
        )
        return
    title = lead.spec.title[0].upper() + lead.spec.title[1:]
    whose = f" ({lead.subject})" if lead.subject else ""
    draft.strongest_lead = f"{title}{whose}: {brief(lead.matched[0])}. To decide: {lead.spec.decide}"
    draft.step(f"Check this first: {lead.spec.title}.", "none: it only reads", lead.spec.decide)
