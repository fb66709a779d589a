"""Reports without a root cause: nothing is wrong now, or nothing is confirmed."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import datetime

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.cause_text import clock, distinct, onset
from rootproof.agent.playbook.clauses import clause, counted, first_line, listed, whole
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.focus import Focus, same_thing
from rootproof.agent.playbook.health import Health
from rootproof.agent.playbook.observations import LogItem, Observations, SeriesItem
from rootproof.agent.playbook.onset import Change, change_near
from rootproof.agent.playbook.past_report import past_words, write_past
from rootproof.agent.playbook.quiet_logs import QuietLogs
from rootproof.agent.playbook.reasoning import Judgement
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal
from rootproof.agent.playbook.spoken_level import level_of
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import quote, said, sentence
from rootproof.domain.claim import ClaimKind

_IN_SUMMARY = 3
_PODS = re.compile(r"\b(\d+) pods?\b")
_SOURCES = frozenset({"query_logs", "query_metrics", "query_alerts", "query_cluster"})


def write_healthy(
    draft: DraftBuilder, found: Health, about: Focus, briefing: Briefing, around: Surroundings,
    quiet: QuietLogs | None = None,
) -> None:  # fmt: skip
    """Fill `draft` for a state in which nothing is wrong now."""
    draft.healthy = True
    reasons = _best_reasons(found.reasons)
    for signal in reasons[:8]:
        draft.claim(ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))
    past = distinct(found.past)
    for signal in past[:4]:
        head, beside = _how_past(signal, found.reasons, around.now)
        draft.claim(ClaimKind.RULED_OUT, sentence(f"{head}: {whole(signal)}"), cite([signal, *beside]))
    if about.always_firing:
        _write_watchdog(draft, briefing)
        return
    parts = [f"No active failure: what was read{_whose(about, reasons)} is within normal bounds."]
    if reasons:
        parts.append(sentence(f"What shows it: {listed([_short(s) for s in _varied(reasons)])}"))
    if quiet is not None:
        write_quiet_logs(draft, quiet, told={s.evidence_id for s in past[:4]})
        parts.append(quiet.told())
    if past:
        parts += _over(past, found.reasons, around.now)
    if briefing.alerts:
        parts.append("The alert can be closed.")
        draft.step(
            "Close the alert; if it comes back, tune its threshold or its duration.",
            "low: keep it able to catch real faults",
        )
    draft.summary = " ".join(parts)


def _how_past(
    signal: Signal, reasons: Sequence[Signal], now: datetime | None
) -> tuple[str, list[Signal]]:  # fmt: skip
    """What is seen besides something past: that its pod leaves, or when it was seen last."""
    same = [s for s in reasons if same_thing(s.subject, signal.subject) or (s.app and same_thing(s.app, signal.app))]
    leaving = [s for s in same if s.kind is Kind.TERMINATING and s.subject == signal.subject]
    if leaving:
        return "Of a pod that is terminating", leaving[:1]
    last = signal.last or signal.at
    if last is None or now is None or signal.count > 1:
        # The example of several is not the last of them.
        return "Earlier", []
    return f"Not seen since {clock(last, now)}", []


def write_quiet_logs(draft: DraftBuilder, quiet: QuietLogs, told: Container[str] = ()) -> None:
    """The claims of logs without an error: that there is none, and what the warnings say that `told` does not hold."""
    draft.claim(ClaimKind.SYMPTOM, quiet.claimed(), quiet.cited())
    for item in [i for i in quiet.items if level_of(i) == "WARN" and i.evidence_id not in told][:3]:
        words = first_line(item.words)
        text = f"at level WARN, {item.service or 'the log'} logged{counted(item)} {said(words, 150)}"
        draft.claim(ClaimKind.SYMPTOM, sentence(text), [(item.evidence_id, quote(words, 150))])


def _whose(about: Focus, reasons: Sequence[Signal]) -> str:
    """` of` the thing that the run is about; empty where none is known by a name (a word like Pending is a state)."""
    shown = [s.app or s.subject.split("/", 1)[-1] for s in reasons if not s.subject.startswith("node/")]
    own = next((name for name in shown if name and about.covers(name)), "")
    named = (name for name in about.targets if name.split("/", 1)[-1].islower())
    names = sorted(named, key=lambda name: ("<" in name, len(name), name))
    name = own or (names[0].split("/", 1)[-1] if names else "")
    return f" of {name}" if name else ""


def _short(signal: Signal) -> str:
    return clause(signal) if isinstance(signal.values.get("series"), SeriesItem) else whole(signal)


def _varied(reasons: Sequence[Signal]) -> list[Signal]:
    """A few reasons, of different kinds first."""
    first: dict[tuple[AnyKind, bool], Signal] = {}
    for signal in reasons:
        first.setdefault((signal.kind, signal.subject.startswith("node/")), signal)
    rest = [s for s in reasons if s not in first.values()]
    return [*first.values(), *rest][:_IN_SUMMARY]


def _over(past: Sequence[Signal], reasons: Sequence[Signal], now: datetime | None) -> list[str]:
    """The most telling thing of the past, with its last time."""
    signal = min(past, key=lambda s: (s.kind is not Kind.NODE_NOT_READY, past.index(s)))
    leaves = any(s.kind is Kind.TERMINATING and s.subject == signal.subject for s in reasons)
    if leaves:
        return [sentence(f"What was seen is of a pod that is terminating: {whole(signal)}")]
    parts = [sentence(f"Seen earlier: {whole(signal)}")]
    last, item = signal.last or signal.at, signal.values.get("item")
    if last is not None and now is not None and isinstance(item, LogItem) and item.service:
        parts.append(f"{item.service} last logged it at {clock(last, now)}.")
    return parts


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
    """Measured bounds first, then the target's own state, recoveries, nodes and quiet alerts."""
    reasons = list(reasons)
    measured = [s for s in reasons if s.kind.value.startswith("metric.")]
    # What the alert is about comes first, with words of its own.
    chosen = [s for s in measured if s.kind is not Kind.METRIC_QUIET or "words" in s.values]
    states = [s for s in reasons if s.kind is Kind.OBJECT_HEALTHY]
    own = _fullest(s for s in states if not s.subject.startswith("node/"))
    chosen += own[:3]
    chosen += [s for s in reasons if s.kind is Kind.TERMINATING][:2]
    for kind in (Kind.RECOVERED, Kind.ROLLOUT):
        chosen += [s for s in reasons if s.kind is kind][:3]
    chosen += [s for s in states if s.subject.startswith("node/")][:3]
    chosen += [s for s in reasons if s.kind is Kind.ALERT_QUIET][:3]
    chosen = chosen or [s for s in reasons if s.kind is Kind.METRIC_QUIET][:4]
    return distinct(chosen)[:10]


def _fullest(states: Iterable[Signal]) -> list[Signal]:
    """For each app the record of the most pods: a later look at one of them says less."""
    best: dict[str, Signal] = {}
    for signal in states:
        key = signal.subject if signal.subject.startswith("app/") else signal.evidence_id
        if key not in best or _pods_of(signal) > _pods_of(best[key]):
            best[key] = signal
    return list(best.values())


def _pods_of(signal: Signal) -> int:
    found = _PODS.search(signal.quote)
    return int(found.group(1)) if found is not None else 0


def write_abstention(
    draft: DraftBuilder, judgement: Judgement, found: Health, around: Surroundings, seen: Observations,
    quiet: QuietLogs | None = None,
) -> None:  # fmt: skip
    """Fill `draft` where no cause is confirmed: what was seen, the strongest lead, and what would decide."""
    abnormal = distinct(found.abnormal)
    for signal in abnormal[:8]:
        draft.claim(ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))
    lasting = {(s.kind, s.app) for s in abnormal}
    past = [s for s in found.past if (s.kind, s.app) not in lasting]
    write_past(draft, past, around.now)
    over = past_words(past, around.now)
    if abnormal:
        told = listed(list(dict.fromkeys(clause(s) for s in abnormal))[:_IN_SUMMARY])
        draft.summary = f"No root cause is confirmed. What is abnormal now: {sentence(told)}"
    elif not seen.answered():
        draft.summary = _nothing_read(seen)
    elif over:
        draft.summary = f"No root cause is confirmed. {over}"
    elif quiet is not None:
        write_quiet_logs(draft, quiet)
        draft.summary = f"No root cause is confirmed. {quiet.told()}"
    else:
        gap = f" Nothing that was read speaks of {', '.join(found.unseen)}." if found.unseen else ""
        draft.summary = f"No root cause is confirmed: the evidence that could be read shows nothing abnormal.{gap}"
    change = _change(abnormal, around)
    if change is not None:
        draft.claim(ClaimKind.SYMPTOM, sentence(change.quoted), [(change.evidence_id, None)])
        draft.summary += f" {sentence(change.told)}"
        draft.step(f"Compare with or roll back {change.short}.", "low: the change is not in use meanwhile")
    _lead(draft, judgement, seen, bool(abnormal), change)


def _change(abnormal: Sequence[Signal], around: Surroundings) -> Change | None:
    """The change just before the earliest of what is abnormal."""
    dated = onset(abnormal)
    names = [name for s in abnormal for name in (s.app, s.subject)]
    return change_near(dated[0] if dated else None, names, around)


def _nothing_read(seen: Observations) -> str:
    asked = list(dict.fromkeys(call.name for call in seen.calls if call.name in _SOURCES))
    if not asked:
        return "Nothing was read: no source of logs, metrics, alerts or cluster state is connected."
    return f"Nothing was read: {', '.join(asked)} gave no records, so nothing can be said about the present state."


def _lead(draft: DraftBuilder, judgement: Judgement, seen: Observations, abnormal: bool, change: Change | None) -> None:
    """The strongest lead with the step that would decide; without a lead, where to look next."""
    lead = next(iter((*judgement.leads, *judgement.unrelated)), None)
    if lead is not None:
        title = lead.spec.title[0].upper() + lead.spec.title[1:]
        whose = f" ({lead.subject})" if lead.subject else ""
        draft.strongest_lead = f"{title}{whose}: {whole(lead.matched[0])}."
        query = lead.spec.decide.rstrip("?") or None
        draft.step(f"Check this first: {lead.spec.title}.", "none: it only reads", query)
        return
    if change is not None:
        draft.strongest_lead = sentence(change.told)
        return
    if not seen.answered():
        draft.step("Give the run something to read: logs, metrics, alerts or cluster state.", "none: it only reads")
    elif abnormal:
        draft.step(
            "Read what the service that reports it logged just before the first of these.", "none: it only reads"
        )
    else:
        draft.step(
            "Ask for the time of the trouble, or add a source that saw it (metrics, alerts, cluster state).",
            "none: it only reads",
        )
