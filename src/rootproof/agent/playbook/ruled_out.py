"""What speaks against other causes: facts, each with its number or its time, without more than they show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from rootproof.agent.playbook.cause_text import cause_text, clock, distinct, onset, pods
from rootproof.agent.playbook.clauses import clause, fact_words, statement, whole
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.focus import stem
from rootproof.agent.playbook.health import Health
from rootproof.agent.playbook.hypothesis import Hypothesis, Scope
from rootproof.agent.playbook.observations import FactItem, SeriesItem
from rootproof.agent.playbook.reasoning import Judgement, RuledOut
from rootproof.agent.playbook.signals import AnyKind, Kind, SignalSet
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import gist, range_phrase, sentence
from rootproof.domain.claim import ClaimKind

QUIET_OF: Mapping[AnyKind, tuple[str, str]] = {
    Kind.CPU_NORMAL: ("cpu_saturation_query", "so the CPU was not saturated"),
    Kind.CPU_ELEVATED: ("cpu_saturation_query", "so the CPU was not saturated"),
    Kind.CONNECTIONS_STEADY: ("db_connection_exhaustion", "so connections did not pile up"),
    Kind.LAG_NORMAL: ("replication_lag_write_load", "so replication kept up"),
    Kind.STORAGE_STEADY: ("storage_exhaustion", "so storage did not fill up"),
    Kind.MEMORY_NORMAL: ("memory", "so memory did not run out"),
}
_MOVED = 1.5
_SAYS_LITTLE = 18
_WELL_BEFORE = timedelta(minutes=30)


def write_ruled_out(
    draft: DraftBuilder, judgement: Judgement, signals: SignalSet, found: Health, around: Surroundings
) -> list[str]:
    """Add the RULED_OUT claims; give back the sentences worth a place in the summary, best first."""
    causes = judgement.causes
    blamed = {c.spec.cause_id for c in causes} | {h.spec.cause_id for c in causes for h in c.consequences}
    told = _older(draft, causes, signals, found, around)
    databases = [c.subject for c in causes if c.spec.scope is Scope.DATABASE]
    if databases:
        told += _busy_too(draft, signals, blamed)
    for one in worth_telling(judgement):
        text = _effect_words(one)
        if not text:
            continue
        if one.effect_of is not None:
            # That it follows from the cause is our reading; what the evidence shows is that it is there.
            draft.claim(ClaimKind.SYMPTOM, sentence(text), cite(one.signals[:1]))
            continue
        draft.claim(
            ClaimKind.RULED_OUT, sentence(text), cite(one.signals[:1]),
            cause_id=one.spec.cause_id, category=one.spec.category,
        )  # fmt: skip
    subjects = databases or [s for c in causes for s in around.near(c.subject.split("/", 1)[-1])]
    _quiet_metrics(draft, signals, blamed, subjects)
    if not databases:
        _not_killed_for_memory(draft, causes, signals, blamed)
        _healthy_nodes(draft, signals, found, causes)
    return told


def _older(
    draft: DraftBuilder, causes: Sequence[Hypothesis], signals: SignalSet, found: Health, around: Surroundings
) -> list[str]:
    """Loud things of other objects that were there well before the fault began."""
    began = min((o[0] for c in causes if (o := onset(cause_text(c).main)) is not None), default=None)
    if began is None or around.now is None:
        return []
    joined = {name for cause in causes for name in around.joined(cause.subject.split("/", 1)[-1])}
    told: list[str] = []
    for signal in distinct((*found.abnormal, *signals.of(Kind.OTHER_ERROR))):
        name = signal.app or signal.subject
        since = signal.at
        if signal.kind not in (Kind.ALERT_FIRING, Kind.OTHER_ERROR) or not name or stem(name) in joined:
            continue
        if since is None or since > began - _WELL_BEFORE or len(told) == 2:
            continue
        at = clock(since, around.now)
        if signal.kind is Kind.OTHER_ERROR:
            text = f"{whole(signal)}, from {at} on, well before this began"
        else:
            text = f"{clause(signal)} for {name}, since {at}, well before this began"
        draft.claim(ClaimKind.RULED_OUT, sentence(text), cite([signal]))
        told.append(text)
    return told


def worth_telling(judgement: Judgement) -> list[RuledOut]:
    """What was ruled out with evidence of its own; a fault's generic names on its own object are no news."""
    cited = {gist(s) for cause in judgement.causes for s in cause.evidence}
    return [one for one in judgement.ruled_out if not {gist(s) for s in one.signals} & cited][:4]


def _effect_words(one: RuledOut) -> str:
    """What is seen of it; empty where the signal only says that something waits."""
    fact = one.signals[0].values.get("fact")
    if isinstance(fact, FactItem) and len(fact_words(fact)) < _SAYS_LITTLE:
        return ""
    shown = whole(one.signals[0])
    if one.effect_of is not None:
        return shown
    return f"{one.signals[0].values.get('instead') or one.spec.ruled_out}: {shown}"


def _quiet_metrics(draft: DraftBuilder, signals: SignalSet, blamed: set[str], subjects: Sequence[str]) -> None:
    for signal in signals.of(*QUIET_OF):
        cause_id, so = QUIET_OF[signal.kind]
        series, own = signal.values.get("series"), signal.subject
        near = any(own == x or own.startswith(f"{x}-") or x.startswith(f"{own}-") for x in subjects)
        if cause_id in blamed or not near or not isinstance(series, SeriesItem):
            continue
        moved = series.high > _MOVED * series.low
        if cause_id == "cpu_saturation_query" and moved and "percent" not in series.unit.lower():
            continue  # cores say nothing of saturation once they move
        if cause_id == "cpu_saturation_query" and "percent" not in series.unit.lower():
            so = "so its use of CPU hardly changed"
        text = f"{range_phrase(series, own)}, {so}"
        draft.claim(ClaimKind.RULED_OUT, sentence(text), cite([signal]), cause_id=cause_id)


def _busy_too(draft: DraftBuilder, signals: SignalSet, blamed: set[str]) -> list[str]:
    """A saturated CPU beside a top statement that mostly waits for something else: both, side by side."""
    busy = signals.of(Kind.CPU_SATURATED)
    waiting = signals.of(Kind.SQL_CLIENT_WAIT, Kind.SQL_MAINTENANCE, Kind.SQL_WRITE, Kind.SQL_LOCK_WAIT)
    top = next((s for s in waiting if s.values.get("top") and busy and s.subject == busy[0].subject), None)
    if not busy or top is None or "cpu_saturation_query" in blamed:
        return []
    values = top.values
    text = (
        f"The CPU is busy too: {clause(busy[0])}, and {values['amount']:g} of a load of {values['load']:g} is "
        f"{values['wait']} rather than CPU in the top statement {statement(str(values['statement']))}"
    )
    draft.claim(ClaimKind.SYMPTOM, sentence(text), cite([busy[0], top]))
    return [text]


def _not_killed_for_memory(
    draft: DraftBuilder, causes: Sequence[Hypothesis], signals: SignalSet, blamed: set[str]
) -> None:
    """A restarting container whose exit code is not that of a kill: the first thing people ask."""
    if "oom_killed" in blamed:
        return
    own = {pod for cause in causes for pod in pods(cause)}
    for signal in signals:
        fact = signal.values.get("fact")
        if not isinstance(fact, FactItem) or fact.object.split("/", 1)[-1] not in own:
            continue
        code = fact.values.get("exit_code")
        if fact.aspect == "termination" and isinstance(code, int) and code not in (137, 9):
            text = f"Its container ended with exit code {code} rather than 137, the code of a forced kill"
            draft.claim(ClaimKind.RULED_OUT, sentence(text), cite([signal]), cause_id="oom_killed")
            return


_ABOUT_PLACING = (
    "capacity",
    "cordon",
    "affinity",
    "selector",
    "taint",
    "quota",
    "unschedulable",
    "volume",
    "pvc",
    "pv_",
)
_ON_NODE = re.compile(r"\bon node (<node:[^>]+>|[\w.-]+)")
_KEPT_FREE = re.compile(r"cordon|SchedulingDisabled|taint", re.IGNORECASE)


def _healthy_nodes(draft: DraftBuilder, signals: SignalSet, found: Health, causes: Sequence[Hypothesis]) -> None:
    """Nodes that are well and carry the faulty pods, in one sentence each: the fault is not theirs."""
    if any(c.spec.scope is Scope.NODE for c in causes) or not any(pods(c) for c in causes):
        return
    if any(word in c.spec.cause_id for c in causes for word in _ABOUT_PLACING):
        return  # Ready and without pressure says nothing about room, labels or taints
    nodes = [s for s in found.reasons if s.kind is Kind.OBJECT_HEALTHY and s.subject.startswith("node/")]
    own = {f"pod/{pod}" for cause in causes for pod in pods(cause)}
    theirs = {name for s in signals if s.subject in own for name in _ON_NODE.findall(s.quote)}
    for signal in distinct(nodes)[:3]:
        fact = signal.values.get("fact")
        if (
            isinstance(fact, FactItem)
            and signal.subject.split("/", 1)[1] in theirs
            and not _KEPT_FREE.search(fact.text)
        ):
            text = f"Node {fact.object.split('/', 1)[-1]}, where it runs, {fact_words(fact, 40)}"
            draft.claim(ClaimKind.RULED_OUT, sentence(text), cite([signal]))
