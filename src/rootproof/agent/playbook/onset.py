"""The change that came just before a fault, where one is recorded for the faulty object."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from rootproof.agent.playbook.cause_text import CauseText, clock, onset
from rootproof.agent.playbook.focus import same_thing, stem
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.observations import FactItem
from rootproof.agent.playbook.signals import Signal
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import said
from rootproof.domain.claim import CauseCategory

_BEFORE = timedelta(minutes=60)
_LOADED_BY_CALLERS = frozenset(
    {"cpu_saturation_query", "slow_database_query", "lock_contention", "db_connection_exhaustion",
     "replication_lag_write_load"}
)  # fmt: skip
_CALLERS_BEFORE = timedelta(minutes=15)
_AFTER = timedelta(minutes=3)
_NOUNS = frozenset({"deploy", "deployment", "rollout", "release", "rollback", "migration", "scaling"})
_PLAIN = re.compile(r"[A-Za-z][A-Za-z_-]{0,30}")
_FROM_OUTSIDE = frozenset(
    {CauseCategory.DEPENDENCY_FAILURE, CauseCategory.NETWORK_FAILURE, CauseCategory.CERTIFICATE_OR_CREDENTIAL}
)
_AUTHOR = re.compile(r", by \S+$")


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded change with its sentence."""

    object: str
    short: str
    """Kind, object and time: what a next step may say. Whoever writes changes does not write our steps."""
    told: str
    """The same as a sentence."""
    quoted: str
    """The sentence with the record's own words, marked as such."""
    evidence_id: str


def change_before(cause: Hypothesis, text: CauseText, around: Surroundings) -> Change | None:
    """The change of the faulty object nearest before the fault began; a suspicion, not a proof."""
    began = onset(text.main)
    at = began[0] if began else None
    names = (cause.subject, *(s.app for s in cause.evidence), *(s.subject for s in cause.evidence))
    clients = [str(s.values["client"]) for s in cause.evidence if s.values.get("client")]
    own = change_near(at, (*names, *clients), around)
    if own is not None or at is None or cause.spec.cause_id not in _LOADED_BY_CALLERS:
        return own
    # A server is loaded by who calls it: their changes of the last minutes are worth a word.
    callers = [app for app, callees in around.calls.items() if stem(cause.subject) in callees]
    return change_near(at, callers, replace(around, changes=tuple(_within(around.changes, at))))


def _within(changes: Iterable[FactItem], began: datetime) -> Iterable[FactItem]:
    return (fact for fact in changes if fact.first is not None and began - _CALLERS_BEFORE <= fact.first <= began)


def told_by_unchanged(cause: Hypothesis, others: Iterable[Hypothesis], around: Surroundings) -> Signal | None:
    """What a workload that was not changed tells of the same fault, as early: it clears the change of this one."""
    if cause.spec.category not in _FROM_OUTSIDE:
        return None
    own = cause.subject.split("/", 1)[-1].lower()
    began = onset(cause.matched)
    for other in others:
        if other.spec.cause_id != cause.spec.cause_id or same_thing(other.subject, cause.subject) or not other.subject:
            continue
        told = onset(s for s in other.matched if "item" in s.values)
        if began is None or told is None or told[0] > began[0] + _AFTER:
            continue
        names = (other.subject, *(s.app for s in other.matched))
        of_ours = any(own in s.quote.lower() or s.values.get("peer") == own for s in other.matched)
        if not of_ours and change_near(told[0], names, around) is None:
            return told[1]
    return None


def change_near(began: datetime | None, names: Iterable[str], around: Surroundings) -> Change | None:
    """The change of one of `names` nearest before `began`, within the hour.

    One that came just after counts only where there is none before: clocks differ, but a cause does not come second.
    """
    if began is None or around.now is None:
        return None
    wanted = [name for name in names if name]
    near = [
        (fact.first, fact)
        for fact in around.changes
        if fact.first is not None
        and began - _BEFORE <= fact.first <= began + _AFTER
        and any(same_thing(fact.app or fact.object, name) for name in wanted)
    ]
    before = [pair for pair in near if pair[0] <= began]
    if not near:
        return None
    at, fact = max(before, key=lambda pair: pair[0]) if before else min(near, key=lambda pair: pair[0])
    name = fact.app or fact.object.split("/", 1)[-1]
    body = _AUTHOR.sub("", fact.text.split(": ", 1)[-1])
    kind, _, summary = body.partition(": ")
    noun = kind if kind in _NOUNS else f"{kind} change" if _PLAIN.fullmatch(kind) else "change"
    when = clock(at, around.now)
    told = f"{name} had a {noun} at {when}, {'just before it began' if at <= began else 'about when it began'}"
    quoted = f"{told}; the change says: {said(summary, 150)}" if summary else told
    return Change(name, f"the {noun} of {name} at {when}", told, quoted, fact.evidence_id)
