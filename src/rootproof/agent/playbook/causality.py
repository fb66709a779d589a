"""Whether one fault is an effect of another: by the tables, by who calls whom, by shared evidence, and by time."""

from __future__ import annotations

from datetime import datetime, timedelta

from rootproof.agent.playbook.diagnosed import FOLLOWS
from rootproof.agent.playbook.focus import same_thing, stem
from rootproof.agent.playbook.hypothesis import Hypothesis, Scope
from rootproof.agent.playbook.observations import FactItem
from rootproof.agent.playbook.signals import Kind
from rootproof.agent.playbook.surroundings import Surroundings

CALLS = frozenset(
    {"dependency_unreachable", "dependency_timeout", "slow_dependency_call", "connection_pool_exhausted",
     "readiness_probe_failing", "cache_failure"}
)  # fmt: skip
"""Faults that are felt by who calls."""
SYMPTOMS = frozenset({"dependency_unreachable", "dependency_timeout", "cache_failure", "dns_resolution_failure"})
"""Failing calls as the caller tells of them."""
_ONSET_SLACK = timedelta(minutes=10)


def is_effect(lower: Hypothesis, upper: Hypothesis, around: Surroundings) -> bool:
    """Whether `lower` is an effect of `upper`, and not older."""
    if not _in_time(upper, lower):
        return False
    peers = {stem(str(s.values["peer"]).split(".", 1)[0]) for s in lower.matched if s.values.get("peer")}
    felt = lower.spec.cause_id in CALLS and upper.spec.cause_id not in CALLS
    if felt and stem(upper.subject) in peers and stem(upper.subject) != stem(lower.subject):
        return True
    if _is_diagnosed(upper) and _follows(upper, lower, peers):
        return True
    if felt and _calls_into(upper, lower, around):
        return True
    if upper.spec.cause_id not in lower.spec.consequence_of or _held_idle(lower, upper):
        return False
    if upper.spec.scope is lower.spec.scope is Scope.WORKLOAD:
        return same_thing(upper.subject, lower.subject) or stem(upper.subject) in peers
    if upper.spec.scope is lower.spec.scope is Scope.DATABASE:
        return one_server(upper.subject, lower.subject)
    if around.calls and upper.spec.scope is Scope.WORKLOAD and lower.spec.scope is Scope.DATABASE:
        # A client exhausts a server only if it calls it.
        return not lower.subject or stem(lower.subject) in around.near(upper.subject)
    return True


def _held_idle(lower: Hypothesis, upper: Hypothesis) -> bool:
    """Sessions that wait for their clients do not pile up behind a slow statement."""
    return upper.spec.cause_id in ("cpu_saturation_query", "slow_database_query") and bool(
        lower.kinds & {Kind.SQL_CLIENT_WAIT, Kind.SESSIONS_IDLE}
    )


def _is_diagnosed(found: Hypothesis) -> bool:
    return any(s.kind is Kind.DIAGNOSED for s in found.matched)


def _follows(upper: Hypothesis, lower: Hypothesis, peers: set[str]) -> bool:
    """Whether a fault that state and declaration show explains a generic one, or a reference to what it keeps away."""
    own = {stem(name) for name in (upper.subject, *(s.app for s in upper.matched)) if name}
    if _is_diagnosed(lower):
        return bool(own & {stem(host) for host in _hosts(lower)})
    if lower.spec.cause_id not in FOLLOWS:
        return False
    shared = {s.evidence_id for s in upper.matched} & {s.evidence_id for s in lower.matched}
    wide = upper.subject.startswith(("node/", "namespace/")) and lower.spec.cause_id not in SYMPTOMS
    return bool(shared) or wide or bool(own & ({stem(lower.subject)} | peers))


def _hosts(found: Hypothesis) -> list[str]:
    facts = [s.values.get("fact") for s in found.matched]
    return [str(f.values["host"]).split(".", 1)[0] for f in facts if isinstance(f, FactItem) and f.values.get("host")]


def one_server(a: str, b: str) -> bool:
    """Whether two names mean one database server or a replica of it; an unknown name may be either."""
    return not a or not b or a.startswith(b) or b.startswith(a)


def _calls_into(upper: Hypothesis, lower: Hypothesis, around: Surroundings) -> bool:
    """Whether the object of `lower` calls that of `upper`, directly or through others."""
    if upper.spec.scope is Scope.DATABASE or not around.calls:
        return False
    own = {upper.subject, *(s.app for s in upper.matched)}
    return any(stem(lower.subject) in around.callers(name) for name in own if name)


def _in_time(upper: Hypothesis, lower: Hypothesis) -> bool:
    if _is_diagnosed(upper):
        # A wrong declaration was there before the event that shows it.
        return True
    first, then = onset(upper), onset(lower)
    return first is None or then is None or first <= then + _ONSET_SLACK


def onset(found: Hypothesis) -> datetime | None:
    """The earliest onset of the signals that a hypothesis needs."""
    return min((s.at for s in found.matched if s.at is not None), default=None)
