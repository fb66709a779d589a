"""Whether one fault is an effect of another: by the tables, by who calls whom, by shared evidence, and by time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from rootproof.agent.playbook.background import trouble_began
from rootproof.agent.playbook.diagnosed import FOLLOWS
from rootproof.agent.playbook.focus import same_thing, stem
from rootproof.agent.playbook.hypothesis import Hypothesis, Scope
from rootproof.agent.playbook.observations import FactItem, SeriesItem
from rootproof.agent.playbook.servers import one_server
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet
from rootproof.agent.playbook.surroundings import Surroundings

CALLS = frozenset(
    {"dependency_unreachable", "dependency_timeout", "slow_dependency_call", "connection_pool_exhausted",
     "readiness_probe_failing", "cache_failure", "consumer_backlog"}
)  # fmt: skip
"""Faults that are felt by who calls."""
SYMPTOMS = frozenset({"dependency_unreachable", "dependency_timeout", "cache_failure", "dns_resolution_failure"})
"""Failing calls as the caller tells of them."""
_TAINTS = {
    "node_pressure_eviction": re.compile(r"node\.kubernetes\.io/(?:disk|memory|pid)-pressure"),
    "node_not_ready": re.compile(r"node\.kubernetes\.io/(?:not-ready|unreachable)"),
}
_IN_ONE_BREATH = frozenset({"bad_configuration"})
"""An effect of another fault of the same workload only where one line tells of both."""
_BROKER = re.compile(r"kafka|rabbit|amqp|activemq|artemis|\bsqs\b|nats|pulsar|pubsub|queue|broker|kinesis")
_ONSET_SLACK = timedelta(minutes=10)
_CHANGED, _CLOCKS = timedelta(minutes=60), timedelta(minutes=3)
_NOT_NEW = "Throttling stood at this level before"
_STOOD = timedelta(minutes=20)
"""A level that was recorded for so long before the trouble began was there before it."""


def is_effect(lower: Hypothesis, upper: Hypothesis, around: Surroundings) -> bool:
    """Whether `lower` is an effect of `upper`, and not older."""
    if not _in_time(upper, lower):
        return False
    if upper.subject.startswith("node/") and _kept_away(upper, lower):
        return True
    peers = _peers(lower)
    felt = lower.spec.cause_id in CALLS and upper.spec.cause_id not in CALLS
    own = {stem(name) for name in (upper.subject, *(s.app for s in upper.matched)) if name}
    if felt and own & peers and stem(lower.subject) not in own:
        return True
    if _is_diagnosed(upper) and _follows(upper, lower, peers):
        return True
    if felt and _calls_into(upper, lower, peers, around):
        return True
    if upper.spec.cause_id not in lower.spec.consequence_of or _held_idle(lower, upper):
        return False
    return _demanded(upper, lower) and _connected(upper, lower, peers, around)


def _demanded(upper: Hypothesis, lower: Hypothesis) -> bool:
    """More requests explain load that rose with them or after them, not load that was there before."""
    if upper.spec.cause_id != "traffic_surge":
        return True
    asked = min((s.at for s in upper.matched if s.kind is Kind.TRAFFIC_SURGE and s.at is not None), default=None)
    then = onset(lower)
    return asked is None or then is None or asked <= then + _CLOCKS


def _connected(upper: Hypothesis, lower: Hypothesis, peers: set[str], around: Surroundings) -> bool:
    """Whether the objects of both have to do with each other."""
    if upper.spec.scope is lower.spec.scope is Scope.WORKLOAD:
        if lower.spec.cause_id == "consumer_backlog" and stem(lower.subject) not in around.known:
            # A queue's name is no workload: whoever works it off may wait for what it calls.
            callees = around.calls.get(stem(upper.subject), frozenset())
            return bool(around.callers(upper.subject)) or any(_BROKER.search(name) for name in callees)
        if same_thing(upper.subject, lower.subject):
            told_apart = lower.spec.cause_id in _IN_ONE_BREATH and not _shared(upper, lower)
            return not _other_calls(upper, peers) and not told_apart
        return stem(upper.subject) in peers
    if upper.spec.scope is lower.spec.scope is Scope.DATABASE:
        return one_server(upper.subject, lower.subject)
    if around.calls and upper.spec.scope is Scope.WORKLOAD and lower.spec.scope is Scope.DATABASE:
        # A client exhausts a server only if it calls it.
        near = around.near(upper.subject) | around.callees(upper.subject)
        if upper.spec.cause_id == "cache_failure":
            # What a cache does not serve, its callers ask of what else they call.
            near |= {callee for caller in around.callers(upper.subject) for callee in around.callees(caller)}
        return not lower.subject or stem(lower.subject) in near
    if upper.spec.scope is Scope.DATABASE and lower.spec.scope is Scope.WORKLOAD:
        return _reaches(lower, upper.subject, peers, around)
    if upper.spec.scope is Scope.NODE and lower.spec.scope is Scope.WORKLOAD:
        return _stood_on(lower, upper, peers, around)
    return True


def _kept_away(upper: Hypothesis, lower: Hypothesis) -> bool:
    """Whether a node in trouble keeps pods away, by the taint that the scheduler names, or is short of what `lower`
    measures on it.
    """
    if lower.spec.cause_id in ("storage_exhaustion", "disk_io_saturation") and same_thing(lower.subject, upper.subject):
        return True
    taints = _TAINTS.get(upper.spec.cause_id)
    return taints is not None and any("fact" in s.values and taints.search(s.quote) for s in lower.matched)


def _peers(found: Hypothesis) -> set[str]:
    """The stems of whom the failing calls of `found` name."""
    return {stem(str(s.values["peer"]).split(".", 1)[0]) for s in found.matched if s.values.get("peer")}


def _other_calls(upper: Hypothesis, peers: set[str]) -> bool:
    """Whether `upper` is a failing call to somebody else than `peers`: two calls of one workload, two matters."""
    others = _peers(upper)
    return bool(others and peers) and not others & peers


def _reaches(lower: Hypothesis, server: str, peers: set[str], around: Surroundings) -> bool:
    """Whether what `lower` is about depends on `server`: by whom its failing calls name, else by the call graph."""
    if not server:
        return True
    named = peers & around.known
    ways = named or around.calls.get(stem(lower.subject), frozenset())
    if not ways:
        return True
    return any(one_server(stem(server), end) for way in ways for end in (way, *around.callees(way)))


def _stood_on(lower: Hypothesis, upper: Hypothesis, peers: set[str], around: Surroundings) -> bool:
    """Whether `lower`, or what its calls name, stood on the node; true where nothing tells where it stands."""
    own = {stem(lower.subject), *(peers & around.known)}
    hit = {stem(s.subject) for s in upper.matched if s.subject.startswith("pod/")}
    if own & hit:
        return True
    placed = {around.nodes[name] for name in own if name in around.nodes}
    return not placed or upper.subject.split("/", 1)[-1] in placed


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
    if lower.spec.cause_id == "dns_resolution_failure" and "dns" in stem(upper.subject):
        return upper.spec.cause_id == "service_dns_resolution_failure"
    wide = upper.subject.startswith(("node/", "namespace/")) and lower.spec.cause_id not in SYMPTOMS
    return _shared(upper, lower) or wide or bool(own & ({stem(lower.subject)} | peers))


def _shared(upper: Hypothesis, lower: Hypothesis) -> bool:
    return bool({s.evidence_id for s in upper.matched} & {s.evidence_id for s in lower.matched})


def _hosts(found: Hypothesis) -> list[str]:
    facts = [s.values.get("fact") for s in found.matched]
    return [str(f.values["host"]).split(".", 1)[0] for f in facts if isinstance(f, FactItem) and f.values.get("host")]


def _calls_into(upper: Hypothesis, lower: Hypothesis, peers: set[str], around: Surroundings) -> bool:
    """Whether the object of `lower` calls that of `upper`, directly or through others; where its failing calls name
    one of our own workloads, through that one.
    """
    if (upper.spec.scope is Scope.DATABASE and around.calls) or not (around.calls or around.told):
        return False
    own = {upper.subject, *(s.app for s in upper.matched)}
    named = peers & around.known
    if named:
        return any(stem(name) in around.callees(one) for one in named for name in own if name)
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


def only_a_symptom(found: Hypothesis, around: Surroundings) -> bool:
    """A call that times out is the caller's symptom: a cause only where the peer is named and is none of our own
    workloads, whose state would be recorded.
    """
    if found.spec.cause_id != "dependency_timeout":
        return False
    peers = _peers(found)
    return not peers or bool(peers & around.known) or stem(found.subject) in peers


def contradicted(found: Hypothesis, signals: SignalSet, around: Surroundings) -> tuple[Signal, ...]:
    """What else is measured or dated speaks against a hypothesis; empty where nothing does."""
    return amplified(found, signals, around) or out_of_time(found, signals, around) or standing(found, signals)


def amplified(found: Hypothesis, signals: SignalSet, around: Surroundings) -> tuple[Signal, ...]:
    """Against a surge of traffic: callers whose own traffic is flat. A rise inside that the edge does not see is made
    inside, by retries, a failing cache or a changed caller.
    """
    if found.spec.cause_id != "traffic_surge":
        return ()
    callers = around.callers(found.subject)
    asked = [s for s in signals.of(Kind.TRAFFIC_STEADY, Kind.TRAFFIC_SURGE) if stem(s.subject) in callers]
    if not asked or any(s.kind is Kind.TRAFFIC_SURGE for s in asked):
        return ()
    return tuple(asked[:2])


def has_changed(found: Hypothesis) -> bool:
    """Whether a measurement that carries `found` left its own former level."""
    return any(series.changed_at is not None for series in _series(found))


def standing(found: Hypothesis, signals: SignalSet) -> tuple[Signal, ...]:
    """Against throttling: that it stood at the same level before what is complained about changed."""
    series = _series(found)
    if found.spec.cause_id != "cpu_throttling" or not series or has_changed(found):
        return ()
    began = trouble_began(signals)
    if began is None or any(one.first_at is None or one.first_at > began - _STOOD for one in series):
        return ()
    return tuple(replace(s, values={**s.values, "instead": _NOT_NEW}) for s in found.matched if "series" in s.values)


def _series(found: Hypothesis) -> list[SeriesItem]:
    return [series for s in found.matched if isinstance(series := s.values.get("series"), SeriesItem)]


def is_timely(signal: Signal, felt: Sequence[Signal]) -> bool:
    """Whether a recorded change came within the hour before what is felt; other signals always are."""
    fact = signal.values.get("fact")
    if not isinstance(fact, FactItem) or fact.aspect != "change" or fact.first is None:
        return True
    began = min((s.at for s in felt if s.at is not None), default=None)
    return began is not None and began - _CHANGED <= fact.first <= began + _CLOCKS


_FAILED_WITH_IT = (
    Kind.CONN_REFUSED, Kind.DB_UNREACHABLE, Kind.READ_ONLY, Kind.POOL_EXHAUSTED, Kind.HTTP_5XX, Kind.ERRORS_SURGE,
    Kind.LATENCY_SURGE, Kind.CONNECTIONS_DROPPED,
)  # fmt: skip
_AFTERWARDS = timedelta(minutes=15)


def out_of_time(found: Hypothesis, signals: SignalSet, around: Surroundings) -> tuple[Signal, ...]:
    """Against a failover: that what fails now began long after it was over."""
    if found.spec.cause_id != "database_failover":
        return ()
    ended = max((s.last for s in found.matched if s.last is not None), default=None)
    felt = [(at, s) for s in signals.of(*_FAILED_WITH_IT) if (at := _first(s)) is not None]
    if ended is None:
        return ()
    if not felt:
        # Nothing fails: it has been over for long, or it is still going on.
        past = around.now is not None and ended < around.now - _AFTERWARDS
        return found.matched[:1] if past and not found.supporting else ()
    first, signal = min(felt, key=lambda pair: pair[0])
    return (signal,) if first > ended + _AFTERWARDS else ()


def _first(signal: Signal) -> datetime | None:
    series = signal.values.get("series")
    return series.changed_at if isinstance(series, SeriesItem) else signal.at
