"""The change that came just before a fault, where one is recorded for the faulty object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from rootproof.agent.playbook.cause_text import CauseText, clock, onset
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import quote, said

_BEFORE = timedelta(minutes=60)
_AFTER = timedelta(minutes=3)
_NOUNS = frozenset({"deploy", "deployment", "rollout", "release", "rollback", "migration", "scaling"})
_AUTHOR = re.compile(r", by \S+$")


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded change with its sentence."""

    object: str
    short: str
    told: str
    evidence_id: str


def change_before(cause: Hypothesis, text: CauseText, around: Surroundings) -> Change | None:
    """The newest change of the faulty object within the hour before the fault began; a suspicion, not a proof."""
    began = onset(text.main)
    if began is None or around.now is None:
        return None
    names = (cause.subject, *(s.app for s in cause.evidence), *(s.subject for s in cause.evidence))
    near = [
        fact
        for fact in around.changes
        if fact.first is not None
        and began[0] - _BEFORE <= fact.first <= began[0] + _AFTER
        and any(same_thing(fact.app or fact.object, name) for name in names if name)
    ]
    if not near:
        return None
    fact = max(near, key=lambda f: f.first or began[0])
    name = fact.app or fact.object.split("/", 1)[-1]
    body = _AUTHOR.sub("", fact.text.split(": ", 1)[-1])
    kind, _, summary = body.partition(": ")
    at = clock(fact.first, around.now) if fact.first else ""
    what = kind if kind in _NOUNS else f"{kind} change"
    told = f"{name} had a {what} at {at}, just before it began: {said(summary, 150)}"
    return Change(name, quote(summary.split(": ", 1)[0], 80), told, fact.evidence_id)
