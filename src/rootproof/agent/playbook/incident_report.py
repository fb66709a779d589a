"""The report on an incident: causes with their evidence, what followed, what was ruled out, what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rootproof.agent.playbook.commands import likely_meant
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.health import Health
from rootproof.agent.playbook.hypothesis import CauseSpec, Hypothesis, Scope
from rootproof.agent.playbook.reasoning import Judgement, RuledOut
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet
from rootproof.agent.playbook.wording import brief, cut, gist, phrase, said, sentence
from rootproof.domain.claim import ClaimKind

_SLOT = re.compile(r"\{(\w+)\}")
_CALL_WORDS = re.compile(r"database|query|procedure|sql|redis|cache|upstream|http|rpc|call", re.IGNORECASE)
_QUIET_OF: Mapping[Kind, str] = {
    Kind.CONNECTIONS_STEADY: "db_connection_exhaustion",
    Kind.LAG_NORMAL: "replication_lag_write_load",
    Kind.STORAGE_STEADY: "storage_exhaustion",
    Kind.CPU_NORMAL: "cpu_saturation_query",
    Kind.MEMORY_NORMAL: "memory",
}
_MOVED = frozenset(
    {
        Kind.CPU_SATURATED, Kind.CPU_ELEVATED, Kind.LAG_HIGH, Kind.STORAGE_FALLING, Kind.STORAGE_EXHAUSTED,
        Kind.MEMORY_LOW, Kind.WAL_SURGE, Kind.WRITE_SURGE, Kind.READ_SURGE, Kind.LATENCY_SURGE, Kind.QUEUE_SURGE,
        Kind.ERRORS_SURGE, Kind.CONNECTIONS_RISING, Kind.CONNECTIONS_AT_LIMIT, Kind.CONNECTIONS_DROPPED,
        Kind.TRAFFIC_SURGE, Kind.BACKLOG_GROWING, Kind.THROTTLED,
    }
)  # fmt: skip


def write_causes(draft: DraftBuilder, judgement: Judgement, signals: SignalSet, found: Health) -> None:
    """Fill `draft` from confirmed causes."""
    sentences = [_cause(draft, cause) for cause in judgement.causes[:3]]
    told = {(s.kind, s.evidence_id) for cause in judgement.causes[:3] for s in _main(cause)}
    effects = _effects(judgement, signals, told)
    for signal in effects[:10]:
        draft.claim(ClaimKind.SYMPTOM, sentence(phrase(signal)), cite([signal]))
    _impact(draft, found)
    ruled = _ruled_out(draft, judgement, signals, found)
    draft.summary = _summary(judgement, sentences, effects, ruled)
    for cause in judgement.causes[:3]:
        for action in cause.spec.actions:
            draft.step(action.text, action.risk, action.query)
        _typo(draft, cause)


def _cause(draft: DraftBuilder, cause: Hypothesis) -> str:
    """Add the CAUSE claim and its evidence claims; give back its sentence."""
    main = _main(cause)
    told = cause_sentence(cause)
    best = main[0]
    because = _because(told, main)
    draft.claim(
        ClaimKind.CAUSE,
        sentence(cut(f"{told}. Evidence: {because}" if because else told, 1_100)),
        cite(main),
        cause_id=cause.spec.cause_id,
        category=cause.spec.category,
        objects=_objects(cause),
    )
    for signal in main:
        draft.claim(ClaimKind.SYMPTOM, sentence(phrase(signal)), cite([signal]))
    return f"{told}. Evidence: {because or brief(best)}"


def _because(told: str, main: Sequence[Signal]) -> str:
    """Up to three clauses of evidence that do not repeat the sentence: measured ones first."""
    ordered = sorted(main, key=lambda s: "series" not in s.values and "activity" not in s.values)
    clauses = [brief(s) for s in ordered if not (s.quote and said(s.quote, 160) in told)]
    return "; ".join(list(dict.fromkeys(clauses))[:3])


def _main(cause: Hypothesis) -> list[Signal]:
    """The signals that carry a cause: each need's best two, then the best confirming ones; one per evidence item."""
    chosen: dict[str, Signal] = {}
    for need in cause.spec.needs:
        met = [s for s in cause.matched if need.met_by(s)]
        for signal in _two_views(distinct(sorted(met, key=_telling))):
            chosen.setdefault(signal.evidence_id, signal)
    ranked = sorted(cause.supporting, key=lambda s: (-cause.spec.confirming.get(s.kind, 0.0), _telling(s)))
    kinds: set[Kind] = {s.kind for s in chosen.values()}
    for signal in ranked:
        if signal.kind not in kinds and len(chosen) < 6:
            kinds.add(signal.kind)
            chosen.setdefault(signal.evidence_id, signal)
    return distinct(chosen.values())


def _two_views(ranked: Sequence[Signal]) -> list[Signal]:
    """The best signal, and the best one that another kind of source tells; else simply the best two."""
    if len(ranked) < 3:
        return list(ranked)
    other = next((s for s in ranked[1:] if ("fact" in s.values) != ("fact" in ranked[0].values)), ranked[1])
    return [ranked[0], other]


def distinct(signals: Iterable[Signal]) -> list[Signal]:
    """Signals without those that only repeat an earlier one: a pattern and its own events, an item and its copy."""
    by_item: dict[str, Signal] = {}
    for signal in signals:
        by_item.setdefault(signal.evidence_id, signal)
    by_words: dict[str, Signal] = {}
    for signal in by_item.values():
        by_words.setdefault(gist(signal), signal)
    return list(by_words.values())


def _telling(signal: Signal) -> tuple[int, float]:
    """Facts and metrics before single events before patterns; among logs, the ones that name the call."""
    item = signal.values.get("item")
    is_pattern = bool(getattr(item, "is_pattern", False))
    names_call = bool(_CALL_WORDS.search(signal.quote)) if signal.kind is Kind.SLOW_CALL else True
    masked = is_pattern and not getattr(item, "example", "") and "<" in signal.quote
    counted = is_pattern and signal.count > 1 and not masked
    rank = 0 if item is None else 1 if counted else 2 if not is_pattern else 3
    return rank + 3 * (not names_call), -signal.weight


def cause_sentence(cause: Hypothesis) -> str:
    """The spec's sentence with its slots filled from the evidence; the fallback where one is not known."""
    values = _slots(cause)
    for template in (cause.spec.sentence, cause.spec.fallback):
        wanted = _SLOT.findall(template)
        if all(values.get(name) for name in wanted):
            return template.format_map(values)
    return cause.spec.title[0].upper() + cause.spec.title[1:]


def _slots(cause: Hypothesis) -> dict[str, str]:
    values: dict[str, str] = {}
    for signal in sorted(cause.evidence, key=_telling):
        for name in ("peer", "variable", "command", "limit", "took", "statement", "wait", "storage_class", "replica"):
            value: Any = signal.values.get(name)
            if value and name not in values and _slot_fits(cause.spec, name, signal):
                values[name] = said(str(value)) if name == "statement" else str(value)
        if signal.kind is Kind.SLOW_CALL and "call" not in values:
            values["call"] = said(signal.quote, 160)
    pods = _pods(cause)
    lagging = [s.subject for s in cause.evidence if s.kind is Kind.LAG_HIGH and s.subject]
    if lagging:
        values["replica"] = lagging[0]
    values["subject"] = cause.subject.split("/", 1)[-1]
    values["object"] = _object_words(cause, pods)
    return values


def _slot_fits(spec: CauseSpec, name: str, signal: Signal) -> bool:
    """A statement or wait must come from activity that the spec is about."""
    if name not in ("statement", "wait"):
        return True
    if name == "wait":
        return signal.kind is Kind.SQL_CLIENT_WAIT
    return any(need.met_by(signal) for need in spec.needs) or signal.kind in spec.confirming


def _pods(cause: Hypothesis) -> list[str]:
    names = [s.subject.split("/", 1)[1] for s in cause.evidence if s.subject.startswith("pod/")]
    return list(dict.fromkeys(names))


def _object_words(cause: Hypothesis, pods: Sequence[str]) -> str:
    name = cause.subject.split("/", 1)[-1]
    if cause.spec.scope is Scope.NODE:
        return f"Node {name}" if name else ""
    if len(pods) == 1:
        return f"Pod {pods[0]}" if same_thing(pods[0], name) or not name else f"Pod {pods[0]} of {name}"
    return name


def _objects(cause: Hypothesis) -> list[str]:
    found = [cause.object] if cause.object else []
    found += [f"pod/{pod}" for pod in _pods(cause)[:3]]
    return list(dict.fromkeys(found))


def _effects(judgement: Judgement, signals: SignalSet, told: set[tuple[Kind, str]]) -> list[Signal]:
    """What moved at the same time on the same objects: effects, or at least not causes."""
    below = [
        s
        for cause in judgement.causes
        for h in cause.consequences
        if h.subject != cause.subject or h.spec.scope is Scope.DATABASE
        for s in h.matched[:2]
    ]
    subjects = {c.subject for c in judgement.causes}
    moved = [
        s
        for s in signals.of(*_MOVED)
        if any(not x or s.subject == x or s.subject.startswith(x) or x.startswith(s.subject) for x in subjects)
    ]
    databases = any(c.spec.scope is Scope.DATABASE for c in judgement.causes)
    seen = {evidence for _, evidence in told}
    words = {gist(s) for cause in judgement.causes for s in cause.evidence}
    below = [s for s in below if gist(s) not in words]
    unique = {s.evidence_id: s for s in (*below, *(moved if databases else ())) if s.evidence_id not in seen}
    return distinct(unique.values())


def _impact(draft: DraftBuilder, found: Health) -> None:
    for signal in found.abnormal:
        if signal.kind in (Kind.ALERT_FIRING, Kind.HTTP_5XX):
            draft.claim(ClaimKind.IMPACT, sentence(phrase(signal)), cite([signal]))


def _ruled_out(draft: DraftBuilder, judgement: Judgement, signals: SignalSet, found: Health) -> list[str]:
    told: list[str] = []
    blamed = {c.spec.cause_id for c in judgement.causes} | {
        h.spec.cause_id for c in judgement.causes for h in c.consequences
    }
    for one in _worth_telling(judgement):
        text = _effect_words(one)
        draft.claim(
            ClaimKind.RULED_OUT, sentence(text), cite(one.signals[:2]),
            cause_id=one.spec.cause_id, category=one.spec.category,
        )  # fmt: skip
        told.append(text)
    if any(c.spec.scope is Scope.DATABASE for c in judgement.causes):
        told += _quiet_metrics(draft, signals, blamed, [c.subject for c in judgement.causes])
        told += _busy_but_not_cause(draft, signals, blamed)
    else:
        for signal in [s for s in found.reasons if s.kind is Kind.OBJECT_HEALTHY][:3]:
            draft.claim(ClaimKind.RULED_OUT, sentence(phrase(signal)), cite([signal]))
    return told


def _worth_telling(judgement: Judgement) -> list[RuledOut]:
    """What was ruled out with evidence of its own; a fault's generic names on its own object are no news."""
    cited = {gist(s) for cause in judgement.causes for s in cause.evidence}
    return [one for one in judgement.ruled_out if not {gist(s) for s in one.signals} & cited][:4]


def _effect_words(one: RuledOut) -> str:
    shown = "; ".join(brief(s) for s in distinct(one.signals)[:2])
    if one.effect_of is not None:
        return f"Not a cause of its own: {shown}"
    return f"{one.spec.ruled_out}: {shown}"


def _quiet_metrics(draft: DraftBuilder, signals: SignalSet, blamed: set[str], subjects: Sequence[str]) -> list[str]:
    told = []
    for signal in signals.of(*_QUIET_OF):
        cause_id = _QUIET_OF[signal.kind]
        own = signal.subject
        if cause_id in blamed or not any(own.startswith(x) or x.startswith(own) for x in subjects):
            continue
        text = f"Within bounds: {phrase(signal)}"
        draft.claim(ClaimKind.RULED_OUT, sentence(text), cite([signal]), cause_id=cause_id)
        told.append(text)
    return told


def _busy_but_not_cause(draft: DraftBuilder, signals: SignalSet, blamed: set[str]) -> list[str]:
    """A saturated CPU whose top statement waits for something else is not saturated by a query."""
    busy = signals.of(Kind.CPU_SATURATED)
    top = max(
        signals.of(Kind.SQL_CLIENT_WAIT, Kind.SQL_MAINTENANCE, Kind.SQL_WRITE, Kind.SQL_LOCK_WAIT),
        key=lambda s: s.weight,
        default=None,
    )
    if not busy or top is None or "cpu_saturation_query" in blamed:
        return []
    text = f"The CPU is not the cause: {phrase(busy[0])}, but {phrase(top)}"
    draft.claim(
        ClaimKind.RULED_OUT, sentence(text), cite([busy[0], top]), cause_id="cpu_saturation_query",
    )  # fmt: skip
    return [text]


def _summary(judgement: Judgement, sentences: Sequence[str], effects: Sequence[Signal], ruled: Sequence[str]) -> str:
    if len(sentences) == 1:
        text = sentence(sentences[0])
    else:
        text = f"{len(sentences)} faults hold at the same time. " + " ".join(
            f"({number}) {sentence(told)}" for number, told in enumerate(sentences, 1)
        )
    if effects:
        text += " Seen at the same time: " + sentence("; ".join(brief(s) for s in effects[:4]))
    if ruled:
        text += " " + sentence("; ".join(ruled[:2]))
    if judgement.unrelated:
        names = dict.fromkeys(f"{h.spec.title} ({h.subject})" for h in judgement.unrelated if h.subject)
        if names:
            text += " Not part of this, but worth a look: " + sentence(", ".join(list(names)[:3]))
    return text


def _typo(draft: DraftBuilder, cause: Hypothesis) -> None:
    for signal in cause.evidence:
        command = signal.values.get("command")
        meant = likely_meant(str(command)) if command else None
        if meant:
            draft.step(f"`{command}` might be a typo: the intended command may be `{meant}`.", "none: it only reads")
            draft.summary += f" `{command}` might be a typo of `{meant}`."
            return
