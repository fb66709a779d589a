"""Which of the faults that hold are root causes of what the alert or question complains about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from rootproof.agent.playbook.causality import SYMPTOMS, onset
from rootproof.agent.playbook.focus import Focus, same_thing, stem
from rootproof.agent.playbook.hypothesis import Hypothesis, Scope
from rootproof.agent.playbook.signals import Kind, Topic
from rootproof.agent.playbook.surroundings import Surroundings

GENERIC = frozenset({Topic.LATENCY, Topic.ERRORS, Topic.AVAILABILITY, Topic.RESTARTS, Topic.NETWORK})
_LEAST_NAME = 4
_WELL_BEFORE = timedelta(minutes=45)


def choose(
    roots: Sequence[Hypothesis], about: Focus, around: Surroundings
) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """Root causes of the complaint, and what else holds."""
    ranked = sorted(roots, key=lambda h: (-h.score, h.spec.cause_id, h.subject))
    near = [h for h in ranked if _concerns(h, about)] or [h for h in ranked if _names_target(h, about)]
    near = near or _of_callees(ranked, about, around) or _of_strangers(ranked, about, around)
    specific = about.topics - GENERIC
    pool = near
    if specific:
        explained = [h for h in near if h.spec.explains & specific]
        # An alert that only names generic symptoms is explained by whatever is wrong.
        pool = explained or [h for h in near if h.spec.explains & about.topics] or near
        pool = [*pool, *_of_other_targets(near, pool, about)]
    if any(s.kind is Kind.DIAGNOSED for h in pool for s in h.matched):
        # A failing call is the caller's symptom: beside a fault that state and declaration show, it is not blamed.
        pool = [h for h in pool if h.spec.cause_id not in SYMPTOMS or _is_diagnosed(h)]
    pool = _without_older(pool, about)
    chosen = {id(h) for h in pool}
    return pool, [h for h in ranked if id(h) not in chosen]


def _without_older(pool: list[Hypothesis], about: Focus) -> list[Hypothesis]:
    """Beside a fault that came with the alert, what was logged long before it is background."""
    return [h for h in pool if not _stood_before(h, about)] or pool


def _stood_before(found: Hypothesis, about: Focus) -> bool:
    began = onset(found)
    if about.since is None or began is None or found.spec.scope is not Scope.WORKLOAD or found.consequences:
        return False
    return began < about.since - _WELL_BEFORE and all("item" in s.values for s in found.matched)


def names_of(found: Hypothesis) -> tuple[str, ...]:
    """The names of what a hypothesis is about."""
    own = (found.subject, *(s.subject for s in found.matched), *(s.app for s in found.matched))
    return tuple(dict.fromkeys(name for name in own if name))


def _of_callees(ranked: Sequence[Hypothesis], about: Focus, around: Surroundings) -> list[Hypothesis]:
    """What is wrong with something that a target calls, directly or through others."""
    called = {name for target in about.targets for name in around.callees(target)}
    return [h for h in ranked if any(stem(name) in called for name in names_of(h))]


def _of_strangers(ranked: Sequence[Hypothesis], about: Focus, around: Surroundings) -> list[Hypothesis]:
    """Where the alert names nothing that a record knows, all that calls connect: no name can tell them apart."""
    if any(stem(target) in around.known for target in about.targets):
        return []
    return [h for h in ranked if h.consequences]


def _of_other_targets(near: Iterable[Hypothesis], pool: Iterable[Hypothesis], about: Focus) -> list[Hypothesis]:
    """What holds for a target that nothing chosen is about: two alerts may tell of two faults."""
    told = [name for h in pool for one in (h, *h.consequences) for name in names_of(one)]
    # One alert that names two objects complains of one thing.
    topics = about.topics | GENERIC if about.alerts > 1 else about.topics
    left = [target for target in about.targets if not any(same_thing(target, name) for name in told)]
    chosen = {id(h) for h in pool}
    return [
        h for h in near
        if id(h) not in chosen and h.spec.explains & topics
        and any(same_thing(h.subject, target) for target in left)
    ]  # fmt: skip


def _is_diagnosed(found: Hypothesis) -> bool:
    return any(s.kind is Kind.DIAGNOSED for s in found.matched)


def _concerns(found: Hypothesis, about: Focus) -> bool:
    if about.covers(*names_of(found)):
        return True
    if any(about.covers(*names_of(below)) for below in found.consequences):
        return True
    return found.spec.scope is Scope.NODE and found.spec.cause_id.startswith("node_n")


def _names_target(found: Hypothesis, about: Focus) -> bool:
    """Whether a log line that carries the cause names what was asked about: it is told of by who calls it."""
    told = " ".join(s.quote for s in found.matched if "item" in s.values).lower()
    return any(len(target) >= _LEAST_NAME and target.split("/")[-1].lower() in told for target in about.targets)
