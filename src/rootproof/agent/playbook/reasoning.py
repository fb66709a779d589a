"""Competing hypotheses: which hold, which are effects of others, which explain what the alert complains about.

The order of thought: (1) what must be seen is seen and nothing direct contradicts it; (2) effects are folded into their
causes, by the tables' causal order, by dependency direction and by onset; (3) of what is left, only what concerns the
alert's objects and explains its complaint is a root cause of it; the rest is mentioned, not blamed. How often or how
loudly something was logged plays no part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.causality import CALLS, contradicted, has_changed, is_effect, is_timely, only_a_symptom
from rootproof.agent.playbook.choice import GENERIC, choose, names_of
from rootproof.agent.playbook.degraded import localised
from rootproof.agent.playbook.diagnosed import diagnosed
from rootproof.agent.playbook.flat_writes import flat_writes
from rootproof.agent.playbook.focus import Focus, same_thing, stem
from rootproof.agent.playbook.hypothesis import CauseSpec, Hypothesis, Scope
from rootproof.agent.playbook.servers import Servers, one_server
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet, Topic
from rootproof.agent.playbook.surroundings import ON_NODE, Surroundings

_FELT_BY_ITSELF = frozenset({Kind.CPU_SATURATED, Kind.LATENCY_SURGE, Kind.ERRORS_SURGE})
_SESSIONS = frozenset({Kind.SESSIONS_IDLE, Kind.CONNECTIONS_AT_LIMIT, Kind.TOO_MANY_CONNECTIONS, Kind.SQL_CLIENT_WAIT})

HOST_LOGS = frozenset(
    {"kernel", "kern", "dmesg", "kubelet", "systemd", "systemd-journald", "journal", "syslog", "messages", "containerd",
     "dockerd", "crio", "cri-o"}
)  # fmt: skip
"""Logs of a node: they tell of what runs there, and say at most in their words of whom."""


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A spec that something observed speaks against."""

    spec: CauseSpec
    signals: tuple[Signal, ...]
    effect_of: Hypothesis | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the evidence amounts to."""

    causes: tuple[Hypothesis, ...] = ()
    """Root causes of what the alert or question is about, best first."""
    unrelated: tuple[Hypothesis, ...] = ()
    """What holds too, but does not explain the complaint."""
    leads: tuple[Hypothesis, ...] = ()
    """Partly met: not claimed."""
    ruled_out: tuple[RuledOut, ...] = ()


def judge(signals: SignalSet, about: Focus, catalogue: Catalogue, around: Surroundings | None = None) -> Judgement:
    """Weigh all causes of the catalogue; `around` tells who calls whom, where it is recorded."""
    around = around or Surroundings()
    servers = Servers.of(signals, around)
    held: list[Hypothesis] = []
    leads: list[Hypothesis] = []
    refuted: list[RuledOut] = []
    for spec in catalogue.causes:
        for found in _hypotheses(spec, signals, servers):
            if spec.topic_needed not in {None, *about.topics} and not has_changed(found):
                continue
            against = (
                _against(found, signals, servers.names)
                or contradicted(found, signals, around)
                or flat_writes(found, signals)
            )
            if against:
                refuted.append(RuledOut(spec, against))
            elif _met(found):
                held.append(replace(found, score=_score(found, about)))
            else:
                leads.append(replace(found, score=_score(found, about)))
    held += [replace(found, score=_score(found, about)) for found in diagnosed(signals, catalogue)]
    if not any(_explains_slowness(found) for found in held):
        held += [replace(found, score=_score(found, about)) for found in localised(signals, around)]
    roots, effects = _fold(_merged(held), around)
    leads += [found for found in roots if only_a_symptom(found, around)]
    chosen, others = choose([found for found in roots if not only_a_symptom(found, around)], about, around)
    return Judgement(
        causes=tuple(_distinct(chosen)),
        unrelated=tuple(others),
        leads=tuple(sorted(leads, key=lambda h: -h.score)),
        ruled_out=(*effects, *refuted),
    )


def _met(found: Hypothesis) -> bool:
    return all(any(n.met_by(s) for s in found.matched) for n in found.spec.needs)


def _explains_slowness(found: Hypothesis) -> bool:
    return found.spec.cause_id not in CALLS and bool(found.spec.explains & {Topic.LATENCY, Topic.NETWORK})


def _hypotheses(spec: CauseSpec, signals: SignalSet, servers: Servers) -> Iterable[Hypothesis]:
    names, around = servers.names, servers.around
    groups: dict[str, list[Signal]] = defaultdict(list)
    for signal in signals:
        foreign = spec.scope is Scope.DATABASE and servers.is_clients(signal)
        if signal.current and spec.needs[0].met_by(signal) and not foreign:
            groups[_subject(spec, signal, servers)].append(signal)
    if "" in groups and len(groups) > 1:
        # Words that name nobody belong to the objects that others name.
        loose = [s for s in groups.pop("") if s.app not in HOST_LOGS]
        for members in groups.values():
            members.extend(loose)
    for subject, members in groups.items():
        matched = sorted(members, key=lambda s: -s.weight)
        for further in spec.needs[1:]:
            fitting = [s for s in signals if s.current and further.met_by(s) and _may_be_of(s, subject, servers)]
            matched += [s for s in fitting if is_timely(s, members)]
        matched = list({(s.kind, s.evidence_id): s for s in matched}.values())
        taken = {(s.kind, s.evidence_id) for s in matched}
        supporting = [
            s
            for s in signals
            if s.kind in spec.confirming and (s.kind, s.evidence_id) not in taken
            and (_related(s, subject, names) or _held_open(s, subject, around))
            and (s.current or s.kind is Kind.CHECKPOINT_FREQUENT)
        ]  # fmt: skip
        yield Hypothesis(spec, subject, tuple(matched), tuple(supporting))


def _may_be_of(signal: Signal, subject: str, servers: Servers) -> bool:
    """Whether `signal` may be about `subject`, or about the load on what it calls."""
    own, known = stem(signal.subject), servers.around.known
    if signal.kind in _FELT_BY_ITSELF and {own, stem(subject)} <= known and not one_server(own, stem(subject)):
        return False
    if _related(signal, subject, servers.names):
        return True
    if signal.subject.lower().startswith("networkpolicy/"):
        return True
    called = servers.around.calls.get(stem(subject), frozenset())
    return signal.kind is Kind.TRAFFIC_SURGE and stem(signal.subject) in called


def _held_open(signal: Signal, subject: str, around: Surroundings) -> bool:
    """Whether a server that `subject` calls tells of sessions that its clients hold."""
    return signal.kind in _SESSIONS and stem(signal.subject) in around.calls.get(stem(subject), frozenset())


def _merged(held: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The same fault told of a primary and of its replica is one fault; the better supported subject stands for it."""
    kept: list[Hypothesis] = []
    for found in sorted(held, key=lambda h: -h.score):
        twin = next((i for i, k in enumerate(kept) if _twins(k, found)), None)
        if twin is None:
            kept.append(found)
            continue
        first = kept[twin]
        have = {(s.kind, s.evidence_id) for s in first.matched}
        more = tuple(s for s in found.matched if (s.kind, s.evidence_id) not in have)
        kept[twin] = replace(first, matched=first.matched + more)
    return kept


def _twins(a: Hypothesis, b: Hypothesis) -> bool:
    if a.spec.cause_id != b.spec.cause_id:
        return False
    if a.spec.scope is Scope.DATABASE:
        return one_server(a.subject, b.subject)
    return a.subject == b.subject or same_thing(a.subject, b.subject)


def _subject(spec: CauseSpec, signal: Signal, servers: Servers) -> str:
    """Whom `signal` is about, in the terms of the spec's scope."""
    match spec.scope:
        case Scope.DATABASE:
            return servers.about(signal)
        case Scope.NODE:
            return signal.subject if signal.subject.startswith("node/") else _node_of(signal)
        case Scope.WORKLOAD:
            if "fact" in signal.values:
                return signal.app or stem(signal.subject)
            if "/" in signal.subject:
                return stem(signal.subject)
            own = stem(signal.subject).removesuffix("-pool") if signal.subject else ""
            return "" if own in HOST_LOGS else own


def _node_of(signal: Signal) -> str:
    """The node that a pod's state says it is on."""
    stood = ON_NODE.search(signal.quote) if "fact" in signal.values else None
    return f"node/{stood.group(1)}" if stood is not None else ""


def _related(signal: Signal, subject: str, names: frozenset[str]) -> bool:
    """Whether `signal` may be about `subject`: same object, a replica of it, or nobody in particular."""
    own = signal.subject.split("/", 1)[-1]
    if not subject or not own or own == subject or same_thing(own, subject) or same_thing(signal.app, subject):
        return True
    if subject.startswith("node/"):
        return False
    if own in names:
        # Metrics and statements of another server are another matter; a replica carries its primary's name.
        return subject not in names or one_server(own, subject)
    if subject in names:
        told = [name for name in names if name in signal.quote]
        return not told or subject in told
    return False


def _against(found: Hypothesis, signals: SignalSet, names: frozenset[str]) -> tuple[Signal, ...]:
    """Direct measurements that contradict a hypothesis which itself rests on words only."""
    first = found.spec.needs[0]
    measured = any(s.kind.value.startswith("metric.") and first.met_by(s) for s in found.matched)
    if measured or not found.spec.refuted_by:
        return ()
    return tuple(s for s in signals.of(*found.spec.refuted_by) if _related(s, found.subject, names))


def _score(found: Hypothesis, about: Focus) -> float:
    spec = found.spec
    score = sum(max((s.weight for s in found.matched if n.met_by(s)), default=0.0) for n in spec.needs)
    score += sum(amount for kind, amount in spec.confirming.items() if kind in found.kinds)
    score += 1.0 * bool((spec.explains - GENERIC) & about.topics) + 0.1 * (found.subject in about.targets)
    return score + 2.0 * about.covers(*names_of(found)) * bool(about.targets)


def _fold(held: Sequence[Hypothesis], around: Surroundings) -> tuple[list[Hypothesis], list[RuledOut]]:
    """Root hypotheses with their consequences, and the consequences as "not a cause of its own"."""
    parents: dict[int, Hypothesis] = {}
    for found in held:
        above = [other for other in held if other is not found and is_effect(found, other, around)]
        above = [other for other in above if not only_a_symptom(other, around)]
        if above:
            parents[id(found)] = max(above, key=lambda h: h.score)
    roots = []
    effects = [RuledOut(f.spec, f.matched[:2], _root(f, parents)) for f in held if id(f) in parents]
    for found in held:
        if id(found) not in parents:
            below = tuple(f for f in held if id(f) in parents and _root(f, parents) is found)
            roots.append(replace(found, consequences=below))
    by_spec = {(r.spec.cause_id, r.subject): r for r in roots}
    return roots, [
        replace(e, effect_of=by_spec.get((e.effect_of.spec.cause_id, e.effect_of.subject), e.effect_of))
        for e in effects
        if e.effect_of is not None
    ]


def _root(found: Hypothesis, parents: dict[int, Hypothesis]) -> Hypothesis:
    """The top of the chain above `found`; a loop in the tables ends where it began."""
    seen = {id(found)}
    while id(found) in parents and id(parents[id(found)]) not in seen:
        found = parents[id(found)]
        seen.add(id(found))
    return found


def _distinct(causes: Sequence[Hypothesis]) -> Iterable[Hypothesis]:
    """One cause per workload; databases and nodes may have two independent faults at once."""
    seen: set[str] = set()
    for found in causes:
        key = stem(found.subject)
        if found.spec.scope is Scope.WORKLOAD and key in seen:
            continue
        seen.add(key)
        yield found
