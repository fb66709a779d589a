"""The one sentence of a root cause: object, mechanism, and the few words or numbers that decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rootproof.agent.playbook.clauses import clause, listed, statement, telling
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.hypothesis import CauseSpec, Hypothesis, Scope
from rootproof.agent.playbook.observations import FactItem, SeriesItem, instant
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal
from rootproof.agent.playbook.wording import gist, said

_SLOT = re.compile(r"\{(\w+)\}")
_CALL_WORDS = re.compile(r"database|query|procedure|sql|redis|cache|upstream|http|rpc|call", re.IGNORECASE)
_RESTARTED = re.compile(r"\brestart(?:ed|s|ing)\b(?<!0 restarts)", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst (?:seen )?(\d{4}-\d\d-\d\dT[\d:.]{5,15}Z)")
"""An event line that stands for many tells when the first of them was."""
_NAMES = ("peer", "variable", "command", "limit", "took", "statement", "wait", "storage_class", "replica", "flaw")
_LOCK = re.compile(r"(?<!b)lock", re.IGNORECASE)
_STORAGE = frozenset({Kind.STORAGE_EXHAUSTED, Kind.DISK_FULL})
_KILLED = frozenset({Kind.OOM_KILLED, Kind.OOM, Kind.DIAGNOSED})
_DECIDE = frozenset({Kind.LOCK_HOLDER, Kind.SQL_DDL_WAIT, Kind.SLOT_INACTIVE, Kind.PREPARED_TRANSACTION})
"""What names the culprit itself: told before what is measured of the victims."""
_MAX_CLAUSES = 3
_MORE_CLAUSES = {"node_network_delay": 5}
_MAX_SENTENCE = 460


@dataclass(frozen=True, slots=True)
class CauseText:
    """A cause in words, with the signals that the words rest on."""

    text: str
    """Without a full stop."""
    used: tuple[Signal, ...]
    main: tuple[Signal, ...]
    """All signals that carry the cause; those that are not used have sentences of their own."""


def cause_text(cause: Hypothesis) -> CauseText:
    """The sentence of `cause` and what it rests on."""
    main = carrying(cause)
    told, sources = _mechanism(cause)
    used: list[Signal] = list(sources)
    clauses: list[str] = []
    ordered = _order(main)
    about = cause.subject.split("/", 1)[-1]
    for signal in ordered:
        words = _clause(signal, about, "; ".join((told, *clauses)))
        if (
            len(clauses) == _MORE_CLAUSES.get(cause.spec.cause_id, _MAX_CLAUSES)
            or not words
            or words in told
            or _repeats(signal, words, clauses)
        ):
            continue
        if clauses and len(told) + sum(map(len, clauses)) + len(words) > _MAX_SENTENCE:
            continue
        clauses.append(words)
        if signal not in used:
            used.append(signal)
    text = f"{told}: {listed(clauses)}" if clauses else told
    return CauseText(text, tuple(used or main[:1]), tuple(main))


def _order(main: Sequence[Signal]) -> list[Signal]:
    """Measured signals first; of each kind one, then the rest."""
    ranked = sorted(
        main,
        key=lambda s: (s.kind not in _DECIDE, "series" not in s.values, "activity" in s.values, "item" in s.values),
    )
    first = {s.kind: s for s in reversed(ranked)}
    return [s for s in ranked if first[s.kind] is s] + [s for s in ranked if first[s.kind] is not s]


def _repeats(signal: Signal, words: str, clauses: Sequence[str]) -> bool:
    """Whether an earlier clause already says it: an event and the state it led to carry the same message."""
    core = telling(signal, 60) if "item" in signal.values and "activity" not in signal.values else words[-60:]
    return any(core in one for one in clauses)


def _clause(signal: Signal, about: str, told: str) -> str:
    """A signal's clause; a statement that the sentence names already only adds its wait."""
    if "activity" in signal.values and statement(str(signal.values["statement"])) in told:
        wait = signal.values.get("wait")
        if not wait or str(wait) in told:
            return ""
        return f"{signal.values['amount']:g} of that statement's load of {signal.values['load']:g} is {wait}"
    if signal.quote and "item" in signal.values and telling(signal, 60) in told:
        return ""
    fact = signal.values.get("fact")
    if isinstance(fact, FactItem) and fact.aspect == "change":
        return ""  # a sentence of its own tells of it
    return clause(signal, about, told)


def _mechanism(cause: Hypothesis) -> tuple[str, list[Signal]]:
    """The spec's sentence with its slots filled, and the signals that filled them; the fallback where one is not
    known.
    """
    values, sources = _slots(cause)
    for template in (cause.spec.sentence, cause.spec.fallback):
        wanted = _SLOT.findall(template)
        if all(values.get(name) for name in wanted):
            used = [sources[name] for name in wanted if name in sources]
            return template.format_map(values), list({s.evidence_id: s for s in used}.values())
    return cause.spec.title[0].upper() + cause.spec.title[1:], []


def _slots(cause: Hypothesis) -> tuple[dict[str, str], dict[str, Signal]]:
    values: dict[str, str] = {}
    sources: dict[str, Signal] = {}
    for signal in sorted(cause.evidence, key=_telling):
        for name in _NAMES:
            value: Any = signal.values.get(name)
            if value and name not in values and _slot_fits(cause.spec, name, signal):
                values[name] = statement(str(value)) if name == "statement" else str(value)
                sources[name] = signal
        for name, word in signal.values.get("slots", {}).items():
            if name not in values:
                values[name], sources[name] = word, signal
        if signal.kind is Kind.SLOW_CALL and "call" not in values:
            values["call"], sources["call"] = said(telling(signal, 140), 160), signal
    lagging = [s for s in cause.evidence if s.kind is Kind.LAG_HIGH and s.subject]
    if lagging:
        values["replica"], sources["replica"] = lagging[0].subject, lagging[0]
    killed = next((s for s in cause.evidence if _RESTARTED.search(s.quote)), None)
    if killed is not None:
        values["killed"], sources["killed"] = "its container is restarted", killed
    if any(_LOCK.search(f"{s.quote} {s.values.get('wait', '')}") for s in cause.evidence):
        values["locks"] = "locks"
    if cause.kinds & _STORAGE:
        values["filled"] = "filling up" if Kind.STORAGE_EXHAUSTED in cause.kinds else "full"
    if cause.kinds & _KILLED:
        values["oom"] = "killed"
    values["subject"] = cause.subject.split("/", 1)[-1]
    values["object"] = _object_words(cause, pods(cause))
    return values, sources


def _slot_fits(spec: CauseSpec, name: str, signal: Signal) -> bool:
    """A statement or wait must come from activity that the spec is about."""
    if name not in ("statement", "wait"):
        return True
    if name == "wait":
        return signal.kind is Kind.SQL_CLIENT_WAIT
    return any(need.met_by(signal) for need in spec.needs) or signal.kind in spec.confirming


def pods(cause: Hypothesis) -> list[str]:
    """The pods that the evidence is about."""
    names = [s.subject.split("/", 1)[1] for s in cause.evidence if s.subject.startswith("pod/")]
    return list(dict.fromkeys(names))


def objects(cause: Hypothesis) -> list[str]:
    """What is at fault, the responsible object first."""
    found = [cause.object] if cause.object else []
    found += [f"pod/{pod}" for pod in pods(cause)[:3]]
    return list(dict.fromkeys(found))


def _object_words(cause: Hypothesis, own: Sequence[str]) -> str:
    name = cause.subject.split("/", 1)[-1]
    if cause.spec.scope is Scope.NODE:
        return f"Node {name}" if name else ""
    job = next((s.subject for s in cause.evidence if s.subject.startswith("job/")), "")
    if job:
        return f"Job {job.split('/', 1)[1]}"
    if cause.subject.startswith("namespace/"):
        return f"Namespace {name}"
    if len(own) == 1:
        return f"Pod {own[0]}" if same_thing(own[0], name) or not name else f"Pod {own[0]} of {name}"
    return name


def carrying(cause: Hypothesis) -> list[Signal]:
    """The signals that carry a cause: each need's best two, then the best confirming ones; one per evidence item."""
    chosen: dict[str, Signal] = {}
    if cause.spec.cause_id in _MORE_CLAUSES:
        return list(cause.matched)
    for need in cause.spec.needs:
        met = [s for s in cause.matched if need.met_by(s)]
        for signal in _two_views(distinct(sorted(met, key=_telling))):
            chosen.setdefault(signal.evidence_id, signal)
    ranked = sorted(cause.supporting, key=lambda s: (-cause.spec.confirming.get(s.kind, 0.0), _telling(s)))
    kinds: set[AnyKind] = {s.kind for s in chosen.values()}
    for signal in ranked:
        if signal.kind not in kinds and len(chosen) < 6:
            kinds.add(signal.kind)
            chosen.setdefault(signal.evidence_id, signal)
    for signal in list(chosen.values()):
        felt = signal.values.get("felt")
        if isinstance(felt, Signal):
            chosen.setdefault(felt.evidence_id, felt)
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


def onset(signals: Iterable[Signal]) -> tuple[datetime, Signal] | None:
    """When the earliest of `signals` began, as the evidence dates it: change points, first log lines, first events."""
    dated = [(at, s) for s in signals if (at := _began(s)) is not None]
    return min(dated, key=lambda pair: pair[0], default=None)


def _began(signal: Signal) -> datetime | None:
    series = signal.values.get("series")
    if isinstance(series, SeriesItem):
        return series.changed_at
    return (stated_first(signal.quote) if "item" in signal.values else None) or signal.at


def stated_first(text: str) -> datetime | None:
    """When the first of many was, as the line that stands for them states it."""
    stated = _FIRST.search(text)
    return instant(stated.group(1)) if stated else None


def clock(at: datetime, now: datetime) -> str:
    """`at` as people say it on the day of `now`."""
    return f"{at:%H:%M} UTC" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M} UTC"
