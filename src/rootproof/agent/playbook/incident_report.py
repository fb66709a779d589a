"""The report on an incident: what is wrong and why, what follows from it, what it is not, what to do first."""

from __future__ import annotations

from collections.abc import Sequence

from rootproof.agent.playbook.begun import Begun, begun_before
from rootproof.agent.playbook.cause_text import CauseText, cause_text, clock, distinct, objects, onset, pods
from rootproof.agent.playbook.clauses import clause, listed, whole
from rootproof.agent.playbook.commands import likely_meant
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.focus import Focus, same_thing, stem
from rootproof.agent.playbook.health import Health
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.metric_roles import Role, role
from rootproof.agent.playbook.observations import FactItem, LogItem, SeriesItem
from rootproof.agent.playbook.onset import Change, change_before, told_by_unchanged
from rootproof.agent.playbook.reasoning import Judgement
from rootproof.agent.playbook.ruled_out import worth_telling, write_ruled_out
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal, SignalSet
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import sentence
from rootproof.domain.claim import ClaimKind

_FELT = (
    Kind.ERRORS_SURGE, Kind.LATENCY_SURGE, Kind.POOL_FULL, Kind.LAG_HIGH, Kind.CONNECTIONS_AT_LIMIT,
    Kind.CONNECTIONS_DROPPED,
    Kind.LOCK_WAITS, Kind.CACHE_HITS_FELL, Kind.DISK_LATENCY, Kind.DISK_BUSY, Kind.BURST_EXHAUSTED,
    Kind.ACTIVE_SESSIONS,
    Kind.QUEUE_SURGE, Kind.CPU_SATURATED, Kind.WRITE_SURGE, Kind.WAL_SURGE, Kind.READ_SURGE, Kind.STORAGE_EXHAUSTED,
    Kind.STORAGE_FALLING, Kind.MEMORY_LOW, Kind.MEMORY_GROWING, Kind.BACKLOG_GROWING, Kind.THROTTLED,
    Kind.CONNECTIONS_RISING, Kind.TRAFFIC_SURGE,
)  # fmt: skip
"""What moved, in the order in which people feel it."""
_MEASURED = {
    "replication_lag_write_load": ("the replication lag", {Role.REPLICATION_LAG}),
    "storage_exhaustion": ("the free storage", {Role.FREE_STORAGE, Role.STORAGE_USED}),
    "db_connection_exhaustion": ("the connection count", {Role.CONNECTIONS}),
}
_MAX_CAUSES = 3
_MAX_EFFECTS = 6


def write_causes(
    draft: DraftBuilder, judgement: Judgement, signals: SignalSet, found: Health, about: Focus, around: Surroundings
) -> None:
    """Fill `draft` from confirmed causes."""
    causes = judgement.causes[:_MAX_CAUSES]
    texts = [cause_text(cause) for cause in causes]
    changes = [
        None if change is not None and _cleared(draft, change, cause, judgement, around) else change
        for cause, change in zip(causes, (change_before(*one, around) for one in zip(causes, texts, strict=True)),
                                 strict=True)
    ]  # fmt: skip
    begun = [
        None if change else begun_before(cause, text, around)
        for cause, text, change in zip(causes, texts, changes, strict=True)
    ]  # fmt: skip
    for cause, text, change, started in zip(causes, texts, changes, begun, strict=True):
        _cause(draft, cause, text, change, around)
        if started is not None:
            draft.claim(ClaimKind.SYMPTOM, sentence(started.told), [(started.evidence_id, started.quoted)])
    effects = _effects(judgement, signals, texts)
    for signal in effects[:_MAX_EFFECTS]:
        felt = signal.kind in (Kind.ERRORS_SURGE, Kind.LATENCY_SURGE) and about.targets and about.covers(signal.subject)
        draft.claim(ClaimKind.IMPACT if felt else ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))
    for signal in _same_fault(judgement):
        draft.claim(ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))
    _impact(draft, found, about, around, causes)
    ruled = write_ruled_out(draft, judgement, signals, found, around)
    before = [change or started for change, started in zip(changes, begun, strict=True)]
    draft.summary = _summary(causes, texts, before, effects, ruled, around)
    for cause, change in zip(causes, changes, strict=True):
        if change is not None:
            draft.step(
                f"Compare with or roll back {change.short}.",
                "low: the change is not in use meanwhile",
            )
        for action in cause.spec.actions:
            if change is not None and action.text.startswith("Roll back"):
                continue
            draft.step(action.text, action.risk, action.query)
        _typo(draft, cause)
    _elsewhere(draft, judgement)
    _lead(draft, causes[0], texts[0])


def _cleared(
    draft: DraftBuilder, change: Change, cause: Hypothesis, judgement: Judgement, around: Surroundings
) -> bool:
    """Whether the same fault elsewhere, where nothing was changed, speaks against the change."""
    told = told_by_unchanged(cause, (*judgement.causes, *judgement.unrelated), around)
    if told is None:
        return False
    text = f"It is seen without the change of {change.object} too: {whole(told)}"
    draft.claim(ClaimKind.RULED_OUT, sentence(text), [*cite([told]), (change.evidence_id, None)])
    return True


def _cause(
    draft: DraftBuilder, cause: Hypothesis, told: CauseText, change: Change | None, around: Surroundings
) -> None:
    """Add the CAUSE claim, and a sentence for each item that carries it and is not in it."""
    draft.claim(
        ClaimKind.CAUSE,
        sentence(told.text),
        [*cite(told.used), *_edge(cause, told, around)],
        cause_id=cause.spec.cause_id,
        category=cause.spec.category,
        objects=objects(cause),
    )
    for signal in told.main:
        fact = signal.values.get("fact")
        told_below = change is not None and isinstance(fact, FactItem) and fact.aspect == "change"
        if signal not in told.used and not told_below:
            draft.claim(ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))
    if change is not None:
        draft.claim(ClaimKind.SYMPTOM, sentence(change.quoted), [(change.evidence_id, None)])


def _edge(cause: Hypothesis, told: CauseText, around: Surroundings) -> list[tuple[str, str | None]]:
    """The record of who calls the faulty server, where nothing else that is cited names it."""
    name = stem(cause.subject)
    if not name or any(name in stem(s.subject) or cause.subject in s.quote for s in told.used):
        return []
    tellers = {stem(s.app or s.subject) for s in told.used}
    for caller, callee, evidence in around.edges:
        if callee == name and caller in tellers:
            return [(evidence, None)]
    return []


def _effects(judgement: Judgement, signals: SignalSet, texts: Sequence[CauseText]) -> list[Signal]:
    """What moved at the same time on the same objects: effects, or at least not causes. What is felt comes first."""
    subjects = {c.subject.split("/", 1)[-1] for c in judgement.causes}
    order: dict[AnyKind, int] = {kind: rank for rank, kind in enumerate(_FELT)}
    moved = sorted(
        (s for s in signals.of(*_FELT) if any(_same_server(s.subject, x) for x in subjects)),
        key=lambda s: order[s.kind],
    )
    seen = {s.evidence_id for text in texts for s in text.main}
    seen |= {one.signals[0].evidence_id for one in worth_telling(judgement)}
    unique = {s.evidence_id: s for s in (*moved, *_states(judgement, signals)) if s.evidence_id not in seen}
    return distinct(unique.values())


def _states(judgement: Judgement, signals: SignalSet) -> list[Signal]:
    """How the faulty pods stand now: waiting, restarting, their exit codes."""
    own = {f"pod/{pod}" for cause in judgement.causes for pod in pods(cause)}
    return [
        s
        for s in signals
        if s.current and s.subject in own and isinstance(fact := s.values.get("fact"), FactItem)
        and fact.abnormal and (fact.aspect == "termination" or fact.values.get("restarts"))
    ]  # fmt: skip


def _same_server(own: str, subject: str) -> bool:
    # A series without a label is about whoever the run is about.
    near = own.startswith(f"{subject}-") or subject.startswith(f"{own}-") or same_thing(own, subject)
    return not subject or not own or own == subject or near


def _impact(
    draft: DraftBuilder, found: Health, about: Focus, around: Surroundings, causes: Sequence[Hypothesis]
) -> None:
    """What users or callers feel: only what is about the complaint's objects, the faulty ones, or who calls them."""
    near = {name for cause in causes for name in around.near(cause.subject.split("/", 1)[-1])}
    told = 0
    for signal in distinct(found.abnormal):
        if signal.kind not in (Kind.ALERT_FIRING, Kind.HTTP_5XX) or told >= 4:
            continue
        if (about.covers(signal.subject, signal.app) and about.targets) or {signal.subject, signal.app} & near:
            draft.claim(ClaimKind.IMPACT, sentence(whole(signal)), cite([signal]))
            told += 1


def _summary(
    causes: Sequence[Hypothesis], texts: Sequence[CauseText], changes: Sequence[Change | Begun | None],
    effects: Sequence[Signal], ruled: Sequence[str], around: Surroundings,
) -> str:  # fmt: skip
    parts = []
    if len(causes) > 1:
        parts.append("Several faults hold at the same time.")
    for number, (text, change) in enumerate(zip(texts, changes, strict=True), 1):
        mark = f"({number}) " if len(causes) > 1 else ""
        parts.append(mark + sentence(text.text))
        if change is not None:
            parts.append(sentence(change.told))
        elif len(causes) == 1:
            parts += _since(text, causes[0], around)
    moved = [s for s in effects if "series" in s.values]
    if moved:
        about = causes[0].subject.split("/", 1)[-1]
        parts.append(sentence(f"Seen with it: {listed([clause(s, about) for s in moved[:3]])}"))
    parts += [sentence(text) for text in ruled[:1]]
    parts += [missing for cause in causes if (missing := _not_measured(cause))]
    first = next((cause.spec.actions[0].text for cause in causes if cause.spec.actions), "")
    changed = next((change for change in changes if isinstance(change, Change)), None)
    if changed is not None:
        first = f"Compare with or roll back {changed.short}."
    if first:
        parts.append(f"First: {first[0].lower()}{first[1:]}")
    return " ".join(parts)


def _not_measured(cause: Hypothesis) -> str:
    """What the cause would be measured by, where only words tell of it."""
    measure = _MEASURED.get(cause.spec.cause_id)
    if measure is None:
        return ""
    name, roles = measure
    if any(isinstance(one := s.values.get("series"), SeriesItem) and role(one) in roles for s in cause.evidence):
        return ""
    return f"A metric of {name} is missing: that part rests on what was logged."


def _since(text: CauseText, cause: Hypothesis, around: Surroundings) -> list[str]:
    """When it began, where the evidence dates it: the first of several lines of one kind, not the one that is told."""
    told = {(s.kind, s.app, s.subject) for s in text.main if "item" in s.values}
    alike = [s for s in cause.evidence if "item" in s.values and (s.kind, s.app, s.subject) in told]
    dated = [s for s in text.main if not (isinstance(one := s.values.get("series"), SeriesItem) and one.climbs)]
    began = onset([*dated, *alike])
    if began is None or around.now is None:
        return []
    at, signal = began
    series = signal.values.get("series")
    if isinstance(series, SeriesItem):
        return [f"{series.name} changed at {clock(at, around.now)}."]
    item, fact = signal.values.get("item"), signal.values.get("fact")
    if isinstance(fact, FactItem) and fact.aspect == "termination" and fact.values.get("restarts") not in (None, 0, 1):
        return []  # the last end of several: nobody says when the first was
    if isinstance(item, LogItem) and item.service:
        many = item.count > 1 or at != item.first
        return [f"{item.service} logged it {'from' if many else 'at'} {clock(at, around.now)}{' on' if many else ''}."]
    return [f"{fact.object.split('/', 1)[-1]} is affected since {clock(at, around.now)}."] if fact else []


def _lead(draft: DraftBuilder, cause: Hypothesis, told: CauseText) -> None:
    """What is left where the check refuses the cause: the lead, the query that would decide, and the lines it cites."""
    title = cause.spec.title[0].upper() + cause.spec.title[1:]
    whose = f" ({cause.subject})" if cause.subject else ""
    draft.strongest_lead = f"{title}{whose}: {whole(cause.matched[0])}."
    query = cause.spec.decide.rstrip("?")
    if query:
        draft.step(f"To be sure of it, check: {cause.spec.title}.", "none: it only reads", query)
    for signal in [s for s in told.used if "item" in s.values][:2]:
        draft.claim(ClaimKind.SYMPTOM, sentence(whole(signal)), cite([signal]))


def _typo(draft: DraftBuilder, cause: Hypothesis) -> None:
    for signal in cause.evidence:
        command = signal.values.get("command")
        meant = likely_meant(str(command)) if command else None
        if meant:
            draft.step(f"`{command}` might be a typo: the intended command may be `{meant}`.", "none: it only reads")
            draft.summary += f" `{command}` might be a typo of `{meant}`."
            return


def _same_fault(judgement: Judgement) -> list[Signal]:
    """What others log of a cause's own fault, naming its object: the same fault as its callers see it."""
    found = []
    for other in judgement.unrelated:
        for cause in judgement.causes:
            name = cause.subject.split("/", 1)[-1]
            if cause.spec.cause_id == other.spec.cause_id and len(name) >= 4:
                found += [s for s in other.matched if "item" in s.values and name in s.quote][:1]
    return distinct(found)[:2]


def _elsewhere(draft: DraftBuilder, judgement: Judgement) -> None:
    told = {id(s) for s in _same_fault(judgement)}
    others = [h for h in judgement.unrelated if h.subject and not any(id(s) in told for s in h.matched)]
    names = dict.fromkeys(f"{h.spec.title} ({h.subject})" for h in others)
    if names:
        draft.step(f"Not part of this, but worth a look later: {', '.join(list(names)[:3])}.", "none: it only reads")
