"""Onset: what is called the cause must have been there when the symptom began."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.text import parts
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose, stem
from rootproof.domain.claim import ClaimKind
from rootproof.domain.window import iso

TOLERANCE: Final = timedelta(minutes=2)
"""Clocks, scrape intervals and the first log line after a fault differ by this much."""
LASTING: Final = timedelta(hours=1)
"""A change that has been in place for longer needs more than its date to be the cause."""
_ENDED: Final = words("rollback reverted revert recovered restored undone mitigated resolved until")


def check_onset(ground: Ground) -> Iterator[Finding]:
    """For a CAUSE: CONTRADICTED where a cited change came after all it is said to have made, MISSING where all
    that is cited began after every symptom of the report.
    """
    if ground.parsed.claim.kind is not ClaimKind.CAUSE:
        return
    lowers = {token.lower for token in ground.parsed.tokens}
    if lowers & _ENDED or {"rolled", "back"} <= lowers:
        return
    dated = [(item, at) for item in ground.items if (at := item.began) is not None]
    changes = [pair for pair in dated if pair[0].is_change]
    effects = [pair for pair in dated if not pair[0].is_change]
    if changes and effects:
        change, effect = min(changes, key=_at), max(effects, key=_at)
        if change[1] > effect[1] + TOLERANCE:
            yield Finding(State.CONTRADICTED, _said("came after what it is said to cause", change, effect))
        first = min(effects, key=_at)
        if (
            first[1] - change[1] > LASTING
            and not _shares_words(change[0], first[0])
            and not any(item.series is not None for item, _ in effects)
        ):
            yield Finding(State.MISSING, _said("had been there for long, and nothing cited ties them", change, first))
        return
    symptoms = ground.run.symptoms if ground.run is not None else []
    if not symptoms or len(dated) < len(ground.items):
        return
    cause, last = min(dated, key=_at), max(symptoms, key=_at)
    if cause[1] > last[1] + TOLERANCE:
        state = State.CONTRADICTED if cause[0].is_change else State.MISSING
        yield Finding(state, _said("began after the symptom", cause, last))


def _shares_words(change: Item, effect: Item) -> bool:
    """Whether a change speaks of something that the effect speaks of too, beside the names."""
    named = {stem(part) for name in change.about | effect.about for part in parts(name)}
    mine, theirs = (
        {stem(t.lower) for t in each.tokens if t.lower.isalpha() and not is_prose(t.lower)} for each in (change, effect)
    )
    return bool((mine & theirs) - named) or _shares_object(change, effect)


def _shares_object(change: Item, effect: Item) -> bool:
    """Whether both write the same key, or the change is one of rights of the same thing, and the effect a denial."""
    mine, theirs = ({token.text for token in each.tokens if _KEY.fullmatch(token.text)} for each in (change, effect))
    if (mine & theirs) - change.about - effect.about:
        return True
    said = {token.lower for token in change.tokens}
    return bool(change.about & effect.about) and bool(said & _RIGHTS) and bool({"auth", "refused"} & effect.direct)


_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+")
_RIGHTS: Final = words(
    "iam policy role rolebinding permission permissions grant secret password credential credentials token"
)


def _at(pair: tuple[Item, datetime]) -> datetime:
    return pair[1]


def _said(what: str, cause: tuple[Item, datetime], effect: tuple[Item, datetime]) -> str:
    return f"{cause[0].id} {what}: {iso(cause[1])}, while {effect[0].id} began at {iso(effect[1])}."
