"""The change that came just before a fault, where one is recorded for the faulty object."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from rootproof.agent.playbook.cause_text import CauseText, clock, onset
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import said

_BEFORE = timedelta(minutes=60)
_AFTER = timedelta(minutes=3)
_NOUNS = frozenset({"deploy", "deployment", "rollout", "release", "rollback", "migration", "scaling"})
_PLAIN = re.compile(r"[A-Za-z][A-Za-z_-]{0,30}")
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
    names = (cause.subject, *(s.app for s in cause.evidence), *(s.subject for s in cause.evidence))
    return change_near(began[0] if began else None, names, around)


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
    told = f"{name} had a {noun} at {when}, just before it began"
    quoted = f"{told}; the change says: {said(summary, 150)}" if summary else told
    return Change(name, f"the {noun} of {name} at {when}", told, quoted, fact.evidence_id)
